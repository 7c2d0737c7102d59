"""The page about a class: it stands alone, shows hostile texts as what they are, and has every student."""

from __future__ import annotations

import time
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from nbgrader.api import Grade, Gradebook, Student, SubmittedAssignment, SubmittedNotebook

from autograder.course.class_page import as_html
from autograder.course.class_report import ClassReport, class_report
from autograder.course.course import Course
from autograder.course.gradebook import open_gradebook
from autograder.course.reports import save_report
from autograder.errors import ConfigError
from tests.course.graded_class import (
    CARRIED,
    DOUBLE,
    FORMULA,
    LONG,
    PACKAGE,
    QUADRUPLE,
    SCRIPT,
    WRONG,
    enter,
    fill,
    report,
)

MANY = 2_000


class Page(HTMLParser):
    """Its elements with their attributes, and the text of its table rows."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.rows: list[list[str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data

    def row(self, first: str) -> list[str]:
        return next(row for row in self.rows if row and row[0].strip() == first)


@pytest.fixture
def course(new_course: Callable[[str], Course]) -> Course:
    course = new_course("course")
    fill(course)
    return course


def reported(course: Course) -> ClassReport:
    with open_gradebook(course) as gradebook:
        return class_report(course, gradebook, "tiny")


def page_of(course: Course) -> tuple[str, Page]:
    text = as_html(reported(course))
    return text, Page(text)


def test_nothing_of_a_students_becomes_part_of_the_page(course: Course) -> None:
    text, page = page_of(course)
    assert SCRIPT not in text
    assert [tag for tag, _ in page.elements].count("script") == 1
    assert page.row(LONG)[1] == f"-Anna {SCRIPT}"
    assert f"imports `{SCRIPT}`" in next(row for row in page.rows if row[1:2] == ["package"])[2]


def test_nothing_is_loaded_from_elsewhere(course: Course) -> None:
    text, page = page_of(course)
    linked = [value for _, attributes in page.elements for name, value in attributes.items() if name in ("src", "href")]
    assert linked == []
    assert "url(" not in text.replace("url(#", "")
    assert "@import" not in text


def test_plots_say_in_words_what_they_show(course: Course) -> None:
    plots = [attributes for tag, attributes in page_of(course)[1].elements if tag == "svg"]
    assert [one["role"] for one in plots] == ["img", "img"]
    assert "2 students" in str(plots[0]["aria-label"])


def test_each_student_has_a_row_and_a_number_only_where_there_is_a_score(course: Course) -> None:
    _, page = page_of(course)
    assert page.row("ada")[1:6] == ["Łukasz O'Neil, Jr.", "8", "9", "final, late", ""]
    assert page.row(FORMULA)[2:7] == [
        "5",
        "7",
        "waits by hand",
        "double 2/4 failed, quadruple 3/3 carried",
        "Squares x.",
    ]
    assert page.row(LONG)[2:6] == ["", "", "ungraded", "quadruple ungraded"]
    assert page.row("refused")[2:5] == ["", "", "refused"]
    assert page.row("absent")[2:5] == ["", "", "handed in nothing"]


def test_what_students_share_is_told_with_who_they_are(course: Course) -> None:
    found = reported(course)
    assert [(one.where, one.what, one.students) for one in found.mistakes] == [("double", "Squares x.", [FORMULA])]
    assert [(one.where, one.students) for one in found.unavailable] == [("package", [FORMULA])]
    assert [(one.where, one.what, one.students) for one in found.faults] == [
        ("quadruple: test_q", "KeyError: 'ours'", [LONG])
    ]


def test_a_score_that_the_gradebook_does_not_have_is_none(course: Course) -> None:
    with open_gradebook(course) as gradebook:
        gradebook.remove_submission("tiny", "ada")
    _, page = page_of(course)
    assert page.row("ada")[2:6] == ["", "", "ungraded", "it is not in the gradebook; grade again"]


def test_points_are_the_gradebooks(course: Course) -> None:
    with open_gradebook(course) as gradebook:
        gradebook.find_grade("double", "tiny", "tiny", FORMULA).manual_score = 4
        gradebook.db.commit()
    assert reported(course).tasks[0].mean == 1


def test_a_class_of_one_has_a_page(new_course: Callable[[str], Course]) -> None:
    course = new_course("course")
    with open_gradebook(course) as gradebook:
        enter(course, gradebook, "ada", report(DOUBLE, QUADRUPLE))
    assert page_of(course)[1].row("ada")[2:5] == ["7", "7", "waits by hand"]


def test_a_class_without_any_result_is_one_sentence(new_course: Callable[[str], Course]) -> None:
    with pytest.raises(ConfigError, match="run `autograder grade tiny` first"):
        reported(new_course("course"))


@pytest.mark.slow
def test_a_page_of_2000_students_is_made_within_10_seconds_and_below_5_megabytes(
    new_course: Callable[[str], Course],
) -> None:
    course = new_course("course")
    fill(course)
    with open_gradebook(course) as gradebook:
        _enter_many(course, gradebook)
    start = time.process_time()
    text, page = page_of(course)
    assert time.process_time() - start < 10
    assert len(text.encode()) < 5_000_000
    assert page.row(f"s{MANY - 1}")[2:4] == ["5", "7"]


def _enter_many(course: Course, gradebook: Gradebook) -> None:
    """As `enter`, at once."""
    one = report(WRONG, CARRIED, PACKAGE)
    notebook = gradebook.find_notebook("tiny", "tiny")
    for number in range(MANY):
        student = f"s{number}"
        save_report(course.root, student, one)
        submission = SubmittedAssignment(student=Student(id=student), assignment=notebook.assignment)
        submitted = SubmittedNotebook(notebook=notebook, assignment=submission)
        for cell in notebook.grade_cells:
            earned = one.task(cell.name).earned
            Grade(cell_id=cell.id, notebook=submitted, auto_score=earned, needs_manual_grade=earned is None)
        gradebook.db.add(submission)
    gradebook.db.commit()
