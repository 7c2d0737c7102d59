"""One round of trials: what is kept from earlier rounds is not run again, and what solutions share runs once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from autograder.authoring.behaviours import functions
from autograder.authoring.kept import Kept
from autograder.authoring.trials import Kind, Solution, Trial, behaving, probing, try_out
from autograder.exercise.built import Built


class Round:
    """Tries solutions of an exercise out with `jobs` processes. done: called for each, the behaviours of a function as
    one.
    """

    def __init__(self, built: Built, kept: Kept, jobs: int, done: Callable[[], None]) -> None:
        self._built = built
        self._kept = kept
        self._jobs = jobs
        self._done = done
        self._found: dict[Solution, Trial] = {}

    def trials(self, solutions: Sequence[Solution], tests_of: tuple[str, ...] | None = None) -> list[Trial]:
        """The trials of `solutions`, then those of the mutants of behaviour, in the tests of these tasks, by function.

        Where the reference fails, all else means nothing: then these are its own trials alone.
        """
        seeking = [probing(self._built, name, tests_of) for name in functions(self._built, tests_of)]
        self._try([*solutions, *seeking])
        if not self._is_reference_right():
            return self._found_of(one for one in solutions if one.kind is Kind.REFERENCE)
        sought = self._found_of(seeking)
        behaviours = [one for trial in sought if not trial.fault for one in behaving(self._built, trial)]
        self._try(behaviours)
        for _ in seeking:
            self._done()
        return self._found_of([*solutions, *(trial.solution for trial in sought if trial.fault), *behaviours])

    def _try(self, solutions: Sequence[Solution]) -> None:
        for some in (self._shared_out, list):  # the second time, what was not found by what others ran
            left = [one for one in solutions if not self._finds(one)]
            if self._is_reference_right():
                try_out(self._built, some(left), self._jobs, self._note)

    def _finds(self, solution: Solution) -> bool:
        if solution not in self._found and (trial := self._kept.trial(solution)):
            self._take(solution, trial)
        return solution in self._found

    def _note(self, trial: Trial) -> None:
        solution = replace(trial.solution, units=None)
        self._kept.note(replace(trial, solution=solution))
        if trial.fault or trial.solution == solution or solution.kind is Kind.REFERENCE:
            self._take(solution, self._kept.trial(solution) or replace(trial, solution=solution))

    def _take(self, solution: Solution, trial: Trial) -> None:
        self._found[solution] = trial
        if solution.kind is not Kind.BEHAVIOUR:
            self._done()

    def _shared_out(self, solutions: Iterable[Solution]) -> list[Solution]:
        """Each with the tests that no other one runs for it; those that are left with none are not among them."""
        taken: set[str] = set()
        jobs = []
        for solution in solutions:
            knots = [knot for knot in self._kept.missing(solution) if knot.key not in taken]
            taken |= {knot.key for knot in knots}
            if knots:
                jobs.append(replace(solution, units=self._kept.units(solution, knots)))
        return jobs

    def _is_reference_right(self) -> bool:
        return all(trial.is_perfect for one, trial in self._found.items() if one.kind is Kind.REFERENCE)

    def _found_of(self, solutions: Iterable[Solution]) -> list[Trial]:
        return [self._found[one] for one in solutions if one in self._found]
