"""An assignment of two notebooks, which are exercises of their own: one folder, one row, a result for each notebook."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from zipfile import ZipFile

import nbformat
import pytest
from click.testing import CliRunner
from nbformat import NotebookNode

from autograder.batch import cluster
from autograder.batch.evaluators import Evaluations, Evaluator, WarmGrader
from autograder.batch.job import Job, Refusal
from autograder.batch.run import grade_students
from autograder.cli import main
from autograder.course.assignments import load_assignment, make_ready
from autograder.course.course import Course
from autograder.course.exports.gradescope_run import grade_there
from autograder.course.exports.gradescope_zip import write_zip
from autograder.course.gradebook import gradebook_to_read, register
from autograder.course.progress import progress_of
from autograder.course.reports import load_report
from autograder.course.standings import recorded_standings
from autograder.errors import ConfigError
from autograder.exercise.assignment import load_assignment_folder, seeded
from autograder.grading.evaluate import Grader, GraderConfig
from autograder.report import Outcome, Status
from autograder.submission.handed_in import Contents
from autograder.submission.samples import solved
from tests.nbgrader_course import course_of, nbgrader, submit
from tests.tiny import write_tiny_exercise

WEEK = "week"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """With the assignment `week` of the notebooks `first` and `second`, whose tasks have the same names."""
    root = tmp_path_factory.mktemp("course")
    for name in ("first", "second"):
        write_tiny_exercise(root / "exercises" / WEEK / name)
    (root / "exercises" / WEEK / "assignment.toml").write_text('title = "The first week"\n')
    course = course_of(root)
    register(course, WEEK)
    return course


@pytest.fixture(scope="module")
def outcomes(course: Course, grader: Grader) -> dict[str, Outcome]:
    """Everybody has a right first notebook; of the second one, what their name says."""
    for student in ("both", "part", "none", "broken", "misnamed"):
        submit(course.root, student, WEEK, right(course, "first"), "first.ipynb")
    shutil.copytree(course.assignments / WEEK, course.root / "submitted" / "both" / WEEK, dirs_exist_ok=True)
    submit(course.root, "both", WEEK, right(course, "first"), "first.ipynb")
    submit(course.root, "both", WEEK, right(course, "second"), "second.ipynb")
    submit(course.root, "part", WEEK, right(course, "second", "double"), "second.ipynb")
    submit(course.root, "broken", WEEK, b"no notebook", "second.ipynb")
    submit(course.root, "misnamed", WEEK, right(course, "second"), "second (1).ipynb")
    return grade(course, WarmGrader(grader))


def right(course: Course, name: str, *tasks: str) -> NotebookNode:
    return solved(course.build(f"{WEEK}/{name}"), tasks or None)


def grade(course: Course, evaluator: Evaluator, *students: str) -> dict[str, Outcome]:
    assignment = load_assignment(course, WEEK)
    make_ready(course, assignment)
    chosen = students or course.submitting_students(WEEK)
    return {one.student: one for one in grade_students(course, assignment, chosen, evaluator)}


def rows(root: Path, notebook: str) -> dict[str, list[tuple[float | None, bool]]]:
    """By student, the automatic score of each of a notebook's cells, and whether it waits for a person."""
    query = """
        select student.id, grade.auto_score, grade.needs_manual_grade
        from grade
        join base_cell cell on cell.id = grade.cell_id
        join notebook on notebook.id = cell.notebook_id
        join submitted_notebook submitted on submitted.id = grade.notebook_id
        join submitted_assignment submission on submission.id = submitted.assignment_id
        join student on student.id = submission.student_id
        where notebook.name = ?
        order by cell.name
    """
    found = defaultdict(list)
    with sqlite3.connect(root / "gradebook.db") as database:
        for student, score, waits in database.execute(query, [notebook]):
            found[student].append((score, bool(waits)))
    return dict(found)


FIRST = {name: [(4, False), (None, True), (3, False)] for name in ("both", "part", "none", "broken", "misnamed")}
SECOND = {  # double, explain, quadruple
    "both": [(4, False), (None, True), (3, False)],
    "part": [(4, False), (0, False), (0, False)],
    "none": [(0, False), (0, False), (0, False)],
    "broken": [(None, True), (None, True), (None, True)],
    "misnamed": [(None, True), (None, True), (None, True)],
}


