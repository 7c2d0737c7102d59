"""Every attack of this folder, on a grader that has something to lose.

Each is a student's notebook; for each three things must hold: it gains no point, nothing and nobody else is harmed,
and what people read names what happened.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autograder.build import Built
from autograder.evaluate import Evaluation, Grader
from autograder.sandbox import GUARANTEES
from tests.attacks.world import ATTACKS, SECRET, Attack, World, honest, students_processes, submission, told, victim


@pytest.fixture(scope="module")
def built() -> Built:
    return victim()


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    with Grader() as one:
        yield one


@pytest.fixture(scope="module")
def honest_evaluation(built: Built, grader: Grader) -> Evaluation:
    evaluation = grader.evaluate(honest(built), built, seed=1)
    assert evaluation.report.earned == 10
    return evaluation


@pytest.fixture
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    one = World(tmp_path_factory.mktemp("world"))
    yield one
    one.close()


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_attack(attack: Attack, world: World, built: Built, grader: Grader, honest_evaluation: Evaluation) -> None:
    before = world.listing()
    evaluation = grader.evaluate(submission(built, world, attack), built, seed=1)

    assert evaluation.report.earned == 0
    assert not evaluation.report.ungraded, evaluation.report.fault

    assert world.listing() == before
    assert not world.heard()
    assert students_processes() == []
    assert grader.evaluate(honest(built), built, seed=1) == honest_evaluation

    said = told(evaluation)
    assert SECRET not in said
    assert "REACHED" not in said
    assert attack.says
    assert attack.says in said


@pytest.mark.parametrize("attack", [attack for attack in ATTACKS if attack.stopped_by], ids=lambda attack: attack.name)
def test_attack_succeeds_without_the_layers_that_stop_it(attack: Attack, world: World, built: Built) -> None:
    """So it is these layers that stop it, and the test above can fail."""
    with Grader(allowed=GUARANTEES, without=attack.stopped_by) as grader:
        evaluation = grader.evaluate(submission(built, world, attack), built, seed=1)
    assert "REACHED" in told(evaluation)


def test_there_are_attacks_of_every_kind() -> None:
    kinds = {attack.path.parent.name for attack in ATTACKS}
    assert kinds == {"forging", "reading", "escaping", "exhausting", "showing"}
    assert len(ATTACKS) >= 60
