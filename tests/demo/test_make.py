"""The committed demo class."""

from __future__ import annotations

import pytest

from tests.demo.make import HERE, demo_class


@pytest.mark.broad
def test_the_committed_notebooks_are_what_the_exercise_folders_give() -> None:
    """Where they are not: make build."""
    committed = {
        (path.parents[1].name, path.parent.name): path.read_text(encoding="utf-8")
        for path in (HERE / "submitted").glob("*/*/*.ipynb")
    }
    assert committed == {key: f"{text}\n" for key, text in demo_class().items()}
