"""Whether a file is another notebook than the one that was asked for: then no zero says so, but a person."""

from __future__ import annotations

import re

from autograder.exercise.definition import Exercise
from autograder.submission.cells import Cell, Role, bound_names, words
from autograder.submission.parsing import Document

_GRADE_CELL = re.compile(r'(?:from \w+ import check\s+)?check\("(\w+)"\)')
_SETUP = "setup"  # every exercise has one


def is_foreign(document: Document, exercise: Exercise, released: tuple[Cell, ...]) -> bool:
    """Whether nothing in it is this assignment's: no cell by its name or its text, and nothing that is asked for.

    Exercises share names. Where more of the graded cells are of others than of this one, half of what is asked for
    must be there.
    """
    asked = {name for task in exercise.tasks.values() for name in task.names}
    written = {name for cell in document.cells for name in bound_names(cell.source)} & asked
    ours = {cell.name for cell in released if cell.role is not Role.OWN} - {_SETUP}
    named = document.marks | {
        match[1] for cell in document.cells if (match := _GRADE_CELL.fullmatch(cell.source.strip()))
    }
    if len(named - ours - {_SETUP}) > len(named & ours):
        return 2 * len(written) < len(asked)
    texts = {words(cell.source) for cell in released if cell.name != _SETUP and not cell.is_answer} - {""}
    return not written and not any(cell.name in ours or words(cell.source) in texts for cell in document.cells)
