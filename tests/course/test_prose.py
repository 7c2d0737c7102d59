"""A notebook's Markdown on a page that loads nothing: its form, its formulas, and nothing that acts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from autograder.course.prose import as_html, heading, mathml
from autograder.submission.markdown import inert

FORMULAS = {
    "in a line": (r"so $\frac{1}{2}$ it is", "mfrac"),
    "with spaces": ("it is $ x_1 $ here", "msub"),
    "in two dollars": ("$$\n\\sum_i x_i\n$$", "munder"),
    "in a table": ("| a |\n|---|\n| $x_1$ |", "msub"),
    "with what Markdown knows": (r"$a_1 * b_2 * c_3$", "msub"),
    "with less than": ("$a<b$", "mo"),
    "of several lines": ("\\begin{align}a &= b\\\\c &= d\\end{align}", "mtr"),
    "with a matrix": (r"$\begin{pmatrix}1 & 2\end{pmatrix}$", "mtd"),
}
NONE = ["it costs $5 and $6", "`$x$`", "```\n$x$\n```", r"\$5 or 6\$", "$x", "$", "$$"]
TWO_WAYS = [lambda text: text, inert]  # of the course, of a student


def page(markdown: str) -> BeautifulSoup:
    return BeautifulSoup(as_html(markdown), "html.parser")


@pytest.mark.parametrize(("text", "element"), FORMULAS.values(), ids=FORMULAS)
def test_formulas_are_mathml(text: str, element: str) -> None:
    assert page(text).select(f"math {element}")
    assert "$" not in page(text).text


@pytest.mark.parametrize("text", [r"$\frac{1}{2}$", "$$x_1$$", "| a |\n|---|\n| $a<b$ |"])
def test_a_students_formulas_are_those_of_the_course(text: str) -> None:
    assert page(inert(text)).select("math") == page(text).select("math") != []


@pytest.mark.parametrize("text", NONE)
def test_a_dollar_is_a_dollar(text: str) -> None:
    assert page(text).math is None
    assert page(inert(text)).math is None


@pytest.mark.parametrize("formula", [r"\frac{a", r"\nosuch{x}", r"\href{javascript:alert(1)}{x}", "x" * 5000])
def test_what_is_no_formula_stays_as_it_was_written(formula: str) -> None:
    assert mathml(formula, is_block=False) == ""
    assert f"${formula}$" in page(f"before ${formula}$ after").text


@pytest.mark.parametrize("write", TWO_WAYS)
def test_a_text_in_a_formula_is_text(write: Callable[[str], str]) -> None:
    found = page(write(r"$\text{<img/src=x/onerror=alert(1)>}$"))
    assert found.img is None
    assert "<img/src=x/onerror=alert(1)>" in found.text


def test_endless_macros_are_no_formula() -> None:
    assert mathml(r"\newcommand{\a}{\a\a}\a", is_block=True) == ""


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<b onclick=alert(1)>x</b>",
        "<b style='position: fixed' id=tasks class=word>x</b>",
        "[x](javascript:alert(1))",
        "<iframe src=//localhost></iframe>",
        "<style>p { display: none }</style>",
        "<a href=data:text/html,x>x</a>",
        "![x](https://localhost/x.png)",
        "<form><input></form>",
    ],
)
@pytest.mark.parametrize("write", TWO_WAYS)
def test_only_form_is_left_of_html(text: str, write: Callable[[str], str]) -> None:
    for element in page(write(text)).find_all(True):
        assert element.name not in ("script", "iframe", "style", "form", "input", "img")
        assert not {"onclick", "style", "id"} & set(element.attrs)
        assert not element.get("href", "").startswith(("javascript", "data"))


def test_headings_are_below_those_of_the_page() -> None:
    text = "# a\n\n## b\n\n#### c"
    assert [one.name for one in page(text).find_all(True)] == ["h1", "h2", "h4"]
    assert as_html(text, below="h4") == "<h5>a</h5>\n<h5>b</h5>\n<h5>c</h5>\n"


def test_what_may_scroll_is_reached_by_keyboard() -> None:
    found = page(f"| a |\n|---|\n| b |\n\n```\nx\n```\n\n${'x' * 50}$")
    assert [one.name for one in found.select("[tabindex='0']")] == ["div", "pre", "span"]


def test_a_text_is_named_by_the_heading_that_it_begins_with() -> None:
    assert heading("## 2. The plus sign\n\nA text") == "2. The plus sign"
    assert heading("A text\n\n## 2. The plus sign") == ""


@given(st.text(alphabet="$\\{}ab_^ \n<&`|#*", max_size=60))
def test_any_text_can_be_shown(text: str) -> None:
    for written in (text, inert(text)):
        assert page(written).find(["script", "img"]) is None
