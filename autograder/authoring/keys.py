"""What the trial of a solution depends on, as keys: where a key is the same, its tests come to the same.

Tests that have no say in one another have keys of their own: of the test and all that it reaches in the suite, and of
what it reaches by its words in the notebook and in the reference. So a change of one test, function or file leaves
other keys as they are, and solutions share the results of what is the same in them. Functions that leave something
behind in their process tie together the tests that reach them. In doubt there is one key for the whole trial.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from nbformat import NotebookNode

from autograder.authoring.memory import Memory
from autograder.authoring.reach import Reach, Text, Words, digest, is_obscure, read_cell, read_suite
from autograder.authoring.trials import WITHOUT_LINES, Kind, Solution
from autograder.exercise.built import Built
from autograder.exercise.definition import read_text
from autograder.exercise.modules import file_of, modules_in, without_imports, without_modules
from autograder.exercise.source import is_answer, reference_source, solution_cells
from autograder.exercise.variants import put_in
from autograder.submission.samples import solved

Sources = dict[str, str]  # of code cells, by their ids


@dataclass(frozen=True)
class Knot:
    """Tests that are kept together. units: test functions and classes of the suite.

    is_apart: whether nothing that has run before in the process has a say in them.
    """

    key: str
    units: tuple[str, ...]
    is_apart: bool = False


@dataclass(frozen=True)
class Plan:
    """The keys of a solution's trial. whole: of all of it, where its tests have a say in one another after all."""

    whole: Knot
    knots: tuple[Knot, ...]


@dataclass(frozen=True)
class _Unit:
    """A test function or class. tasks: those that it may belong to."""

    name: str
    tasks: frozenset[str]
    reach: Reach
    digest: str


