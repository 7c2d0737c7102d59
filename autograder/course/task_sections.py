"""A graded notebook by tasks, as a student's page shows it: what became of each, and the cells that belong to it."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from markupsafe import Markup
from nbformat import NotebookNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from autograder.course import prose
from autograder.grading.feedback import SUMMARY
from autograder.report import ENDED, Amended, Report, Status, TaskResult
from autograder.submission.notebook import GIVEN

_LONG = 25  # lines of an output that are not folded
_WORDS = {Status.CARRIED: "carried forward", Status.MISSING: "not written"}
_WORDS |= {Status.BY_HAND: "not written"}  # else a person has given its points
_PARTLY = (Status.FAILED, Status.ERROR, *ENDED)
_MARKS = {"good": "✓", "part": "◐", "bad": "✗", "wait": "…"}
_NAMING = 8  # words by which a text without a heading is named
_ABOVE = "h4"  # the heading of the page that the cells stand below
_PICTURES = ("image/png", "image/jpeg")


@dataclass(frozen=True)
class Output:
    """What a cell gave: a text, or the address of a picture that holds all of it."""

    text: str = ""
    picture: str = ""
    is_error: bool = False

    @property
    def lines(self) -> int:
        """How long the text is."""
        return self.text.rstrip("\n").count("\n") + 1

    @property
    def is_long(self) -> bool:
        """Whether it is folded."""
        return self.lines > _LONG


@dataclass(frozen=True)
class Cell:
    """A cell as it is shown, or several that the course has given, one after the other; these are folded.

    names: of what is given, how each text in it begins. comment: a person's.
    """

    html: Markup
    is_given: bool = False
    names: tuple[str, ...] = ()
    outputs: tuple[Output, ...] = ()
    comment: str = ""

    @property
    def title(self) -> str:
        """What is folded."""
        return " · ".join(self.names) or "Code of the course"

    def with_next(self, other: Cell) -> Cell:
        """Both as one."""
        return replace(other, html=self.html + other.html, names=self.names + other.names)


@dataclass(frozen=True)
class Section:
    """A task and its cells: down to its test or answer, and below it to the next heading of the course's."""

    task: TaskResult
    cells: list[Cell] = field(default_factory=list)

    @property
    def word(self) -> str:
        """What became of the task."""
        if self.task.earned is None:
            return "waiting"
        if self._is_a_persons:
            return "graded by hand"
        if self.task.earned and self.task.status in _PARTLY:
            return "partly"
        return _WORDS.get(self.task.status, str(self.task.status))

    @property
    def look(self) -> str:
        """Its colour: good, part, bad or wait."""
        if self.task.earned is None:
            return "wait"
        is_right = self.task.status in (Status.PASSED, Status.CARRIED) and not self._is_a_persons
        if is_right or self.task.earned >= self.task.points:
            return "good"
        return "part" if self.task.earned else "bad"

    @property
    def mark(self) -> str:
        """The look as one character."""
        return _MARKS[self.look]

    @property
    def _is_a_persons(self) -> bool:
        return isinstance(self.task, Amended) and self.task.is_changed


def by_task(notebook: NotebookNode, report: Report) -> tuple[list[Section], list[Cell]]:
    """The sections in the notebook's order, and the cells that come after all of them.

    The cells have the comments that nbgrader's GetGrades has put there.
    """
    sections: list[Section] = []
    pending: list[Cell] = []
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("grade"):
            if marks.get("solution"):
                _add(cell, pending)
            sections.append(Section(report.task(marks.grade_id), pending))
            pending = []
        elif cell.get("id") != SUMMARY:
            is_next = pending or not sections or (_is_given(cell) and prose.heading(cell.source))
            _add(cell, pending if is_next else sections[-1].cells)
    return sections, pending


def _add(cell: NotebookNode, cells: list[Cell]) -> None:
    made = _shown(cell)
    if made.is_given and cells and cells[-1].is_given and not cells[-1].outputs:
        made = cells.pop().with_next(made)
    if made.html or made.outputs:
        cells.append(made)


def _shown(cell: NotebookNode) -> Cell:
    is_given = _is_given(cell)
    if cell.cell_type == "code":
        return Cell(_highlighted(cell.source), is_given, outputs=tuple(_outputs(cell)), comment=_comment(cell))
    names = (prose.heading(cell.source) or f"{' '.join(cell.source.split()[:_NAMING])} …",) if is_given else ()
    html = (
        prose.as_html(cell.source, below=_ABOVE)
        if is_given
        else Markup('<div class="answer">{}</div>').format(prose.as_html(cell.source, below=_ABOVE))
    )
    return Cell(html, is_given, names, comment=_comment(cell))


def _comment(cell: NotebookNode) -> str:
    return prose.as_html(cell.metadata.get("nbgrader", {}).get("comment") or "", below=_ABOVE)


def _is_given(cell: NotebookNode) -> bool:
    return GIVEN in cell.metadata.get("tags", ()) or bool(cell.metadata.get("nbgrader", {}).get("locked"))


def _highlighted(source: str) -> Markup:
    html = highlight(source, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)) if source.strip() else ""
    return Markup('<pre class="code" tabindex="0"><code>{}</code></pre>').format(Markup(html))


def _outputs(cell: NotebookNode) -> Iterator[Output]:
    for output in cell.get("outputs", ()):
        if output.output_type == "stream":
            yield Output(output.text, is_error=output.name == "stderr")
        elif output.output_type == "error":
            yield Output("\n".join(output.traceback), is_error=True)
        elif picture := next((_address(kind, output.data[kind]) for kind in _PICTURES if kind in output.data), ""):
            yield Output(picture=picture)
        elif text := output.data.get("text/plain", "").strip():
            yield Output(text)


def _address(kind: str, text: str) -> str:
    try:
        return f"data:{kind};base64,{base64.b64encode(base64.b64decode(text)).decode()}"
    except binascii.Error:
        return ""
