"""Writes the pictures of pages that the documents show, each made by a real course, gradebook and browser.

python -m tests.pictures        writes docs/images/ anew
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from autograder.course.course import load_course
from autograder.course.gradebook import open_gradebook
from tests import browser
from tests.browser import Browser
from tests.formgrader_server import formgrader, log_in
from tests.nbgrader_course import CONNECTIONS, make_course, nbgrader
from tests.places import REPOSITORY

IMAGES = REPOSITORY / "docs" / "images"
TASK = "[aria-labelledby=task-sublayer]"
STUDENT = "missing-transpose"
COMMENT = "You see why the product becomes a sum. Say also what the $1$ does to the *smallest* factor."


def main() -> None:
    """Errors: SystemExit where there is no browser."""
    if reason := browser.missing():
        sys.exit(reason)
    with tempfile.TemporaryDirectory() as folder, Browser() as window:
        root = graded_course(Path(folder) / "course")
        page = root / "feedback" / STUDENT / CONNECTIONS / f"{CONNECTIONS}.html"
        for name, width, is_dark, tallest, of in (
            ("feedback", 1280, False, 900, "body"),
            ("feedback-task", 1280, False, 1200, TASK),
            ("feedback-dark", 1280, True, 1200, TASK),
            ("feedback-narrow", 400, False, 1400, "body"),
            ("feedback-narrow-dark", 400, True, 1400, TASK),
        ):
            window.look(width, is_dark=is_dark)
            window.open(page)
            window.picture(IMAGES / f"{name}.png", tallest, of)
        window.look(1280)
        with formgrader(root) as desk:
            log_in(window, desk)
            found = desk.ask(f"api/submitted_notebooks/{CONNECTIONS}/{CONNECTIONS}")
            assert isinstance(found, list)
            window.open(f"{desk.address}/submissions/{found[0]['id']}/")
            window.wait_for("//*[@id='explain_highway'][not(@disabled)]")
            window.picture(IMAGES / "formgrader.png", 900, ".cell:has(#explain_highway)")


def graded_course(root: Path) -> Path:
    """A course with one student of the demo class, graded, read by a person and given back."""
    make_course(root)
    handed_in = REPOSITORY / "tests" / "demo" / "submitted" / STUDENT / CONNECTIONS
    shutil.copytree(handed_in, root / "submitted" / STUDENT / CONNECTIONS)
    nbgrader(root, "autograde", CONNECTIONS).check_returncode()
    with open_gradebook(load_course(root)) as gradebook:
        names = ("explain_highway", CONNECTIONS, CONNECTIONS, STUDENT)
        grade = gradebook.find_grade(*names)
        grade.manual_score, grade.needs_manual_grade = 4.5, False
        gradebook.find_comment(*names).manual_comment = COMMENT
        gradebook.db.commit()
    nbgrader(root, "generate_feedback", CONNECTIONS).check_returncode()
    return root


if __name__ == "__main__":
    main()
