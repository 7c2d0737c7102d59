"""Tests that passed by what their task does not allow do not count.

Two looks find it. The text of the cells is read here, in the grader's process (`checks/allowed.py`): nothing that the
student's process says has a part in that. What the text does not show, as `getattr(np, "grad" + "ient")`, guards in the
student's process note where it is called (`inside/guards.py`); of that counts what stands in the code of what a test
asks for. Code can hide from both, so what neither has seen is no proof.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping

from msgspec.structs import replace

from autograder.checks.allowed import Code, Place, Use, told_uses
from autograder.exercise.built import Built
from autograder.exercise.modules import without_imports
from autograder.exercise.source import given_statements
from autograder.grading.suite_plugin import SuiteResult
from autograder.isolation.session import Session
from autograder.report import Finding, Status, TestResult
from autograder.scrub import plain_line, scrub
from autograder.submission.notebook import Role


def judged_by_rules(
    result: SuiteResult, session: Session, built: Built, states: Mapping[str, str] | None
) -> SuiteResult:
    """The result, in which what passed by what is not allowed is `NOT_ALLOWED`.

    states: in which state of the notebook each task was tested; by default that at its grade cell.
    """
    results = dict(result.results)
    for task in _ruled(built, results):
        look = _Look(session, built, task, task if states is None else states[task])
        results[task] = [look.judged(test, result.asked.get(test.name, ())) for test in results[task]]
    return dataclasses.replace(result, results=results)


def doubts(result: SuiteResult, session: Session, built: Built) -> Iterator[Finding]:
    """What a person must look at to say whether it is allowed."""
    for task in _ruled(built, result.results):
        look = _Look(session, built, task, task)
        yield from (Finding("doubtful", f"`{task}` may use {plain_line(str(use))}") for use in look.doubtful())
        if look.is_cut:
            yield Finding("doubtful", f"there is more code above the check of `{task}` than was looked at")


def _ruled(built: Built, tasks: Collection[str]) -> list[str]:
    return [task for task in tasks if built.exercise.tasks[task].not_allowed]


class _Look:
    """A look at the code of one task, as it stood in one state of a notebook. is_cut: as in `Code`."""

    def __init__(self, session: Session, built: Built, task: str, state: str) -> None:
        self._rules = built.exercise.tasks[task]
        self._others = built.exercise.names_of_others(task)
        self._code = Code(_cells(session, state), given_statements(built.release), self._others)
        self._notes = [note for note in session.notes if note.name in self._rules.not_allowed]
        self.is_cut = self._code.is_cut

    def judged(self, test: TestResult, asked: Collection[str]) -> TestResult:
        """asked: the names that the test has asked for."""
        uses = [use for use in self._uses(asked) if use.is_sure] if test.status is Status.PASSED else []
        if not uses:
            return test
        return replace(test, status=Status.NOT_ALLOWED, message=scrub(told_uses(uses, self._rules.instead)))

    def doubtful(self) -> list[Use]:
        uses = self._uses(self._rules.names)
        sure = [(use.cell, use.line, use.name) for use in uses if use.is_sure]
        return [use for use in uses if not use.is_sure and (use.cell, use.line, use.name) not in sure]

    def _uses(self, asked: Collection[str]) -> list[Use]:
        own, forbidden = {*asked} - self._others, self._rules.not_allowed
        reached = self._code.reached(own)
        noted = (
            one.use(note.name, note.line)
            for note in self._notes
            for one in reached
            if one.stands_at(note.cell, note.line)
            and not one.names_at(note.line) & self._others  # which may lead there
        )
        return sorted({*noted, *self._code.taken(own, forbidden), *self._code.uses(reached, forbidden)})


def _cells(session: Session, state: str) -> list[tuple[Place, str]]:
    """What ran above the state's grade cell; what the course's own cells bind is in force after all else.

    Modules are part of it, so nothing is imported from them.
    """
    files = [cell.file for cell in session.cells if cell.file]
    own, given = list[tuple[Place, str]](), list[tuple[Place, str]]()
    for index, cell in enumerate(session.cells):
        if cell.role is Role.GRADE and cell.name == state:
            break
        code = without_imports(cell.code, files)
        if cell.file:
            own.append((cell.file, code))
        elif (run := session.runs.get(index)) and not run.ended:
            (given if cell.role is Role.GIVEN else own).append((run.number, code))
    return [*own, *given]
