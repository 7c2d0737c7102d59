"""What a student's function has returned and a test passes on is the student's own object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from autograder.grading.student import Student
from autograder.isolation.sandbox import Sandbox
from tests.sessions import GRADE, play

WORK = """
import numpy as np
from collections import namedtuple

Cache = namedtuple("Cache", "x W")
last = []

def forward(value):
    last.append(value)
    return value

def made(kind):
    return forward({
        "dict": {"x": np.ones(2)}, "list": [1, np.zeros(2)], "array": np.arange(3.0), "tuple": (np.ones(2), 1),
        "named tuple": Cache(np.ones(2), [1]), "nested": [{"a": (np.ones(1),)}], "bytes": b"kept", "set": {1, 2},
        "holds an object": {"x": object(), "y": np.ones(2)}, "nan": [float("nan"), np.array([np.nan])],
    }[kind])

def pair(kind):
    return np.ones(2), made(kind)

def is_it(value):
    return value is last[-1]

def call(f):
    x = np.ones(3)
    return f(x) is x, f([x])[0] is x

def both(a, b):
    return a is b
"""
KINDS = ["dict", "list", "array", "tuple", "named tuple", "nested", "bytes", "set", "holds an object", "nan"]


@pytest.fixture
def student(sandbox: Sandbox) -> Iterator[Student]:
    with play(sandbox, WORK, GRADE) as session:
        yield Student(session, "t")


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_goes_back_as_itself(student: Student, kind: str) -> None:
    assert student.is_it(student.made(kind)) is True


@pytest.mark.parametrize("kind", KINDS)
def test_so_does_a_part_of_a_result(student: Student, kind: str) -> None:
    _, part = student.pair(kind)
    assert student.is_it(part) is True


def test_what_a_test_has_changed_goes_as_the_test_has_it(student: Student) -> None:
    changes: dict[str, Any] = {
        "dict": lambda value: value.update(y=1),
        "list": lambda value: value.append(2),
        "array": lambda value: value.__setitem__(0, 7.0),
        "nested": lambda value: value[0]["a"][0].__setitem__(0, 7.0),
    }
    for kind, change in changes.items():
        value = student.made(kind)
        change(value)
        assert student.is_it(value) is False
        assert str(student.forward(value)) == str(value)


def test_a_copy_is_no_original(student: Student) -> None:
    assert student.is_it(student.made("array").copy()) is False


def test_a_part_that_is_unchanged_in_a_changed_whole_is_still_itself(student: Student) -> None:
    value = student.made("list")
    assert student.both(value[1], [*value, 3][1]) is True


def test_what_a_function_of_the_tests_gives_back_is_what_it_was_given(student: Student) -> None:
    assert student.call(lambda value: value) == (True, True)
    assert student.call(lambda value: [value[0]] if isinstance(value, list) else value.copy()) == (False, True)


def test_between_two_tests_all_is_forgotten(sandbox: Sandbox) -> None:
    with play(sandbox, WORK, GRADE) as session:
        student = Student(session, "t")
        value = student.made("array")
        session.forget_values()
        assert student.is_it(value) is False
        assert np.array_equal(student.forward(value), value)


def test_a_process_that_has_ended_has_nothing_of_its_own_back(sandbox: Sandbox) -> None:
    ends = "def ends():\n    import os\n    os._exit(1)"
    with play(sandbox, WORK, ends, GRADE) as session:
        student = Student(session, "t")
        value = student.made("array")
        with pytest.raises(Exception, match="ended"):
            student.ends()
        assert np.array_equal(student.forward(value), value)
