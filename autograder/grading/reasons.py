"""Why a function of a notebook is not there or did not come back, in a student's words: the true reason."""

from __future__ import annotations

import re

from autograder.isolation.replies import Raised
from autograder.isolation.session import CellResult, Session
from autograder.isolation.unavailable import NOT_AVAILABLE
from autograder.report import Status
from autograder.scrub import scrub
from autograder.submission.cells import bound_names

_STUB = ("NotImplementedError", "not written yet")
_PLACE = re.compile(r"cell (\d+), line (\d+)")
_AT_MARGIN = re.compile(r"^(?:async +)?(def|class) +(\w+)", re.MULTILINE)
_METHOD = re.compile(r"^[ \t]+(?:async +)?def +(\w+)", re.MULTILINE)


def is_unwritten(raised: Raised) -> bool:
    """Whether it is the error of a released stub."""
    return (raised.type, raised.message) == _STUB


def why_unwritten(session: Session, name: str, raised: Raised) -> tuple[Status, str]:
    """The stub may be the function's own, or another one's that it uses."""
    place = _PLACE.match(raised.where)
    if place is None or name in bound_names(_source(session, int(place[1]))):
        return Status.MISSING, f"`{name}` is not written yet"
    above = re.findall(r"^\s*(?:async\s+)?def\s+(\w+)", _down_to(session, raised), re.MULTILINE)
    used = f"`{above[-1][:100]}`" if above else "a function"
    return Status.ERROR, f"`{name}` uses {used}, which is not written yet"


def unwritten_method(session: Session, raised: Raised) -> tuple[str, str]:
    """The class at the margin and its method that a stub stands in; two empty texts where it is in none."""
    text = _down_to(session, raised)
    *_, last = [None, *_AT_MARGIN.finditer(text)]
    methods = _METHOD.findall(text, last.end()) if last and last[1] == "class" else []
    return (last[2], methods[-1]) if last and methods else ("", "")


def why_missing(session: Session, task: str, name: str, kind: str = "function") -> tuple[Status, str]:
    """Why a notebook has no function or variable of this name: what became of the cell that should define it."""
    for index, run in _runs(session):
        cell = session.cells[index]
        if not (name in bound_names(cell.source) or _is_of(task, cell.name)):
            continue
        where = f"the cell that should define `{name}` (cell {run.number})"
        if run.ended:
            return run.ended.status, f"{where} was left out: {run.ended.reason}"
        if run.error and is_unwritten(run.error):
            return Status.MISSING, f"`{name}` is not written yet"
        if run.error:
            return Status.ERROR, f"{where} ended with {told(run.error)}"
    return Status.MISSING, f"there is no {kind} `{name}`"


def told(raised: Raised) -> str:
    """The error with its place, and whether it comes from what is not available here."""
    place = f" ({raised.where})" if raised.where else ""
    refused = f"; {NOT_AVAILABLE}" if raised.refused else ""
    return scrub(f"{raised.name}: {raised.message}{place}{refused}")


def _runs(session: Session) -> list[tuple[int, CellResult]]:
    """The last cells first, whose definitions are the ones in force."""
    return sorted(session.runs.items(), reverse=True)


def _down_to(session: Session, raised: Raised) -> str:
    """The code of the student's cell from its top to the line that raised this."""
    place = _PLACE.match(raised.where)
    return "\n".join(_source(session, int(place[1])).splitlines()[: int(place[2])]) if place else ""


def _source(session: Session, number: int) -> str:
    return next((session.cells[index].source for index, run in session.runs.items() if run.number == number), "")


def _is_of(task: str, cell: str) -> bool:
    return re.fullmatch(rf"{re.escape(task)}-code(-\d+)?", cell) is not None
