"""An exercise that names packages: on a machine that lacks one nothing is graded, and another version grades anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner

from autograder.batch.evaluators import Processes, WarmGrader
from autograder.batch.run import grade_exercise
from autograder.cli import main
from autograder.course.course import Course
from autograder.course.evaluation_cache import EvaluationCache
from autograder.course.last_run import LastRun
from autograder.errors import ConfigError, ExerciseError
from autograder.exercise import packages
from autograder.exercise.build import build, write
from autograder.exercise.built import SeededExercise
from autograder.exercise.definition import Exercise
from autograder.exercise.slips import proofread
from autograder.grading.evaluate import Grader
from autograder.submission.samples import solved
from tests.nbgrader_course import grades, nbgrader, submit
from tests.tiny import TOML


def naming(course: Course, package: str) -> Course:
    folder = course.exercises_folder / "tiny"
    (folder / "exercise.toml").write_text(f"packages = [{package!r}]\n{TOML}".replace("'", '"'))
    write(course.build("tiny"), course.solutions, course.assignments)
    submit(course.root, "ada", "tiny", solved(course.build("tiny")))
    return course


def test_a_package_that_is_not_there_is_told_before_anything_is_graded(
    new_course: Callable[[str], Course], grader: Grader
) -> None:
    course = naming(new_course("one"), "no_such_package")
    for evaluator in (Processes(1), WarmGrader(grader)):
        with pytest.raises(ConfigError, match="`no_such_package` is not installed here; pip install no_such_package"):
            grade_exercise(course, "tiny", ["ada"], evaluator, LastRun(course.root, "tiny", []))
    done = nbgrader(course.root, "autograde", "tiny")
    assert done.returncode != 0
    assert "pip install no_such_package" in done.stdout + done.stderr
    assert grades(course.root) == {}
    with pytest.raises(ExerciseError, match="pip install no_such_package"):
        proofread(course.exercise("tiny"))


def test_doctor_tries_the_packages_of_a_course(
    new_course: Callable[[str], Course], monkeypatch: pytest.MonkeyPatch
) -> None:
    course = naming(new_course("one"), "networkx")
    monkeypatch.chdir(course.root)
    assert "tiny: packages are there: numpy, matplotlib, networkx" in CliRunner().invoke(main, ["doctor"]).stdout
    naming(course, "no_such_package")
    result = CliRunner().invoke(main, ["doctor"])
    assert "tiny: the package `no_such_package` is not installed here" in result.stdout
    assert result.exit_code == 1


def test_it_is_warm_for_the_notebook_and_told_to_students(tiny_exercise: Path, grader: Grader) -> None:
    (tiny_exercise / "exercise.toml").write_text(f'packages = ["networkx"]\n{TOML}')
    source = tiny_exercise / "notebook.py"
    source.write_text(source.read_text().replace("import numpy as np", "import networkx\nimport numpy as np"))
    built = build(Exercise(tiny_exercise))
    setup = next(cell for cell in built.release.cells if cell.id == "setup")
    told = "# Packages that you can count on in grading: numpy, matplotlib, networkx."
    assert setup.source.splitlines()[:2] == [told, "import networkx"]
    notebook = solved(built)
    notebook.cells.insert(0, nbformat.v4.new_code_cell("import sys\n'networkx' in sys.modules"))

    evaluation = grader.evaluate(nbformat.writes(notebook).encode(), SeededExercise(built, 0))
    assert evaluation.report.earned == 7
    assert evaluation.notebook.cells[1].outputs[0]["data"]["text/plain"] == "True"


def test_another_version_of_it_is_graded_anew(
    new_course: Callable[[str], Course], monkeypatch: pytest.MonkeyPatch
) -> None:
    course = naming(new_course("one"), "networkx")
    keys = []
    for installed in ("1", "1", "2"):
        monkeypatch.setattr(packages, "_version", lambda name, now=installed: now if name == "networkx" else "")
        keys.append(EvaluationCache(course, course.seeded("tiny")).key(course.handed_in("ada", "tiny")))
    assert keys[0] == keys[1] != keys[2]
