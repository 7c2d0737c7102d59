"""A verification as text for a terminal: the matrix, then the verdict with what to do about each problem."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import groupby

from autograder.authoring.matrix import LEGEND, as_text, columns
from autograder.authoring.problems import Problem, points_of
from autograder.authoring.verify import Survivor, Verification
from autograder.exercise.known_results import KnownResults


def describe(verification: Verification, width: int) -> str:
    """The whole text; no line of the matrix is longer than `width` where that can be."""
    matrix = [as_text(verification, width), LEGEND, "", *_columns(verification, width), ""]
    return "\n".join([*matrix, *_numbers(verification), "", *_verdict(verification)])


def _columns(verification: Verification, width: int) -> list[str]:
    told = ", ".join(f"{numbers}\N{NO-BREAK SPACE}{name}" for numbers, name in columns(verification))
    lines = textwrap.wrap(told, width, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def _numbers(verification: Verification) -> Iterator[str]:
    exercise, limits, cost = verification.built.exercise, verification.built.exercise.limits, verification.cost
    tests = sum(map(len, verification.tests.values()))
    mutants, marked = len(verification.mutant_trials), len(verification.marked)
    dead = mutants - len(verification.survivors) - marked
    yield f"{tests} hidden tests, {len(verification.trials)} trials"
    yield (f"mutants: {dead} of {mutants} are dead, {marked} marked equivalent, {len(verification.survivors)} live")
    for told, margins, worst in (
        ("the worst right solution comes to {:.2g} of what is allowed, in `{}`", verification.right_margins, max),
        ("the nearest wrong one is {:.3g} times beyond it: {}", verification.wrong_margins, min),
    ):
        if margins:
            one = worst(margins, key=lambda margin: margin.error)
            yield f"tolerances: {told.format(one.error, one.of)}"
    yield from _at_home(verification.known_results)
    tried = next((trial.dtypes for trial in verification.trials if trial.dtypes), {})
    yield "dtypes handed over: " + "; ".join(
        f"{name} {', '.join(sorted(tried.get(name, ()))) or 'none'}" for name in exercise.automatic
    )
    yield (
        f"the dearest right solution: {cost.cpu_seconds:.2g} of {limits.total_cpu_seconds:g} s CPU time, "
        f"slowest call {cost.slowest:.2g} of {limits.cpu_seconds:g} s, {cost.memory:.0f} of {limits.memory} MiB"
    )


def _at_home(known: KnownResults) -> Iterator[str]:
    """For which known mistakes the public checks ask the question, and why not for the others."""
    reasons: dict[str, list[str]] = {}
    for one in known.variants:
        reasons.setdefault(known.why_not(one), []).append(one.name)
    yield f"known mistakes: public checks ask the questions of {len(reasons.pop('', ()))} of {len(known.variants)}"
    yield from (f"  not of {', '.join(names)}: {reason}" for reason, names in reasons.items())


def _verdict(verification: Verification) -> Iterator[str]:
    exercise = verification.built.exercise
    name = exercise.slug if verification.task is None else f"{exercise.slug}, task `{verification.task}`"
    yield from (f"warning: {warning}" for warning in verification.warnings)
    for tasks, problems in groupby(verification.found, key=lambda one: one.tasks):
        if tasks:
            yield f"\n{', '.join(tasks)}, {points_of(tasks, exercise):g} points:"
        else:
            yield "\nthe exercise as a whole:"
        yield from map(_told, problems)
    if verification.survivors:
        yield "\nWrite a test that fails for it. If it is no mistake, say so in equivalent.toml, each with its reason:"
        yield from (f'"{one.mutant.name}" = "..."' for one in verification.survivors)
        yield ""
    if verification.passed:
        yield f"{name}: ACCEPTED. Right work passes, every known mistake and every mutant is caught, nothing leaks."
    else:
        yield f"{name}: REJECTED, {len(verification.found)} problem{'s'[: len(verification.found) > 1]}."


def _told(problem: Problem) -> str:
    diff = textwrap.indent(problem.mutant.diff, "    ") if isinstance(problem, Survivor) else ""
    return f"problem: {problem}\n{diff}".rstrip()
