"""Runs cells of a notebook in the student's process and a hidden suite against them; keeps what is costly to start."""

from __future__ import annotations

import ast
import logging
import time
from collections.abc import Callable, Collection, Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, Self

from msgspec.structs import replace

from autograder.errors import SandboxError
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import Limits
from autograder.exercise.source import reference_definitions
from autograder.grading.allowed import doubts, judged_by_rules
from autograder.grading.oracle import Oracle, reference_variables
from autograder.grading.second_look import Round, carry_forward, look_further_down
from autograder.grading.suite import NO_VARIABLES, Suite
from autograder.grading.suite_plugin import SuiteResult
from autograder.grading.trace import ROOM, is_cut
from autograder.grading.workplace import among_its_files
from autograder.isolation.callbacks import Function
from autograder.isolation.protection import FULL, Protection
from autograder.isolation.sandbox import Sandbox
from autograder.isolation.session import CellResult, Cost, Session, Surroundings
from autograder.report import Finding, TestResult
from autograder.submission.modules import importing_nothing
from autograder.submission.notebook import Cell

_log = logging.getLogger(__name__)

Tested = Callable[[Mapping[str, str], Container[str] | None], SuiteResult]  # as `Suite.run` has states and tests


@dataclass(frozen=True)
class Execution:
    """What one notebook did: its cells, by index, and the hidden tests. findings, breaches: as in `Report`.

    states: in which state of the notebook a task was tested, where it is not the one at its grade cell.
    is_over: whether the notebook has used up what it may.
    """

    cells: Mapping[int, CellResult]
    suite: SuiteResult
    states: Mapping[str, str]
    cost: Cost
    findings: tuple[Finding, ...]
    breaches: tuple[str, ...]
    is_over: bool


@dataclass(frozen=True)
class Played:
    """What a notebook did without any tests of ours. Else as `Execution`."""

    cells: Mapping[int, CellResult]
    findings: tuple[Finding, ...]
    breaches: tuple[str, ...]


