"""A report does not depend on how fast the machine is: whichever of two limits wins, status and message are the same.

The slowness is real: processes that compute on the same processor, a student's process that is stopped and goes on, a
grader that is. Or one of the two limits is so far away that the other one must win.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil
import pytest

from autograder.exercise.definition import Limits
from autograder.grading.site import StudentFailure
from autograder.grading.student import Student
from autograder.isolation import process
from autograder.isolation.protection import GUARANTEES
from autograder.isolation.sandbox import Sandbox
from autograder.report import Finding, Status
from tests.sessions import GRADE, play, protection

COMPUTE = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end:\n    pass\nreturn 42"
SPIN = "while True: pass"
FAR = 1000
pytestmark = pytest.mark.broad


def function(body: str, parameters: str = "") -> str:
    return f"def f({parameters}):\n" + "".join(f"    {line}\n" for line in body.splitlines())


def outcome(sandbox: Sandbox, body: str, limits: Limits, *arguments: object) -> tuple[Status, str]:
    """What a call of a function with this body comes to, by status and message."""
    with play(sandbox, function(body, "*given"), GRADE, limits=limits) as session:
        try:
            return Status.PASSED, str(Student(session, "t").f(*arguments))
        except StudentFailure as failure:
            return failure.status, str(failure)


def students_process() -> psutil.Process:
    """The one that lives: the last of the line from the launcher over the warm parent."""
    launchers = [one for one in psutil.Process().children() if "autograder.inside.warm_parent" in one.cmdline()]
    below = [process for launcher in launchers for parent in launcher.children() for process in parent.children()]
    (process,) = below
    return process


@contextmanager
def crowded(rivals: int) -> Iterator[None]:
    """Everything that is started now has one processor, with so many others that compute on it."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    busy = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(rivals)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()
        os.sched_setaffinity(0, before)


@contextmanager
def stopped_now_and_then() -> Iterator[None]:
    """The student's process stands still at random moments."""
    over = threading.Event()

    def stop_and_go() -> None:
        students, chance = students_process(), random.Random(0)
        with suppress(psutil.NoSuchProcess):
            while not over.wait(chance.uniform(0, 0.05)):
                students.send_signal(signal.SIGSTOP)
                time.sleep(chance.uniform(0, 0.05))
                students.send_signal(signal.SIGCONT)

    thread = threading.Thread(target=stop_and_go)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


# --- which limit wins ---


@pytest.mark.parametrize(
    ("calls", "mebibytes"), [(FAR**2, FAR), (50, FAR), (FAR**2, 1)], ids=["computing", "number", "size"]
)
def test_a_function_that_is_called_without_end_is_one_time_out_whichever_limit_ends_it(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, calls: int, mebibytes: int
) -> None:
    with monkeypatch.context() as lowered:
        lowered.setattr(process, "_CALLS_BACK", calls)
        lowered.setattr(process, "_CALLS_BACK_MIB", mebibytes)
        limits = Limits(cpu_seconds=0.3, wall_seconds=FAR)
        ended = outcome(sandbox, "while True:\n    given[0]('x' * 10_000)", limits, len)
    assert ended == (
        Status.TIMEOUT,
        f"it was not done after 0.3 seconds of computing or 1000 seconds of waiting, or {calls} calls "
        f"({mebibytes} MiB) of a function that it was given",
    )


@pytest.mark.parametrize("argument", ["'x' * 80_000", "[[one] * 5 for one in [1.0] * 1_600]", "{1: np.ones(16_000)}"])
def test_the_number_of_calls_decides_on_every_machine_and_so_does_their_size(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, argument: str
) -> None:
    monkeypatch.setattr(process, "_CALLS_BACK_MIB", 1)
    body = f"import numpy as np\nlarge = {argument}\nfor _ in range(20):\n    given[0](large)\nreturn 42"
    heard: list[int] = []
    ended, message = outcome(sandbox, body, Limits(cpu_seconds=FAR, total_cpu_seconds=FAR), lambda _: heard.append(1))
    assert ended is Status.TIMEOUT
    assert message.endswith("10000 calls (1 MiB) of a function that it was given")
    assert 1 < len(heard) < 20


