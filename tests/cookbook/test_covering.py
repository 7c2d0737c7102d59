"""Each mistake that was written by hand is covered by a mutant that `verify` makes: docs/weakening.md says by which."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import pytest

from autograder.authoring.behaviours import behaviours, state, states
from autograder.authoring.class_mistakes import class_mistakes
from autograder.authoring.mutants import Mutant, mutants
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.source import reference_source
from autograder.grading.runner import Runner
from autograder.grading.suite_plugin import SuiteResult
from autograder.report import Status
from autograder.submission.notebook import Cell
from autograder.submission.samples import graded_cells, solved
from tests.cookbook.head_mistakes import HEAD_MISTAKES, WEIGHTS_MISTAKES
from tests.cookbook.scalar_mistakes import SCALAR_MISTAKES
from tests.places import REPOSITORY

pytestmark = pytest.mark.broad

MISTAKES = {"scalar": SCALAR_MISTAKES, "weights": WEIGHTS_MISTAKES, "head": HEAD_MISTAKES}
ROW = re.compile(r"^\| `(\w+)` \| ([^|]+) \| `+ ?([^|]+?) ?`+ \|$", re.MULTILINE)
STARTERS = [("class", ["scalar"]), ("module", ["weights", "head"])]
TOGETHER = 12

each_starter = pytest.mark.parametrize(("shape", "tasks"), STARTERS, indirect=["shape"])


def covering() -> dict[tuple[str, str], str]:
    """The mutant that covers each mistake, by task and name."""
    page = (REPOSITORY / "docs" / "weakening.md").read_text(encoding="utf-8")
    return {(task, mistake): mutant for task, mistake, mutant in ROW.findall(page)}


def of_text(built: Built) -> list[Mutant]:
    return [*mutants(built), *class_mistakes(built)]


def test_the_page_has_every_mistake() -> None:
    assert list(covering()) == [(task, name) for task, mistakes in MISTAKES.items() for name in mistakes]


@each_starter
def test_verify_makes_every_mutant_that_the_page_names(shape: Built, tasks: list[str]) -> None:
    functions = [name for name in ("attention_weights",) if name in shape.exercise.tasks[tasks[0]].functions]
    made = {one.name for one in [*of_text(shape), *(one for name in functions for one in behaviours(shape, name))]}
    assert {mutant for (task, _), mutant in covering().items() if task in tasks} <= made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "task"), [("class", "scalar"), ("module", "weights"), ("module", "head")], indirect=["shape"]
)
def test_what_loses_a_mutant_loses_the_mistake(shape: Built, task: str) -> None:
    pairs = {mistake: mutant for (its, mistake), mutant in covering().items() if its == task}
    by_hand = {f"by hand: {mistake}": MISTAKES[task][mistake] for mistake in pairs}
    made = {one.name: one.code for one in of_text(shape) if one.name in pairs.values()}
    with Runner() as runner:
        lost = lost_by(runner, shape, task, by_hand | made)
        lost |= lost_by_behaviours(runner, shape, task, set(pairs.values()) - set(made))
    uncovered = [
        (mistake, mutant)
        for mistake, mutant in pairs.items()
        if not lost[mutant] or not lost[mutant] <= lost[f"by hand: {mistake}"]
    ]
    assert uncovered == []


def lost_by(runner: Runner, built: Built, task: str, codes: Mapping[str, str]) -> dict[str, set[str]]:
    """The tests of a task that each code in the place of the reference's loses."""
    right, names = reference_source(built.reference), list(codes)
    lost: dict[str, set[str]] = {}
    for some in (names[first : first + TOGETHER] for first in range(0, len(names), TOGETHER)):
        cells = [cell for name in some for cell in state(name, f"{right}\n\n\n{codes[name]}", "", built)]
        lost |= lost_in(runner, built, task, cells, some)
    return lost


def lost_by_behaviours(runner: Runner, built: Built, task: str, names: set[str]) -> dict[str, set[str]]:
    lost: dict[str, set[str]] = {}
    for function in {name.partition(":")[0] for name in names}:
        tried = [one for one in behaviours(built, function) if one.name in names]
        lost |= lost_in(runner, built, task, states(built, function, tried), [one.name for one in tried])
    return lost


def lost_in(runner: Runner, built: Built, task: str, cells: Iterable[Cell], names: list[str]) -> dict[str, set[str]]:
    notebook = (*graded_cells(solved(built), built), *cells)
    with runner.opened(notebook, SeededExercise(built, 0), len(names)) as tested:
        return {name: _lost(tested({task: name}, None)) for name in names}


def _lost(suite: SuiteResult) -> set[str]:
    return {test.name for tests in suite.results.values() for test in tests if test.status is not Status.PASSED}
