"""Right functions in the place of a student's wrong ones: the reference's, asked in a process of its own.

The student's code chooses the arguments, so the reference that answers runs as a student's code does, shut in and
within limits, but in a process that is not the student's. Only values cross.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any, Self

from autograder.errors import ExerciseError
from autograder.exercise.built import Built
from autograder.exercise.definition import Limits
from autograder.isolation.callbacks import Function, Opaque, PassedOn
from autograder.isolation.process import ProcessEnded
from autograder.isolation.replies import Answer, Raised, Value
from autograder.isolation.sandbox import Sandbox
from autograder.isolation.session import FINAL, Session
from autograder.submission.samples import graded_cells, solved
from autograder.values import Handle


class Oracle:
    """The reference functions of an exercise. sandbox: another one than the student's. Use as a context manager."""

    def __init__(self, sandbox: Sandbox, limits: Limits, built: Built) -> None:
        self._session = Session(sandbox, limits, graded_cells(solved(built), built), built.working_files)
        self._calls = 0

    def functions(self, names: Collection[str]) -> Mapping[str, Function]:
        """By name, what to call in the place of the student's. What the reference raises is `PassedOn`."""
        return {name: partial(self._call, name) for name in names}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()

    def _call(self, name: str, *arguments: Any, **keywords: Any) -> Any:
        message = {"do": "call", "state": FINAL, "name": name}
        given = {"arguments": _known(list(arguments)), "keywords": _known(keywords)}
        match self._answer(message | given):
            case Value(value):
                return _opaque(value)
            case Raised() as raised:
                raise PassedOn(raised.type, raised.message)
        raise PassedOn("RuntimeError", "this call has no result")

    def _answer(self, message: dict[str, Any]) -> Answer | None:
        """None where there is none for these arguments: they took too long, or too much."""
        self._calls += 1
        while True:
            try:
                return self._session.request(message)
            except ProcessEnded:
                if not self._session.excuses(self._calls):
                    return None


def reference_variables(sandbox: Sandbox, built: Built) -> dict[str, dict[str, Any]]:
    """What the variables that tasks ask for are at their grade cells in the reference, by task.

    Errors: ExerciseError where one is no plain data, or the reference does not come to it.
    """
    cells = graded_cells(solved(built), built)
    with Session(sandbox, built.exercise.limits, cells, built.working_files) as session:
        return {
            task: {name: _looked_up(session, task, name, built) for name in names}
            for task, names in built.exercise.variables.items()
        }


def _looked_up(session: Session, task: str, name: str, built: Built) -> Any:
    try:
        answer = session.request({"do": "look", "state": task, "name": name})
    except ProcessEnded as ended:
        raise ExerciseError(f"{built.exercise.notebook_source}: no `{name}` of the reference: {ended.reason}") from None
    if isinstance(answer, Value) and not isinstance(answer.value, Handle):
        return answer.value
    what = "is no number, array, tensor or text" if isinstance(answer, Value) else "is not there at the grade cell"
    raise ExerciseError(f"{built.exercise.notebook_source}: the variable `{name}` of task `{task}` {what}")


def _opaque(value: Any) -> Any:
    """With what cannot cross known to the student's code by number alone."""
    if isinstance(value, Handle):
        return Opaque(value.handle_number)
    return _rebuilt(_opaque, value)


def _known(value: Any) -> Any:
    """The other way."""
    if isinstance(value, Opaque):
        return Handle(value.number, "")
    return _rebuilt(_known, value)


def _rebuilt(function: Function, value: Any) -> Any:
    if type(value) is list or type(value) is tuple:
        return type(value)(map(function, value))
    if type(value) is dict:
        return {key: function(item) for key, item in value.items()}
    return value