@pytest.mark.parametrize(
    "body",
    ["while True:\n    pass", "import time\nwhile True:\n    time.sleep(0.001)", "import time\ntime.sleep(1000)"],
    ids=["computes", "computes a little", "waits"],
)
@pytest.mark.parametrize("other", [0.4, FAR], ids=["both near", "one far"])
def test_computing_and_waiting_without_end_are_one_time_out(sandbox: Sandbox, body: str, other: float) -> None:
    computing, waiting = (other, 0.8) if "sleep" in body else (0.4, other)
    assert outcome(sandbox, body, Limits(cpu_seconds=computing, wall_seconds=waiting)) == (
        Status.TIMEOUT,
        f"it was not done after {computing:g} seconds of computing or {waiting:g} seconds of waiting",
    )


# --- a slow machine ---


def test_what_computes_within_its_limit_passes_where_it_has_to_share_the_processor() -> None:
    limits = Limits(cpu_seconds=0.6, wall_seconds=0.5)
    with crowded(rivals=3), Sandbox(()) as sandbox:
        assert outcome(sandbox, COMPUTE.format(0.3), limits) == (Status.PASSED, "42")
        assert outcome(sandbox, SPIN, limits)[0] is Status.TIMEOUT
        assert outcome(sandbox, "import time\ntime.sleep(1000)", limits)[0] is Status.TIMEOUT


@pytest.mark.parametrize("body", [SPIN, "while True:\n    given[0](1)"], ids=["computes", "calls back"])
def test_a_process_that_is_stopped_now_and_then_ends_in_the_same_way(sandbox: Sandbox, body: str) -> None:
    limits = Limits(cpu_seconds=0.4, wall_seconds=30)
    cells = function(body, "*given"), GRADE
    with (
        play(sandbox, *cells, limits=limits) as session,
        stopped_now_and_then(),
        pytest.raises(StudentFailure) as caught,
    ):
        Student(session, "t").f(len)
    assert (caught.value.status, str(caught.value)) == outcome(sandbox, body, limits, len)


