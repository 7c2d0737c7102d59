"""What a student gets back: one HTML page that stands alone, loads nothing and runs nothing, with the result first.

All that comes from students is escaped.
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import Environment, Template
from nbformat import NotebookNode

from autograder.course import prose
from autograder.course.task_sections import by_task
from autograder.grading.feedback import KNOWN_MISTAKE, checked, mark, points_of, remarks, unread_because
from autograder.report import Report, Status, amended
from autograder.standing import Standing


@dataclass(frozen=True)
class Total:
    """The points of a submission: of what has a score, and of what waits for one. penalty: for being late."""

    earned: float
    counted: float
    waiting: float
    penalty: float = 0.0

    @property
    def all(self) -> float:
        """What the whole is worth."""
        return self.counted + self.waiting


def as_html(report: Report, standing: Standing | None, notebook: NotebookNode, student: str) -> str:
    """The page. standing: what the gradebook has of the report's submission, once it has something.

    notebook: as it was graded, with the comments that people have written since.
    """
    shown = amended(report, standing) if standing else report
    sections, rest = by_task(notebook, shown)
    return _template().render(
        title=_title(notebook) or report.exercise,
        student=student,
        total=_total(shown, standing.penalty if standing else 0.0),
        sections=sections,
        rest=rest,
        unread=unread_because(report),
        findings=[finding for finding in report.findings if not finding.is_for_staff],
        passed=Status.PASSED,
        known_mistake=KNOWN_MISTAKE,
        points_of=points_of,
        remarks=remarks,
        checked=checked,
        mark=mark,
    )


def _total(report: Report, penalty: float) -> Total:
    counted = sum(task.points for task in report.tasks if task.earned is not None)
    waiting = sum(task.points for task in report.tasks if task.earned is None)
    return Total(max(0.0, round(report.earned - penalty, 2)), counted, waiting, penalty)


def _title(notebook: NotebookNode) -> str:
    texts = (cell.source for cell in notebook.cells[1:] if cell.cell_type == "markdown")  # after the summary
    return next((found for text in texts if (found := prose.heading(text))), "")


@cache
def _template() -> Template:
    """Its one style is named by its hash, so that no other is applied."""
    text = files(__package__).joinpath("student_page.html.j2").read_text(encoding="utf-8")
    (style,) = re.findall("<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.globals["style_hash"] = f"sha256-{digest}"
    return environment.from_string(text)
