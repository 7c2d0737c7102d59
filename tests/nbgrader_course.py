"""A course folder for tests: the repository's own exercises and settings, with a real gradebook."""

from __future__ import annotations

import functools
import multiprocessing
import os
import pwd
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.apps.nbgraderapp import NbGraderApp

from autograder.course.course import Course, load_course
from autograder.exercise.build import write
from autograder.exercise.built import Built
from autograder.exercise.variants import Variant, wrong_variants
from tests.places import REPOSITORY

CONNECTIONS, BLOCK = "residual-connections", "residual-block"
BIN = Path(sys.executable).parent

CONFIG = """
from autograder.settings import use_autograder
c = get_config()
use_autograder(c)
c.Course.exercises = "exercises"
"""


def make_course(root: Path) -> Path:
    """A course folder without submissions."""
    shutil.copytree(REPOSITORY / "autograder" / "exercises", root / "exercises")
    for built in ("solutions", "assignments"):
        shutil.copytree(REPOSITORY / built, root / built, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    (root / "grader_config.py").write_text(CONFIG)
    make_gradebook(root / "gradebook.db")
    return root


def course_of(root: Path, *exercises: Path) -> Course:
    """A course of copies of these exercise folders, and of those that it has; nbgrader has not seen it yet."""
    for folder in exercises:
        shutil.copytree(folder, root / "exercises" / folder.name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    (root / "grader_config.py").write_text(CONFIG)
    make_gradebook(root / "gradebook.db")
    course = load_course(root)
    for slug in course.exercise_names:
        write(course.build(slug), course.solutions, course.assignments)
    return course


def named_variant(built: Built, name: str) -> Variant:
    """One of an exercise's known-wrong solutions."""
    return next(one for one in wrong_variants(built.exercise) if one.name == name)


def make_gradebook(file: Path) -> str:
    """The URL of an empty gradebook, a copy of one that nbgrader has made: that takes it seconds."""
    file.write_bytes(_empty_gradebook())
    return f"sqlite:///{file}"


@functools.cache
def _empty_gradebook() -> bytes:
    """nbgrader makes it by the command `alembic`, which lies beside this interpreter."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")
        file = Path(folder, "gradebook.db")
        Gradebook(f"sqlite:///{file}").close()
        return file.read_bytes()


def submit(root: Path, student: str, slug: str, notebook: NotebookNode | bytes, name: str = "") -> Path:
    """Hand in a notebook, or any bytes, under the right name or another."""
    path = root / "submitted" / student / slug / (name or f"{slug}.ipynb")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(notebook if isinstance(notebook, bytes) else nbformat.writes(notebook).encode())
    return path


# Its processes are forked from one that has imported all of this: that takes nbgrader longer than what it does here.
_LOADED = multiprocessing.get_context("forkserver")
_LOADED.set_forkserver_preload([__name__, "nbgrader.apps.nbgraderapp", "autograder.course.nbgrader_plugin"])


def nbgrader(root: Path, *arguments: str, seconds: float = 300, user: str = "") -> subprocess.CompletedProcess[str]:
    """nbgrader's own command line. user: the account that runs it and is at home in `root`; by default, our own."""
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder, "stdout"), Path(folder, "stderr")
        process = _LOADED.Process(target=_nbgrader, args=(root, arguments, {**os.environ}, user, *said))
        process.start()
        process.join(seconds)
        if process.exitcode is None:
            process.kill()
            raise subprocess.TimeoutExpired(arguments, seconds)
        return subprocess.CompletedProcess(arguments, process.exitcode, *(file.read_text() for file in said))


def _nbgrader(root: Path, arguments: tuple[str, ...], environment: dict[str, str], user: str, *said: Path) -> None:
    for descriptor, file in enumerate(said, start=1):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), descriptor)
    os.environ |= environment | {"PATH": f"{BIN}{os.pathsep}{environment['PATH']}"}
    if user:
        _become(pwd.getpwnam(user), root)
    os.chdir(root)
    sys.argv = ["nbgrader", *arguments]
    NbGraderApp.launch_instance()


def _become(account: pwd.struct_passwd, home: Path) -> None:
    """Only root can, and not back: what is imported already is there for those, too, who cannot read it."""
    os.environ["HOME"] = str(home)
    os.setgroups([])
    os.setresgid(*[account.pw_gid] * 3)
    os.setresuid(*[account.pw_uid] * 3)


def grades(root: Path) -> dict[tuple[str, str], tuple[float | None, float | None, bool]]:
    """(auto score, manual score, needs a person) of every grade cell in the gradebook, by student and task."""
    query = """
        select student.id, cell.name, grade.auto_score, grade.manual_score, grade.needs_manual_grade
        from grade
        join base_cell cell on cell.id = grade.cell_id
        join submitted_notebook notebook on notebook.id = grade.notebook_id
        join submitted_assignment submission on submission.id = notebook.assignment_id
        join student on student.id = submission.student_id
    """
    with sqlite3.connect(root / "gradebook.db") as database:
        return {
            (student, cell): (auto, hand, bool(wait)) for student, cell, auto, hand, wait in database.execute(query)
        }


def scores(root: Path, student: str) -> dict[str, float | None]:
    """The automatic score of each task of a student."""
    return {task: auto for (name, task), (auto, _, _) in grades(root).items() if name == student}
