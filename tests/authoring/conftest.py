"""A verification of a fit exercise: it takes long, so it is made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.authoring.verify import Verification, verify
from autograder.exercise.build import build
from autograder.exercise.definition import Exercise
from tests.authoring.test_rounds import ENDLESS, HELPED, REMEMBERED
from tests.authoring.test_verify import added, write_fit_exercise


@pytest.fixture(scope="session")
def verified_course(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Verification]:
    """A course with an exercise, and what a first round has found, which is kept there. To be copied."""
    course = tmp_path_factory.mktemp("verified")
    folder = write_fit_exercise(course)
    added("test_hidden.py", HELPED)(folder)
    added("wrong/remembered.py", REMEMBERED)(folder)
    added("wrong/endless.py", ENDLESS)(folder)
    added("exercise.toml", "\n[limits]\ncpu_seconds = 1\n")(folder)
    return course, verify(build(Exercise(folder)), 3, 2, course=course)
