"""The right answers to an exercise's questions, as they stand in the reference, and wrong ones to try."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from nbformat import NotebookNode

from autograder.checks.answers import read_answer
from autograder.checks.compare import Mismatch
from autograder.errors import ExerciseError
from autograder.exercise.definition import Exercise, Question
from autograder.exercise.source import solution_cells, task_of
from autograder.exercise.uses import variable_of


def right_answer(exercise: Exercise, task: str, reference: NotebookNode) -> object:
    """What the reference assigns to the variable of a question; None for a number that it computes.

    Errors: ExerciseError where it does not answer, or chooses by a computation.
    """
    question, (variable,) = exercise.tasks[task].question, exercise.tasks[task].variables
    assert question
    try:
        return ast.literal_eval(_given(variable, task, reference))
    except (ValueError, StopIteration):
        if question.kind == "number":
            return None
        told = f'the answer `{variable}` of task `{task}` must stand there as it is, as {variable} = "..."'
        raise ExerciseError(f"{exercise.notebook_source}: {told}") from None


def unfit_answers(exercise: Exercise, reference: NotebookNode) -> Iterator[tuple[str, str]]:
    """Each question that the reference answers as no student may, or so that no answer is wrong, with what is told.

    Errors: as for one answer.
    """
    for name, task in exercise.automatic.items():
        right = right_answer(exercise, name, reference) if task.question else None
        if task.question and right is not None and (told := _why_unfit(task.question, right)):
            yield name, f"the reference answers task `{name}` with {right!r}: {told}"


def _why_unfit(question: Question, right: object) -> str:
    try:
        answer = read_answer(right, question.kind, question.options)
    except Mismatch as mismatch:
        return str(mismatch)
    if question.kind == "choices" and not answer:
        return "there must be a right choice"
    if question.kind == "text" and not re.fullmatch(question.pattern, answer):
        return "its `pattern` does not match that"
    return ""


def wrong_answers(exercise: Exercise, task: str, reference: NotebookNode) -> Iterator[str]:
    """Assignments of other answers: what a guess may be, and what is near to the right one. Errors: as for that."""
    question, (variable,) = exercise.tasks[task].question, exercise.tasks[task].variables
    right = right_answer(exercise, task, reference)
    assert question
    for value in _others(question, right, ast.unparse(_given(variable, task, reference))):
        yield f"{variable} = {value}"


def _others(question: Question, right: object, written: str) -> Iterator[str]:
    match question.kind, right:
        case "choice", _:
            yield from (repr(option) for option in question.options if option != right)
        case "choices", list() | tuple() | set():
            yield "[]"
            yield from (repr(sorted({*right} ^ {option}, key=question.options.index)) for option in question.options)
        case "number", _:
            allowed = f"2 * ({question.atol!r} + {question.rtol!r} * abs({written}))"
            yield from (f"({written}) + {allowed}", f"({written}) - {allowed}", f"-({written})", f"10 * ({written})")
        case _:
            yield from ("''", repr(f"{right}x"), repr(f"x{right}"))


def _given(variable: str, task: str, reference: NotebookNode) -> ast.expr:
    """The last value that the task's cells assign to the variable. Errors: StopIteration."""
    cells = [cell.source for cell in solution_cells(reference) if task_of(cell) == task]
    body = [node for source in reversed(cells) for node in reversed(ast.parse(source).body)]
    return next(node.value for node in body if isinstance(node, ast.Assign) and variable_of(node) == variable)
