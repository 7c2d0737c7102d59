"""An exercise folder built into what students and nbgrader see: `solutions/<slug>/` and `assignments/<slug>/`.

Both hold the notebook, `checks.py` and the files that the exercise gives. The release is made by nbgrader's own steps,
so `nbgrader generate_assignment` writes the same bytes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from pprint import pformat
from typing import Any

import nbformat
from msgspec.structs import asdict
from nbformat import NotebookNode
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import IncludeHeaderFooter, InstantiateTests, SaveCells
from traitlets.config import Config

from autograder import layout
from autograder.checks.allowed import Code, statements_of
from autograder.errors import ConfigError, ExerciseError
from autograder.exercise import modules
from autograder.exercise.built import Built
from autograder.exercise.definition import Exercise, read_text
from autograder.exercise.given_files import modules_among
from autograder.exercise.known_results import KnownResults
from autograder.exercise.source import given_statements, own_code, reference_notebook, reference_source, setup_source
from autograder.exercise.uses import bound_in, brought_by, defined_in
from autograder.exercise.variants import cut, right_variants, wrong_variants
from autograder.settings import STUB

_NEEDS_A_COURSE = (IncludeHeaderFooter, InstantiateTests, SaveCells)


def build(exercise: Exercise) -> Built:
    """Build `exercise` in memory. Errors: ExerciseError where its folder is inconsistent."""
    wrong_variants(exercise), right_variants(exercise), exercise.given_files
    given = (f"{module}.py" for module in modules_among(exercise.files))
    for name in (exercise.hidden_suite.name, *given, *exercise.submit):
        _parsable(exercise.folder / name)
    reference = reference_notebook(exercise)
    _check_functions(exercise, reference)
    asked = [name for task in exercise.tasks.values() for name in task.functions]
    odd = [f"{exercise.notebook_source}: {told}" for told in modules.faults(reference, asked)]
    for suite in (exercise.hidden_suite, exercise.public_suite):
        odd += [f"{suite}: {told}" for told in modules.imported_by(_parsable(suite), exercise.submit)]
    if odd:
        raise ExerciseError("\n".join(odd))
    release = _release(reference, exercise.notebook_source)
    return Built(exercise, reference, release, _checks(exercise, reference), sealed_questions(exercise, reference))


def sealed_questions(exercise: Exercise, reference: NotebookNode) -> str:
    """The end of `checks.py`: the questions of known mistakes. Errors: ExerciseError where they cannot be read."""
    return _SEALED.format(sealed=pformat(KnownResults(exercise, reference).sealed(), width=110))


def write(built: Built, solutions: Path, assignments: Path) -> list[Path]:
    """Write the files that differ from what is there; the paths written."""
    stale = stale_files(built, solutions, assignments)
    contents = built.files(solutions, assignments)
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents[path])
    return stale


def stale_files(built: Built, solutions: Path, assignments: Path) -> list[Path]:
    """The built files that are missing or not what the exercise folder gives."""
    contents = built.files(solutions, assignments)
    return [path for path, content in contents.items() if not path.is_file() or path.read_bytes() != content]


def require_fresh(built: Built, solutions: Path, assignments: Path) -> None:
    """Errors: ConfigError where a built file is stale, with the command that mends it."""
    if stale := stale_files(built, solutions, assignments):
        names = ", ".join(str(path) for path in stale)
        raise ConfigError(f"not what the exercise folder gives: {names}; run `autograder build {built.exercise.slug}`")


def _check_functions(exercise: Exercise, reference: NotebookNode) -> None:
    for cell in own_code(reference):
        _check_syntax(cell, exercise.folder / (modules.file_of(cell) or exercise.notebook_source.name))
    code = ast.parse(reference_source(reference))
    defined, bound = defined_in(code), bound_in(code)
    for name, task in exercise.automatic.items():
        missing = [f"function or class `{one}`" for one in task.functions if one not in defined]
        missing += [f"variable `{one}`" for one in task.variables if one not in bound]
        if missing:
            raise ExerciseError(f"{exercise.notebook_source}: no {missing[0]}, which task `{name}` names")


def _check_syntax(cell: NotebookNode, source: Path) -> None:
    """Of a cell as it stands: some of what it imports is left out of it later. source: the text that it is in."""
    try:
        ast.parse(cell.source)
    except SyntaxError as error:
        lines, text = cell.source.splitlines()[(error.lineno or 1) - 1 :], read_text(source)
        above, below, _ = text.partition("\n".join(lines))  # what the build has put into a cell is at its beginning
        where = f"{source}, line {above.count(chr(10)) + 1}" if below else source
        raise ExerciseError(f"{where}: {error.msg}: {lines[0].strip()}") from None


def _release(reference: NotebookNode, source: Path) -> NotebookNode:
    notebook = nbformat.from_dict(reference)
    config = Config({"ClearSolutions": {"code_stub": STUB}})
    try:
        for step in GenerateAssignment().preprocessors:
            if step not in _NEEDS_A_COURSE:
                notebook, _ = step(config=config).preprocess(notebook, {"nbgrader": {}})
    except RuntimeError as error:
        raise ExerciseError(f"{source}: {error}") from None
    return notebook


def _checks(exercise: Exercise, reference: NotebookNode) -> str:
    public = _parsable(exercise.public_suite)
    learns = any(name in public for name in layout.LEARNING_NAMES)
    asks = any(task.question for task in exercise.tasks.values())
    measures = layout.GRADIENTS_NAME in f"{public}{read_text(exercise.notebook_source)}"
    forbids = any(task.not_allowed for task in exercise.tasks.values())
    wanted = {
        layout.LEARNING_SOURCE: learns,
        layout.GRADIENTS_SOURCE: measures,
        layout.ANSWERS_SOURCE: asks,
        layout.ALLOWED_SOURCE: forbids,
    }
    more = [source for source, is_wanted in wanted.items() if is_wanted]
    parts = [*map(_parsable, (*layout.CHECKS_SOURCES, *more)), public]
    tasks = {
        name: {
            "title": task.title,
            "functions": list(task.functions),
            **({"variables": list(task.variables)} if task.variables else {}),
            "points": task.points,
            "hint": task.hint,
            **({"beyond": task.beyond} if task.beyond else {}),
        }
        for name, task in exercise.automatic.items()
    }
    return _CHECKS.format(
        title=exercise.title.replace("\\", "\\\\").replace('"', '\\"'),
        imports="\n".join(sorted({line for part in parts for line in _imports(part)})),
        tasks=pformat(tasks, width=110, sort_dicts=False),
        setup=pformat(_setup(reference), width=110, compact=True),
        modules=pformat(_taken_from_modules(exercise, reference), width=110, sort_dicts=False),
        grader=pformat(_grader(exercise, reference), width=110, compact=True, sort_dicts=False),
        body="\n\n\n".join(
            [*map(_without_imports, parts), *_tests_of_questions(exercise), *_rules(exercise, reference)]
        ),
    )


def _setup(reference: NotebookNode) -> tuple[str, list[str]]:
    """The first line of the setup cell, and the names that it brings."""
    source = setup_source(reference).strip()
    return source.partition("\n")[0], brought_by(ast.parse(source))


def _taken_from_modules(exercise: Exercise, reference: NotebookNode) -> dict[str, list[str]]:
    """What the setup cell imports from each module that students write, by its file."""
    taken = modules.imported(setup_source(reference), exercise.submit)
    return {file: [name for name, owner in taken.items() if owner == file] for file in exercise.submit}


def _grader(exercise: Exercise, reference: NotebookNode) -> dict[str, Any]:
    """What the grader expects of a notebook, what it has, and what it allows."""
    return {
        "notebook": f"{exercise.notebook}.ipynb",
        "cells": [cell.id for cell in modules.without_modules(reference).cells if "nbgrader" in cell.metadata],
        "files": [*exercise.files, *exercise.submit],
        "packages": list(exercise.packages),
        **asdict(exercise.limits),
    }


_CHECKS = '''"""{title}: the checks that your notebook runs with `check("...")`.

