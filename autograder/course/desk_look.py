"""How a graded notebook looks in formgrader, as far as nbgrader's template lets us: formulas, tables, space."""

from __future__ import annotations

from nbformat import NotebookNode

from autograder.course import prose
from autograder.submission.markdown import one_block

_STYLE = """<style>
.rendered_html h1 { font-size: 24px; } .rendered_html h2 { font-size: 20px; } .rendered_html h3 { font-size: 18px; }
.rendered_html h1, .rendered_html h2, .rendered_html h3 { margin: 1.2em 0 .5em; }
.rendered_html table { margin: .8em 0; }
.rendered_html th, .rendered_html td { padding: .35em 1.2em .35em 0; vertical-align: top; }
.rendered_html tr { border-bottom: 1px solid #ddd; }
.output_html li { margin: .45em 0; }
.output_html .text-muted { color: #566072; }
.output_html .text-success { color: #1a7048; }
.output_html .text-danger { color: #b3261e; }
.rendered_html blockquote { font-size: inherit; }
math { font-size: 1.1em; }
img { border: 0; max-width: 100%; }
</style>
"""


def dress(notebook: NotebookNode) -> None:
    """Let the texts of a notebook be HTML that needs no network, and put a style before the first."""
    texts = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    for cell in texts:
        cell.source = one_block(prose.as_html(cell.source))
    texts[0].source = _STYLE + texts[0].source
