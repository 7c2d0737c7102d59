"""Similar work as one HTML page that stands alone, for staff: pairs of solutions, side by side."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from jinja2 import Environment

from autograder.course import similar_work
from autograder.course.similar_work import SimilarWork
from autograder.errors import ConfigError
from autograder.store import write_whole

SHOWN = 50  # pairs with their code; of more there are the names


def write_page(found: SimilarWork, page: Path) -> None:
    """Errors: ConfigError where it cannot be written."""
    try:
        write_whole(page, as_html(found).encode("utf-8", errors="replace"))
    except OSError as error:
        raise ConfigError(f"{page} cannot be written: {error.strerror}") from None


def as_html(found: SimilarWork) -> str:
    """The page. All that comes from students is escaped."""
    template = files(__package__).joinpath("similar_page.html.j2").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(template).render(
        found=found,
        shown=found.pairs[:SHOWN],
        others=found.pairs[SHOWN:],
        alike=similar_work.ALIKE,
        fewest=similar_work.FEWEST,
        common=similar_work.COMMON_FEWEST,
        common_share=similar_work.COMMON_SHARE,
    )
