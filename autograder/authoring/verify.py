"""Is a hidden suite worth its points? Every solution is tried out, and what the suite made of it is judged.

A problem rejects the exercise, a warning does not. Numbers that the judgement rests on:

    margin of a tolerance    at least ten times, on both sides of what a comparison allows: for the worst right
                             solution, and for the nearest wrong one where it is off most
    limits                   the dearest right solution needs less than half of each
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from autograder.authoring.leaks import Leak, Secrets
from autograder.authoring.mutants import Mutant, equivalent_mutants
from autograder.authoring.rehearsal import rehearse
from autograder.authoring.steadiness import unsteady
from autograder.authoring.trials import Kind, Trial, solutions_of, try_out
from autograder.exercise.built import Built
from autograder.exercise.definition import Exercise, Task
from autograder.exercise.source import reference_source
from autograder.grading.feedback import plain
from autograder.grading.score import score
from autograder.isolation.session import Cost
from autograder.report import Status, TaskResult, TestResult

MARGIN = 10.0
_SHARE = 0.5  # of a limit
_RIGHT = (Kind.REFERENCE, Kind.RIGHT)
_WRONG = (Kind.WRONG, Kind.MUTANT)


@dataclass(frozen=True)
class Survivor:
    """A mutant that got every point of a function's own tasks; `points` is what they are worth."""

    mutant: Mutant
    points: float

    def __str__(self) -> str:
        return f"a mutant lives, {self.points:g} points at stake: {self.mutant.name}"


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
    """What was found out about an exercise's hidden suite. around_it: problems of the notebook and of how it is run."""

    built: Built
    trials: list[Trial]
    around_it: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return not self.problems

    @cached_property
    def problems(self) -> list[str]:
        if broken := [trial for trial in self._of(Kind.REFERENCE) if not trial.is_perfect]:
            return [*self.around_it, *_judge(broken[0], self.built.exercise)]
        judged = dict.fromkeys(problem for trial in self.trials for problem in _judge(trial, self.built.exercise))
        leaks = dict.fromkeys(map(str, self._leaks()))
        return [
            *self.around_it,
            *judged,
            *self._mutation_problems(),
            *self._idle_tests(),
            *self._untried_dtypes(),
            *leaks,
        ]

    @cached_property
    def warnings(self) -> list[str]:
        right = (f"{one.error:.2g} of what `{one.of}` allows" for one in self.right_margins if one.is_narrow)
        wrong = (f"{one.of} is only {one.error:.3g} times beyond" for one in self.wrong_margins if one.is_narrow)
        return [
            *(f"a tolerance is narrow: a right solution comes to {told}" for told in right),
            *(f"a tolerance is narrow: {told} what is allowed" for told in wrong),
            *self._dear_limits(),
            *self._tasks_without_mistakes(),
        ]

    @cached_property
    def living(self) -> dict[str, Trial]:
        """The mutants that no test catches in the tasks that their function is graded in, by name."""
        tasks = self.built.exercise.automatic
        mutants = {trial.solution.name: trial for trial in self._of(Kind.MUTANT)}
        return {name: trial for name, trial in mutants.items() if _lives(trial, tasks)}

    @cached_property
    def survivors(self) -> list[Survivor]:
        """Mutants that live and are not marked equivalent."""
        return [
            Survivor(trial.solution.mutant, _stake(trial, self.built.exercise))
            for name, trial in self.living.items()
            if trial.solution.mutant and name not in self.equivalent
        ]

    @cached_property
    def equivalent(self) -> dict[str, str]:
        """Mutants that the exercise marks as computing the same, with the reasons."""
        return equivalent_mutants(self.built.exercise)

    @cached_property
    def right_margins(self) -> list[Margin]:
        """Of every test that compares within a tolerance."""
        errors: dict[str, float] = {}
        for trial in self._of(*_RIGHT):
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
    def cost(self) -> Cost:
        """The most that a right solution took."""
        costs = [trial.cost for trial in self._of(*_RIGHT)]
        return Cost(
            cpu_seconds=max(cost.cpu_seconds for cost in costs),
            wall_seconds=max(cost.wall_seconds for cost in costs),
            slowest=max(cost.slowest for cost in costs),
            memory=max(cost.memory for cost in costs),
            output=max(cost.output for cost in costs),
        )

    @cached_property
    def tests(self) -> dict[str, list[TestResult]]:
        """Every test as the reference has it, by task."""
        return next((trial.results for trial in self.trials if trial.results and trial.solution.kind in _RIGHT), {})

    def _of(self, *kinds: Kind) -> list[Trial]:
        return [trial for trial in self.trials if trial.solution.kind in kinds]

    def _leaks(self) -> Iterator[Leak]:
        secrets, reference = Secrets(self.built), reference_source(self.built.reference)
        yield from secrets.release_leaks(self.built.release, self.built.checks)
        for trial in self._of(Kind.WRONG):
            variant = trial.solution.variant
            written = reference + (variant.code if variant else "")
            told = "\n".join(map(plain, _scored(trial, self.built.exercise)))
            yield from secrets.feedback_leaks(f"the feedback for {trial.solution.name}", told, written)

    def _mutation_problems(self) -> Iterator[str]:
        yield from map(str, self.survivors)
        for name in self.equivalent:
            if name not in self.living:
                yield f"equivalent.toml marks what is no living mutant: {name}"

    def _idle_tests(self) -> Iterator[str]:
        failing = {test.name for trial in self._of(*_WRONG) for test in trial.tests if test.status is not Status.PASSED}
        for test in (test for tests in self.tests.values() for test in tests):
            if test.name not in failing:
                yield f"`{test.name}` never fails: no wrong solution and no mutant is caught by it"

    def _untried_dtypes(self) -> Iterator[str]:
        tried = next((trial.dtypes for trial in self._of(Kind.REFERENCE)), {})
        for name, task in self.built.exercise.automatic.items():
            for dtype in task.dtypes:
                if dtype not in tried.get(name, ()):
                    yield f"no test of `{name}` hands over {dtype}, which the task allows"

    def _tasks_without_mistakes(self) -> Iterator[str]:
        lost = {
            task for trial in self._of(Kind.WRONG) if trial.solution.variant for task in trial.solution.variant.loses
        }
        for task in self.built.exercise.automatic:
            if task not in lost:
                yield f"no file in wrong/ loses `{task}`: which mistakes do students make there?"

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


