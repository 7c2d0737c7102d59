"""An assignment of two notebooks, from their folders to the table of scores: a line by a formula, and by descent."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner
from nbformat import NotebookNode

from autograder.batch.evaluators import WarmGrader
from autograder.batch.run import grade_students
from autograder.cli import main
from autograder.course.course import Course
from autograder.course.gradebook import register
from autograder.course.reports import load_report
from autograder.exercise.variants import variant, wrong_variants
from autograder.grading.evaluate import Grader
from autograder.report import Status
from autograder.submission.samples import solved, solved_by
from tests.cookbook import spring, training_loop
from tests.nbgrader_course import course_of, nbgrader, submit

pytestmark = [pytest.mark.broad, pytest.mark.slow]

LINES = "lines"
FILES = {
    "assignment.toml": 'title = "A line: by a formula, and by descent"\n',
    **{f"spring/{name}": text for name, text in spring.FILES.items()},
    **{f"descent/{name}": text for name, text in training_loop.FILES.items()},
}
ENDS_THE_PROCESS = "def train(x, y, steps, rate, seed):\n    import os\n\n    os._exit(3)"


@pytest.fixture
def course(tmp_path: Path) -> Course:
    for name, text in FILES.items():
        path = tmp_path / "exercises" / LINES / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return course_of(tmp_path)


def submissions(course: Course) -> dict[str, dict[str, NotebookNode]]:
    """Of one who is right, one who makes a known mistake here and a crash there, and one who did half of it."""
    first, second = course.build(f"{LINES}/descent"), course.build(f"{LINES}/spring")
    crashing, mistake = variant("crash", ENDS_THE_PROCESS), wrong_variants(second.exercise)[0]
    return {
        "right": {"descent": solved(first), "spring": solved(second)},
        "wrong": {"descent": solved_by(first, crashing), "spring": solved_by(second, mistake)},
        "half": {"spring": solved(second)},
    }


def test_both_suites_are_worth_their_points_and_are_released_as_one(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(course.root)
    done = CliRunner().invoke(main, ["release", LINES, "--jobs", "1"])
    assert (done.exit_code, done.exception) == (0, None)
    assert f"{LINES} is released: hand out assignments/{LINES}" in done.output


def test_the_whole_path_from_release_to_export(course: Course, grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    root, handed_in = course.root, submissions(course)
    register(course, LINES)
    assert {path.name for path in (course.assignments / LINES).iterdir()} == {
        *("descent.ipynb", "checks_descent.py"),
        *("spring.ipynb", "checks_spring.py", "spring.csv", "units.py"),
    }
    for student, notebooks in handed_in.items():
        for name, notebook in notebooks.items():
            submit(root, student, LINES, notebook, f"{name}.ipynb")
    outcomes = grade_students(course, course.assignment(LINES), [*handed_in], WarmGrader(grader))
    assert [(one.student, one.report.earned, one.needs_a_person) for one in outcomes if one.report] == [
        ("right", 20, False),
        ("wrong", load_report(root, LINES, "wrong").earned, False),
        ("half", 10, False),
    ]
    wrong = load_report(root, LINES, "wrong")
    assert wrong.task("descent/train").status is Status.CRASHED
    assert [one.name for one in wrong.task("spring/stiffness").mistakes] == ["gravity_forgotten"]
    assert load_report(root, LINES, "half").task("descent/train").status is Status.MISSING
    assert nbgrader(root, "generate_feedback", "--force", LINES).returncode == 0
    pages = {path.relative_to(root / "feedback"): path.read_text() for path in (root / "feedback").rglob("*.html")}
    assert {str(path) for path in pages} == {
        f"{student}/{LINES}/{name}.html" for student, notebooks in handed_in.items() for name in notebooks
    }
    assert "crashed" in pages[Path(f"wrong/{LINES}/descent.html")]
    assert "gravity" not in pages[Path(f"wrong/{LINES}/descent.html")]
    assert "no descent" in pages[Path(f"half/{LINES}/spring.html")]
    monkeypatch.chdir(root)
    assert CliRunner().invoke(main, ["export"]).exit_code == 0
    table = list(csv.DictReader((root / "grades.csv").open(newline="", encoding="utf-8")))
    assert {row["student_id"]: (float(row["score"]), row["max_score"]) for row in table} == {
        "right": (20, "22.0"),
        "wrong": (wrong.earned, "22.0"),
        "half": (10, "22.0"),
    }
