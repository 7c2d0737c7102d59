"""A class of the small exercise as a run and a person leave it, without a run: reports, refusals and the gradebook."""

from __future__ import annotations

from collections.abc import Mapping

from nbgrader.api import Gradebook

from autograder.course.course import Course
from autograder.course.gradebook import open_gradebook
from autograder.course.reports import save_refusal, save_report
from autograder.report import Finding, Mistake, Report, Status, TaskResult, TestResult
from tests.nbgrader_course import submit

LONG = "x" * 200
FORMULA = "=cmd()"
SCRIPT = "<script>alert(1)</script>"
NAMES = {  # last and first name, by id
    "ada": ("O'Neil, Jr.", "Łukasz"),
    FORMULA: ("=cmd()", "@SUM(A1)"),
    LONG: (SCRIPT, "-Anna"),
    "refused": ("Doe", "Ben"),
    "absent": ("", ""),
}
MISTAKE = Mistake("squared", "Squares x.", "Think.")


def outcome(name: str, status: Status, message: str = "", fault: str = "") -> TestResult:
    return TestResult(name, f"what {name[5:]} tries", 1.0, status, message, fault)


def task_result(name: str, points: float, *tests: TestResult, earned: float | None) -> TaskResult:
    worst = next((one.status for one in tests if one.status is not Status.PASSED), Status.PASSED)
    mistakes = (MISTAKE,) if worst is Status.FAILED else ()
    return TaskResult(name, f"The task {name}", points, earned, worst, tests=tests, mistakes=mistakes)


def report(double: TaskResult, quadruple: TaskResult, *findings: Finding) -> Report:
    explain = TaskResult("explain", "Explain it", 2.0, None, Status.BY_HAND)
    return Report("tiny", "0123", 0, (double, quadruple, explain), findings)


DOUBLE = task_result("double", 4, outcome("test_d1", Status.PASSED), outcome("test_d2", Status.PASSED), earned=4)
QUADRUPLE = task_result("quadruple", 3, outcome("test_q", Status.PASSED), earned=3)
WRONG = task_result(
    "double",
    4,
    outcome("test_d1", Status.PASSED),
    outcome("test_d2", Status.FAILED, "1 < 2 & 3\x0b\uffff"),
    earned=2,
)
CARRIED = task_result("quadruple", 3, outcome("test_q", Status.CARRIED, "right, given a right `double`"), earned=3)
BROKEN = task_result("quadruple", 3, outcome("test_q", Status.UNGRADED, fault="KeyError: 'ours'"), earned=None)
PACKAGE = Finding("package", f"it imports `{SCRIPT}`, which is not installed")


def fill(course: Course) -> None:
    """ada is settled and late, the formula waits for a reader, the long id is ungraded, one is refused, one absent."""
    reports = {
        "ada": report(DOUBLE, QUADRUPLE),
        FORMULA: report(WRONG, CARRIED, PACKAGE),
        LONG: report(DOUBLE, BROKEN),
    }
    with open_gradebook(course) as gradebook:
        for student, (last, first) in NAMES.items():
            gradebook.add_student(student, last_name=last, first_name=first)
        for student, one in reports.items():
            enter(course, gradebook, student, one)
        gradebook.add_submission("tiny", "refused")
        settled = gradebook.find_grade("explain", "tiny", "tiny", "ada")
        settled.manual_score, settled.needs_manual_grade = 1.5, False
        gradebook.find_submission("tiny", "ada").notebooks[0].late_submission_penalty = 0.5
        gradebook.db.commit()
    submit(course.root, "refused", "tiny", b"text", name="notes.txt")
    save_refusal(course.root, "tiny", "refused", f"no tiny.ipynb was handed in {SCRIPT}")


def enter(course: Course, gradebook: Gradebook, student: str, one: Report) -> None:
    """A student's report, and what a run writes into the gradebook of it."""
    submit(course.root, student, "tiny", b"{}")
    save_report(course.root, student, one)
    gradebook.update_or_create_student(student)
    gradebook.add_submission("tiny", student)
    for task in one.tasks:
        grade = gradebook.find_grade(task.name, "tiny", "tiny", student)
        grade.auto_score, grade.needs_manual_grade = task.earned, task.earned is None
    gradebook.db.commit()


def numbers(row: Mapping[str, str], *columns: str) -> list[str]:
    """The cells of a row."""
    return [row[column] for column in columns]
