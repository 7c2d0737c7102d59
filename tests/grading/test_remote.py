"""Objects of a student's that stay in its process: what a test does with them is done there, and as Python does it."""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nbformat import NotebookNode

from autograder.checks.compare import Mismatch
from autograder.exercise.build import build
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import Exercise, Limits
from autograder.exercise.variants import variant
from autograder.grading.evaluate import Grader
from autograder.grading.remote import Remote
from autograder.grading.site import StudentFailure
from autograder.grading.student import Student
from autograder.isolation.sandbox import Sandbox
from autograder.isolation.session import Session
from autograder.report import Report, Status
from autograder.submission.samples import solved, solved_by
from tests.sessions import GRADE, play

SCALAR = """
import math

class Scalar:
    made = 0

    def __init__(self, data, parents=()):
        self.data, self.grad, self._parents = data, 0.0, parents
        self._backward = lambda: None
        Scalar.made += 1

    def __add__(self, other):
        other = other if isinstance(other, Scalar) else Scalar(other)
        out = Scalar(self.data + other.data, (self, other))
        def back():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = back
        return out

    __radd__ = __add__

    def __mul__(self, other):
        other = other if isinstance(other, Scalar) else Scalar(other)
        out = Scalar(self.data * other.data, (self, other))
        def back():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = back
        return out

    __rmul__ = __mul__

    def __neg__(self):
        return self * -1

    def __lt__(self, other):
        return self.data < other.data

    def backward(self):
        order, seen = [], set()
        def visit(node):
            if id(node) not in seen:
                seen.add(id(node))
                for parent in node._parents:
                    visit(parent)
                order.append(node)
        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()

    @classmethod
    def zero(cls):
        return cls(0.0)
"""

ODD = """
import numpy as np

class Layers:
    __array_ufunc__ = None
    def __init__(self, *items):
        self.items = list(items)
    def __len__(self):
        return len(self.items)
    def __getitem__(self, key):
        return Layers(*self.items[key]) if isinstance(key, slice) else self.items[key]
    def __setitem__(self, key, value):
        self.items[key] = value
    def __delitem__(self, key):
        del self.items[key]
    def __contains__(self, item):
        return item in self.items
    def __eq__(self, other):
        raise RuntimeError("not to be compared")
    def __call__(self, x, *, scale=1):
        return scale * x + len(self.items)
    def __matmul__(self, other):
        return ("matmul", other)
    def __rmatmul__(self, other):
        return ("rmatmul", other)
    def __iadd__(self, other):
        self.items.append(other)
        return self
    def __bool__(self):
        return False
    def __float__(self):
        return 2.5
    def __str__(self):
        return "layers"
    def dtype_of(self, dtype):
        return np.zeros(1, dtype)
    def whole(self, key):
        return key is ...

class Liar:
    def __len__(self):
        return "three"
    def __bool__(self):
        return 7
    def __getattr__(self, name):
        return getattr(self, name + "x")
    def forever(self):
        while True:
            pass
    def gone(self):
        import os
        os._exit(3)

def same(one):
    return one

def squares(n):
    for k in range(n):
        yield k * k

def crowd(n):
    return [object() for _ in range(n)]
"""


@pytest.fixture
def session(sandbox: Sandbox) -> Iterator[Session]:
    limits = Limits(cpu_seconds=1)
    with play(sandbox, SCALAR, ODD, GRADE, limits=limits) as session:
        yield session


@pytest.fixture
def student(session: Session) -> Student:
    return Student(session, "t")


# --- the same text for both sides ---


STEPS = st.tuples(st.sampled_from(["add", "mul", "number", "neg"]), st.integers(0, 9), st.integers(0, 9))


class _Reference:
    def __init__(self) -> None:
        exec(SCALAR, vars(self))


def expression(make: Any, steps: list[tuple[str, int, int]]) -> list[float]:
    """Build one graph after the steps, run it backwards, and read all values and gradients."""
    nodes = [make(0.5), make(-2.0), make(3.0)]
    for what, left, right in steps:
        one, other = nodes[left % len(nodes)], nodes[right % len(nodes)]
        if what == "number":
            nodes.append(2.0 * one + 1)
        elif what == "neg":
            nodes.append(-one)
        else:
            nodes.append(getattr(operator, what)(one, other))
    nodes[-1].backward()
    return [value for node in nodes for value in (node.data, node.grad)]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(STEPS, max_size=6))
