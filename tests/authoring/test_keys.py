"""The keys under which trials are kept: what is another test has another key."""

from __future__ import annotations

import pytest

from autograder.authoring.keys import Keys
from autograder.authoring.trials import solutions_of
from autograder.exercise.build import build
from autograder.exercise.definition import exercise_names, load_exercise
from tests.nbgrader_course import BLOCK
from tests.places import EXERCISES


@pytest.mark.broad
@pytest.mark.parametrize(
    "slug",
    [slug if slug == BLOCK else pytest.param(slug, marks=pytest.mark.slow) for slug in exercise_names(EXERCISES)],
)
def test_no_two_tests_of_a_solution_share_a_key(slug: str) -> None:
    built = build(load_exercise(slug, EXERCISES))
    keys = Keys(built)
    for solution in solutions_of(built, 1):
        knots = keys.plan(solution).knots
        assert len({knot.key for knot in knots}) == len(knots), solution.name
