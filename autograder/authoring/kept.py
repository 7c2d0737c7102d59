"""What came of trials, kept in the store of a course under the keys of what they depend on, so a second round is short.

One content of the store has all of an exercise's. What no round has asked for in a while is left out of it.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

import msgspec

from autograder.authoring.behaviours import behaviours
from autograder.authoring.keys import Keys, Knot
from autograder.authoring.trials import RIGHT, Solution, Trial, behaviour_solution
from autograder.authoring.units import unit_of
from autograder.exercise.built import Built
from autograder.exercise.definition import read_text
from autograder.exercise.packages import versions_of
from autograder.isolation.session import Cost, dearest
from autograder.report import ENDED, Status, TestResult
from autograder.store import Store, key_of

_SHELF = "trials"
_ROUNDS = 30


class Part(msgspec.Struct):
    """What some tests came to. results: each with its task. used: the last round that asked for it."""

    results: list[tuple[str, TestResult]]
    distances: dict[str, list[float]]
    dtypes: dict[str, set[str]]
    cost: Cost
    used: int = 0


class Group(msgspec.Struct):
    """What all mutants of behaviour of a function came to, by their names. used: as in `Part`."""

    tried: dict[str, list[tuple[str, TestResult]]]
    used: int = 0


class _Content(msgspec.Struct):
    round: int = 0
    parts: dict[str, Part] = {}
    groups: dict[str, Group] = {}
    fine: dict[str, int] = {}  # what else was in order, with the last round that asked for it


class Kept:
    """The results of one exercise. course: the folder whose store has them; None for those of this round alone."""

    def __init__(self, built: Built, course: Path | None) -> None:
        self._built = built
        self._keys = Keys(built)
        self._store = Store(course, built.exercise.slug) if course else None
        self._key = _circumstances(built)
        before = self._load()
        self._round, self._parts, self._groups, self._fine = before.round + 1, before.parts, before.groups, before.fine

    def trial(self, solution: Solution) -> Trial | None:
        """The trial of a solution, if all of its tests are kept."""
        plan = self._keys.plan(solution)
        knots = [plan.whole] if plan.whole.key in self._parts else plan.knots
        if not all(knot.key in self._parts for knot in knots):
            return None
        parts = [self._parts[knot.key] for knot in knots]
        for part in parts:
            part.used = self._round
        return self._put_together(solution, parts, plan.whole.units)

    def behaviours(self, solution: Solution) -> list[Trial] | None:
        """The trials of all mutants of behaviour that `behaving` stands for, if they are kept."""
        group = self._groups.get(self._keys.plan(solution).whole.key)
        made = {one.name: one for one in behaviours(self._built, solution.name)}
        if group is None or not made.keys() >= group.tried.keys():
            return None
        group.used = self._round
        own = solution.tests_of or ()
        return [
            Trial(
                behaviour_solution(made[name], own),
                {task: [test for its, test in results if its == task] for task in own},
            )
            for name, results in group.tried.items()
        ]

    def note_behaviours(self, solution: Solution, trials: Collection[Trial]) -> None:
        """Keep those trials, unless one of them hangs on the moment."""
        if not any(map(_is_fleeting, trials)):
            tried = {one.solution.name: one.by_task for one in trials}
            self._groups[self._keys.plan(solution).whole.key] = Group(tried, self._round)

    def is_fine(self, key: str) -> bool:
        """Whether what is beside the trials, such as a run of the notebook, was found in order under this key."""
        if key not in self._fine:
            return False
        self._fine[key] = self._round
        return True

    def note_fine(self, key: str) -> None:
        self._fine[key] = self._round

    def unsure(self) -> dict[str, tuple[str, ...] | None]:
        """What it is not known of whether it is the same each time, under its keys, as `Keys.of_suite` has it."""
        return {key: units for key, units in self._keys.of_suite().items() if not self.is_fine(key)}

    def missing(self, solution: Solution) -> list[Knot]:
        """The tests of a solution that are not kept."""
        return [knot for knot in self._keys.plan(solution).knots if knot.key not in self._parts]

    def units(self, solution: Solution, knots: Collection[Knot]) -> tuple[str, ...] | None:
        """The test functions and classes in some of its knots; None for all that it has."""
        if len(knots) == len(self._keys.plan(solution).knots):
            return None
        return tuple(unit for knot in knots for unit in knot.units)

    def note(self, trial: Trial) -> None:
        """Keep what a trial came to, all of a solution's tests or some, unless it hangs on the moment."""
        plan, solution = self._keys.plan(trial.solution), trial.solution
        if _is_fleeting(trial):
            return
        if solution.kind in RIGHT and any(test.status in ENDED for test in trial.tests):
            return
        ran = {unit_of(test.name) for test in trial.tests}
        for knot in [plan.whole] if trial.is_tangled else plan.knots:
            if knot == plan.whole or ran.issuperset(knot.units):
                self._parts[knot.key] = self._part(trial, knot, knot == plan.whole)

    def save(self) -> None:
        """Keep all of it for the next round, beside what another round has kept meanwhile."""
        if self._store is None:
            return
        meanwhile, oldest = self._load(), self._round - _ROUNDS
        parts, groups, fine = (
            meanwhile.parts | self._parts,
            meanwhile.groups | self._groups,
            meanwhile.fine | self._fine,
        )
        content = _Content(
            self._round,
            {key: part for key, part in parts.items() if part.used > oldest},
            {key: group for key, group in groups.items() if group.used > oldest},
            {key: used for key, used in fine.items() if used > oldest},
        )
        with suppress(OSError):
            self._store.save(_SHELF, "", self._key, msgspec.msgpack.encode(content))

    def _load(self) -> _Content:
        content = self._store.load(_SHELF, "", self._key) if self._store else None
        try:
            return msgspec.msgpack.decode(content or b"", type=_Content)
        except (msgspec.DecodeError, ValueError):
            return _Content()

    def _part(self, trial: Trial, knot: Knot, is_all: bool) -> Part:
        chosen = [(task, test) for task, test in trial.by_task if is_all or unit_of(test.name) in knot.units]
        names = {test.name for _, test in chosen}
        distances = {name: far for name, far in trial.distances.items() if name in names}
        return Part(chosen, distances, trial.dtypes, trial.cost, self._round)

    def _put_together(self, solution: Solution, parts: list[Part], units: tuple[str, ...]) -> Trial:
        """Of several parts it costs what the dearest of the runs did that they come from: once, that was all of it."""
        place = {unit: number for number, unit in enumerate(units)}
        found = [result for part in parts for result in part.results]
        if len(parts) > 1:
            found.sort(key=lambda result: place[unit_of(result[1].name)])
        tasks = [
            task for task in self._built.exercise.automatic if solution.tests_of is None or task in solution.tests_of
        ]
        return Trial(
            solution,
            {task: [test for its, test in found if its == task] for task in tasks},
            {name: far for part in parts for name, far in part.distances.items()},
            parts[0].dtypes if len(parts) == 1 else {},
            dearest(part.cost for part in parts),
        )


def _is_fleeting(trial: Trial) -> bool:
    return bool(trial.fault) or any(test.status is Status.UNGRADED for test in trial.tests)


def _circumstances(built: Built) -> str:
    """A digest of what all trials hang on."""
    exercise = built.exercise
    functions = {name: (task.names, task.not_allowed, task.instead) for name, task in exercise.automatic.items()}
    beside = read_text(exercise.public_suite), exercise.given_digests
    return key_of(_SHELF, versions_of(exercise.packages), exercise.limits, functions, *beside)
