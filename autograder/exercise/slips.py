"""What staff get wrong without a word from Python, pytest or nbgrader: all of it told at once, with file and line."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path

from nbformat import NotebookNode

from autograder.checks.allowed import Code
from autograder.errors import ExerciseError
from autograder.exercise import known_results, suites
from autograder.exercise.answers import unfit_answers
from autograder.exercise.build import build
from autograder.exercise.built import Built
from autograder.exercise.definition import ASSIGNMENT_FILE, EXERCISE_FILE, Exercise, read_text
from autograder.exercise.format import line_of
from autograder.exercise.library_names import unknown_names, unnamed_packages
from autograder.exercise.markers import near_markers
from autograder.exercise.modules import without_imports
from autograder.exercise.packages import missing_packages
from autograder.exercise.places import parsed, placed_cells
from autograder.exercise.source import (
    given_statements,
    markers_of,
    reference_notebook,
    reference_source,
    solution_code,
)
from autograder.exercise.spelling import did_you_mean
from autograder.exercise.uses import bound_in, brought_by, defined_in, missing_needs, uses, variable_of
from autograder.exercise.variants import right_variant, variant_files, wrong_variant

_FILES = ("exercise.toml", "notebook.py", "test_public.py", "test_hidden.py", "equivalent.toml", known_results.FILE)
_FOLDERS = ("wrong", "right")
_LEFT_BEHIND = "__pycache__"
_TO_BE_NAMED = "; what students are to get is named in `files` of exercise.toml, what they write in `submit`"


def proofread(exercise: Exercise) -> Built:
    """Build `exercise`. Errors: ExerciseError with everything in its folder that is wrong or does nothing, a line each.

    Nothing is run: what only a run would tell is for `verify`.
    """
    markers = list(_all(_markers, exercise))
    slips = [*markers, *_all(suites.faults, exercise), *_all(_unread, exercise), *missing_packages(exercise.packages)]
    slips += [] if markers else _all(_given_away, exercise)
    try:
        built = build(exercise)
        slips += _beside(built.reference, exercise)
    except ExerciseError as error:
        # Where a marker is none, what the notebook lacks or holds is told by that.
        slips += [] if markers and str(error).startswith(str(exercise.notebook_source)) else [str(error)]
        slips += [*_faulty_variants(exercise), *_beside_what_can_be_read(exercise)]
    if slips:
        raise ExerciseError("\n".join(dict.fromkeys(line for slip in slips for line in slip.splitlines())))
    return built


def _all(part: Callable[[Exercise], Iterable[str]], exercise: Exercise) -> Iterator[str]:
    try:
        yield from part(exercise)
    except ExerciseError as error:
        yield str(error)


def _markers(exercise: Exercise) -> Iterator[str]:
    for source in (exercise.notebook_source, *exercise.module_sources):
        yield from (f"{source}{slip}" for slip in near_markers(read_text(source), markers_of(exercise, source)))


def _faulty_variants(exercise: Exercise) -> Iterator[str]:
    for kind, read in (("wrong", partial(wrong_variant, exercise=exercise)), ("right", right_variant)):
        for path in variant_files(exercise, kind):
            try:
                read(path)
            except ExerciseError as error:
                yield str(error)


def _beside_what_can_be_read(exercise: Exercise) -> list[str]:
    """The build has told already what cannot."""
    try:
        return list(_beside(reference_notebook(exercise), exercise))
    except (SyntaxError, ExerciseError):
        return []


def _beside(reference: NotebookNode, exercise: Exercise) -> Iterator[str]:
    """What the rest of the folder has that does not fit to the reference. Errors: SyntaxError."""
    toml, code = exercise.folder / "exercise.toml", ast.parse(reference_source(reference))
    of_tasks = (missing_needs(exercise, uses(code)), unfit_answers(exercise, reference), unknown_names(exercise))
    for task, told in chain.from_iterable(of_tasks):
        yield f"{toml}, line {line_of(('tasks', task), read_text(toml))}: {told}"
    yield from _misused(reference, exercise)
    for statement, told in unnamed_packages(exercise, reference):
        source, line = _place_of(statement, exercise)
        yield f"{source}, line {line}: {told}"
    bodies = [ast.parse(cell.source) for cell in solution_code(reference)]
    variables = {variable_of(node) for body in bodies for node in body.body} - {""}
    written = {name for body in bodies for name in defined_in(body)} | variables
    for path in (*variant_files(exercise, "wrong"), *variant_files(exercise, "right")):
        yield from _idle_definitions(path, written, defined_in(code).keys() - written, variables)


def _given_away(exercise: Exercise) -> Iterator[str]:
    """Where a cell that students do not write has what a task asks for: it would earn their points."""
    owners = {one: name for name, task in exercise.automatic.items() for one in task.names}
    cells = chain.from_iterable(map(placed_cells, (exercise.notebook_source, *exercise.module_sources)))
    for cell in (one for one in cells if one.is_given and not one.fault):
        for node in parsed(without_imports(cell.cell.source, exercise.submit)).body:
            statement = ast.Module([node], [])
            for name in sorted({*brought_by(statement), *bound_in(statement)} & owners.keys()):
                told = f"task `{owners[name]}` asks for `{name}`, and this cell, which is given, has it"
                yield f"{cell.place(node.lineno)}: {told}; give it another name here"


def _misused(reference: NotebookNode, exercise: Exercise) -> Iterator[str]:
    """Where the reference itself uses what a task does not allow."""
    cells = {number: cell.source for number, cell in enumerate(reference.cells) if cell.cell_type == "code"}
    texts = [(number, without_imports(source, exercise.submit)) for number, source in cells.items()]
    for name, task in exercise.automatic.items():
        code = Code(texts, given_statements(reference), exercise.names_of_others(name))
        found = {*code.taken(task.names, task.not_allowed), *code.uses(code.reached(task.names), task.not_allowed)}
        for use in sorted(found):
            if use.is_sure:
                source, line = _place_of(cells[use.cell], exercise)
                line += use.line - 1
                yield f"{source}, line {line}: the reference uses `{use.name}`, which task `{name}` does not allow"


def _place_of(part: str, exercise: Exercise) -> tuple[Path, int]:
    """The text that has this part, of the notebook or a module, and the line of its beginning."""
    texts = {path: read_text(path) for path in (exercise.notebook_source, *exercise.module_sources)}
    path = next((path for path, text in texts.items() if part in text), exercise.notebook_source)
    return path, texts[path][: texts[path].find(part)].count("\n") + 1


def _idle_definitions(
    path: Path, written: Collection[str], given: Collection[str], variables: Collection[str]
) -> Iterator[str]:
    """What a file of wrong/ or right/ defines in the place of nothing, and does not use itself.

    given: what comes in with a function that students write, or not at all. variables: those of `written`; other
    variables are for the file's own use.
    """
    code = ast.parse(read_text(path))
    own = defined_in(code) | {name: node.lineno for node in code.body if (name := variable_of(node)) in variables}
    if not own:
        yield f"{path}: it defines no function, class or variable of the notebook, so it takes the place of none"
    replaced = {*written, *given} if own.keys() & written else set()
    known = sorted({*written} - {*variables})
    for name, line in own.items():
        if name not in replaced and not _is_used_by_others(name, code):
            yield f"{path}, line {line}: `{name}` takes the place of nothing{did_you_mean(name, known)}"


def _is_used_by_others(name: str, code: ast.Module) -> bool:
    others = [
        node for node in code.body if not (isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name)
    ]
    names = (node for other in others for node in ast.walk(other) if isinstance(node, ast.Name))
    return any(node.id == name for node in names)


def _unread_beside(folder: Path) -> Iterator[str]:
    """What lies beside an assignment.toml and is no exercise."""
    for path in sorted(folder.parent.iterdir()):
        is_read = path.name == ASSIGNMENT_FILE or (path / EXERCISE_FILE).is_file()
        if not is_read and not path.name.startswith(".") and path.name != _LEFT_BEHIND:
            yield f"{path}: nobody reads this; beside {ASSIGNMENT_FILE} there are only folders with an {EXERCISE_FILE}"


def _unread(exercise: Exercise) -> Iterator[str]:
    """What lies in the folder and is read by nobody."""
    folder = exercise.folder
    read = (*_FILES, *_FOLDERS, *exercise.files, *exercise.submit)
    top = [path for path in folder.iterdir() if path.name not in read]
    below = [path for name in _FOLDERS for path in (folder / name).glob("*") if path.suffix != ".py" or path.is_dir()]
    if exercise.is_one_of_several:
        yield from _unread_beside(folder)
    for path in sorted([*top, *below]):
        if not path.name.startswith(".") and path.name != _LEFT_BEHIND:
            known = read if path.parent == folder else ("*.py",)
            told = did_you_mean(path.name, known)
            is_data = path in top and path.is_file() and not told.endswith("?")
            yield f"{path}: nobody reads this{told}{_TO_BE_NAMED if is_data else ''}"
