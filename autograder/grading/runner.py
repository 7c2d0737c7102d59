"""Runs cells of a notebook in the student's process and a hidden suite against them; keeps what is costly to start."""

from __future__ import annotations

import ast
import logging
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import Self

from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.source import reference_source
from autograder.grading.suite import Suite
from autograder.grading.suite_plugin import SuiteResult
from autograder.grading.trace import ROOM, is_cut
from autograder.isolation.protection import FULL, Protection
from autograder.isolation.sandbox import Sandbox
from autograder.isolation.session import CellResult, Cost, Session
from autograder.report import Finding
from autograder.submission.notebook import Cell

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Execution:
    """What one notebook did: its cells, by index, and the hidden tests. findings, breaches: as in `Report`."""

    cells: Mapping[int, CellResult]
    suite: SuiteResult
    cost: Cost
    findings: tuple[Finding, ...]
    breaches: tuple[str, ...]


class Runner:
    """Runs one notebook after the other, with one warm parent for each framework and one collected suite."""

    def __init__(self, protection: Protection = FULL) -> None:
        self._protection = protection
        self._sandboxes: dict[str, Sandbox] = {}
        self._suites: dict[tuple[str, str], Suite] = {}

    def run(self, cells: tuple[Cell, ...], seeded: SeededExercise, tasks: Collection[str] | None = None) -> Execution:
        """Run `cells`, then the hidden tests of `tasks`, all by default.

        Errors: SandboxError, ExerciseError; after either, `drop` what may have had a part in it.
        """
        built, exercise, start = seeded.built, seeded.built.exercise, time.monotonic()
        sandbox = self._sandbox(exercise.framework)
        reference = _reference(reference_source(built.reference), str(exercise.notebook_source))
        suite = self._suite(built)
        with Session(sandbox, exercise.limits, cells, {"checks.py": built.checks}) as session:
            outcome = suite.run(session, reference, seeded.seed, tasks)
        took, cost = time.monotonic() - start, session.cost
        _log.debug("%s: a run took %.2f s, %.2f CPU seconds of it the student's", exercise.slug, took, cost.cpu_seconds)
        findings = (*session.findings, *_cut(outcome))
        return Execution(session.runs, outcome, session.cost, findings, sandbox.breaches)

    def drop(self, built: Built) -> None:
        """Start anew at the next run of this exercise."""
        _log.info("%s: its warm parent and its collected suite are given up", built.exercise.slug)
        if sandbox := self._sandboxes.pop(built.exercise.framework, None):
            sandbox.close()
        if suite := self._suites.pop(identity(built), None):
            suite.close()

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

    def _sandbox(self, framework: str) -> Sandbox:
        if framework not in self._sandboxes:
            self._sandboxes[framework] = Sandbox(framework, self._protection)
        return self._sandboxes[framework]

    def _suite(self, built: Built) -> Suite:
        if identity(built) not in self._suites:
            self._suites[identity(built)] = Suite(built.exercise)
        return self._suites[identity(built)]


def _cut(outcome: SuiteResult) -> Iterator[Finding]:
    if is_cut(outcome.traces):
        what = f"its results in lost tests are more than {ROOM >> 20} MiB"
        yield Finding("results", f"{what}; known mistakes were not sought in those beyond")


def identity(built: Built) -> tuple[str, str]:
    """What two builds of the same exercise have in common."""
    return str(built.exercise.folder), built.exercise.version


@lru_cache(maxsize=8)
def _reference(source: str, file: str) -> SimpleNamespace:
    """The reference functions, run in this trusted process. What only the figures import is not imported for them."""
    tree = ast.parse(source, file)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    tree.body = [node for node in tree.body if not isinstance(node, ast.Import) or used & set(_bound(node))]
    namespace: dict[str, object] = {"__name__": "reference"}
    exec(compile(tree, file, "exec"), namespace)
    return SimpleNamespace(**{name: value for name, value in namespace.items() if not name.startswith("__")})


def _bound(node: ast.Import) -> list[str]:
    return [alias.asname or alias.name.split(".")[0] for alias in node.names]
