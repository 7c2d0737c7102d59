"""The plain assignments of a course: those that nbgrader knows and that have no exercise folder."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import nbformat
import sqlalchemy

from autograder.course.course import Course
from autograder.course.gradebook import directory, gradebook_to_read, is_registered, register
from autograder.course.last_run import as_text
from autograder.course.nbgrader_internals import GradedFolders
from autograder.course.nbgrader_rules import KnownNotebook, NbgraderRules, seconds_for_a_cell
from autograder.errors import ConfigError
from autograder.exercise.definition import Limits
from autograder.exercise.packages import all_packages, missing_packages
from autograder.exercise.source import PYTHON, ZERO_WITHOUT_GRADER, language_of
from autograder.grading.plain import PlainAssignment, PlainTask
from autograder.submission.handed_in import is_one_name

WARMED = ("torch", "pandas", "scipy")

_DEFAULT_SOURCE = "source"  # nbgrader's own name for the folder
_IMPORTED = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.MULTILINE)
_CELLS = 20  # as slow as one may be: so many a notebook may have
_NO_LIMIT = 600  # seconds of one cell, where nbgrader has none


class OtherLanguageError(ConfigError):
    """A notebook of the assignment needs a kernel of another language than Python."""


def is_plain(course: Course, slug: str) -> bool:
    """Whether nbgrader has an assignment of this name, and the course no exercise folder for it.

    Errors: ConfigError where the gradebook cannot be read.
    """
    if slug in course.assignment_names or not is_one_name(slug):
        return False
    return bool(_sources(course, slug)) or (_has_gradebook(course) and is_registered(course, slug))


def source_notebook(course: Course, name: str) -> Path:
    """The one source notebook of the plain assignment `name`, or the one that `assignment/notebook` names.

    Errors: ConfigError where it is not there, and where an assignment has several.
    """
    slug, _, notebook = name.partition("/")
    _require_folder(course, slug)
    found = {path.stem: path for path in _sources(course, slug)} if is_one_name(slug) else {}
    if not found:
        raise ConfigError(f"no notebook lies in {course.solutions / slug}")
    if not notebook and len(found) > 1:
        each = ", ".join(f"{slug}/{one}" for one in found)
        raise ConfigError(f"`{slug}` has {len(found)} notebooks, and an exercise is one; adopt each by itself: {each}")
    if notebook and notebook not in found:
        raise ConfigError(f"`{slug}` has no notebook `{notebook}` (there are: {', '.join(found)})")
    return found[notebook] if notebook else next(iter(found.values()))


def load_plain(course: Course, slug: str) -> PlainAssignment:
    """The plain assignment `slug`, as the gradebook and the folder of its source have it.

    One that nbgrader has not released yet is taken into the gradebook.
    Errors: OtherLanguageError; ConfigError where something cannot be read.
    """
    _require_folder(course, slug)
    if not is_registered(course, slug):
        register(course, slug)
    with gradebook_to_read(course) as gradebook:
        known = {one.name: KnownNotebook.of(one) for one in gradebook.find_assignment(slug).notebooks}
    sources = {path.stem: path.read_text(encoding="utf-8", errors="replace") for path in _sources(course, slug)}
    _require_own_tests(course, slug, known)
    _require_python(slug, known, sources)
    own_files = GradedFolders(directory(course, slug), course.config).own_files()
    files = {name: path.read_bytes() for name, path in own_files.items()}
    rules, limits, ignored = (
        NbgraderRules.of(slug, known, course.config),
        _limits(course),
        tuple(course.coursedir.ignore),
    )
    code = "\n".join([*map(_code, sources.values()), *(cell.source for one in known.values() for cell in one.cells)])
    return PlainAssignment(
        slug=slug,
        version=_version(known, files, ignored, limits, as_text(rules.config)),
        seed=int(course.seed),
        tasks={name: _tasks(notebook) for name, notebook in known.items()},
        files=files,
        ignored=ignored,
        packages=_packages(code),
        limits=limits,
        rules=rules,
    )


def _packages(code: str) -> tuple[str, ...]:
    """What there is for every exercise, and what is slow to import and these notebooks use, where it is installed."""
    used = {*_IMPORTED.findall(code)}.intersection(WARMED)
    return all_packages("numpy", [name for name in WARMED if name in used and not list(missing_packages([name]))])


def _tasks(notebook: KnownNotebook) -> tuple[PlainTask, ...]:
    return tuple(
        PlainTask(cell.name, cell.max_score, by_hand=cell.solution or not cell.grade or cell.cell_type != "code")
        for cell in notebook.cells
        if cell.max_score is not None
    )


def _limits(course: Course) -> Limits:
    """By default what nbgrader gives a cell, of CPU time; by the clock twice as much, as others compute beside it."""
    seconds = seconds_for_a_cell(course.config) or _NO_LIMIT
    defaults = {"cpu_seconds": seconds, "wall_seconds": 2 * seconds}
    defaults |= {"total_cpu_seconds": _CELLS * seconds, "total_wall_seconds": 2 * _CELLS * seconds}
    try:
        return msgspec.convert(defaults | dict(course.limits), Limits)
    except msgspec.ValidationError as error:
        raise ConfigError(f"c.Course.limits: {error}") from None


def _require_folder(course: Course, slug: str) -> None:
    """Without it, the files would be missing that lie beside the notebooks, and nobody would be told."""
    other = course.root / _DEFAULT_SOURCE / slug
    if other.is_dir() and not (course.solutions / slug).is_dir():
        raise ConfigError(
            f"the source of `{slug}` lies in {other}, and the configuration looks for it in {course.solutions}; "
            f'set c.CourseDirectory.source_directory = "{_DEFAULT_SOURCE}" in it'
        )


def _require_own_tests(course: Course, slug: str, known: Mapping[str, KnownNotebook]) -> None:
    """The grade cells of an exercise, run as they stand, are a zero for everybody."""
    if any(ZERO_WITHOUT_GRADER in cell.source for notebook in known.values() for cell in notebook.cells):
        raise ConfigError(
            f"`{slug}` is made from an exercise whose folder {course.exercises_folder / slug} is gone; put it back, "
            "or set c.Course.exercises to where the exercises are"
        )


def _require_python(slug: str, known: Mapping[str, KnownNotebook], sources: Mapping[str, str]) -> None:
    for name, notebook in known.items():
        language = language_of(_metadata(notebook, sources.get(name, "{}")))
        if language.lower() != PYTHON:
            raise OtherLanguageError(
                f"the notebook `{name}` of `{slug}` is written in {language}: nbgrader's kernel runs it, nothing shuts "
                f"students' code in there, and if that is acceptable, run `nbgrader autograde {slug}`"
            )


def _metadata(notebook: KnownNotebook, source: str) -> dict[str, Any]:
    """Of a source notebook, with the kernel that the gradebook has."""
    metadata: dict[str, Any] = {}
    with suppress(ValueError, KeyError, TypeError):
        metadata |= json.loads(source)["metadata"]
    return metadata | {"kernelspec": json.loads(notebook.kernelspec or "{}")}


def _code(source: str) -> str:
    with suppress(ValueError, AttributeError):
        return "\n".join(cell.source for cell in nbformat.reads(source, as_version=4).cells)
    return ""


def _version(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _sources(course: Course, slug: str) -> list[Path]:
    return sorted((course.solutions / slug).glob("*.ipynb"))


def _has_gradebook(course: Course) -> bool:
    """To ask one that is not there would make it."""
    url = sqlalchemy.make_url(course.db_url)
    return url.get_backend_name() != "sqlite" or bool(url.database and Path(url.database).is_file())
