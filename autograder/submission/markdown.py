"""A student's Markdown as text that does nothing: rendered once, with only plain form.

nbgrader's pages show Markdown with whatever HTML is in it, and would run its scripts with the reader's login. Here
markdown-it renders it, whose time grows with the length only, whatever the text; HTML in it is shown as it is written.
"""

from __future__ import annotations

from html import escape

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin


def _formula(source: str, how: dict[str, bool]) -> str:
    mark = "$$" if how["display_mode"] else "$"
    return escape(f"{mark}{source}{mark}")


_MARKDOWN = (
    MarkdownIt("commonmark", {"html": False})
    .enable("table")
    .disable("image")
    .use(dollarmath_plugin, renderer=_formula, allow_digits=False)  # $5 and $6 are two prices
)


def inert(markdown: str) -> str:
    """The text as one line of harmless HTML, which is Markdown too, and stays what it is when it is rendered again."""
    return one_block(_MARKDOWN.render(markdown))


def as_written(markdown: str) -> str:
    """The text's own characters, as such a line: for what is too long to be rendered."""
    return one_block(f"<pre>{escape(markdown)}</pre>")


def one_block(html: str) -> str:
    """HTML as one line that is Markdown, too, and stays what it is when it is rendered."""
    # A line end could close the block of HTML, and what follows would be read as Markdown again.
    return f"<div>{html}</div>".replace("\r", "").replace("\n", "&#10;")
