"""Is a hidden suite worth its points? Every solution is tried out, and what the suite made of it is judged.

A problem rejects the exercise, a warning does not. Numbers that the judgement rests on:

    margin of a tolerance    at least ten times, on both sides of what a comparison allows: for the worst right
                             solution, and for the nearest wrong one where it is off most
    limits                   the dearest right solution needs less than half of each
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from autograder.authoring.behaviours import Behaviour, functions
from autograder.authoring.equivalents import equivalent_mutants
from autograder.authoring.handed_on import differs_in_what_is_handed_on
from autograder.authoring.kept import Kept
from autograder.authoring.leaks import Leak, Secrets
from autograder.authoring.mutants import Mutant
from autograder.authoring.problems import Problem, by_weight, judged, points_of, scored
from autograder.authoring.rehearsal import rehearse
from autograder.authoring.rounds import Round
from autograder.authoring.steadiness import unsteady
from autograder.authoring.trials import MUTANTS, RIGHT, Kind, Trial, reached, solutions_of
from autograder.errors import ExerciseError
from autograder.exercise.built import Built
from autograder.exercise.definition import Exercise
from autograder.exercise.known_results import KnownResults
from autograder.exercise.source import reference_source
from autograder.exercise.uses import uses
from autograder.grading.feedback import plain
from autograder.isolation.session import Cost, dearest
from autograder.report import Status, TestResult

MARGIN = 10.0
_SHARE = 0.5  # of a limit
_WRONG = (Kind.WRONG, Kind.MUTANT)


@dataclass(frozen=True)
class Survivor(Problem):
    """A mutant that got every point of a function's own tasks; `points` is what they are worth."""

    mutant: Mutant
    points: float


@dataclass(frozen=True)
class Margin:
    """How far from the bar of a comparison something lies. error: as a multiple of what is allowed.

    of: a test, with the largest error of a right solution; or a wrong solution and a task that it loses, with the
    largest error there, which is infinite where it fails by more than a number.
    """

    of: str
    error: float

    @property
    def is_narrow(self) -> bool:
        return 1 / MARGIN < self.error < MARGIN


