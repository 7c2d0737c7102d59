"""A notebook's Markdown as HTML for a page that loads nothing: cleaned, and with its formulas in MathML."""

from __future__ import annotations

import re
from functools import lru_cache
from secrets import token_hex
from typing import Any

from bs4 import BeautifulSoup, Tag
from markdown_it import MarkdownIt
from markupsafe import Markup
from math_core import LatexError, LatexToMathML
from mdit_py_plugins.amsmath import amsmath_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from nbconvert.preprocessors.sanitize import SanitizeHTML

_HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
_TAGS = """
    a abbr b blockquote br code dd del details div dl dt em hr i li ol p pre s span strong sub summary sup
    table tbody td th thead tr ul
""".split()
_ATTRIBUTES = {"a": ["href", "title"], "abbr": ["title"], "ol": ["start"], "span": ["class"], "div": ["class"]}
_REACHED = {"tabindex": "0"}  # by keyboard, to scroll it
_SCROLLED = {"class": "scroll", **_REACHED}
_WIDE = 40  # characters of a formula that may be wider than a telephone
_LONGEST = 2000  # characters of a formula


def _environment(renderer: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
    return f'<div class="math">{Markup.escape(tokens[index].content.strip())}</div>'


_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
_MARKDOWN.use(dollarmath_plugin, allow_digits=False).use(amsmath_plugin)  # a formula is an element of the class `math`
_MARKDOWN.add_render_rule("amsmath", _environment)
_CLEAN = SanitizeHTML(tags=[*_TAGS, *_HEADINGS], attributes=_ATTRIBUTES)
_MATHML = LatexToMathML(fancy_error=False, max_expansions=20, id_prefix="formula-")


@lru_cache(maxsize=512)  # what the exercise says is the same for the whole class
def as_html(markdown: str, *, below: str = "") -> Markup:
    """The text without scripts, styles and addresses of its own on the page.

    below: the name of the heading that it stands below, if so; then all its headings are of the next level.
    A formula is text where it is too long, or is none. A student's text is shown as it was made inert when it was read.
    """
    soup = BeautifulSoup(_CLEAN.sanitize_html_tags(_MARKDOWN.render(markdown)), "html.parser")
    formulas: list[str] = []
    mark = token_hex()  # which no text has; to parse each formula would take longer than all the rest
    for element in soup.find_all(["span", "div"]):
        is_formula = "math" in element.get_attribute_list("class")
        is_wide = is_formula and len(element.get_text()) > _WIDE
        element.attrs = dict(_SCROLLED) if is_wide else {}
        if is_formula:
            element.string = _kept(element, formulas, mark)
    for title in soup.find_all(_HEADINGS if below else []):
        title.name = f"h{int(below[1]) + 1}"
    for table in soup.find_all("table"):
        table.wrap(soup.new_tag("div", attrs=_SCROLLED))
    for block in soup.find_all("pre"):
        block.attrs |= _REACHED
    return Markup(re.sub(f"{mark}-([0-9]+)-", lambda found: formulas[int(found[1])], str(soup)))


def heading(markdown: str) -> str:
    """The text of the heading that it begins with; empty where it begins with none."""
    found = re.match(r"\s*#{1,6} +(.+)", markdown)
    return found[1].strip(" #") if found else ""


def mathml(formula: str, is_block: bool) -> str:
    """Empty where it is no formula."""
    try:
        return _MATHML.convert_with_local_state(formula, displaystyle=is_block) if len(formula) <= _LONGEST else ""
    except LatexError:
        return ""


def _kept(element: Tag, formulas: list[str], mark: str) -> str:
    """What stands in the place of a formula until the text is written; the formula's text where it is none."""
    is_block = element.name == "div"
    source = element.get_text().strip("$\n ")
    made = mathml(source, is_block)
    if not made:
        return f"$${source}$$" if is_block else f"${source}$"
    formulas.append(made)
    return f"{mark}-{len(formulas) - 1}-"
