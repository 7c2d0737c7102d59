"""Known mistakes are recognised by what a submission gives, not by how it is written; near misses are not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import psutil
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder import wire
from autograder.exercise.build import build
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import Exercise, exercise_names, load_exercise
from autograder.exercise.variants import Variant, variant, wrong_variants
from autograder.grading.evaluate import Grader, GraderConfig
from autograder.grading.explain import explain
from autograder.grading.feedback import html, plain
from autograder.grading.mistake_cache import MistakeCache
from autograder.grading.mistakes import MistakeFinder, alike
from autograder.grading.runner import Runner
from autograder.isolation.callbacks import incoming
from autograder.isolation.replies import Value
from autograder.report import Report
from autograder.submission.samples import graded_cells, solved_by
from autograder.values import Handle
from tests.places import EXERCISES
from tests.test_values import expected_arrays, expected_tensors, plain_numbers, texts
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


def test_what_mistakes_come_to_is_there_before_the_first_student(tmp_path: Path, built: Built) -> None:
    with Grader(GraderConfig(course=tmp_path)) as grader:
        grader.prepare(SeededExercise(built, 7))
    cache, mistakes = MistakeCache(tmp_path), wrong_variants(built.exercise)
    assert len(mistakes) == len(WRONG)
    assert all(cache.load(SeededExercise(built, 7), one) for one in mistakes)
    assert not any(cache.load(SeededExercise(built, 8), one) for one in mistakes)


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
    assert alike(one, one.clone())
    assert not alike(one, one.flip(0))


EXTREMES = st.sampled_from(
    [
        complex("nan"),
        complex("inf"),
        np.float16("nan"),
        np.array([np.nan, -0.0, np.inf]),
        np.array(np.nan),
        np.zeros((0, 3)),
        torch.tensor([float("nan"), float("inf")], dtype=torch.bfloat16),
        torch.tensor([complex("nan")]),
        10**300,
        Handle(3, "Tape"),
    ]
)
LEAVES = plain_numbers | texts | st.none() | expected_arrays() | expected_tensors() | EXTREMES
KEYS = plain_numbers | texts | st.none() | st.tuples(plain_numbers, texts)
CROSSING = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.lists(inner, max_size=4).map(tuple) | st.dictionaries(KEYS, inner, max_size=4)
    ),
    max_leaves=12,
)


def crossed(value: object) -> Any:
    return wire.decode_frame(wire.encode(value, lambda one: ["handle", one.handle_number, one.handle_type]), incoming)  # type: ignore[attr-defined]


@settings(max_examples=500)
@given(one=CROSSING, other=CROSSING)
@pytest.mark.filterwarnings("error")
def test_whatever_crosses_is_like_itself_and_comparing_it_has_an_answer(one: object, other: object) -> None:
    assert alike(Value(crossed(one)), Value(crossed(one))) is True
    assert type(alike(Value(crossed(one)), Value(crossed(other)))) is bool


def test_what_fails_while_a_mistake_is_sought_costs_no_score(
    grader: Grader, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = write_tiny_exercise(tmp_path / "tiny")
    exercise = build(Exercise(folder))
    (folder / "wrong").mkdir()
    (folder / "wrong" / "broken.py").write_text("a secret")  # it was sound when the exercise was built
    report = graded(grader, exercise, "def double(x):\n    return x + 1\n")
    assert (report.fault, report.ungraded, mistakes(report)) == ("", (), [])
    assert report.task("double").earned == 0.0
    told = [record.getMessage() for record in caplog.records if record.name == "autograder.grading.evaluate"]
    assert "tiny: no known mistake of double, a fault of ours: ExerciseError" in told
    assert "secret" not in caplog.text
    assert "broken" not in caplog.text


@pytest.mark.broad
def test_a_warm_parent_that_has_ended_is_replaced_and_the_mistake_named(built: Built) -> None:
    with Grader() as grader:
        run = grader._runner.run
        asked: list[object] = []

        def run_once_without_parent(*arguments: Any, **more: Any) -> Any:
            asked.append(arguments)
            if len(asked) == 2:  # the first known mistake
                for launcher in psutil.Process().children():
                    if "autograder.inside.warm_parent" in launcher.cmdline() and launcher.pid not in before:
                        for parent in launcher.children():
                            parent.kill()
            return run(*arguments, **more)

        before = {child.pid for child in psutil.Process().children()}
        grader._runner.run = run_once_without_parent  # type: ignore[method-assign]
        report = graded(grader, built, "def double(x):\n    return x * x\n")
    assert mistakes(report) == ["squared"]
    assert not report.ungraded


def test_a_task_that_waits_for_another_is_not_explained(grader: Grader, built: Built) -> None:
    report = graded(grader, built, "def double(x):\n    return x * x\n")
    assert mistakes(report, "quadruple") == []
    assert mistakes(graded(grader, built, "def quadruple(x):\n    return x\n"), "quadruple") == ["halved"]


def test_right_work_has_no_mistake(grader: Grader, built: Built) -> None:
    assert mistakes(graded(grader, built, "def double(x):\n    return x + x\n")) == []


@pytest.mark.slow
@pytest.mark.parametrize("slug", exercise_names(EXERCISES))
def test_every_known_mistake_of_the_exercises_is_recognised(tmp_path: Path, slug: str) -> None:
    built = build(load_exercise(slug, EXERCISES))
    known, seeded = wrong_variants(built.exercise), SeededExercise(built, 0)
    found: dict[str, set[str]] = {}
    with Runner() as runner:
        finder = MistakeFinder(runner, MistakeCache(tmp_path))
        for one in known:
            run = runner.run(graded_cells(solved_by(built, one), built), seeded, one.loses).suite
            found[one.name] = {mistake.name for task in one.loses for mistake in finder.find(seeded, task, run)}
    told_apart = [name for name, mistaken_for in found.items() if mistaken_for == {name}]
    # The others give the very same as another one, or hang on random numbers that nobody has seeded.
    assert len(told_apart) > 0.9 * len(known), set(found) - set(told_apart)