def test_a_class_works_there_as_the_same_class_does_here(student: Student, steps: list[tuple[str, int, int]]) -> None:
    assert expression(student.Scalar, steps) == expression(_Reference().Scalar, steps)


def test_what_is_plain_comes_as_data_and_all_else_stays(student: Student) -> None:
    a = student.Scalar(2.0)
    assert (type(a), a.data, type(a.data)) == (Remote, 2.0, float)
    assert [type(part) for part in (a + 1)._parents] == [Remote, Remote]
    assert repr(a) == "<the notebook's Scalar>"


def test_attributes_are_set_and_deleted_there(student: Student) -> None:
    a = student.Scalar(2.0)
    a.grad = 5.0
    a.layers = student.Layers(1)
    assert (a.grad, len(a.layers)) == (5.0, 1)
    del a.grad
    assert student.error(lambda: a.grad).type == "AttributeError"


def test_what_belongs_to_the_class_is_asked_of_the_class(student: Student) -> None:
    before = student.Scalar.made
    assert student.Scalar.zero().data == 0.0
    assert student.Scalar.made == before + 1


def test_equal_is_who_is_the_very_same_object_there(student: Student) -> None:
    one, other = student.Layers(1), student.Layers(1)
    assert one != other
    assert student.same(one) == one
    assert student.same([other])[0] in {other}
    assert (one.items == student.same(one).items, one == 3, one == None) == (True, False, False)  # noqa: E711


def test_items_slices_length_and_membership(student: Student) -> None:
    layers = student.Layers(1, 2, 3)
    layers[0] = 7
    del layers[1]
    assert (layers[0], layers[-1], len(layers), 3 in layers, 2 in layers) == (7, 3, 2, True, False)
    assert layers[1:].items == [3]
    assert layers[:].items == [7, 3]
    assert layers.whole(...) is True


def test_calls_operators_and_conversions(student: Student) -> None:
    layers = student.Layers(1)
    assert layers(2.0, scale=3) == 7.0
    assert layers @ 2 == ("matmul", 2)
    assert str(layers) == "layers"
    assert (float(layers), bool(layers)) == (2.5, False)
    same = layers
    layers += 5
    assert (layers == same, same.items) == (True, [1, 5])


def test_numpy_leaves_an_operator_to_the_object(student: Student) -> None:
    kind, array = np.ones(2) @ student.Layers(1)
    assert (kind, array.tolist()) == ("rmatmul", [1.0, 1.0])
    assert (np.float64(2.0) * student.Scalar(3.0)).data == 6.0


def test_comparisons_are_those_of_the_class(student: Student) -> None:
    assert (student.Scalar(1.0) < student.Scalar(2.0)) is True
    assert student.error(lambda: student.Scalar(1.0) >= student.Scalar(2.0)).type == "TypeError"


def test_iteration_takes_one_item_after_the_other(student: Student) -> None:
    squares = student.squares(3)
    assert next(iter(squares)) == 0
    assert list(squares) == [1, 4]
    assert list(student.Layers(4, 5)) == [4, 5]


def test_dtypes_cross(student: Student) -> None:
    assert student.Layers().dtype_of(np.float32).dtype == np.float32
    assert student.Layers().dtype_of(np.dtype("int16")).dtype == np.int16


def test_a_function_of_the_students_is_passed_on_as_itself(student: Student) -> None:
    squares = student.same(student.squares)
    assert list(squares(2)) == [0, 1]


def test_copies_are_made_there(student: Student) -> None:
    layers = student.Layers(1)
    other = copy.deepcopy(layers)
    other.items.append(2)  # a list is data: what comes is a copy
    other += 3
    assert (layers.items, other.items) == ([1], [1, 3])


# --- what goes wrong is the student's ---


def failure(student: Student, use: Any) -> tuple[Status, str]:
    with pytest.raises(StudentFailure) as caught:
        use()
    return caught.value.status, str(caught.value)


