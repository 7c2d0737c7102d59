"""Objects of a student's that stay in its process: what a test does with them is done there, and as Python does it."""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.checks.compare import Mismatch
from autograder.exercise.definition import Limits
from autograder.grading.remote import Remote
from autograder.grading.site import StudentFailure
from autograder.grading.student import Student
from autograder.isolation.sandbox import Sandbox
from autograder.isolation.session import Session
from autograder.report import Status
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

HALF_WRITTEN = """
class Pair:
    def __init__(self, left):
        self.left = left
    def __add__(self, other):
        raise NotImplementedError("not written yet")
    def swap(self):
        # YOUR CODE HERE
        raise NotImplementedError("not written yet")

def other(x):
    raise NotImplementedError("not written yet")
"""


def test_a_method_that_is_not_written_is_named_with_its_class(sandbox: Sandbox) -> None:
    with play(sandbox, HALF_WRITTEN, GRADE) as session:
        student = Student(session, "t", functions=["Pair"])
        pair = student.Pair(1)
        assert failure(student, lambda: pair + pair) == (Status.MISSING, "`Pair.__add__` is not written yet")
        assert failure(student, pair.swap) == (Status.MISSING, "`Pair.swap` is not written yet")
        assert failure(student, lambda: student.other(1))[0] is Status.ERROR
        other_task = Student(session, "t", functions=["other"])
        assert failure(other_task, other_task.Pair(1).swap)[0] is Status.ERROR


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
