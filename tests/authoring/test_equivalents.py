"""The file that says which mutants are no mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.authoring.equivalents import equivalent_mutants
from autograder.errors import ExerciseError
from autograder.exercise.definition import Exercise


def test_without_a_file_no_mutant_computes_the_same(tiny_exercise: Path) -> None:
    assert equivalent_mutants(Exercise(tiny_exercise)) == {}


def test_mutants_that_compute_the_same_have_reasons(tiny_exercise: Path) -> None:
    (tiny_exercise / "equivalent.toml").write_text('"double: return 2 * x → return x * 2" = "it commutes"\n', "utf-8")
    reasons = equivalent_mutants(Exercise(tiny_exercise))
    assert reasons == {"double: return 2 * x → return x * 2": "it commutes"}


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"no TOML", "equivalent.toml"),
        (b'"one mutant" = ""', "one mutant"),
        (b'"one mutant" = "  "', "one mutant"),
        (b'"one mutant" = 1', "str"),
        (b'[table]\n"one mutant" = "why"', "str"),
        (b"\xff", "equivalent.toml"),
    ],
    ids=["no TOML", "empty", "blank", "a number", "nested", "no UTF-8"],
)
def test_a_broken_file_of_equivalents_is_refused(tiny_exercise: Path, content: bytes, named: str) -> None:
    (tiny_exercise / "equivalent.toml").write_bytes(content)
    with pytest.raises(ExerciseError) as refused:
        equivalent_mutants(Exercise(tiny_exercise))
    assert "equivalent.toml" in str(refused.value)
    assert named in str(refused.value)