def test_an_error_of_a_method_is_told_with_its_line(student: Student) -> None:
    a = student.Scalar("two")
    status, message = failure(student, lambda: a * a)
    assert status is Status.ERROR
    assert message.startswith("TypeError: can't multiply sequence by non-int of type 'str' (cell 1, line 24: out = ")


def test_what_an_object_cannot_do_is_the_students_error(student: Student) -> None:
    a = student.Scalar(1.0)
    uses = [lambda: a[0], lambda: a(1), lambda: len(a), lambda: list(a), lambda: 1 in a, lambda: a @ a, lambda: a.no]
    for use in uses:
        assert failure(student, use)[0] is Status.ERROR


def test_lies_about_itself_are_refused(student: Student) -> None:
    liar = student.Liar()
    assert failure(student, lambda: len(liar))[0] is Status.ERROR  # Python itself asks for an int
    assert failure(student, lambda: bool(liar))[0] is Status.ERROR
    assert failure(student, lambda: liar.anything)[1].startswith("RecursionError")


def test_an_operation_that_never_returns_is_a_time_out(student: Student) -> None:
    assert failure(student, student.Liar().forever)[0] is Status.TIMEOUT
    assert student.Scalar(1.0).data == 1.0


def test_an_operation_that_ends_the_process_is_a_crash(student: Student) -> None:
    assert failure(student, student.Liar().gone)[0] is Status.CRASHED


def test_an_iteration_without_end_is_a_time_out(sandbox: Sandbox) -> None:
    cell = "class Endless:\n    __iter__ = lambda self: iter(int, 1)\n    __len__ = lambda self: 1 << 50"
    large = "import numpy as np\n\nclass Large:\n    __iter__ = lambda self: (np.ones(1 << 20) for _ in range(1 << 20))"
    with play(sandbox, cell, large, GRADE) as session:
        student = Student(session, "t")
        for kind in (student.Endless, student.Large):
            with pytest.raises(StudentFailure, match=r"was not done after 10000 items \(64 MiB\)") as caught:
                for _ in kind():
                    pass
            assert caught.value.status is Status.TIMEOUT
        for ask in (list, len):
            with pytest.raises(Mismatch, match="its length is more than any right answer has"):
                ask(student.Endless())


def test_more_objects_than_may_cross_are_a_wrong_result(sandbox: Sandbox) -> None:
    with play(sandbox, SCALAR, ODD, GRADE, limits=Limits()) as session:
        student = Student(session, "t")
        assert len(student.crowd(5_000)) == 5_000
        with pytest.raises(Mismatch, match="returned more data than any right answer has"):
            student.crowd(1_000_000)
        assert student.Scalar(1.0).data == 1.0


def test_an_error_that_must_come_is_caught_from_methods_and_functions(student: Student) -> None:
    raised = student.error(student.Layers(1).dtype_of, "no dtype")
    assert (raised.type, "no dtype" in raised.message) == ("TypeError", True)
    with pytest.raises(Mismatch, match="raised no error here"):
        student.error(lambda: student.Scalar(1.0) + 1)


# --- a whole exercise ---

TOML = """
title = "Scalars"
[tasks.scalar]
title = "Scalar"
points = 4
functions = ["Scalar"]
"""

HIDDEN = """
from autograder.testing import assert_close, require, task


def graph(lib, a, b):
    nodes = [lib.Scalar(a), lib.Scalar(b)]
    out = nodes[0] * nodes[1] + nodes[0] * 3 + -nodes[1]
    out.backward()
    return [out.data, *(node.grad for node in nodes)]


@task("scalar")
def test_gradients(student, reference, rng):
    \"\"\"Gradients\"\"\"
    a, b = map(float, rng.standard_normal(2))
    for name, mine, right in zip(("out", "da", "db"), graph(student, a, b), graph(reference, a, b)):
        assert_close(mine, right, what=name)


@task("scalar")
def test_sums(student):
    \"\"\"A sum\"\"\"
    assert_close((student.Scalar(1.0) + student.Scalar(2.0)).data, 3.0)


@task("scalar")
def test_errors(student):
    \"\"\"What cannot be added\"\"\"
    require(student.error(lambda: student.Scalar(1.0) + None).type == "TypeError", "None is no number")


@task("scalar")
def test_parents(student):
    \"\"\"The graph\"\"\"
    a = student.Scalar(1.0)
    require(a in list((a + 1)._parents), "a should be a parent of a + 1")
"""

