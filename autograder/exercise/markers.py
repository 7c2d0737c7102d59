"""The markers of `notebook.py`: which there are, where they stand, and what is nearly one and would do nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from difflib import SequenceMatcher, get_close_matches
from typing import Any

BEGIN_SOLUTION, END_SOLUTION = "### BEGIN SOLUTION", "### END SOLUTION"  # as nbgrader's ClearSolutions has them

GIVEN, PROSE, SETUP = "# %%", "# %% [markdown]", "# %% setup=true"

_CELL = re.compile(r"\s*#\s*%%(%*\s.*|\s*)")  # as Jupytext has it
_LIKE_A_CELL = 0.85  # of the letters of a marker
_LIKE_A_SOLUTION = {BEGIN_SOLUTION: 0.85, END_SOLUTION: 0.9}  # "a solution" is a comment
_HEADER = "# ---"


def cell_markers(written: Collection[str], by_hand: Collection[str]) -> list[str]:
    """Every cell marker of an exercise with these tasks."""
    code = [f'# %% {mark}="{task}"' for task in written for mark in ("task", "grade")]
    return [GIVEN, PROSE, SETUP, *code, *(f'{kind} task="{task}"' for task in by_hand for kind in (PROSE, GIVEN))]


def module_markers(written: Collection[str]) -> list[str]:
    """Every cell marker of a module that students write. written: the tasks of functions."""
    return [GIVEN, *(f'{GIVEN} task="{task}"' for task in written)]


def lines_of_cells(text: str) -> list[int]:
    """The numbers of the lines that are cell markers."""
    return [number for number, line in _lines(text) if _CELL.fullmatch(line)]


def unknown_marker(marks: Mapping[str, Any], text: str, known: Collection[str]) -> str:
    """The fault of a cell marker that means nothing, with its line. marks: what Jupytext read in it."""
    where, line = _place_of(marks, text)
    return f"{where}: `{line}` is no cell marker of this exercise{_meant(line, known)}"


def misplaced_marker(marks: Mapping[str, Any], text: str) -> str:
    """The fault of one in a module that is the notebook's. marks: the same, and of which kind the cell is."""
    where, line = _place_of(marks, text)
    return f"{where}: `{line}` is for the notebook; a module has given cells and solution cells of code, and no others"


def _place_of(marks: Mapping[str, Any], text: str) -> tuple[str, str]:
    """The number of a marker's line, in words, and the line."""
    values = [str(value) for value in marks.values() if not isinstance(value, bool)]
    values += [name for name, value in marks.items() if isinstance(value, bool)]
    lines = ((number, line.strip()) for number, line in _lines(text) if _CELL.fullmatch(line))
    found = [(number, line) for number, line in lines if all(value in line for value in values)]
    found.sort(key=lambda one: not all(name in one[1] for name in marks))  # another mark may be of the same task
    return (f", line {found[0][0]}", found[0][1]) if found else ("", str(dict(marks)))


def near_markers(text: str, known: Collection[str]) -> Iterator[str]:
    """What is nearly a marker, and solution markers that do not go in pairs, with their lines."""
    near = [
        f", line {number}: `{line.lstrip()}` is no marker{_meant(line.strip(), meant)}"
        for number, line in _lines(text)
        if (meant := _like(line, known))
    ]
    yield from near or _unpaired(text)


def _meant(line: str, known: Collection[str]) -> str:
    near = get_close_matches(line, known, n=1)
    return f"; did you mean `{near[0]}`?" if near else f" (there are: {', '.join(known)})"


def _like(line: str, known: Collection[str]) -> list[str]:
    """The markers that a line may have been meant to be, if it is none."""
    stripped = line.strip()
    if _CELL.fullmatch(line) or line.lstrip() in _LIKE_A_SOLUTION:
        return []
    comment = stripped[stripped.find("#") :].strip("# ").upper() if "#" in stripped else ""
    for marker, share in _LIKE_A_SOLUTION.items():
        matcher = SequenceMatcher(None, comment, marker.strip("# "))
        if matcher.real_quick_ratio() >= share and matcher.ratio() >= share:
            return [marker]
    if re.fullmatch(r"(#|%%).{0,4}", stripped) and "%" in stripped:
        return [GIVEN]
    if "=" not in stripped and "[" not in stripped:
        return []
    return get_close_matches(stripped, [one for one in known if one != GIVEN], n=1, cutoff=_LIKE_A_CELL)


def _unpaired(text: str) -> Iterator[str]:
    opened = 0
    for number, line in [*_lines(text), (0, GIVEN)]:
        stripped = line.strip()
        if opened and (_CELL.fullmatch(line) or stripped == BEGIN_SOLUTION):
            yield f", line {opened}: {BEGIN_SOLUTION} without an {END_SOLUTION} below it"
        if not opened and stripped == END_SOLUTION:
            yield f", line {number}: {END_SOLUTION} without a {BEGIN_SOLUTION} above it"
        is_inside = opened and stripped != END_SOLUTION and not _CELL.fullmatch(line)
        opened = number if stripped == BEGIN_SOLUTION else opened if is_inside else 0


def _lines(text: str) -> list[tuple[int, str]]:
    """The numbered lines below the header for colleagues, which is no cell."""
    lines = list(enumerate(text.splitlines(), start=1))
    ends = [number for number, line in lines if line.rstrip() == _HEADER]
    return lines[ends[1] :] if ends[:1] == [1] and len(ends) > 1 else lines
