"""A verification as text for a terminal: the matrix, then the verdict with what to do about each problem."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import groupby

from autograder.authoring.matrix import LEGEND, as_text
from autograder.authoring.verify import Verification


def describe(verification: Verification, width: int) -> str:
    """The whole text; no line of the matrix is longer than `width` where that can be."""
    return "\n".join([as_text(verification, width), LEGEND, "", *_numbers(verification), "", *_verdict(verification)])


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
    tried = next((trial.dtypes for trial in verification.trials if trial.dtypes), {})
    yield "dtypes handed over: " + "; ".join(
        f"{name} {', '.join(sorted(tried.get(name, ()))) or 'none'}" for name in exercise.automatic
    )
    yield (
        f"the dearest right solution: {cost.cpu_seconds:.2g} of {limits.total_cpu_seconds:g} s CPU time, "
        f"slowest call {cost.slowest:.2g} of {limits.cpu_seconds:g} s, {cost.memory:.0f} of {limits.memory} MiB"
    )


def _verdict(verification: Verification) -> Iterator[str]:
    slug = verification.built.exercise.slug
    yield from (f"warning: {warning}" for warning in verification.warnings)
    for tasks, survivors in groupby(verification.survivors, key=lambda one: one.tasks):
        yield f"\n{', '.join(tasks)}:"
        yield from (f"problem: {one}\n{textwrap.indent(one.mutant.diff, '    ')}".rstrip() for one in survivors)
    if verification.survivors:
        yield "\nWrite a test that fails for it. If it is no mistake, say so in equivalent.toml, each with its reason:"
        yield from (f'"{one.mutant.name}" = "..."' for one in verification.survivors)
        yield ""
    told = set(map(str, verification.survivors))
    yield from (f"problem: {problem}" for problem in verification.problems if problem not in told)
    if verification.passed:
        yield f"{slug}: ACCEPTED. Right work passes, every known mistake and every mutant is caught, nothing leaks."
    else:
        yield f"{slug}: REJECTED, {len(verification.problems)} problem{'s'[: len(verification.problems) > 1]}."
