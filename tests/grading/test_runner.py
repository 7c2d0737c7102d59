"""The reference runs in the grader's process with what its functions need, an opened notebook in each of its states."""

from __future__ import annotations

import math
import sys

import pytest

from autograder.errors import SandboxError
from autograder.exercise.built import Built, SeededExercise
from autograder.grading.runner import Runner, reference_functions
from autograder.grading.suite_plugin import SuiteResult
from autograder.report import Status
from autograder.submission.notebook import Cell, Role
from autograder.submission.samples import graded_cells, solved


def test_the_reference_has_its_functions_and_the_modules_that_they_use() -> None:
    source = (
        "import math\nimport os.path\nSCALE = 2\n\ndef area(r):\n    return SCALE * math.pi * r\n\ndef p(): return os"
    )
    reference = reference_functions(source, "notebook.py")
    assert reference.area(1.0) == 2 * math.pi
    assert reference.p().path is sys.modules["os.path"]


def test_what_only_the_figures_import_is_not_imported() -> None:
    reference_functions("import turtledemo as plt, antigravity\n\ndef area(r):\n    return r\n", "notebook.py")
    assert not {"turtledemo", "antigravity"} & set(sys.modules)


def lost(result: SuiteResult) -> list[str]:
    return [test.name for tests in result.results.values() for test in tests if test.status is not Status.PASSED]


def with_state(built: Built, name: str, source: str) -> tuple[Cell, ...]:
    return (*graded_cells(solved(built), built), Cell("code", source), Cell("code", "", Role.GRADE, name))


def test_an_opened_notebook_is_tested_in_each_of_its_states(tiny_built: Built) -> None:
    cells = with_state(tiny_built, "wrong", "def double(x):\n    return x")
    with Runner() as runner, runner.opened(cells, SeededExercise(tiny_built, 0), 1) as tested:
        assert lost(tested({"double": "wrong"}, None)) == ["test_random", "test_number"]
        assert lost(tested({"double": "wrong"}, ["test_number"])) == ["test_number"]
        assert lost(tested({"double": "double"}, None)) == []


def test_an_opened_notebook_that_ends_its_process_too_often_is_a_fault(tiny_built: Built) -> None:
    cells = with_state(tiny_built, "ending", "import os\ndef double(x):\n    os._exit(1)")
    with Runner() as runner, runner.opened(cells, SeededExercise(tiny_built, 0), 1) as tested:
        assert lost(tested({"double": "ending"}, ["test_number"])) == ["test_number"]
        with pytest.raises(SandboxError, match="ended its process too often"):
            _ = [tested({"double": "ending"}, None) for _ in range(tiny_built.exercise.limits.restarts)]
