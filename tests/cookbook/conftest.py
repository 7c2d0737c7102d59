"""The starters and the exercises of this folder, built once for all tests of it; shared, so not to be changed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from autograder.authoring.scaffold import KINDS, new_exercise
from autograder.exercise.build import build
from autograder.exercise.built import Built
from autograder.exercise.definition import load_exercise
from tests.cookbook import batch_norm, spring, training_loop, two_layers

WRITTEN_HERE = {
    "batch-norm": batch_norm.FILES,
    "training-loop": training_loop.FILES,
    "spring": spring.FILES,
    "two-layers": two_layers.FILES,
}


@pytest.fixture(scope="session")
def _shapes(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Built]:
    folder = tmp_path_factory.mktemp("exercises")

    @cache
    def make(shape: str) -> Built:
        if shape in KINDS:
            new_exercise(folder, shape, shape)
        for name, text in WRITTEN_HERE.get(shape, {}).items():
            path: Path = folder / shape / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return build(load_exercise(shape, folder))

    return make


@pytest.fixture
def shape(request: pytest.FixtureRequest, _shapes: Callable[[str], Built]) -> Built:
    """The exercise that the test's parameter names: a kind of starter, or one that is written here."""
    return _shapes(request.param)
