"""Many submissions: what has not changed is not graded again, and a run that is ended in the middle loses nothing."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import resource_tracker
from pathlib import Path

import nbformat
import psutil
import pytest

from autograder.batch.evaluators import Evaluations, Processes, WarmGrader
from autograder.batch.job import Job
from autograder.batch.run import Outcome, grade_students
from autograder.course.course import Course, load_course
from autograder.course.evaluation_cache import EvaluationCache
from autograder.course.gradebook import open_gradebook
from autograder.course.reports import reported_students
from autograder.errors import ConfigError
from autograder.exercise.built import SeededExercise
from autograder.exercise.variants import variant
from autograder.grading.evaluate import Grader, GraderConfig
from autograder.inside import leftovers
from autograder.submission.samples import solved, solved_by
from tests.nbgrader_course import grades, submit
from tests.odd_code import LIMITS
from tests.odd_code import make_odd as make_odd_code
from tests.odd_folders import make_odd

WORKS = {
    "right": "def double(x):\n    return x + x\n",
    "wrong": "def double(x):\n    return x * x\n",
    "half": "def quadruple(x):\n    return x\n",
    "crash": "import os\n\n\ndef double(x):\n    os._exit(3)\n",
}


def hand_in(course: Course, students: int = 4) -> list[str]:
    built = course.build("tiny")
    for number in range(students):
        name = list(WORKS)[number % len(WORKS)]
        submit(course.root, f"student{number}", "tiny", solved_by(built, variant(name, WORKS[name])))
    return [f"student{number}" for number in range(students)]


def break_for_squares(course: Course, statement: str) -> None:
    """A hidden test of the course does this where a student squares instead of doubling."""
    suite = course.exercises_folder / "tiny" / "test_hidden.py"
    call = "    assert_close(student.double(2.5)"
    broken = f"    if student.double(2.5) == 6.25:\n        {statement}\n{call}"
    suite.write_text(suite.read_text().replace(call, broken))


class Watched(WarmGrader):
    """Notes for whom there was something to evaluate."""

    def __init__(self, grader: Grader) -> None:
        super().__init__(grader)
        self.students: list[str] = []

    def evaluate(self, jobs: Sequence[Job], seeded: SeededExercise, config: GraderConfig) -> Evaluations:
        self.students += [job.student for job in jobs]
        return super().evaluate(jobs, seeded, config)


def graded(course: Course, students: list[str], grader: Grader, fresh: bool = False) -> list[Outcome]:
    return grade_students(course, course.seeded("tiny"), students, WarmGrader(grader), fresh=fresh)


def evaluated(course: Course, students: list[str], grader: Grader, fresh: bool = False) -> list[str]:
    """Grade, and say for whom there was something to evaluate."""
    watched = Watched(grader)
    grade_students(course, course.seeded("tiny"), students, watched, fresh=fresh)
    return watched.students


def state(course: Course) -> dict[str, object]:
    """All that grading writes for people: rows, autograded folders, reports."""
    files = [path for folder in ("autograded", "reports") for path in (course.root / folder).rglob("*")]
    texts = {str(path.relative_to(course.root)): path.read_bytes() for path in files if path.is_file()}
    return {"rows": grades(course.root), **texts}


def test_only_what_has_changed_is_evaluated_again(new_course: Callable[[str], Course], grader: Grader) -> None:
    course = new_course("one")
    students = hand_in(course, 2)
    assert evaluated(course, students, grader) == students
    before = state(course)
    assert evaluated(course, students, grader) == []
    assert state(course) == before
    submit(course.root, "student1", "tiny", solved(course.build("tiny")))
    assert evaluated(course, students, grader) == ["student1"]
    assert grades(course.root)["student1", "double"] == (4.0, None, False)
    assert evaluated(course, students, grader, fresh=True) == students
    suite = course.exercises_folder / "tiny" / "test_hidden.py"
    suite.write_text(suite.read_text() + "\n# changed\n")
    assert evaluated(course, students, grader) == students


def test_a_file_that_is_replaced_while_it_waits_is_not_kept_under_the_older_ones_name(
    new_course: Callable[[str], Course], monkeypatch: pytest.MonkeyPatch, grader: Grader
) -> None:
    course = new_course("one")
    (student,) = hand_in(course, 1)
    file = course.submitted(student, "tiny") / "tiny.ipynb"
    right, wrong = file.read_bytes(), nbformat.writes(course.build("tiny").release).encode()
    key = EvaluationCache.key

    def then_replaced(cache: EvaluationCache, *arguments: object) -> str:
        found = key(cache, *arguments)  # type: ignore[arg-type]
        file.write_bytes(wrong)
        return found

    monkeypatch.setattr(EvaluationCache, "key", then_replaced)
    graded(course, [student], grader)
    monkeypatch.setattr(EvaluationCache, "key", key)
    assert grades(course.root)[student, "double"] == (0.0, None, False)
    file.write_bytes(right)
    assert evaluated(course, [student], grader) == [student]
    assert grades(course.root)[student, "double"] == (4.0, None, False)


def test_a_new_deadline_holds_for_what_is_graded_already(new_course: Callable[[str], Course], grader: Grader) -> None:
    course = new_course("one")
    config = course.root / "grader_config.py"
    config.write_text(config.read_text() + 'c.LateSubmissionPlugin.penalty_method = "zero"\n')
    course = load_course(course.root)
    students = hand_in(course, 1)
    (course.submitted("student0", "tiny") / "timestamp.txt").write_text("2030-03-02 12:00:00 UTC")
    penalties = []
    for deadline in (None, "2030-03-01 12:00:00 UTC", "2030-03-03 12:00:00 UTC"):
        with open_gradebook(course) as gradebook:
            gradebook.update_or_create_assignment("tiny", duedate=deadline)
        evaluated(course, students, grader)
        with open_gradebook(course) as gradebook:
            penalties.append(gradebook.find_submission("tiny", "student0").late_submission_penalty)
    assert penalties == [0, 7, 0]


def test_points_that_a_person_has_entered_for_late_work_need_no_second_look_after_a_run_that_changes_nothing(
    new_course: Callable[[str], Course], grader: Grader
) -> None:
    course = new_course("one")
    students = hand_in(course, 1)
    (course.submitted("student0", "tiny") / "timestamp.txt").write_text("2030-03-02 12:00:00 UTC")
    with open_gradebook(course) as gradebook:
        gradebook.update_or_create_assignment("tiny", duedate="2030-03-01 12:00:00 UTC")
    evaluated(course, students, grader)
    with open_gradebook(course) as gradebook:
        grade = gradebook.find_grade("explain", "tiny", "tiny", "student0")
        grade.manual_score, grade.needs_manual_grade = 1.5, False
        gradebook.db.commit()
    assert evaluated(course, students, grader) == []
    assert grades(course.root)["student0", "explain"] == (None, 1.5, False)
    submit(course.root, "student0", "tiny", course.build("tiny").release)
    assert evaluated(course, students, grader) == students
    assert grades(course.root)["student0", "explain"][1:] == (1.5, True)


def test_a_gradebook_that_has_lost_its_rows_gets_them_again_without_grading(
    new_course: Callable[[str], Course], tiny_course: Path, grader: Grader
) -> None:
    course = new_course("one")
    students = hand_in(course, 2)
    graded(course, students, grader)
    before = state(course)
    (course.root / "gradebook.db").write_bytes((tiny_course / "gradebook.db").read_bytes())
    assert evaluated(course, students, grader) == []
    assert state(course) == before


@pytest.mark.parametrize("deleted", ["reports", "autograded"])
def test_what_somebody_has_deleted_is_written_again_without_grading(
    new_course: Callable[[str], Course], grader: Grader, deleted: str
) -> None:
    course = new_course("one")
    students = hand_in(course, 2)
    graded(course, students, grader)
    before = state(course)
    shutil.rmtree(course.root / deleted)
    assert evaluated(course, students, grader) == []
    assert state(course) == before


def test_a_kept_evaluation_that_is_broken_is_made_anew(new_course: Callable[[str], Course], grader: Grader) -> None:
    course = new_course("one")
    students = hand_in(course, 2)
    graded(course, students, grader)
    before = state(course)
    for kept in (course.root / ".autograder").rglob("*"):
        if kept.is_file():
            kept.write_bytes(b"broken")
    assert evaluated(course, students, grader) == students
    assert state(course) == before


def test_what_could_not_be_graded_by_our_fault_is_tried_again(
    new_course: Callable[[str], Course], grader: Grader
) -> None:
    course = new_course("one")
    students = hand_in(course, 2)
    break_for_squares(course, "{}['ours']")
    waiting = [outcome.student for outcome in graded(course, students, grader) if outcome.needs_a_person]
    assert waiting == ["student1"]
    assert evaluated(course, students, grader) == waiting


def test_a_process_of_ours_that_ends_costs_the_submission_it_was_on_and_no_other(
    new_course: Callable[[str], Course],
) -> None:
    course = new_course("one")
    students = hand_in(course)
    break_for_squares(course, "__import__('os')._exit(1)")
    outcomes = grade_students(course, course.seeded("tiny"), students, Processes(2))
    (lost,) = (outcome for outcome in outcomes if outcome.refused)
    assert lost.student == "student1"
    assert "process ended over it, twice" in lost.refused
    assert grades(course.root)["student1", "double"] == (None, None, True)
    assert {outcome.report.earned for outcome in outcomes if outcome.report} == {3.0, 4.0, 7.0}


ODD_FOLDERS = range(int(os.environ.get("ODD_FOLDERS", "24")))


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A temporary folder that nobody else on the machine uses; of a short path, for sockets."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield folder
    leftovers.remove(str(folder))


@pytest.mark.usefixtures("removed")
def test_odd_folders_cost_their_neighbours_nothing(new_course: Callable[[str], Course], temporary: Path) -> None:
    """Their own students are graded, or told why not; nothing is left behind."""
    course = new_course("one")
    right = solved(course.build("tiny"))
    for student in ("aaron", "mia", "zoe"):
        submit(course.root, student, "tiny", right)
    odd = {}
    for seed in ODD_FOLDERS:
        folder = course.submitted(f"odd{seed}", "tiny")
        odd[f"odd{seed}"] = make_odd(folder, seed)
        if folder.is_dir() and not folder.is_symlink() and not os.path.lexists(folder / "tiny.ipynb"):
            submit(course.root, f"odd{seed}", "tiny", right)
    students = course.submitting_students("tiny")
    outcomes = {one.student: one for one in grade_students(course, course.seeded("tiny"), students, Processes(2))}
    for student in ("aaron", "mia", "zoe"):
        assert outcomes[student].report
        assert outcomes[student].report.earned == 7
        assert grades(course.root)[student, "double"] == (4.0, None, False)
    for student, kind in odd.items():
        outcome = outcomes[student]
        assert outcome.refused or (outcome.report and outcome.report.earned == 7), kind
        assert "fault of the grader" not in outcome.refused, kind
    _assert_is_emptied(temporary)


ODD_CODE = range(int(os.environ.get("ODD_CODE", "24")))


@pytest.mark.usefixtures("removed")
def test_odd_code_costs_its_neighbours_nothing(new_course: Callable[[str], Course], temporary: Path) -> None:
    """Its own students are graded, too; nothing is left behind."""
    course = new_course("one")
    with (course.exercises_folder / "tiny" / "exercise.toml").open("a") as file:
        file.write(LIMITS)
    built = course.build("tiny")
    odd = {}
    for seed in ODD_CODE:
        notebook, odd[f"odd{seed:04}"] = make_odd_code(built.release, seed)
        submit(course.root, f"odd{seed:04}", "tiny", json.dumps(notebook).encode())
        if seed % 8 == 0:
            submit(course.root, f"odd{seed:04}-neighbour", "tiny", solved(built))
    resource_tracker.ensure_running()  # multiprocessing's own stays
    processes = set(psutil.Process().children(recursive=True))
    students = course.submitting_students("tiny")
    outcomes = {one.student: one for one in grade_students(course, course.seeded("tiny"), students, Processes(2))}
    assert {student: _came_to(outcomes[student]) for student in students if student not in odd} == {
        student: "7 points" for student in students if student not in odd
    }
    waiting = {student: (kind, _came_to(outcomes[student])) for student, kind in odd.items()}
    assert {student: told for student, told in waiting.items() if "points" not in told[1]} == {}
    _assert_is_emptied(temporary)
    assert set(psutil.Process().children(recursive=True)) <= processes


def _came_to(outcome: Outcome) -> str:
    report = outcome.report
    if outcome.refused or not report or report.ungraded:
        return f"waits for a person: {outcome.refused}{report.fault if report else ''}"
    return f"{report.earned:g} points"


def _assert_is_emptied(temporary: Path) -> None:
    """A warm parent ends when it sees that its grader has gone."""
    for _ in range(100):
        if not list(temporary.iterdir()):
            break
        time.sleep(0.1)
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("name", ["x" * 250, os.fsdecode(b"\xff"), "a\nb", "br[1]", "{0}", "\x1b[2J"])
def test_a_name_that_cannot_be_held_is_one_students_sentence(
    name: str, new_course: Callable[[str], Course], grader: Grader
) -> None:
    course = new_course("one")
    right = solved(course.build("tiny"))
    for student in (name, "mia"):
        (course.submissions / student / "tiny").mkdir(parents=True)
        (course.submissions / student / "tiny" / "tiny.ipynb").write_text(nbformat.writes(right))
    students = course.submitting_students("tiny")
    assert set(students) == {name, "mia"}
    outcomes = {one.student: one for one in graded(course, students, grader)}
    assert "rename" in outcomes[name].refused
    assert outcomes["mia"].report
    assert outcomes["mia"].report.earned == 7


@pytest.mark.parametrize("name", ["", ".", "..", "student0/..", "../exercises"])
def test_a_name_that_is_no_folders_is_refused_before_any_folder_is_removed(
    name: str, new_course: Callable[[str], Course], grader: Grader
) -> None:
    course = new_course("one")
    (student,) = hand_in(course, 1)
    graded(course, [student], grader)
    for folder in (course.submissions, course.root, course.root / "autograded", course.autograded(name, "tiny").parent):
        (folder / "tiny").mkdir(parents=True, exist_ok=True)
        (folder / "tiny" / "tiny.ipynb").write_text("somebody else's")
    before = set(course.root.rglob("*"))
    with pytest.raises(ConfigError, match="that of one folder"):
        graded(course, [name], grader)
    assert set(course.root.rglob("*")) == before


def test_whom_nbgrader_may_not_create_is_refused_before_being_evaluated(
    new_course: Callable[[str], Course], grader: Grader
) -> None:
    course = new_course("one")
    with (course.root / "grader_config.py").open("a") as config:
        config.write("c.Autograde.create_student = False\n")
    course = load_course(course.root)
    students = hand_in(course, 2)
    with open_gradebook(course) as gradebook:
        gradebook.add_student("student1")
    assert evaluated(course, students, grader) == ["student1"]
    (refused, outcome) = graded(course, students, grader)
    assert "`nbgrader db student add student0`" in refused.refused
    assert outcome.report
    with open_gradebook(course) as gradebook:
        gradebook.add_student("student0")
    assert evaluated(course, students, grader) == ["student0"]


def test_nothing_of_an_earlier_submission_stands_where_a_later_one_is_refused(
    new_course: Callable[[str], Course], grader: Grader
) -> None:
    course = new_course("one")
    (student,) = hand_in(course, 1)
    graded(course, [student], grader)
    page = course.feedback(student, "tiny") / "tiny.html"
    page.parent.mkdir(parents=True)
    page.write_text("an older page")
    assert grades(course.root)[student, "double"] == (4.0, None, False)
    (course.submitted(student, "tiny") / "timestamp.txt").write_text("yesterday")
    (outcome,) = graded(course, [student], grader)
    assert outcome.refused
    assert set(grades(course.root).values()) == {(None, None, True)}
    assert not page.exists()
    assert not course.autograded(student, "tiny").exists()
    assert not reported_students(course.root, "tiny")


def test_no_earlier_score_stands_where_the_report_of_a_later_submission_cannot_be_written(
    new_course: Callable[[str], Course], grader: Grader
) -> None:
    course = new_course("one")
    (student,) = hand_in(course, 1)
    graded(course, [student], grader)
    report = course.root / "reports" / "tiny" / f"{student}.json"
    report.unlink()
    (report / "in its place").mkdir(parents=True)
    submit(course.root, student, "tiny", course.build("tiny").release)
    (outcome,) = graded(course, [student], grader)
    assert "the report cannot be written" in outcome.refused
    assert set(grades(course.root).values()) == {(None, None, True)}
    assert not course.autograded(student, "tiny").exists()
    shutil.rmtree(report)
    assert evaluated(course, [student], grader) == []
    assert grades(course.root)[student, "double"] == (0.0, None, False)


def test_a_submission_that_was_there_before_is_recorded_anew_where_recording_another_was_not_finished(
    new_course: Callable[[str], Course], monkeypatch: pytest.MonkeyPatch, grader: Grader
) -> None:
    course = new_course("one")
    _, student = hand_in(course, 2)
    graded(course, [student], grader)
    before, file = state(course), course.submitted(student, "tiny") / "tiny.ipynb"
    first = file.read_bytes()
    as_many_points = variant("wrong", "def double(x):\n    return 3 * x\n")
    submit(course.root, student, "tiny", solved_by(course.build("tiny"), as_many_points))
    with monkeypatch.context() as patch:
        patch.setattr("autograder.course.gradebook.Recorder.record", interrupted)
        with pytest.raises(KeyboardInterrupt):
            graded(course, [student], grader)
    assert state(course) != before
    file.write_bytes(first)
    graded(course, [student], grader)
    assert state(course) == before


def interrupted(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_students_whom_the_course_leaves_out_are_not_graded(new_course: Callable[[str], Course]) -> None:
    course = new_course("one")
    hand_in(course, 3)
    config = course.root / "grader_config.py"
    config.write_text(config.read_text() + "c.CourseDirectory.student_id_exclude = 'student0, student2'\n")
    assert load_course(course.root).submitting_students("tiny") == ["student1"]


KILLS = 12


@pytest.mark.slow
def test_a_grader_that_is_killed_at_any_moment_leaves_what_an_undisturbed_one_does(
    new_course: Callable[[str], Course], grader: Grader
) -> None:
    undisturbed, disturbed = new_course("undisturbed"), new_course("disturbed")
    students = hand_in(undisturbed, 16)
    hand_in(disturbed, 16)
    graded(undisturbed, students, grader)
    moments = random.Random(0)
    for number in range(KILLS):
        how = signal.SIGINT if number % 4 == 0 else signal.SIGKILL
        options = ["--fresh"] if number % 3 else []
        command = [sys.executable, "-c", "from autograder.cli import main; main()", "grade", "tiny", *options]
        with (disturbed.root / "log").open("w") as log:
            running = subprocess.Popen(command, cwd=disturbed.root, stdout=log, stderr=log, env={**os.environ})
            time.sleep(moments.uniform(1, 9))
            running.send_signal(how)
            running.wait(60)
    outcomes = graded(disturbed, students, grader)
    assert [outcome.report for outcome in outcomes] == [
        outcome.report for outcome in graded(undisturbed, students, grader)
    ]
    assert state(disturbed) == state(undisturbed)
