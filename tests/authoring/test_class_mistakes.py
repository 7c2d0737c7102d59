"""Mutants of objects: each does what its name says, and starters' suites catch them all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from autograder.authoring.class_mistakes import class_mistakes
from autograder.authoring.scaffold import new_exercise
from autograder.exercise.build import build
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import Exercise, load_exercise
from autograder.exercise.variants import Variant
from autograder.grading.runner import Runner
from autograder.report import Status
from autograder.submission.samples import graded_cells, solved_by
from tests.tiny import write_tiny_exercise

TALLY = """\
class Double:
    def __init__(self, size=1):
        self.size, self.kept = size, []

    def both(self, other):
        ### BEGIN SOLUTION
        return Double(self.size + other.size)
        ### END SOLUTION

    def __len__(self):
        ### BEGIN SOLUTION
        return self.size
        ### END SOLUTION

    def __repr__(self):
        return "given"
"""


@pytest.fixture
def mutated(tmp_path: Path) -> dict[str, Any]:
    """The class of each mutant of a small class, by what it does."""
    folder = write_tiny_exercise(tmp_path / "tiny")
    for name in ("exercise.toml", "notebook.py"):
        text = (folder / name).read_text()
        text = text.replace("def double(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION\n", TALLY)
        (folder / name).write_text(text.replace('functions = ["double"]', 'functions = ["Double"]'))
    classes = {}
    for mutant in class_mistakes(build(Exercise(folder))):
        names: dict[str, Any] = {}
        exec(mutant.code, names)
        classes[mutant.name] = names["Double"]
    return classes


def test_each_class_and_method_has_its_own(mutated: dict[str, Any]) -> None:
    assert list(mutated) == [
        "Double: keeps its lists, dicts and arrays with the class",
        "Double: keeps everything with the class",
        "Double.both: returns nothing",
        "Double.both: returns a number in the place of an object",
        "Double.both: leaves the numbers of its result in `self`",
        "Double.both: leaves the numbers of its result in `other`",
        "Double.__len__: returns nothing",
    ]


def test_another_thing_is_returned(mutated: dict[str, Any]) -> None:
    nothing, number = (mutated[name] for name in list(mutated)[2:4])
    assert nothing(2).both(nothing(3)) is None
    assert number(2).both(number(3)) == 5


def test_what_is_shared_is_shared_and_all_else_is_right(mutated: dict[str, Any]) -> None:
    lists, everything, *_ = mutated.values()
    assert [len(lists(size)) for size in (2, 3)] == [2, 3]
    assert lists().kept is lists().kept
    assert [len(everything(size)) for size in (2, 3)] == [2, 2]


def test_an_operand_is_changed_and_the_result_is_right(mutated: dict[str, Any]) -> None:
    of_self, of_other = (mutated[name] for name in list(mutated)[4:6])
    for kind, sizes in ((of_self, (5, 3)), (of_other, (2, 5))):
        one, other = kind(2), kind(3)
        assert len(one.both(other)) == 5
        assert (len(one), len(other)) == sizes


@pytest.mark.parametrize("kind", ["class", pytest.param("module", marks=pytest.mark.slow)])
def test_starters_catch_them_all_and_no_test_breaks(kind: str, tmp_path: Path) -> None:
    new_exercise(tmp_path, kind, kind)
    built = build(load_exercise(kind, tmp_path))
    with Runner() as runner:
        for mutant in class_mistakes(built):
            found = statuses(runner, built, Variant(mutant.name, "", mutant.code, (mutant.function,)))
            assert found & {Status.FAILED, Status.ERROR}, mutant.name
            assert Status.UNGRADED not in found


def statuses(runner: Runner, built: Built, variant: Variant) -> set[Status]:
    run = runner.run(graded_cells(solved_by(built, variant), built), SeededExercise(built, 0))
    return {test.status for tests in run.suite.results.values() for test in tests}