def test_each_notebook_has_its_own_cells_in_the_gradebook(course: Course, outcomes: dict[str, Outcome]) -> None:
    assert rows(course.root, "first") == FIRST
    assert rows(course.root, "second") == SECOND


def test_one_report_has_the_tasks_of_all_notebooks_and_says_of_which_a_finding_is(
    course: Course, outcomes: dict[str, Outcome]
) -> None:
    report = load_report(course.root, WEEK, "part")
    assert [task.name for task in report.tasks][::2] == ["first/double", "first/explain", "second/quadruple"]
    assert (report.exercise, report.earned, report.automatic_points) == (WEEK, 11, 14)
    assert report.task("second/quadruple").status is Status.MISSING
    assert load_report(course.root, WEEK, "both").findings == ()
    (unreadable,) = load_report(course.root, WEEK, "broken").findings
    assert unreadable.placed.startswith("second.ipynb: the file cannot be read")
    assert [name for name, one in outcomes.items() if one.needs_a_person] == ["broken", "misnamed"]


def test_a_notebook_that_may_be_there_under_another_name_is_no_zero(
    course: Course, outcomes: dict[str, Outcome]
) -> None:
    report = load_report(course.root, WEEK, "misnamed")
    assert "there is second (1).ipynb: rename it" in report.findings[0].message
    assert load_report(course.root, WEEK, "none").task("second/double").status is Status.MISSING


def test_what_is_graded_is_not_graded_again_until_one_of_its_exercises_is_another(
    course: Course, outcomes: dict[str, Outcome]
) -> None:
    again = grade(course, Nowhere(), "both", "none", "part")
    assert [one.report and one.report.tasks for one in again.values()] == [
        one.report and one.report.tasks for one in (outcomes[name] for name in again)
    ]
    before = load_assignment(course, WEEK).version
    hidden = course.exercises_folder / WEEK / "second" / "test_hidden.py"
    text = hidden.read_text()
    hidden.write_text(text.replace("2.5), 5.0", "3.5), 7.0"))
    assert load_assignment(course, WEEK).version != before
    hidden.write_text(text)


class Nowhere:
    """Evaluates nothing."""

    def require_fit(self, protection: object, packages: object) -> None:
        pass

    def evaluate(self, jobs: Sequence[Job], assignment: object, config: object) -> Evaluations:
        yield from ((job, Refusal("not looked at")) for job in jobs)


