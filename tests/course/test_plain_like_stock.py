"""Plain assignments graded by stock nbgrader and by this package: every row of the gradebook is the same."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import nbformat
import nbgrader as nbgrader_package
import pytest

from autograder.batch.evaluators import WarmGrader
from autograder.batch.run import grade_students
from autograder.course.assignments import load_assignment
from autograder.course.course import load_course
from autograder.grading.evaluate import Grader
from tests import plain_notebooks as plain
from tests.course.plain_habits import HABITS, SECONDS, Habit
from tests.nbgrader_course import nbgrader, submit
from tests.places import REPOSITORY

GUIDE = Path(nbgrader_package.__file__).parent / "docs" / "source" / "user_guide"
STOCK = f"""
c = get_config()
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "assignments"
c.ExecutePreprocessor.timeout = {SECONDS}
"""
OURS = "\nfrom autograder.settings import use_autograder\nuse_autograder(c)\nc.Course.exercises = 'exercises'\n"
GRADES = """
    select student.id, notebook.name, cell.name, grade.auto_score, grade.manual_score, grade.needs_manual_grade
    from grade join base_cell cell on cell.id = grade.cell_id
"""
COMMENTS = """
    select student.id, notebook.name, cell.name, comment.auto_comment, comment.manual_comment
    from comment join base_cell cell on cell.id = comment.cell_id
"""
JOINED = """
    join submitted_notebook submitted on submitted.id = {table}.notebook_id
    join notebook on notebook.id = submitted.notebook_id
    join submitted_assignment submission on submission.id = submitted.assignment_id
    join assignment on assignment.id = submission.assignment_id
    join student on student.id = submission.student_id
    where assignment.name = ? order by 1, 2, 3
"""

pytestmark = pytest.mark.slow


def rows(root: Path, slug: str) -> list[tuple[object, ...]]:
    """All scores, flags and comments of an assignment."""
    with sqlite3.connect(root / "gradebook.db") as database:
        return [
            row
            for table, query in (("grade", GRADES), ("comment", COMMENTS))
            for row in database.execute(query + JOINED.format(table=table), [slug])
        ]


def hand_in(root: Path, slug: str, habit: Habit) -> None:
    release = nbformat.read(root / "assignments" / slug / f"{slug}.ipynb", 4)
    for student, texts in {**habit.students, "nobody": {}}.items():
        folder = submit(root, student, slug, plain.with_texts(release, **texts)).parent
        for name, text in habit.theirs.items():
            (folder / name).write_text(text)


def compare(slug: str, root: Path, grader: Grader) -> None:
    """The course `root`, with submissions and a release, is graded by both."""
    ours = shutil.copytree(root, root.with_name("ours"))
    done = nbgrader(root, "autograde", slug)
    assert done.returncode == 0, done.stderr
    (ours / "nbgrader_config.py").write_text(STOCK + OURS)
    course = load_course(ours)
    students = course.submitting_students(slug)
    grade_students(course, load_assignment(course, slug), students, WarmGrader(grader))
    assert rows(ours, slug) == rows(root, slug)
    files = [sorted(str(path.relative_to(one)) for path in (one / "autograded").rglob("*")) for one in (ours, root)]
    assert files[0] == [name for name in files[1] if not name.endswith(("out.txt", "helper_of_mine.py"))]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "stock"
    root.mkdir()
    (root / "nbgrader_config.py").write_text(STOCK)
    return root


@pytest.mark.parametrize("slug", list(HABITS))
def test_every_row_is_stock_nbgraders(slug: str, root: Path, grader: Grader) -> None:
    habit = HABITS[slug]
    plain.write_source(root / "solutions" / slug, **{slug: habit.source})
    for name, text in habit.files.items():
        (root / "solutions" / slug / name).parent.mkdir(exist_ok=True)
        (root / "solutions" / slug / name).write_text(text)
    released = nbgrader(root, "generate_assignment", slug)
    assert released.returncode == 0, released.stderr
    hand_in(root, slug, habit)
    compare(slug, root, grader)


def test_every_row_of_nbgraders_own_example_is_stock_nbgraders(root: Path, grader: Grader) -> None:
    shutil.copytree(GUIDE / "source" / "ps1", root / "solutions" / "ps1")
    shutil.copytree(GUIDE / "submitted", root / "submitted")
    nbgrader(root, "generate_assignment", "ps1")
    compare("ps1", root, grader)


def test_every_row_of_a_table_is_stock_nbgraders(root: Path, grader: Grader) -> None:
    pytest.importorskip("pandas")
    source = plain.notebook(
        plain.solution(
            "frame", "import pandas as pd\n### BEGIN SOLUTION\nframe = pd.DataFrame({'a': [1, 2]})\n### END SOLUTION"
        ),
        plain.test("sum", 2, "assert frame.a.sum() == 3\nframe"),
        plain.test("value", 2, "frame.a.mean()"),
    )
    plain.write_source(root / "solutions" / "pandas", pandas=source)
    nbgrader(root, "generate_assignment", "pandas")
    hand_in(
        root, "pandas", Habit(source, {"right": {"frame": "import pandas as pd\nframe = pd.DataFrame({'a': [1, 2]})"}})
    )
    compare("pandas", root, grader)


def test_switching_the_grader_on_changes_nothing_of_what_was_graded_before(root: Path) -> None:
    """An older assignment beside an exercise and a new plain assignment: rows, folders, export and pages."""
    for slug in ("older", "newer"):
        plain.write_source(
            root / "solutions" / slug, **{slug: HABITS["by-hand"].source, "more": HABITS["partial"].source}
        )
        assert nbgrader(root, "generate_assignment", slug).returncode == 0
        for name in ("by-hand", "partial"):
            file = {"by-hand": slug, "partial": "more"}[name]
            for student, texts in HABITS[name].students.items():
                release = nbformat.read(root / "assignments" / slug / f"{file}.ipynb", 4)
                submit(root, student, slug, plain.with_texts(release, **texts), f"{file}.ipynb")
    for command in ("autograde", "generate_feedback"):
        done = nbgrader(root, command, "older")
        assert done.returncode == 0, done.stderr
    before = _of_older(root)
    shutil.copytree(REPOSITORY / "autograder" / "exercises" / "residual-block", root / "exercises" / "residual-block")
    (root / "nbgrader_config.py").write_text(STOCK + OURS)
    course = load_course(root)
    assert nbgrader(root, "autograde", "newer").returncode == 0
    assert nbgrader(root, "generate_feedback", "newer").returncode == 0
    assert nbgrader(root, "generate_feedback", "--force", "older").returncode == 0
    assert course.exercise_names == ["residual-block"]
    assert [row[2:] for row in rows(root, "newer")] == [row[2:] for row in rows(root, "older")]
    assert _of_older(root) == before


def _of_older(root: Path) -> dict[str, object]:
    """All that there is of an assignment, with its lines of the export without our column."""
    nbgrader(root, "export")
    lines = (root / "grades.csv").read_text().splitlines()
    exported = [line.split(",")[:11] for line in lines if line.startswith("older,")]
    files = {
        str(path.relative_to(root)): path.read_bytes()
        for folder in ("solutions", "assignments", "submitted", "autograded", "feedback")
        for path in (root / folder).rglob("*")
        if path.is_file() and "older" in path.parts
    }
    return files | {"rows": rows(root, "older"), "exported": exported}
