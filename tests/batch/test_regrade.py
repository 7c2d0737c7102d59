"""A regrade says who would change before anything is written, records just that, and may be ended at any moment."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from nbgrader.api import Gradebook

from autograder.batch.evaluators import WarmGrader
from autograder.batch.regrade import REGRADED, apply, compare
from autograder.cli import main
from autograder.course.comparison import Comparison, StudentChange, TaskChange, TestChange, faults_of, task_changes
from autograder.course.course import Course, load_course
from autograder.course.last_run import LastRun
from autograder.course.score_log import log_file, read_log
from autograder.errors import ConfigError
from autograder.exercise.build import write
from autograder.grading.evaluate import Grader
from autograder.report import Status
from autograder.standing import Entry, Standing
from tests.batch.test_run import Watched, graded, hand_in, state
from tests.course.graded_class import BROKEN, DOUBLE, QUADRUPLE, report
from tests.nbgrader_course import grades

LOOSE = ("assert_close(student.double(2.5), 5.0", "assert_close(0 * student.double(2.5), 0.0")


@pytest.fixture(scope="module")
def graded_course(tmp_path_factory: pytest.TempPathFactory, tiny_course: Path, grader: Grader) -> Path:
    root = shutil.copytree(tiny_course, tmp_path_factory.mktemp("graded") / "course")
    course = load_course(root)
    graded(course, hand_in(course), grader)
    return root


@pytest.fixture
def course(graded_course: Path, tmp_path: Path) -> Course:
    return load_course(shutil.copytree(graded_course, tmp_path / "course"))


def change(course: Course, *replaced: tuple[str, str]) -> None:
    for file in (course.exercises_folder / "tiny").iterdir():
        text = file.read_text()
        for before, after in replaced:
            text = text.replace(before, after)
        file.write_text(text)
    write(course.build("tiny"), course.solutions, course.assignments)


def everything(course: Course) -> dict[str, object]:
    log = log_file(course.root, "tiny")
    return {**state(course), "gradebook": (course.root / "gradebook.db").read_bytes(), "log": log.read_bytes()}


def enter(course: Course, student: str, task: str, score: float) -> None:
    with Gradebook(course.db_url) as gradebook:
        grade = gradebook.find_grade(task, "tiny", "tiny", student)
        grade.manual_score, grade.needs_manual_grade = score, False
        gradebook.db.commit()


def changed(found: Comparison) -> dict[tuple[str, str], tuple[float | None, float | None]]:
    return {
        (one.student, task.task): (
            task.before.earned if task.before else None,
            task.after.earned if task.after else None,
        )
        for one in found.changes
        for task in one.tasks
    }


def brute_force(before: Course, after: Course) -> dict[tuple[str, str], tuple[float | None, float | None]]:
    """Two gradebooks, row by row."""
    old, new = grades(before.root), grades(after.root)
    return {row: (old[row][0], new[row][0]) for row in old if old[row][0] != new[row][0]}


def graded_anew(course: Course, grader: Grader) -> Course:
    """A copy of the course that has never been graded, graded."""
    root = shutil.copytree(course.root, course.root.with_name("anew"))
    for folder in ("reports", "autograded", ".autograder", "score-log"):
        shutil.rmtree(root / folder, ignore_errors=True)
    anew = load_course(root)
    graded(anew, anew.submitting_students("tiny"), grader, fresh=True)
    return anew


def test_who_would_change_is_said_before_anything_is_written_and_just_that_is_recorded_without_another_evaluation(
    course: Course, grader: Grader
) -> None:
    change(course, LOOSE)
    before = everything(course)
    found = compare(course, "tiny", WarmGrader(grader), {})
    assert everything(course) == before
    assert changed(found) == {("student1", "double"): (0.0, 1.0)}
    assert found.looked_at == 4
    (of_double,) = found.changes[0].tasks
    assert of_double.tests == (TestChange("test_number", Status.FAILED, Status.PASSED),)
    assert [found.before, found.after] != [found.before] * 2
    watched = Watched(grader)
    apply(course, "tiny", watched, {}, LastRun(course.root, "tiny", []))
    assert watched.students == []
    assert {row: grades(course.root)[row][0] for row in changed(found)} == {
        row: after for row, (_, after) in changed(found).items()
    }
    last = read_log(course.root, "tiny")[0][-1]
    assert (last.student, last.task, last.old, last.new, last.why) == ("student1", "double", 0.0, 1.0, REGRADED)
    assert not compare(course, "tiny", watched, {}).changes


def test_scores_by_hand_stay_and_where_their_maximum_changed_it_is_said(course: Course, grader: Grader) -> None:
    enter(course, "student0", "explain", 1.5)
    enter(course, "student1", "double", 3.0)
    shutil.rmtree(course.root / "submitted" / "student2")
    change(course, ("points = 2", "points = 5"), ("points = 4", "points = 8"))
    found = compare(course, "tiny", WarmGrader(grader), {})
    assert found.said == [
        "the task `double` was worth 4 points and is worth 8 now",
        "the task `explain` was worth 2 points and is worth 5 now",
    ]
    kept = {(one.student, task.task): task.kept for one in found.changes for task in one.tasks if task.kept}
    assert kept == {
        ("student0", "explain"): "the 1.5 points by hand were out of 2 points and are out of 5 now",
        ("student1", "double"): "the 3 points by hand were out of 4 points and are out of 8 now",
    }
    assert found.remarks == {"student2": "has nothing in submitted/ any more, so cannot be graded again"}
    done = apply(course, "tiny", WarmGrader(grader), {}, LastRun(course.root, "tiny", []))
    (left,) = done.left
    assert left.said.startswith("handed in nothing now: 0 of 3 points stand, by the older version ")
    assert left.said.endswith("; no score any more: double")
    assert "student2" in done.waiting
    rows = grades(course.root)
    assert (rows["student0", "double"][0], rows["student0", "explain"][1]) == (8.0, 1.5)
    assert rows["student1", "double"] == (0.0, 3.0, True)
    assert rows["student2", "double"] == (None, None, True)  # 4 points out of 4 are no score out of 8


@pytest.mark.slow
def test_a_broken_suite_is_named_and_nothing_is_recorded(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(course.root)
    change(course, ("assert_close(student.double(2.5), 5.0", "assert_close(student.double(2.5), five"))
    shutil.rmtree(course.root / "submitted" / "student3")
    before = everything(course)
    result = CliRunner().invoke(main, ["regrade", "tiny", "--jobs", "1", "--apply"], env={"COLUMNS": "120"})
    assert result.exit_code == 1
    assert "student3 has nothing in submitted/ any more, so cannot be graded again" in result.output.splitlines()
    assert "3 students would be ungraded: test_number: NameError" in result.output
    assert result.output.splitlines()[-1] == "nothing is written"
    assert everything(course) == before


def test_what_of_ours_failed_is_said_where_a_score_would_go_for_it() -> None:
    scored, none = Standing({"quadruple": Entry(3, 3)}), Standing({"quadruple": Entry(3, None)})
    new = report(DOUBLE, BROKEN)
    assert faults_of(task_changes(scored, none, report(DOUBLE, QUADRUPLE), new, {}), new) == {
        "test_q: KeyError: 'ours'"
    }
    assert not faults_of(task_changes(none, none, new, new, {}), new)


def test_a_task_that_went_is_one_line_and_what_lies_under_a_score_by_hand_is_no_change_of_score() -> None:
    def change_of(before: Entry, after: Entry | None) -> TaskChange:
        old = Standing({"double": before})
        new = Standing({"double": after} if after else {})
        made = report(DOUBLE, QUADRUPLE)
        (found,) = task_changes(old, new, made, replace(made, tasks=made.tasks[1:]), {})
        return found

    assert change_of(Entry(4, 4), None).tests == ()
    assert change_of(Entry(4, 4), None).is_felt
    under = change_of(Entry(10, 3, manual=5), Entry(10, 7, manual=5))
    assert (under.is_felt, under.kept) == (False, "the 5 points by hand stay")
    assert change_of(Entry(10, 3, manual=5), Entry(8, 3, manual=5)).is_felt
    changes = [StudentChange("ada", [under]), StudentChange("ben", [change_of(Entry(4, 4), None)])]
    assert Comparison(changes, looked_at=2).concerned == 1


def test_a_class_that_was_never_graded_cannot_be_graded_again(
    new_course: Callable[[str], Course], grader: Grader
) -> None:
    course = new_course("course")
    hand_in(course, 1)
    with pytest.raises(ConfigError, match="nothing is graded yet; run `autograder grade tiny` first"):
        compare(course, "tiny", WarmGrader(grader), {})


@pytest.mark.slow
def test_a_task_under_another_name_keeps_what_people_have_entered(course: Course, grader: Grader) -> None:
    enter(course, "student0", "explain", 1.5)
    change(course, ("explain", "reason"))
    lost = compare(course, "tiny", WarmGrader(grader), {})
    assert changed(lost) == {("student0", "explain"): (1.5, None)}
    names = {"explain": "reason"}
    assert not compare(course, "tiny", WarmGrader(grader), names).changes
    apply(course, "tiny", WarmGrader(grader), names, LastRun(course.root, "tiny", []))
    assert grades(course.root)["student0", "reason"][:2] == (None, 1.5)


@pytest.mark.slow
def test_the_command_prints_it_and_says_how_to_record_it(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(course.root)
    change(course, LOOSE)

    def run(*arguments: str) -> list[str]:
        result = CliRunner().invoke(main, ["regrade", "tiny", "--jobs", "1", *arguments], env={"COLUMNS": "120"})
        assert result.exit_code == 0, result.output
        return result.output.splitlines()

    said = run()
    assert any("student1" in line and "test_number: failed → passed" in line for line in said)
    assert said[-1] == "nothing is written; to record it: autograder regrade tiny --apply"
    assert any("student1" in line and "4 / 7" in line for line in run("--apply"))
    assert run()[-2] == "0 of 4 students would have other scores or maxima"


@pytest.mark.slow
@pytest.mark.parametrize("size", [int(os.environ.get("REGRADED", "24"))])
def test_it_lists_just_the_students_that_a_comparison_of_two_gradebooks_lists(
    new_course: Callable[[str], Course], grader: Grader, size: int
) -> None:
    course = new_course("course")
    graded(course, hand_in(course, size), grader)
    change(course, LOOSE)
    found = compare(course, "tiny", WarmGrader(grader), {})
    expected = brute_force(course, graded_anew(course, grader))
    assert expected
    assert changed(found) == expected


@pytest.mark.slow
def test_a_regrade_that_is_killed_at_any_moment_leaves_whole_scores_and_ends_as_an_undisturbed_one(
    new_course: Callable[[str], Course], grader: Grader
) -> None:
    undisturbed, disturbed = new_course("undisturbed"), new_course("disturbed")
    for course in (undisturbed, disturbed):
        graded(course, hand_in(course, 16), grader)
    before = grades(disturbed.root)
    for course in (undisturbed, disturbed):
        change(course, LOOSE, ("points = 4", "points = 8"))
    apply(undisturbed, "tiny", WarmGrader(grader), {}, LastRun(undisturbed.root, "tiny", []))
    after = grades(undisturbed.root)
    moments = random.Random(0)
    for _ in range(6):
        command = [sys.executable, "-c", "from autograder.cli import main; main()", "regrade", "tiny", "--apply"]
        with (disturbed.root / "log").open("w") as log:
            running = subprocess.Popen(command, cwd=disturbed.root, stdout=log, stderr=log, env={**os.environ})
            time.sleep(moments.uniform(1, 12))
            running.send_signal(signal.SIGKILL)
            running.wait(60)
        for row, (score, _, waits) in grades(disturbed.root).items():
            assert (score, waits) in ((before[row][0], before[row][2]), (after[row][0], after[row][2]), (None, True))
    apply(disturbed, "tiny", WarmGrader(grader), {}, LastRun(disturbed.root, "tiny", []))
    assert state(disturbed) == state(undisturbed)
    last = {(one.student, one.task): one.new for one in read_log(disturbed.root, "tiny")[0]}
    assert {row: last[row] for row in after if row in last} == {row: after[row][0] for row in after if row in last}
