"""Wrong answers to questions, which students may guess: mutants of an answer."""

from __future__ import annotations

from autograder.authoring.mutants import Mutant
from autograder.exercise.answers import wrong_answers
from autograder.exercise.built import Built


def guesses(built: Built) -> list[Mutant]:
    """Other answers to each question. Errors: ExerciseError where the reference does not answer it."""
    return [
        Mutant(f"{task.variables[0]}: {code}", task.variables[0], code, f"+{code}")
        for name, task in built.exercise.automatic.items()
        if task.question
        for code in wrong_answers(built.exercise, name, built.reference)
    ]
