"""What one submission's life survives: cells and calls that end, hang, hoard or break what they share with others."""

from __future__ import annotations

import uuid

import pytest
from msgspec.structs import replace

from autograder.checks.compare import Mismatch
from autograder.errors import SandboxError
from autograder.exercise.definition import Limits
from autograder.grading.site import StudentFailure
from autograder.grading.student import Student
from autograder.isolation.process import ProcessEnded
from autograder.isolation.sandbox import Sandbox
from autograder.isolation.session import FINAL, Session, Surroundings
from autograder.report import Status
from autograder.submission.notebook import Cell
from tests.sessions import GRADE, NUMPY, QUICK, SMALL, descendants, files_named, given, play, protection, runs, status

SETUP = given("import numpy as np")
WORK = """
def f():
    return int(np.array(42))
"""

EXIT = "import os\nos._exit(3)"
LOOP = "while True:\n    pass"
CRASHES = {
    "leaves at once": EXIT,
    "segmentation fault": "import ctypes\nctypes.string_at(0)",
    "aborts": "import os\nos.abort()",
    "aborts behind a child": "import os\ntry:\n    os.fork()\nfinally:\n    os.abort()",
    "closes its channel": "import os\nos.closerange(0, 100)",
}
TIMEOUTS = {
    "loop": LOOP,
    "loop that ignores signals": "import signal\nfor s in (2, 14, 15, 24):\n    signal.signal(s, signal.SIG_IGN)\n"
    + LOOP,
    "loop that catches all": "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n"
    "        pass",
    "huge power": "7 ** 10**9",
    "catastrophic pattern": "import re\nre.match(r'(a+)+$', 'a' * 60 + 'b')",
}
WAITS = {
    "sleep": "import time\ntime.sleep(1000)",
    "lock": "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
}
BURN = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end:\n    pass\n"
ERRORS = {
    "one large array": ("np.ones(10**10)", "MemoryError"),
    "a file beyond the disk": ("open('big', 'wb').write(bytes(100 << 20))", "OSError"),
}
HARMLESS = {
    "leaves politely": "import sys\nsys.exit(3)",
    "prints a lot": "for _ in range(100):\n    print('x' * 10**6)",
    "writes past Python": "import os\nfor n in range(200):\n    os.write(1 + n % 2, b'x' * 10**6)",
    "a thread that waits": "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()",
    "a thread that computes": "import threading\ndef spin():\n    while True:\n        pass\n"
    "threading.Thread(target=spin).start()",
    "a child that waits": "import os, time\nif os.fork() == 0:\n    time.sleep(1000)",
    "a child that computes": "import os\nif os.fork() == 0:\n    while True:\n        pass",
    "a daemon": "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork():\n        os._exit(0)\n"
    "    time.sleep(1000)",
    "a subprocess": "import subprocess\nsleeping = subprocess.Popen(['sleep', '1000'])",
    "rebinds a library": "np = None",
    "numerical errors raise": "np.seterr(all='raise')",
    "clears all names": "%reset -f",
    "removes its folder": "import os, shutil\nshutil.rmtree(os.getcwd())",
    "leaves files": "import tempfile\nopen('x.txt', 'w').write('x')\nopen(tempfile.mkdtemp() + '/x', 'w').close()",
    "seals a folder": "import os\nos.mkdir('sealed')\nopen('sealed/file', 'w').close()\nos.chmod('sealed', 0)",
    "replaces the streams": "import io, sys\nsys.stdout = sys.stderr = io.StringIO()",
    "removes the streams": "import sys\nsys.stdout = sys.stderr = None",
    "hides names of Python": "range = float = isinstance = None",
    "changes folder": "import os\nos.chdir('/')",
    "a trace function": "import sys\nsys.settrace(lambda *_: None)",
}


def function(name: str, body: str) -> str:
    """The text of a function that does what a cell does."""
    return f"def {name}():\n" + "".join(f"    {line}\n" for line in body.splitlines())


