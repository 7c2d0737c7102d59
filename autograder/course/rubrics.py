"""What a person who grades sees beside an answer, in formgrader alone: the rubric, and the course's own answer."""

from __future__ import annotations

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from autograder.exercise.definition import Exercise, Task
from autograder.exercise.source import is_answer
from autograder.grading.feedback import literal


def show_rubrics(notebook: NotebookNode, exercise: Exercise, reference: NotebookNode) -> None:
    """Put a cell below each answer of `notebook` that a person grades. reference: with the course's own answers."""
    own = {cell.id: cell for cell in reference.cells}
    for cell in list(notebook.cells):
        if is_answer(cell) and (name := cell.metadata.nbgrader.grade_id) in own:  # not of an older version
            shown = new_markdown_cell(_told(exercise.tasks[name], own[name]), id=f"{name}-rubric")
            notebook.cells.insert(notebook.cells.index(cell) + 1, shown)


def _told(task: Task, answer: NotebookNode) -> str:
    parts = [f"**For you who grade “{literal(task.title)}”, {task.points:g} points**"]
    if task.rubric:
        items = [f"| {item.points:g} | {literal(item.text)} |" for item in task.rubric]
        parts.append("\n".join(["| points | for |", "|---|---|", *items]))
    source = f"```python\n{answer.source}\n```" if answer.cell_type == "code" else answer.source
    parts += ["**The course's own answer**", "\n".join(f"> {line}" for line in source.splitlines())]
    return "\n\n".join(parts)
