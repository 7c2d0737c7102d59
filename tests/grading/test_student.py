"""What hidden tests can ask of a student's functions, and how what those do comes back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from autograder.checks.compare import Mismatch
from autograder.exercise.definition import Limits
from autograder.grading.remote import Remote
from autograder.grading.site import StudentFailure
from autograder.grading.student import Student
from autograder.isolation.sandbox import Sandbox
from autograder.isolation.session import Session
from autograder.report import Status
from autograder.values import Handle
from tests.sessions import GRADE, play, status


def notebook(sandbox: Sandbox, *cells: str) -> Session:
    return play(sandbox, *cells, GRADE)


def failure(call: Callable[..., Any], *arguments: Any, **keywords: Any) -> tuple[Status, str]:
    """The status and the message that a hidden test gets from this call."""
    with pytest.raises(StudentFailure) as caught:
        call(*arguments, **keywords)
    return caught.value.status, str(caught.value)


def same(actual: Any, expected: Any) -> bool:
    """Equal in type, dtype and every bit."""
    if isinstance(expected, list | tuple):
        return type(actual) is type(expected) and all(map(same, actual, expected)) and len(actual) == len(expected)
    if isinstance(expected, np.ndarray):
        return type(actual) is np.ndarray and actual.dtype == expected.dtype and np.array_equal(actual, expected)
    if isinstance(expected, torch.Tensor):
        return type(actual) is torch.Tensor and actual.dtype == expected.dtype and torch.equal(actual, expected)
    return type(actual) is type(expected) and bool(actual == expected)


# --- values ---


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        -3,
        2**70,
        0.1,
        1j,
        float("inf"),
        "text ü",
        [1, [2.0, None]],
        (1, (2, "three")),
        {"a": (1, 2), 3: [4]},
        np.arange(6.0).reshape(2, 3),
        np.array([1, 2], dtype=np.int8),
        np.float32(0.1),
        np.zeros((0, 3)),
        (np.ones(2), [np.ones(3, dtype=bool)]),
    ],
    ids=repr,
)
def test_plain_values_go_and_come_back_as_they_are(sandbox: Sandbox, value: object) -> None:
    with notebook(sandbox, "def same(x, *, y):\n    return x, y") as session:
        assert same(Student(session, "t").same(value, y=value), (value, value))


def test_what_crosses_is_a_copy(sandbox: Sandbox) -> None:
    mine = [np.zeros(3), [1]]
    with notebook(sandbox, "def f(x):\n    x[0] += 1\n    x[1].append(2)\n    return x") as session:
        theirs = Student(session, "t").f(mine)
    assert same(mine, [np.zeros(3), [1]])
    assert same(theirs, [np.ones(3), [1, 2]])


def test_an_array_that_arrives_can_be_written(sandbox: Sandbox) -> None:
    with notebook(sandbox, "def f(x):\n    return x * 2") as session:
        out = Student(session, "t").f(np.ones(2))
    out += 1
    assert same(out, np.array([3.0, 3.0]))


def test_tensors_go_and_come_back_as_they_are(torch_sandbox: Sandbox) -> None:
    values = [torch.arange(6.0).reshape(2, 3), torch.tensor(3), torch.ones(2, dtype=torch.bfloat16)]
    with notebook(torch_sandbox, "def same(x):\n    return x") as session:
        assert same(Student(session, "t").same(values), values)


def test_a_tensor_that_requires_a_gradient_crosses_without_it(torch_sandbox: Sandbox) -> None:
    source = "import torch\ndef f(x):\n    return torch.nn.Parameter(x) * 2"
    with notebook(torch_sandbox, source) as session:
        out = Student(session, "t").f(torch.ones(2))
    assert same(out, torch.full((2,), 2.0))
    assert not out.requires_grad


def test_a_large_array_crosses(sandbox: Sandbox) -> None:
    x = np.random.default_rng(0).standard_normal((1000, 500))
    with notebook(sandbox, "def f(x):\n    return -x") as session:
        assert same(Student(session, "t").f(x), -x)


def test_too_much_data_is_a_wrong_result(sandbox: Sandbox) -> None:
    source = "import numpy as np\ndef f():\n    return np.broadcast_to(np.zeros(1), 2**26)\ndef g():\n    return 42"
    with notebook(sandbox, source) as session:
        with pytest.raises(Mismatch, match=r"^`f` returned more data than any right answer has$"):
            Student(session, "t").f()
        assert Student(session, "t").g() == 42


# --- what stays there ---


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("object()", "object"),
        ("{1, 2}", "set"),
        ("(n for n in [1])", "generator"),
        ("lambda: 1", "function"),
        ("np.ma.masked_array([1.0])", "MaskedArray"),
        ("np.array([None])", "ndarray"),
        ("type('Yes', (), {'__eq__': lambda *_: True})()", "Yes"),
        ("b'bytes'", "bytes"),
    ],
)
def test_other_values_stay_and_a_handle_comes(sandbox: Sandbox, expression: str, kind: str) -> None:
    with notebook(sandbox, f"import numpy as np\ndef f():\n    return {expression}") as session:
        value = Student(session, "t").f()
    assert isinstance(value, Handle)
    assert value.handle_type == kind


@pytest.mark.parametrize(
    "expression", ["7 ** 5000", "np.zeros((1,) * 20)", "np.zeros((0, 2**40))"], ids=["integer", "axes", "empty"]
)
def test_odd_but_honest_values_do_not_end_the_process(sandbox: Sandbox, expression: str) -> None:
    source = f"import numpy as np\ncalls = []\ndef f():\n    calls.append(1)\n    return {expression}"
    with notebook(sandbox, source, "def g():\n    return len(calls)") as session:
        student = Student(session, "t")
        assert status(student, "f") in (Status.FAILED, Status.ERROR)
        assert student.g() == 1


@pytest.mark.broad
def test_a_tensor_stays_where_the_exercise_has_no_use_for_torch(sandbox: Sandbox) -> None:
    """Whether the grader has loaded torch for another exercise must not matter."""
    source = "import torch\ndef forward(x):\n    return torch.tensor(x)\ndef backward(cache):\n    return cache.numpy()"
    with play(sandbox, source, GRADE, limits=Limits()) as session:
        student = Student(session, "t")
        cache = student.forward(np.ones(2))
        assert isinstance(cache, Handle)
        assert same(student.backward(cache), np.ones(2))


def test_a_handle_goes_back_as_the_very_value(sandbox: Sandbox) -> None:
    source = (
        "class Cache:\n    pass\nlast = None\ndef forward(x):\n    global last\n    last = Cache()\n    return x, last"
    )
    back = "def backward(dout, cache, *, also):\n    return dout, cache is last, also[0]['k'] is last"
    with notebook(sandbox, source, back) as session:
        student = Student(session, "t")
        _, old = student.forward(1)
        _, cache = student.forward(1)
        assert student.backward(2, cache, also=[{"k": cache}]) == (2, True, True)
        assert student.backward(2, old, also=[{"k": cache}]) == (2, False, True)


def test_a_cache_of_plain_values_crosses_and_goes_back(sandbox: Sandbox) -> None:
    source = (
        "def forward(x):\n    return x, {'x': x, 'n': [1]}\ndef backward(cache):\n    return cache['x'] * cache['n'][0]"
    )
    with notebook(sandbox, source) as session:
        student = Student(session, "t")
        _, cache = student.forward(np.ones(2))
        assert same(student.backward(cache), np.ones(2))


def test_put_and_get_show_what_a_call_changed_in_place(sandbox: Sandbox) -> None:
    mine = np.zeros(3)
    with notebook(sandbox, "def f(x):\n    x += 1") as session:
        student = Student(session, "t")
        handle = student.put(mine)
        assert (type(handle), handle.handle_type) == (Remote, "ndarray")
        assert same(student.get(handle), np.zeros(3))
        assert student.f(handle) is None
        assert same(student.get(handle), np.ones(3))
    assert same(mine, np.zeros(3))


def test_a_value_can_be_put_with_others_inside(sandbox: Sandbox) -> None:
    with notebook(sandbox, "def f(xs):\n    xs[1].append(3)\n    return len(xs)") as session:
        student = Student(session, "t")
        inner = student.put([2])
        outer = student.put([1, inner])
        assert student.f(outer) == 2
        assert student.get(inner) == [2, 3]


def test_put_works_whatever_the_notebook_calls_its_functions(sandbox: Sandbox) -> None:
    with notebook(
        sandbox, "def put(x):\n    return 0\ndef get(x):\n    return 0\ndef error(x):\n    return 0"
    ) as session:
        student = Student(session, "t")
        assert student.get(student.put(1)) == 1


# --- callbacks ---


def test_a_function_of_ours_is_asked_by_the_students(sandbox: Sandbox) -> None:
    calls = []

    def double(x: Any) -> Any:
        calls.append(x)
        return 2 * x

    with notebook(sandbox, "def f(x, g):\n    return g(x) + g(3 * x)") as session:
        assert same(Student(session, "t").f(np.ones(2), double), np.full(2, 8.0))
    assert same(calls, [np.ones(2), np.full(2, 3.0)])


def test_several_functions_are_told_apart_also_inside_of_lists(sandbox: Sandbox) -> None:
    with notebook(sandbox, "def f(gs, *, h):\n    return [g(1) for g in gs], h(1, 2)") as session:
        values = Student(session, "t").f([lambda x: x + 1, lambda x: x + 2], h=lambda x, y: (x, y))
    assert values == ([2, 3], (1, 2))


def test_a_function_can_come_back_from_a_function(sandbox: Sandbox) -> None:
    with notebook(sandbox, "def f(g):\n    return g(2)(3)") as session:
        assert Student(session, "t").f(lambda x: lambda y: 10 * x + y) == 23


def test_a_students_own_value_reaches_our_function_as_a_handle(sandbox: Sandbox) -> None:
    seen = []
    with notebook(sandbox, "class C:\n    pass\ndef f(g):\n    c = C()\n    return g(c) is c") as session:
        assert Student(session, "t").f(lambda c: seen.append(c) or c) is True
    assert [type(value) for value in seen] == [Remote]


def test_an_exception_of_our_function_becomes_the_students_error_without_our_words(sandbox: Sandbox) -> None:
    def broken(_: Any) -> None:
        raise ValueError("bad shape (2,)")

    with notebook(sandbox, "def f(g):\n    return g(1)", "def h():\n    return 42") as session:
        student = Student(session, "t")
        kind, message = failure(student.f, broken)
        assert kind is Status.ERROR
        assert message.startswith("ValueError: the function that was passed in raised ValueError")
        assert message.endswith("(cell 1, line 2: return g(1))")
        assert student.h() == 42


def test_a_student_may_catch_what_our_function_raises(sandbox: Sandbox) -> None:
    source = "def f(g):\n    try:\n        return g(1)\n    except Exception:\n        return 'caught'"
    with notebook(sandbox, source) as session:
        assert Student(session, "t").f(lambda x: 1 / 0) == "caught"


@pytest.mark.broad
def test_calls_of_our_function_without_end_are_ended(sandbox: Sandbox) -> None:
    with notebook(sandbox, "def f(g):\n    while True:\n        g(1)", "def h():\n    return 42") as session:
        student = Student(session, "t")
        kind, _ = failure(student.f, lambda x: x)
        assert kind in (Status.CRASHED, Status.TIMEOUT)
        assert student.h() == 42


# --- errors ---


def test_an_error_names_its_kind_message_and_own_line(sandbox: Sandbox) -> None:
    source = "import numpy as np\n\ndef f(x):\n    y = x\n    return np.linalg.inv(y)"
    with notebook(sandbox, "1", source) as session:
        assert failure(Student(session, "t").f, np.zeros((2, 2))) == (
            Status.ERROR,
            "LinAlgError: Singular matrix (cell 2, line 5: return np.linalg.inv(y))",
        )


def test_the_innermost_own_line_is_named(sandbox: Sandbox) -> None:
    with notebook(sandbox, "def g(x):\n    return x['k']", "def f(x):\n    return list(map(g, [x]))") as session:
        assert failure(Student(session, "t").f, {}) == (
            Status.ERROR,
            "KeyError: 'k' (cell 1, line 2: return x['k'])",
        )


def test_wrong_arguments_are_the_students_error(sandbox: Sandbox) -> None:
    with notebook(sandbox, "def f(x):\n    return x") as session:
        assert failure(Student(session, "t").f, 1, 2) == (
            Status.ERROR,
            "TypeError: f() takes 1 positional argument but 2 were given",
        )


@pytest.mark.parametrize("kind", ["SystemExit", "KeyboardInterrupt", "GeneratorExit", "RecursionError", "MemoryError"])
def test_any_exception_is_the_students_error(sandbox: Sandbox, kind: str) -> None:
    with notebook(sandbox, f"def f():\n    raise {kind}('x')", "def h():\n    return 42") as session:
        student = Student(session, "t")
        assert failure(student.f) == (Status.ERROR, f"{kind}: x (cell 1, line 2: raise {kind}('x'))")
        assert student.h() == 42


def test_a_recursion_without_end_is_the_students_error(sandbox: Sandbox) -> None:
    with notebook(sandbox, "def f(n):\n    return f(n + 1)", "def h():\n    return 42") as session:
        student = Student(session, "t")
        kind, message = failure(student.f, 0)
        assert kind is Status.ERROR
        assert message.startswith("RecursionError: maximum recursion depth exceeded")
        assert student.h() == 42


def test_an_exception_that_cannot_be_printed_is_named(sandbox: Sandbox) -> None:
    source = "class Bad(Exception):\n    def __str__(self):\n        return 1\ndef f():\n    raise Bad"
    with notebook(sandbox, source) as session:
        assert failure(Student(session, "t").f) == (Status.ERROR, "Bad:  (cell 1, line 5: raise Bad)")


def test_messages_are_scrubbed(sandbox: Sandbox) -> None:
    source = "import sys\ndef f():\n    raise ValueError(f'{object()} \\x1b[31m{sys.prefix}\\x07')"
    with notebook(sandbox, source) as session:
        kind, message = failure(Student(session, "t").f)
        caught = Student(session, "t").error("f")
    assert kind is Status.ERROR
    assert message.startswith("ValueError: <object object at 0x…> …")
    assert caught.message == "<object object at 0x…> …"


def test_long_messages_are_cut(sandbox: Sandbox) -> None:
    with notebook(sandbox, "def f():\n    raise ValueError('x' * 10**6)") as session:
        _, message = failure(Student(session, "t").f)
    assert 1000 <= len(message) <= 5000


# --- error() ---


def test_error_returns_the_exception(sandbox: Sandbox) -> None:
    source = "def f(x, *, y):\n    raise ValueError(f'shapes {x} and {y}')"
    with notebook(sandbox, source) as session:
        raised = Student(session, "t").error("f", (1, 2), y=(3,))
    assert (raised.type, raised.message) == ("ValueError", "shapes (1, 2) and (3,)")
    assert raised.where == "cell 1, line 2: raise ValueError(f'shapes {x} and {y}')"


def test_error_wants_an_exception(sandbox: Sandbox) -> None:
    with notebook(sandbox, "def f():\n    return 1") as session, pytest.raises(Mismatch) as caught:
        Student(session, "t").error("f")
    assert str(caught.value) == "`f` raised no error here"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("1", Status.MISSING),
        ("def f():\n    raise NotImplementedError('not written yet')", Status.MISSING),
        ("import os\ndef f():\n    os._exit(1)", Status.CRASHED),
        ("def f():\n    while True:\n        pass", Status.TIMEOUT),
    ],
    ids=["missing", "stub", "crash", "loop"],
)
def test_error_is_not_satisfied_by_what_is_no_exception_of_the_students_own(
    sandbox: Sandbox, source: str, expected: Status
) -> None:
    with notebook(sandbox, source) as session:
        assert failure(Student(session, "t").error, "f")[0] is expected


# --- missing ---


@pytest.mark.parametrize("source", ["1", "f = 3", "f = None", "if False:\n    def f():\n        pass"])
def test_what_is_no_function_is_missing(sandbox: Sandbox, source: str) -> None:
    with notebook(sandbox, source) as session:
        assert failure(Student(session, "t").f, 1) == (Status.MISSING, "there is no function `f`")


def test_a_stub_is_missing(sandbox: Sandbox) -> None:
    stub = 'def f(x):\n    # YOUR CODE HERE\n    raise NotImplementedError("not written yet")'
    with notebook(sandbox, stub) as session:
        assert failure(Student(session, "t").f, 1) == (Status.MISSING, "`f` is not written yet")


def test_a_function_that_uses_a_stub_is_told_which(sandbox: Sandbox) -> None:
    stub = 'def h(x):\n    return x\n\ndef g(x):\n    raise NotImplementedError("not written yet")'
    with notebook(sandbox, stub, "def f(x):\n    return g(x)") as session:
        assert failure(Student(session, "t").f, 1) == (Status.ERROR, "`f` uses `g`, which is not written yet")
        assert failure(Student(session, "t").g, 1) == (Status.MISSING, "`g` is not written yet")


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("import no_such_package\ndef f(x):\n    return x", "ModuleNotFoundError: No module named 'no_such_package'"),
        ("def f(x):\n    return x +", "SyntaxError: invalid syntax (cell 1, line 2: return x +)"),
        ("f = wrap(lambda x: x)", "NameError: name 'wrap' is not defined"),
        (
            "import socket\nsocket.socket(socket.AF_INET)\ndef f(x):\n    return x",
            "not available while grading: other processes, the network",
        ),
    ],
)
def test_a_function_is_missing_for_the_true_reason(sandbox: Sandbox, cell: str, reason: str) -> None:
    with notebook(sandbox, cell) as session:
        status, message = failure(Student(session, "t").f, 1)
    assert status is Status.ERROR
    assert message.startswith("the cell that should define `f` (cell 1) ended with ")
    assert reason in message


def test_a_function_whose_cell_ended_the_process_says_so(sandbox: Sandbox) -> None:
    with notebook(sandbox, "import os\nos._exit(3)\ndef f(x):\n    return x") as session:
        assert failure(Student(session, "t").f, 1) == (
            Status.CRASHED,
            "the cell that should define `f` (cell 1) was left out: it ended the notebook's process (exit code 3)",
        )


def test_another_not_implemented_error_is_an_error(sandbox: Sandbox) -> None:
    with notebook(sandbox, "def f(x):\n    raise NotImplementedError") as session:
        assert failure(Student(session, "t").f, 1)[0] is Status.ERROR


def test_anything_callable_is_a_function(sandbox: Sandbox) -> None:
    source = "class C:\n    def __call__(self, x):\n        return x + 1\nf = C()\ng = lambda x: x + 2\nh = abs"
    with notebook(sandbox, source) as session:
        student = Student(session, "t")
        assert (student.f(1), student.g(1), student.h(-1)) == (2, 3, 1)


def test_names_of_python_are_no_functions_of_the_students(sandbox: Sandbox) -> None:
    with notebook(sandbox, "1") as session:
        assert failure(Student(session, "t").print, 1) == (Status.MISSING, "there is no function `print`")
        with pytest.raises(AttributeError):
            Student(session, "t")._private  # noqa: B018


# --- gradients ---

BLOCK = """
import torch

