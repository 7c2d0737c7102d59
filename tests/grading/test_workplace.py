"""Given files in the grader's process: the reference and the hidden tests open and import them as the notebook does."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import nbformat
import pytest

from autograder.exercise.build import build
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import Exercise
from autograder.grading.evaluate import Grader
from autograder.grading.runner import reference_of
from autograder.grading.workplace import among_its_files
from autograder.report import Report, Status
from autograder.submission.samples import solved

TOML = """\
title = "Points"
files = ["points.csv", "helpers.py"]

[tasks.points]
title = "Read them"
points = 4
functions = ["points"]

[tasks.total]
title = "Add them up"
points = 6
functions = ["total"]
needs = ["points"]
"""
NOTEBOOK = """\
# %% setup=true
import numpy as np
from checks import check
from helpers import SCALE

START = np.loadtxt("points.csv", delimiter=",")

# %% task="points"
def points(name):
    ### BEGIN SOLUTION
    return np.loadtxt(name, delimiter=",") * SCALE
    ### END SOLUTION

# %% grade="points"
check("points")

# %% task="total"
def total(name):
    ### BEGIN SOLUTION
    return points(name).sum()
    ### END SOLUTION

# %% grade="total"
check("total")
"""
PUBLIC = '''\
from autograder.testing import assert_close, task
from helpers import SCALE


@task("points")
def test_first(student):
    """The first number."""
    assert_close(student.points("points.csv")[0], 1.0 * SCALE)
'''
HIDDEN = '''\
import numpy as np
from autograder.testing import assert_close, task
from helpers import SCALE


@task("points")
def test_points(student, reference):
    """The numbers of the file."""
    assert_close(student.points("points.csv"), reference.points("points.csv"))
    assert_close(student.points("points.csv"), np.loadtxt("points.csv", delimiter=",") * SCALE)


@task("total")
def test_total(student, reference):
    """Their sum."""
    assert_close(student.total("points.csv"), reference.total("points.csv"))
'''


def exercise_in(folder: Path, points: str = "1,2,3\n", scale: int = 2) -> Built:
    folder.mkdir(parents=True, exist_ok=True)
    files = {"exercise.toml": TOML, "notebook.py": NOTEBOOK, "test_public.py": PUBLIC, "test_hidden.py": HIDDEN}
    for name, text in {**files, "points.csv": points, "helpers.py": f"SCALE = {scale}\n"}.items():
        (folder / name).write_text(text)
    return build(Exercise(folder))


def report_of(grader: Grader, built: Built, **sources: str) -> Report:
    """Of the solved notebook with other sources in some of its cells."""
    notebook = solved(built)
    for cell in notebook.cells:
        cell.source = sources.get(cell.id.replace("-", "_"), cell.source)
    return grader.evaluate(nbformat.writes(notebook).encode(), SeededExercise(built, 0)).report


def test_what_is_right_passes_and_nothing_is_left_behind(grader: Grader, tmp_path: Path) -> None:
    built = exercise_in(tmp_path / "points")
    before = (list(sys.path), os.getcwd(), sys.dont_write_bytecode)
    report = report_of(grader, built)
    assert (report.earned, report.findings) == (10, ())
    assert (list(sys.path), os.getcwd(), sys.dont_write_bytecode) == before
    assert "helpers" not in sys.modules
    assert sorted(path.suffix for path in (tmp_path / "points").iterdir()) == [".csv", *[".py"] * 4, ".toml"]


def test_exercises_in_turn_have_their_own_files_and_modules_of_the_same_names(grader: Grader, tmp_path: Path) -> None:
    first, second = exercise_in(tmp_path / "first"), exercise_in(tmp_path / "second", "4,5\n", 3)
    assert [report_of(grader, one).earned for one in (first, second, first)] == [10, 10, 10]
    for one, scale in ((first, 2), (second, 3)):
        with among_its_files(one.exercise):
            assert reference_of(one).points("points.csv").tolist() == [
                scale * value for value in reference_of(one).START
            ]
            assert scale == importlib.import_module("helpers").SCALE


def test_a_changed_file_makes_another_reference(grader: Grader, tmp_path: Path) -> None:
    assert reference_of(exercise_in(tmp_path / "points")).START.tolist() == [1, 2, 3]
    changed = exercise_in(tmp_path / "points", "7,8\n", 5)
    assert reference_of(changed).START.tolist() == [7, 8]
    assert report_of(grader, changed).earned == 10


OVERWRITTEN = """\
try:
    open("points.csv", "w").write("9")
    open("helpers.py", "w").write("SCALE = 9")
except OSError:
    pass
import importlib
import os
try:
    os.remove("points.csv")
except OSError:
    pass


def points(name):
    return np.loadtxt(name, delimiter=",") * SCALE"""


def test_a_notebook_that_writes_over_them_changes_nothing_for_any_task(grader: Grader, tmp_path: Path) -> None:
    assert report_of(grader, exercise_in(tmp_path / "points"), points_code=OVERWRITTEN).earned == 10


@pytest.mark.parametrize("write", ["open('points.csv', 'w')", "os.remove('points.csv')"])
def test_who_writes_into_one_in_vain_reads_why(grader: Grader, tmp_path: Path, write: str) -> None:
    work = f"def points(name):\n    import os\n\n    {write}\n    return np.loadtxt(name)"
    test = report_of(grader, exercise_in(tmp_path / "points"), points_code=work).task("points").tests[0]
    assert test.status is Status.ERROR
    assert test.message.endswith("the files that came with the notebook are read-only while grading")


def test_a_process_that_was_started_again_and_the_right_functions_have_them_too(grader: Grader, tmp_path: Path) -> None:
    crash = "def points(name):\n    import os\n\n    os._exit(3)"
    report = report_of(grader, exercise_in(tmp_path / "points"), points_code=crash)
    assert [task.status for task in report.tasks] == [Status.CRASHED, Status.CARRIED]


def test_a_file_that_went_after_the_build_is_a_fault_and_no_zero(tmp_path: Path) -> None:
    built = exercise_in(tmp_path / "points")
    (tmp_path / "points" / "helpers.py").unlink()
    with Grader() as grader:
        report = report_of(grader, built)
    assert {task.status for task in report.tasks} == {Status.UNGRADED}
