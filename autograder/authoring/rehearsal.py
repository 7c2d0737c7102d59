"""The notebook as a student runs it, from top to bottom and with its public checks, solved in all the known ways.

The grader runs neither a notebook's checks nor, for most solutions, its given cells. So what students see first, an
import that is not there or a check that refuses right work, is seen here.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto

from nbformat import NotebookNode

from autograder.authoring.kept import Kept
from autograder.authoring.reach import digest
from autograder.batch.pool import spread
from autograder.exercise.built import Built
from autograder.exercise.known_results import KnownResults
from autograder.exercise.modules import modules_in, without_modules
from autograder.exercise.variants import Variant, right_variants
from autograder.grading.reasons import is_unwritten, told
from autograder.isolation.sandbox import Sandbox
from autograder.isolation.session import CellResult, Session
from autograder.submission.modules import module_cell
from autograder.submission.notebook import Cell
from autograder.submission.samples import solved, solved_by

_MAKE_CHECKS_RAISE = '\n\nos.environ["NBGRADER_EXECUTION"] = "validate"\n'  # as under nbgrader's own button
_FAULT = "  ✗ "  # how a check begins the line of a test that found one


class Part(Enum):
    """Who runs the notebook."""

    REFERENCE = auto()
    NOTHING_WRITTEN = auto()
    RIGHT = auto()
    WRONG = auto()


@dataclass(frozen=True)
class Run:
    """One run of the notebook. variant: of RIGHT and WRONG, with its label. asked_in: tasks that ask its question."""

    part: Part
    label: str
    variant: Variant | None = None
    asked_in: tuple[str, ...] = ()


def rehearse(built: Built, jobs: int, kept: Kept) -> list[str]:
    """Everything that goes wrong where students run the notebook, as sentences, with `jobs` processes.

    kept: knows the runs that were in order in an earlier round; they are not run again.
    Errors: ExerciseError where the folder is inconsistent; SandboxError where notebooks cannot be run.
    """
    exercise = built.exercise
    known = KnownResults(exercise, built.reference)
    runs = [
        Run(Part.REFERENCE, "the reference notebook"),
        Run(Part.NOTHING_WRITTEN, "the released notebook"),
        *(Run(Part.RIGHT, f"right/{one.name}", one) for one in right_variants(exercise)),
        *(Run(Part.WRONG, f"wrong/{one.name}", one, known.asked_in(one)) for one in known.variants),
    ]
    keys = {run: _key(run, built) for run in runs}
    new = [run for run in runs if not kept.is_fine(keys[run])]
    problems: dict[Run, list[str]] = {}
    for run, found in spread(new, jobs, _Stage, built):
        problems[run] = [f"{run.label} could not be run: the process ended"] if found is None else found
        if found == []:
            kept.note_fine(keys[run])
    return [problem for run in new for problem in problems[run]]


class _Stage:
    """What one process runs notebooks with."""

    def __init__(self, built: Built) -> None:
        self._built = built
        self._sandbox = Sandbox(built.exercise.packages)

    def work(self, run: Run) -> list[str]:
        cells, built = _cells(run, self._built), self._built
        if run.part is not Part.NOTHING_WRITTEN:
            built = replace(built, checks=built.checks + _MAKE_CHECKS_RAISE)
        with Session(self._sandbox, built.exercise.limits, cells, built.working_files) as session:
            results = {cell.name: session.runs[index] for index, cell in enumerate(cells) if not cell.file}
        return list(_problems(run, results, self._built))

    def close(self) -> None:
        self._sandbox.close()


def _key(run: Run, built: Built) -> str:
    """Of what is run, and of what a mistake is graded in and should lose there."""
    tasks = {name: task.names for name, task in built.exercise.automatic.items()}
    return digest(run.part.name, built.checks, *map(repr, (run.variant, run.asked_in, tasks, _cells(run, built))))


def _cells(run: Run, built: Built) -> tuple[Cell, ...]:
    """The code of a run."""
    if run.part is Part.NOTHING_WRITTEN:
        return _code(built.release)
    if not run.variant:
        later = (Cell("code", code, name=code) for code in _later_imports(built.reference))
        return (*_code(solved(built)), *later)
    notebook = solved_by(built, run.variant)
    if any(task.variables for task in built.exercise.tasks.values()):
        return _code(notebook)  # what is given between may be what they are made of
    given = {cell.id for cell in notebook.cells if "nbgrader" not in cell.metadata}
    return tuple(cell for cell in _code(notebook) if cell.name not in given)


def _code(notebook: NotebookNode) -> tuple[Cell, ...]:
    modules = (module_cell(file, text) for file, text in modules_in(notebook).items())
    cells = (cell for cell in without_modules(notebook).cells if cell.cell_type == "code")
    return (*modules, *(Cell("code", cell.source, name=cell.id) for cell in cells))


def _later_imports(reference: NotebookNode) -> list[str]:
    """The imports of setup and given cells that running the cells may not come to, but for those that may fail."""
    later: dict[str, None] = {}
    for cell in reference.cells:
        if cell.cell_type == "code" and not cell.metadata.get("nbgrader", {}).get("solution"):
            later |= dict.fromkeys(_inner_imports(cell.source))
    return list(later)


def _inner_imports(source: str) -> Iterator[str]:
    try:
        body = ast.parse(source).body
    except SyntaxError:  # a magic, or what the run tells
        return
    left: list[ast.AST] = [node for node in body if not isinstance(node, ast.Import | ast.ImportFrom)]
    while left:
        node = left.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield ast.unparse(node)
        elif not isinstance(node, ast.Try):
            left += ast.iter_child_nodes(node)


def _problems(run: Run, results: dict[str, CellResult], built: Built) -> Iterator[str]:
    if _failed(results["setup"]):  # all else fails for it
        if run.part is Part.REFERENCE:
            yield f"{run.label}: {_cell('setup')} {_how(results['setup'])}"
        return
    checks = {name: result for name, result in results.items() if name in built.exercise.automatic}
    refused = {name: result for name, result in checks.items() if _failed(result)}
    if run.part is Part.NOTHING_WRITTEN:
        for name, result in results.items():
            yield from _of_stubs(name, result, checks)
    elif run.part is Part.WRONG and run.variant:
        yield from _of_mistake(run, run.variant, refused, checks, built)
    else:
        yield from (f"{run.label}: the public check of `{one}` fails: {_first_fault(refused[one])}" for one in refused)
    if run.part is Part.REFERENCE:
        others = (name for name, result in results.items() if name not in checks and _failed(result))
        yield from (f"{run.label}: {_cell(name)} {_how(results[name])}" for name in others)


def _of_mistake(
    run: Run, variant: Variant, refused: dict[str, CellResult], checks: dict[str, CellResult], built: Built
) -> Iterator[str]:
    for name in _not_lost(variant, refused, built):
        fault = f"fails the public check of `{name}` and loses nothing for it: {_first_fault(refused[name])}"
        yield f"{run.label} {fault}; the hidden tests are weaker than the public ones"
    for name in run.asked_in:
        if variant.hint not in _printed(checks[name]):
            yield f"{run.label}: in the whole notebook, the public check of `{name}` does not ask its question"


def _not_lost(variant: Variant, refused: Collection[str], built: Built) -> list[str]:
    """The tasks of a wrong function that its public checks refuse, where hidden tests take points from none of them.

    Public checks may take the student's own work of other tasks as given, so there a mistake shows once more; it loses
    points once.
    """
    lenient: dict[str, None] = {}
    for function in variant.functions:
        own = [name for name in refused if function in built.exercise.tasks[name].names]
        lenient |= {} if set(own) & set(variant.loses) else dict.fromkeys(own)
    return list(lenient)


def _of_stubs(name: str, result: CellResult, tasks: Collection[str]) -> Iterator[str]:
    """Where nothing is written yet, a cell may say that, and nothing else."""
    if result.ended or (result.error and not is_unwritten(result.error)):
        yield f"the released notebook: {_cell(name)} {_how(result)}"
    elif name in tasks and _FAULT in _printed(result):
        fault = f"finds a fault where nothing is written: {_first_fault(result)}"
        yield f"the released notebook: the public check of `{name}` {fault}"


def _failed(result: CellResult) -> bool:
    return bool(result.error or result.ended)


def _how(result: CellResult) -> str:
    if result.ended:
        return f"ends the process: {result.ended.reason}"
    return f"raises {told(result.error)}" if result.error else ""


def _cell(name: str) -> str:
    return f"`{name}`" if name.startswith(("import ", "from ")) else f"cell `{name}`"


def _first_fault(result: CellResult) -> str:
    """The sentence of the first test that found a fault, and the fault; what else there is to say where none did."""
    lines = _printed(result).splitlines()
    faults = [number for number, line in enumerate(lines) if line.startswith(_FAULT)]
    if faults:
        return ": ".join(line.strip() for line in lines[faults[0] : faults[0] + 2]).removeprefix(_FAULT.strip()).strip()
    return lines[0] if lines else _how(result)


def _printed(result: CellResult) -> str:
    return "".join(output["text"] for output in result.outputs if output["output_type"] == "stream")