def named(cases: dict[str, str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("cell", list(cases.values()), ids=list(cases))


def check_that_only_one_cell_is_lost(sandbox: Sandbox, cell: str, limits: Limits = QUICK) -> ProcessEnded | None:
    """How the cell ended the process, if it did; the work after it is sound and nothing is left behind."""
    before = descendants()
    with play(sandbox, SETUP, cell, WORK, GRADE, "6 * 7", limits=limits) as session:
        assert Student(session, "t").f() == 42
        assert [run.ended for index, run in session.runs.items() if index != 1] == [None] * 3
        assert session.runs[4].outputs[-1]["data"] == {"text/plain": "42"}
        ended = session.runs[1].ended
    assert descendants() == before
    return ended


# --- cells ---


@named(CRASHES)
def test_a_cell_that_ends_the_process_is_left_out_as_crashed(sandbox: Sandbox, cell: str) -> None:
    ended = check_that_only_one_cell_is_lost(sandbox, cell)
    assert ended is not None
    assert ended.status is Status.CRASHED


@pytest.mark.broad
@named(TIMEOUTS)
def test_a_cell_that_computes_without_end_is_left_out_as_timeout(sandbox: Sandbox, cell: str) -> None:
    ended = check_that_only_one_cell_is_lost(sandbox, cell)
    assert ended is not None
    assert (ended.status, ended.reason) == (
        Status.TIMEOUT,
        "it was not done after 0.5 seconds of computing or 10 seconds of waiting",
    )


@pytest.mark.broad
@named(WAITS)
def test_a_cell_that_waits_without_end_is_left_out_as_timeout(sandbox: Sandbox, cell: str) -> None:
    limits = Limits(cpu_seconds=5, wall_seconds=1)
    ended = check_that_only_one_cell_is_lost(sandbox, cell, limits)
    assert ended is not None
    assert (ended.status, ended.reason) == (
        Status.TIMEOUT,
        "it was not done after 5 seconds of computing or 1 seconds of waiting",
    )


@named(HARMLESS)
def test_a_cell_that_only_makes_a_mess_loses_nothing(sandbox: Sandbox, cell: str) -> None:
    """With time enough: where memory is in pieces, the kernel takes half a second for a fork's large pages."""
    assert check_that_only_one_cell_is_lost(sandbox, cell, replace(QUICK, cpu_seconds=5)) is None


@pytest.mark.parametrize(("cell", "error"), list(ERRORS.values()), ids=list(ERRORS))
def test_a_cell_beyond_a_limit_of_size_gets_pythons_error(sandbox: Sandbox, cell: str, error: str) -> None:
    with play(sandbox, SETUP, cell, WORK, GRADE) as session:
        assert Student(session, "t").f() == 42
        assert session.runs[1].ended is None
        assert session.runs[1].outputs[-1]["ename"] == error


@pytest.mark.broad
@pytest.mark.parametrize("without", [[], ["cgroup"]], ids=["as it is here", "no control group"])
def test_memory_that_a_cell_hoards_is_not_missing_later(without: list[str]) -> None:
    hoard = "hoard = []\nwhile True:\n    hoard.append(bytearray(10**4))"
    work = "import numpy as np\ndef f():\n    return int(np.ones(16_000_000).sum())"
    with (
        Sandbox(NUMPY, protection(without)) as sandbox,
        play(sandbox, hoard, work, GRADE, limits=Limits(memory=200)) as session,
    ):
        assert Student(session, "t").f() == 16_000_000


def test_files_are_gone_with_the_session(sandbox: Sandbox) -> None:
    name = f"mark-{uuid.uuid4()}"
    make = f"import os, tempfile\nos.mkdir('deep')\nopen('deep/{name}', 'w').close()\nos.chmod('deep', 0)\n"
    more = f"open(tempfile.mkdtemp() + '/{name}', 'w').close()\nos.mkdir('{name}')"
    with play(sandbox, make + more) as session:
        assert session.runs[0].outputs == []
    assert files_named(name) == []


def test_a_bare_fork_answers_nothing_rightly_by_chance(sandbox: Sandbox) -> None:
    with play(sandbox, SETUP, "import os\nos.fork()", WORK, "def g():\n    return -1", GRADE) as session:
        student = Student(session, "t")
        assert status(student, "g") is not Status.PASSED
        assert status(student, "nothing") is not Status.PASSED


@pytest.mark.broad
def test_each_of_several_bad_cells_is_left_out(sandbox: Sandbox) -> None:
    with play(sandbox, SETUP, EXIT, "a = 40", LOOP, "b = 2", EXIT, "def f():\n    return a + b", GRADE) as session:
        assert Student(session, "t").f() == 42
        ended = [run.ended.status if run.ended else None for run in session.runs.values()]
    assert ended == [None, Status.CRASHED, None, Status.TIMEOUT, None, Status.CRASHED, None]


def test_a_cell_that_fails_is_run_and_the_next_ones_too(sandbox: Sandbox) -> None:
    with play(sandbox, "a = 42\n1/0\nb = 1", "def f():\n    return a", GRADE) as session:
        assert Student(session, "t").f() == 42


NOTED = {
    "the folder": "%cd -q .",
    "a bookmark": "%bookmark here",
    "a variable": "kept = 3\n%store kept\n%store -r",
    "who it is": "import getpass\nassert getpass.getuser()",
}


@named(NOTED)
def test_what_a_kernel_can_note_can_be_noted(sandbox: Sandbox, cell: str) -> None:
    with play(sandbox, cell) as session:
        assert session.runs[0].error is None


def test_the_outputs_of_the_first_run_are_kept(sandbox: Sandbox) -> None:
    cells = ("import os, random\nfirst = random.random()\nprint(first)", "def f():\n    return first", EXIT, GRADE)
    with play(sandbox, *cells) as session:
        Student(session, "t").f()
        assert len(session.runs[0].outputs) == 1


def test_markdown_and_grade_cells_are_not_run(sandbox: Sandbox) -> None:
    with play(sandbox, "1", GRADE, "2") as session:
        assert [(index, run.number) for index, run in session.runs.items()] == [(0, 1), (2, 3)]


def test_the_given_files_lie_in_the_working_folder(sandbox: Sandbox) -> None:
    text = "answer = 'ä'\n"
    with play(sandbox, "import checks\nchecks.answer", files={"checks.py": text.encode()}) as session:
        assert session.runs[0].outputs[0]["data"] == {"text/plain": "'ä'"}


# --- which of several definitions counts ---


def test_a_function_that_is_defined_after_its_grade_cell_is_in_the_final_state(sandbox: Sandbox) -> None:
    with play(sandbox, GRADE, "x = 1", "def f():\n    return 42") as session:
        assert status(Student(session, "t"), "f") is Status.MISSING
        assert Student(session, "t", state=FINAL).f() == 42
        assert session.changes("t", FINAL, ["f"]) == {"f": 3}


def test_the_function_at_the_grade_cell_counts_not_a_later_one(sandbox: Sandbox) -> None:
    with play(sandbox, "def f():\n    return 42", GRADE, "def f():\n    return 0") as session:
        assert Student(session, "t").f() == 42


def test_the_last_function_before_the_grade_cell_counts(sandbox: Sandbox) -> None:
    with play(sandbox, "def f():\n    return 0", "def f():\n    return 42", GRADE) as session:
        assert Student(session, "t").f() == 42


def test_a_function_that_was_deleted_after_its_grade_cell_is_still_there(sandbox: Sandbox) -> None:
    with play(sandbox, "def f():\n    return 42", GRADE, "del f") as session:
        assert Student(session, "t").f() == 42


@pytest.mark.parametrize("rebound", ["np = None", "import random as np", "%reset -f", "del np"])
def test_what_the_course_gave_is_in_force_again_at_the_calls(sandbox: Sandbox, rebound: str) -> None:
    with play(sandbox, SETUP, WORK, GRADE, rebound) as session:
        assert Student(session, "t").f() == 42


# --- calls ---


@pytest.mark.broad
@named({name: {**CRASHES, **TIMEOUTS}[name] for name in ("leaves at once", "aborts", "loop", "catastrophic pattern")})
def test_a_call_that_ends_the_process_is_one_failure_and_the_next_call_is_sound(sandbox: Sandbox, cell: str) -> None:
    with play(sandbox, SETUP, function("bad", cell), WORK, GRADE, limits=QUICK) as session:
        student = Student(session, "t")
        expected = Status.CRASHED if cell in CRASHES.values() else Status.TIMEOUT
        assert status(student, "bad") is expected
        assert student.f() == 42
        assert [run.ended for run in session.runs.values()] == [None] * 3


def test_what_calls_changed_is_as_the_cells_left_it_after_a_crash(sandbox: Sandbox) -> None:
    cells = (
        "calls = []",
        "def f():\n    calls.append(1)\n    return len(calls)",
        function("bad", EXIT),
        GRADE,
    )
    with play(sandbox, *cells) as session:
        student = Student(session, "t")
        assert [student.f(), student.f()] == [1, 2]
        assert status(student, "bad") is Status.CRASHED
        assert student.f() == 1


@pytest.mark.parametrize(("cell", "expected"), [(EXIT, Status.CRASHED), (LOOP, Status.TIMEOUT)])
def test_after_too_many_ends_every_call_ends_like_the_last(sandbox: Sandbox, cell: str, expected: Status) -> None:
    limits = Limits(cpu_seconds=0.3, restarts=1)
    with play(sandbox, function("bad", cell), "def f():\n    return 42", GRADE, limits=limits) as session:
        student = Student(session, "t")
        assert [status(student, name) for name in ("f", "bad", "f", "bad")] == [
            Status.PASSED,
            expected,
            Status.PASSED,
            expected,
        ]
        assert [status(student, name) for name in ("f", "bad", "f")] == [expected] * 3


@pytest.mark.broad
@pytest.mark.parametrize(
    ("cell", "limits", "expected"),
    [
        (EXIT, Limits(restarts=2), Status.CRASHED),
        (LOOP, Limits(cpu_seconds=0.3, restarts=2), Status.TIMEOUT),
        (LOOP, Limits(cpu_seconds=0.5, total_cpu_seconds=1), Status.TIMEOUT),
        (LOOP, Limits(cpu_seconds=30, total_cpu_seconds=1), Status.TIMEOUT),
    ],
    ids=["crashes", "time-outs", "all the time in parts", "all the time at once"],
)
def test_a_notebook_that_uses_up_all_its_starts_or_time_is_the_students_failure(
    sandbox: Sandbox, cell: str, limits: Limits, expected: Status
) -> None:
    with play(sandbox, *[cell] * 4, "def f():\n    return 42", GRADE, limits=limits) as session:
        assert status(Student(session, "t"), "f") is expected


@pytest.mark.broad
def test_the_time_named_in_a_message_is_the_limit_not_what_was_left_of_it(sandbox: Sandbox) -> None:
    limits = Limits(cpu_seconds=30, total_cpu_seconds=1, restarts=5)
    with play(sandbox, BURN.format(0.4) + EXIT, function("bad", LOOP), GRADE, limits=limits) as session:
        with pytest.raises(StudentFailure) as caught:
            Student(session, "t").bad()
        assert caught.value.status is Status.TIMEOUT
        assert (
            str(caught.value)
            == "the notebook was not done after 1 seconds of computing or 600 seconds of waiting in all"
        )


def test_a_call_that_prints_without_end_keeps_its_result(sandbox: Sandbox) -> None:
    with play(sandbox, "def f():\n    print('x' * 10**8)\n    return 42", GRADE) as session:
        assert Student(session, "t").f() == 42


@pytest.mark.broad
def test_the_limits_are_for_each_call_not_for_all(sandbox: Sandbox) -> None:
    work = function("f", BURN.format(0.2) + "return 42")
    with play(sandbox, work, GRADE, limits=Limits(cpu_seconds=0.4)) as session:
        assert [Student(session, "t").f() for _ in range(3)] == [42] * 3


def test_modes_left_on_by_a_cell_or_a_call_do_not_reach_the_next_call(sandbox: Sandbox) -> None:
    cells = (
        SETUP,
        "np.seterr(all='raise')",
        "def f():\n    np.seterr(all='raise')\n    return bool(np.float64(1) / 0 > 0)",
    )
    with play(sandbox, *cells, "def f():\n    return float(np.exp(np.float64(1000.0)))", GRADE) as session:
        student = Student(session, "t")
        assert [student.f(), student.f()] == [float("inf")] * 2


@pytest.mark.broad
def test_torch_modes_left_on_do_not_reach_the_next_call(torch_sandbox: Sandbox) -> None:
    modes = "torch.set_grad_enabled(False)\ntorch.set_default_dtype(torch.float64)\nnp.seterr(all='raise')"
    work = function("f", modes + "\nreturn 42")
    ask = "def g():\n    return torch.is_grad_enabled(), torch.ones(1).dtype == torch.float32, np.geterr()['over']"
    with play(torch_sandbox, "import torch, numpy as np", modes, work, ask, GRADE) as session:
        student = Student(session, "t")
        assert student.g() == (True, True, "warn")
        assert student.f() == 42
        assert student.g() == (True, True, "warn")


@pytest.mark.broad
def test_rebound_torch_is_put_right_for_the_calls(torch_sandbox: Sandbox) -> None:
    work = "def f():\n    return torch.ones(2).sum().item()"
    with play(torch_sandbox, given("import torch"), work, GRADE, "torch = None") as session:
        assert Student(session, "t").f() == 2.0


# --- the processes ---


def test_one_notebook_sees_nothing_of_the_one_before(sandbox: Sandbox) -> None:
    mess = (
        "import builtins, numpy, os, sys, tempfile\nbuiltins.mark = numpy.mark = sys.mark = 1\nmark = 1\n"
        "os.environ['MARK'] = '1'\nopen('mark', 'w').close()\nopen(tempfile.gettempdir() + '/mark', 'w').close()"
    )
    look = (
        "import builtins, numpy, os, sys\n"
        "[hasattr(m, 'mark') for m in (builtins, numpy, sys)] + ['mark' in globals(), 'MARK' in os.environ]"
        " + os.listdir()"
    )
    with play(sandbox, mess) as session:
        assert session.runs[0].outputs == []
    with play(sandbox, look) as session:
        assert session.runs[0].outputs[0]["data"]["text/plain"] == "[False, False, False, False, False]"


def test_a_closed_session_has_ended_its_process_and_may_be_closed_again(sandbox: Sandbox) -> None:
    before = descendants()
    session = play(sandbox, "1")
    assert len(descendants() - before) == 1
    session.close()
    session.close()
    assert descendants() == before


def test_a_fault_of_ours_in_the_middle_leaves_no_process(sandbox: Sandbox) -> None:
    before = descendants()
    with pytest.raises(RuntimeError, match="ours"), play(sandbox, "1"):
        raise RuntimeError("ours")
    assert descendants() == before


def test_of_this_package_only_its_inside_is_loaded(sandbox: Sandbox) -> None:
    look = "import sys\nprint(*(name for name in sys.modules if name.startswith(('autograder', 'pytest', '_pytest'))))"
    with play(sandbox, look) as session:
        names = set(session.runs[0].outputs[0]["text"].split())
    outside = {name for name in names if not name.startswith("autograder.inside")}
    assert outside == {"autograder", "autograder.layout", "autograder.values", "autograder.wire"}


def test_a_process_that_could_not_get_its_files_is_no_failure_of_the_students(sandbox: Sandbox) -> None:
    with pytest.raises(SandboxError):
        play(sandbox, WORK, GRADE, files={"no/such/folder/checks.py": b""}).close()


def test_a_notebook_finds_its_surroundings_in_each_process(sandbox: Sandbox) -> None:
    look = (
        "import os\nprint(open('data/a.bin', 'rb').read(), os.environ['MODE'])\nopen('data/a.bin', 'w').write('mine')"
    )
    around = Surroundings({"data/a.bin": b"\x00ours"}, {"MODE": "odd"})
    cells = (Cell("code", look + ";"), Cell("code", EXIT), Cell("code", look + ";"))
    with Session(sandbox, SMALL, cells, {}, surroundings=around) as session:
        said = [run.outputs[0]["text"] if run.outputs else "" for run in session.runs.values()]
    assert said == ["b'\\x00ours' odd\n", "", "b'mine' odd\n"]


def test_surroundings_that_cannot_be_laid_out_are_no_failure_of_the_students(sandbox: Sandbox) -> None:
    around = Surroundings({"large.bin": bytes(2 << 20)}, {})
    with pytest.raises(SandboxError, match="prepared"):
        Session(sandbox, Limits(disk=1), (Cell("code", WORK),), {}, surroundings=around)


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ("1", (True, False, False)),
        ("raise ValueError", (True, False, False)),
        ("import sys\nsys.exit()", (True, True, False)),
        ("!ls", (True, False, True)),
        ("%%bash\nls", (True, False, True)),
        ("files = !ls", (True, False, True)),
        ("print('x' * (2 << 20))", (True, False, True)),
        (EXIT, (False, False, False)),
    ],
)
def test_how_a_cell_came_to_its_end_is_told(cell: str, told: tuple[bool, bool, bool], sandbox: Sandbox) -> None:
    (run,) = runs(sandbox, cell)
    assert (run.is_done, run.has_exited, run.is_incomplete) == told


# --- the grader's own side ---


@pytest.mark.parametrize(
    "arguments", [(object(),), ({1, 2},), (lambda _: object(),)], ids=["object", "set", "callback"]
)
def test_a_value_of_ours_that_cannot_cross_is_no_failure_of_the_students(
    sandbox: Sandbox, arguments: tuple[object, ...]
) -> None:
    with play(sandbox, "def f(g):\n    return g(1)", "def h():\n    return 42", GRADE) as session:
        with pytest.raises(Exception) as caught:  # noqa: PT011
            Student(session, "t").f(*arguments)
        assert not isinstance(caught.value, StudentFailure | Mismatch)
        assert Student(session, "t").h() == 42