They look for the common mistakes; the course grades with other inputs. You may read them, nothing here is secret.
Before you hand in: `python checks.py` runs your notebook from top to bottom, as the grader does.
"""

from __future__ import annotations

{imports}

TASKS = {tasks}
SETUP = {setup}
MODULES = {modules}
GRADER = {grader}


{body}


if __name__ == "__main__":
    sys.exit(hand_in_trial(sys.argv[1:]))
'''

_SEALED = """

# Questions that belong to known mistakes. Only the results of such a mistake open its question.
SEALED = {sealed}
"""


def _tests_of_questions(exercise: Exercise) -> Iterator[str]:
    for name, task in exercise.automatic.items():
        if task.question:
            kind, options = task.question.kind, task.question.options
            yield _TEST_OF_A_QUESTION.format(name=name, variable=task.variables[0], kind=kind, options=options)


_TEST_OF_A_QUESTION = '''@task("{name}")
def test_{name}(student):
    """Whether there is an answer."""
    read_answer(student.{variable}, {kind!r}, {options!r})
    told_later()
'''


def _rules(exercise: Exercise, reference: NotebookNode) -> Iterator[str]:
    cells = [(number, cell.source) for number, cell in enumerate(reference.cells) if cell.cell_type == "code"]
    cells = [(number, modules.without_imports(source, exercise.submit)) for number, source in cells]
    code, statements = Code(cells), [one for number, source in cells for one in statements_of(source, number)]
    for name, task in exercise.automatic.items():
        if task.not_allowed:
            using = {one.text for one in statements if code.uses([one], task.not_allowed)}
            given = sorted(using & given_statements(reference))
            others = sorted(exercise.names_of_others(name))
            yield _RULE.format(name=name, asked=task.names, others=others, given=given, **asdict(task))


_RULE = '''@task("{name}", weight=0)
def test_{name}_uses_what_is_allowed(student):
    """Only what this task allows is used."""
    require_allowed({asked}, {others}, {not_allowed}, {given}, {instead!r})
'''


def _parsable(file: Path) -> str:
    text = read_text(file)
    try:
        ast.parse(text)
    except SyntaxError as error:
        raise ExerciseError(f"{file}, line {error.lineno}: {error.msg}") from None
    return text


def _imports(source: str) -> list[str]:
    nodes = [node for node in ast.parse(source).body if isinstance(node, ast.Import | ast.ImportFrom)]
    return [ast.unparse(node) for node in nodes if not _is_ours(node)]


def _is_ours(node: ast.Import | ast.ImportFrom) -> bool:
    module = node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
    return module is None or module == "__future__" or layout.is_own_module(module)


def _without_imports(source: str) -> str:
    """The text less its docstring and its top-level imports."""
    body = ast.parse(source).body
    gone: list[ast.stmt] = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        gone.append(body[0])
    return cut(source, gone).strip()