def test_a_grader_that_stood_still_does_not_take_it_from_the_student() -> None:
    """As on a laptop that was asleep, or on a machine that has other things to do."""
    script = """
import os, signal, subprocess, sys
from autograder.exercise.definition import Limits
from autograder.grading.student import Student
from autograder.isolation.sandbox import Sandbox
from tests.sessions import GRADE, play
wakes = "import os, signal, time; time.sleep(2); os.kill({}, signal.SIGCONT)".format(os.getpid())
work = "import time\\ndef f(): time.sleep(0.5); return 42"
with Sandbox(()) as sandbox, play(sandbox, work, GRADE, limits=Limits(wall_seconds=1)) as session:
    stops = "import os, signal, time; time.sleep(0.2); os.kill({}, signal.SIGSTOP)".format(os.getpid())
    helpers = [subprocess.Popen([sys.executable, "-c", code]) for code in (stops, wakes)]
    print(Student(session, "t").f())
    [helper.wait() for helper in helpers]
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    graded = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert (graded.stdout, graded.stderr) == ("42\n", "")


# --- memory, and how a process ended ---


@pytest.mark.parametrize(
    "hoard",
    [
        "kept = []\nwhile True:\n    kept.append(b'x' * (1 << 20))",
        "kept = []\nwhile True:\n    kept.append([0] * 1000)",
        "import mmap\nkept = []\nwhile True:\n    kept.append(mmap.mmap(-1, 1 << 20))\n"
        "    kept[-1].write(b'x' * (1 << 20))",
        "import gc\ncopies = [len(repr(one)) for one in gc.get_objects()[:5000]]\nkept = []\n"
        "while True:\n    kept.append(bytearray(10**5))",
    ],
    ids=["pieces", "lists", "mappings", "copies of what it shares"],
)
def test_memory_without_end_is_pythons_own_error_before_the_kernel_ends_the_process(
    sandbox: Sandbox, hoard: str
) -> None:
    status, message = outcome(sandbox, hoard, Limits(memory=100, disk=8))
    assert status is Status.ERROR
    assert message.startswith(("MemoryError", "OSError"))


def test_files_beside_memory_are_refused_by_the_disk_before_the_kernel_ends_the_process(sandbox: Sandbox) -> None:
    fill = (
        "kept = []\ntry:\n    while True:\n        kept.append(b'x' * (1 << 20))\nexcept MemoryError:\n    kept.pop()\n"
    )
    write = "with open('big', 'wb', buffering=0) as file:\n    while True:\n        file.write(bytes(1 << 16))"
    status, message = outcome(sandbox, fill + write, Limits(memory=100, disk=32))
    assert (status, message.split(":")[0]) == (Status.ERROR, "OSError")


@pytest.mark.parametrize("without", ["cgroup", "limits"])
def test_a_process_that_the_kernel_ends_for_its_memory_is_told_as_one_that_python_refused_it(without: str) -> None:
    hoard = "kept = []\nwhile True:\n    kept.append(b'x' * (1 << 16))"
    with Sandbox((), protection([without], GUARANTEES)) as sandbox:
        if without == "limits" and "cgroup" in sandbox.missing:
            pytest.skip("no control group")
        with play(sandbox, hoard, limits=Limits(memory=100)) as session:
            ended = session.runs[0].ended
    assert ended is not None
    assert (ended.status, ended.reason) == (Status.CRASHED, "it used more memory than 100 MiB")


@pytest.mark.parametrize("then", ["", "time.sleep(0.001)", "time.sleep(0.01)", "time.sleep(1)"])
def test_a_process_without_its_channel_ends_in_one_way_whoever_is_faster(sandbox: Sandbox, then: str) -> None:
    ended = outcome(sandbox, f"import os, time\nos.close(3)\n{then}", Limits())
    assert ended == (Status.CRASHED, "it ended the notebook's process (signal 9)")


@pytest.mark.parametrize("end", ["os._exit(3)", "ctypes.string_at(0)"])
def test_a_process_that_ends_itself_has_crashed_also_after_its_last_second(sandbox: Sandbox, end: str) -> None:
    body = COMPUTE.format(0.3).replace("return 42", f"import ctypes, os\n{end}")
    assert outcome(sandbox, body, Limits(total_cpu_seconds=0.2))[0] is Status.CRASHED


# --- the whole submission ---


IN_ALL = "the notebook was not done after {} seconds of computing or {} seconds of waiting in all"


@pytest.mark.parametrize(
    ("cell", "limits"),
    [
        (SPIN, Limits(cpu_seconds=FAR, total_cpu_seconds=1, total_wall_seconds=FAR)),
        (SPIN, Limits(cpu_seconds=FAR, total_cpu_seconds=FAR, total_wall_seconds=1)),
        ("import time\ntime.sleep(1000)", Limits(total_cpu_seconds=FAR, total_wall_seconds=1)),
    ],
    ids=["computes", "computes for long", "waits"],
)
def test_a_submission_that_takes_too_long_in_all_is_one_time_out_whichever_limit_ends_it(
    sandbox: Sandbox, cell: str, limits: Limits
) -> None:
    with play(sandbox, "a = 1", cell, "b = 2", GRADE, limits=limits) as session:
        ended = [run.ended and (run.ended.status, run.ended.reason) for run in session.runs.values()]
        assert session.findings == ()  # the cell's own says it
    told = IN_ALL.format(f"{limits.total_cpu_seconds:g}", f"{limits.total_wall_seconds:g}")
    assert ended == [None, (Status.TIMEOUT, told), None]


def test_calls_that_wait_for_long_together_are_ended_and_nothing_is_run_after_that(sandbox: Sandbox) -> None:
    limits = Limits(total_wall_seconds=1)
    with play(sandbox, "import time\ndef f():\n    time.sleep(0.3)\n    return 42", GRADE, limits=limits) as session:
        said = []
        for _ in range(6):
            with suppress(StudentFailure):
                said.append(Student(session, "t").f())
        assert said == [42] * 3
        assert session.findings == (Finding("timeout", IN_ALL.format(180, 1)),)
        assert session.cost.cpu_seconds < 1


def test_calls_that_are_too_short_to_be_looked_at_are_counted(sandbox: Sandbox) -> None:
    with play(sandbox, *["import time\ntime.sleep(0.08)"] * 30, limits=Limits(total_wall_seconds=1)) as session:
        ended = [number for number, run in enumerate(session.runs.values()) if run.ended]
    assert len(ended) == 1
    assert 5 < ended[0] < 14


@pytest.mark.slow
def test_what_the_machine_takes_is_not_counted_in_all_either(sandbox: Sandbox) -> None:
    """Eight seconds and more by the clock for one of computing."""
    body = COMPUTE.format(1)
    with crowded(7), Sandbox(()) as crowded_sandbox:
        ended = outcome(crowded_sandbox, body, Limits(cpu_seconds=FAR, total_wall_seconds=4))
    assert ended == (Status.PASSED, "42")
