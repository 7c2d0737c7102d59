"""A gradebook in PostgreSQL, with a server of the test's own: graded, graded again, exported; the server goes away."""

from __future__ import annotations

import csv
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autograder.batch.evaluators import WarmGrader
from autograder.batch.regrade import compare
from autograder.batch.run import grade_students
from autograder.course.course import Course, load_course
from autograder.course.export import ExportScores
from autograder.course.gradebook import open_gradebook, register
from autograder.course.score_log import read_log
from autograder.errors import ConfigError
from autograder.grading.evaluate import Grader
from autograder.report import Outcome
from autograder.submission.samples import solved
from tests.nbgrader_course import submit

pytestmark = pytest.mark.slow

PASSWORD = "geheim"
PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))


class Server:
    """PostgreSQL at a free port of this machine; it does not run as root."""

    def __init__(self, folder: Path) -> None:
        self._data = folder / "data"
        self._user = "postgres" if os.geteuid() == 0 else None
        if self._user:
            os.chown(folder, pwd.getpwnam(self._user).pw_uid, -1)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        (folder / "password").write_text(PASSWORD)
        self._run("initdb", "--username=me", f"--pwfile={folder}/password", "--auth=scram-sha-256", "--no-sync")
        self.url = f"postgresql://me:{PASSWORD}@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        options = f"-c listen_addresses=127.0.0.1 -p {self.port} -k {self._data} -c fsync=off"
        self._run("pg_ctl", "start", "--wait", "--log", str(self._data / "log"), "--options", options)

    def go_away(self) -> None:
        self._run("pg_ctl", "stop", "--wait", "--mode=immediate")

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(PROGRAMS[-1].with_name(program)), "--pgdata", str(self._data), *arguments]
        subprocess.run(command, check=True, user=self._user, cwd="/", stdout=subprocess.DEVNULL, timeout=60)


@pytest.fixture
def server() -> Iterator[Server]:
    pytest.importorskip("psycopg2")
    if not PROGRAMS:
        pytest.skip("there is no PostgreSQL here")
    folder = Path(tempfile.mkdtemp())  # another user has to get through to it
    server = Server(folder)
    server.start()
    yield server
    server.go_away()
    shutil.rmtree(folder)


def test_a_gradebook_in_postgresql(
    server: Server, new_course: Callable[[str], Course], grader: Grader, tmp_path: Path
) -> None:
    course = new_course("course")
    config = (course.root / "grader_config.py").read_text() + f"c.CourseDirectory.db_url = {server.url!r}\n"
    (course.root / "grader_config.py").write_text(f"{config}c.CourseDirectory.course_id = ''\n")
    with pytest.raises(ConfigError, match=r"set c\.CourseDirectory\.course_id"):
        open_gradebook(load_course(course.root))
    (course.root / "grader_config.py").write_text(f"{config}c.CourseDirectory.course_id = 'course'\n")
    course = load_course(course.root)
    register(course, "tiny")
    built = course.build("tiny")
    submit(course.root, "ada", "tiny", solved(built))
    submit(course.root, "ben", "tiny", built.release)

    def graded(before: Callable[[Outcome], None] = lambda _: None, fresh: bool = False) -> dict[str, str | float]:
        students, evaluator = ["ada", "ben"], WarmGrader(grader)
        outcomes = grade_students(course, course.seeded("tiny"), students, evaluator, before, fresh)
        return {one.student: one.refused or (one.standing.earned if one.standing else "") for one in outcomes}

    assert graded() == {"ada": 7, "ben": 0}
    assert graded() == {"ada": 7, "ben": 0}
    away = graded(lambda outcome: server.go_away() if outcome.student == "ada" else None, fresh=True)
    assert away["ada"] == 7
    assert "could not be recorded" in str(away["ben"])
    assert PASSWORD not in str(away["ben"])
    with pytest.raises(ConfigError, match=r"me:\*\*\*@127\.0\.0\.1") as refused:
        open_gradebook(course)
    assert PASSWORD not in str(refused.value)
    server.start()
    assert graded() == {"ada": 7, "ben": 0}
    with open_gradebook(course) as gradebook:
        ExportScores(to=str(tmp_path / "grades.csv"), parent=course).export(gradebook)
    with (tmp_path / "grades.csv").open() as file:
        assert [(row["student_id"], float(row["score"])) for row in csv.DictReader(file)] == [("ada", 7), ("ben", 0)]
    suite = course.exercises_folder / "tiny" / "test_hidden.py"
    suite.write_text(suite.read_text().replace("student.double(2.5), 5.0", "student.double(2.5), 6.0"))
    (change,) = compare(course, "tiny", WarmGrader(grader), {}).changes
    assert (change.student, [(task.task, task.after.earned) for task in change.tasks if task.after]) == (
        "ada",
        [("double", 3.0)],
    )
    assert graded() == {"ada": 6, "ben": 0}
    last = read_log(course.root, "tiny")[0][-1]
    assert (last.student, last.task, last.old, last.new) == ("ada", "double", 4.0, 3.0)
