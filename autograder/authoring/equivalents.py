"""What an exercise says of mutants that are no mistakes: the TOML table `equivalent.toml`."""

from __future__ import annotations

import msgspec

from autograder.errors import ExerciseError
from autograder.exercise.definition import Exercise, read_text


def equivalent_mutants(exercise: Exercise) -> dict[str, str]:
    """The mutants that compute the same as the reference, by name, and why: the TOML table `equivalent.toml`.

    Errors: ExerciseError where the file is no flat table of texts, or a reason is empty.
    """
    path = exercise.folder / "equivalent.toml"
    if not path.exists():
        return {}
    try:
        reasons = msgspec.toml.decode(read_text(path), type=dict[str, str])
    except msgspec.DecodeError as error:
        raise ExerciseError(f"{path}: {error}") from None
    for name, reason in reasons.items():
        if not reason.strip():
            raise ExerciseError(f"{path}: no reason why this computes the same: {name}")
    return reasons
