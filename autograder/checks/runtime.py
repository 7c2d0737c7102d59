"""What `check("...")` and `needs("...")` do in a notebook: the part that all `checks.py` share.

The build writes the constant `TASKS` and the sources of values.py and compare.py above this text, and
the public tests of the exercise below it. A public test takes one argument, an `OwnNotebook`.
"""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from traceback import format_exception_only, walk_tb
from types import FrameType
from typing import Any, TypeVar

import numpy as np

from autograder.checks.compare import Mismatch
from autograder.values import (
    as_base,
    differentiable,
    error_type,
    is_tensor,
    layout_of,
    module_gradients,
    vector_jacobian,
)

Test = TypeVar("Test", bound=Callable[..., None])

_TESTS: dict[str, list[Callable[..., None]]] = {}
_LONGEST_MESSAGE = 600
_MOST_PARTS = 1000  # of a result that are known again when a test passes them on


class CheckFailed(AssertionError):
    """Raised under nbgrader's Validate button, which looks for an error in the cell."""

    def _render_traceback_(self) -> list[str]:
        """Let IPython show the message alone: the frames would all be ours."""
        return [f"{type(self).__name__}: {self}"]


class NotGraded(RuntimeError):
    """The notebook is being autograded without the grader."""

    def __init__(self) -> None:
        super().__init__(
            "this notebook was run without the course's grader plug-in, because its configuration "
            "is missing or broken. The score 0 means nothing: do not record it. To fix it, start "
            "nbgrader in the course folder whose nbgrader_config.py loads grader_config.py, and "
            "autograde again."
        )


def task(name: str, weight: float = 1) -> Callable[[Test], Test]:
    """Enter a public test under its task. One of weight 0 is told of only where it finds a fault.

    Hidden tests have the same mark from testing.py, where pytest reads it.
    """

    def enter(test: Test) -> Test:
        _TESTS.setdefault(name, []).append(test)
        vars(test)["is_quiet"] = not weight
        return test

    return enter


def check(name: str) -> None:
    """Run the public tests of a task on this notebook's functions, and print what they found."""
    mode = os.environ.get("NBGRADER_EXECUTION")
    if mode == "autograde":
        raise NotGraded
    tasks = _tasks()
    if name not in tasks:
        raise ValueError(f"there is no task {name!r}; the tasks are {', '.join(map(repr, tasks))}")
    result = _result([*tasks[name]["functions"], *tasks[name].get("variables", ())], _TESTS.get(name, []))
    print("\n".join(result.lines(tasks[name]["title"], tasks[name]["hint"])))
    if mode == "validate" and not result.passed:
        raise CheckFailed(result.headline(tasks[name]["title"]))


@contextmanager
def needs(*names: str) -> Iterator[None]:
    """Run a cell's block, or say what it waits for where a function is not written yet.

    names: the student's functions that the block uses. All other errors go through.
    """
    try:
        yield
    except (NotImplementedError, NameError) as error:
        waiting = _stub(error) or _undefined(error, names)
        if waiting is None:
            raise
        missing = dict.fromkeys([waiting, *(name for name in names if not _is_defined(name))])
        print(f"This cell waits for {', '.join(f'`{name}`' for name in missing)}: not written yet.")


def _tasks() -> dict[str, dict[str, Any]]:
    """Return TASKS: task name -> {"title": str, "functions", "variables" if any: lists of names, "hint": str}."""
    tasks: dict[str, dict[str, Any]] = globals()["TASKS"]
    return tasks


def _names(kind: str) -> list[str]:
    """Return what all tasks name: their "functions" or their "variables"."""
    return [name for spec in _tasks().values() for name in spec.get(kind, ())]


# --- what a public test sees ---


@dataclass(frozen=True)
class StudentError:
    """The error that a student's function raised; type: the nearest of Python's own types that it is."""

    type: str
    message: str


