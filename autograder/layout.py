"""Where this package's own files lie, and what it calls its own on a machine: no other module knows.

What moves here is followed from here. Nothing is imported, so every process can load it.
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
IMPORTED_FROM = PACKAGE.parent  # the entry of `sys.path` that it is found by

WARM_PARENT = f"{PACKAGE.name}.inside.warm_parent"  # run as a program
LEARNING_SOURCE = PACKAGE / "checks" / "learning.py"  # for the public suites that use it
LEARNING_NAMES = ("assert_same_module", "assert_falls")
_CHECKS = """
    tolerance patterns differences compare known_mistakes modules names own_notebook findings showing runtime handing_in
""".split()
CHECKS_SOURCES = (
    PACKAGE / "values.py",
    *(PACKAGE / "checks" / f"{name}.py" for name in _CHECKS),
)  # what each `checks.py` begins with
_COMPARING = "tolerance differences compare known_mistakes findings own_notebook learning".split()
COMPARING_SOURCES = (
    PACKAGE / "values.py",
    *(PACKAGE / "checks" / f"{name}.py" for name in _COMPARING),
)  # what the results of known mistakes in public checks hang on
ANSWERS_SOURCE = PACKAGE / "checks" / "answers.py"  # for exercises with questions
GRADIENTS_SOURCE = PACKAGE / "checks" / "gradients.py"  # for notebooks that use it
GRADIENTS_NAME = "grad_check"
ALLOWED_SOURCE = PACKAGE / "checks" / "allowed.py"  # for exercises that do not allow something
QUESTION_SUITE = PACKAGE / "grading" / "question_suite.py"  # their tests
TEMPLATES = PACKAGE / "authoring" / "templates"
FEEDBACK_TEMPLATE = PACKAGE / "grading" / "feedback.html.j2"

TEMPORARY_PREFIX = "autograder-"  # of folders in the temporary folder, and of control groups

_EXERCISES = PACKAGE / "exercises"  # content that is graded, no part of the grader


def modules() -> list[Path]:
    """Every Python file of the package, sorted."""
    return sorted(path for path in PACKAGE.rglob("*.py") if _EXERCISES not in path.parents)


def files() -> list[Path]:
    """Every file of the package, sorted; none of an exercise."""
    found = (path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return sorted(path for path in found if _EXERCISES not in path.parents)


def is_own_module(name: str) -> bool:
    """Whether a dotted name is this package or something in it."""
    return name.split(".")[0] == PACKAGE.name