class Runner:
    """Runs one notebook after the other; for the same packages there is a warm parent, and one for right functions."""

    def __init__(self, protection: Protection = FULL) -> None:
        self._protection = protection
        self._sandboxes: dict[tuple[tuple[str, ...], str], Sandbox] = {}
        self._suites: dict[tuple[str, str], Suite] = {}
        self._variables: dict[tuple[str, str], Mapping[str, dict[str, Any]]] = {}

    def run(
        self,
        cells: tuple[Cell, ...],
        seeded: SeededExercise,
        tasks: Collection[str] | None = None,
        tests: Container[str] | None = None,
        unused: Collection[str] = (),
    ) -> Execution:
        """Run `cells`, then the hidden tests of `tasks`, all by default; of those only the ones in `tests`, if given.

        unused: as in `Session`.
        Each is tested in the notebook as it stood at its grade cell; where it lost points and is defined anew further
        down, the better result counts.
        Errors: SandboxError, ExerciseError; after either, `drop` what may have had a part in it.
        """
        built, exercise, start = seeded.built, seeded.built.exercise, time.monotonic()
        sandbox, files = self._sandbox(exercise.packages), built.working_files
        with Session(sandbox, exercise.limits, cells, files, unused=unused, guarded=exercise.not_allowed) as session:
            first = self._test(session, seeded, None if tasks is None else {task: task for task in tasks}, tests)
            doubtful = tuple(doubts(first, session, built))
            seen = look_further_down(session, built, first, lambda states: self._test(session, seeded, states, tests))
            is_over = session.is_over
        took, cost = time.monotonic() - start, session.cost
        _log.debug("%s: a run took %.2f s, %.2f CPU seconds of it the student's", exercise.slug, took, cost.cpu_seconds)
        findings = (*session.findings, *seen.findings, *_cut(seen.suite), *doubtful)
        return Execution(session.runs, seen.suite, seen.states, cost, findings, sandbox.breaches, is_over)

    def play(
        self, cells: tuple[Cell, ...], packages: tuple[str, ...], limits: Limits, surroundings: Surroundings
    ) -> Played:
        """Run `cells` and nothing else. Errors: SandboxError; after it, `drop_parents`."""
        sandbox = self._sandbox(packages)
        with Session(sandbox, limits, cells, {}, surroundings=surroundings) as session:
            return Played(session.runs, session.findings, sandbox.breaches)

    def carried(self, cells: tuple[Cell, ...], seeded: SeededExercise, run: Execution) -> dict[str, list[TestResult]]:
        """The tests of `run`, with errors carried forward. Errors: as in `run`."""
        if run.is_over:
            return run.suite.results
        exercise, limits = seeded.built.exercise, seeded.built.exercise.limits
        ended = [index for index, cell in run.cells.items() if cell.ended]
        # Each of those would end a process anew.
        left = (importing_nothing(cell, cells) if index in ended else cell for index, cell in enumerate(cells))
        cells = tuple(cell for cell in left if cell)

        def again(one: Round) -> SuiteResult | None:
            nonlocal limits
            if min(limits.total_cpu_seconds, limits.total_wall_seconds) <= 0:
                return None
            result, cost = self._replay(cells, seeded, one, run.states, limits)
            limits = _less(limits, cost)
            return result

        return carry_forward(exercise, run.suite, again)

    def _replay(
        self, cells: tuple[Cell, ...], seeded: SeededExercise, one: Round, states: Mapping[str, str], limits: Limits
    ) -> tuple[SuiteResult, Cost]:
        built, exercise = seeded.built, seeded.built.exercise
        sandboxes = self._sandbox(exercise.packages), self._sandbox(exercise.packages, "right functions")
        names = [function for task in sorted(one.right) for function in exercise.tasks[task].functions]
        with Oracle(sandboxes[1], exercise.limits, built) as oracle:
            right = oracle.functions(names)
            values = self._values_of(one.right, right, built)
            files, guarded = built.working_files, exercise.not_allowed
            with Session(sandboxes[0], limits, cells, files, right, values, guarded=guarded) as session:
                chosen = {task: states.get(task, task) for task in one.lost}
                result = self._test(session, seeded, chosen, [name for lost in one.lost.values() for name in lost])
        return result, session.cost

    def _test(
        self,
        session: Session,
        seeded: SeededExercise,
        states: Mapping[str, str] | None,
        tests: Container[str] | None = None,
    ) -> SuiteResult:
        built = seeded.built
        result = self._suite(built).run(
            session, reference_of(built), seeded.seed, states, tests, self._variables_of(built)
        )
        return judged_by_rules(result, session, built, states)

    def _values_of(
        self, tasks: Collection[str], right: Mapping[str, Function], built: Built
    ) -> dict[str, dict[str, Any]]:
        """What is right from the grade cells of these tasks on, where other tasks' cells may compute with it."""
        variables = self._variables_of(built)
        return {
            task: {name: right[name] for name in built.exercise.tasks[task].functions} | variables.get(task, {})
            for task in (tasks if variables else ())
        }

    def _variables_of(self, built: Built) -> Mapping[str, dict[str, Any]]:
        """The variables that tasks ask for, as the reference has them; they are the same for all students."""
        if built.exercise.variables and identity(built) not in self._variables:
            sandbox = self._sandbox(built.exercise.packages, "right functions")
            self._variables[identity(built)] = reference_variables(sandbox, built)
        return self._variables.get(identity(built), NO_VARIABLES)

    @contextmanager
    def opened(self, cells: tuple[Cell, ...], seeded: SeededExercise, times: int) -> Iterator[Tested]:
        """Run `cells`; what is given tests them: in all, it may take what so many submissions may.

        Errors: as in `run`; SandboxError where the notebook has ended its process too often.
        """
        exercise = seeded.built.exercise
        limits = _times(exercise.limits, times)
        sandbox, files = self._sandbox(exercise.packages), seeded.built.working_files
        with Session(sandbox, limits, cells, files, guarded=exercise.not_allowed) as session:

            def tested(states: Mapping[str, str], tests: Container[str] | None) -> SuiteResult:
                result = self._test(session, seeded, states, tests)
                if session.is_over:
                    raise SandboxError("the notebook has ended its process too often")
                return result

            yield tested

    def drop(self, built: Built) -> None:
        """Start anew at the next run of this exercise."""
        _log.info("%s: its warm parent and its collected suite are given up", built.exercise.slug)
        self.drop_parents(built.exercise.packages)
        if suite := self._suites.pop(identity(built), None):
            suite.close()

    def drop_parents(self, packages: tuple[str, ...]) -> None:
        """Start new warm parents for the next notebook with these packages."""
        for key in [key for key in self._sandboxes if key[0] == packages]:
            self._sandboxes.pop(key).close()

    def close(self) -> None:
        for sandbox in self._sandboxes.values():
            sandbox.close()
        for suite in self._suites.values():
            suite.close()
        self._sandboxes.clear()
        self._suites.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _sandbox(self, packages: tuple[str, ...], use: str = "students") -> Sandbox:
        """One parent has one process at a time."""
        if (packages, use) not in self._sandboxes:
            self._sandboxes[packages, use] = Sandbox(packages, self._protection)
        return self._sandboxes[packages, use]

    def _suite(self, built: Built) -> Suite:
        if identity(built) not in self._suites:
            self._suites[identity(built)] = Suite(built.exercise)
        return self._suites[identity(built)]