WRONG = """
\'\'\'A gradient is set and not added up.\'\'\'
hint = "What if a node is used twice?"
loses = ["scalar"]


class Scalar(Scalar):
    def __mul__(self, other):
        other = other if isinstance(other, Scalar) else Scalar(other)
        out = Scalar(self.data * other.data, (self, other))
        def back():
            self.grad = other.data * out.grad
            other.grad = self.data * out.grad
        out._backward = back
        return out

    __rmul__ = __mul__
"""


@pytest.fixture
def built(tmp_path: Path) -> Built:
    folder = tmp_path / "scalars"
    (folder / "wrong").mkdir(parents=True)
    solution = f"### BEGIN SOLUTION\n{SCALAR}\n### END SOLUTION"
    cells = f'# %% setup=true\nfrom checks import check\n\n# %% task="scalar"\n{solution}'
    texts = {
        "exercise.toml": TOML,
        "notebook.py": f'{cells}\n\n# %% grade="scalar"\ncheck("scalar")\n',
        "test_public.py": "",
        "test_hidden.py": HIDDEN,
        "wrong/set_and_not_added.py": WRONG.lstrip(),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return build(Exercise(folder))


def report(grader: Grader, built: Built, notebook: NotebookNode) -> Report:
    return grader.evaluate(nbformat.writes(notebook).encode(), SeededExercise(built, 1)).report


def statuses(one: Report) -> list[Status]:
    return [test.status for test in one.tasks[0].tests]


def test_a_right_class_has_all_points(grader: Grader, built: Built) -> None:
    assert statuses(report(grader, built, solved(built))) == [Status.PASSED] * 4


def test_a_known_mistake_in_a_method_is_recognised_when_a_student_makes_it(grader: Grader, built: Built) -> None:
    theirs = SCALAR.replace("self.grad += other.data * out.grad", "self.grad = out.grad * other.data")
    theirs = theirs.replace("other.grad += self.data * out.grad", "other.grad = out.grad * self.data")
    one = report(grader, built, solved_by(built, variant("work", theirs)))
    assert statuses(one) == [Status.FAILED, *[Status.PASSED] * 3]
    assert [mistake.name for mistake in one.tasks[0].mistakes] == ["set_and_not_added"]


GONE = "the test goes on with `.backward`, but what came is None"


@pytest.mark.parametrize(
    ("old", "new", "status", "message"),
    [
        ("class Scalar", "class Skalar", Status.MISSING, "there is no function `Scalar`"),
        ("self.data + other.data", "self.date + other.data", Status.ERROR, "AttributeError: 'Scalar' object has no"),
        ("    __radd__", "    __nothing__", Status.PASSED, ""),
        ("visit(self)", "raise NotImplementedError('not written yet')", Status.MISSING, "`Scalar.backward` is not wr"),
        ("visit(self)", "import os; os._exit(0)", Status.CRASHED, "it ended the notebook's process (exit code 0)"),
        ("self.data, self.grad", "self.data, self.slope", Status.ERROR, "AttributeError"),
        ("out = Scalar(self.data + other.data", "return None; out = Scalar(self.data", Status.ERROR, GONE),
        ("out = Scalar(self.data + other.data", "return 3.0; out = Scalar(self.data", Status.ERROR, GONE[:-4]),
        ("def backward(self):", "def backward(self, seed):", Status.ERROR, "TypeError: Scalar.backward() missing 1"),
    ],
)
def test_what_is_wrong_with_a_class_is_said_in_words(
    grader: Grader, built: Built, old: str, new: str, status: Status, message: str
) -> None:
    assert old in SCALAR
    notebook = solved(built)
    next(cell for cell in notebook.cells if cell.id == "scalar-code").source = SCALAR.replace(old, new)
    one = report(grader, built, notebook)
    assert (one.tasks[0].tests[0].status, one.fault) == (status, "")
    assert one.tasks[0].tests[0].message.startswith(message)
    assert not one.ungraded
