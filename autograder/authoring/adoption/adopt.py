"""Makes an exercise folder from a plain nbgrader source notebook, and says what a person has to do with it next.

Nothing of the notebook is run. `outline` finds its tasks, `suites` makes tests of its asserts; here the files are
written. The notebook itself is kept in the folder as a hidden file: a build may write over the place it was in.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import jupytext
import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_notebook

from autograder.authoring.adoption.cells import modules
from autograder.authoring.adoption.outline import AdoptedTask, Outline, outline
from autograder.authoring.adoption.suites import seen_of, suites
from autograder.authoring.scaffold import require_new, title_of
from autograder.errors import ConfigError
from autograder.exercise.given_files import unfit_names
from autograder.exercise.packages import all_packages
from autograder.exercise.source import PYTHON, language_of

KEPT = ".adopted.ipynb"
_NOT_PACKAGES = ("IPython", "checks", "autograder", *all_packages("numpy", ()))
_LEFT_BEHIND = ("__pycache__",)


@dataclass(frozen=True)
class Adopted:
    """paths: the files that were written. to_do: what a person has to do next, a sentence each."""

    paths: list[Path]
    to_do: list[str]


def adopt(source: Path, folder: Path) -> Adopted:
    """Make the exercise `folder` from the notebook `source` and the files beside it.

    Errors: ConfigError where it is there already or has no good name, or the notebook cannot be read or is of another
    language.
    """
    require_new(folder.parent, folder.name)
    notebook = _read(source)
    parts = outline(notebook)
    beside = sorted(path for path in source.parent.iterdir() if _is_beside(path))
    hidden, public, by_hand = suites(parts.tasks)
    known = {*sys.stdlib_module_names, *_NOT_PACKAGES, *(path.stem for path in beside if path.suffix in (".py", ""))}
    packages = sorted({*parts.imported, *modules(hidden), *modules(public)} - known)
    files, left = _files(beside, packages)
    texts = {
        "exercise.toml": _toml(folder.name, parts, packages, [path.name for path in files]),
        "notebook.py": _notebook(source, parts),
        "test_public.py": public,
        "test_hidden.py": hidden,
    }
    contents = {name: text.encode() for name, text in texts.items()} | {KEPT: source.read_bytes()}
    paths = _written(folder, contents | {path.name: path.read_bytes() for path in files})
    return Adopted(paths, [*parts.left, *left, *by_hand, *_always(parts)])


def _read(source: Path) -> NotebookNode:
    try:
        notebook = nbformat.read(source, as_version=4)
    except Exception as error:
        raise ConfigError(f"{source} cannot be read: {type(error).__name__}: {error}") from None
    language = language_of(notebook.metadata)
    if language.lower() != PYTHON:
        raise ConfigError(f"{source} is written in {language}; exercises are in Python")
    return notebook


def _is_beside(path: Path) -> bool:
    return path.suffix != ".ipynb" and not path.name.startswith(".") and path.name not in _LEFT_BEHIND


def _files(beside: list[Path], packages: list[str]) -> tuple[list[Path], list[str]]:
    """What lies beside the notebook and an exercise can have; and what it cannot, in sentences."""
    found, left = [], []
    for path in beside:
        if path.is_dir() or path.is_symlink():
            left.append(f"`{path.name}` beside the notebook is no file, and is not moved")
        elif odd := list(unfit_names([path.name], packages)):
            left.append(f"a file beside the notebook is not moved: exercise.toml {odd[0]}")
        else:
            found.append(path)
    return found, left


def _always(parts: Outline) -> Iterator[str]:
    automatic = [task for task in parts.tasks if task.names]
    by_hand = [task for task in parts.tasks if task not in automatic]
    if automatic:
        yield f"exercise.toml: write the hint of each task: {_names(automatic)}"
    if by_hand:
        yield f"exercise.toml: a rubric would help those who grade: {_names(by_hand)}"
    seen = [task for task in automatic if not any(test.source != seen_of(test) for test in task.tests)]
    if seen:
        yield f"test_hidden.py: students can read all that is asked there; add other inputs for: {_names(seen)}"


def _names(tasks: list[AdoptedTask]) -> str:
    return ", ".join(task.name for task in tasks)


# --- the files ---


def _written(folder: Path, contents: Mapping[str, bytes]) -> list[Path]:
    try:
        folder.mkdir(parents=True)
        for name, content in contents.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise ConfigError(f"{folder} cannot be written: {error}") from None
    return [folder / name for name in contents]


def _toml(slug: str, parts: Outline, packages: list[str], files: list[str]) -> str:
    lines = [f"title = {_quoted(title_of(slug))}"]
    lines += [f"packages = {_listed(packages)}"] if packages else []
    lines += [f"files = {_listed(files)}"] if files else []
    return "\n".join(lines) + "\n" + "".join(f"\n{_toml_of(task)}" for task in parts.tasks)


def _toml_of(task: AdoptedTask) -> str:
    lines = [f"[tasks.{task.name}]", f"title = {_quoted(title_of(task.name))}", f"points = {task.points:.12g}"]
    if not (task.names):
        return "\n".join([*lines, 'by_hand = true  # TODO: rubric = [{ points = ..., text = "..." }]', ""])
    listed = {"functions": task.functions, "variables": task.variables, "needs": task.needs}
    lines += [f"{key} = {_listed(names)}" for key, names in listed.items() if names]
    return "\n".join([*lines, 'hint = ""  # TODO: what a student is asked whose checks fail', ""])


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _listed(names: list[str]) -> str:
    return f"[{', '.join(map(_quoted, names))}]"


def _notebook(source: Path, parts: Outline) -> str:
    notebook = new_notebook(cells=parts.cells)
    notebook.metadata = NotebookNode({"jupytext": {"notebook_metadata_filter": "-all"}})
    text: str = jupytext.writes(notebook, fmt="py:percent")
    return _HEADER.format(name=source.name) + text


_HEADER = """\
# ---
# jupyter:
#   jupytext: {{text_representation: {{extension: .py, format_name: percent}}}}
#
#   # Made from {name}. This header reaches no student.
# ---

"""
