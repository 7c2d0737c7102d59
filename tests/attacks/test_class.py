"""A whole class: every attack of this folder is somebody's submission, among three honest ones, in a real gradebook."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.batch.evaluators import Processes
from autograder.batch.run import Outcome, grade_students
from autograder.course.course import Course
from autograder.course.gradebook import open_gradebook, register
from autograder.exercise.built import Built, SeededExercise
from autograder.submission.samples import solved
from tests.attacks.world import ATTACKS, HERE, SECRET, World, honest, submission
from tests.nbgrader_course import course_of, submit
from tests.tiny import write_tiny_exercise

HONEST = ("aaron", "mia", "zoe")  # the first, one in the middle and the last
JOBS = 2


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """A course of two exercises without submissions."""
    root = tmp_path / "course"
    write_tiny_exercise(root / "exercises" / "tiny")
    one = course_of(root, HERE / "victim")
    open_gradebook(one).close()
    return one


def grade(course: Course, built: Built, students: list[str]) -> dict[str, Outcome]:
    register(course, built.exercise.slug)
    outcomes = grade_students(course, SeededExercise(built, 0), students, Processes(JOBS))
    return {outcome.student: outcome for outcome in outcomes}


def rows(course: Course) -> dict[tuple[str, str, str], tuple[float | None, bool]]:
    """(score, needs a person) of every grade cell in the gradebook, by assignment, student and task."""
    with open_gradebook(course) as gradebook:
        return {
            (assignment.name, submission.student_id, grade.name): (grade.auto_score, grade.needs_manual_grade)
            for assignment in gradebook.assignments
            for submission in assignment.submissions
            for notebook in submission.notebooks
            for grade in notebook.grades
        }


@pytest.mark.slow
def test_a_class_of_attackers_gets_nothing_and_takes_nothing_from_the_honest(
    course: Course, world: World, within: Callable[[float], None]
) -> None:
    within(1200)
    tiny, victim = course.build("tiny"), course.build("victim")
    for student in HONEST:
        submit(course.root, student, "tiny", solved(tiny))
    grade(course, tiny, list(HONEST))
    earlier = rows(course)
    assert [earlier["tiny", student, "quadruple"] for student in HONEST] == [(3, False)] * 3

    work = {attack.name.replace("/", "-"): submission(victim, world, attack) for attack in ATTACKS}
    work |= {student: honest(victim) for student in HONEST}
    for student, notebook in work.items():
        submit(course.root, student, "victim", notebook)
    outcomes = grade(course, victim, sorted(work))

    assert {student: outcome.refused for student, outcome in outcomes.items() if outcome.needs_a_person} == {}
    recorded = {key: row for key, row in rows(course).items() if key not in earlier}
    points = {student: sum(row[0] or 0 for key, row in recorded.items() if key[1] == student) for student in work}
    assert points == dict.fromkeys(work, 0.0) | dict.fromkeys(HONEST, 13.0)
    assert {key: row for key, row in rows(course).items() if key in earlier} == earlier
    written = [path for folder in ("autograded", "reports") for path in (course.root / folder).rglob("*.*")]
    assert len(written) >= 2 * len(work)
    assert [path for path in written if path.is_file() and SECRET in path.read_text()] == []
