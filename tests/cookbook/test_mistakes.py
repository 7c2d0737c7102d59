"""What students make wrongly of a class or a module loses points with the starters' own suites, and breaks no test."""

from __future__ import annotations

from collections.abc import Mapping

import nbformat
import pytest

from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.variants import variant
from autograder.grading.evaluate import Grader
from autograder.submission.samples import solved_by
from tests.cookbook.head_mistakes import HEAD_MISTAKES, WEIGHTS_MISTAKES
from tests.cookbook.scalar_mistakes import SCALAR_MISTAKES

pytestmark = pytest.mark.broad

_IN_EACH_RUN = 3  # of each list; of the rest every fifth is among the slow ones, so that those keep within minutes
_STEP = 5


def cases(mistakes: Mapping[str, str], shape: str, task: str) -> list[object]:
    return [
        pytest.param(shape, task, code, id=name, marks=[pytest.mark.slow] if number >= _IN_EACH_RUN else [])
        for number, (name, code) in enumerate(mistakes.items())
        if number < _IN_EACH_RUN or number % _STEP == 0
    ]


@pytest.mark.parametrize(
    ("shape", "task", "code"),
    [
        *cases(SCALAR_MISTAKES, "class", "scalar"),
        *cases(WEIGHTS_MISTAKES, "module", "weights"),
        *cases(HEAD_MISTAKES, "module", "head"),
    ],
    indirect=["shape"],
)
def test_a_mistake_loses_points_and_breaks_no_test(shape: Built, task: str, code: str, grader: Grader) -> None:
    notebook = solved_by(shape, variant("mistake", code))
    report = grader.evaluate(nbformat.writes(notebook).encode(), SeededExercise(shape, 0)).report
    assert report.ungraded == ()
    assert (report.task(task).earned or 0.0) < report.task(task).points


@pytest.mark.parametrize("mistakes", [SCALAR_MISTAKES, {**WEIGHTS_MISTAKES, **HEAD_MISTAKES}])
def test_the_lists_are_as_long_as_they_should_be(mistakes: Mapping[str, str]) -> None:
    assert len(mistakes) >= 20
