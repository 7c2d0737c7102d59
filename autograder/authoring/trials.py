"""The solutions that a hidden suite must tell apart, each put to the suite as a student's would be, side by side."""

from __future__ import annotations

import ast
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

from autograder.authoring.behaviours import Behaviour, behaviours, probe
from autograder.authoring.guesses import guesses
from autograder.authoring.mutants import Mutant, mutants
from autograder.batch.pool import spread
from autograder.errors import SandboxError
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import Exercise
from autograder.exercise.source import reference_source
from autograder.exercise.uses import name_at_margin
from autograder.exercise.variants import Variant, right_variants, wrong_variants
from autograder.grading.runner import Execution, Runner
from autograder.isolation.session import Cost
from autograder.report import Status, TestResult
from autograder.submission.notebook import Cell, Role
from autograder.submission.samples import all_cells, graded_cells, solved, solved_by

_TWO_THREADS = """\
from threadpoolctl import threadpool_info, threadpool_limits
threadpool_limits(2)
assert {pool["num_threads"] for pool in threadpool_info()} == {2}"""


_ENDED = (Status.TIMEOUT, Status.CRASHED)


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
        """Whether given demonstrations are run, too: once, as they count towards the limits of a submission."""
        return self.kind is Kind.REFERENCE and not self.seed and self.threads == 1

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
    def tests(self) -> list[TestResult]:
        return [test for tests in self.results.values() for test in tests]

    @property
    def is_perfect(self) -> bool:
        return not self.fault and all(test.status is Status.PASSED for test in self.tests)


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
    wanted = {task}
    for name, one in reversed(exercise.automatic.items()):
        wanted |= set(one.needs) if name in wanted else set()
    return tuple(name for name in exercise.automatic if name in wanted)


def try_out(
    built: Built, solutions: Collection[Solution], jobs: int, done: Callable[[Trial], None] = lambda trial: None
) -> list[Trial]:
    """The trials of `solutions`, in their order, with `jobs` processes. done: called with each as it comes.

    Where the reference fails, all else means nothing: then these are only the trials until all of its own are done.
    """
    trials: dict[Solution, Trial] = {}
    reference = {one for one in solutions if one.kind is Kind.REFERENCE}
    for solution, trial in spread(list(solutions), jobs, _TrialBench, built):
        trials[solution] = trial or Trial(solution, fault="the process that tried it ended")
        done(trials[solution])
        if reference <= trials.keys() and not all(trials[one].is_perfect for one in reference):
            break
    return [trials[solution] for solution in solutions if solution in trials]


def probing(built: Built, function: str, tests_of: Collection[str] | None = None) -> Solution:
    """The solution that finds out which mutants of behaviour a function has, in the tests of its own tasks."""
    own = (name for name, task in built.exercise.automatic.items() if function in task.functions)
    chosen = tuple(name for name in own if tests_of is None or name in tests_of)
    return Solution(Kind.BEHAVIOUR, f"{function}: probe", variant=probe(built, function), tests_of=chosen)


def behaving(built: Built, sought: Trial) -> list[Solution]:
    """The mutants of behaviour that a trial of `probing` has found."""
    seeking = sought.solution
    function = seeking.variant.functions[0] if seeking.variant else ""
    made = behaviours(built, function, [test.message for test in sought.tests])
    return [_solution(one, seeking.tests_of or ()) for one in made]


class _TrialBench:
    """What one process tries solutions with."""

    def __init__(self, built: Built) -> None:
        self._built = built
        self._runner = Runner()

    def work(self, solution: Solution) -> Trial:
        try:
            cells = _cells(self._built, solution)
            seeded, units = SeededExercise(self._built, solution.seed), solution.units
            run = self._runner.run(cells, seeded, solution.tests_of, None if units is None else _TestsOf(units))
            _require_threads(solution, run)
        except Exception:
            self._runner.drop(self._built)
            return Trial(solution, fault=traceback.format_exc())
        trial = Trial(solution, run.suite.results, run.suite.distances, run.suite.dtypes, run.cost)
        if not _is_tangled(run):
            return trial
        return replace(trial, is_tangled=True) if units is None else self.work(replace(solution, units=None))

    def close(self) -> None:
        self._runner.close()


class _TestsOf:
    """The names of all tests in some test functions and classes."""

    def __init__(self, units: Collection[str]) -> None:
        self._units = units

    def __contains__(self, name: object) -> bool:
        return unit_of(str(name)) in self._units


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


def unit_of(test: str) -> str:
    """The function or class of the suite that a test of this name is a case of, or is in."""
    return test.split("[")[0].split("::")[0]


def _is_tangled(run: Execution) -> bool:
    ended = any(test.status in _ENDED for tests in run.suite.results.values() for test in tests)
    return ended or bool(run.states) or run.is_over or any(cell.ended for cell in run.cells.values())


def _require_threads(solution: Solution, run: Execution) -> None:
    first = run.cells[0].outputs if solution.threads > 1 else []
    if any(output["output_type"] == "error" for output in first):
        raise SandboxError(f"two threads could not be had: {first}")


def _mutants(built: Built) -> Iterator[Solution]:
    calls = function_calls(reference_source(built.reference))
    for one in (*mutants(built), *guesses(built)):
        yield _solution(one, _tasks_that_use(one.function, built.exercise, calls))


def _solution(mutant: Mutant, tests_of: tuple[str, ...]) -> Solution:
    kind = Kind.BEHAVIOUR if isinstance(mutant, Behaviour) else Kind.MUTANT
    variant = Variant(mutant.name, mutant.name, mutant.code, (mutant.function,))
    return Solution(kind, mutant.name, variant=variant, mutant=mutant, tests_of=tests_of)


def _tasks_that_use(function: str, exercise: Exercise, calls: dict[str, set[str]]) -> tuple[str, ...]:
    """The automatic tasks that ask for a name of the reference or for what uses it, or that need such a task."""
    using: list[str] = []
    for name, task in exercise.automatic.items():
        if function in reached(task.names, calls) or set(task.needs) & set(using):
            using.append(name)
    return tuple(using)


def function_calls(source: str) -> dict[str, set[str]]:
    """The names that each function, class and variable at the margin uses."""
    body = [node for node in ast.parse(source).body if name_at_margin(node)]
    return {name_at_margin(one): {node.id for node in ast.walk(one) if isinstance(node, ast.Name)} for one in body}


def reached(start: Collection[str], calls: dict[str, set[str]]) -> set[str]:
    """`start` and all that is used from there, directly or not."""
    reached: set[str] = set()
    left = set(start)
    while left:
        reached |= left
        left = {called for one in left for called in calls.get(one, ())} - reached
    return reached
