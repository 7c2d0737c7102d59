"""A report adds up its tasks and is written as the same JSON every time."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.report import Finding, Report, Status, TaskResult, TestResult, joined

TESTS = (
    TestResult("test_a", "the sum", 1.0, Status.PASSED),
    TestResult("test_b", "shapes", 2.0, Status.FAILED, "it differs: «ž»\n<b>", "a trace"),
)
TASKS = (
    TaskResult("a", "A", 4.0, 1.1, Status.FAILED, "a hint", TESTS),
    TaskResult("b", "B", 3.0, 2.2, Status.CARRIED),
    TaskResult("c", "C", 2.0, None, Status.UNGRADED),
    TaskResult("d", "D", 5.0, None, Status.BY_HAND),
)
REPORT = Report("tiny", "0123456789abcdef", 7, TASKS, (Finding("renamed", "x.ipynb"),), "a fault")


def test_points_are_added_up_without_a_residue() -> None:
    assert REPORT.earned == 3.3
    assert Report("tiny", "", 0, ()).earned == 0


def test_what_is_graded_by_hand_does_not_count_among_the_automatic_points() -> None:
    assert REPORT.automatic_points == 9


def test_the_ungraded_tasks_are_those_that_wait_for_a_person() -> None:
    assert REPORT.ungraded == (TASKS[2],)


def test_a_task_is_found_by_its_name() -> None:
    assert REPORT.task("b") is TASKS[1]


def test_json_holds_everything_and_is_the_same_each_time() -> None:
    text = REPORT.to_json()
    assert msgspec.json.decode(text, type=Report) == REPORT
    assert text == REPORT.to_json()
    assert text.endswith("}\n")
    assert json.loads(text)["tasks"][1]["status"] == "carried"


words = st.text(max_size=8)
numbers = st.floats(0, 1e6)
results = st.builds(TestResult, words, words, numbers, st.sampled_from(Status), words, words)
tasks = st.builds(
    TaskResult,
    *(words, words, numbers, st.none() | numbers, st.sampled_from(Status), words),
    st.lists(results, max_size=2).map(tuple),
)
reports = st.builds(
    Report,
    *(words, words, st.integers(0, 2**63 - 1)),
    st.lists(tasks, max_size=3).map(tuple),
    st.lists(st.builds(Finding, words, words), max_size=2).map(tuple),
    words,
)


@given(reports)
def test_any_report_comes_back_from_json_as_it_was(report: Report) -> None:
    assert msgspec.json.decode(report.to_json().encode(), type=Report) == report


@pytest.mark.parametrize("status", Status)
def test_a_status_is_the_word_that_people_read(status: Status) -> None:
    assert f"{status}" == status.value == status.name.lower().replace("_", " ")


def test_without_its_tests_a_report_says_the_same_of_its_tasks() -> None:
    test = TestResult("test_one", "one", 1.0, Status.FAILED, "off")
    report = Report("tiny", "v", 0, (TaskResult("double", "Double", 4.0, 2.0, Status.FAILED, tests=(test,)),))
    short = report.without_tests()
    assert (short.earned, short.task("double").status, short.task("double").tests) == (2.0, Status.FAILED, ())


def test_one_report_is_made_of_those_on_the_notebooks_and_holds_each_of_them() -> None:
    about_all = Finding("missing", "no third.ipynb was handed in")
    whole = Report("week", "all", 7, (), (about_all,))
    parts = {
        name: Report("week/first", "one", 7, TASKS, (about_all, Finding("edited", name)), fault, ("network",))
        for name, fault in {"first": "", "second": "a fault"}.items()
    }
    one = joined(whole, parts)
    assert (one.exercise, one.version, one.fault, one.breaches) == ("week", "all", "a fault", ("network",))
    assert [task.name for task in one.tasks] == [f"{name}/{task}" for name in parts for task in "abcd"]
    assert [(finding.notebook, finding.message) for finding in one.findings] == [
        ("", about_all.message),
        ("first", "first"),
        ("second", "second"),
    ]
    part = one.of_notebook("second")
    assert part.tasks == TASKS
    assert [finding.message for finding in part.findings] == [about_all.message, "second"]


def test_the_report_on_a_single_notebook_of_the_assignments_name_is_that_of_the_notebook() -> None:
    one = Report("tiny", REPORT.version, 7, TASKS, REPORT.findings, "a fault")
    assert joined(Report("tiny", REPORT.version, 7, ()), {"tiny": one}) == one == one.of_notebook("tiny")
    assert '"notebook"' not in one.to_json()
