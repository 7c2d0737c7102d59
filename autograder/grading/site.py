"""Where the calls of a hidden test go: one state of one notebook, in the student's process.

A request that does not come back with a value raises `StudentFailure`, which the suite turns into a status.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, NoReturn

from autograder.checks.compare import Mismatch, require
from autograder.grading.reasons import is_unwritten, told, why_missing, why_unwritten
from autograder.grading.remote import Plain, Remote
from autograder.grading.trace import Recorder
from autograder.isolation.callbacks import size_of
from autograder.isolation.process import ProcessEnded
from autograder.isolation.replies import Answer, Missing, Raised, TooLarge, Value
from autograder.isolation.session import Session
from autograder.report import Status
from autograder.values import Handle, form_of

_ITEMS, _ITEMS_MIB = 10_000, 64  # of one iteration; as of calls back in one call
_LONGEST = 1 << 24
_ENDLESS = "an iteration over it was not done"


class StudentFailure(Exception):
    """The student's code gave no value. `status` is ERROR, TIMEOUT, CRASHED or MISSING; the text is for the student.

    call: which call of the test, from 1, it was that ended the process. raised: the exception of the student's code.
    """

    def __init__(self, status: Status, message: str, call: int = 0, raised: Raised | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.call = call
        self.raised = raised


class HasNoLength(StudentFailure, TypeError):
    """As Python says it, so that `list(...)` goes on without one."""


@dataclass(kw_only=True)
class Site:
    """One state of a notebook, as `Session` has it, for a hidden test of `task`.

    All that comes from the student's process is put down by `recorder`; the dtypes of the arrays and tensors that go
    there in `dtypes`. own: the names that the task asks for, None for all. That another one is not written is an error
    of this task, which needs it.
    """

    session: Session
    task: str
    state: str
    recorder: Recorder
    dtypes: set[str]
    own: Container[str] | None
    calls: int = field(default=0, init=False)

    def call(self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """What a function or class of the notebook comes to."""
        return self.request(name, "call", name=name, **self._heard(arguments, keywords))

    def look(self, name: str) -> Any:
        """What a name of the notebook stands for."""
        answer = self.ask({"do": "look", "state": self.state, "name": name})
        if isinstance(answer, Missing):
            raise self._not_there(name, *why_missing(self.session, self.task, name, "variable"))
        return self._value(name, answer)

    def apply(self, function: str, *arguments: Any, **keywords: Any) -> Any:
        """What a function of Python's own, named as "operator.add", comes to there."""
        return self.request(function.partition(".")[2], "apply", function=function, **self._heard(arguments, keywords))

    def apply_plain(self, kind: type[Plain], function: str, *arguments: Any) -> Plain:
        """The same where Python itself makes sure that it comes to a value of this kind."""
        value = self.apply(function, *arguments)
        return value if type(value) is kind else self.tampered()

    def length_of(self, value: Any) -> int:
        """Errors: Mismatch where Python, which takes room for a list by such a length, might find none."""
        try:
            length = self.apply_plain(int, "builtins.len", value)
        except StudentFailure as failure:
            if failure.raised and failure.raised.type == "TypeError":
                raise HasNoLength(failure.status, str(failure), raised=failure.raised) from None
            raise
        require(0 <= length <= _LONGEST, "its length is more than any right answer has")
        return length

    def items_of(self, value: Any) -> Iterator[Any]:
        """What an iteration over a value comes to. A test may keep all of it, so one without end is ended."""
        iterator, left, room = self.apply("builtins.iter", value), _ITEMS, _ITEMS_MIB << 20
        while True:
            try:
                item = self.apply("builtins.next", iterator)
            except StudentFailure as failure:
                if failure.raised and failure.raised.type == "StopIteration":
                    return
                raise
            left, room = left - 1, room - size_of(item)
            if min(left, room) < 0:
                raise StudentFailure(Status.TIMEOUT, f"{_ENDLESS} after {_ITEMS} items ({_ITEMS_MIB} MiB)")
            yield item

    def request(self, what: str, do: str, **given: Any) -> Any:
        """The value that the process answers with. what: as what the student knows that is asked for."""
        return self._value(what, self.ask({"do": do, "state": self.state, **given}))

    def ask(self, message: dict[str, Any]) -> Answer:
        forms = map(form_of, _flat(message))
        self.dtypes |= {form.dtype for form in forms if form and form.kind != "number"}
        self.calls += 1
        if isinstance(name := message.get("name"), str):
            self.recorder.asked.add(name)
        try:
            answer = self.session.request(message, self._remote)
        except ProcessEnded as ended:
            raise StudentFailure(ended.status, ended.reason, self.calls) from None
        self.recorder.put_down(answer)
        return answer

    def tampered(self) -> NoReturn:
        raise StudentFailure(Status.CRASHED, "the notebook's process answered with something that is no answer")

    def _remote(self, number: int, type_name: str) -> Remote:
        return Remote(number, type_name, self)

    def _heard(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
        heard = {key: self._overheard(value) for key, value in keywords.items()}
        return {"arguments": [self._overheard(argument) for argument in arguments], "keywords": heard}

    def _overheard(self, argument: Any) -> Any:
        """A function of the test's, made to put down what it is given; of the student's, what its name stands for."""
        if isinstance(argument, Defined):
            return self.look(argument.__name__)
        if not callable(argument) or isinstance(argument, Handle | type):
            return argument

        @wraps(argument, updated=())
        def call(*given: Any, **named: Any) -> Any:
            self.recorder.put_down((*given, named) if named else given)
            return argument(*given, **named)

        return call

    def _value(self, name: str, answer: Answer) -> Any:
        match answer:
            case Value(value):
                return value
            case Missing():
                raise self._not_there(name, *why_missing(self.session, self.task, name))
            case TooLarge():
                raise Mismatch(f"`{name}` returned more data than any right answer has")
            case Raised() if is_unwritten(answer):
                raise self._not_there(*why_unwritten(self.session, name, answer))
            case Raised():
                raise StudentFailure(Status.ERROR, told(answer, self.session.unused), raised=answer)

    def _not_there(self, name: str, status: Status, reason: str) -> StudentFailure:
        is_own = self.own is None or name in self.own
        return StudentFailure(status if is_own or status is not Status.MISSING else Status.ERROR, reason)


class Defined:
    """A function or class of the notebook, by its name: called, or asked for what belongs to the class."""

    def __init__(self, site: Site, name: str) -> None:
        self.__name__ = name
        self._site = site

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._site.call(self.__name__, arguments, keywords)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._site.look(self.__name__), name)


def _flat(value: Any) -> Iterator[Any]:
    """A value, or what is in it."""
    if isinstance(value, dict):
        yield from _flat(list(value.values()))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _flat(one)
    else:
        yield value