class OwnNotebook:
    """The student's functions, found by name in the notebook at the time of the call.

    Arguments are copied for each call, so that a function that writes into them cannot change
    what the test compares with. What `put` returns is the exception, and what came from the
    notebook itself: it goes back as the very object that it is there.
    """

    def __init__(self) -> None:
        self._own: list[tuple[object, object]] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _found(name) if name in _names("variables") else _Defined(self, name)

    def _call(self, name: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        result = _found(name)(
            *(_copied(argument, self._own) for argument in arguments),
            **{key: _copied(option, self._own) for key, option in options.items()},
        )
        self._own += [(part, part) for part in _parts(result)]
        seen = as_base(result)
        self._own.append((seen, result))
        return seen

    def put(self, value: Any) -> Any:
        """Return a copy of `value` that is passed on as it is, to see whether it gets modified."""
        kept = _copied(value)
        self._own.append((kept, kept))
        return kept

    def get(self, handle: Any) -> Any:
        """Return what `put` gave, with all that has happened to it."""
        return handle

    def error(self, call: str | Callable[..., Any], *arguments: Any, **options: Any) -> StudentError:
        """Return the error that a call, by a function's name or of itself, raises; Mismatch if it raises none."""
        name = call if isinstance(call, str) else getattr(call, "__name__", "this")
        try:
            (getattr(self, call) if isinstance(call, str) else call)(*arguments, **options)
        except (_UndefinedError, Mismatch):
            raise
        except Exception as error:
            if _stub(error):
                raise
            return StudentError(error_type(error), str(error))
        raise Mismatch(f"`{name}` should refuse this call with an error, yours returns a value")

    def gradients(
        self, call: str | Callable[..., Any], *arguments: Any, upstream: Any = None
    ) -> tuple[Any, tuple[Any, ...]]:
        """Return what a torch function returns, and a gradient or None for each argument.

        call: the name of a function, or an object that can be called. upstream: the tensor to
        multiply the Jacobian by, all ones if None.
        """
        torch: Any = sys.modules["torch"]
        leaves = [differentiable(_copied(argument)) for argument in arguments]
        with torch.enable_grad():
            out = (_found(call) if isinstance(call, str) else call)(*leaves)
        return out, tuple(vector_jacobian(out, leaves, upstream))

    def module_gradients(
        self, module: Any, *inputs: Any, upstream: Any = None
    ) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """Return as `gradients` for a PyTorch module, and the gradients at its parameters by name."""
        torch: Any = sys.modules["torch"]
        with torch.enable_grad():
            out, gradients, parameters = module_gradients(module, inputs, upstream)
        return out, tuple(gradients), parameters

    layout = staticmethod(layout_of)


class _Defined:
    """A function or class of the notebook, by its name."""

    def __init__(self, notebook: OwnNotebook, name: str) -> None:
        self.__name__ = name
        self._notebook = notebook

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._notebook._call(self.__name__, arguments, options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(_found(self.__name__), name)


def _copied(value: Any, own: Sequence[tuple[object, object]] = ()) -> Any:
    """Return a copy of arrays, tensors and what holds them; all else stays itself.

    own: pairs of a value as a test has it, and the notebook's own object, which is passed on.
    """
    for seen, itself in own:
        if value is seen:
            return itself
    if type(value) in (list, tuple):
        return type(value)(_copied(item, own) for item in value)
    if type(value) is dict:
        return {key: _copied(item, own) for key, item in value.items()}
    if is_tensor(value):
        return value.detach().clone()
    return value.copy() if type(value) is np.ndarray else value


def _parts(value: Any) -> list[object]:
    """Return what lies in lists, tuples and dicts and may be written into, those themselves too."""
    parts: list[object] = []
    left = [value]
    while left and len(parts) < _MOST_PARTS:
        one = left.pop()
        items = list(one.values()) if type(one) is dict else list(one) if type(one) in (list, tuple) else []
        if items or is_tensor(one) or type(one) is np.ndarray:
            parts.append(one)
        left += items
    return parts


# --- running tests ---


class _UndefinedError(Exception):
    """A test calls a function that the notebook does not define."""


@dataclass(frozen=True)
class _Finding:
    """What one public test found: a fault, or what it waits for, or neither."""

    sentence: str
    fault: str = ""
    waits_for: str = ""

    @property
    def passed(self) -> bool:
        return not (self.fault or self.waits_for)

    @property
    def mark(self) -> str:
        return "✓" if self.passed else "✗" if self.fault else "·"


@dataclass(frozen=True)
class _Result:
    """What the public tests of a task found. waiting: what keeps some of them from running."""

    findings: list[_Finding]
    waiting: list[str]

    @property
    def passed(self) -> bool:
        return not self.waiting and all(finding.passed for finding in self.findings)

    @property
    def _untouched(self) -> bool:
        return bool(self.waiting) and all(finding.waits_for for finding in self.findings)

    def headline(self, title: str) -> str:
        if self._untouched:
            return f"{title}: {', '.join(self.waiting)}."
        if not self.findings:
            return f"{title}: there is nothing to run here, it is graded after you hand it in."
        passed = sum(finding.passed for finding in self.findings)
        return f"{title}: {passed} of {len(self.findings)} checks pass."

    def lines(self, title: str, hint: str) -> Iterator[str]:
        """Yield a line for each test, the first fault below its test, and the hint at the end."""
        yield self.headline(title)
        if self._untouched:
            return
        first_fault = next((finding for finding in self.findings if finding.fault), None)
        for finding in self.findings:
            yield f"  {finding.mark} {finding.sentence}"
            if finding is first_fault:
                yield textwrap.indent(finding.fault, " " * 6)
        if self.waiting:
            yield f"  {', '.join(self.waiting)}."
        if first_fault and hint:
            yield f"Hint: {hint}"


def _result(functions: Sequence[str], tests: Sequence[Callable[..., None]]) -> _Result:
    findings = [one for test in tests if (one := _run(test)).fault or not vars(test)["is_quiet"]]
    undefined = [_not_defined(name) for name in functions if not _is_defined(name)]
    waiting = [*undefined, *(finding.waits_for for finding in findings if finding.waits_for)]
    return _Result(findings, list(dict.fromkeys(waiting)))


def _run(test: Callable[..., None]) -> _Finding:
    sentence = (test.__doc__ or test.__name__).strip().splitlines()[0]
    try:
        test(OwnNotebook())
    except Mismatch as mismatch:
        return _Finding(sentence, fault=str(mismatch))
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        waits_for = _waits_for(error)
        return _Finding(sentence, "" if waits_for else _student_error(error), waits_for)
    return _Finding(sentence)


def _waits_for(error: BaseException) -> str:
    """Say which function of the student's is not there yet, if that is what the error is about."""
    if stub := _stub(error):
        return f"`{stub}` is not written yet"
    every = _names("functions") + _names("variables")
    name = str(error) if isinstance(error, _UndefinedError) else _undefined(error, every)
    return _not_defined(name) if name else ""


def _not_defined(name: str) -> str:
    return f"`{name}` is not defined yet"


# --- the notebook ---


def _notebook() -> dict[str, Any]:
    """Return the variables of the running notebook."""
    return vars(sys.modules["__main__"])


def _is_defined(name: str) -> bool:
    return name in _notebook() if name in _names("variables") else callable(_notebook().get(name))


def _found(name: str) -> Any:
    """Return the function, class or variable of this name. Errors: _UndefinedError."""
    if not _is_defined(name):
        raise _UndefinedError(name)
    return _notebook()[name]


def _stub(error: BaseException) -> str | None:
    """Return the name of the notebook's function that says it is not written yet, else None.

    Libraries raise NotImplementedError too, so both the message and the place have to fit.
    """
    if type(error) is not NotImplementedError or str(error) not in ("", "not written yet"):
        return None
    *_, (frame, _) = walk_tb(error.__traceback__)
    name = _function_name(frame)
    return name if frame.f_globals is _notebook() and name != "<module>" else None


def _undefined(error: BaseException, names: Sequence[str]) -> str | None:
    """Return which of `names` is the one whose lack the error is about, else None."""
    name = error.name if type(error) is NameError else None
    return name if name in names else None


def _student_error(error: BaseException) -> str:
    """Say what a student's code raised, and in which line of the student's cell."""
    message = "".join(format_exception_only(error)).strip()[:_LONGEST_MESSAGE]
    steps = [step for step in walk_tb(error.__traceback__) if step[0].f_globals is _notebook()]
    if not steps:
        return message
    frame, line = steps[-1]
    return f"{message}\n(in line {line} of the cell that defines `{_function_name(frame)}`)"


def _function_name(frame: FrameType) -> str:
    """Return the function that a frame runs; the outermost one for a function within it."""
    return frame.f_code.co_qualname.split(".")[0]
