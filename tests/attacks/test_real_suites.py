"""The course's own hidden suites on values that are made to break a test or to keep it busy: none is our fault then."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable

import nbformat
import pytest

from autograder.exercise.build import build
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import Exercise, exercise_names, load_exercise
from autograder.grading.evaluate import Grader
from tests.places import REPOSITORY

EXERCISES = REPOSITORY / "autograder" / "exercises"
# What the functions of a notebook return in turn, whatever they are asked.
VALUES = {
    "nothing": "None",
    "not a number": "float('nan')",
    "infinity": "-float('inf')",
    "a large integer": "1 << 3000",
    "a truth value": "np.True_",
    "a complex number": "complex(1, 2)",
    "a number without axes": "np.array(1.0)",
    "no entries": "np.zeros((0, 3))",
    "many axes": "np.zeros((1,) * 12)",
    "other numbers": "np.zeros((3, 5), dtype='uint8')",
    "not-a-numbers": "np.full((3, 5), np.nan)",
    "objects": "np.array([None, 1])",
    "a pair": "(np.zeros((3, 5)), None)",
    "a pair of nothing": "(None, None)",
    "a long list": "[1.0] * 1000",
    "a dictionary": "{'out': 1, 2: 3, None: ()}",
    "a function": "lambda *_: 1",
    "a text": "'x'",
    "many lines": "'\\n' * 100_000",
    "a number of many digits": "' '.join(['9' * 5000 + '.0e99999'] * 8)",
    "other digits": "' '.join(['\u0664.\u0662'] * 8)",
}


@pytest.fixture(scope="module", params=exercise_names(EXERCISES))
def built(request: pytest.FixtureRequest) -> Built:
    return build(load_exercise(request.param, EXERCISES))


@pytest.fixture(scope="module", params=exercise_names(EXERCISES))
def without_mistakes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """To look for known mistakes takes most of the time, and comes after the suite."""
    folder = tmp_path_factory.mktemp("exercises") / request.param
    shutil.copytree(EXERCISES / request.param, folder, ignore=shutil.ignore_patterns("wrong", "__pycache__"))
    return build(Exercise(folder))


def test_no_value_breaks_a_suite(without_mistakes: Built, grader: Grader, within: Callable[[float], None]) -> None:
    assert_no_value_breaks(0, without_mistakes, grader, within)


@pytest.mark.slow
@pytest.mark.parametrize("first", [7, 14])
def test_no_value_in_another_turn_breaks_a_suite(
    first: int, built: Built, grader: Grader, within: Callable[[float], None]
) -> None:
    assert_no_value_breaks(first, built, grader, within)


def assert_no_value_breaks(first: int, built: Built, grader: Grader, within: Callable[[float], None]) -> None:
    values = ", ".join(f"lambda: {value}" for value in VALUES.values())
    setup = f"import itertools\nturn = itertools.cycle([{values}])\nfor _ in range({first}): next(turn)"
    assert_costs_nothing(setup, "next(turn)()", built, grader, within)


@pytest.mark.slow
def test_no_text_keeps_a_suite_busy(built: Built, grader: Grader, within: Callable[[float], None]) -> None:
    """A search that tries every start of every run of digits takes the square of their number."""
    assert_costs_nothing("", "'1' * 100_000", built, grader, within)


def assert_costs_nothing(setup: str, value: str, built: Built, grader: Grader, within: Callable[[float], None]) -> None:
    """All functions return the value; that earns nothing and is nobody's fault but theirs."""
    notebook = nbformat.from_dict(built.release)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(f"import numpy as np\n{setup}"))
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution"):
            names = re.findall(r"^def (\w+)", cell.source, re.MULTILINE)
            cell.source = "".join(f"def {name}(*_, **__): return {value}\n" for name in names)
    within(60)
    evaluation = grader.evaluate(nbformat.writes(notebook).encode(), SeededExercise(built, 1))
    within(0)
    faults = [test.fault for task in evaluation.report.tasks for test in task.tests if test.fault]
    assert not faults
    assert not evaluation.report.ungraded, evaluation.report.fault
    assert evaluation.report.earned == 0
