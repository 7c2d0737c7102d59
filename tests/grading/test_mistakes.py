"""Known mistakes are recognised by what a submission gives, not by how it is written; near misses are not."""

from __future__ import annotations

import nbformat
import pytest
import torch

from autograder.exercise.build import build
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.folder import Exercise, exercise_names, load_exercise
from autograder.exercise.variants import Variant, variant, wrong_variants
from autograder.grading.evaluate import Grader
from autograder.grading.explain import explain
from autograder.grading.feedback import html, plain
from autograder.grading.mistakes import _alike
from autograder.report import Report
from autograder.submission.samples import solved_by
from tests.places import EXERCISES
from tests.tiny import write_tiny_exercise

WRONG = {
    "squared": ("double", "def double(x):\n    return x * x\n"),
    "flat": ("double", "def double(x):\n    return 2 * np.ravel(x)\n"),
    "single": ("double", "def double(x):\n    return (2 * np.asarray(x)).astype(np.float32)\n"),
    "raising": ("double", "def double(x):\n    return np.linalg.inv(x[0])\n"),
    "undefined": ("double", "def double(x):\n    return 2 * x + np.nan\n"),
    "halved": ("quadruple", "def quadruple(x):\n    return double(x) / 2\n"),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = write_tiny_exercise(tmp_path_factory.mktemp("exercises") / "tiny")
    (folder / "wrong").mkdir()
    for name, (task, code) in WRONG.items():
        header = (
            f'"""The mistake {name}."""\n\nimport numpy as np\n\nhint = "Think of {name}."\nloses = ["{task}"]\n\n\n'
        )
        (folder / "wrong" / f"{name}.py").write_text(header + code)
    return build(Exercise(folder))


def graded(grader: Grader, built: Built, work: Variant | str) -> Report:
    one = variant("work", work) if isinstance(work, str) else work
    return grader.evaluate(nbformat.writes(solved_by(built, one)).encode(), SeededExercise(built, 0)).report


def mistakes(report: Report, task: str = "double") -> list[str]:
    return [mistake.name for mistake in report.task(task).mistakes]


@pytest.mark.parametrize(
    ("name", "work"),
    [
        ("squared", "def double(x):\n    return np.power(x, 2.0) * 1.0000000001\n"),
        ("flat", "def double(x):\n    return np.add(x, x).flatten()\n"),
        ("single", "def double(x):\n    y = np.asarray(x).astype(np.float32)\n    return y + y\n"),
        ("raising", "def double(x):\n    first = x[0]\n    return np.linalg.inv(first)\n"),
        ("undefined", "def double(x):\n    return x * float('nan')\n"),
    ],
)
def test_the_same_values_shapes_dtypes_and_errors_are_the_same_mistake(
    grader: Grader, built: Built, name: str, work: str
) -> None:
    report = graded(grader, built, work)
    assert mistakes(report) == [name]
    said = f"Your results are those of a known mistake. Think of {name}."
    assert said in plain(report.task("double"))
    assert said in html(report.task("double"))
    assert f"known mistake: The mistake {name}. [{name}]" in explain(report)


@pytest.mark.parametrize(
    "work",
    [
        "def double(x):\n    return x * x + 1e-6\n",
        "def double(x):\n    return x * x if np.ndim(x) else 2 * x\n",
        "def double(x):\n    raise ValueError('another error')\n",
        "def double(x):\n    return 3 * np.ravel(x)\n",
        "def double(x):\n    raise NotImplementedError('not written yet')\n",
        "import os\ndef double(x):\n    os._exit(1)\n",
    ],
)
def test_what_is_only_like_a_known_mistake_is_none(grader: Grader, built: Built, work: str) -> None:
    assert mistakes(graded(grader, built, work)) == []


def test_tensors_of_half_precision_are_compared_by_their_entries() -> None:
    one = torch.tensor([1.0, float("nan")], dtype=torch.bfloat16)
    assert _alike(one, one.clone())
    assert not _alike(one, one.flip(0))


def test_a_task_that_waits_for_another_is_not_explained(grader: Grader, built: Built) -> None:
    report = graded(grader, built, "def double(x):\n    return x * x\n")
    assert mistakes(report, "quadruple") == []
    assert mistakes(graded(grader, built, "def quadruple(x):\n    return x\n"), "quadruple") == ["halved"]


def test_right_work_has_no_mistake(grader: Grader, built: Built) -> None:
    assert mistakes(graded(grader, built, "def double(x):\n    return x + x\n")) == []


@pytest.mark.slow
@pytest.mark.parametrize("slug", exercise_names(EXERCISES))
def test_every_known_mistake_of_the_exercises_is_recognised(grader: Grader, slug: str) -> None:
    exercise = build(load_exercise(slug, EXERCISES))
    known = wrong_variants(exercise.exercise)
    found = {
        one.name: {name for task in one.loses for name in mistakes(graded(grader, exercise, one), task)}
        for one in known
    }
    told_apart = [name for name, mistaken_for in found.items() if mistaken_for == {name}]
    # The others give the very same as another one, or hang on random numbers that nobody has seeded.
    assert len(told_apart) > 0.9 * len(known), set(found) - set(told_apart)
