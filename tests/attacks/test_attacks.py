"""Every attack of this folder, on a grader that has something to lose.

Each is a student's notebook; for each three things must hold: it gains no point, nothing and nobody else is harmed,
and what people read names what happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import nbformat
import pytest

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
    victim,
)

pytestmark = pytest.mark.usefixtures("patience")

LARGEST_RESULT = 12 << 20  # bytes of notebook and report: a mebibyte of output for each cell, and what was handed in


# What other layers than the namespaces should stop, and the own user, whom a container may not have either.
SPYING = [
    attack
    for attack in ATTACKS
    if attack.path.parent.name in ("reading", "escaping")
    if not attack.stopped_by or set(attack.stopped_by) - {"namespaces", "user"}
]


@pytest.fixture(scope="module")
def built() -> Built:
    return victim()


@pytest.fixture(scope="module")
def graders() -> Iterator[Callable[..., Grader]]:
    """A grader that leaves out these layers; each is made once."""
    made: dict[frozenset[str], Grader] = {}

    def grader(*without: str) -> Grader:
        allowed = GUARANTEES if without else frozenset()
        protection = Protection(disabled_layers=frozenset(without), tolerated_breaches=allowed)
        return made.setdefault(frozenset(without), Grader(GraderConfig(protection=protection)))

    yield grader
    for one in made.values():
        one.close()


@pytest.fixture(scope="module")
def grader(graders: Callable[..., Grader]) -> Grader:
    return graders()


@pytest.fixture(scope="module")
def skip_without() -> Callable[[list[str]], None]:
    """Skips a test that is about layers which this machine or this user does not have."""
    with Sandbox("", Protection(tolerated_breaches=GUARANTEES)) as sandbox:
        missing = sandbox.missing

    def skip(layers: list[str]) -> None:
        if absent := [f"no {layer}: {missing[layer]}" for layer in layers if layer in missing]:
            pytest.skip(", ".join(absent))

    return skip


@pytest.fixture(scope="module")
def honest_evaluation(built: Built, grader: Grader) -> Evaluation:
    evaluation = grader.evaluate(honest(built), SeededExercise(built, 1))
    assert evaluation.report.earned == 10
    return evaluation


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_attack(
    attack: Attack,
    world: World,
    built: Built,
    grader: Grader,
    honest_evaluation: Evaluation,
    skip_without: Callable[[list[str]], None],
) -> None:
    skip_without(attack.needs)
    before, memory = world.listing(), memory_now()
    evaluation = grader.evaluate(submission(built, world, attack), SeededExercise(built, 1))

    assert evaluation.report.earned == 0
    assert not evaluation.report.ungraded, evaluation.report.fault
    nbformat.validate(evaluation.notebook)
    assert len(nbformat.writes(evaluation.notebook)) + len(evaluation.report.to_json()) < LARGEST_RESULT
    assert largest_memory() - memory < LARGEST_GRADER

    assert world.listing() == before
    assert not world.heard()
    assert students_processes() == []
    assert grader.evaluate(honest(built), SeededExercise(built, 1)) == honest_evaluation

    said = told(evaluation)
    assert SECRET not in said
    assert "REACHED" not in said
    assert not hidden_characters(evaluation)
    assert attack.says
    assert any(one in said for one in attack.says.split(" | "))


@pytest.mark.parametrize("attack", [attack for attack in ATTACKS if attack.stopped_by], ids=lambda attack: attack.name)
def test_attack_succeeds_without_the_layers_that_stop_it(
    attack: Attack,
    world: World,
    built: Built,
    graders: Callable[..., Grader],
    skip_without: Callable[[list[str]], None],
) -> None:
    """So it is these layers that stop it, and the test above can fail."""
    evaluation = graders(*attack.stopped_by).evaluate(submission(built, world, attack), SeededExercise(built, 1))
    reached = "REACHED" in told(evaluation)
    if not reached:
        skip_without(attack.stopped_by)
    assert reached


@pytest.mark.parametrize("attack", SPYING, ids=lambda attack: attack.name)
def test_attack_where_there_are_no_namespaces(
    attack: Attack, world: World, built: Built, graders: Callable[..., Grader]
) -> None:
    """As in a plain container: then the other layers have to do."""
    before = world.listing()
    evaluation = graders("namespaces").evaluate(submission(built, world, attack), SeededExercise(built, 1))
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
