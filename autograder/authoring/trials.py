"""The solutions that a hidden suite must tell apart, each put to the suite as a student's would be, side by side."""

from __future__ import annotations

import ast
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

from autograder.authoring.behaviours import PROBED, Behaviour, behaviours, differing, functions, states
from autograder.authoring.mutants import Mutant, mutants
from autograder.batch.pool import spread
from autograder.errors import SandboxError
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import Exercise
from autograder.exercise.source import reference_source
from autograder.exercise.variants import Variant, right_variants, wrong_variants
from autograder.grading.runner import Execution, Runner, Tested
from autograder.isolation.session import Cost
from autograder.report import Status, TestResult
from autograder.submission.notebook import Cell, Role
from autograder.submission.samples import all_cells, graded_cells, solved, solved_by

_TWO_THREADS = """\
from threadpoolctl import threadpool_info, threadpool_limits
threadpool_limits(2)
assert {pool["num_threads"] for pool in threadpool_info()} == {2}"""


class Kind(StrEnum):
    """What a solution is there for."""

    REFERENCE = "reference"
    RIGHT = "right"
    STUB = "stub"
    ALONE = "alone"  # one task solved, with those that it needs
    WRONG = "wrong"
    MUTANT = "mutant"
    BEHAVIOUR = "behaviour"


@dataclass(frozen=True)
class Solution:
    """One notebook for the suite.

    solved: the tasks with the reference solution in them, None for all. variant: takes the place of functions of it.
    tests_of: the tasks whose tests are run, None for all. threads: for linear algebra.
    """

    kind: Kind
    name: str
    title: str = ""
    solved: tuple[str, ...] | None = None
    variant: Variant | None = None
    mutant: Mutant | None = None
    tests_of: tuple[str, ...] | None = None
    seed: int = 0
    threads: int = 1

    @property
    def is_whole(self) -> bool:
        """Whether given demonstrations are run, too: once, as they count towards the limits of a submission."""
        return self.kind is Kind.REFERENCE and not self.seed and self.threads == 1

    @property
    def label(self) -> str:
        circumstances = f" (seed {self.seed})" if self.seed else ""
        circumstances += f" ({self.threads} threads)" if self.threads > 1 else ""
        return self.name + circumstances


@dataclass(frozen=True)
class Trial:
    """What the suite made of a solution, as `SuiteResult` and `Execution` have it. fault: ours, if there was one."""

    solution: Solution
    results: dict[str, list[TestResult]] = field(default_factory=dict)
    distances: dict[str, list[float]] = field(default_factory=dict)
    dtypes: dict[str, set[str]] = field(default_factory=dict)
    cost: Cost = field(default_factory=Cost)
    fault: str = ""

    @property
    def tests(self) -> list[TestResult]:
        return [test for tests in self.results.values() for test in tests]

    @property
    def is_perfect(self) -> bool:
        return not self.fault and all(test.status is Status.PASSED for test in self.tests)


def solutions_of(built: Built, seeds: int) -> list[Solution]:
    """All solutions of an exercise: right ones under each seed and with two threads, then those that lose points."""
    exercise = built.exercise
    right = [Solution(Kind.REFERENCE, "reference", "the reference solution")]
    right += [Solution(Kind.RIGHT, f"right/{one.name}", one.title, variant=one) for one in right_variants(exercise)]
    return [
        *(trial for one in right for trial in (*_under_seeds(one, seeds), replace(one, threads=2))),
        Solution(Kind.STUB, "stub", "the released notebook", solved=()),
        *(
            Solution(Kind.ALONE, f"{task} alone", f"only {', '.join(solved)} solved", solved=solved)
            for task in exercise.automatic
            if (solved := _with_needs(exercise, task))
        ),
        *(Solution(Kind.WRONG, f"wrong/{one.name}", one.title, variant=one) for one in wrong_variants(exercise)),
        *_mutants(built),
    ]


def _under_seeds(solution: Solution, seeds: int) -> Iterator[Solution]:
    return (replace(solution, seed=seed) for seed in range(seeds))


def _with_needs(exercise: Exercise, task: str) -> tuple[str, ...]:
    """The task and all that it builds on, in order."""
    wanted = {task}
    for name, one in reversed(exercise.automatic.items()):
        wanted |= set(one.needs) if name in wanted else set()
    return tuple(name for name in exercise.automatic if name in wanted)


