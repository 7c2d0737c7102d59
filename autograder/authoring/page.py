"""A verification as one HTML page that stands alone: verdict, matrix, survivors with their diffs, margins, cost."""

from __future__ import annotations

from importlib.resources import files
from itertools import groupby

from jinja2 import Environment

from autograder.authoring import matrix
from autograder.authoring.problems import points_of
from autograder.authoring.verify import MARGIN, Verification


def as_html(verification: Verification) -> str:
    """The page."""
    template = files(__package__).joinpath("page.html.j2").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(template).render(
        verification=verification,
        exercise=verification.built.exercise,
        groups=[(kind, list(rows)) for kind, rows in groupby(matrix.rows(verification), key=lambda row: row.kind)],
        problems=[(tasks, list(some)) for tasks, some in groupby(verification.found, key=lambda one: one.tasks)],
        points_of=points_of,
        legend=matrix.LEGEND,
        margin=MARGIN,
    )
