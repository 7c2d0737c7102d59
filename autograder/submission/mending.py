"""The cells of a file, fitted to those that the course released."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from autograder.exercise.definition import Exercise
from autograder.report import Finding
from autograder.submission.cells import Cell, Role, bound_names, words
from autograder.submission.stubs import Stubs

_BEGINNING = 6  # words of a question by which a copy of it is known
_HEAD = 1000  # characters of a text that hold them


class Mender:
    """Fits parsed cells to the released ones, and notes in `findings` what it had to do.

    released: all cells of the release; those of no mark, which students may edit, have the role OWN. marks: the names
    that nbgrader's marks have in the file.
    """

    def __init__(self, exercise: Exercise, released: tuple[Cell, ...], marks: frozenset[str] = frozenset()) -> None:
        self.findings: list[Finding] = []
        self._exercise = exercise
        self._released = released
        self._expected = {cell.name: cell for cell in released if cell.role is not Role.OWN}
        self._texts = {words(cell.source) for cell in released} | {""}
        solutions = [cell for cell in self._expected.values() if cell.role is Role.SOLUTION and cell.kind == "code"]
        self._stubs = Stubs(solutions)
        self._has_other_marks = bool(marks - {cell.name for cell in released})  # as of an older release
        self._asked = {name for task in exercise.tasks.values() for name in task.names}
        self._written: dict[str, set[str]] = {}

    def mend(self, cells: Iterable[Cell]) -> tuple[Cell, ...]:
        mended = self._fit(self._recognise(list(cells)))
        self._put_back_deleted(mended)
        mended = self._without_stubs(mended)
        return tuple(replace(cell, doubtful=self._is_doubtful(mended, index)) for index, cell in enumerate(mended))

    def _recognise(self, cells: list[Cell]) -> list[Cell]:
        """Name the cells whose metadata some tool has stripped, by their text."""
        named = {cell.name for cell in cells}
        lost = [cell for name, cell in self._expected.items() if name not in named and not cell.file]
        return [
            next((replace(cell, name=one.name) for one in lost if self._matches(cell, one)), cell) for cell in cells
        ]

    def _matches(self, cell: Cell, lost: Cell) -> bool:
        if cell.name in self._expected or (cell.kind != lost.kind and (cell.kind, lost.kind) != ("raw", "code")):
            return False
        if lost.role is not Role.SOLUTION:
            return words(cell.source) == words(lost.source)
        names = self._stubs.unwritten_names(lost.source)
        return bool(names) and names <= bound_names(cell.source)

    def _fit(self, cells: list[Cell]) -> list[Cell]:
        counting = self._counting(cells)
        names = [cell.name for cell in cells]
        mended: list[Cell] = []
        for index, cell in enumerate(cells):
            if cell.name not in self._expected:
                mended.append(replace(cell, name=""))
            elif counting[cell.name] == index:
                mended += self._fitted(cell)
            else:
                mended += self._duplicate(cell, counting[cell.name] == names.index(cell.name))
        return mended

    def _counting(self, cells: list[Cell]) -> dict[str, int]:
        """Which cell counts as the released one of a name: the first that is written, else the first."""
        found: dict[str, int] = {}
        for index, cell in enumerate(cells):
            expected = self._expected.get(cell.name)
            if expected is None:
                continue
            first = found.setdefault(cell.name, index)
            if expected.role is Role.SOLUTION and self._is_written(cell) and not self._is_written(cells[first]):
                found[cell.name] = index
        return found

    def _is_written(self, cell: Cell) -> bool:
        """Whether it is the student's, and not as it was released."""
        is_stub = cell.kind == "code" and self._stubs.are_all_of(cell.source)
        return not is_stub and words(cell.source) not in self._texts

    def _fitted(self, cell: Cell) -> list[Cell]:
        expected = self._expected[cell.name]
        if expected.role is Role.SOLUTION:
            if cell.kind != expected.kind:
                self._find("edited", f"the type of the cell `{cell.name}` was changed; it counts as what it was")
            is_odd = expected.is_answer and cell.kind != expected.kind
            return [replace(expected, source=cell.source, doubtful=is_odd)]
        if cell.source.strip() == expected.source.strip() and cell.kind == expected.kind:
            return [expected]
        self._find("edited", f"the cell `{cell.name}` was edited; the course's own was used")
        return [expected, *self._merged_into(cell)]

    def _merged_into(self, cell: Cell) -> list[Cell]:
        """A solution that was merged into a cell of the course's, or written in it."""
        is_solution = self._asked & self._written_in([replace(cell, name="")])
        return [replace(cell, name="")] if is_solution else []

    def _duplicate(self, cell: Cell, first_counts: bool) -> list[Cell]:
        which = "first one" if first_counts else "first that is written"
        self._find("duplicated", f"the cell `{cell.name}` is there more than once; the {which} counts as it")
        expected = self._expected[cell.name]
        own = expected.role is Role.SOLUTION or cell.source.strip() != expected.source.strip()
        return [replace(cell, name="")] if own else []

    def _put_back_deleted(self, mended: list[Cell]) -> None:
        seen = {cell.name for cell in mended}
        before = ""
        for above, cell in zip((None, *self._released), self._released, strict=False):
            if cell.role is Role.OWN:
                continue
            if cell.name not in seen:
                mended.insert(self._place(cell, before, above, mended), replace(cell, submitted=False))
                if not cell.file:  # there, whoever knows what lies beside the notebook tells it
                    self._tell_deleted(cell)
            before = cell.name

    def _tell_deleted(self, cell: Cell) -> None:
        why = "is missing, perhaps as the file is of another release" if self._has_other_marks else "is missing"
        self._find("deleted", f"the cell `{cell.name}` {why}; the course's own was put in its place")

    def _place(self, lost: Cell, before: str, above: Cell | None, mended: list[Cell]) -> int:
        """Below the one that was released before it; an answer below its question, a grade cell below its functions."""
        place = [cell.name for cell in mended].index(before) + 1 if before else 0
        if lost.is_answer and above:
            texts = [words(cell.source) for cell in mended]
            return texts.index(words(above.source)) + 1 if words(above.source) in texts else place
        return self._below_functions(lost.name, place, mended) if lost.role is Role.GRADE else place

    def _below_functions(self, task: str, place: int, cells: list[Cell]) -> int:
        asked, written = set(self._exercise.tasks[task].names), self._written_in(cells[:place])
        for end in range(place, len(cells)):
            if asked <= written:
                return end
            written |= self._written_in([cells[end]])
        return len(cells) if asked <= written else place

    def _written_in(self, cells: Iterable[Cell]) -> set[str]:
        """What code of the student's own binds at the margin."""
        return {name for cell in cells if cell.takes_part and cell.role is not Role.GIVEN for name in self._names(cell)}

    def _names(self, cell: Cell) -> set[str]:
        if cell.source not in self._written:
            names = self._stubs.written_names(cell.source) if self._is_written(cell) else set[str]()
            self._written[cell.source] = names
        return self._written[cell.source]

    def _without_stubs(self, cells: list[Cell]) -> list[Cell]:
        """So marked that no stub hides what is written: a copy nowhere, what was released not below it."""
        anywhere, above = self._written_in(cells), set[str]()
        made = []
        for cell in cells:
            made.append(self._without_stub(cell, anywhere if cell.role is Role.OWN else above, above))
            above |= self._written_in([cell])
        return made

    def _without_stub(self, cell: Cell, written: set[str], above: set[str]) -> Cell:
        if not cell.runs or not (unwritten := self._stubs.unwritten_names(cell.source)):
            return cell
        if self._stubs.are_all_of(cell.source):
            return replace(cell, superseded=unwritten <= written)
        cleared = self._stubs.without(cell.source, above)
        return replace(cell, cleared=cleared) if cleared != cell.source else cell

    def _is_doubtful(self, cells: list[Cell], index: int) -> bool:
        cell = cells[index]
        if not cell.is_answer or cell.source != self._expected[cell.name].source:
            return False
        return cell.doubtful or not cell.submitted or self._may_be_elsewhere(cells, index)

    def _may_be_elsewhere(self, cells: list[Cell], index: int) -> bool:
        """In words of the student's own, in a cell of theirs next to it, or below a copy of the question."""
        own = [number for number, cell in enumerate(cells) if cell.role is Role.OWN and self._is_written(cell)]
        beginnings = self._beginnings(cells[index].name)
        return any(
            cells[number].kind != "code"
            or _letters(cells[number].source).startswith(beginnings)
            or all(_is_no_cell(cell) for cell in cells[min(number, index) + 1 : max(number, index)])
            for number in own
        )

    def _beginnings(self, name: str) -> tuple[str, ...]:
        """How a copy of the question of a free-text task begins."""
        pairs = zip(self._released, self._released[1:], strict=False)
        above = [cell.source for cell, below in pairs if below.name == name]
        first_lines = [source.strip().split("\n")[0] for source in (*above, self._exercise.tasks[name].title)]
        return tuple(" ".join(_letters(line).split()[:_BEGINNING]) for line in first_lines if _letters(line))

    def _find(self, kind: str, message: str) -> None:
        self.findings.append(Finding(kind, message))


def _is_no_cell(cell: Cell) -> bool:
    """Whether it is not there for the student: put back, or blank."""
    return not cell.submitted or not cell.source.strip()


def _letters(text: str) -> str:
    return " ".join(re.findall(r"\w+", text[:_HEAD].lower()))
