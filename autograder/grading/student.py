"""What hidden tests call `student`: the functions of one submission, in the student's process.

    student.residual(x, f)                  call a function; the result crosses by value
    student.put(x), student.get(handle)     keep a value on the student's side, look at it again
    student.error("residual", x, f)         the exception that a call must raise
    student.gradients("block", *tensors, upstream=g)    the result and its vector-Jacobian products

A call that does not come back with a value raises `StudentFailure`, which the suite turns into a status.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from functools import wraps
from typing import Any, NoReturn

from msgspec.structs import replace

from autograder.checks.compare import Mismatch
from autograder.grading.reasons import is_unwritten, told, why_missing, why_unwritten
from autograder.grading.trace import Recorder
from autograder.isolation.process import ProcessEnded
from autograder.isolation.replies import Answer, Missing, Raised, TooLarge, Value
from autograder.isolation.session import Session
from autograder.report import Status
from autograder.scrub import scrub
from autograder.values import Handle, form_of


class StudentFailure(Exception):
    """The student's code gave no value. `status` is ERROR, TIMEOUT, CRASHED or MISSING; the text is for the student.

    call: which call of the test, from 1, it was that ended the process.
    """

    def __init__(self, status: Status, message: str, call: int = 0) -> None:
        super().__init__(message)
        self.status = status
        self.call = call


class Student:
    """The handle of one hidden test of `task` on the functions of the notebook in one of its states, as `Session` has
    them; by default as it stood at the task's grade cell.

    Everything that comes from the student's process is put down by `recorder`, too; the dtypes of the arrays and
    tensors that go there in `dtypes`. functions: those that the task asks for; all by default. That another one is not
    written is an error of this task, which needs it.
    """

    def __init__(
        self,
        session: Session,
        task: str,
        recorder: Recorder | None = None,
        dtypes: set[str] | None = None,
        state: str | None = None,
        functions: Container[str] | None = None,
    ) -> None:
        self._session = session
        self._task = task
        self._state = task if state is None else state
        self._functions = functions
        self._recorder = recorder or Recorder()
        self._calls = 0
        self._dtypes: set[str] = set() if dtypes is None else dtypes

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)

        def call(*arguments: Any, **keywords: Any) -> Any:
            return self._value(name, self._call(name, arguments, keywords))

        return call

    def error(self, name: str, *arguments: Any, **keywords: Any) -> Raised:
        """The exception that the call raises; its `type` is the nearest of Python's own types, so that of a subclass of
        ValueError is "ValueError". Errors: Mismatch where it raises none.
        """
        answer = self._call(name, arguments, keywords)
        if isinstance(answer, Raised) and not is_unwritten(answer):
            return replace(answer, message=scrub(answer.message), where=scrub(answer.where))
        self._value(name, answer)
        raise Mismatch(f"`{name}` raised no error here")

    def put(self, value: Any) -> Handle:
        """Keep a copy of `value` in the student's process."""
        handle = self._value("put", self._ask({"do": "keep", "value": value}))
        if not isinstance(handle, Handle):
            self._tampered()
        return handle

    def get(self, handle: Handle) -> Any:
        """What the value behind `handle` is now."""
        return self._value("get", self._ask({"do": "fetch", "value": handle}))

    def gradients(self, name: str, *arguments: Any, upstream: Any = None) -> tuple[Any, tuple[Any, ...]]:
        """The result for copies of the tensors that require gradients, and the gradient or None for each argument.

        upstream: the gradient at the result; all ones by default.
        """
        message = {"do": "gradients", "name": name, "arguments": list(arguments), "upstream": upstream}
        answer = self._value(name, self._ask(message | {"state": self._state}))
        match answer:
            case (result, [*gradients]) if len(gradients) == len(arguments):
                return result, tuple(gradients)
        self._tampered()

    def _call(self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Answer:
        heard = {key: self._overheard(value) for key, value in keywords.items()}
        message = {"do": "call", "state": self._state, "name": name, "keywords": heard}
        return self._ask(message | {"arguments": [self._overheard(argument) for argument in arguments]})

    def _overheard(self, argument: Any) -> Any:
        """A function of the test's, made to put down what it is given."""
        if not callable(argument):
            return argument

        @wraps(argument, updated=())
        def call(*given: Any, **named: Any) -> Any:
            self._recorder.put_down((*given, named) if named else given)
            return argument(*given, **named)

        return call

    def _ask(self, message: dict[str, Any]) -> Answer:
        forms = map(form_of, _flat(message))
        self._dtypes |= {form.dtype for form in forms if form and form.kind != "number"}
        self._calls += 1
        try:
            answer = self._session.request(message)
        except ProcessEnded as ended:
            raise StudentFailure(ended.status, ended.reason, self._calls) from None
        self._recorder.put_down(answer)
        return answer

    def _value(self, name: str, answer: Answer) -> Any:
        match answer:
            case Value(value):
                return value
            case Missing():
                raise self._not_there(name, *why_missing(self._session, self._task, name))
            case TooLarge():
                raise Mismatch(f"`{name}` returned more data than any right answer has")
            case Raised() if is_unwritten(answer):
                raise self._not_there(name, *why_unwritten(self._session, name, answer))
            case Raised():
                raise StudentFailure(Status.ERROR, told(answer))

    def _not_there(self, name: str, status: Status, reason: str) -> StudentFailure:
        is_own = self._functions is None or name in self._functions
        return StudentFailure(status if is_own or status is not Status.MISSING else Status.ERROR, reason)

    def _tampered(self) -> NoReturn:
        raise StudentFailure(Status.CRASHED, "the notebook's process answered with something that is no answer")


def _flat(value: Any) -> Iterator[Any]:
    """A value, or what is in it."""
    if isinstance(value, dict):
        yield from _flat(list(value.values()))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _flat(one)
    else:
        yield value
