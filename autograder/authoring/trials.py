"""The solutions that a hidden suite must tell apart, each put to the suite as a student's would be, side by side."""

from __future__ import annotations

import ast
import re
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from msgspec import structs

from autograder.authoring.behaviours import PROBED, Behaviour, behaviours, differing, state, states
from autograder.authoring.class_mistakes import class_mistakes
from autograder.authoring.guesses import guesses
from autograder.authoring.misuses import misuses
from autograder.authoring.mutants import Mutant, mutants
from autograder.authoring.units import TestsOf
from autograder.batch.pool import spread
from autograder.errors import SandboxError
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import Exercise
from autograder.exercise.source import reference_source, solution_code
from autograder.exercise.uses import uses
from autograder.exercise.variants import Variant, right_variants, wrong_variants
from autograder.grading.runner import Execution, Runner, Tested
from autograder.grading.suite_plugin import SuiteResult
from autograder.isolation.session import Cost
from autograder.report import ENDED, Status, TestResult
from autograder.submission.notebook import Cell, Role
from autograder.submission.samples import all_cells, graded_cells, solved, solved_by

_TWO_THREADS = """\
from threadpoolctl import threadpool_info, threadpool_limits
threadpool_limits(2)
assert {pool["num_threads"] for pool in threadpool_info()} == {2}"""

_REMEMBER = "_known = {*globals(), '_known'}"
_FORGET = "for _one in {*globals()} - _known: del globals()[_one]"

_PLACE = re.compile(r"\(cell \d+, line \d+: ")


class Kind(StrEnum):
    """What a solution is there for."""

    REFERENCE = "reference"
    RIGHT = "right"
    STUB = "stub"
    ALONE = "alone"  # one task solved, with those that it needs
    WRONG = "wrong"
    MISUSE = "misuse"  # of what a task does not allow
    MUTANT = "mutant"
    BEHAVIOUR = "behaviour"


RIGHT = (Kind.REFERENCE, Kind.RIGHT)
MUTANTS = (Kind.MUTANT, Kind.BEHAVIOUR)
WITHOUT_LINES = (Kind.MUTANT, Kind.WRONG)  # which messages that tests get would tell, as they would students


@dataclass(frozen=True)
class Solution:
    """One notebook for the suite.

    solved: the tasks with the reference solution in them, None for all. variant: takes the place of functions of it.
    tests_of: the tasks whose tests are run, None for all; units: of those, the test functions and classes that are.
    threads: for linear algebra.
    """

    kind: Kind
    name: str
    title: str = ""
    solved: tuple[str, ...] | None = None
    variant: Variant | None = None
    mutant: Mutant | None = None
    tests_of: tuple[str, ...] | None = None
    units: tuple[str, ...] | None = None
    seed: int = 0
    threads: int = 1

    @property
    def is_whole(self) -> bool:
        """Whether given demonstrations are run, too: once, as they count towards the limits of a submission.

        And with nothing solved, as they may be what earns points.
        """
        return self.kind is Kind.STUB or (self.kind is Kind.REFERENCE and not self.seed and self.threads == 1)

    @property
    def label(self) -> str:
        circumstances = f" (seed {self.seed})" if self.seed else ""
        circumstances += f" ({self.threads} threads)" if self.threads > 1 else ""
        return self.name + circumstances


@dataclass(frozen=True)
class Trial:
    """What the suite made of a solution, as `SuiteResult` and `Execution` have it. fault: ours, if there was one.

    is_tangled: whether a cell or a test had a say in what others came to, as it ended the process.
    """

    solution: Solution
    results: dict[str, list[TestResult]] = field(default_factory=dict)
    distances: dict[str, list[float]] = field(default_factory=dict)
    dtypes: dict[str, set[str]] = field(default_factory=dict)
    cost: Cost = field(default_factory=Cost)
    fault: str = ""
    is_tangled: bool = False

    @property
    def by_task(self) -> list[tuple[str, TestResult]]:
        """Each test, after its task."""
        return [(task, test) for task, tests in self.results.items() for test in tests]

    @property
    def tests(self) -> list[TestResult]:
        return [test for _, test in self.by_task]

    @property
    def is_perfect(self) -> bool:
        return not self.fault and all(test.status is Status.PASSED for test in self.tests)


Job = tuple[Solution, ...]  # several are tried in one notebook


