"""Tasks that ask for variables: looked at as they stand at the grade cell, missing in words, carried forward."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from autograder.exercise.build import build
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import Exercise
from autograder.exercise.variants import variant
from autograder.grading.evaluate import Evaluation, Grader
from autograder.report import Report, Status
from autograder.submission.samples import solved, solved_by

TOML = """
title = "By hand"
[tasks.first]
title = "First"
points = 2
variables = ["dz"]
[tasks.second]
title = "Second"
points = 3
variables = ["dW"]
functions = ["scaled"]
needs = ["first"]
"""

NOTEBOOK = """
# %% setup=true
import numpy as np
from checks import check

# %%
X = np.arange(6.0).reshape(2, 3)
dout = np.array([[1.0, -1.0], [2.0, 0.5]])

# %% task="first"
### BEGIN SOLUTION
dz = 2 * dout
### END SOLUTION

# %% grade="first"
check("first")

# %%
given = dz.sum()

# %% task="second"
### BEGIN SOLUTION
def scaled(d):
    return d / 2

dW = X.T @ scaled(dz)
### END SOLUTION

# %% grade="second"
check("second")
"""

PUBLIC = '''
from autograder.testing import require, task


@task("first")
def test_shape(student):
    """The shape."""
    require(student.dz.shape == (2, 2), "the shape should be (2, 2)")
'''

HIDDEN = '''
from autograder.testing import assert_close, task


@task("first")
def test_dz(student, reference):
    """dz"""
    assert_close(student.dz, reference.dz, what="dz")


@task("second")
def test_dW(student, reference):
    """dW"""
    assert_close(student.dW, reference.dW, what="dW")


@task("second")
def test_scaled(student, reference, rng):
    """scaled"""
    d = rng.standard_normal(3)
    assert_close(student.scaled(d), reference.scaled(d))
'''


@pytest.fixture
def built(tmp_path: Path) -> Built:
    folder = tmp_path / "by-hand"
    folder.mkdir()
    for name, text in {
        "exercise.toml": TOML,
        "notebook.py": NOTEBOOK,
        "test_public.py": PUBLIC,
        "test_hidden.py": HIDDEN,
    }.items():
        (folder / name).write_text(text.lstrip())
    return build(Exercise(folder))


def evaluate(grader: Grader, built: Built, notebook: NotebookNode, seed: int = 0) -> Evaluation:
    return grader.evaluate(nbformat.writes(notebook).encode(), SeededExercise(built, seed))


def told(report: Report) -> list[tuple[Status, float | None]]:
    return [(task.status, task.earned) for task in report.tasks]


def test_right_values_have_all_points(grader: Grader, built: Built) -> None:
    report = evaluate(grader, built, solved(built)).report
    assert (told(report), report.fault) == ([(Status.PASSED, 2.0), (Status.PASSED, 3.0)], "")


def test_a_wrong_value_is_carried_forward_into_the_cells_that_compute_with_it(grader: Grader, built: Built) -> None:
    report = evaluate(grader, built, solved_by(built, variant("work", "dz = 3 * dout"))).report
    assert told(report) == [(Status.FAILED, 0.0), (Status.CARRIED, 3.0)]
    assert [test.message for test in report.tasks[1].tests] == ["right, given a right `first`", ""]


def test_what_is_wrong_in_itself_too_is_not_carried(grader: Grader, built: Built) -> None:
    both = variant("work", "dz = 3 * dout\ndW = X.T @ dz")
    report = evaluate(grader, built, solved_by(built, both)).report
    assert told(report) == [(Status.FAILED, 0.0), (Status.FAILED, 1.5)]


def test_a_value_that_is_not_written_is_missing_and_that_of_another_task_is_not(grader: Grader, built: Built) -> None:
    report = evaluate(grader, built, solved(built, ["second"])).report
    first, second = report.tasks
    assert (first.status, first.tests[0].message) == (Status.MISSING, "`dz` is not written yet")
    assert (second.status, second.earned) == (Status.CARRIED, 3.0)


def test_later_cells_do_not_change_what_counts(grader: Grader, built: Built) -> None:
    notebook = solved(built)
    notebook.cells[-2].source += "\ndz = None"
    assert told(evaluate(grader, built, notebook).report) == [(Status.PASSED, 2.0), (Status.PASSED, 3.0)]


@pytest.mark.parametrize("value", ["np.zeros(3)", "[1.0]", "'text'", "None", "lambda: 1", "object()"])
def test_values_of_any_kind_are_failed_in_words(grader: Grader, built: Built, value: str) -> None:
    report = evaluate(grader, built, solved_by(built, variant("work", f"dz = {value}"))).report
    assert report.tasks[0].status is Status.FAILED
    assert report.tasks[0].tests[0].message.startswith("dz: ")
    assert not report.ungraded


def test_the_seed_changes_nothing_of_it(grader: Grader, built: Built) -> None:
    raw = solved(built)
    reports = [evaluate(grader, built, raw, seed).report.tasks for seed in (1, 2)]
    assert SeededExercise(built, 1) != SeededExercise(built, 2)
    assert reports[0] == reports[1]
