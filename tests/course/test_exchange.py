"""nbgrader's exchange between accounts of this machine: an assignment goes out, work comes in, pages go back."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.utils import parse_utc

from autograder.course.course import Course, load_course
from autograder.course.gradebook import register
from autograder.course.reports import load_report
from autograder.submission.samples import solved
from tests.nbgrader_course import BIN, course_of, nbgrader
from tests.tiny import TOML, write_tiny_exercise

pytestmark = pytest.mark.slow

ACCOUNTS = [account.pw_name for account in pwd.getpwall() if account.pw_uid != 0]
TABLE = bytes(range(256))


class Exchange:
    """An instructor, who is us, and students who are other accounts of this machine, each at home in a folder."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "exchange"
        self._homes = folder / "home"
        settings = f'\nc.Exchange.root = {str(self.place)!r}\nc.CourseDirectory.course_id = "deep"\n'
        exercise = write_tiny_exercise(folder / "tiny")
        (exercise / "exercise.toml").write_text(f'files = ["table.bin"]\n{TOML}')
        (exercise / "table.bin").write_bytes(TABLE)
        self.root = folder / "course"
        self.root.mkdir(mode=0o700)
        course_of(self.root, exercise)
        with (self.root / "grader_config.py").open("a") as file:
            file.write(settings)
        register(self.course, "tiny")
        for student in ACCOUNTS[:2]:
            self.home(student).mkdir(parents=True)
            (self.home(student) / "nbgrader_config.py").write_text(f"c = get_config()\n{settings}")
            self.home(student).chmod(0o700)
            shutil.chown(self.home(student), student)

    @property
    def course(self) -> Course:
        return load_course(self.root)

    def home(self, student: str) -> Path:
        return self._homes / student

    def instructor(self, *arguments: str) -> None:
        said = nbgrader(self.root, *arguments)
        assert (said.returncode, "cheating" in said.stderr) == (0, False), said.stderr

    def student(self, student: str, *arguments: str) -> None:
        said = nbgrader(self.home(student), *arguments, user=student)
        assert said.returncode == 0, said.stderr

    def hand_in(self, student: str, notebook: NotebookNode) -> str:
        """When it was handed in, as the student's copy has it."""
        (self.home(student) / "tiny" / "tiny.ipynb").write_text(nbformat.writes(notebook))  # it stays the student's
        self.student(student, "submit", "tiny")
        return max(file.read_text() for file in self.home(student).rglob("nbgrader_cache/**/timestamp.txt"))

    def is_denied(self, student: str, place: Path) -> bool:
        """Whether the student cannot see what lies there."""
        return subprocess.run(["ls", str(place)], user=student, extra_groups=[], capture_output=True).returncode != 0

    def pages(self, student: str) -> dict[str, bytes]:
        """What is in the student's folder for feedback, by its path there."""
        folder = self.home(student) / "tiny" / "feedback"
        return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture
def exchange() -> Iterator[Exchange]:
    if os.geteuid() != 0:
        pytest.skip("only root can be several accounts")
    if len(ACCOUNTS) < 2:
        pytest.skip("there are no two other accounts here")
    folder = Path(tempfile.mkdtemp())  # not pytest's: the others have to get through to it
    folder.chmod(0o755)
    yield Exchange(folder)
    shutil.rmtree(folder)


def test_from_release_to_feedback_each_gets_the_own_page_alone(exchange: Exchange) -> None:
    ada, ben = ACCOUNTS[:2]
    released = {file.name: file.read_bytes() for file in (exchange.root / "assignments" / "tiny").iterdir()}
    assert set(released) == {"tiny.ipynb", "checks.py", "table.bin"}

    exchange.instructor("release_assignment", "tiny")
    for student in (ada, ben):
        exchange.student(student, "fetch_assignment", "tiny")
        assert {file.name: file.read_bytes() for file in (exchange.home(student) / "tiny").iterdir()} == released

    built = exchange.course.build("tiny")
    exchange.hand_in(ada, solved(built, {"double"}))
    handed_in = {ben: exchange.hand_in(ben, built.release)}
    exchange.instructor("collect", "tiny")
    handed_in[ada] = exchange.hand_in(ada, solved(built))  # thinks better of it
    exchange.instructor("collect", "--update", "tiny")
    assert {file.name for file in exchange.course.submitted(ada, "tiny").iterdir()} >= {*released, "timestamp.txt"}

    graded = subprocess.run([BIN / "autograder", "grade", "tiny"], cwd=exchange.root, capture_output=True, text=True)
    assert graded.returncode == 0, graded.stdout + graded.stderr
    with Gradebook(exchange.course.db_url) as gradebook:
        for student, points in ((ada, 7), (ben, 0)):
            entered = gradebook.find_submission("tiny", student)
            assert (entered.score, entered.timestamp) == (points, parse_utc(handed_in[student]))
            assert load_report(exchange.root, "tiny", student).findings == ()

    exchange.instructor("generate_feedback", "--force", "tiny")
    exchange.instructor("release_feedback", "tiny")
    for student in (ada, ben):
        exchange.student(student, "fetch_feedback", "tiny")
        page = (exchange.course.feedback(student, "tiny") / "tiny.html").read_bytes()
        assert exchange.pages(student) == {f"{handed_in[student]}/tiny.html": page}
    assert exchange.pages(ada).values() != exchange.pages(ben).values()

    exchange.student(ada, "fetch_feedback", "tiny", "--student", ben)  # claims to be ben
    assert len(exchange.pages(ada)) == 1
    hidden = [exchange.place / "deep" / "feedback", exchange.place / "deep" / "inbound", exchange.root]
    assert [exchange.is_denied(ada, place) for place in hidden] == [True, True, True]
    assert not exchange.is_denied(ada, exchange.place / "deep" / "outbound")