def linear(x, w):
    return x @ w

def scale(x, k):
    return x * k

def detached(x, w):
    return (x @ w).detach()

def half_detached(x, w):
    return x.detach() @ w

def array(x, w):
    return (x @ w).detach().numpy()

def pair(x, w):
    return x @ w, 1

def used_up(x, w):
    out = x @ w
    out.sum().backward()
    return out

def in_place(x, w):
    x += 1
    return x @ w

def other_dtype(x, w):
    return (x @ w).float()
"""


def inputs(*shapes: tuple[int, ...]) -> list[torch.Tensor]:
    rng = np.random.default_rng(0)
    return [torch.tensor(rng.standard_normal(shape)) for shape in shapes]


def test_gradients_are_vector_jacobian_products(torch_sandbox: Sandbox) -> None:
    x, w, upstream = inputs((3, 4), (4, 2), (3, 2))
    with notebook(torch_sandbox, BLOCK) as session:
        out, gradients = Student(session, "t").gradients("linear", x, w, upstream=upstream)
    assert same(out, x @ w)
    assert type(gradients) is tuple
    torch.testing.assert_close(gradients, (upstream @ w.T, x.T @ upstream))


def test_the_upstream_gradient_is_all_ones_by_default(torch_sandbox: Sandbox) -> None:
    x, w = inputs((3, 4), (4, 2))
    with notebook(torch_sandbox, BLOCK) as session:
        _, gradients = Student(session, "t").gradients("linear", x, w)
    torch.testing.assert_close(gradients, (torch.ones(3, 2).double() @ w.T, x.T @ torch.ones(3, 2).double()))


def test_arguments_without_a_gradient_get_none(torch_sandbox: Sandbox) -> None:
    x, upstream = inputs((3,), (3,))
    with notebook(torch_sandbox, BLOCK) as session:
        for factor in (3, torch.tensor(3)):
            _, gradients = Student(session, "t").gradients("scale", x, factor, upstream=upstream)
            assert same(gradients[0], 3 * upstream)
            assert gradients[1] is None


def test_arguments_that_the_result_does_not_depend_on_get_none(torch_sandbox: Sandbox) -> None:
    x, w, upstream = inputs((3, 4), (4, 2), (3, 2))
    with notebook(torch_sandbox, BLOCK) as session:
        out, gradients = Student(session, "t").gradients("half_detached", x, w, upstream=upstream)
    assert same(out, x @ w)
    assert gradients[0] is None
    torch.testing.assert_close(gradients[1], x.T @ upstream)


@pytest.mark.parametrize("name", ["detached", "array", "pair"])
def test_a_result_without_gradients_gives_none_for_all(torch_sandbox: Sandbox, name: str) -> None:
    x, w, upstream = inputs((3, 4), (4, 2), (3, 2))
    with notebook(torch_sandbox, BLOCK) as session:
        out, gradients = Student(session, "t").gradients(name, x, w, upstream=upstream)
    expected = {"detached": x @ w, "array": (x @ w).numpy(), "pair": (x @ w, 1)}
    assert same(out, expected[name])
    assert gradients == (None, None)


def test_a_result_of_another_shape_gives_none_for_all(torch_sandbox: Sandbox) -> None:
    x, w, upstream = inputs((3, 4), (4, 2), (2, 2))
    with notebook(torch_sandbox, BLOCK) as session:
        out, gradients = Student(session, "t").gradients("linear", x, w, upstream=upstream)
    assert same(out, x @ w)
    assert gradients == (None, None)


def test_a_result_of_another_dtype_still_has_its_gradients(torch_sandbox: Sandbox) -> None:
    x, w, upstream = inputs((3, 4), (4, 2), (3, 2))
    with notebook(torch_sandbox, BLOCK) as session:
        out, gradients = Student(session, "t").gradients("other_dtype", x, w, upstream=upstream)
    assert out.dtype == torch.float32
    assert [gradient.shape for gradient in gradients] == [x.shape, w.shape]


@pytest.mark.parametrize("name", ["used_up", "in_place"])
def test_a_graph_that_cannot_be_walked_is_the_students_error(torch_sandbox: Sandbox, name: str) -> None:
    x, w, upstream = inputs((3, 4), (4, 2), (3, 2))
    with notebook(torch_sandbox, BLOCK) as session:
        student = Student(session, "t")
        kind, message = failure(student.gradients, name, x, w, upstream=upstream)
        assert (kind, message.partition(":")[0]) == (Status.ERROR, "RuntimeError")
        assert same(student.linear(x, w), x @ w)


def test_gradients_of_a_missing_function_are_missing(torch_sandbox: Sandbox) -> None:
    with notebook(torch_sandbox, "1") as session:
        assert failure(Student(session, "t").gradients, "f", *inputs((2,))) == (
            Status.MISSING,
            "there is no function `f`",
        )


def test_gradients_work_where_a_cell_has_switched_them_off(torch_sandbox: Sandbox) -> None:
    x, w, upstream = inputs((3, 4), (4, 2), (3, 2))
    with notebook(torch_sandbox, BLOCK, "torch.set_grad_enabled(False)") as session:
        _, gradients = Student(session, "t").gradients("linear", x, w, upstream=upstream)
    torch.testing.assert_close(gradients, (upstream @ w.T, x.T @ upstream))


def test_our_own_tensors_are_not_touched_by_gradients(torch_sandbox: Sandbox) -> None:
    x, w = inputs((3, 4), (4, 2))
    with notebook(torch_sandbox, BLOCK) as session:
        Student(session, "t").gradients("linear", x, w)
    assert (x.requires_grad, x.grad) == (False, None)


def test_gradients_are_new_in_each_call(torch_sandbox: Sandbox) -> None:
    x, w = inputs((3, 4), (4, 2))
    with notebook(torch_sandbox, BLOCK) as session:
        student = Student(session, "t")
        first, second = (student.gradients("linear", x, w)[1] for _ in range(2))
    assert same(first, second)
