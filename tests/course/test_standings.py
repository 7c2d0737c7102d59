"""After points were entered by hand, every page, total and word is that of the gradebook."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from click.testing import CliRunner, Result
from nbconvert.exporters import HTMLExporter
from nbgrader.api import Gradebook
from traitlets.config import Config

from autograder.batch.evaluators import WarmGrader
from autograder.batch.run import grade_students
from autograder.cli import main
from autograder.course.course import Course, load_course
from autograder.exercise.built import Built
from autograder.grading.evaluate import Grader
from autograder.report import Outcome
from autograder.submission.samples import solved
from tests.nbgrader_course import nbgrader, submit

Enter = Callable[..., None]
HALF = "def quadruple(x):\n    return 3 * x"


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory, tiny_course: Path, grader: Grader) -> Path:
    """Anna did everything and Bert made a mistake; nobody has read their answers."""
    root = shutil.copytree(tiny_course, tmp_path_factory.mktemp("graded") / "course")
    course = load_course(root)
    anna = solved(course.build("tiny"))
    bert = solved(course.build("tiny"))
    next(cell for cell in bert.cells if cell.id == "quadruple-code").source = HALF
    submit(root, "anna", "tiny", anna)
    submit(root, "bert", "tiny", bert)
    grade_students(course, course.seeded("tiny"), ["anna", "bert"], WarmGrader(grader))
    return root


@pytest.fixture
def course(graded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    root = shutil.copytree(graded, tmp_path / "course")
    monkeypatch.chdir(root)
    return load_course(root)


@pytest.fixture
def enter(course: Course) -> Enter:
    """Enters what a person types into formgrader."""

    def values(student: str, task: str, **scores: float) -> None:
        with Gradebook(course.db_url) as gradebook:
            grade = gradebook.find_grade(task, "tiny", "tiny", student)
            grade.needs_manual_grade = False
            for name, value in scores.items():
                setattr(grade, name, value)
            gradebook.db.commit()

    return values


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, env={"COLUMNS": "200"})


def row(student: str) -> str:
    """What the table of `grade` says of a student; nothing is evaluated anew."""
    result = run("grade", "tiny", "--jobs", "1")
    assert result.exit_code == 0, result.output
    line = next(line for line in result.output.splitlines() if line.startswith(f"│ {student} "))
    return line.split("│")[2].strip()


def page(course: Course, student: str) -> str:
    """The words of a student's page."""
    done = nbgrader(course.root, "generate_feedback", "--force", "tiny", "--student", student)
    assert done.returncode == 0, done.stderr
    text = (course.feedback(student, "tiny") / "tiny.html").read_text()
    for secret in (str(course.root), "test_hidden", "squared"):
        assert secret not in text
    return " ".join(BeautifulSoup(text, "html.parser").get_text(" ").split())


def exported(student: str) -> tuple[str, str, str]:
    """Score, penalty and status."""
    assert run("export").exit_code == 0
    fields = next(line.split(",") for line in Path("grades.csv").read_text().splitlines() if f",{student}," in line)
    return fields[9], fields[8], fields[11]


def test_before_anybody_has_read_an_answer_all_say_that_it_waits(course: Course) -> None:
    assert row("anna") == "7 / 7, 2 by hand"
    assert "  7 of 7 points, 2 by hand, seed 0" in run("show", "tiny", "anna").output
    text = page(course, "anna")
    assert "7 of 7 points so far 2 more points wait for a person" in text
    assert "Explain it … waiting – / 2" in text
    assert exported("anna") == ("7.0", "0.0", "hand grading")


def test_an_answer_that_was_graded_by_hand_is_in_every_total(course: Course, enter: Enter) -> None:
    row("anna")  # what was recorded under another path is recorded anew, and such points are to be looked at again
    enter("anna", "explain", manual_score=1.5)
    assert row("anna") == "8.5 / 9"
    assert "  8.5 of 9 points, seed 0" in run("show", "tiny", "anna").output
    text = page(course, "anna")
    assert "Your result 8.5 of 9 points Tasks" in text
    assert "Explain it ◐ graded by hand 1.5 / 2" in text
    assert "not graded yet" not in text
    assert "waiting" not in text
    assert exported("anna") == ("8.5", "0.0", "final")
    assert row("bert").endswith("2 by hand")


def test_points_that_were_entered_for_an_older_submission_wait_for_another_look_in_table_and_export(
    course: Course, enter: Enter
) -> None:
    row("anna")
    enter("anna", "explain", manual_score=1.5)
    newer = solved(course.build("tiny"))
    next(cell for cell in newer.cells if cell.id == "explain").source = "Another answer."
    submit(course.root, "anna", "tiny", newer)
    assert row("anna") == "8.5 / 9, another look by hand at explain"
    assert exported("anna") == ("8.5", "0.0", "hand grading")
    enter("anna", "explain", manual_score=1.5)
    assert row("anna") == "8.5 / 9"


def test_a_changed_automatic_score_is_said_wherever_the_score_is(course: Course, enter: Enter) -> None:
    row("bert")
    enter("bert", "quadruple", manual_score=2.5)
    changed = "2.5 of 3 points (a person changed the automatic 0)"
    assert row("bert") == "6.5 / 7, 2 by hand"
    assert "quadruple 2.5/3 failed" in run("grade", "tiny", "--jobs", "1").output
    assert f"quadruple: {changed} (failed)" in run("show", "tiny", "bert").output
    text = page(course, "bert")
    assert f"graded by hand · {changed}" in text
    assert "graded by hand 2.5 / 3" in text
    assert "0 of 3 points" not in text
    assert exported("bert")[0] == "6.5"


