"""The desk and the students' pages as people meet them: in Chromium, with a checker of accessibility."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from autograder.exercise.built import Built
from autograder.submission.samples import solved
from tests import browser
from tests.attacks.test_showing import ACTIVE
from tests.browser import Browser
from tests.formgrader_server import Formgrader, formgrader, log_in
from tests.nbgrader_course import course_of, grades, nbgrader, submit
from tests.tiny import write_tiny_exercise

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(browser.missing()), reason=browser.missing())]

WIDTHS = [400, 1280]
NOTED = "window.ran = (window.ran || 0) + 1"  # what a hostile text does, if it does anything
WRONG = """def double(x):
    return x + 1"""
DRAWS = """import matplotlib.pyplot as plt
plt.plot([1, 2])
plt.show()
print("\\n".join("a long line of output " * 9 for _ in range(99)))"""


def hostile(built: Built) -> NotebookNode:
    """Right work among texts and outputs that are more than text."""
    notebook = solved(built)
    for source in ACTIVE.values():
        text = source.replace("alert('evil')", NOTED).replace("alert(1)", NOTED)
        shows = f"from IPython.display import HTML, Javascript, SVG, display\ntext = {text!r}\nprint(text)"
        shows += "\ndisplay(HTML(text), Javascript(text))\ndisplay(SVG(data=text))"
        notebook.cells[3:3] = [nbformat.v4.new_markdown_cell(text), nbformat.v4.new_code_cell(shows)]
    next(cell for cell in notebook.cells if cell.id == "explain").source = f"<script>{NOTED}</script> $x^2$"
    return notebook


def wrong(built: Built) -> NotebookNode:
    """A wrong function, a picture, a long output and an answer."""
    notebook = solved(built)
    place = next(number for number, cell in enumerate(notebook.cells) if cell.id == "double-code")
    notebook.cells[place].source = WRONG
    notebook.cells.insert(place + 1, nbformat.v4.new_code_cell(DRAWS))
    next(cell for cell in notebook.cells if cell.id == "explain").source = "Since $2 \\cdot 2 = 4$."
    return notebook


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, tiny_built: Built) -> Path:
    """A new course, without a gradebook."""
    root = tmp_path_factory.mktemp("desk")
    write_tiny_exercise(root / "exercises" / "tiny")
    course_of(root)
    submit(root, "ada", "tiny", wrong(tiny_built))
    submit(root, "eve", "tiny", hostile(tiny_built))
    return root


@pytest.fixture(scope="module")
def window() -> Iterator[Browser]:
    with Browser() as window:
        window.look(1280)
        yield window


@pytest.fixture(scope="module")
def desk(course: Path, window: Browser) -> Iterator[Formgrader]:
    """Formgrader, with somebody logged in at the window."""
    with formgrader(course) as server:
        log_in(window, server)
        yield server


@pytest.fixture(scope="module")
def graded(window: Browser, desk: Formgrader, course: Path) -> Path:
    """Graded by formgrader's buttons."""
    window.open(f"{desk.address}/manage_submissions/tiny")
    for student in ("ada", "eve"):
        _press(window, student, "autograde")
    return course


@pytest.fixture(scope="module")
def pages(graded: Path) -> Path:
    assert nbgrader(graded, "generate_feedback", "--force", "tiny").returncode == 0
    return graded / "feedback"


def _press(window: Browser, student: str, button: str) -> None:
    row = window.wait_for(f"//tr[td[contains(@class, 'student-id')][text()='{student}']]")
    row.find_element(By.CSS_SELECTOR, f".{button} a").click()
    done = window.wait_for("//div[contains(@class, 'modal') and contains(@class, 'in')]//h4")
    assert done.text == "Success"
    window.wait_for("//button[contains(text(), 'OK')]").click()
    window.wait_for_none("div.modal")


def _submission(window: Browser, desk: Formgrader, student: str) -> None:
    found = desk.ask("api/submitted_notebooks/tiny/tiny")
    assert isinstance(found, list)
    window.open(f"{desk.address}/submissions/{next(one['id'] for one in found if one['student'] == student)}/")


def test_the_button_grades_and_the_page_says_the_score_and_the_reasons(
    window: Browser, desk: Formgrader, graded: Path
) -> None:
    assert grades(graded)["ada", "double"] == (0, None, False)
    _submission(window, desk, "ada")
    said = window.text()
    assert "of 7 points" in said
    assert "entries differ" in said
    assert "Add x to itself." in said


def test_points_and_a_comment_are_taken_and_the_total_follows(window: Browser, desk: Formgrader, graded: Path) -> None:
    _submission(window, desk, "ada")
    before = grades(graded)["ada", "double"]
    for place, text in (("double", "2.5"), ("explain", "1.5"), ("explain-comment", "Well *put*.")):
        box = window.wait_for(f"//*[@id='{place}'][not(@disabled)]")
        box.clear()
        box.send_keys(text)
        box.send_keys(Keys.TAB)
    window.wait_until(lambda: (grades(graded)["ada", "double"][1], grades(graded)["ada", "explain"][1]) == (2.5, 1.5))
    assert grades(graded)["ada", "double"][0] == before[0]
    _submission(window, desk, "ada")
    assert "7 of 9 points" in window.text()
    assert nbgrader(graded, "generate_feedback", "--force", "tiny").returncode == 0
    window.open(graded / "feedback" / "ada" / "tiny" / "tiny.html")
    assert "7 of 9 points" in window.text()
    assert "Well put." in window.text()


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_a_students_page_has_no_finding_and_fits(window: Browser, pages: Path, width: int, is_dark: bool) -> None:
    window.look(width, is_dark=is_dark)
    for student in ("ada", "eve"):
        window.open(pages / student / "tiny" / "tiny.html")
        window.unfold()
        assert window.findings(all_of_them=True) == {}
        assert window.overflow() == 0
        assert window.complaints() == []
    window.look(1280)


def test_pictures_and_formulas_are_shown_without_a_network(window: Browser, pages: Path) -> None:
    window.open(pages / "ada" / "tiny" / "tiny.html")
    assert window.run("return [...document.images].map(image => image.naturalWidth > 0)") == [True]
    assert window.run("return document.querySelector('math').getBoundingClientRect().width > 0")
    assert (
        window.run("return performance.getEntriesByType('resource').filter(one => !one.name.startsWith('data:'))") == []
    )


def test_every_task_is_reached_by_keyboard(window: Browser, pages: Path) -> None:
    window.open(pages / "ada" / "tiny" / "tiny.html")
    assert (
        window.run("document.querySelector('.tasks a').focus(); return document.activeElement.hash") == "#task-double"
    )
    window.run("document.activeElement.click()")
    assert window.run("return document.activeElement.id") == "task-double"


def test_nothing_of_a_hostile_notebook_runs(window: Browser, desk: Formgrader, pages: Path) -> None:
    for show in (
        lambda: window.open(pages / "eve" / "tiny" / "tiny.html"),
        lambda: _submission(window, desk, "eve"),
    ):
        show()
        window.unfold()
        window.run(
            "for (const one of document.querySelectorAll('#notebook a, main a, #notebook [title], main [title]')) "
            "{ one.dispatchEvent(new MouseEvent('mouseover')); if (!/^https?:/.test(one.href)) one.click() }"
        )
        assert window.run("return window.ran === undefined")
        assert window.run("return document.querySelectorAll('iframe, object, embed').length") == 0