def try_out(built: Built, solutions: Collection[Solution], jobs: int, done: Callable[[], None]) -> list[Trial]:
    """The trials of `solutions`, in their order, with `jobs` processes. done: called after each.

    Where the reference fails, all else means nothing: then these are only the trials until all of its own are done.
    """
    trials: dict[Solution, Trial] = {}
    reference = {one for one in solutions if one.kind is Kind.REFERENCE}
    for solution, trial in spread(list(solutions), jobs, _TrialBench, built):
        trials[solution] = trial or Trial(solution, fault="the process that tried it ended")
        done()
        if reference <= trials.keys() and not all(trials[one].is_perfect for one in reference):
            break
    return [trials[solution] for solution in solutions if solution in trials]


def try_behaviours(built: Built, jobs: int, done: Callable[[], None]) -> list[Trial]:
    """The trials of every mutant of behaviour, by function, in the tests of its own tasks. done: called after each."""
    trials: dict[str, list[Trial]] = {}
    for function, some in spread(functions(built), jobs, _BehaviourBench, built):
        fault = Trial(Solution(Kind.BEHAVIOUR, function), fault="the process that tried it ended")
        trials[function] = [fault] if some is None else some
        done()
    return [trial for function in functions(built) for trial in trials[function]]


class _TrialBench:
    """What one process tries solutions with."""

    def __init__(self, built: Built) -> None:
        self._built = built
        self._runner = Runner()

    def work(self, solution: Solution) -> Trial:
        try:
            cells = _cells(self._built, solution)
            run = self._runner.run(cells, SeededExercise(self._built, solution.seed), solution.tests_of)
            _require_threads(solution, run)
        except Exception:
            self._runner.drop(self._built)
            return Trial(solution, fault=traceback.format_exc())
        return Trial(solution, run.suite.results, run.suite.distances, run.suite.dtypes, run.cost)

    def close(self) -> None:
        self._runner.close()


class _BehaviourBench:
    """What one process tries the behaviours of functions with: all of a function's in one notebook."""

    def __init__(self, built: Built) -> None:
        self._built = built
        self._runner = Runner()

    def work(self, function: str) -> list[Trial]:
        try:
            return list(self._trials(function))
        except Exception:
            self._runner.drop(self._built)
            return [Trial(Solution(Kind.BEHAVIOUR, function), fault=traceback.format_exc())]

    def close(self) -> None:
        self._runner.close()

    def _trials(self, function: str) -> Iterator[Trial]:
        own = tuple(name for name, task in self._built.exercise.automatic.items() if function in task.functions)
        tried = behaviours(self._built, function)
        written = _up_to(own, graded_cells(solved(self._built), self._built))
        notebook = (*written, *states(self._built, function, tried))
        with self._runner.opened(notebook, SeededExercise(self._built, 0), len(tried) + 1) as tested:
            probed = tested(dict.fromkeys(own, PROBED), None).results
            tests = [test for task in own for test in probed[task]]
            for one in differing(tried, [test.message for test in tests]):
                solution = Solution(Kind.BEHAVIOUR, one.name, mutant=one, tests_of=own)
                yield Trial(solution, _met(one, own, tested, [test.name for test in tests]))


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


def _require_threads(solution: Solution, run: Execution) -> None:
    first = run.cells[0].outputs if solution.threads > 1 else []
    if any(output["output_type"] == "error" for output in first):
        raise SandboxError(f"two threads could not be had: {first}")


def _mutants(built: Built) -> Iterator[Solution]:
    calls = function_calls(reference_source(built.reference))
    for one in mutants(built):
        variant = Variant(one.name, one.name, one.code, (one.function,))
        using = _tasks_that_use(one.function, built.exercise, calls)
        yield Solution(Kind.MUTANT, one.name, variant=variant, mutant=one, tests_of=using)


def _tasks_that_use(function: str, exercise: Exercise, calls: dict[str, set[str]]) -> tuple[str, ...]:
    """The automatic tasks whose functions are or call a function of the reference, or that need such a task."""
    using: list[str] = []
    for name, task in exercise.automatic.items():
        if function in reached(task.functions, calls) or set(task.needs) & set(using):
            using.append(name)
    return tuple(using)


def function_calls(source: str) -> dict[str, set[str]]:
    """The names that each top-level function uses."""
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    return {one.name: {node.id for node in ast.walk(one) if isinstance(node, ast.Name)} for one in functions}


def reached(start: Collection[str], calls: dict[str, set[str]]) -> set[str]:
    """`start` and all that is used from there, directly or not."""
    reached: set[str] = set()
    left = set(start)
    while left:
        reached |= left
        left = {called for one in left for called in calls.get(one, ())} - reached
    return reached
