"""One round of trials: what is kept from earlier rounds is not run again, and what solutions share runs once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from autograder.authoring.behaviours import functions
from autograder.authoring.kept import Kept
from autograder.authoring.trials import Job, Kind, Solution, Trial, behaving, try_out
from autograder.exercise.built import Built
from autograder.exercise.modules import file_with

_TOGETHER = 12  # solutions in one notebook: few enough to be shared out among processes


class Round:
    """Tries solutions of an exercise out with `jobs` processes. done: called for each, the behaviours of a function as
    one.
    """

    def __init__(self, built: Built, kept: Kept, jobs: int, done: Callable[[], None]) -> None:
        self._built = built
        self._kept = kept
        self._jobs = jobs
        self._done = done
        self._found: dict[Solution, list[Trial]] = {}

    def trials(self, solutions: Sequence[Solution], tests_of: tuple[str, ...] | None = None) -> list[Trial]:
        """The trials of `solutions`, then those of the mutants of behaviour, in the tests of these tasks, by function.

        Where the reference fails, all else means nothing: then these are its own trials alone.
        """
        wanted = [*solutions, *(behaving(self._built, name, tests_of) for name in functions(self._built, tests_of))]
        left = [one for one in wanted if not self._finds(one)]
        self._run(self._shared_out(left))
        self._run([(one,) for one in left if not self._finds(one)])  # what did not come of what others ran
        if not self._is_reference_right():
            wanted = [one for one in solutions if one.kind is Kind.REFERENCE]
        return [trial for one in wanted for trial in self._found.get(one, ())]

    def _run(self, jobs: list[Job]) -> None:
        if self._is_reference_right():
            try_out(self._built, jobs, self._jobs, self._note)

    def _finds(self, solution: Solution) -> bool:
        if solution not in self._found:
            if solution.kind is Kind.BEHAVIOUR:
                self._take(solution, self._kept.behaviours(solution))
            elif trial := self._kept.trial(solution):
                self._take(solution, [trial])
        return solution in self._found

    def _note(self, job: Job, trials: list[Trial]) -> None:
        if job[0].kind is Kind.BEHAVIOUR:
            self._kept.note_behaviours(job[0], trials)
            self._take(job[0], trials)
            return
        for trial in trials:
            solution = replace(trial.solution, units=None)
            self._kept.note(replace(trial, solution=solution))
            if trial.fault or trial.solution == solution or solution.kind is Kind.REFERENCE:
                self._take(solution, [self._kept.trial(solution) or replace(trial, solution=solution)])

    def _take(self, solution: Solution, trials: list[Trial] | None) -> None:
        if trials is not None:
            self._found[solution] = trials
            self._done()

    def _shared_out(self, solutions: Iterable[Solution]) -> list[Job]:
        """Each with the tests that no other one runs for it; those that are left with none are not among them.

        Mutants of a function that have the same tests left are in one notebook, as are wrong files, and right ones
        under one seed, where nothing ties them together.
        """
        taken: set[str] = set()
        jobs: list[Job] = []
        together: dict[object, list[Solution]] = {}
        for solution in solutions:
            knots = [knot for knot in self._kept.missing(solution) if knot.key not in taken]
            taken |= {knot.key for knot in knots}
            one = replace(solution, units=self._kept.units(solution, knots))
            if knots and self._may_share(one) and all(knot.is_apart for knot in knots):
                about = one.mutant.function if one.mutant else one.kind
                together.setdefault((about, one.seed, one.tests_of, one.units), []).append(one)
            elif knots:
                jobs.append((one,))
        for some in together.values():
            jobs += [tuple(some[first : first + _TOGETHER]) for first in range(0, len(some), _TOGETHER)]
        return jobs

    def _may_share(self, solution: Solution) -> bool:
        """Whether it may be in a notebook with others: not where what it costs is measured, or its threads are.

        Nor where it could not be put back what another one has changed, or seen which of them uses what.
        """
        exercise, mutant = self._built.exercise, solution.mutant
        if solution.kind is Kind.MUTANT and mutant:
            return not (exercise.not_allowed and file_with(mutant.function, self._built.reference))
        if exercise.not_allowed or exercise.submit or solution.threads > 1:
            return False
        return solution.kind is Kind.WRONG or (solution.kind is Kind.RIGHT and bool(solution.seed or solution.units))

    def _is_reference_right(self) -> bool:
        references = (trials for one, trials in self._found.items() if one.kind is Kind.REFERENCE)
        return all(trial.is_perfect for trials in references for trial in trials)
