"""Every change of a score is in the log, with its reason, whoever made it and whatever ended in the middle."""

from __future__ import annotations

import csv
import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from nbgrader.api import Gradebook

from autograder.cli import main
from autograder.course.course import Course
from autograder.course.gradebook import gradebook_to_read, open_gradebook
from autograder.course.score_log import BY_HAND, FOUND, GONE, LATE, Change, ScoreLog, log_file, note_found, read_log
from autograder.standing import Entry, Standing
from tests.course.graded_class import DOUBLE, QUADRUPLE, WRONG, enter, report


@pytest.fixture
def course(new_course: Callable[[str], Course]) -> Course:
    course = new_course("course")
    with open_gradebook(course) as gradebook:
        enter(course, gradebook, "ada", report(DOUBLE, QUADRUPLE))
        enter(course, gradebook, "ben", report(WRONG, QUADRUPLE))
    return course


def noted(course: Course, why: str = FOUND) -> list[tuple[str, str, float | None, float | None, str]]:
    """What a look at the gradebook adds: student, task, old, new, why."""
    before = lines(course)
    with gradebook_to_read(course) as gradebook:
        note_found(course, gradebook, "tiny", why)
    return [(one.student, one.task, one.old, one.new, one.why) for one in lines(course)[len(before) :]]


def lines(course: Course) -> list[Change]:
    return read_log(course.root, "tiny")[0] if log_file(course.root, "tiny").exists() else []


def change(course: Course, student: str, task: str, **values: float | None) -> None:
    with Gradebook(course.db_url) as gradebook:
        grade = gradebook.find_grade(task, "tiny", "tiny", student)
        for name, value in values.items():
            setattr(grade, name, value)
        gradebook.db.commit()


def test_what_is_there_is_noted_once_and_a_change_with_what_was_there_before(course: Course) -> None:
    assert noted(course, "graded") == [
        ("ada", "double", None, 4.0, "graded"),
        ("ada", "quadruple", None, 3.0, "graded"),
        ("ben", "double", None, 2.0, "graded"),
        ("ben", "quadruple", None, 3.0, "graded"),
    ]
    assert noted(course) == []
    assert [(one.version, one.seed, one.points) for one in lines(course)[:2]] == [("0123", 0, 4.0), ("0123", 0, 3.0)]
    change(course, "ben", "double", auto_score=4.0)
    assert noted(course) == [("ben", "double", 2.0, 4.0, FOUND)]


def test_what_a_person_enters_is_told_apart_and_nobodys_account_is_put_down_for_it(course: Course) -> None:
    noted(course)
    change(course, "ada", "explain", manual_score=1.5)
    change(course, "ben", "double", manual_score=3.0, auto_score=1.0)
    change(course, "ben", "quadruple", extra_credit=0.5)
    assert noted(course) == [
        ("ada", "explain", None, 1.5, BY_HAND),
        ("ben", "double", 2.0, 3.0, f"{FOUND}; {BY_HAND}"),
        ("ben", "quadruple", 3.0, 3.5, BY_HAND),
    ]
    assert [bool(one.by) for one in lines(course)[-3:]] == [False, True, False]


def test_a_penalty_and_a_submission_that_is_taken_out_are_changes_too(course: Course) -> None:
    noted(course)
    with Gradebook(course.db_url) as gradebook:
        gradebook.find_submission("tiny", "ada").notebooks[0].late_submission_penalty = 0.5
        gradebook.db.commit()
        gradebook.remove_submission("tiny", "ben")
    assert noted(course) == [
        ("ada", LATE, None, -0.5, FOUND),
        ("ben", "double", 2.0, None, GONE),
        ("ben", "quadruple", 3.0, None, GONE),
    ]
    assert noted(course) == []


def test_a_line_that_was_cut_off_is_told_and_what_it_said_is_noted_again(course: Course) -> None:
    noted(course)
    file = log_file(course.root, "tiny")
    whole = file.read_bytes()
    file.write_bytes(whole[:-20])
    assert noted(course) == [("ben", "quadruple", None, 3.0, FOUND)]
    changes, broken = read_log(course.root, "tiny")
    assert (len(changes), broken) == (4, [4])


def test_what_is_noted_after_a_line_that_was_cut_off_is_a_line_of_its_own(course: Course) -> None:
    noted(course)
    file = log_file(course.root, "tiny")
    file.write_bytes(file.read_bytes() + b'{"when":')
    log = ScoreLog(course.root, "tiny")
    seen: dict[str, Standing] = {}
    for points in (None, 1.0):
        log.note(lambda: seen, "graded", lambda _: ("0123", 0), everybody=False)
        seen["cleo"] = Standing({"double": Entry(4.0, points)})
    log.note(lambda: seen, "graded", lambda _: ("0123", 0), everybody=False)
    changes, broken = read_log(course.root, "tiny")
    assert (changes[-1].student, changes[-1].new, broken) == ("cleo", 1.0, [5])


def test_several_at_once_note_each_change_once(course: Course) -> None:
    def look() -> None:
        with gradebook_to_read(course) as gradebook:
            note_found(course, gradebook, "tiny")

    threads = [threading.Thread(target=look) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(lines(course)) == 4


def test_a_log_that_cannot_be_written_is_told_and_costs_nobody_a_score(
    course: Course, caplog: pytest.LogCaptureFixture
) -> None:
    (course.root / "score-log").write_text("in the way")
    with gradebook_to_read(course) as gradebook:
        note_found(course, gradebook, "tiny")
    assert "could not be noted" in caplog.text


def test_the_command_prints_it_and_writes_a_table_that_no_spreadsheet_runs(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(course.root)
    shutil.rmtree(course.root / "score-log", ignore_errors=True)
    with open_gradebook(course) as gradebook:
        enter(course, gradebook, "=cmd()", report(WRONG, QUADRUPLE))
    result = CliRunner().invoke(main, ["log", "tiny", "ben"])
    said = result.output.splitlines()
    assert (result.exit_code, "  ben  quadruple: – → 3 of 3" in result.output, "ada" in result.output) == (
        0,
        True,
        False,
    )
    assert said[1].startswith("    found in the gradebook, by ")
    assert max(map(len, said)) <= 80
    assert CliRunner().invoke(main, ["log", "tiny", "--to", "log.csv"]).output == "wrote log.csv: 6 changes\n"
    rows = list(csv.DictReader(Path("log.csv").read_text().splitlines()))
    assert [row["student"] for row in rows][:2] == ["'=cmd()", "'=cmd()"]
    stored = log_file(course.root, "tiny").read_text().splitlines()
    assert [json.loads(line)["new"] for line in stored] == [float(row["new"]) for row in rows]
    assert CliRunner().invoke(main, ["log", "tyni"]).exit_code == 2
    unknown = CliRunner().invoke(main, ["log", "tiny", "bne"])
    assert (unknown.exit_code, "neither the gradebook nor the log of `tiny` has a student bne" in unknown.output) == (
        2,
        True,
    )
