"""Why a function of a notebook is not there or did not come back, in a student's words: the true reason."""

from __future__ import annotations

import re
from collections.abc import Collection

from autograder.isolation.replies import Raised
from autograder.isolation.session import CellResult, Session
from autograder.isolation.unavailable import why
from autograder.report import Status
from autograder.scrub import scrub
from autograder.submission.cells import bound_names

_STUB = ("NotImplementedError", "not written yet")
_DEF = re.compile(r"^([ \t]*)(?:async\s+)?def\s+(\w+)", re.MULTILINE)  # its indentation, and its name
_AT_MARGIN = re.compile(r"^(class|def|async +def) +(\w+)", re.MULTILINE)
_PLACE = re.compile(r"cell (\d+), line (\d+)")


def is_unwritten(raised: Raised) -> bool:
    """Whether it is the error of a released stub."""
    return (raised.type, raised.message) == _STUB


def why_unwritten(session: Session, name: str, raised: Raised) -> tuple[str, Status, str]:
    """The stub may be the function's own, a method's, or another one's that it uses; with whose it is."""
    place = _PLACE.match(raised.where)
    source = next(
        (session.cells[index].source for index, run in _runs(session) if place and str(run.number) == place[1]), ""
    )
    if place is None or name in bound_names(source):
        return name, Status.MISSING, f"`{name}` is not written yet"
    above = "\n".join(source.splitlines()[: int(place[2])])
    functions, margin = _DEF.findall(above), _AT_MARGIN.findall(above)
    inner = [(indent, one) for indent, one in functions if indent]
    if margin and margin[-1][0] == "class" and inner:
        owner, outermost = margin[-1][1], min(indent for indent, _ in inner)
        method = [one for indent, one in inner if indent == outermost][-1]
        return owner, Status.MISSING, f"`{owner[:100]}.{method[:100]}` is not written yet"
    used = f"`{functions[-1][1][:100]}`" if functions else "a function"
    return name, Status.ERROR, f"`{name}` uses {used}, which is not written yet"


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
            return Status.ERROR, f"{where} ended with {told(run.error, session.unused)}"
    return Status.MISSING, f"there is no {kind} `{name}`"


def told(raised: Raised, unused: Collection[str] = ()) -> str:
    """The error with its place, and whether it comes from what is not available here. unused: as in `Session`."""
    place = f" ({raised.where})" if raised.where else ""
    because = why(raised, unused)
    return scrub(f"{raised.name}: {raised.message}{place}{'; ' if because else ''}{because}")


def _runs(session: Session) -> list[tuple[int, CellResult]]:
    """The last cells first, whose definitions are the ones in force."""
    return sorted(session.runs.items(), reverse=True)


def _source(session: Session, number: int) -> str:
    return next((session.cells[index].source for index, run in session.runs.items() if run.number == number), "")


def _is_of(task: str, cell: str) -> bool:
    return re.fullmatch(rf"{re.escape(task)}-code(-\d+)?", cell) is not None
