"""Every attack of this folder, on a grader that has something to lose.

Each is a student's notebook; for each three things must hold: it gains no point, nothing and nobody else is harmed,
and what people read names what happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import nbformat
import pytest
from _pytest.mark import ParameterSet

from autograder.exercise.built import Built, SeededExercise
from autograder.grading.evaluate import Evaluation, Grader, GraderConfig
from autograder.isolation.protection import GUARANTEES, Protection
from autograder.isolation.sandbox import Sandbox
from tests.attacks.table import PAGE, page
from tests.attacks.world import (
    ATTACKS,
    LARGEST_GRADER,
    SECRET,
    Attack,
    World,
    hidden_characters,
    honest,
    largest_memory,
    memory_now,
    students_processes,
    submission,
    told,
)

pytestmark = pytest.mark.usefixtures("patience")

NEIGHBOURS = 8  # attacks from one honest student to the next
LARGEST_RESULT = 12 << 20  # bytes of notebook and report: a mebibyte of output for each cell, and what was handed in


# What other layers than the namespaces should stop, and the own user, whom a container may not have either.
SPYING = [
    attack
    for attack in ATTACKS
    if attack.path.parent.name in ("reading", "escaping")
    if not attack.stopped_by or set(attack.stopped_by) - {"namespaces", "user"}
]
# Those that the same layers stop are neighbours: a grader without them is made once in a process.
STOPPED = sorted((attack for attack in ATTACKS if attack.stopped_by), key=lambda attack: sorted(attack.stopped_by))


def param(attack: Attack) -> ParameterSet:
    """What the kernel stops is tried as another user, too."""
    is_stopped_by_kernel = attack.stopped_by or attack.needs or attack.path.parent.name in ("reading", "escaping")
    return pytest.param(attack, id=attack.name, marks=[pytest.mark.kernel] if is_stopped_by_kernel else [])


@pytest.fixture(scope="module")
def weak_grader() -> Iterator[Callable[..., Grader]]:
    """A grader that leaves out these layers; each is made once."""
    made: dict[frozenset[str], Grader] = {}

    def grader(*without: str) -> Grader:
        protection = Protection(disabled_layers=frozenset(without), tolerated_breaches=GUARANTEES)
        return made.setdefault(frozenset(without), Grader(GraderConfig(protection=protection)))

    yield grader
    for one in made.values():
        one.close()


@pytest.fixture(scope="module")
def skip_without() -> Callable[[list[str]], None]:
    """Skips a test that is about layers which this machine or this user does not have."""
    with Sandbox((), Protection(tolerated_breaches=GUARANTEES)) as sandbox:
        missing = sandbox.missing

    def skip(layers: list[str]) -> None:
        if absent := [f"no {layer}: {missing[layer]}" for layer in layers if layer in missing]:
            pytest.skip(", ".join(absent))

    return skip


class Neighbour:
    """An honest student, who is graded again after every few attacks; an attack that changes the result is sought."""

    def __init__(self, grader: Grader, built: Built) -> None:
        self._grader, self._built = grader, built
        self._first = self._result(grader)
        assert self._first.report.earned == built.exercise.points
        self._attacks: dict[str, bytes] = {}

    def comes_after(self, attack: Attack, notebook: bytes) -> None:
        self._attacks[attack.name] = notebook
        if len(self._attacks) == NEIGHBOURS:
            self.assert_is_unharmed()

    def assert_is_unharmed(self) -> None:
        attacks, self._attacks = self._attacks, {}
        if attacks and self._result(self._grader) != self._first:
            guilty = [name for name, notebook in attacks.items() if self._is_harmed_by(notebook)]
            pytest.fail(f"an honest student is graded otherwise after {' or '.join(guilty or attacks)}")

    def _is_harmed_by(self, notebook: bytes) -> bool:
        with Grader() as grader:
            grader.evaluate(notebook, SeededExercise(self._built, 1))
            return self._result(grader) != self._first

    def _result(self, grader: Grader) -> Evaluation:
        return grader.evaluate(honest(self._built), SeededExercise(self._built, 1))


@pytest.fixture(scope="module")
def neighbour(built: Built, grader: Grader) -> Iterator[Neighbour]:
    one = Neighbour(grader, built)
    yield one
    one.assert_is_unharmed()


@pytest.mark.parametrize("attack", [param(attack) for attack in ATTACKS])
def test_attack(
    attack: Attack,
    world: World,
    built: Built,
    grader: Grader,
    neighbour: Neighbour,
    skip_without: Callable[[list[str]], None],
) -> None:
    skip_without(attack.needs)
    before, memory = world.listing(), memory_now()
    notebook = submission(built, world, attack)
    evaluation = grader.evaluate(notebook, SeededExercise(built, 1))

    assert evaluation.report.earned == 0
    assert not evaluation.report.ungraded, evaluation.report.fault
    nbformat.validate(evaluation.notebook)
    assert len(nbformat.writes(evaluation.notebook)) + len(evaluation.report.to_json()) < LARGEST_RESULT
    assert largest_memory() - memory < LARGEST_GRADER

    assert world.listing() == before
    assert not world.heard()
    assert students_processes() == []
    neighbour.comes_after(attack, notebook)

    said = told(evaluation)
    assert SECRET not in said
    assert "REACHED" not in said
    assert not hidden_characters(evaluation)
    assert attack.says
    assert any(one in said for one in attack.says.split(" | "))


@pytest.mark.parametrize("attack", STOPPED, ids=lambda attack: attack.name)
def test_attack_succeeds_without_the_layers_that_stop_it(
    attack: Attack,
    world: World,
    tiny_built: Built,
    weak_grader: Callable[..., Grader],
    skip_without: Callable[[list[str]], None],
) -> None:
    """So it is these layers that stop it, and the test above can fail. The exercise is one that needs no torch."""
    notebook = submission(tiny_built, world, attack)
    evaluation = weak_grader(*attack.stopped_by).evaluate(notebook, SeededExercise(tiny_built, 1))
    reached = "REACHED" in told(evaluation)
    if not reached:
        skip_without(attack.stopped_by)
    assert reached


@pytest.mark.parametrize("attack", [param(attack) for attack in SPYING])
def test_attack_where_there_are_no_namespaces(
    attack: Attack, world: World, tiny_built: Built, weak_grader: Callable[..., Grader]
) -> None:
    """As in a plain container: then the other layers have to do. The exercise is one that needs no torch."""
    before = world.listing()
    notebook = submission(tiny_built, world, attack)
    evaluation = weak_grader("namespaces").evaluate(notebook, SeededExercise(tiny_built, 1))
    assert evaluation.report.earned == 0
    assert not evaluation.report.breaches
    assert world.listing() == before
    assert not world.heard()
    assert SECRET not in told(evaluation)
    assert "REACHED" not in told(evaluation)


def test_there_are_attacks_of_every_kind() -> None:
    kinds = {attack.path.parent.name for attack in ATTACKS}
    assert kinds == {"forging", "reading", "escaping", "exhausting", "showing"}
    assert len(ATTACKS) >= 60


def test_the_list_of_attacks_in_the_docs_is_the_one_of_this_folder() -> None:
    """Where it is not: python -m tests.attacks.table."""
    assert PAGE.read_text(encoding="utf-8") == page()
