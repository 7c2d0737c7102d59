"""A process that something outside ends is started again, and what ends by the student's own doing is theirs.

A thread of the test ends the student's process as the kernel does where memory runs out.
"""

from __future__ import annotations

import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import nbformat
import psutil
import pytest
from msgspec.structs import replace

from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import Limits
from autograder.grading.evaluate import Evaluation, Grader
from autograder.grading.student import Student
from autograder.isolation.disturbances import Disturbances
from autograder.isolation.protection import GUARANTEES
from autograder.isolation.sandbox import Sandbox
from autograder.isolation.session import Session
from autograder.report import Finding, Report, Status
from autograder.submission.samples import solved
from tests.attacks.world import students_processes
from tests.sessions import GRADE, play, protection, status

ONCE = Finding("disturbed", "its process was ended from outside once and started again")
KILL_ITSELF = "import os\nos.kill(os.getpid(), 9)"
pytestmark = pytest.mark.broad
CLOSE = "import os\nos.closerange(3, 1000)"


@contextmanager
def killed(when: Callable[[], float]) -> Iterator[list[float]]:
    """One process of a student's ends by SIGKILL, so many seconds after the first one is seen; who was killed."""
    over, done = threading.Event(), []

    def kill() -> None:
        while not students_processes() and not over.is_set():
            time.sleep(0.001)
        over.wait(when())
        while not over.is_set():
            for process in students_processes():
                with suppress(psutil.NoSuchProcess):
                    process.send_signal(signal.SIGKILL)
                    done.append(time.monotonic())
                    return

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield done
    finally:
        over.set()
        thread.join()


# --- whom an end is excused ---


def test_the_first_end_at_a_place_is_excused_and_the_second_is_the_students_as_the_first_was() -> None:
    ends = Disturbances()
    assert [ends.excuse("here"), ends.excuse("there"), ends.count] == [True, True, 2]
    assert [ends.excuse("here"), ends.excuse("here"), ends.count] == [False, False, 1]


def test_an_end_by_chance_is_excused_three_times() -> None:
    ends = Disturbances()
    assert [ends.excuse(place) for place in range(5)] == [True, True, True, False, False]


# --- cells and calls ---


def test_a_cell_whose_process_is_ended_from_outside_is_run_again(sandbox: Sandbox) -> None:
    with (
        killed(lambda: 0.4) as done,
        play(sandbox, "a = 42", "import time\ntime.sleep(0.8)\nprint(a)", GRADE) as session,
    ):
        assert done
        assert [run.ended for run in session.runs.values()] == [None, None]
        assert session.runs[1].outputs[0]["text"] == "42\n"
        assert session.findings == (ONCE,)


def test_it_costs_no_restart_and_no_time(sandbox: Sandbox) -> None:
    burn = "import time\nend = time.process_time() + 0.6\nwhile time.process_time() < end:\n    pass"
    limits = Limits(restarts=0, total_cpu_seconds=1)
    with killed(lambda: 0.4) as done, play(sandbox, burn, "def f():\n    return 42", GRADE, limits=limits) as session:
        assert done
        assert status(Student(session, "t"), "f") is Status.PASSED
        assert session.findings == (ONCE,)


def test_a_cell_that_ends_its_own_process_is_the_students_and_no_finding() -> None:
    """Without namespaces, in which a process cannot end itself by this signal."""
    with (
        Sandbox((), protection(["namespaces"], GUARANTEES)) as sandbox,
        play(sandbox, KILL_ITSELF, "def f():\n    return 42", GRADE, limits=Limits(restarts=1)) as session,
    ):
        check_that_the_first_cell_has_crashed(session)


def test_so_is_a_cell_that_closes_its_channel_and_is_then_ended_by_us(sandbox: Sandbox) -> None:
    with play(sandbox, CLOSE, "def f():\n    return 42", GRADE, limits=Limits(restarts=1)) as session:
        check_that_the_first_cell_has_crashed(session)


def check_that_the_first_cell_has_crashed(session: Session) -> None:
    ended = session.runs[0].ended
    assert ended is not None
    assert (ended.status, ended.reason) == (Status.CRASHED, "it ended the notebook's process (signal 9)")
    assert status(Student(session, "t"), "f") is Status.PASSED
    assert session.findings == ()


# --- whole submissions ---


def evaluated(grader: Grader, built: Built) -> Evaluation:
    return grader.evaluate(nbformat.writes(solved(built)).encode(), SeededExercise(built, 0))


def undisturbed(evaluation: Evaluation) -> tuple[Report, str]:
    """All of it but the note for staff."""
    report = evaluation.report
    findings = tuple(finding for finding in report.findings if finding.kind != "disturbed")
    return replace(report, findings=findings), nbformat.writes(evaluation.notebook)


@pytest.mark.parametrize("name", ["tiny_built", pytest.param("connections", marks=pytest.mark.slow)])
def test_an_end_from_outside_at_any_moment_leaves_nothing_but_a_note_for_staff(
    grader: Grader, request: pytest.FixtureRequest, name: str
) -> None:
    built: Built = request.getfixturevalue(name)
    evaluated(grader, built)  # starts what is shared
    start = time.monotonic()
    calm = evaluated(grader, built)
    took, chance, notes = time.monotonic() - start, random.Random(0), 0
    for number in range(100):
        if number >= 8 and notes:  # on a busy machine some come too late
            break
        with killed(lambda: chance.uniform(0, took)) as done:
            evaluation = evaluated(grader, built)
        assert evaluation.report.earned == evaluation.report.automatic_points
        assert undisturbed(evaluation) == undisturbed(calm)
        assert evaluation.report.findings in ((), (ONCE,))
        notes += len(evaluation.report.findings)
        assert done or not evaluation.report.findings
    assert notes
