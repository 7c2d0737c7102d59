"""The gradebook is written by this package as nbgrader would, or one sentence says why it is not."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from autograder.batch.evaluators import Evaluations, WarmGrader
from autograder.batch.run import grade_students
from autograder.course.course import Course, load_course
from autograder.course.database import Patience
from autograder.course.gradebook import Recorder, RecordError, open_gradebook, register
from autograder.errors import ConfigError
from autograder.exercise.build import write
from autograder.exercise.built import Built
from autograder.grading.evaluate import Evaluation, Grader
from autograder.submission.samples import solved
from tests.nbgrader_course import grades, scores, submit

FULL = {"double": 4, "quadruple": 3, "explain": None}
UNGRADED = dict.fromkeys(FULL)


@pytest.fixture(scope="module")
def evaluation(grader: Grader, tiny_course: Path) -> Evaluation:
    """Of a perfect submission."""
    course = load_course(tiny_course)
    return grader.evaluate(solved_bytes(course.build("tiny")), course.seeded("tiny"), ())


@pytest.fixture
def course(new_course: Callable[[str], Course]) -> Course:
    """With a submission of Ada's, not graded yet."""
    course = new_course("course")
    submit(course.root, "ada", "tiny", solved(course.build("tiny")))
    return course


def solved_bytes(built: Built) -> bytes:
    return nbformat.writes(solved(built)).encode()


@contextmanager
def locked(course: Course, how: str = "begin immediate") -> Iterator[None]:
    """As by another program that writes for a long time."""
    with closing(sqlite3.connect(course.root / "gradebook.db", isolation_level=None)) as other:
        other.execute(how)
        yield


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Patience.__init__, "__defaults__", (0.2,))


def add_setting(course: Course, line: str) -> Course:
    with (course.root / "grader_config.py").open("a") as file:
        file.write(line + "\n")
    return load_course(course.root)


def test_the_moment_of_submission_is_what_the_recorder_is_told(course: Course, evaluation: Evaluation) -> None:
    moment = datetime(2026, 3, 2, 10)
    with Recorder(course, "tiny") as recorder:
        recorder.record("ada", evaluation, replace(course.handed_in("ada", "tiny"), moment=moment))
    with open_gradebook(course) as gradebook:
        assert gradebook.find_submission("tiny", "ada").timestamp == moment
    assert scores(course.root, "ada") == FULL


def test_a_submission_that_says_no_moment_has_none_of_an_older_one(course: Course, evaluation: Evaluation) -> None:
    found = course.handed_in("ada", "tiny")
    with Recorder(course, "tiny") as recorder:
        for moment in (datetime(2026, 3, 2, 10), None):
            recorder.record("ada", evaluation, replace(found, moment=moment))
    with open_gradebook(course) as gradebook:
        assert gradebook.find_submission("tiny", "ada").timestamp is None


def test_an_answer_is_a_zero_without_a_reader_only_where_there_is_no_other_place_to_look(
    course: Course, grader: Grader
) -> None:
    untouched = solved(course.build("tiny"), ["double", "quadruple"])
    beside = nbformat.from_dict(untouched)
    beside.cells.append(nbformat.v4.new_markdown_cell("Because the factors multiply."))
    deleted = nbformat.from_dict(untouched)
    deleted.cells.pop()
    for student, notebook in {"ada": untouched, "ben": beside, "cleo": deleted}.items():
        submit(course.root, student, "tiny", notebook)
    submit(course.root, "dora", "tiny", b"{}")
    students = ["ada", "ben", "cleo", "dora"]
    outcomes = grade_students(course, course.seeded("tiny"), students, WarmGrader(grader))
    found = {student: grades(course.root)[student, "explain"] for student in students}
    assert found == {"ada": (0, None, False)} | dict.fromkeys(["ben", "cleo", "dora"], (None, None, True))
    assert [outcome.needs_a_person for outcome in outcomes] == [False, False, False, True]


@pytest.mark.usefixtures("impatient")
def test_a_locked_gradebook_refuses_each_submission_with_one_sentence_and_touches_nothing(
    course: Course, evaluation: Evaluation
) -> None:
    with Recorder(course, "tiny") as recorder, locked(course):
        for student in ("ada", "ben"):
            with pytest.raises(RecordError, match="locked by another program"):
                recorder.record(student, evaluation, course.handed_in(student, "tiny"))
            recorder.record_refused(student)
    assert grades(course.root) == {}
    assert not (course.root / "autograded").exists()


class _Locking(WarmGrader):
    """Somebody locks the gradebook while submissions are evaluated."""

    def __init__(self, grader: Grader, course: Course) -> None:
        super().__init__(grader)
        self._course = course
        self.evaluated = 0

    def evaluate(self, *arguments: object) -> Evaluations:
        for job, evaluation in super().evaluate(*arguments):  # type: ignore[arg-type]
            self.evaluated += 1
            with locked(self._course):
                yield job, evaluation