def verify(built: Built, seeds: int, jobs: int, done: Callable[[int], None] = lambda total: None) -> Verification:
    """Try every solution of the exercise out with `jobs` processes, right ones under `seeds` seeds, and judge.

    done: called after each, with the number of all. Errors: ExerciseError where the folder is inconsistent.
    """
    solutions = solutions_of(built, seeds)
    around_it = [*rehearse(built, jobs), *unsteady(built, jobs)]
    return Verification(built, try_out(built, solutions, jobs, lambda: done(len(solutions))), around_it)


def _judge(trial: Trial, exercise: Exercise) -> Iterator[str]:
    label = trial.solution.label
    broken = [test for test in trial.tests if test.status is Status.UNGRADED]
    if trial.fault:
        yield f"not every solution could be tried: {_last_line(trial.fault)}"
    elif broken:
        yield f"`{broken[0].name}` breaks: {_last_line(broken[0].fault)}"
    elif trial.solution.kind in _RIGHT:
        for test in trial.tests:
            if test.status is not Status.PASSED:
                yield f"{label} should pass `{test.name}`: {test.status}: {test.message}"
    elif trial.solution.kind is not Kind.MUTANT:
        yield from _wrong_scores(trial, exercise)


def _wrong_scores(trial: Trial, exercise: Exercise) -> Iterator[str]:
    solution, scored = trial.solution, _scored(trial, exercise)
    if solution.variant:
        lost = [task.name for task in scored if task.earned != task.points]
        if set(lost) != set(solution.variant.loses):
            yield f"{solution.label} should lose {_listed(solution.variant.loses)}, it loses {_listed(lost)}"
        return
    written = {one for name in solution.solved or () for one in exercise.tasks[name].functions}
    for task in scored:
        is_due = written.issuperset(exercise.tasks[task.name].functions)
        due = task.points if is_due else 0.0
        if task.earned != due:
            yield f"{solution.label}: `{task.name}` gets {task.earned:g} points instead of {due:g}"


def _scored(trial: Trial, exercise: Exercise) -> list[TaskResult]:
    return [task for task in score(exercise, trial.results) if task.name in trial.results]


def _lives(trial: Trial, tasks: Mapping[str, Task]) -> bool:
    """What another task's tests catch costs nothing where the points for the function are."""
    own = [
        name
        for name in trial.results
        if trial.solution.mutant and trial.solution.mutant.function in tasks[name].functions
    ]
    tests = [test for name in own or trial.results for test in trial.results[name]]
    return not trial.fault and all(test.status is Status.PASSED for test in tests)


def _stake(trial: Trial, exercise: Exercise) -> float:
    function = trial.solution.mutant.function if trial.solution.mutant else ""
    own = [task for task in exercise.automatic.values() if function in task.functions]
    used = [exercise.tasks[name] for name in trial.solution.tests_of or ()]
    return sum(task.points for task in own or used)


def _error(test: TestResult, trial: Trial) -> float:
    """How far a wrong solution was off in a test: 0 where it passed."""
    if test.status is Status.PASSED:
        return 0.0
    beyond = [distance for distance in trial.distances.get(test.name, ()) if distance > 1]
    return max(beyond, default=float("inf"))


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(names) or "nothing"


def _last_line(fault: str) -> str:
    return fault.strip().splitlines()[-1] if fault.strip() else ""
