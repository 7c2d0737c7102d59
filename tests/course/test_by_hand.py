"""What a person grades, words and code: run and shown, never scored, with the rubric beside it for those who grade."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode

from autograder.batch.evaluators import WarmGrader
from autograder.batch.run import grade_students
from autograder.course.course import load_course
from autograder.course.export import ExportScores
from autograder.course.gradebook import open_gradebook, register
from autograder.exercise.source import reference_source
from autograder.grading.evaluate import Grader
from autograder.submission.samples import graded_cells, solved
from tests.nbgrader_course import course_of, grades, nbgrader, submit
from tests.tiny import NOTEBOOK, TOML, write_tiny_exercise

PLOT = """
# %% task="plot"
import matplotlib.pyplot as plt

### BEGIN SOLUTION
plt.plot(double(np.arange(3)))
plt.show()
### END SOLUTION
"""
TASK = """
[tasks.plot]
title = "Plot what double does"
points = 3
by_hand = true
rubric = [
    { points = 2, text = "the line goes through (2, 4)" },
    { points = 1, text = "both axes have <names>" },
]
"""


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory, grader: Grader) -> Path:
    """Anna plots, Bert's plot fails, Cleo writes nothing, Dora deletes the cell."""
    root = tmp_path_factory.mktemp("by_hand")
    folder = write_tiny_exercise(root / "exercises" / "tiny")
    (folder / "exercise.toml").write_text(TOML + TASK)
    (folder / "notebook.py").write_text(NOTEBOOK + PLOT)
    course = course_of(root)
    anna, bert, cleo, dora = (solved(course.build("tiny")) for _ in range(4))
    _cell(bert).source = "plt.plot(no_such_name)"
    _cell(cleo).source = next(cell.source for cell in course.build("tiny").release.cells if cell.id == "plot")
    dora.cells.remove(_cell(dora))
    students = {"anna": anna, "bert": bert, "cleo": cleo, "dora": dora}
    for student, notebook in students.items():
        submit(root, student, "tiny", notebook)
    register(course, "tiny")
    outcomes = grade_students(course, course.seeded("tiny"), [*students], WarmGrader(grader))
    assert [outcome.refused for outcome in outcomes] == [""] * len(students)
    return root


def _cell(notebook: NotebookNode) -> NotebookNode:
    return next(cell for cell in notebook.cells if cell.id == "plot")


def _graded(root: Path, student: str) -> NotebookNode:
    return nbformat.read(root / "autograded" / student / "tiny" / "tiny.ipynb", as_version=4)


def test_students_get_a_stub_in_the_place_of_the_course_own_code(graded: Path) -> None:
    built = load_course(graded).build("tiny")
    assert "NotImplementedError" in _cell(built.release).source
    assert "plt.plot" not in nbformat.writes(built.release)


def test_code_is_run_and_what_it_shows_is_in_the_graded_notebook(graded: Path) -> None:
    outputs = _cell(_graded(graded, "anna")).outputs
    assert "image/png" in next(one.data for one in outputs if one.output_type == "display_data")
    assert "NameError" in str(_cell(_graded(graded, "bert")).outputs)


def test_code_waits_for_a_person_unless_it_is_untouched(graded: Path) -> None:
    found = {student: grades(graded)[student, "plot"] for student in ("anna", "bert", "cleo", "dora")}
    assert found == {
        "anna": (None, None, True),
        "bert": (None, None, True),
        "cleo": (0.0, None, False),
        "dora": (None, None, True),
    }


def test_automatic_points_do_not_hang_on_it(graded: Path) -> None:
    for student in ("anna", "bert", "cleo", "dora"):
        assert (grades(graded)[student, "double"][0], grades(graded)[student, "quadruple"][0]) == (4.0, 3.0)


def test_no_hidden_test_has_to_wait_for_its_figures(graded: Path) -> None:
    built = load_course(graded).build("tiny")
    assert "plot" not in [cell.name for cell in graded_cells(solved(built), built)]
    assert "plt" not in reference_source(built.reference)


def test_nbgrader_grades_it_the_same(graded: Path, tmp_path: Path) -> None:
    root = shutil.copytree(graded, tmp_path / "course")
    before = grades(root)
    (root / "gradebook.db").unlink()
    done = nbgrader(root, "autograde", "--force", "tiny")
    assert done.returncode == 0, done.stderr
    assert grades(root) == before


def test_the_export_says_that_it_waits_and_what_there_is_so_far(graded: Path, tmp_path: Path) -> None:
    course = load_course(graded)
    with open_gradebook(course) as gradebook:
        ExportScores(to=str(tmp_path / "grades.csv"), parent=course).export(gradebook)
    rows = [line.split(",") for line in (tmp_path / "grades.csv").read_text().splitlines()[1:]]
    assert [(row[3], row[9], row[11]) for row in rows] == [
        ("anna", "7.0", "hand grading"),
        ("bert", "7.0", "hand grading"),
        ("cleo", "7.0", "hand grading"),
        ("dora", "7.0", "hand grading"),
    ]


RUBRIC = ("the line goes through (2, 4)", "both axes have <names>", "plt.plot(double(np.arange(3)))")


def test_those_who_grade_see_rubric_and_own_answer_below_each_answer(graded: Path) -> None:
    page = _page(graded)
    shown = BeautifulSoup(page, "html.parser").get_text()
    assert all(one in shown for one in RUBRIC)
    assert shown.index("For you who grade “Plot what double does”, 3 points") > shown.index("plt.show()")
    assert "Because the factors multiply." in shown[shown.index("For you who grade “Explain it”") :]
    assert "<names>" not in page


def test_no_student_sees_them(graded: Path, tmp_path: Path) -> None:
    root = shutil.copytree(graded, tmp_path / "course")
    assert nbgrader(root, "generate_feedback", "--force", "tiny").returncode == 0
    feedback = BeautifulSoup((root / "feedback" / "bert" / "tiny" / "tiny.html").read_text(), "html.parser").get_text()
    release = nbformat.writes(load_course(root).build("tiny").release)
    assert [one for one in (*RUBRIC, "who grade") if one in feedback or one in release] == []


def test_a_broken_exercise_leaves_the_page_without_them(graded: Path, tmp_path: Path) -> None:
    root = shutil.copytree(graded, tmp_path / "course")
    (root / "exercises" / "tiny" / "notebook.py").write_text("(")
    page = _page(root)
    assert "data:image/png" in page
    assert "who grade" not in page


def _page(root: Path) -> str:
    """Anna's, with what formgrader's server says about it."""
    resources = {"assignment_id": "tiny", "notebook_id": "tiny", "student": "anna", "submission_id": "7"}
    config = load_course(root).config
    config.CourseDirectory.root = str(root)
    path = root / "autograded" / "anna" / "tiny" / "tiny.ipynb"
    text, _ = HTMLExporter(config=config).from_filename(str(path), resources=resources)
    return str(text)
