"""Whether an exception in a test's own code is about what the student's code gave it: then it is no fault of the test.

A test that goes on with an object finds None or a number where the method gave that. Only this is taken as certain: the
test asked a value of the student's for an attribute that values of its type do not have, or worked with None where the
student's code has given None. All else leaves the task ungraded, for a person to look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograder.grading.trace import Trace
from autograder.isolation.replies import Value
from autograder.values import type_name


def told_of_value(error: BaseException, trace: Trace) -> str:
    """What the student gave where an object should have come; nothing where it may be the test's own fault.

    trace: what the student's code gave in this test.
    """
    given = [value for item in trace if isinstance(item, Value) for value in _parts(item.value)]
    if isinstance(error, AttributeError) and any(error.obj is value for value in given):
        kind = "None" if error.obj is None else f"a value of type {type_name(error.obj)}"
        return f"the test goes on with `.{error.name}`, but what came is {kind}"
    if isinstance(error, TypeError) and "NoneType" in str(error) and any(one is None for one in given):
        return "the test goes on with what should have come, but what came is None"
    return ""


def _parts(value: Any) -> Iterator[Any]:
    yield value
    if isinstance(value, list | tuple | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _parts(part)