class Keys:
    """The keys of an exercise's solutions."""

    def __init__(self, built: Built) -> None:
        self._exercise = built.exercise
        self._built = built
        self._plans: dict[Solution, Plan] = {}
        self._suite = read_suite(read_text(built.exercise.hidden_suite))
        self._reference = Text(read_cell(reference_source(built.reference), ""))
        self._cells = [cell for cell in built.release.cells if cell.cell_type == "code"]
        self._solved = _sources(built, None)
        self._base = self._text(self._solved, 1)
        self._units = {unit.name: unit for unit in self._read_units()}
        self._in_reference = {name: self._reference.reach(one.reach.words) for name, one in self._units.items()}
        self._compared = {name: self._digest_of(unit) for name, unit in self._units.items()}
        self._in_base = {name: self._base.reach(one.reach.words) for name, one in self._units.items()}

    def plan(self, solution: Solution) -> Plan:
        """The keys of all that its trial runs."""
        if solution not in self._plans:
            self._plans[solution] = self._made(solution)
        return self._plans[solution]

    def of_suite(self) -> dict[str, tuple[str, ...] | None]:
        """The keys of what tests ask the reference and are answered, with the test functions and classes; None for all.

        The text of the reference is all of it, as what a student's process remembers has a say in the answers.
        """
        graded = [cell for cell in self._cells if self._exercise.variables or _is_graded(cell)]
        cells = [self._solved.get(cell.id, cell.source) for cell in graded]
        if self._is_obscure:
            return {digest("suite", read_text(self._exercise.hidden_suite), *cells): None}
        return {digest("suite", self._compared[unit.name], *cells): (name,) for name, unit in self._units.items()}

    def _made(self, solution: Solution) -> Plan:
        sources = self._sources_of(solution)
        units = [unit for unit in self._units.values() if self._concerns(unit, solution)]
        whole = self._whole(solution, sources, units)
        if solution.kind is Kind.BEHAVIOUR:
            knot = self._of_behaviours(solution, units) or whole
            return Plan(knot, (knot,))
        if solution.is_whole or self._is_obscure:
            return Plan(whole, (whole,))
        text = self._text(sources, solution.threads)
        if text.memory is Memory.ANYTHING or self._lacks_functions(text):
            return Plan(whole, (whole,))
        return Plan(whole, tuple(self._knots(solution, text, sources, units)))

    def _knots(self, solution: Solution, text: Text, sources: Sources, units: list[_Unit]) -> Iterator[Knot]:
        changed = _difference(self._base, text)
        tied = []
        for unit in units:
            met = self._in_base[unit.name]
            is_other = any(map(met.words.may_mean, changed))
            reach = text.reach(unit.reach.words) if is_other else met
            if any(one.memory is Memory.RANDOM for one in reach.statements):
                tied.append(unit)
                continue
            tasks = unit.tasks if solution.tests_of is None else unit.tasks & set(solution.tests_of)
            made = is_other and solution.kind in WITHOUT_LINES
            circumstances = repr((solution.seed, solution.threads, sorted(tasks), made))
            key = digest(text.everywhere, reach.digest, self._compared[unit.name], circumstances)
            yield Knot(key, (unit.name,), text.everywhere == self._base.everywhere)
        if tied:
            yield Knot(digest("tied", self._whole(solution, sources, tied).key), tuple(unit.name for unit in tied))

    def _of_behaviours(self, solution: Solution, units: list[_Unit]) -> Knot | None:
        """What the tests reach, where nothing but the mutants, which are all in one notebook, leaves anything there."""
        reach = self._base.reach(Words.union(unit.reach.words for unit in units))
        if self._is_obscure or self._base.memory is Memory.ANYTHING or any(one.memory for one in reach.statements):
            return None
        key = digest(
            "behaviours",
            solution.name,
            self._base.everywhere,
            reach.digest,
            *(self._compared[unit.name] for unit in units),
        )
        return Knot(key, tuple(unit.name for unit in units))

    def _whole(self, solution: Solution, sources: Sources, units: list[_Unit]) -> Knot:
        cells = [cell for cell in self._cells if solution.is_whole or self._exercise.variables or _is_graded(cell)]
        shown = [sources.get(cell.id, cell.source) for cell in cells]
        circumstances = repr((solution.seed, solution.threads, solution.tests_of, solution.is_whole))
        key = digest(
            "whole", _function_of(solution), circumstances, *shown, *(self._compared[unit.name] for unit in units)
        )
        return Knot(key, () if self._is_obscure else tuple(unit.name for unit in units))

    def _digest_of(self, unit: _Unit) -> str:
        """A digest of the test and of all that it is compared with."""
        return digest(unit.digest, self._in_reference[unit.name].digest, self._reference.everywhere)

    def _text(self, sources: Sources, threads: int) -> Text:
        first = 2 if threads > 1 else 1  # a cell that sets the number of threads comes before
        cells = [{"metadata": cell.metadata, "source": sources.get(cell.id, cell.source)} for cell in self._cells]
        notebook = NotebookNode(cells=[*map(NotebookNode, cells)])
        graded = [cell.source for cell in without_modules(notebook).cells if _is_graded(cell)]
        texts = [*modules_in(notebook).items(), *((f"cell {number}", one) for number, one in enumerate(graded, first))]
        files = self._exercise.submit
        return Text(one for place, text in texts for one in read_cell(without_imports(text, files), place))

    def _sources_of(self, solution: Solution) -> Sources:
        if solution.variant:
            return self._solved | put_in(solution.variant, self._solved)
        return self._solved if solution.solved is None else _sources(self._built, solution.solved)

    def _read_units(self) -> Iterator[_Unit]:
        for one in self._suite.statements:
            for name in one.binds if isinstance(one.node, ast.FunctionDef | ast.ClassDef) else ():
                if name.startswith(("test", "Test")):
                    reach = self._suite.reach(Words(frozenset([name])))
                    # Two tests may reach each other's texts, and random inputs hang on the name.
                    yield _Unit(name, _tasks(one.node), reach, digest(name, self._suite.everywhere, reach.digest))

    def _concerns(self, unit: _Unit, solution: Solution) -> bool:
        return self._is_obscure or solution.tests_of is None or bool(unit.tasks & set(solution.tests_of))

    @cached_property
    def _is_obscure(self) -> bool:
        """Whether it cannot be seen in its text what a test is and hangs on."""
        others = (one for one in self._suite.statements if not isinstance(one.node, ast.FunctionDef | ast.ClassDef))
        made = any(name.startswith(("test", "Test")) for one in others for name in one.binds)
        known = all(unit.tasks and unit.tasks <= self._exercise.automatic.keys() for unit in self._units.values())
        return is_obscure(self._suite) or made or not known or bool(self._exercise.variables)

    def _lacks_functions(self, text: Text) -> bool:
        """Why a function is not there is told by looking at all cells."""
        bound = {name for one in text.statements for name in one.binds}
        return any(not bound.issuperset(task.names) for task in self._exercise.automatic.values())


def _function_of(solution: Solution) -> str:
    """Whose mutants of behaviour they are, if they are."""
    return solution.name if solution.kind is Kind.BEHAVIOUR else ""


def _is_graded(cell: NotebookNode) -> bool:
    return bool(cell.metadata.get("nbgrader") or file_of(cell)) and not is_answer(cell)


def _sources(built: Built, tasks: tuple[str, ...] | None) -> Sources:
    return {cell.id: cell.source for cell in solution_cells(solved(built, tasks)) if cell.cell_type == "code"}


def _difference(one: Text, other: Text) -> frozenset[str]:
    """The names that are not the same in both."""
    mine, theirs = ({statement.text: statement.binds for statement in text.statements} for text in (one, other))
    return frozenset[str]().union(*((mine | theirs)[text] for text in mine.keys() ^ theirs.keys()))


def _tasks(node: ast.stmt) -> frozenset[str]:
    """The tasks that marks on a test, or on those in a class, name; none where a mark does not name it plainly."""
    marked = [one for one in ast.walk(node) if isinstance(one, ast.FunctionDef | ast.ClassDef)]
    marks = [mark for one in marked for mark in one.decorator_list if isinstance(mark, ast.Call) and _is_task(mark)]
    named = [mark.args[0].value for mark in marks if mark.args and isinstance(mark.args[0], ast.Constant)]
    return frozenset(map(str, named)) if len(named) == len(marks) else frozenset()


def _is_task(mark: ast.Call) -> bool:
    return isinstance(mark.func, ast.Name) and mark.func.id == "task"