def solutions_of(built: Built, seeds: int, tests_of: tuple[str, ...] | None = None) -> list[Solution]:
    """All solutions of an exercise: right ones under each seed and with two threads, then those that lose points.

    tests_of: the tasks whose tests are run, all by default.
    """
    exercise = built.exercise
    right = [Solution(Kind.REFERENCE, "reference", "the reference solution")]
    right += [Solution(Kind.RIGHT, f"right/{one.name}", one.title, variant=one) for one in right_variants(exercise)]
    solutions = [
        *(trial for one in right for trial in (*_under_seeds(one, seeds), replace(one, threads=2))),
        Solution(Kind.STUB, "stub", "the released notebook", solved=()),
        *(
            Solution(Kind.ALONE, f"{task} alone", f"only {', '.join(solved)} solved", solved=solved)
            for task in exercise.automatic
            if (solved := _with_needs(exercise, task))
        ),
        *(Solution(Kind.WRONG, f"wrong/{one.name}", one.title, variant=one) for one in wrong_variants(exercise)),
        *(Solution(Kind.MISUSE, one.name, variant=one, tests_of=(task,)) for task, one in misuses(built)),
        *_mutants(built),
    ]
    return solutions if tests_of is None else list(_in_tests_of(tests_of, solutions))


def _in_tests_of(tasks: tuple[str, ...], solutions: Iterable[Solution]) -> Iterator[Solution]:
    for one in solutions:
        if chosen := tuple(task for task in tasks if one.tests_of is None or task in one.tests_of):
            yield replace(one, tests_of=chosen)


def _under_seeds(solution: Solution, seeds: int) -> Iterator[Solution]:
    return (replace(solution, seed=seed) for seed in range(seeds))


def _with_needs(exercise: Exercise, task: str) -> tuple[str, ...]:
    """The task and all that it builds on, in order."""
    wanted = {task, *exercise.all_needs(task)}
    return tuple(name for name in exercise.automatic if name in wanted)


def try_out(
    built: Built,
    jobs: Collection[Job],
    processes: int,
    done: Callable[[Job, list[Trial]], None] = lambda job, trials: None,
) -> list[Trial]:
    """The trials of all jobs, in their order. done: called with those of each as they come.

    Where the reference fails, all else means nothing: then these are only the trials until all of its own are done.
    """
    trials: dict[Job, list[Trial]] = {}
    reference = {job for job in jobs if job[0].kind is Kind.REFERENCE}
    for job, tried in spread(list(jobs), processes, _Bench, built):
        trials[job] = tried or [Trial(one, fault="the process that tried it ended") for one in job]
        done(job, trials[job])
        if reference <= trials.keys() and not all(trials[one][0].is_perfect for one in reference):
            break
    return [trial for job in jobs for trial in trials.get(job, ())]


def behaving(built: Built, function: str, tests_of: Collection[str] | None = None) -> Solution:
    """What stands for all mutants of behaviour of a function, in the tests of its own tasks."""
    own = (name for name, task in built.exercise.automatic.items() if function in task.functions)
    return Solution(
        Kind.BEHAVIOUR, function, tests_of=tuple(name for name in own if tests_of is None or name in tests_of)
    )


class _Bench:
    """What one process tries solutions with."""

    def __init__(self, built: Built) -> None:
        self._built = built
        self._runner = Runner()

    def work(self, job: Job) -> list[Trial]:
        try:
            return self._tried(job)
        except Exception:
            self._runner.drop(self._built)
            return [Trial(one, fault=traceback.format_exc()) for one in job]

    def close(self) -> None:
        self._runner.close()

    def _tried(self, job: Job) -> list[Trial]:
        if job[0].kind is Kind.BEHAVIOUR:
            return list(self._behaviours(job[0]))
        if len(job) == 1:
            return [self._alone(job[0])]
        together = list(self._together(job))
        return [self._alone(trial.solution) if _is_doubtful(trial) else trial for trial in together]

    def _alone(self, solution: Solution) -> Trial:
        cells = _cells(self._built, solution)
        seeded = SeededExercise(self._built, solution.seed)
        run = self._runner.run(cells, seeded, solution.tests_of, _chosen(solution))
        _require_threads(solution, run)
        is_tangled = _has_ended(run.suite) or _is_tangled(run)
        if is_tangled and solution.units is not None:
            return self._alone(replace(solution, units=None))
        return _trial(solution, run.suite, run.cost, is_tangled)

    def _together(self, solutions: Job) -> Iterator[Trial]:
        """All in one notebook, where none leaves anything to another one: a notebook costs more than its tests."""
        first = replace(solutions[0], variant=None)
        states = (cell for one in solutions for cell in self._state_of(one))
        notebook = (*_cells(self._built, first), Cell("code", _REMEMBER), *states)
        with self._runner.opened(notebook, SeededExercise(self._built, first.seed), len(solutions)) as tested:
            for one in solutions:
                suite = tested(dict.fromkeys(one.tests_of or self._built.exercise.automatic, one.name), _chosen(one))
                yield _trial(one, suite, Cost(), _has_ended(suite))

    def _state_of(self, one: Solution) -> Iterator[Cell]:
        if one.mutant:
            return state(one.name, one.mutant.code, one.mutant.function, self._built)
        code = one.variant.code if one.variant else ""
        return state(one.name, self._as_before + code, "", self._built)

    @cached_property
    def _as_before(self) -> str:
        """What takes away all that another solution has brought."""
        right = "\n\n".join(cell.source for cell in solution_code(self._built.reference))
        return f"{_FORGET}\n{right}\n\n\n"

    def _behaviours(self, solution: Solution) -> Iterator[Trial]:
        """All of a function's in one notebook."""
        function, own = solution.name, solution.tests_of or ()
        tried = behaviours(self._built, function)
        written = _up_to(own, graded_cells(solved(self._built), self._built))
        notebook = (*written, *states(self._built, function, tried))
        with self._runner.opened(notebook, SeededExercise(self._built, 0), len(tried) + 1) as tested:
            probed = tested(dict.fromkeys(own, PROBED), None).results
            tests = [test for task in own for test in probed[task]]
            for one in differing(tried, [test.message for test in tests]):
                met = _met(one, own, tested, [test.name for test in tests])
                yield Trial(behaviour_solution(one, own), met)