@dataclass(frozen=True)
class Verification:
    """What was found out about an exercise's hidden suite, or about its tests of one task.

    around_it: problems of the notebook and of how it is run.
    """

    built: Built
    trials: list[Trial]
    task: str | None = None
    around_it: list[Problem] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return not self.problems

    @property
    def problems(self) -> list[str]:
        """What rejects the exercise, in words, as `found` has it."""
        return list(map(str, self.found))

    @cached_property
    def found(self) -> list[Problem]:
        """What rejects the exercise: what is about the same tasks together, where most points are at stake first."""
        exercise = self.built.exercise
        if broken := [trial for trial in self._of(Kind.REFERENCE) if not trial.is_perfect]:
            return [*self.around_it, *judged(broken[0], exercise)]
        by_trial = (problem for trial in self.trials for problem in judged(trial, exercise))
        leaks = (Problem(str(leak), ()) for leak in self._leaks())
        marks, idle = self._idle_marks(), self._idle_tests()
        problems = [*by_trial, *self.survivors, *marks, *idle, *self._untried_dtypes(), *leaks]
        return [*self.around_it, *by_weight(problems, exercise)]

    @cached_property
    def warnings(self) -> list[str]:
        right = (f"{one.error:.2g} of what `{one.of}` allows" for one in self.right_margins if one.is_narrow)
        wrong = (f"{one.of} is only {one.error:.3g} times beyond" for one in self.wrong_margins if one.is_narrow)
        return [
            *(f"a tolerance is narrow: a right solution comes to {told}" for told in right),
            *(f"a tolerance is narrow: {told} what is allowed" for told in wrong),
            *self._dear_limits(),
            *self._tasks_without_mistakes(),
            *self._tasks_without_mutants(),
        ]

    @cached_property
    def living(self) -> dict[str, Trial]:
        """The mutants that no test catches in the tasks that their function is graded in, by name."""
        mutants = {trial.solution.name: trial for trial in self.mutant_trials}
        return {name: trial for name, trial in mutants.items() if self._lives(trial)}

    @property
    def mutant_trials(self) -> list[Trial]:
        """Those of mutants of the reference's text and of its behaviour."""
        return self._of(*MUTANTS)

    @cached_property
    def survivors(self) -> list[Survivor]:
        """Mutants that live and are not marked equivalent, as `problems` has them."""
        survivors = [
            _survivor(trial.solution.mutant, trial, self.built.exercise)
            for name, trial in self.living.items()
            if trial.solution.mutant and name not in self.marked
        ]
        return by_weight(survivors, self.built.exercise)

    @cached_property
    def marked(self) -> dict[str, str]:
        """Living mutants that the exercise allows, with the names that they go by in equivalent.toml."""
        names = {name: _names_of(trial.solution.mutant) for name, trial in self.living.items()}
        return {name: own for name, owns in names.items() for own in owns if own in self.equivalent}

    @cached_property
    def equivalent(self) -> dict[str, str]:
        """Mutants that the exercise marks as computing the same, with the reasons."""
        return equivalent_mutants(self.built.exercise)

    @cached_property
    def right_margins(self) -> list[Margin]:
        """Of every test that compares within a tolerance."""
        errors: dict[str, float] = {}
        for trial in self._of(*RIGHT):
            for name, distances in trial.distances.items():
                errors[name] = max([errors.get(name, 0.0), *distances])
        return [Margin(name, error) for name, error in errors.items() if error]

    @cached_property
    def wrong_margins(self) -> list[Margin]:
        """Of every known mistake, in each task that it loses. Mutants may be as near as they like."""
        return [
            Margin(f"{trial.solution.name} in `{task}`", error)
            for trial in self._of(Kind.WRONG)
            if trial.solution.variant
            for task in trial.solution.variant.loses
            if (error := max((_error(test, trial) for test in trial.results.get(task, ())), default=0.0))
        ]

    @cached_property
    def known_results(self) -> KnownResults:
        """By which results the public checks know known mistakes."""
        return KnownResults(self.built.exercise, self.built.reference)

    @cached_property
    def cost(self) -> Cost:
        """The most that a right solution took."""
        return dearest(trial.cost for trial in self._of(*RIGHT))

    @cached_property
    def tests(self) -> dict[str, list[TestResult]]:
        """Every test as the reference has it, by task."""
        return next((trial.results for trial in self.trials if trial.results and trial.solution.kind in RIGHT), {})

    def _of(self, *kinds: Kind) -> list[Trial]:
        return [trial for trial in self.trials if trial.solution.kind in kinds]

    def _leaks(self) -> Iterator[Leak]:
        secrets, reference = Secrets(self.built), reference_source(self.built.reference)
        yield from secrets.release_leaks(self.built.release, self.built.checks_file)
        for trial in self._of(Kind.WRONG):
            variant = trial.solution.variant
            written = reference + (variant.code if variant else "")
            told = "\n".join(map(plain, scored(trial, self.built.exercise)))
            yield from secrets.feedback_leaks(f"the feedback for {trial.solution.name}", told, written)

    def _idle_marks(self) -> Iterator[Problem]:
        for name in self.equivalent:
            function = name.partition(":")[0].partition(".")[0]  # of `Class.method`, the class
            if name not in self.marked.values() and self._is_tried(function):
                yield Problem(f"equivalent.toml marks what is no living mutant: {name}", ())

    def _is_tried(self, function: str) -> bool:
        """Whether the tests of all tasks that a function, or any, is graded in were run: of a helper, that use it."""
        tasks = self.built.exercise.automatic
        tried = {name for trial in self.trials for name in trial.results}
        own = {name for name, task in tasks.items() if function in ("*", *task.names)}
        return tried >= (own or {name for name, task in tasks.items() if function in reached(task.names, self._calls)})

    def _idle_tests(self) -> Iterator[Problem]:
        failing = {test.name for trial in self._of(*_WRONG) for test in trial.tests if test.status is not Status.PASSED}
        for task, tests in self.tests.items():
            for test in tests:
                if test.name not in failing:
                    told = f"`{test.name}` never fails: no wrong solution and no mutant is caught by it"
                    yield Problem(told, (task,))

    def _untried_dtypes(self) -> Iterator[Problem]:
        tried = next((trial.dtypes for trial in self._of(Kind.REFERENCE)), {})
        for name in self.tests:
            for dtype in self.built.exercise.tasks[name].dtypes:
                if dtype not in tried.get(name, ()):
                    yield Problem(f"no test of `{name}` hands over {dtype}, which the task allows", (name,))

    def _lives(self, trial: Trial) -> bool:
        """What another task's tests catch costs nothing where the points for the function are.

        But what a function hands on, such as a cache, may be caught where the one that takes it is graded.
        """
        mutant, tasks = trial.solution.mutant, self.built.exercise.automatic
        own = [name for name, task in tasks.items() if mutant and mutant.function in task.names]
        if trial.fault or mutant is None or not trial.results.keys() >= set(own):
            return False
        if _is_lost(trial, own or trial.results):
            return False
        taking = [name for name in trial.results if mutant.function not in reached(tasks[name].names, self._calls)]
        return not (_is_lost(trial, taking) and self._is_handed_on(mutant))

    def _is_handed_on(self, mutant: Mutant) -> bool:
        if isinstance(mutant, Behaviour):
            return False
        return differs_in_what_is_handed_on(reference_source(self.built.reference), mutant.function, mutant.code)

    @cached_property
    def _calls(self) -> dict[str, set[str]]:
        return uses(ast.parse(reference_source(self.built.reference)))

    def _tasks_without_mistakes(self) -> Iterator[str]:
        lost = {
            task for trial in self._of(Kind.WRONG) if trial.solution.variant for task in trial.solution.variant.loses
        }
        for task in self.tests:
            if task not in lost:
                yield f"no file in wrong/ loses `{task}`: which mistakes do students make there?"

    def _tasks_without_mutants(self) -> Iterator[str]:
        tasks = {name: task for name, task in self.built.exercise.automatic.items() if name in self.tests}
        changed = {trial.solution.mutant.function for trial in self.mutant_trials if trial.solution.mutant}
        for name, task in tasks.items():
            if not changed & reached(task.names, self._calls):
                yield f"no mutant could be made of what `{name}` asks for: nothing is proven about its tests"

    def _dear_limits(self) -> Iterator[str]:
        limits, cost = self.built.exercise.limits, self.cost
        for limit, used, allowed, unit in (
            ("total_cpu_seconds", cost.cpu_seconds, limits.total_cpu_seconds, "s"),
            ("cpu_seconds", cost.slowest, limits.cpu_seconds, "s"),
            ("memory", cost.memory, limits.memory, "MiB"),
            ("total_wall_seconds", cost.wall_seconds, limits.total_wall_seconds, "s"),
            ("total_output", cost.output, limits.total_output, "MiB"),
        ):
            if used > _SHARE * allowed:
                yield f"a right solution takes {used:.3g} of the {allowed:g} {unit} of limit `{limit}`"


