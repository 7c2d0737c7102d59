"""A module that a student has written stays the student's in all folders of nbgrader's, the course's is in none."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.batch.evaluators import WarmGrader
from autograder.batch.run import grade_students
from autograder.course.course import Course
from autograder.course.gradebook import register
from autograder.course.reports import load_report
from autograder.grading.evaluate import Grader
from autograder.submission.samples import handed_in_as, solved
from tests.cookbook.two_layers import FILES, write_two_layers
from tests.nbgrader_course import course_of, nbgrader, scores, submit

SLUG, FILE = "two-layers", "layers.py"
THEIRS = b"def affine(x, W, b):\n    return x @ W + b\n\n\ndef relu(x):\n    return abs(x)\n"
SECRET = "np.where(x > 0"


@pytest.fixture
def course(tmp_path: Path) -> Course:
    course = course_of(tmp_path, write_two_layers(tmp_path / "written"))
    register(course, SLUG)
    submit(tmp_path, "ada", SLUG, handed_in_as(solved(course.build(SLUG)))[0])
    submit(tmp_path, "ada", SLUG, THEIRS, FILE)
    return course


def shown(course: Course, *folders: str) -> str:
    files = (path for name in folders for path in (course.root / name).rglob("*") if path.is_file())
    return "\n".join(path.read_text(errors="replace") for path in files)


def test_it_lies_beside_the_graded_notebook_and_another_one_is_graded_anew(course: Course, grader: Grader) -> None:
    seeded, bench = course.seeded(SLUG), WarmGrader(grader)
    grade_students(course, seeded, ["ada"], bench)
    assert load_report(course.root, SLUG, "ada").earned == 8.5
    assert (course.autograded("ada", SLUG) / FILE).read_bytes() == THEIRS
    assert SECRET not in shown(course, "autograded", "assignments", "solutions")
    submit(course.root, "ada", SLUG, THEIRS.replace(b"abs(x)", b"x * (x > 0)"), FILE)
    grade_students(course, seeded, ["ada"], bench)
    assert load_report(course.root, SLUG, "ada").earned == 10


@pytest.mark.slow
def test_nbgraders_own_commands_grade_it_and_give_nothing_away(course: Course) -> None:
    released = {path.name: path.read_bytes() for path in (course.assignments / SLUG).iterdir()}
    assert nbgrader(course.root, "generate_assignment", "--force", SLUG).returncode == 0
    assert {path.name: path.read_bytes() for path in (course.assignments / SLUG).iterdir()} == released
    assert nbgrader(course.root, "autograde", SLUG).returncode == 0
    assert sum(points or 0.0 for points in scores(course.root, "ada").values()) == 8.5
    assert (course.autograded("ada", SLUG) / FILE).read_bytes() == THEIRS
    assert nbgrader(course.root, "generate_feedback", SLUG).returncode == 0
    page = (course.feedback("ada", SLUG) / f"{SLUG}.html").read_text()
    assert "<h1>Two layers</h1>" in page
    assert "<code>layers.py</code>, the file beside the notebook:" in page
    assert "abs" in page
    assert SECRET in FILES[FILE]
    assert SECRET not in shown(course, "autograded", "feedback", "assignments")
