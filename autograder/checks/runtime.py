"""What `check("...")` and `needs("...")` do in a notebook: the part that all `checks.py` share.

The build writes the constants `TASKS` and `SETUP` and the sources that this one needs above this text, and the public
tests of the exercise and the constant `SEALED` below it. A public test takes one argument, an `OwnNotebook`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from autograder.checks.findings import Finding, finding_of
from autograder.checks.known_mistakes import keys_of, opened
from autograder.checks.modules import load_anew
from autograder.checks.names import (
    asked_of,
    is_defined,
    is_restarted,
    setup_to_run,
    stub_of,
    tasks,
    undefined_name,
    why_undefined,
)
from autograder.checks.showing import Overview, Result, show

Test = TypeVar("Test", bound=Callable[..., None])

_TESTS: dict[str, list[Callable[..., None]]] = {}
_FAILED_BEFORE: set[str] = set()  # tasks


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


def check(name: str | None = None) -> None:
    """Run the public tests of a task, or of all, on this notebook's functions, and show what they found."""
    mode = os.environ.get("NBGRADER_EXECUTION")
    if mode == "autograde":
        raise NotGraded
    if name is not None and name not in tasks():
        raise ValueError(f"there is no task {name!r}; the tasks are {', '.join(map(repr, tasks()))}")
    shown = Overview({one: _result(one) for one in tasks()}) if name is None else _checked(name)
    if mode != "validate":
        show(shown)
        return
    print(shown)
    if not shown.passed:
        raise CheckFailed(str(shown))


@contextmanager
def needs(*names: str) -> Iterator[None]:
    """Run a cell's block, or say what it waits for where a function is not written yet.

    names: the student's functions that the block uses. All other errors go through.
    """
    try:
        yield
    except (NotImplementedError, NameError) as error:
        stub = stub_of(error)
        waiting = stub or undefined_name(error, names)
        if waiting is None:
            raise
        undefined = [name for name in names if not is_defined(name)]
        listed = ", ".join(f"`{name}`" for name in dict.fromkeys([waiting, *undefined]))
        todo = "run the cells above; what is not written there yet, write" if undefined else "not written yet"
        print(f"This cell waits for {listed}: {todo}.")


def results_of(name: str) -> str:
    """Return the key of what is wrong with a task, empty where nothing is: the build seals questions with it."""
    return next(_keys(_tried(name)), "")


def _checked(name: str) -> Result:
    """Return what the public tests of a task find; from the second time on that one fails, with the task's hint."""
    result = _result(name)
    if result.mark == "✗":
        _FAILED_BEFORE.add(name)
    return result


def _result(name: str) -> Result:
    """Return what the public tests of a task find; where the setup cell has not been run, they are not."""
    spec = tasks()[name]
    first = load_anew() or setup_to_run()
    tried = [] if first else _tried(name)
    findings = [finding for _, finding, is_quiet in tried if finding.fault or not is_quiet]
    stubs = [f"`{stub}` is not written yet" for stub in dict.fromkeys(one.stub for one in findings if one.stub)]
    used = [one.undefined for one in findings if one.undefined]
    undefined = list(dict.fromkeys([*(one for one in asked_of(name) if not is_defined(one)), *used]))
    waiting = [first] if first else [*why_undefined(undefined), *stubs]
    if undefined and not first and is_restarted(name):
        waiting.append("if the kernel was started again, run all cells above")
    question = opened(globals()["SEALED"].get(name, ()), _keys(tried))
    hint = spec["hint"] if name in _FAILED_BEFORE else ""
    return Result(spec["title"], spec["points"], findings, waiting, question, hint, spec.get("beyond", ""))


def _tried(name: str) -> list[tuple[str, Finding, bool]]:
    """Return each public test of a task: its name, what it finds, and whether it tells of nothing but faults."""
    return [(test.__name__, finding_of(test), vars(test)["is_quiet"]) for test in _TESTS.get(name, [])]


def _keys(tried: list[tuple[str, Finding, bool]]) -> Iterator[str]:
    """Yield the keys that what is wrong may have; how something is written is no result."""
    return keys_of((name, finding.seen) for name, finding, is_quiet in tried if finding.seen and not is_quiet)