def _less(limits: Limits, cost: Cost) -> Limits:
    """What is left of a submission's time after what it has cost."""
    computed, waited = limits.total_cpu_seconds - cost.cpu_seconds, limits.total_wall_seconds - cost.wall_seconds
    return replace(limits, total_cpu_seconds=max(0.0, computed), total_wall_seconds=max(0.0, waited))


def _times(limits: Limits, times: int) -> Limits:
    """What so many submissions may take."""
    computed, waited = times * limits.total_cpu_seconds, times * limits.total_wall_seconds
    restarts = times * limits.restarts
    return replace(limits, total_cpu_seconds=computed, total_wall_seconds=waited, restarts=restarts)


def _cut(outcome: SuiteResult) -> Iterator[Finding]:
    if is_cut(outcome.traces):
        what = f"its results in lost tests are more than {ROOM >> 20} MiB"
        yield Finding("results", f"{what}; known mistakes were not sought in those beyond")


def identity(built: Built) -> tuple[str, str]:
    """What two builds of the same exercise have in common."""
    return str(built.exercise.folder), built.exercise.version


def reference_of(built: Built) -> SimpleNamespace:
    """What the reference defines, in this trusted process."""
    exercise = built.exercise
    source = reference_definitions(built.reference, exercise)
    with among_its_files(exercise):
        return reference_functions(source, str(exercise.notebook_source), tuple(exercise.given_digests.values()))


@lru_cache(maxsize=8)
def reference_functions(source: str, file: str, beside: tuple[str, ...] = ()) -> SimpleNamespace:
    """The reference functions, run in this trusted process. What only the figures import is not imported for them.

    beside: digests of what it may read; where they are others, it is run anew.
    """
    tree = ast.parse(source, file)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    tree.body = [node for node in tree.body if not isinstance(node, ast.Import) or used & set(_bound(node))]
    namespace: dict[str, object] = {"__name__": "reference"}
    exec(compile(tree, file, "exec"), namespace)
    return SimpleNamespace(**{name: value for name, value in namespace.items() if not name.startswith("__")})


def _bound(node: ast.Import) -> list[str]:
    return [alias.asname or alias.name.split(".")[0] for alias in node.names]
