"""A student's Markdown as text that does nothing: rendered once, with all but plain form taken out.

nbgrader's pages show Markdown with whatever HTML is in it, and would run its scripts with the reader's login.
"""

from __future__ import annotations

from html import escape

import bleach
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

_TAGS = frozenset(
    "a b blockquote br code dd del div dl dt em h1 h2 h3 h4 h5 h6 hr i li ol p pre s strong sub sup "
    "table tbody td th thead tr ul".split()
)
_LINKS = frozenset(("http", "https", "mailto"))


def inert(markdown: str) -> str:
    """The text as one line of harmless HTML, which is Markdown too, and stays what it is when it is rendered again."""
    try:
        renderer = IPythonRenderer(escape=False, exclude_anchor_links=True)
        html = MarkdownWithMath(renderer=renderer).render(markdown.replace("attachment:", "attachment "))
    except Exception:  # a renderer that a student's text breaks is no reason to lose the text
        html = f"<pre>{escape(markdown)}</pre>"
    clean = bleach.clean(html, _TAGS, {"a": ["href"]}, protocols=_LINKS, strip=True)
    # A line end could close the block of HTML, and what follows would be read as Markdown again.
    return f"<div>{clean}</div>".replace("\r", "").replace("\n", "&#10;")
