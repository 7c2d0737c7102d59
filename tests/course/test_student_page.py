"""The page that a student gets: the result first, every task with its reasons, and nothing that is loaded or run."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat import NotebookNode

from autograder.batch.evaluators import WarmGrader
from autograder.batch.run import grade_students
from autograder.course.course import Course, load_course
from autograder.course.gradebook import open_gradebook
from autograder.course.student_page import as_html
from autograder.exercise.built import Built
from autograder.grading.evaluate import Grader
from autograder.grading.feedback import SUMMARY
from autograder.report import Finding, Report, Status, TaskResult
from autograder.standing import Entry, Standing
from autograder.submission.samples import solved
from tests import plain_notebooks as plain
from tests.course.graded_class import BROKEN, CARRIED, DOUBLE, QUADRUPLE, SCRIPT, WRONG, report
from tests.nbgrader_course import nbgrader, submit

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="


def notebook(built: Built, *own: NotebookNode, below: str = "double-code") -> NotebookNode:
    """Right work with these cells below one of its cells, as it is after grading."""
    made = solved(built)
    place = next(number for number, cell in enumerate(made.cells) if cell.id == below) + 1
    made.cells[place:place] = own
    made.cells.insert(0, NotebookNode(id=SUMMARY, cell_type="markdown", metadata={}, source="the summary"))
    return made


def page(
    built: Built, one: Report, standing: Standing | None = None, *own: NotebookNode, below: str = "double-code"
) -> BeautifulSoup:
    return BeautifulSoup(as_html(one, standing, notebook(built, *own, below=below), "ada"), "html.parser")


def rows(found: BeautifulSoup) -> list[list[str]]:
    return [
        [" ".join(cell.text.split()) for cell in row.select("th, td")] for row in found.select("table.tasks tbody tr")
    ]


def section(found: BeautifulSoup, task: str) -> str:
    return " ".join(found.select_one(f"[aria-labelledby=task-{task}]").text.split())  # type: ignore[union-attr]


def ran(source: str, *outputs: NotebookNode) -> NotebookNode:
    return nbformat.v4.new_code_cell(source, outputs=list(outputs))


def stream(text: str) -> NotebookNode:
    return nbformat.v4.new_output("stream", name="stdout", text=text)


def test_the_result_comes_first_and_each_task_says_what_became_of_it(tiny_built: Built) -> None:
    found = page(tiny_built, report(WRONG, CARRIED))
    assert " ".join(found.select_one(".total").text.split()) == (  # type: ignore[union-attr]
        "Your result 5 of 7 points so far 2 more points wait for a person to grade them."
    )
    assert rows(found) == [
        ["The task double", "◐ partly", "2 / 4"],
        ["The task quadruple", "✓ carried forward", "3 / 3"],
        ["Explain it", "… waiting", "– / 2"],
    ]
    headings = [int(one.name[1]) for one in found.find_all(re.compile("^h[1-6]$"))]
    assert headings[:2] == [1, 2]
    assert all(below - above <= 1 for above, below in pairwise(headings))


@pytest.mark.parametrize(
    ("result", "word"),
    [
        (TaskResult("double", "", 4, 0.0, Status.FAILED), "✗ failed"),
        (TaskResult("double", "", 4, 1.0, Status.ERROR), "◐ partly"),
        (TaskResult("double", "", 4, 0.0, Status.MISSING), "✗ not written"),
        (TaskResult("double", "", 4, 0.0, Status.NOT_ALLOWED), "✗ not allowed"),
        (TaskResult("double", "", 4, None, Status.UNGRADED), "… waiting"),
        (TaskResult("double", "", 4, 4.0, Status.PASSED), "✓ passed"),
    ],
    ids=lambda value: str(getattr(value, "status", "")),
)
def test_a_status_is_a_mark_and_a_word(tiny_built: Built, result: TaskResult, word: str) -> None:
    assert rows(page(tiny_built, report(result, QUADRUPLE)))[0][1] == word


def test_every_link_of_the_table_leads_to_its_task(tiny_built: Built) -> None:
    found = page(tiny_built, report(WRONG, CARRIED))
    for link in found.select("table.tasks a, .up a"):
        assert len(found.select(f"[id='{link['href'][1:]}']")) == 1  # type: ignore[index]


def test_a_task_says_what_was_tried_what_differs_and_the_hint(tiny_built: Built) -> None:
    said = section(page(tiny_built, report(WRONG, QUADRUPLE)), "double")
    for text in ("Your results are those of a known mistake. Think.", "passed: what d1 tries", "1 < 2 & 3"):
        assert text in said
    assert "This is right, given a right `double`." in section(page(tiny_built, report(WRONG, CARRIED)), "quadruple")
    assert "KeyError" not in as_html(report(DOUBLE, BROKEN), None, notebook(tiny_built), "ada")


def test_points_by_hand_and_the_penalty_count(tiny_built: Built) -> None:
    tasks = {"double": Entry(4, 2, 3.5), "quadruple": Entry(3, None, None), "explain": Entry(2, None, 0, 1)}
    found = page(tiny_built, report(WRONG, BROKEN), Standing(tasks, frozenset({"explain"}), 0.5))
    assert [row[1:] for row in rows(found)] == [
        ["◐ graded by hand", "3.5 / 4"],
        ["… waiting", "– / 3"],
        ["◐ graded by hand", "1 / 2"],
    ]
    total = " ".join(found.select_one(".total").text.split())  # type: ignore[union-attr]
    assert total.startswith("Your result 4 of 6 points so far 3 more points wait")
    assert "0.5 points were taken off for being late." in total
    assert "a person changed the automatic 2" in section(found, "double")


def test_code_outputs_pictures_and_answers_stand_in_their_task(tiny_built: Built) -> None:
    picture = nbformat.v4.new_output("display_data", {"image/png": PNG, "text/plain": "<Figure>"})
    found = page(tiny_built, report(DOUBLE, QUADRUPLE), None, ran("mine = 1", stream("hello"), picture))
    double = found.select_one("[aria-labelledby=task-double]")
    assert double is not None
    assert "return 2 * x" in double.text
    assert "hello" in double.text
    assert [image["src"] for image in double.select("img[alt]")] == [f"data:image/png;base64,{PNG}"]
    assert "Because the factors multiply." in section(found, "explain")
    assert "the summary" not in found.text


def test_what_the_course_has_given_is_folded_and_what_a_student_wrote_is_not(tiny_built: Built) -> None:
    own = nbformat.v4.new_markdown_cell("<div><p>my own words</p></div>")
    found = page(tiny_built, report(DOUBLE, QUADRUPLE), None, own)
    (folded,) = (one for one in found.select("details.given") if "import numpy" in one.text)
    assert "my own words" not in folded.text
    assert "my own words" in section(found, "double")


def test_only_long_outputs_fold(tiny_built: Built) -> None:
    found = page(tiny_built, report(DOUBLE, QUADRUPLE), None, ran("1", stream("x\n" * 500)), ran("2", stream("short")))
    (folded,) = (one for one in found.select("details:not(.given)") if one.pre and one.pre.text.startswith("x"))
    assert folded.summary is not None
    assert folded.summary.text == "Output, 500 lines"
    assert not any("short" in one.text for one in found.select("details"))


def test_comments_by_hand_stand_below_their_cells(tiny_built: Built) -> None:
    made = notebook(tiny_built)
    for cell, comment in zip((c for c in made.cells if c.id in ("double-code", "explain")), "AB", strict=True):
        cell.metadata.nbgrader["comment"] = f"comment {comment} with **form** and $x$"
    found = BeautifulSoup(as_html(report(DOUBLE, QUADRUPLE), None, made, "ada"), "html.parser")
    assert "comment A with form" in section(found, "double")
    assert "comment B with form" in section(found, "explain")
    assert found.select(".comment strong")
    assert found.select(".comment math")


def test_a_file_that_could_not_be_read_has_no_code_to_show(tiny_built: Built) -> None:
    lost = [TaskResult(name, name, 2, None, Status.UNGRADED) for name in ("double", "quadruple")]
    found = page(tiny_built, report(*lost, Finding("unreadable", f"the file cannot be read: {SCRIPT}")))
    assert "the file cannot be read" in found.text
    assert "could not be read, so this is not graded" in section(found, "double")
    assert "return 2 * x" not in found.text
    assert found.script is None


def test_findings_for_staff_are_not_on_it(tiny_built: Built) -> None:
    found = page(tiny_built, report(DOUBLE, QUADRUPLE, Finding("doubtful", "for staff"), Finding("edited", "for you")))
    assert "for you" in found.text
    assert "for staff" not in found.text


def test_nothing_is_loaded_and_nothing_runs(tiny_built: Built) -> None:
    cells = [ran(f"print('{SCRIPT}')", stream(SCRIPT)), ran("y", stream("</style></pre><img src=x onerror=alert(1)>"))]
    made = as_html(report(WRONG, CARRIED, Finding("renamed", SCRIPT)), None, notebook(tiny_built, *cells), SCRIPT)
    found = BeautifulSoup(made, "html.parser")
    assert not found.find_all(["script", "link", "iframe", "object", "embed", "base", "form", "svg"])
    assert not re.findall(r"(?:src|href)=\"(?!#|data:image)", made)
    assert not [one for one in found.find_all(True) for name in one.attrs if name.startswith("on")]
    policy = found.select_one("meta[http-equiv=Content-Security-Policy]")
    assert policy is not None
    assert str(policy["content"]).startswith("default-src 'none'; img-src data:; style-src-elem 'sha256-")
    assert found.html is not None
    assert found.html["lang"] == "en"


@pytest.fixture
def graded(new_course: Callable[[str], Course], tiny_built: Built, grader: Grader) -> Path:
    course = new_course("course")
    submit(course.root, "ada", "tiny", solved(tiny_built))
    grade_students(course, course.seeded("tiny"), ["ada"], WarmGrader(grader))
    return course.root


def test_nbgrader_makes_it_and_it_says_what_the_gradebook_has_then(graded: Path) -> None:
    with open_gradebook(load_course(graded)) as gradebook:
        grade = gradebook.find_grade("explain", "tiny", "tiny", "ada")
        grade.manual_score, grade.needs_manual_grade = 1.5, False
        gradebook.find_comment("explain", "tiny", "tiny", "ada").manual_comment = "Well *said*."
        gradebook.find_submission("tiny", "ada").notebooks[0].late_submission_penalty = 1
        gradebook.db.commit()
    done = nbgrader(graded, "generate_feedback", "tiny")
    assert done.returncode == 0, done.stderr
    made = (graded / "feedback" / "ada" / "tiny" / "tiny.html").read_text()
    found = BeautifulSoup(made, "html.parser")
    assert found.title is not None
    assert found.title.text == "Twice and twice again: your result"
    assert "7.5 of 9 points" in " ".join(found.select_one(".total").text.split())  # type: ignore[union-attr]
    assert found.select_one(".comment em").text == "said"  # type: ignore[union-attr]
    assert "a given cell that may be edited" in found.select("details.given + pre.output")[0].text


def test_a_student_without_a_report_gets_no_page(graded: Path) -> None:
    (graded / "reports" / "tiny" / "ada.json").unlink()
    done = nbgrader(graded, "generate_feedback", "tiny")
    assert done.returncode != 0
    assert "is not graded yet" in done.stderr
    assert not list(graded.glob("feedback/**/*.html"))


def test_a_plain_assignment_keeps_nbgraders_own_page(graded: Path, grader: Grader) -> None:
    source = plain.notebook(plain.test("free", 1, "assert True"))
    plain.write_source(graded / "solutions" / "sheet", sheet=source)
    submit(graded, "ada", "sheet", source)
    assert nbgrader(graded, "autograde", "sheet").returncode == 0
    done = nbgrader(graded, "generate_feedback", "sheet")
    assert done.returncode == 0, done.stderr
    assert "Score: 1.0 / 1.0" in (graded / "feedback" / "ada" / "sheet" / "sheet.html").read_text()