@pytest.mark.usefixtures("impatient")
def test_what_a_lock_kept_from_being_recorded_is_recorded_by_the_next_run_without_being_evaluated_again(
    course: Course, grader: Grader
) -> None:
    locking = _Locking(grader, course)
    (outcome,) = grade_students(course, course.seeded("tiny"), ["ada"], locking)
    assert "locked by another program" in outcome.refused
    (outcome,) = grade_students(course, course.seeded("tiny"), ["ada"], locking)
    assert (outcome.refused, scores(course.root, "ada"), locking.evaluated) == ("", FULL, 1)


@pytest.mark.slow
def test_a_gradebook_that_cannot_even_be_read_is_one_sentence(course: Course) -> None:
    with locked(course, "begin exclusive"), pytest.raises(ConfigError, match="locked by another program"):
        open_gradebook(course)
    with locked(course, "begin exclusive"), pytest.raises(ConfigError, match="locked by another program"):
        register(course, "tiny")


def test_an_older_nbgraders_gradebook_is_left_alone_and_the_command_that_mends_it_is_named(course: Course) -> None:
    with closing(sqlite3.connect(course.root / "gradebook.db")) as database:
        database.execute("alter table student drop column lms_user_id")
        database.execute("drop table course")
        database.execute("update alembic_version set version_num = '167914646830'")
        database.commit()
    before = (course.root / "gradebook.db").read_bytes()
    with pytest.raises(ConfigError, match="older nbgrader; run `nbgrader db upgrade`"):
        open_gradebook(course)
    assert (course.root / "gradebook.db").read_bytes() == before


def test_a_student_whom_nbgrader_may_not_create_is_refused_until_somebody_adds_them(
    course: Course, evaluation: Evaluation, caplog: pytest.LogCaptureFixture
) -> None:
    course = add_setting(course, "c.Autograde.create_student = False")
    with Recorder(course, "tiny") as recorder:
        with pytest.raises(RecordError, match=r"no student ada.*`nbgrader db student add ada`"):
            recorder.record("ada", evaluation, course.handed_in("ada", "tiny"))
        recorder.record_refused("ada")
        assert "ada: not entered as ungraded: the gradebook has no student ada" in caplog.text
        with open_gradebook(course) as gradebook:
            assert gradebook.students == []
            gradebook.add_student("ada")
        recorder.record("ada", evaluation, course.handed_in("ada", "tiny"))
    assert scores(course.root, "ada") == FULL


PENALTIES = """
from nbgrader.plugins import BasePlugin
class Strict(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        raise ZeroDivisionError("a fault of the course")
c.AssignLatePenalties.plugin_class = Strict
"""


def test_a_fault_of_the_courses_own_rule_for_penalties_leaves_that_submission_ungraded(
    course: Course, evaluation: Evaluation
) -> None:
    course = add_setting(course, PENALTIES)
    with open_gradebook(course) as gradebook:
        gradebook.update_or_create_assignment("tiny", duedate="2026-03-01 12:00:00 UTC")
    found = course.handed_in("ada", "tiny")
    with Recorder(course, "tiny") as recorder:
        recorder.record("ada", evaluation, found)
        with pytest.raises(RecordError, match="a fault of the course"):
            recorder.record("ada", evaluation, replace(found, moment=datetime(2026, 3, 2)))
    assert scores(course.root, "ada") == UNGRADED


def test_a_task_that_came_or_went_after_grading_is_no_run_of_grade_and_the_way_on_is_said(
    course: Course, evaluation: Evaluation
) -> None:
    with Recorder(course, "tiny") as recorder:
        recorder.record("ada", evaluation, course.handed_in("ada", "tiny"))
    before = grades(course.root)
    for file in (course.exercises_folder / "tiny").iterdir():
        file.write_text(file.read_text().replace("quadruple", "fourfold"))
    write(course.build("tiny"), course.solutions, course.assignments)
    with pytest.raises(ConfigError) as refused:
        register(course, "tiny")
    assert str(refused.value) == (
        "the task `fourfold` is new; the task `quadruple` is not there any more; if `quadruple` is only renamed: "
        "--renamed quadruple=fourfold; `autograder regrade tiny` shows what that changes before anything is written"
    )
    assert grades(course.root) == before


@pytest.mark.parametrize("name", ["a [b]", 'it\'s "so"', "100 %20", "{x}", "ünïcode 注", "a*b", "back\\slash", "+"])
def test_an_exercise_is_registered_and_recorded_in_a_course_folder_of_any_name(
    new_course: Callable[[str], Course], evaluation: Evaluation, name: str
) -> None:
    course = new_course(name)
    with Gradebook(course.db_url) as gradebook:
        gradebook.remove_assignment("tiny")
    register(course, "tiny")
    submit(course.root, "ada", "tiny", evaluation.notebook)
    with Recorder(course, "tiny") as recorder:
        recorder.record("ada", evaluation, course.handed_in("ada", "tiny"))
        assert recorder.scores() == {"ada": FULL}
    shutil.rmtree(course.root)
