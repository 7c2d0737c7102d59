"""Mutants of objects: each does what its name says, and starters' suites catch them all."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring.class_mistakes import class_mistakes
from autograder.authoring.module_mistakes import module_mistakes
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
    def __init__(self, size=1, made_of=()):
        self.size, self.kept = size, []
        self.made_of = list(made_of)

    def both(self, other):
        ### BEGIN SOLUTION
        size = other if isinstance(other, float) else other.size
        return Double(self.size + size, [self, other])
        ### END SOLUTION

    def grow(self):
        ### BEGIN SOLUTION
        self.size += 1 if self not in self.made_of else 0
        ### END SOLUTION

    def __len__(self):
        ### BEGIN SOLUTION
        return self.size
        ### END SOLUTION

    def __sub__(self, other):
        ### BEGIN SOLUTION
        return self.size - other
        ### END SOLUTION

    def __rsub__(self, other):
        return other - self.size

    def __repr__(self):
        return "given"
"""
MODULE = """\
import torch


class Map(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(2, 3)
        self.scale = torch.nn.Parameter(torch.ones(3))
        self.register_buffer("shift", torch.ones(3))

    def forward(self, x):
        return self.scale * self.inner(x) + self.shift
"""
OWN = {"inner.weight", "inner.bias", "scale"}


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
    returning = ["returns nothing", "returns one value too many"]
    of_both = [
        *returning,
        "returns a number in the place of an object",
        "rounds the numbers of its result to four digits",
        "leaves the numbers of its result in `self`",
        "leaves the numbers of its result in `other`",
        "leaves the lists of its result empty where an operand is a plain number",
        "notes an operand that comes twice once",
    ]
    of_grow = [
        "empties what its object keeps, so that it works once",
        "leaves the numbers of its own object as they were",
        "sets the numbers of all other objects back to what they were made with",
    ]
    assert list(mutated) == [
        "Double: keeps its lists, dicts and arrays with the class",
        "Double: keeps everything with the class",
        "Double: is equal to others of the same number",
        "Double.__rsub__: takes its operands the other way round",
        *(f"Double.both: {does}" for does in of_both),
        *(f"Double.grow: {does}" for does in of_grow),
        *(f"Double.__len__: {does}" for does in returning),
        *(f"Double.__sub__: {does}" for does in returning),
    ]


def test_another_thing_is_returned(mutated: dict[str, Any]) -> None:
    nothing, more, number, rounded = (mutated[f"Double.both: {does}"] for does in (
        "returns nothing", "returns one value too many", "returns a number in the place of an object",
        "rounds the numbers of its result to four digits",
    ))  # fmt: skip
    assert nothing(2).both(nothing(3)) is None
    assert [len(more(2).both(more(3))[0]), more(2).both(more(3))[1]] == [5, None]
    assert number(2).both(number(3)) == 5
    assert rounded(1.00004).both(rounded(1.00003)).size == 2.0001


def test_what_is_shared_is_shared_and_all_else_is_right(mutated: dict[str, Any]) -> None:
    lists, everything, *_ = mutated.values()
    assert [len(lists(size)) for size in (2, 3)] == [2, 3]
    assert lists().kept is lists().kept
    assert [len(everything(size)) for size in (2, 3)] == [2, 2]


def test_two_of_the_same_number_are_equal(mutated: dict[str, Any]) -> None:
    equal = mutated["Double: is equal to others of the same number"]
    assert equal(2) in [equal(2)]
    assert equal(2) not in [equal(3)]


def test_a_number_on_the_left_is_taken_for_one_on_the_right(mutated: dict[str, Any]) -> None:
    swapped = mutated["Double.__rsub__: takes its operands the other way round"]
    assert 5 - swapped(2) == swapped(2) - 5 == -3


def test_an_operand_is_changed_and_the_result_is_right(mutated: dict[str, Any]) -> None:
    of_self, of_other = (
        mutated[f"Double.both: leaves the numbers of its result in `{one}`"] for one in ("self", "other")
    )
    for kind, sizes in ((of_self, (5, 3)), (of_other, (2, 5))):
        one, other = kind(2), kind(3)
        assert len(one.both(other)) == 5
        assert (len(one), len(other)) == sizes


def test_what_a_result_is_made_of_is_not_all_noted(mutated: dict[str, Any]) -> None:
    of_numbers = mutated["Double.both: leaves the lists of its result empty where an operand is a plain number"]
    assert of_numbers(2).both(3.0).made_of == []
    assert len(of_numbers(2).both(of_numbers(3)).made_of) == 2
    twice = mutated["Double.both: notes an operand that comes twice once"]
    one = twice(2)
    assert one.both(one).made_of == [one]
    assert len(one.both(twice(2)).made_of) == 2


def test_a_method_without_a_result_leaves_other_objects_or_its_own_in_another_state(mutated: dict[str, Any]) -> None:
    empty, same, back = (one for name, one in mutated.items() if name.startswith("Double.grow"))
    for kind, sizes, kept in ((empty, (3, 4), 0), (same, (2, 4), 2), (back, (3, 3), 2)):
        one, other = kind(2, [1, 2]), kind(3)
        other.size += 1
        one.grow()
        assert ((len(one), len(other)), len(one.made_of)) == (sizes, kept), kind


def test_a_module_registers_other_things_and_computes_the_same() -> None:
    torch = pytest.importorskip("torch")
    made = {}
    for does, code in module_mistakes(ast.parse(MODULE).body[1]):
        names: dict[str, Any] = {}
        exec(f"{MODULE}\n\n{code}", names)
        made[does] = names["Map"]
    right = names["Map"].__mro__[1]()
    parameters = {
        "registers none of what it is made of": set(),
        "registers what it is made of by other names": {"own_inner.weight", "own_inner.bias", "own_scale"},
        "has buffers in the place of parameters": set(),
        "has a parameter too many": OWN | {"one_more"},
        "has plain tensors in the place of buffers": OWN,
    }
    x = torch.randn(2, 4, 2)
    for does, expected in parameters.items():
        one = made[does]()
        assert {name for name, _ in one.named_parameters()} == expected, does
        assert one(x).shape == right(x).shape
    with pytest.raises(AttributeError):
        made["does not set up nn.Module"]()
    for does in made.keys() - parameters.keys() - {"does not set up nn.Module"}:
        one = made[does]()
        one.load_state_dict(right.state_dict())
        assert {name for name, _ in one.named_parameters()} == OWN
        assert not torch.equal(one(x), right(x)), does


@pytest.mark.slow  # each mutant is a grade
@pytest.mark.parametrize("kind", ["class", "module"])
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
