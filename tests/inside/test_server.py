"""What a student can make of the process that answers: whatever it says, nothing passes and the grader goes on."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograder.exercise.definition import Limits
from autograder.grading.site import StudentFailure
from autograder.grading.student import Student
from autograder.isolation import process
from autograder.isolation.sandbox import Sandbox
from autograder.isolation.session import Session
from autograder.report import Status
from autograder.values import Handle
from tests.sessions import GRADE, descendants, play, status

TOOLS = """
import gc, json, os, struct, sys, time
worker = sys.modules["autograder.inside.server"]

def write(data):
    while data:
        data = data[os.write(3, data):]

def frame(structure, bulk=b""):
    if not isinstance(structure, bytes):
        structure = json.dumps(structure).encode()
    write(struct.pack("!II", len(structure), len(bulk)) + structure + bulk)

def reply(bulk=b"", first=0, **entries):
    entries["first"] = first
    frame(["dict", *([key, value] for key, value in entries.items())], bulk)

def answers(make):
    send = worker._Server._send
    worker._Server._send = lambda self, message: send(self, make(message))

def the_worker():
    return next(one for one in gc.get_objects() if type(one) is worker._Server)
"""

# What the function `f` does instead of returning 42.
NO_ANSWERS = {
    "a prefix of four gigabytes": r"write(b'\xff' * 8)",
    "a prefix of just too much": "write(struct.pack('!II', (8 << 20) + 1, 0))",
    "text": "write(b'hello, grader! hello, grader!')",
    "no JSON": "frame(b'{')",
    "bytes of no encoding": r"frame(b'\"\xff\xfe\"')",
    "brackets without end": "frame(b'[' * 10**6)",
    "brackets that close": "frame(b'[\"list\",' * 10**5 + b'1' + b']' * 10**5)",
    "an integer of 5000 digits": 'frame(b\'["dict",["kind","value"],["value",\' + b\'9\' * 5000 + b\']]\')',
    "a JSON object": "frame({'kind': 'value', 'value': 42})",
    "a number": "frame(42)",
    "a text": "frame('value')",
    "nothing": "frame(None)",
    "a list": "frame(['list', 'kind', 'value'])",
    "an array": "frame(['array', 'float64', [1]], bytes(8))",
    "an array of text": "frame(['array', 'uint8', [4]], b'kind')",
    "a handle": "frame(['handle', 0, 'x'])",
    "a value without value": "reply(kind='value')",
    "no kind": "reply(value=42)",
    "an unknown kind": "reply(kind='passed', value=42)",
    "a kind that is a number": "reply(kind=3, value=42)",
    "a kind that is an array": "reply(bytes(8), kind=['array', 'float64', [1]], value=42)",
    "an error without a type": "reply(kind='raised', type=None, message='', where='')",
    "an error of arrays": "reply(bytes(8), kind='raised', type=['array', 'float64', [1]], message='', where='')",
    "the answer to another question": "reply(kind='done')",
    "the outputs of a cell": "reply(kind='ran', outputs=['list'], failed=False)",
    "outputs that are an array": "reply(bytes(8), kind='ran', outputs=['array', 'float64', [1]], failed=False)",
    "an unknown tag": "reply(kind='value', value=['pickle', 'x'])",
    "a callback as a value": "reply(kind='value', value=['callback', 0])",
    "a handle without number": "reply(kind='value', value=['handle', 'x', 'y'])",
    "an unknown dtype": "reply(bytes(8), kind='value', value=['array', 'object', [1]])",
    "a dtype that is a list": "reply(bytes(8), kind='value', value=['array', ['float64'], [1]])",
    "a shape larger than the bulk": "reply(kind='value', value=['array', 'float64', [2**28] * 16])",
    "an empty shape larger than memory": "reply(kind='value', value=['array', 'float64', [0] + [2**28] * 15])",
    "a negative shape": "reply(kind='value', value=['array', 'float64', [-1]])",
    "a shape of truth values": "reply(bytes(8), kind='value', value=['array', 'float64', [True]])",
    "more bulk than arrays": "reply(bytes(8), kind='value', value=42)",
    "a list as a key": "reply(kind='value', value=['dict', [['list'], 42]])",
    "an entry of three": "reply(kind='value', value=['dict', [1, 2, 3]])",
    "callback arguments that are no list": "reply(kind='callback', number=0, arguments=42)",
    "callback arguments that are an array": "reply(bytes(8), kind='callback', number=0, arguments="
    "['array', 'float64', [1]])",
    "a callback of no number": "reply(kind='callback', number='0', arguments=['list'])",
    "half a frame and the end": "write(struct.pack('!II', 100, 0) + b'[')\n    os._exit(0)",
}
# Of these some may cost the process and some not; none of them passes.
LIES = {
    "a callback out of range": "reply(kind='callback', number=99, arguments=['list', 1])",
    "a callback below zero": "reply(kind='callback', number=-1, arguments=['list', 1])",
    "a callback of a huge number": "reply(kind='callback', number=['int', 'f' * 900], arguments=['list', 1])",
    "a wrong value": "reply(kind='value', value=41)",
    "another kind of number": "reply(kind='value', value=42.0)",
    "a NumPy number": "reply((42).to_bytes(8, 'little'), kind='value', value=['scalar', 'int64'])",
    "a handle of a huge number": "reply(kind='value', value=['handle', 10**30, 'int'])",
    "a handle of a long type": "reply(kind='value', value=['handle', 0, 'int' * 10**6])",
    "not a number": 'frame(b\'["dict",["kind","value"],["value",NaN]]\')',
    "an infinite number": 'frame(b\'["dict",["kind","value"],["value",1e999]]\')',
    "a text with a lone surrogate": r"reply(kind='value', value='\ud800')",
    "not written yet": "reply(kind='raised', type='NotImplementedError', message='not written yet', where='')",
    "too large": "reply(kind='too_large')",
    "missing": "reply(kind='missing')",
}


def named(cases: dict[str, str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("deed", list(cases.values()), ids=list(cases))


def hostile(sandbox: Sandbox, deed: str, limits: Limits = Limits()) -> Session:  # noqa: B008
    work = f"def f(*_):\n    {deed}\n\ndef g():\n    return 42"
    return play(sandbox, TOOLS, work, GRADE, limits=limits)


@pytest.fixture(autouse=True)
def _next_notebook_is_sound(sandbox: Sandbox) -> Any:
    """Whatever a notebook did, the next one is graded as ever, and nothing of the first is left."""
    before = descendants()
    yield
    assert descendants() == before
    with play(sandbox, "def f(x):\n    return 2 * x", GRADE) as session:
        assert Student(session, "t").f(21) == 42


# --- answers that are none ---


@named(NO_ANSWERS)
def test_what_is_no_answer_ends_the_process_as_crashed(sandbox: Sandbox, deed: str) -> None:
    with hostile(sandbox, deed) as session:
        student = Student(session, "t")
        assert status(student, "f") is Status.CRASHED
        assert status(student, "g") is Status.PASSED


@named(LIES)
def test_no_lie_passes(sandbox: Sandbox, deed: str) -> None:
    with hostile(sandbox, deed) as session:
        assert status(Student(session, "t"), "f") not in (Status.PASSED, Status.UNGRADED)


@pytest.mark.parametrize("kind", ["value", "missing", "done", "ran", "raised", "callback", "too_large", "passed"])
def test_answers_of_one_kind_to_everything_pass_nowhere(sandbox: Sandbox, kind: str) -> None:
    patched = f"answers(lambda message: {{'kind': '{kind}'}})"
    with play(sandbox, TOOLS, "def f():\n    return 42", patched, GRADE, limits=Limits(restarts=2)) as session:
        assert status(Student(session, "t"), "f") is not Status.UNGRADED


def test_half_a_frame_and_silence_is_a_time_out(sandbox: Sandbox) -> None:
    deed = "write(struct.pack('!II', 100, 0) + b'['); time.sleep(1000)"
    with hostile(sandbox, deed, Limits(wall_seconds=1)) as session:
        assert status(Student(session, "t"), "f") is Status.TIMEOUT
        assert status(Student(session, "t"), "g") is Status.PASSED


def test_a_frame_byte_by_byte_does_not_renew_the_time(sandbox: Sandbox) -> None:
    deed = "write(struct.pack('!II', 1000, 0))\n    while True:\n        write(b'['); time.sleep(0.05)"
    with hostile(sandbox, deed, Limits(wall_seconds=1)) as session:
        start = time.monotonic()
        assert status(Student(session, "t"), "f") is Status.TIMEOUT
        assert time.monotonic() - start < 6


def test_callbacks_without_end_are_ended(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_CALLS_BACK", 500)
    calls = []
    deed = "while True:\n        the_worker()._callback(0)(1)"
    with hostile(sandbox, deed, Limits(wall_seconds=20)) as session:
        assert status(Student(session, "t"), "f", calls.append) in (Status.CRASHED, Status.TIMEOUT)
        assert status(Student(session, "t"), "g") is Status.PASSED
    assert 0 < len(calls) <= 500


def test_a_callback_that_never_was_is_an_error_in_the_students_code(sandbox: Sandbox) -> None:
    for number in (0, 5, -1, 2**60):
        with hostile(sandbox, f"return the_worker()._callback({number})(1)") as session:
            assert status(Student(session, "t"), "f") is Status.ERROR
            assert status(Student(session, "t"), "g") is Status.PASSED


def test_an_answer_before_the_question_does_not_help(sandbox: Sandbox) -> None:
    early = "reply(kind='value', value=42)"
    with play(sandbox, TOOLS, early, "def f():\n    return 0", GRADE) as session:
        assert status(Student(session, "t"), "f") is not Status.PASSED


def test_an_answer_too_many_shifts_no_later_answer_into_place(sandbox: Sandbox) -> None:
    work = "def f():\n    reply(kind='value', value=0)\n    return 42\ndef g(x):\n    return 0"
    with play(sandbox, TOOLS, work, GRADE) as session:
        student = Student(session, "t")
        assert status(student, "f") is Status.FAILED
        assert status(student, "g", "another question") in (Status.PASSED, Status.FAILED, Status.CRASHED)
        assert status(student, "g", "the next question") is not Status.PASSED


def test_a_handle_that_was_never_given_out_ends_only_the_students_process(sandbox: Sandbox) -> None:
    forged = "worker._Server._outgoing = lambda *_: ['handle', 10**6, 'x']"
    with play(sandbox, TOOLS, forged, "def f():\n    return object()", "def g():\n    return 42", GRADE) as session:
        student = Student(session, "t")
        handle = student.f()
        assert isinstance(handle, Handle)
        assert status(student, "get", handle) in (Status.CRASHED, Status.ERROR)
        assert status(student, "g") is Status.PASSED


# --- answers of cells ---


@pytest.mark.parametrize(
    "output",
    [
        "{'output_type': 'display_data', 'data': {'text/html': '<script>'}, 'metadata': {}}",
        "{'output_type': 'display_data', 'data': {'image/svg+xml': '<svg>'}, 'metadata': {}}",
        "{'output_type': 'display_data', 'data': {'text/plain': 42}, 'metadata': {}}",
        "{'output_type': 'display_data', 'data': {'text/plain': 'x'}, 'metadata': {'a': ['b']}}",
        "{'output_type': 'stream', 'name': 'stdin', 'text': 'x'}",
        "{'output_type': 'stream', 'name': 'stdout', 'text': ['x']}",
        "{'output_type': 'script', 'text': 'x'}",
        "{'output_type': 'error', 'ename': 'x', 'evalue': 'x', 'traceback': 'x'}",
        "'output'",
        "None",
        "__import__('numpy').zeros(3)",
    ],
)
def test_an_output_of_another_form_ends_the_process_as_crashed(sandbox: Sandbox, output: str) -> None:
    patched = f"answers(lambda m: m | {{'outputs': [{output}]}} if m['kind'] == 'ran' else m)"
    with play(sandbox, "def f():\n    return 42", TOOLS, patched, "1", GRADE) as session:
        assert session.runs[3].ended is not None
        assert session.runs[3].ended.status is Status.CRASHED
        assert status(Student(session, "t"), "f") is Status.PASSED


def test_an_image_of_no_base64_is_no_fault_of_ours(sandbox: Sandbox) -> None:
    image = "{'output_type': 'display_data', 'data': {'image/png': '<ü>'}, 'metadata': {}}"
    patched = f"answers(lambda m: m | {{'outputs': [{image}]}} if m['kind'] == 'ran' else m)"
    with play(sandbox, "def f():\n    return 42", TOOLS, patched, "1", GRADE) as session:
        assert "<" not in str(session.runs[3].outputs)
        assert status(Student(session, "t"), "f") is Status.PASSED


def test_the_grader_itself_holds_the_output_of_a_cell_to_its_room(sandbox: Sandbox) -> None:
    text = "{'output_type': 'stream', 'name': 'stdout', 'text': 'x' * (5 << 20)}"
    patched = f"answers(lambda m: m | {{'outputs': [{text}]}} if m['kind'] == 'ran' else m)"
    with play(sandbox, "def f():\n    return 42", TOOLS, patched, "1", GRADE) as session:
        assert sum(len(str(run.outputs)) for run in session.runs.values()) < 2 << 20


def test_the_grader_itself_cuts_long_messages(sandbox: Sandbox) -> None:
    deed = "reply(kind='raised', type='E' * 10**6, name='N' * 10**6, message='m' * 10**6, where='w' * 10**6)"
    with hostile(sandbox, deed) as session:
        with pytest.raises(StudentFailure) as caught:
            Student(session, "t").f()
        assert caught.value.status is Status.ERROR
        assert len(str(caught.value)) < 20_000


# --- inside the process ---


@pytest.mark.parametrize(
    "mess",
    [
        "worker._Server.call = lambda *_, **__: {'kind': 'value', 'value': 41}",
        "worker._Server._find = lambda *_: lambda: 41",
        "worker.wire.encode = lambda *_: b'x' * 100",
        "worker.wire.receive = lambda *_: {'do': 'nothing'}",
        "worker._Server.answer = lambda *_: time.sleep(0.01)",
        "worker.json = worker.wire.json = None",
        "import builtins; builtins.getattr = builtins.isinstance = None",
        "import numpy; numpy.seterr = None",
        "sys.modules.clear()",
        "[os.close(n) for n in range(3, 50) if os.path.exists(f'/proc/self/fd/{n}')]",
        "gc.collect = None; the_worker()._kept = None; the_worker()._snapshots = None",
        "the_worker()._shell = None",
        "get_ipython().run_cell = None",
        "sys.settrace(lambda *_: 1 / 0); import threading; threading.settrace(lambda *_: 1 / 0)",
        "import signal; signal.setitimer(signal.ITIMER_REAL, 0.01)",
    ],
)
def test_no_patch_of_the_process_passes_or_harms_the_grader(sandbox: Sandbox, mess: str) -> None:
    limits = Limits(cpu_seconds=2, wall_seconds=1, restarts=1)
    with play(sandbox, TOOLS, mess, "def f():\n    return 41", GRADE, limits=limits) as session:
        assert status(Student(session, "t"), "f") not in (Status.PASSED, Status.UNGRADED)


def test_a_patched_comparison_changes_nothing_on_the_graders_side(sandbox: Sandbox) -> None:
    patched = "import numpy as np\nnp.array_equal = np.allclose = np.testing.assert_allclose = lambda *_, **__: True"
    always = "class Yes(float):\n    __eq__ = lambda *_: True\n    __hash__ = None\ndef f():\n    return Yes(42)"
    with play(sandbox, patched, always, GRADE) as session:
        assert status(Student(session, "t"), "f") is Status.FAILED


def test_the_hidden_inputs_of_a_call_are_not_left_for_the_next(sandbox: Sandbox) -> None:
    """Only what the student's own function keeps is kept."""
    look = "return sum(type(o) is list and o[:1] == ['hidden input'] for o in gc.get_objects())"
    with play(sandbox, TOOLS, "def f(x):\n    return 0", f"def g():\n    {look}", GRADE) as session:
        student = Student(session, "t")
        student.f(["hidden input", 1])
        assert student.g() == 0


def test_large_requests_to_a_deaf_process_end_in_time(sandbox: Sandbox, within: Callable[[float], None]) -> None:
    deed = "reply(kind='value', value=0); time.sleep(1000)"
    with hostile(sandbox, deed, Limits(wall_seconds=1)) as session:
        within(6)
        student = Student(session, "t")
        assert status(student, "f") is Status.FAILED
        assert status(student, "f", np.zeros(10**6)) is Status.TIMEOUT
