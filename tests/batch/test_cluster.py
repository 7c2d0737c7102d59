"""A Dask cluster in the place of local processes: the same results, whatever happens to its workers."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner, Result

from autograder.batch import pool
from autograder.batch.job import Job
from autograder.batch.run import grade_students
from autograder.cli import main
from autograder.course.course import Course
from autograder.course.reports import load_report
from autograder.errors import ConfigError
from autograder.exercise.built import Built, SeededExercise
from autograder.grading.evaluate import Assignment, Evaluation, Grader, GraderConfig
from autograder.report import Finding, Outcome
from autograder.submission.handed_in import Contents, handed_in
from autograder.submission.samples import solved
from tests import plain_notebooks as plain
from tests.batch import test_run
from tests.batch.test_run import break_for_squares, graded, hand_in, state
from tests.nbgrader_course import grades, submit

distributed = pytest.importorskip("distributed")
cluster_module = pytest.importorskip("autograder.batch.cluster")

NewCourse = Callable[[str], Course]
WORKERS, THREADS = 2, 2
SECONDS = 120  # for a test; some take ten, on a machine that does nothing else


@pytest.fixture(autouse=True)
def _in_time(within: Callable[[float], None]) -> None:
    within(SECONDS)


@contextmanager
def local_cluster() -> Iterator[distributed.LocalCluster]:
    only_here = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "worker_dashboard_address": "127.0.0.1:0"}
    with (
        tempfile.TemporaryDirectory() as scratch,
        distributed.LocalCluster(
            n_workers=WORKERS, threads_per_worker=THREADS, local_directory=scratch, silence_logs=50, **only_here
        ) as local,
    ):
        yield local


@pytest.fixture(scope="module")
def local() -> Iterator[distributed.LocalCluster]:
    """One for all: in the place of a worker that is killed comes a new one, and the last test ends it."""
    with local_cluster() as local:
        yield local


@pytest.fixture
def cluster(local: distributed.LocalCluster) -> Iterator[cluster_module.Cluster]:
    with cluster_module.Cluster(local.scheduler_address) as cluster:
        local.wait_for_workers(WORKERS, timeout=SECONDS)
        yield cluster


def processes(local: distributed.LocalCluster) -> list[int]:
    with distributed.Client(local, set_as_default=False) as client:
        return list(client.run(os.getpid, on_error="ignore").values())


def graded_on(
    cluster: cluster_module.Cluster,
    course: Course,
    students: list[str],
    done: Callable[[Outcome], None] = lambda _: None,
) -> list[Outcome]:
    return grade_students(course, course.seeded("tiny"), students, cluster, done, fresh=True)


def command(course: Course, monkeypatch: pytest.MonkeyPatch, address: str, slug: str = "tiny") -> Result:
    monkeypatch.chdir(course.root)
    return CliRunner().invoke(main, ["grade", slug, "--cluster", address], env={"COLUMNS": "200"})


def edit_suite(course: Course, old: str, new: str) -> None:
    suite = course.exercises_folder / "tiny" / "test_hidden.py"
    suite.write_text(suite.read_text().replace(old, new))


def test_a_cluster_leaves_what_local_processes_do(
    new_course: NewCourse, local: distributed.LocalCluster, monkeypatch: pytest.MonkeyPatch, grader: Grader
) -> None:
    """A fault of the suite is told with the files of this machine."""
    course = new_course("one")
    students = hand_in(course)
    break_for_squares(course, "{}['ours']")
    result = command(course, monkeypatch, local.scheduler_address)
    assert result.exit_code == 1, result.output
    there = state(course)
    assert {auto for auto, _, _ in grades(course.root).values()} >= {4.0, 0.0, None}
    (fault,) = {test.fault for test in load_report(course.root, "tiny", "student1").task("double").tests if test.fault}
    assert str(course.exercises_folder / "tiny" / "test_hidden.py") in fault
    graded(course, students, grader, fresh=True)
    assert state(course) == there


@pytest.mark.slow
def test_a_plain_assignment_is_graded_on_a_cluster_as_here(
    new_course: NewCourse, local: distributed.LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = new_course("course")
    source = plain.notebook(
        plain.test("reads", 1, "assert open('points.csv').read() + open('mine.txt').read() == '12'")
    )
    plain.write_source(course.solutions / "sheet", sheet=source)
    (course.solutions / "sheet" / "points.csv").write_text("1")
    (submit(course.root, "ada", "sheet", source).parent / "mine.txt").write_text("2")
    result = command(course, monkeypatch, local.scheduler_address, "sheet")
    assert result.exit_code == 0, result.output
    assert grades(course.root)["ada", "reads"] == (1, None, False)


@pytest.mark.slow
def test_all_of_a_process_is_done_by_one_thread(new_course: NewCourse, cluster: cluster_module.Cluster) -> None:
    course = new_course("one")
    students = hand_in(course, 8)
    edit_suite(course, "from autograder", "import threading\n\nfrom autograder")
    edit_suite(
        course,
        "    assert_close(student.double(2.5)",
        "    USED.add(threading.get_ident())\n    assert len(USED) == 1\n    assert_close(student.double(2.5)",
    )
    edit_suite(course, "\n\n@task", "\n\nUSED = set()\n\n\n@task")
    assert not any(outcome.needs_a_person for outcome in graded_on(cluster, course, students))


@pytest.mark.slow
def test_after_a_run_the_workers_keep_neither_the_exercise_nor_processes(
    new_course: NewCourse, local: distributed.LocalCluster, cluster: cluster_module.Cluster
) -> None:
    course = new_course("one")
    seen: list[bool] = []
    pids = processes(local)
    graded_on(cluster, course, hand_in(course), lambda _: seen.append(bool(_left_behind(pids))))
    assert any(seen)
    while _left_behind(pids):
        time.sleep(0.1)


def _left_behind(pids: list[int]) -> list[object]:
    folders = [path for pid in pids for path in Path(tempfile.gettempdir()).glob(f"autograder-{pid}-*")]
    return [*folders, *(child for pid in pids for child in psutil.Process(pid).children())]


@pytest.mark.slow
def test_no_more_is_in_flight_than_the_workers_need(new_course: NewCourse, cluster: cluster_module.Cluster) -> None:
    course = new_course("one")
    seeded = course.seeded("tiny")
    submit(course.root, "ada", "tiny", solved(seeded.built))
    taken: list[str] = []
    most = done = 0

    class Watched(Job):
        def read(self, assignment: Assignment) -> tuple[Contents, tuple[Finding, ...]]:
            nonlocal most
            taken.append(self.student)
            most = max(most, len(taken) - done)
            return super().read(assignment)

    found = handed_in(course.submitted("ada", "tiny"), course.submissions, ["tiny"])
    jobs = [Watched(str(number), found) for number in range(30)]
    for _, evaluation in cluster.evaluate(jobs, seeded, course.grader_config):
        assert isinstance(evaluation, Evaluation)
        assert evaluation.report.earned == 7
        done += 1
    assert taken == [str(number) for number in range(30)]
    assert done == 30
    assert WORKERS < most <= pool._AHEAD * WORKERS


def test_workers_that_cannot_shut_students_in_are_named_and_score_nothing(
    new_course: NewCourse, cluster: cluster_module.Cluster
) -> None:
    course = new_course("one")
    course.disabled_layers = ["namespaces", "landlock"]
    students = hand_in(course)
    with pytest.raises(ConfigError, match=r"the worker tcp://127.* is not fit: .*cannot shut.* off from: files") as no:
        graded_on(cluster, course, students)
    assert "\n" not in str(no.value)
    assert grades(course.root) == {}


@pytest.mark.slow
def test_where_the_course_allows_it_workers_that_cannot_shut_students_in_say_what_they_did_without(
    new_course: NewCourse, cluster: cluster_module.Cluster
) -> None:
    course = new_course("one")
    course.disabled_layers, course.allow_unsafe = ["namespaces", "landlock"], True
    outcomes = graded_on(cluster, course, hand_in(course))
    assert {outcome.report.breaches for outcome in outcomes if outcome.report} == {("files",)}


def test_another_version_of_a_package_is_named(
    new_course: NewCourse, cluster: cluster_module.Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = new_course("one")
    versions = cluster_module._versions() | {"numpy": "1.0"}
    monkeypatch.setattr(cluster_module, "_versions", lambda: versions)
    with pytest.raises(ConfigError, match=r"has numpy 2\.\S+, this machine 1\.0; install the same versions"):
        graded_on(cluster, course, hand_in(course))


def test_a_worker_that_has_loaded_another_state_of_the_package_is_named(
    new_course: NewCourse, cluster: cluster_module.Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = new_course("one")
    monkeypatch.setattr(cluster_module, "SOURCES", "another")
    with pytest.raises(ConfigError, match="is not fit: it has loaded another state of this package"):
        graded_on(cluster, course, hand_in(course))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "tls://127.0.0.1:9", "nonsense"])
def test_where_no_scheduler_answers_the_command_says_so(
    new_course: NewCourse, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr(cluster_module, "_CONNECT_SECONDS", 1)
    course = new_course("one")
    hand_in(course)
    result = command(course, monkeypatch, address)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"autograder: no Dask scheduler answers at {address}: ")
    assert result.stderr.count("\n") == 1


def test_without_dask_the_command_says_what_to_install(new_course: NewCourse, monkeypatch: pytest.MonkeyPatch) -> None:
    course = new_course("one")
    hand_in(course)
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "autograder.batch.cluster")
    result = command(course, monkeypatch, "tcp://127.0.0.1:9")
    assert result.exit_code == 2
    assert "pip install 'autograder[cluster]'" in result.stderr
    assert result.stderr.count("\n") == 1


# --- what ends workers, and at last the cluster ---


@pytest.mark.slow
def test_what_a_killed_worker_was_doing_is_done_by_another(
    new_course: NewCourse, local: distributed.LocalCluster, cluster: cluster_module.Cluster
) -> None:
    course = new_course("one")
    students = hand_in(course, 8)
    alive = processes(local)

    def kill(_: Outcome) -> None:
        if len(alive) == WORKERS:
            os.kill(alive.pop(), signal.SIGKILL)

    outcomes = graded_on(cluster, course, students, kill)
    assert len(alive) < WORKERS
    assert [outcome.refused for outcome in outcomes] == [""] * 8
    reports = [outcome.report for outcome in outcomes]
    assert reports == reports[: len(test_run.WORKS)] * 2


@pytest.mark.slow
def test_what_kills_one_worker_after_another_is_refused_and_no_other(
    new_course: NewCourse, cluster: cluster_module.Cluster
) -> None:
    course = new_course("one")
    students = hand_in(course, 2)
    break_for_squares(course, "__import__('os')._exit(1)")
    right, wrong = graded_on(cluster, course, students)
    assert right.report
    assert wrong.refused == "one worker after another has ended over it"
    assert grades(course.root)["student1", "double"] == (None, None, True)


def test_a_scheduler_that_goes_away_is_told_in_a_sentence(
    new_course: NewCourse, local: distributed.LocalCluster, cluster: cluster_module.Cluster
) -> None:
    course = new_course("one")
    students = hand_in(course, 12)
    with pytest.raises(ConfigError, match="broke off; grade again to go on"):
        graded_on(cluster, course, students, lambda _: local.close())


@pytest.mark.parametrize(
    ("package", "told"),
    [("networkx", r"it has networkx 3\.\S+, this machine 1\.0"), ("no_such_package", "pip install no_such_package")],
)
def test_a_worker_with_another_version_of_an_exercises_package_is_not_fit(
    tiny_built: Built, package: str, told: str
) -> None:
    kit = cluster_module._pack(SeededExercise(tiny_built, 0), GraderConfig())
    with pytest.raises(ConfigError, match=told):
        cluster_module._Bench(replace(kit, packages={package: "1.0"}))
