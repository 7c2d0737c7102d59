"""Why a function of a notebook is not there or did not come back, in a student's words: the true reason."""

from __future__ import annotations

import re
from collections.abc import Collection

from autograder.exercise.modules import imported
from autograder.isolation.replies import Raised
from autograder.isolation.session import CellResult, Session
from autograder.isolation.unavailable import why
from autograder.report import Status
from autograder.scrub import scrub
from autograder.submission.cells import Cell, Role, bound_names

_STUB = ("NotImplementedError", "not written yet")
_DEF = re.compile(r"^([ \t]*)(?:async\s+)?def\s+(\w+)", re.MULTILINE)  # its indentation, and its name
_AT_MARGIN = re.compile(r"^(class|def|async +def) +(\w+)", re.MULTILINE)
_PLACE = re.compile(r"(?:cell (\d+)|(\w+\.py)), line (\d+)")


def is_unwritten(raised: Raised) -> bool:
    """Whether it is the error of a released stub."""
    return (raised.type, raised.message) == _STUB


def why_unwritten(session: Session, name: str, raised: Raised) -> tuple[str, Status, str]:
    """The stub may be the function's own, a method's, or another one's that it uses; with whose it is."""
    place = _PLACE.match(raised.where)
    cell = _cell(session, place[1], place[2]) if place else None
    if cell and cell.file and not cell.submitted:
        return name, Status.MISSING if name in bound_names(cell.source) else Status.ERROR, _not_handed_in(cell)
    source = cell.source if cell else ""
    above = "\n".join(source.splitlines()[: int(place[3])]) if place else ""
    functions, margin = _DEF.findall(above), _AT_MARGIN.findall(above)
    is_others = cell is not None and cell.file and margin and margin[-1][1] != name  # a module has many
    if place is None or (name in bound_names(source) and not is_others):
        return name, Status.MISSING, f"`{name}` is not written yet"
    inner = [(indent, one) for indent, one in functions if indent]
    if margin and margin[-1][0] == "class" and inner:
        owner, outermost = margin[-1][1], min(indent for indent, _ in inner)
        method = [one for indent, one in inner if indent == outermost][-1]
        return owner, Status.MISSING, f"`{owner[:100]}.{method[:100]}` is not written yet"
    used = f"`{functions[-1][1][:100]}`" if functions else "a function"
    return name, Status.ERROR, f"`{name}` uses {used}, which is not written yet"


def why_missing(session: Session, task: str, name: str, kind: str = "function") -> tuple[Status, str]:
    """Why a notebook has no function or variable of this name: what became of the cell that should define it."""
    if found := _in_module(session, name, kind):
        return found
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


def _in_module(session: Session, name: str, kind: str) -> tuple[Status, str] | None:
    """Why a name is not there that the course's own cells take from a module: what became of that."""
    modules = {cell.file: cell for cell in session.cells if cell.file}
    for index, run in _runs(session) if modules else ():
        cell = session.cells[index]
        if cell.role is not Role.GIVEN or not (file := imported(cell.source, modules).get(name)):
            continue
        where = f"{file}, which should define `{name}`,"
        if run.ended:
            return run.ended.status, f"{where} was left out: {run.ended.reason}"
        is_there = name in bound_names(modules[file].source)
        if run.error and (is_there or run.error.where.startswith(f"{file},")):
            return Status.ERROR, f"{where} ended with {told(run.error, session.unused)}"
        if run.has_exited and is_there:
            return Status.ERROR, f"{where} ended with `sys.exit`"
        if not is_there:
            return Status.MISSING, f"there is no {kind} `{name}` in {file}"
    return None


def told(raised: Raised, unused: Collection[str] = ()) -> str:
    """The error with its place, and whether it comes from what is not available here. unused: as in `Session`."""
    place = f" ({raised.where})" if raised.where else ""
    because = why(raised, unused)
    return scrub(f"{raised.name}: {raised.message}{place}{'; ' if because else ''}{because}")


def _runs(session: Session) -> list[tuple[int, CellResult]]:
    """The last cells first, whose definitions are the ones in force."""
    return sorted(session.runs.items(), reverse=True)


def _cell(session: Session, number: str, file: str) -> Cell | None:
    """The one of this number, or the module of this file."""
    if file:
        return next((cell for cell in session.cells if cell.file == file), None)
    return next((session.cells[index] for index, run in _runs(session) if str(run.number) == number), None)


def _not_handed_in(cell: Cell) -> str:
    return f"{cell.file} was not handed in"


def _is_of(task: str, cell: str) -> bool:
    return re.fullmatch(rf"{re.escape(task)}-code(-\d+)?", cell) is not None
