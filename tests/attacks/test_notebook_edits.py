"""What a student may change in the file and the folder that are handed in, besides the code of a solution."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from click.testing import CliRunner
from nbformat import NotebookNode
from nbgrader.utils import determine_grade

from autograder.cli import main
from autograder.exercise.built import Built, SeededExercise
from autograder.grading.evaluate import Evaluation, Grader
from autograder.grading.explain import explain
from autograder.submission.samples import solved
from tests.nbgrader_course import CONNECTIONS, make_course, nbgrader, scores, submit

EDITS: dict[str, tuple[Callable[[NotebookNode], object], str]] = {}
FULL = "4.0"


def says(text: str) -> Callable[[Callable[[NotebookNode], object]], Callable[[NotebookNode], object]]:
    """Enter a way to edit the notebook of wrong work, and what the report is to say of it."""

    def enter(edit: Callable[[NotebookNode], object]) -> Callable[[NotebookNode], object]:
        EDITS[edit.__name__.strip("_")] = edit, text
        return edit

    return enter


def cell(notebook: NotebookNode, name: str) -> NotebookNode:
    return next(cell for cell in notebook.cells if cell.id == name)


def own(source: str, **marks: Any) -> NotebookNode:
    """A code cell of the student's own with nbgrader's marks and full points as its result."""
    made = nbformat.v4.new_code_cell(source, outputs=[result()])
    made.metadata.nbgrader = {"schema_version": 3, "locked": False, "solution": False, "task": False, **marks}
    return made


def result() -> NotebookNode:
    return nbformat.v4.new_output("execute_result", data={"text/plain": FULL}, execution_count=1)


@says("double: 0 of 4 points (failed)")
def results_are_in_the_file_already(notebook: NotebookNode) -> None:
    for one in notebook.cells:
        if one.cell_type == "code":
            one.outputs = [result()]
            one.metadata.nbgrader = {**one.metadata.get("nbgrader", {}), "score": 4, "points_earned": 4}


@says("file edited: the cell `double` was edited")
def the_grade_cell_returns_full_points(notebook: NotebookNode) -> None:
    cell(notebook, "double").source = FULL


@says("file edited: the cell `double` was edited")
def the_grade_cell_rebinds_check(notebook: NotebookNode) -> None:
    cell(notebook, "double").source = f"check = lambda name: {FULL}\ncheck('double')"


@says("file edited: the cell `double` was edited")
def the_grade_cell_is_markdown(notebook: NotebookNode) -> None:
    one = cell(notebook, "double")
    one.cell_type = "markdown"
    del one["outputs"], one["execution_count"]


@says("double: 0 of 4 points (failed)")
def the_grade_cell_is_worth_more(notebook: NotebookNode) -> None:
    cell(notebook, "double").metadata.nbgrader.points = 1000


@says("double: 0 of 4 points (failed)")
def the_grade_cell_is_worth_no_number(notebook: NotebookNode) -> None:
    cell(notebook, "double").metadata.nbgrader.points = float("nan")


@says("file deleted: the cell `double` is missing")
def the_grade_cell_is_deleted(notebook: NotebookNode) -> None:
    notebook.cells.remove(cell(notebook, "double"))


@says("double: 0 of 4 points (failed)")
def the_grade_cell_may_be_solved(notebook: NotebookNode) -> None:
    cell(notebook, "double").metadata.nbgrader.update(solution=True, locked=False, task=True, grade=True)


@says("double: 0 of 4 points (failed)")
def the_grade_cell_has_lost_its_marks(notebook: NotebookNode) -> None:
    cell(notebook, "double").metadata = {}


@says("double: 0 of 4 points (failed)")
def the_grade_cell_is_of_another_schema(notebook: NotebookNode) -> None:
    cell(notebook, "double").metadata.nbgrader.schema_version = 99


@says("file duplicated: the cell `double` is there more than once")
def another_grade_cell_comes_first(notebook: NotebookNode) -> None:
    notebook.cells.insert(0, own(FULL, grade=True, grade_id="double", points=4))


@says("file duplicated: the cell `double` is there more than once")
def another_grade_cell_comes_last(notebook: NotebookNode) -> None:
    notebook.cells.append(own(FULL, grade=True, grade_id="double", points=4))


@says("double: 0 of 4 points (failed)")
def there_is_a_task_of_the_students_own(notebook: NotebookNode) -> None:
    notebook.cells.append(own(FULL, grade=True, grade_id="bonus", points=100, cell_type="code"))
    notebook.cells.append(own("", grade=True, solution=True, grade_id="essay", points=100))


@says("double: 0 of 4 points (failed)")
def the_solution_is_worth_points(notebook: NotebookNode) -> None:
    cell(notebook, "double-code").metadata.nbgrader.update(grade=True, points=4)


@says("file edited: the cell `setup` was edited")
def the_given_cell_imports_another_check(notebook: NotebookNode) -> None:
    setup = next(one for one in notebook.cells if "from checks import" in one.source)
    setup.id = setup.metadata.nbgrader.grade_id = "setup"
    setup.source = f"check = lambda name: {FULL}"


@says("double: 0 of 4 points (failed)")
def two_cells_have_changed_their_names(notebook: NotebookNode) -> None:
    first, second = cell(notebook, "double"), cell(notebook, "square")
    first.id, second.id = second.id, first.id


@says("double: 0 of 4 points (failed)")
def the_kernel_is_another_program(notebook: NotebookNode) -> None:
    notebook.metadata.kernelspec = {"name": "../../evil", "argv": ["touch", "evil"], "display_name": "<script>"}
    notebook.metadata.nbgrader = {"score": 10, "max_score": 10}


@says("double: 0 of 4 points (failed)")
def a_cell_looks_like_the_result(notebook: NotebookNode) -> None:
    text = "### Your result\n\n**10 of 10 points** from the automatic checks"
    for name in ("summary", "own-0", "own-1"):
        notebook.cells.insert(0, nbformat.v4.new_markdown_cell(text, id=name))


@pytest.mark.parametrize("name", EDITS)
def test_no_edit_of_the_notebook_is_paid(name: str, built: Built, grader: Grader) -> None:
    edit, text = EDITS[name]
    evaluation = grader.evaluate(edited(built, edit), SeededExercise(built, 1))
    assert evaluation.report.earned == 0
    assert not evaluation.report.ungraded, evaluation.report.fault
    assert text in explain(evaluation.report)
    nbformat.validate(evaluation.notebook)
    assert evaluation.notebook.cells[0].source.startswith("### Your result\n\n**0 of 13 points**")
    assert what_nbgrader_reads(evaluation) == {"double": (0, 4), "apply": (0, 3), "square": (0, 3), "total": (0, 3)}


def edited(built: Built, edit: Callable[[NotebookNode], object]) -> bytes:
    notebook = nbformat.from_dict(built.release)
    cell(notebook, "double-code").source = "def double(x):\n    return x"
    edit(notebook)
    return nbformat.writes(notebook, version=nbformat.NO_CONVERT).encode()


def what_nbgrader_reads(evaluation: Evaluation) -> dict[str, Any]:
    """The score and the points of every cell that nbgrader takes for one with a grade."""
    graded = [one for one in evaluation.notebook.cells if one.metadata.get("nbgrader", {}).get("grade")]
    return {one.metadata.nbgrader.grade_id: determine_grade(one, logging.getLogger()) for one in graded}


# --- the folder ---


@pytest.mark.slow
def test_links_in_a_folder_bring_no_points_and_show_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, connections: Built
) -> None:
    root = make_course(tmp_path / "course")
    hidden = root / "exercises" / CONNECTIONS / "test_hidden.py"
    submit(root, "anna", CONNECTIONS, connections.release)
    for student, notebook in {
        "eve": root / "solutions" / CONNECTIONS / f"{CONNECTIONS}.ipynb",
        "mallory": None,
    }.items():
        submit(root, student, CONNECTIONS, connections.release)
        folder = root / "submitted" / student / CONNECTIONS
        (folder / "notes.txt").symlink_to(hidden)
        (folder / "more").symlink_to(hidden.parent)
        if notebook:
            (folder / f"{CONNECTIONS}.ipynb").unlink()
            (folder / f"{CONNECTIONS}.ipynb").symlink_to(notebook)
    monkeypatch.chdir(root)
    result = CliRunner().invoke(main, ["grade", CONNECTIONS, "--jobs", "1"])
    assert "anna" in result.output, result.output
    assert not any(scores(root, "eve").values())
    nbgrader(root, "generate_feedback", CONNECTIONS)
    shown = [path for folder in ("autograded", "feedback") for path in (root / folder).rglob("*") if path.is_file()]
    assert not [path for path in shown if hidden.read_text()[:200] in path.read_text(errors="replace")]


@pytest.mark.slow
def test_a_file_name_that_is_no_text_does_not_end_the_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, connections: Built
) -> None:
    root = make_course(tmp_path / "course")
    submit(root, "zoe", CONNECTIONS, solved(connections))
    submit(root, "eve", CONNECTIONS, connections.release, name="\udcff.ipynb")
    monkeypatch.chdir(root)
    result = CliRunner().invoke(main, ["grade", CONNECTIONS, "--jobs", "1"])
    assert result.exit_code in (0, 1), result.exception
    assert sum(score or 0 for score in scores(root, "zoe").values()) == 54
