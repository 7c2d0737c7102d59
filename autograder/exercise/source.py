"""The text that staff write, `notebook.py`, turned into the reference notebook that nbgrader calls the source.

Percent-format text (Jupytext reads it). A cell marker says what the cell is:

    # %% [markdown]                        prose
    # %% setup=true                        the given imports; locked; exactly one
    # %% task="residual"                   a solution cell of that task, the reference between solution markers
    # %% grade="residual"                  the task's one grade cell
    # %% [markdown] task="explain"         the model answer of a task graded by hand, in words
    # %% task="plot"                       the same, in code
    # %%                                   a given cell that students may edit

The modules that students write are texts of the same format, of given and solution cells.
Its cells import from `checks`; where an assignment has several notebooks, each gets a module of its own in that place.
Cell ids come from task names and places, so the same text gives the same bytes everywhere.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from autograder.checks.allowed import statements_of
from autograder.errors import ExerciseError
from autograder.exercise.definition import Exercise, Task, read_text
from autograder.exercise.markers import BEGIN_SOLUTION as BEGIN_SOLUTION
from autograder.exercise.markers import END_SOLUTION as END_SOLUTION
from autograder.exercise.markers import (
    GIVEN,
    PROSE,
    SETUP,
    cell_markers,
    misplaced_marker,
    module_markers,
    unknown_marker,
)
from autograder.exercise.modules import FILE, file_of, modules_in, without_imports
from autograder.exercise.places import Placed, placed_cells

# nbgrader without this package scores a grade cell by its output, and full where there is none. The last line gives
# it a zero to find. nbgrader takes the region out of the students' notebook and puts it back when it grades.
ZERO_WITHOUT_GRADER = """\
### BEGIN HIDDEN TESTS
0  # the score where nbgrader runs this cell without the course's grader
### END HIDDEN TESTS"""

# So that a check that is run before the setup cell, as after a restart, can say so.
IMPORT_OF_CHECK = "from checks import check\n\n"

PYTHON = "python"
_IMPORT_OF_CHECKS = re.compile("^from checks import", re.MULTILINE)

_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def reference_notebook(exercise: Exercise) -> NotebookNode:
    """The notebook of `exercise` with the reference solutions in it, in nbgrader's source format.

    Errors: ExerciseError where a task lacks its cells, a cell marker means nothing or code is no Python.
    """
    placed = [one for path in (*exercise.module_sources, exercise.notebook_source) for one in placed_cells(path)]
    faults = [fault for one in placed if (fault := one.fault)]
    ids: Counter[str] = Counter()
    faults += [f"{one.path}{fault}" for one in placed if (fault := _finish(one.cell, exercise, ids, one.path))]
    if faults := faults or list(_incomplete(placed, exercise)):
        raise ExerciseError("\n".join(faults))
    cells = [one.cell for one in placed]
    for cell in cells:
        if cell.cell_type == "code":
            cell.source = _IMPORT_OF_CHECKS.sub(f"from {exercise.checks_module} import", cell.source)
    return NotebookNode(metadata=NotebookNode(_METADATA), nbformat=4, nbformat_minor=5, cells=cells)


def language_of(metadata: Mapping[str, Any]) -> str:
    """The language of any notebook: of its kernel; where that is not said, of its cells; Python where neither is."""
    kernel, cells = (metadata.get(key) or {} for key in ("kernelspec", "language_info"))
    return str(kernel.get("language") or cells.get("name") or PYTHON)


def markers_of(exercise: Exercise, source: Path) -> list[str]:
    """The cell markers that a text of its may have: the notebook's, or that of a module."""
    if source != exercise.notebook_source:
        return module_markers([name for name, task in exercise.automatic.items() if not task.variables])
    return cell_markers(exercise.automatic, [name for name, task in exercise.tasks.items() if task.by_hand])


def reference_source(notebook: NotebookNode) -> str:
    """The setup and solution cells of a reference notebook as one Python text, without the students' checks.

    The modules that students write are part of it, so nothing is imported from them.
    """
    return without_imports(_joined(cell.source for cell in own_code(notebook)), modules_in(notebook))


def setup_source(notebook: NotebookNode) -> str:
    """The setup cell of a reference notebook, without what it imports from the students' checks."""
    return _joined(cell.source for cell in notebook.cells if cell.id == "setup")


def task_of(cell: NotebookNode) -> str:
    """The task of a solution cell: of `residual-code-2`, `residual`; in words, by the task's own name."""
    return str(cell.id).split("-code")[0]


def reference_definitions(notebook: NotebookNode, exercise: Exercise) -> str:
    """The same, where a cell is for variables only with what it imports and defines: the rest needs given cells."""
    sources = (
        _definitions(cell.source) if task_of(cell) in exercise.variables else cell.source for cell in own_code(notebook)
    )
    return without_imports(_joined(sources), exercise.submit)


def own_code(notebook: NotebookNode) -> list[NotebookNode]:
    """The cells that the reference's code is in: modules, the setup cell, solutions."""
    roles = ("setup", *(cell.id for cell in solution_code(notebook)))
    return [cell for cell in notebook.cells if cell.id in roles or file_of(cell)]


def _joined(sources: Iterable[str]) -> str:
    return re.sub(r"^from checks(_\w+)? import (\([^)]*\)|.*)", "", "\n\n".join(sources), flags=re.MULTILINE)


def _definitions(source: str) -> str:
    kept = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    return "\n\n".join(ast.unparse(node) for node in ast.parse(source).body if isinstance(node, kept))


