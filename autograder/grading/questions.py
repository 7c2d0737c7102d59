"""Which answers to a question are right, and what several choices earn.

Several choices are worth one test for each right one. With three right ones, who ticks two of these and one wrong one
passes the first: as many tests pass as right ones are ticked more than wrong ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from nbformat import NotebookNode

from autograder.checks.answers import read_answer
from autograder.checks.compare import require
from autograder.exercise.answers import right_answer
from autograder.exercise.definition import Exercise, Question
from autograder.exercise.source import reference_notebook


@dataclass(frozen=True)
class Asked:
    """One test of a question: that the answer is right, or that `atleast` choices are right more than wrong."""

    task: str
    variable: str
    question: Question
    atleast: int = 1

    def __str__(self) -> str:
        return f"{self.task}-{self.atleast}" if self.question.kind == "choices" else self.task


def asked(exercise: Exercise) -> list[Asked]:
    """The tests of an exercise's questions. Errors: ExerciseError where the reference does not answer one."""
    questions = {name: task.question for name, task in exercise.automatic.items() if task.question}
    reference = reference_notebook(exercise) if questions else NotebookNode()
    return [
        Asked(name, exercise.tasks[name].variables[0], question, number)
        for name, question in questions.items()
        for number in range(1, _parts(question, right_answer(exercise, name, reference)) + 1)
    ]


def judge(one: Asked, answer: object, right: object) -> None:
    """Errors: Mismatch where the answer is wrong, or none."""
    question = one.question
    mine, wanted = (read_answer(value, question.kind, question.options) for value in (answer, right))
    match question.kind:
        case "choices":
            score = len(mine & wanted) - len(mine - wanted)
            require(score >= one.atleast, "some of it is not right yet: what is missing, and what is too much?")
        case "number":
            require(abs(mine - wanted) <= question.atol + question.rtol * abs(wanted), "it is another number")
        case "text":
            require(re.fullmatch(question.pattern, mine) is not None, "it is another answer")
        case _:
            require(mine == wanted, "it is another one")


def _parts(question: Question, right: object) -> int:
    return len(read_answer(right, question.kind, question.options)) if question.kind == "choices" else 1
