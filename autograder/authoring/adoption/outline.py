"""The cells of a plain nbgrader source notebook as the cells and tasks of an exercise; no code is run.

solution cells, and the test cells that follow them     one task; its points are those of the test cells
an answer or a task that a person grades                a task by hand
all else                                                given; imports, and what solutions and tests need of it, go
                                                        into the setup cell
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder.authoring.adoption.cells import (
    cleared,
    first_line,
    has_code,
    modules,
    names_bound,
    names_used,
    parsed,
    parted,
    solution_of,
)
from autograder.authoring.adoption.expressions import Names, imports_of
from autograder.authoring.adoption.reading import Cell, read
from autograder.exercise.uses import bound_in, brought_by, defined_in
from autograder.exercise.variants import cut

_GENERATED = re.compile(r"cell-[0-9a-f]{8,}")
_NO_ANSWER = "TODO: the model answer."
_LONGEST_NAME = 46  # so that a number fits behind it


@dataclass
class AdoptedTask:
    """As `exercise.definition.Task` has it. tests: the cells that have tested it; known: what names mean in them."""

    name: str
    points: float
    functions: list[str] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    needs: list[str] = field(default_factory=list)
    tests: list[Cell] = field(default_factory=list)
    known: Names | None = None

    @property
    def names(self) -> list[str]:
        """What its tests can ask for; nothing of a task by hand."""
        return [*self.functions, *self.variables]


@dataclass
class Outline:
    """cells: of notebook.py, with their markers as metadata. imported: modules. left: what is not moved or needs a
    hand, in sentences."""

    cells: list[NotebookNode]
    tasks: list[AdoptedTask]
    imported: list[str]
    left: list[str]


def outline(notebook: NotebookNode) -> Outline:
    """What the exercise of a source notebook has."""
    return _Adoption(notebook).outline()


@dataclass
class _Group:
    """Solution cells, and the test cells after them, by their places. task: once it is made."""

    solutions: list[int] = field(default_factory=list)
    tests: list[int] = field(default_factory=list)
    points: float = 0
    task: AdoptedTask | None = None


def _groups(cells: list[Cell]) -> Iterator[_Group]:
    """A solution cell opens a new one where the last has tests that are worth something."""
    group = _Group()
    for place, cell in enumerate(cells):
        if cell.kind == "solution":
            if group.points:
                yield group
                group = _Group()
            group.solutions.append(place)
        elif cell.kind == "test":
            group.tests.append(place)
            group.points += cell.points
    yield group


class _Adoption:
    def __init__(self, notebook: NotebookNode) -> None:
        done = read(notebook)
        self._cells, self._left = done.cells, done.left
        self._groups = list(_groups(self._cells))
        self._of_place = {place: one for one in self._groups for place in (*one.solutions, *one.tests)}
        self._tasks: list[AdoptedTask] = []
        solutions = [cell.source for cell in self._cells if cell.kind == "solution"]
        self._written = set[str]().union(*map(names_bound, solutions))
        self._used = set[str]().union(*map(names_used, solutions))

    def outline(self) -> Outline:
        self._tell_of_answers()
        setup = self._setup()
        cells = [cell for place in range(len(self._cells)) for cell in self._made(place)]
        self._tell_names(ast.parse(setup))
        first = next((place for place, cell in enumerate(cells) if cell.cell_type == "code"), len(cells))
        cells.insert(first, _marked(new_code_cell(setup), setup=True))
        code = [cell.source for cell in cells if cell.cell_type == "code"]
        return Outline(cells, self._tasks, sorted(set[str]().union(*map(modules, code))), self._left)

    # --- the setup cell ---

    def _setup(self) -> str:
        """Its source; what it takes is gone from the given cells."""
        wanted = set[str]().union(*(names_used(cell.source) for cell in self._cells if cell.kind == "test"))
        imports: list[str] = []
        blocks: list[str] = []
        for cell in reversed([one for one in self._cells if one.kind == "given" and one.is_code]):
            if (tree := parsed(cell.source)) is None:
                self._left.append(f"a given cell is no Python: {first_line(cell.source)}")
                continue
            own = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
            imports = [*map(ast.unparse, own), *imports]
            cell.source = cut(cell.source, own)
            if self._is_setup(cell, wanted):
                blocks = [cell.source, *blocks]
            if cell.source in blocks or not has_code(cell.source):
                cell.source = ""
        first = sorted(dict.fromkeys(imports), key=lambda one: "__future__" not in one)
        return "\n\n".join(["\n".join([*first, "from checks import check"]), *blocks])

    def _is_setup(self, cell: Cell, wanted: set[str]) -> bool:
        """Whether solutions or tests need a given cell, and it needs no solution. wanted: what tests need, to be added
        to by what it needs itself."""
        bound, used = names_bound(cell.source) - self._written, names_used(cell.source)
        if not bound & (wanted | self._used):
            return False
        if not used & self._written:
            (self._used if bound & self._used else wanted).update(used)
            return True
        if missing := bound & self._used:
            self._left.append(
                f"a solution uses `{min(missing)}` of a given cell that uses a solution itself; the reference runs "
                "without given cells, so move what it needs into the setup cell"
            )
        return False

    def _tell_of_answers(self) -> None:
        """Of code that a person grades, and that is in use elsewhere."""
        for cell in self._cells:
            if (
                cell.kind == "answer"
                and cell.is_code
                and (used := names_bound(cell.source) & self._used - self._written)
            ):
                self._left.append(f"a solution uses `{min(used)}` of `{cell.name}`, which a person grades; give it")

    # --- cells ---

    def _made(self, place: int) -> Iterator[NotebookNode]:
        """What becomes of a cell."""
        cell = self._cells[place]
        if group := self._of_place.get(place):
            yield from self._graded(place, cell, group)
        elif cell.kind in ("answer", "task"):
            yield from self._by_hand(cell)
        elif cell.source or not cell.is_code:
            if cell.is_code and cell.is_locked:
                self._left.append(f"`{cell.name}` was read-only; students may change it now")
            yield new_code_cell(cell.source) if cell.is_code else new_markdown_cell(cell.source)

    def _graded(self, place: int, cell: Cell, group: _Group) -> Iterator[NotebookNode]:
        if not (group.solutions and group.points):
            yield from self._without_points(cell)
        elif not group.task and not self._has_task(group):
            if place == group.solutions[-1]:
                self._left.append(f"`{cell.name}` defines nothing that tests could use; a person grades it")
                source = "\n\n".join(self._cells[one].source for one in group.solutions)
                yield from self._by_hand(Cell("answer", True, cell.name, group.points, source))
        elif group.task and cell.kind == "solution":
            yield _marked(new_code_cell(solution_of(cell.source)), task=group.task.name)
        elif group.task and place == min(one for one in group.tests if one > group.solutions[-1]):
            yield _marked(new_code_cell(f'check("{group.task.name}")'), grade=group.task.name)

    def _without_points(self, cell: Cell) -> Iterator[NotebookNode]:
        if cell.kind == "test":
            why = "it is worth nothing" if not cell.points else "it follows no solution"
            self._left.append(f"the tests of `{cell.name}` are not moved ({cell.points:g} points), as {why}")
            return
        self._left.append(f"the solution of `{cell.name}` is not moved, as no tests after it are worth something")
        yield new_code_cell(cleared(cell.source))

    def _by_hand(self, cell: Cell) -> Iterator[NotebookNode]:
        make = new_code_cell if cell.is_code else new_markdown_cell
        given, answer = _answer(cell)
        if given.strip():
            yield new_markdown_cell(given.strip())
        if not cell.points:
            self._left.append(f"the answer of `{cell.name}` is not moved, as it is worth nothing")
            yield make(cleared(cell.source) if cell.is_code else "YOUR ANSWER HERE")
            return
        if cell.kind == "task":
            self._left.append(f"`{cell.name}`: students answer in the one cell below it now, not in cells of their own")
        if not answer.strip():
            self._left.append(f"notebook.py: write the model answer of `{cell.name}`, which those who grade see")
        task = AdoptedTask(self._name(cell.name), cell.points)
        self._tasks.append(task)
        answer = answer.strip() or (f"# {_NO_ANSWER}" if cell.is_code else _NO_ANSWER)
        yield _marked(make(solution_of(answer) if cell.is_code else answer), task=task.name)

    # --- tasks ---

    def _has_task(self, group: _Group) -> bool:
        """Make the task of solution cells, where they define something that tests can ask for."""
        cells = [self._cells[place] for place in group.solutions]
        tests = [self._cells[place] for place in group.tests]
        trees = [tree for cell in cells if (tree := parsed(cell.source))]
        tree = ast.Module([node for one in trees for node in one.body], [])
        functions = list(defined_in(tree))
        looked = set[str]().union(*(names_used(test.source) for test in tests))
        bound = [name for name in _in_order(tree) if name in bound_in(tree) and name not in functions]
        variables = [name for name in bound if name in looked] or ([] if functions else bound)
        if len(trees) < len(cells) or not (functions or variables):
            return False
        used = set[str]().union(*(names_used(cell.source) for cell in cells))
        needs = [task.name for task in self._tasks if used & {*task.names}]
        generated = _GENERATED.fullmatch(cells[-1].name)
        name = self._name((functions or variables)[0] if generated else cells[-1].name)
        tests = [replace(test, name=name) if _GENERATED.fullmatch(test.name) else test for test in tests]
        group.task = AdoptedTask(name, group.points, functions, variables, needs, tests)
        self._tasks.append(group.task)
        return True

    def _tell_names(self, setup: ast.Module) -> None:
        """Say of each task what the names in its tests mean."""
        imports = imports_of(setup.body)
        given = {*brought_by(setup)} - imports.keys()
        functions: set[str] = set()
        classes: set[str] = set()
        for group in self._groups:
            if group.task:
                body = [node for place in group.solutions for node in ast.parse(self._cells[place].source).body]
                functions |= {*group.task.functions}
                classes |= {node.name for node in body if isinstance(node, ast.ClassDef)}
                imports = imports | imports_of(body)
                is_torch = any("torch" in text for text in imports.values())
                variables = {*group.task.variables}
                group.task.known = Names({*functions}, {*classes}, variables, given, imports, is_torch)

    def _name(self, grade_id: str) -> str:
        """An identifier that no other task has."""
        name = "" if _GENERATED.fullmatch(grade_id) else re.sub("[^A-Za-z0-9]+", "_", grade_id).strip("_")
        name = name or f"task_{len(self._tasks) + 1}"
        name = (f"task_{name}" if name[0].isdigit() else name)[:_LONGEST_NAME]
        number, found, taken = 2, name, {"setup", *(task.name for task in self._tasks)}
        while found in taken:
            number, found = number + 1, f"{name}_{number}"
        return found


def _answer(cell: Cell) -> tuple[str, str]:
    """The text around an answer, which students see, and the answer."""
    if cell.kind == "task":
        return parted(cell.source, "MARK SCHEME")
    given, answer = parted(cell.source, "SOLUTION")
    return ("", cell.source) if cell.is_code or not answer else (given, answer)


def _in_order(tree: ast.Module) -> list[str]:
    return list(dict.fromkeys(node.id for node in ast.walk(tree) if isinstance(node, ast.Name)))


def _marked(cell: NotebookNode, **mark: object) -> NotebookNode:
    cell.metadata = NotebookNode(mark)
    return cell