def solution_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The cells that students write, code and words."""
    return [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("solution")]


def solution_code(notebook: NotebookNode) -> list[NotebookNode]:
    """Those of code that tests look at, and no person grades."""
    return [cell for cell in solution_cells(notebook) if cell.cell_type == "code" and not is_answer(cell)]


def is_answer(cell: NotebookNode) -> bool:
    """Whether a person grades it."""
    marks = cell.metadata.get("nbgrader", {})
    return bool(marks.get("grade") and marks.get("solution"))


def given_statements(notebook: NotebookNode) -> frozenset[str]:
    """The statements at the margin of the course's own cells, as `Statement.text` has them."""
    written = {cell.id for cell in solution_cells(notebook)}
    given = [cell.source for cell in notebook.cells if cell.cell_type == "code" and cell.id not in written]
    return frozenset(statement.text for source in given for statement in statements_of(source))


def _finish(cell: NotebookNode, exercise: Exercise, ids: Counter[str], path: Path) -> str:
    """Make of a cell what its marker says; what is wrong with it, if something is. path: of the text that it is in."""
    # Jupytext notes the blank lines between cells as `lines_to_...`; that is about the text, not the cell.
    marks = {key: value for key, value in cell.metadata.items() if not key.startswith("lines_to_")}
    is_module = path != exercise.notebook_source
    cell.metadata = NotebookNode({FILE: path.name} if is_module else {})
    if marks and not _is_known(marks, cell.cell_type, exercise):
        return unknown_marker(marks, read_text(path), markers_of(exercise, path))
    if is_module and (cell.cell_type != "code" or {*marks} - {"task"}):
        told = marks if cell.cell_type == "code" else {**marks, cell.cell_type: True}
        return misplaced_marker(told, read_text(path))
    if not marks:
        kind = f"file-{path.stem}" if is_module else "text" if cell.cell_type == "markdown" else "code"
        ids[kind] += 1
        cell.id = f"{kind}-{ids[kind]}"
        return ""
    mark, value = next(iter(marks.items()))
    if mark == "setup":
        _mark(cell, "setup", locked=True)
        cell.source = "\n".join([*_told_packages(exercise), cell.source])
    elif mark == "grade":
        return _finish_grade_cell(cell, value, exercise)
    elif is_module and (exercise.tasks[value].by_hand or exercise.tasks[value].variables):
        return f": `{value}` is no task of functions alone; variables and what a person grades are in the notebook"
    elif exercise.tasks[value].by_hand:
        _mark(cell, value, grade=True, solution=True, points=exercise.tasks[value].points)
    else:
        ids[value] += 1
        number = f"-{ids[value]}" if ids[value] > 1 else ""
        _mark(cell, f"{value}-code{number}", solution=True)
    return ""


def _told_packages(exercise: Exercise) -> Iterator[str]:
    if exercise.named_packages:
        yield f"# Packages that you can count on in grading: {', '.join(exercise.packages)}."


def _is_known(marks: dict[str, Any], kind: str, exercise: Exercise) -> bool:
    said = {f"{mark}={value!r}" for mark, value in marks.items()}
    known = {f"task={name!r}" for name, task in exercise.tasks.items() if task.by_hand}
    if kind == "code":
        known |= {"setup=True", *(f"{mark}={task!r}" for task in exercise.automatic for mark in ("task", "grade"))}
    return said <= known and len(said) == 1


def _finish_grade_cell(cell: NotebookNode, task: str, exercise: Exercise) -> str:
    expected = f'check("{task}")'
    if cell.source.strip() != expected:
        return f": the grade cell of `{task}` must hold just {expected}"
    cell.source = f"{IMPORT_OF_CHECK}{expected}\n{ZERO_WITHOUT_GRADER}"
    _mark(cell, task, grade=True, locked=True, points=exercise.tasks[task].points)
    return ""


def _mark(cell: NotebookNode, grade_id: str, **values: Any) -> None:
    cell.id = grade_id
    metadata = {"grade": False, "locked": False, "solution": False, "task": False, **values}
    metadata |= {"schema_version": 3, "grade_id": grade_id, "cell_type": cell.cell_type}
    cell.metadata["nbgrader"] = NotebookNode(metadata)


def _incomplete(placed: list[Placed], exercise: Exercise) -> Iterator[str]:
    """Cells that are missing, there twice or in the wrong order."""
    notebook = [one for one in placed if one.path == exercise.notebook_source]
    for wanted, marker in (("setup", SETUP), *((name, _marker(name, task)) for name, task in exercise.tasks.items())):
        found = [one for one in notebook if one.cell.id == wanted]
        solutions = [one for one in notebook if one.cell.id != wanted and task_of(one.cell) == wanted]
        if not found:
            place = solutions[-1].place() if solutions else exercise.notebook_source
            yield f"{place}: there is no cell `{marker}` for `{wanted}`{'; write one below this' if solutions else ''}"
        for one in found[1:]:
            yield f"{one.place()}: a second cell `{marker}` for `{wanted}`; only one is needed, so leave one out"
        for one in solutions:
            if found and notebook.index(one) > notebook.index(found[0]):
                yield f"{found[0].place()}: the cell `{marker}` is above a solution cell of `{wanted}`; move it below"


def _marker(name: str, task: Task) -> str:
    return f'{PROSE} task="{name}"' if task.by_hand else f'{GIVEN} grade="{name}"'
