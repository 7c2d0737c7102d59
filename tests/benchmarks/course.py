"""The course folders of both sides, with the same submissions."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path

import nbformat
import nbgrader as nbgrader_package
from nbformat import NotebookNode

from autograder.course.course import load_course
from autograder.exercise.build import build
from autograder.exercise.built import Built
from autograder.exercise.definition import load_exercise
from autograder.exercise.source import reference_source
from autograder.grading.evaluate import Grader
from tests.nbgrader_course import BIN, BLOCK, CONNECTIONS, make_course, nbgrader, submit
from tests.places import REPOSITORY

SLUGS = (CONNECTIONS, BLOCK)
PLAIN, PLAIN_SIZE = "ps1", 8
SWITCHED_ON = """
from autograder.settings import use_autograder
use_autograder(c)
c.CourseDirectory.source_directory, c.CourseDirectory.release_directory = "source", "release"
c.Course.exercises = "exercises"
"""
_GUIDE = Path(nbgrader_package.__file__).parent / "docs" / "source" / "user_guide"
LEFT_OUT = {  # of the demo class, because stock nbgrader does not get through it
    "crashes": "ends the kernel",
    "hangs": "computes for ever",
    "chatty": "prints 100 MB",
    "edited": "has a cell twice, at which nbgrader stops",
    "lies": "forges a score above the maximum, at which nbgrader stops",
}
_DEMO = REPOSITORY / "tests" / "demo" / "submitted"
_FIRST = """\
### BEGIN HIDDEN TESTS
import types
import checks
hidden = types.ModuleType("hidden")
exec({harness!r}, vars(hidden))
hidden.tests = hidden.load({suite!r}, checks)
hidden.reference = types.SimpleNamespace()
exec({reference!r}, vars(hidden.reference))
### END HIDDEN TESTS
"""
_EACH = """\
### BEGIN HIDDEN TESTS
{points!r} * hidden.share(hidden.tests, {task!r}, hidden.Student(globals()), hidden.reference)
### END HIDDEN TESTS"""


def exercise(slug: str) -> Built:
    """An exercise of this repository."""
    return build(load_exercise(slug, REPOSITORY / "autograder" / "exercises"))


def submissions(slugs: Sequence[str] = SLUGS) -> list[Path]:
    """The notebooks of the demo class that both sides get through, its two exercises mixed."""
    found = [path for slug in slugs for path in _DEMO.glob(f"*/{slug}/{slug}.ipynb")]
    return sorted(path for path in found if path.parts[-3] not in LEFT_OUT)


def counts(size: int) -> Counter[str]:
    """How many submissions of a class are for each exercise."""
    return Counter(path.stem for path in islice(cycle(submissions()), size))


def hand_in(root: Path, size: int, slugs: Sequence[str] = SLUGS) -> None:
    """Put the class, repeated to `size` submissions, into a course folder.

    No two are the same bytes, so that nothing is graded once for two.
    """
    for number, path in enumerate(islice(cycle(submissions(slugs)), size)):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        notebook["metadata"]["copy"] = number
        submit(root, f"student-{number:04}", path.stem, json.dumps(notebook, indent=1).encode())


def our_course(root: Path) -> Path:
    """A course of this repository, without submissions.

    The exercises are in the gradebook, as in the stock course, and what known mistakes come to is kept, as after
    `autograder release`.
    """
    root.mkdir(parents=True)
    make_course(root)
    for slug in SLUGS:
        nbgrader(root, "generate_assignment", "--force", slug).check_returncode()
    course = load_course(root)
    with Grader(course.grader_config) as grader:
        for slug in SLUGS:
            grader.prepare(course.seeded(slug))
    return root


def stock_course(root: Path) -> Path:
    """A course without this package: nbgrader's own settings, the hidden suite in the notebook's grade cells."""
    for slug in SLUGS:
        built = exercise(slug)
        source = root / "source" / slug
        source.mkdir(parents=True)
        (source / "checks.py").write_text(built.checks_file)
        (source / f"{slug}.ipynb").write_text(nbformat.writes(_with_hidden_tests(built)))
        nbgrader(root, "generate_assignment", slug).check_returncode()
    return root


def plain_course(root: Path, settings: str = "") -> Path:
    """The example of nbgrader's own documentation, its two students in turns. settings: beside nbgrader's."""
    shutil.copytree(_GUIDE / "source" / PLAIN, root / "source" / PLAIN)
    (root / "nbgrader_config.py").write_text(f"c = get_config()\n{settings}")
    nbgrader(root, "generate_assignment", PLAIN).check_returncode()
    students = sorted((_GUIDE / "submitted").iterdir())
    for number, folder in enumerate(islice(cycle(students), PLAIN_SIZE)):
        shutil.copytree(folder / PLAIN, root / "submitted" / f"student-{number:04}" / PLAIN)
    return root


def suite_text(built: Built) -> str:
    """The hidden suite without its imports of pytest and of this package."""
    tree = ast.parse(built.exercise.hidden_suite.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if not _imports_a_tool(node)]
    return ast.unparse(tree)


def environment(scratch: Path) -> dict[str, str]:
    """One thread for the numerical libraries, nobody's Jupyter settings, and nbgrader where PATH finds it."""
    own = {name: str(scratch / "jupyter") for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    paths = {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(REPOSITORY)}
    return {**os.environ, **own, **threads, **paths}


def _with_hidden_tests(built: Built) -> NotebookNode:
    """In each grade cell the task's points times the share of its tests that passed: nbgrader's partial credit.

    The students' own `check(...)` is left out, as this package does not run it either.
    """
    notebook = nbformat.from_dict(built.reference)
    harness = Path(__file__).with_name("plain.py").read_text(encoding="utf-8")
    reference = re.sub("### (BEGIN|END) SOLUTION", "", reference_source(built.reference))  # or nbgrader empties it
    first = _FIRST.format(harness=harness, suite=suite_text(built), reference=reference)
    for cell in notebook.cells:
        if cell.id in built.exercise.automatic:
            points = float(built.exercise.tasks[cell.id].points)
            cell.source = first + _EACH.format(points=points, task=cell.id)
            first = ""
    return notebook


def _imports_a_tool(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import):
        return node.names[0].name == "pytest"
    return isinstance(node, ast.ImportFrom) and (node.module or "").startswith("autograder")