def test_the_export_has_one_row_a_student(
    course: Course, outcomes: dict[str, Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(course.root)
    assert CliRunner().invoke(main, ["export"]).exit_code == 0
    table = list(csv.DictReader((course.root / "grades.csv").open(newline="", encoding="utf-8")))
    found = {row["student_id"]: (row["score"], row["max_score"], row["status"]) for row in table}
    assert len(table) == 5
    assert found["part"] == ("11.0", "18.0", "hand grading")
    assert found["misnamed"] == ("", "18.0", "ungraded")


def test_staff_read_the_notebook_with_each_task_and_finding(
    course: Course, outcomes: dict[str, Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(course.root)
    said = CliRunner().invoke(main, ["show", WEEK, "part", "broken"]).output
    assert "second/quadruple: 0 of 3 points (missing)" in said
    assert "file unreadable: second.ipynb: the file cannot be read" in said
    page = CliRunner().invoke(main, ["report", WEEK])
    assert page.exit_code == 0
    assert "The first week" in (course.root / "reports" / f"{WEEK}.html").read_text()


def test_a_fault_in_one_exercise_takes_nothing_from_the_other_notebook(
    tmp_path: Path, course: Course, grader: Grader
) -> None:
    shutil.copytree(course.exercises_folder, tmp_path / "exercises")
    broken = tmp_path / "exercises" / WEEK / "second" / "test_hidden.py"
    broken.write_text("import nothing_of_this_name\n" + broken.read_text())
    assignment = seeded(load_assignment_folder(WEEK, tmp_path / "exercises"), 0)
    raw = {name: nbformat.writes(right(course, name)).encode() for name in ("first", "second")}
    report = grader.evaluate(Contents(raw), assignment).report
    assert report.of_notebook("first").earned == 7
    assert [task.name for task in report.ungraded] == ["second/double", "second/quadruple"]
    assert "nothing_of_this_name" in report.fault


@pytest.mark.slow
def test_each_notebook_has_a_page_that_says_what_it_came_to(course: Course, outcomes: dict[str, Outcome]) -> None:
    assert nbgrader(course.root, "generate_feedback", "--force", WEEK).returncode == 0
    folder = course.root / "feedback"
    first, second = ((folder / "part" / WEEK / f"{name}.html").read_text() for name in ("first", "second"))
    assert "<b>7</b> of 7 points so far" in first
    assert "<b>4</b> of 9 points" in second
    assert [page.name for page in (folder / "none" / WEEK).glob("*.html")] == ["first.html"]
    assert "no second.ipynb was handed in" in (folder / "none" / WEEK / "first.html").read_text()
    with gradebook_to_read(course) as gradebook:
        progress = progress_of(course, gradebook, WEEK, recorded_standings(gradebook, WEEK))
    assert (progress.handed_in, progress.given_back) == (5, 5)


@pytest.mark.slow
def test_nbgraders_own_command_writes_the_same_rows(tmp_path: Path, course: Course, outcomes: object) -> None:
    shutil.copytree(course.root, tmp_path / "course")
    (tmp_path / "course" / "gradebook.db").unlink()
    assert nbgrader(tmp_path / "course", "autograde", "--force", WEEK).returncode == 0
    assert rows(tmp_path / "course", "first") == FIRST
    assert rows(tmp_path / "course", "second") == SECOND


@pytest.mark.slow
def test_gradescope_takes_all_of_its_notebooks(tmp_path: Path, course: Course) -> None:
    write_zip(course, WEEK, tmp_path / "week.zip")
    with ZipFile(tmp_path / "week.zip") as packed:
        packed.extractall(tmp_path / "source")
    (tmp_path / "submission").mkdir()
    for name in ("first", "second"):
        nbformat.write(right(course, name), tmp_path / "submission" / f"{name}.ipynb")
    assert grade_there(tmp_path) == ""
    assert json.loads((tmp_path / "results" / "results.json").read_text())["score"] == 14


@pytest.mark.slow
def test_a_worker_elsewhere_has_all_of_its_exercises(course: Course) -> None:
    assignment = load_assignment(course, WEEK)
    bench = cluster._Bench(cluster._pack(assignment, GraderConfig()))
    try:
        raw = {name: nbformat.writes(right(course, name)).encode() for name in assignment.notebooks}
        report = bench.evaluate(Contents(raw), ()).report
    finally:
        bench.close()
    assert (report.exercise, report.version, report.earned) == (WEEK, assignment.version, 14)


def test_a_notebook_that_is_left_from_an_older_name_is_told(course: Course) -> None:
    left = course.assignments / WEEK / "older.ipynb"
    left.touch()
    try:
        with pytest.raises(ConfigError, match=r"older\.ipynb is of no exercise of `week`; delete it"):
            make_ready(course, load_assignment(course, WEEK))
    finally:
        left.unlink()


@pytest.mark.parametrize("command", [["build", "--check", WEEK], ["build", "--check", f"{WEEK}/second"]])
def test_a_command_takes_the_assignment_or_one_of_its_exercises(
    command: list[str], course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(course.root)
    done = CliRunner().invoke(main, command)
    assert (done.exit_code, f"{WEEK}/second is built" in done.output) == (0, True)


@pytest.mark.parametrize("command", ["grade", "release", "report", "gradescope"])
def test_one_notebook_alone_is_handed_out_and_graded_by_no_command(
    command: str, course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(course.root)
    done = CliRunner().invoke(main, [command, f"{WEEK}/second"])
    assert done.exit_code == 2
    assert f"`{WEEK}/second` is one notebook of the assignment `{WEEK}`; name that" in done.output