def _met(
    mutant: Behaviour, tasks: tuple[str, ...], tested: Tested, names: Iterable[str]
) -> dict[str, list[TestResult]]:
    """What the tests made of a mutant: all where one might break, else down to the first that is lost."""
    mutated = dict.fromkeys(tasks, mutant.name)
    if mutant.is_odd:
        return tested(mutated, None).results
    met: dict[str, list[TestResult]] = {task: [] for task in tasks}
    for name in names:
        for task, results in tested(mutated, [name]).results.items():
            met[task] += results
        if any(test.status is not Status.PASSED for results in met.values() for test in results):
            break
    return met


def _chosen(solution: Solution) -> TestsOf | None:
    return None if solution.units is None else TestsOf(solution.units)


def _trial(solution: Solution, suite: SuiteResult, cost: Cost, is_tangled: bool) -> Trial:
    """Where a solution that no student wrote has its lines says nothing."""
    results = suite.results
    if solution.kind in WITHOUT_LINES:
        results = {
            task: [structs.replace(test, message=_PLACE.sub("(", test.message)) for test in tests]
            for task, tests in results.items()
        }
    return Trial(solution, results, suite.distances, suite.dtypes, cost, is_tangled=is_tangled)


def behaviour_solution(behaviour: Behaviour, tests_of: tuple[str, ...]) -> Solution:
    """One mutant of behaviour."""
    return Solution(Kind.BEHAVIOUR, behaviour.name, mutant=behaviour, tests_of=tests_of)


def _cells(built: Built, solution: Solution) -> tuple[Cell, ...]:
    variant = solution.variant
    notebook = solved_by(built, variant) if variant else solved(built, solution.solved)
    if solution.is_whole:
        return all_cells(notebook, built)
    cells = _up_to(solution.tests_of, graded_cells(notebook, built))
    return (Cell("code", _TWO_THREADS), *cells) if solution.threads > 1 else cells


def _up_to(tasks: Collection[str] | None, cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """The cells down to the last grade cell of the tasks, all for None: what comes below has no part in their tests."""
    last = max(
        (at for at, cell in enumerate(cells) if cell.role is Role.GRADE and cell.name in (tasks or ())), default=-1
    )
    return cells if tasks is None else cells[: last + 1]


def _is_doubtful(trial: Trial) -> bool:
    """Whether a solution that was tried beside others is better tried by itself."""
    return trial.is_tangled or (trial.solution.kind in RIGHT and not trial.is_perfect)


def _has_ended(suite: SuiteResult) -> bool:
    return any(test.status in ENDED for tests in suite.results.values() for test in tests)


def _is_tangled(run: Execution) -> bool:
    return bool(run.states) or run.is_over or any(cell.ended for cell in run.cells.values())


def _require_threads(solution: Solution, run: Execution) -> None:
    first = run.cells[0].outputs if solution.threads > 1 else []
    if any(output["output_type"] == "error" for output in first):
        raise SandboxError(f"two threads could not be had: {first}")


def _mutants(built: Built) -> Iterator[Solution]:
    calls = uses(ast.parse(reference_source(built.reference)))
    for one in (*mutants(built), *class_mistakes(built), *guesses(built)):
        variant = Variant(one.name, one.name, one.code, (one.function,))
        using = _tasks_that_use(one.function, built.exercise, calls)
        yield Solution(Kind.MUTANT, one.name, variant=variant, mutant=one, tests_of=using)


def _tasks_that_use(function: str, exercise: Exercise, calls: dict[str, set[str]]) -> tuple[str, ...]:
    """The automatic tasks that ask for a name of the reference or for what uses it, or that need such a task."""
    using: list[str] = []
    for name, task in exercise.automatic.items():
        if function in reached(task.names, calls) or set(task.needs) & set(using):
            using.append(name)
    return tuple(using)


def reached(start: Collection[str], calls: dict[str, set[str]]) -> set[str]:
    """`start` and all that is used from there, directly or not."""
    reached: set[str] = set()
    left = set(start)
    while left:
        reached |= left
        left = {called for one in left for called in calls.get(one, ())} - reached
    return reached
