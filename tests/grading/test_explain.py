"""Staff read everything that students must not: names of tests, and what broke."""

from __future__ import annotations

from autograder.grading.explain import explain
from autograder.report import Finding, Mistake, Report, Status, TaskResult, TestResult

DOUBLE = TaskResult(
    *("double", "Double", 4.0, 2.5, Status.FAILED),
    tests=(
        TestResult("test_a", "twice an array", 1.0, Status.PASSED),
        TestResult("test_b", "twice a number", 1.0, Status.FAILED, "it differs; yours is 3", "a trace"),
        TestResult("test_c", "twice a list", 1.0, Status.FAILED, "it differs; yours is 3", "a trace"),
    ),
    mistakes=(Mistake("thrice", "Three times", "How often?"),),
)
QUADRUPLE = TaskResult("quadruple", "Double twice", 3.0, None, Status.UNGRADED)


def test_staff_are_told_which_tests_failed_and_what_broke() -> None:
    finding = Finding("renamed", "the file is called\nmine.ipynb")
    told = explain(Report("tiny", "0123", 7, (DOUBLE, QUADRUPLE), (finding,), "our own fault", ("network",)))
    assert told.splitlines() == [
        "  2.5 of 7 points, 3 more wait for a person, seed 7, version 0123",
        "  file renamed: the file is called mine.ipynb",
        "  UNSAFE: the code was not shut off from: network",
        "  double: 2.5 of 4 points (failed)",
        "    known mistake: Three times [thrice]",
        "    failed: it differs; yours is 3 [test_b, test_c]",
        "      a trace",
        "  quadruple: not graded yet, 3 points (ungraded)",
        "      our own fault",
    ]


def test_what_waits_for_a_person_as_a_whole_is_no_zero() -> None:
    (told, *_) = explain(Report("tiny", "0123", 0, (QUADRUPLE,))).splitlines()
    assert told == "  not graded: all 3 points wait for a person, seed 0, version 0123"


def test_of_what_is_right_or_graded_by_hand_there_is_nothing_to_say() -> None:
    tasks = (
        TaskResult("a", "A", 4.0, 4.0, Status.PASSED, tests=(TestResult("test_a", "it", 1.0, Status.PASSED),)),
        TaskResult("b", "B", 2.0, None, Status.BY_HAND),
    )
    assert explain(Report("tiny", "0123", 0, tasks)).splitlines() == ["  4 of 4 points, seed 0, version 0123"]
