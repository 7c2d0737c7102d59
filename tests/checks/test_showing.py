"""What a check shows is HTML in a notebook and the same in plain text elsewhere; a student's text is never markup."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from autograder.checks.findings import Finding
from autograder.checks.showing import Overview, Result, Shown
from tests.checks.test_runtime import GOOD, checks_source

HOSTILE = "ValueError: </div><script>alert(1)</script> & \"quotes\" 'more' <img src=x onerror=alert(1)>"
FAULT = Finding("the first `f`", HOSTILE, "raised")
PASS, WAITS, OPEN = Finding("the <second>"), Finding("the third", stub="g"), Finding("the fourth", is_open=True)


class Read(HTMLParser):
    """The text of HTML and its tags; an error where tags do not fit."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.tags, self._open = "", set[str](), list[str]()
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert {name for name, _ in attrs} <= {"style"}
        self.tags.add(tag)
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += f" {data}"


def result(*findings: Finding, waiting: list[str] | None = None, hint: str = "", beyond: str = "") -> Result:
    return Result("A <title> of `code`", 3, list(findings), waiting or [], "", hint, beyond)


SHOWN: list[Shown] = [
    result(),
    result(FAULT, PASS, WAITS, OPEN, FAULT, waiting=["`g` is not written yet"], hint="Think <again> of `x`."),
    result(PASS, beyond="other <shapes>"),
    result(WAITS, waiting=["`g` <is> not written yet"]),
    result(OPEN),
    Overview({"one": result(FAULT), "other": result(PASS)}),
]


def words(text: str) -> set[str]:
    return set(text.replace("`", "").replace(":", " ").replace(".", " ").split())


@pytest.mark.parametrize("shown", SHOWN)
def test_the_html_is_well_formed_without_a_students_tags_and_says_what_the_text_says(shown: Shown) -> None:
    read = Read(shown._repr_html_())
    assert read.tags <= {"div", "b", "code", "details", "summary", "table", "tr", "th", "td"}
    assert words(repr(shown)) - words(read.text) <= {"points", "Hint"}


def test_marks_say_without_colour_what_came_of_each_test() -> None:
    marks = [line[2] for line in repr(SHOWN[1]).splitlines() if line[:2] == "  " and line[2] in "✗✓·?"]
    assert marks == ["✗", "✗", "?", "·", "✓"]
    html = SHOWN[1]._repr_html_()
    assert html.index("✗") < html.index("?") < html.index("·") < html.index("✓")


def test_an_answer_does_not_hide_what_the_task_still_waits_for() -> None:
    assert "`g` is not defined here" in repr(result(OPEN, waiting=["`g` is not defined here"]))


def test_a_reason_that_was_told_is_not_told_again() -> None:
    assert repr(SHOWN[1]).count("alert(1)</script>") == 1
    assert "  ✗ the first `f` (as above)\n" in repr(SHOWN[1])


def test_what_passes_and_the_hint_are_folded_beside_a_fault_and_stand_open_alone() -> None:
    assert SHOWN[1]._repr_html_().count("<details") == 2
    assert "<details" not in SHOWN[2]._repr_html_()


def test_passing_checks_say_what_only_the_grader_tries() -> None:
    assert repr(SHOWN[2]).endswith("  Only the grader tries: other <shapes>.")
    assert repr(result(PASS)).endswith("  The grader tries other inputs, too.")
    assert "grader" not in repr(result(FAULT, beyond="other shapes"))


def test_a_kernel_displays_both_and_a_check_without_a_kernel_prints(tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text(checks_source(), encoding="utf-8")
    cells = ["import numpy as np\nfrom checks import check", GOOD, 'check("residual")\n0', "check()"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    for cell, said in ((notebook.cells[2], "3 of 3 checks pass"), (notebook.cells[3], "of 14 points")):
        assert cell.outputs[0].output_type == "display_data"
        assert said in cell.outputs[0].data["text/plain"]
        assert said in Read(cell.outputs[0].data["text/html"]).text