def test_a_person_who_enters_the_automatic_score_has_changed_nothing(course: Course, enter: Enter) -> None:
    enter("anna", "double", manual_score=4.0)
    assert "changed" not in page(course, "anna")


def test_extra_credit_is_told_apart(course: Course, enter: Enter) -> None:
    enter("anna", "double", extra_credit=1.0)
    assert row("anna") == "8 / 7, 2 by hand"
    assert "double: 5 of 4 points (+1 extra credit) (passed)" in run("show", "tiny", "anna").output
    text = page(course, "anna")
    assert "✓ passed · 5 of 4 points (+1 extra credit)" in text
    assert "Your result 8 of 7 points so far" in text


def test_a_penalty_is_in_every_total(course: Course) -> None:
    with Gradebook(course.db_url) as gradebook:
        gradebook.find_submission_notebook("tiny", "tiny", "anna").late_submission_penalty = 3.0
        gradebook.db.commit()
    assert "  4 of 7 points, 2 by hand, 3 taken off for being late, seed 0" in run("show", "tiny", "anna").output
    text = page(course, "anna")
    assert "4 of 7 points so far 2 more points wait for a person" in text
    assert "3 points were taken off for being late" in text
    assert "late −3 together 4 / 9" in text
    assert exported("anna") == ("4.0", "3.0", "hand grading")


def test_a_late_submission_has_its_penalty_in_the_table(course: Course) -> None:
    with Path("grader_config.py").open("a") as file:
        file.write('c.LateSubmissionPlugin.penalty_method = "zero"\n')
    with Gradebook(course.db_url) as gradebook:
        gradebook.update_or_create_assignment("tiny", duedate="2026-03-01 12:00:00 UTC")
    (course.submitted("anna", "tiny") / "timestamp.txt").write_text("2026-03-02 10:00:00 UTC")
    assert row("anna") == "0 / 7, 2 by hand, 7 taken off for being late"


def test_the_same_table_is_printed_where_nothing_has_changed(course: Course, enter: Enter) -> None:
    row("anna")
    enter("anna", "explain", manual_score=1.5)
    assert [row("anna"), row("anna")] == ["8.5 / 9"] * 2
    assert "nothing has changed" in run("grade", "tiny", "--jobs", "1").output
    enter("anna", "explain", manual_score=2.0)
    assert row("anna") == "9 / 9"


@pytest.mark.slow
def test_what_stands_of_a_student_whose_folder_is_gone_is_said_with_its_version(course: Course) -> None:
    row("anna")
    shutil.rmtree(course.root / "submitted" / "bert")
    said = "bert handed in nothing now: 4 of 7 points stand, by this version of the exercise"
    for _ in range(2):  # also where nothing has changed since
        assert said in run("grade", "tiny", "--jobs", "1").output
    hidden = course.exercises_folder / "tiny" / "test_hidden.py"
    hidden.write_text(hidden.read_text() + "\n# mended\n")
    assert "4 of 7 points stand, by the older version " in run("grade", "tiny", "--jobs", "1").output


def test_a_task_that_could_not_be_graded_waits_until_a_person_has_given_points(
    course: Course, enter: Enter, grader: Grader
) -> None:
    submit(course.root, "anna", "tiny", b"")

    def outcome() -> Outcome:
        return grade_students(course, course.seeded("tiny"), ["anna"], WarmGrader(grader))[0]

    assert outcome().needs_a_person
    for task, points in {"double": 4.0, "quadruple": 1.0, "explain": 0.0}.items():
        enter("anna", task, manual_score=points)
    assert not outcome().needs_a_person
    text = page(course, "anna")
    assert "graded by hand · 4 of 4 points (given by a person)" in text
    assert "A person will look at it" not in text
    assert "Your result 5 of 9 points" in text
    assert row("anna") == "5 / 9, another look by hand at double, explain, quadruple"


def test_formgraders_page_follows_the_gradebook_too(course: Course, enter: Enter) -> None:
    enter("anna", "explain", manual_score=1.5)
    config = Config(course.config)
    config.CourseDirectory.root = str(course.root)
    resources = {"assignment_id": "tiny", "notebook_id": "tiny", "student": "anna", "submission_id": "1"}
    file = course.autograded("anna", "tiny") / "tiny.ipynb"
    text, _ = HTMLExporter(config=config, template_name="classic").from_filename(str(file), resources=resources)
    assert "<strong>8.5 of 9 points</strong>" in text


def test_without_a_report_no_page_for_a_student_is_made_and_formgraders_shows_what_was_graded(course: Course) -> None:
    (course.root / "reports" / "tiny" / "anna.json").unlink()
    done = nbgrader(course.root, "generate_feedback", "--force", "tiny", "--student", "anna")
    assert done.returncode != 0
    assert "`tiny` of anna is not graded yet" in done.stderr
    assert not (course.feedback("anna", "tiny") / "tiny.html").exists()


def test_a_notebook_that_was_not_graded_here_is_left_as_it_is(course: Course, tiny_built: Built) -> None:
    submit(course.root, "cleo", "tiny", tiny_built.release)
    folder = course.autograded("cleo", "tiny")
    shutil.copytree(course.submitted("cleo", "tiny"), folder)
    with Gradebook(course.db_url) as gradebook:
        gradebook.update_or_create_student("cleo")
        gradebook.update_or_create_submission("tiny", "cleo")
    assert "Your result" not in page(course, "cleo")
