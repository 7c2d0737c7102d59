"""A class report as one HTML page that stands alone, for staff: it names hidden tests and students."""

from __future__ import annotations

from importlib.resources import files
from itertools import groupby
from pathlib import Path

from jinja2 import Environment

from autograder.course import item_analysis, plots
from autograder.course.class_report import ClassReport
from autograder.course.progress import Stage
from autograder.errors import ConfigError
from autograder.report import Status
from autograder.store import write_whole


def write_page(report: ClassReport, page: Path) -> None:
    """Errors: ConfigError where it cannot be written."""
    try:
        write_whole(page, as_html(report).encode("utf-8", errors="replace"))
    except OSError as error:
        raise ConfigError(f"{page} cannot be written: {error.strerror}") from None


def as_html(report: ClassReport) -> str:
    """The page. All that comes from students is escaped."""
    template = files(__package__).joinpath("class_page.html.j2").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(template).render(
        report=report,
        assignment=report.assignment,
        progress=report.progress,
        counts=report.progress.counts,
        stages=list(Stage),
        histogram=plots.histogram(report.shares),
        outcomes=plots.outcomes([one for one in report.tasks if Status.BY_HAND not in one.statuses]),
        tests=[(task, list(some)) for task, some in groupby(report.tests, key=lambda one: one.task)],
        lost=[status for status in Status if status not in (Status.PASSED, Status.BY_HAND)],
        few=item_analysis.FEW,
    )