def verify(
    built: Built,
    seeds: int,
    jobs: int,
    done: Callable[[int], None] = lambda total: None,
    *,
    course: Path | None = None,
    task: str | None = None,
) -> Verification:
    """Try every solution of the exercise out with `jobs` processes, right ones under `seeds` seeds, and judge.

    done: called after each, with the number of all. course: the folder whose store keeps what came of trials, so that
    the next round runs only what has changed. task: judge the tests of this task alone.
    Errors: ExerciseError where the folder is inconsistent, or has no such automatic task.
    """
    if task not in (None, *built.exercise.automatic):
        raise ExerciseError(f"`{built.exercise.slug}` has no task `{task}` with hidden tests")
    chosen = None if task is None else (task,)
    solutions = solutions_of(built, seeds, chosen)
    total = len(solutions) + len(functions(built, chosen))
    kept = Kept(built, course)
    try:
        with ThreadPoolExecutor(1) as beside:  # its processes are started, and then waited for
            steady = beside.submit(unsteady, built, jobs, kept) if task is None else None
            around_it = rehearse(built, jobs, kept) if task is None else []
            trials = Round(built, kept, jobs, lambda: done(total)).trials(solutions, chosen)
        around_it += steady.result() if steady else []
    finally:
        kept.save()
    return Verification(built, trials, task, [Problem(told, ()) for told in around_it])


def _is_lost(trial: Trial, tasks: Iterable[str]) -> bool:
    return any(test.status is not Status.PASSED for task in tasks for test in trial.results[task])


def _survivor(mutant: Mutant, trial: Trial, exercise: Exercise) -> Survivor:
    own = [name for name, task in exercise.automatic.items() if mutant.function in task.names]
    tasks = tuple(own or trial.solution.tests_of or ())
    points = points_of(tasks, exercise)
    told = f"a mutant lives, {points:g} points at stake: {mutant.name}"
    if isinstance(mutant, Behaviour):
        told = f"{mutant} keeps all {points:g} points"
    return Survivor(told, tasks, mutant, points)


def _names_of(mutant: Mutant | None) -> tuple[str, ...]:
    """What equivalent.toml may call it."""
    if isinstance(mutant, Behaviour):
        return mutant.name, mutant.kind
    return (mutant.name,) if mutant else ()


def _error(test: TestResult, trial: Trial) -> float:
    """How far a wrong solution was off in a test: 0 where it passed."""
    if test.status is Status.PASSED:
        return 0.0
    beyond = [distance for distance in trial.distances.get(test.name, ()) if distance > 1]
    return max(beyond, default=float("inf"))
