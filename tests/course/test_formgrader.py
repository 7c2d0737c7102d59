"""Formgrader's own server, over HTTP on the loopback interface."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autograder.exercise.built import Built
from autograder.submission.samples import solved, solved_by
from tests import plain_notebooks as plain
from tests.formgrader_server import formgrader
from tests.nbgrader_course import BLOCK, grades, make_course, named_variant, nbgrader, submit

pytestmark = pytest.mark.slow
Ask = Callable[..., object]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, block: Built) -> Path:
    root = make_course(tmp_path_factory.mktemp("course"))
    wrong = named_variant(block, "b1_forgotten")
    submit(root, "anna", BLOCK, solved(block))
    submit(root, "bert", BLOCK, solved_by(block, wrong))
    assert nbgrader(root, "generate_assignment", "--force", BLOCK).returncode == 0
    assert nbgrader(root, "autograde", BLOCK).returncode == 0
    return root


@pytest.fixture(scope="module")
def ask(course: Path) -> Iterator[Ask]:
    """A function that sends a request to the running server and gives back the answer's JSON, or its text."""
    with formgrader(course) as server:
        yield server.ask


def test_the_autograde_button_grades_a_plain_assignment_too(course: Path, ask: Ask) -> None:
    source = plain.notebook(plain.test("free", 1, "assert True"), plain.by_hand("why", 2, "Because."))
    plain.write_source(course / "solutions" / "sheet", sheet=source)
    submit(course, "anna", "sheet", source)
    answer = ask("api/submission/sheet/anna/autograde", "POST")
    assert isinstance(answer, dict)
    assert answer["success"], answer
    assert grades(course)["anna", "free"] == (1, None, False)
    assert (course / "reports" / "sheet" / "anna.json").is_file()
    submissions = ask("api/submitted_notebooks/sheet/sheet")
    assert isinstance(submissions, list)
    anna = next(one["id"] for one in submissions if one["student"] == "anna")
    assert "Because." in str(ask(f"submissions/{anna}/?index=0"))


def test_the_autograde_button_gives_the_scores_of_the_command(course: Path, ask: Ask) -> None:
    before = grades(course)
    for student in ("anna", "bert"):
        answer = ask(f"api/submission/{BLOCK}/{student}/autograde", "POST")
        assert isinstance(answer, dict)
        assert answer["success"], answer
    assert grades(course) == before
    assert before["anna", "residual_block"] == (10, None, False)


def test_a_task_that_could_not_be_graded_is_shown_as_waiting_for_a_person(course: Path, ask: Ask) -> None:
    suite = course / "exercises" / BLOCK / "test_hidden.py"
    right = suite.read_text()
    suite.write_text(
        right + '\n\n@task(\'jacobian\')\ndef test_broken(student):\n    """broken"""\n    raise KeyError(\'ours\')\n'
    )
    try:
        ask(f"api/submission/{BLOCK}/bert/autograde", "POST")
    finally:
        suite.write_text(right)
    submission = ask(f"api/submission/{BLOCK}/bert")
    assert isinstance(submission, dict)
    assert submission["needs_manual_grade"]
    assert grades(course)["bert", "jacobian"] == (None, None, True)


def test_the_page_of_a_submission_shows_our_feedback(course: Path, ask: Ask) -> None:
    submissions = ask(f"api/submitted_notebooks/{BLOCK}/{BLOCK}")
    assert isinstance(submissions, list)
    bert = next(one for one in submissions if one["student"] == "bert")
    page = str(ask(f"submissions/{bert['id']}/?index=0"))
    assert "entries differ" in page
    assert "test_hidden" not in page


def test_the_page_follows_what_a_person_enters_on_it(course: Path, ask: Ask) -> None:
    submissions = ask(f"api/submitted_notebooks/{BLOCK}/{BLOCK}")
    assert isinstance(submissions, list)
    anna = next(one["id"] for one in submissions if one["student"] == "anna")
    before = str(ask(f"submissions/{anna}/?index=0"))
    assert "6 more are not graded yet" in before
    found = ask(f"api/grades?submission_id={anna}")
    assert isinstance(found, list)
    answer = next(grade for grade in found if grade["name"] == "explain_jacobian")
    ask(f"api/grade/{answer['id']}", "PUT", {"manual_score": 4.5, "extra_credit": None})
    page = str(ask(f"submissions/{anna}/?index=0"))
    assert "<strong>38.5 of 40 points</strong>" in page
    assert "not graded yet" not in page
    assert str(course) not in page.replace(f"/formgrader/submissions/{anna}", "")
