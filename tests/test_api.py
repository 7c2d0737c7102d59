"""The stable names are those that the page lists, each says what it is, and the page's examples do what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from autograder import api, settings, testing
from autograder.submission.samples import solved
from tests.nbgrader_course import course_of, submit
from tests.places import REPOSITORY
from tests.tiny import write_tiny_exercise

PAGE = (REPOSITORY / "docs" / "api.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", PAGE, re.DOTALL)
MODULES = (api, testing, settings)


def listed(module: ModuleType) -> list[str]:
    """The names in the page's table of a module."""
    section = PAGE.partition(f"## `{module.__name__}`")[2].partition("\n## ")[0]
    return [name for row in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)]


@pytest.mark.parametrize("module", MODULES)
def test_the_page_lists_the_names_that_stay_and_no_others(module: ModuleType) -> None:
    assert sorted(listed(module)) == sorted(module.__all__)


def without_docstring(module: ModuleType) -> Iterator[str]:
    """What the module promises, and the public methods and properties of it, as far as it has no docstring."""
    for name in module.__all__:
        promised = getattr(module, name)
        if not promised.__doc__:
            yield name
        members = vars(promised).items() if isinstance(promised, type) else ()
        for member, value in members:
            if not member.startswith("_") and (callable(value) or isinstance(value, property)) and not value.__doc__:
                yield f"{name}.{member}"


@pytest.mark.parametrize("module", MODULES)
def test_everything_that_stays_says_what_it_is(module: ModuleType) -> None:
    assert list(without_docstring(module)) == []


def test_the_page_has_examples() -> None:
    assert len(EXAMPLES) == PAGE.count("```python") == 4


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course folder with one small exercise, which ada has solved and ben has handed in as he got it."""
    root = tmp_path_factory.mktemp("course")
    course = course_of(root, write_tiny_exercise(tmp_path_factory.mktemp("exercises") / "my-exercise"))
    built = course.build("my-exercise")
    submit(root, "ada", "my-exercise", solved(built))
    submit(root, "ben", "my-exercise", built.release)
    return root


@pytest.mark.slow
@pytest.mark.parametrize("number", range(4))
def test_an_example_of_the_page_prints_what_the_page_says(course: Path, number: int) -> None:
    """In their order: the last one reads what the one before has graded."""
    code, expected = EXAMPLES[number]
    script = course / f"example_{number}.py"
    script.write_text(code, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    ran = subprocess.run(
        [sys.executable, script.name], cwd=course, env=environment, capture_output=True, text=True, timeout=300
    )
    assert (ran.stdout, ran.returncode) == (expected, 0), ran.stderr
