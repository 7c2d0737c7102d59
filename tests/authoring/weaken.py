"""Weakens assertions of the hidden suites, one at a time, and writes what `verify` says to docs/weakening.md.

    python -m tests.authoring.weaken [NUMBER] [SEED]

An assertion is dropped, or its tolerance made half of the value. Where verify accepts the weakened suite, the assertion
is redundant, and the table says why: every solution that its test caught before still loses points in the same task.
"""

from __future__ import annotations

import ast
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from autograder.authoring.trials import Kind
from autograder.authoring.verify import Verification, verify
from autograder.exercise.build import build
from autograder.exercise.definition import Exercise, exercise_names
from autograder.report import Status

ROOT = Path(__file__).parents[2]
EXERCISES = ROOT / "autograder" / "exercises"
PAGE = ROOT / "docs" / "weakening.md"
ASSERTIONS = ("assert_close", "assert_exact", "assert_printed", "assert_text", "require")
HEAD = """# What happens to a weakened suite

Written by `python -m tests.authoring.weaken` on {day}: assertions of the hidden suites, chosen at random, are dropped
or made wide one at a time, and `autograder verify` runs on what is left. "Redundant" stands where it still accepts the
suite: then every wrong solution and mutant that the weakened test had caught loses points in the same task, too.

| exercise | line | function | weakening | verify | because |
|---|---|---|---|---|---|
"""
BY_HAND = "\n## Mutants of behaviour\n"  # what stands below it is kept


@dataclass(frozen=True)
class Weakening:
    """One assertion made weak. source: the whole suite with it."""

    slug: str
    line: int
    function: str
    how: str
    source: str


def weakenings(slug: str) -> Iterator[Weakening]:
    """Every single weakening of an exercise's hidden suite."""
    text = (EXERCISES / slug / "test_hidden.py").read_text(encoding="utf-8")
    for function in ast.parse(text).body:
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _name(node.value) in ASSERTIONS:
                shown = ast.unparse(node)
                yield Weakening(slug, node.lineno, function.name, f"drop `{_short(shown)}`", _put(text, node, "pass"))
                if _name(node.value) == "assert_close":
                    wide = ast.unparse(_widened(node.value))
                    yield Weakening(slug, node.lineno, function.name, f"`{_short(wide)}`", _put(text, node, wide))


def outcome(weakening: Weakening, before: Verification, course: Path) -> tuple[str, str]:
    """What verify says of the weakened suite, and why. Only tests that the weakening touches are run again."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(EXERCISES / weakening.slug, Path(folder) / weakening.slug)
        (copy / "test_hidden.py").write_text(weakening.source, encoding="utf-8")
        after = verify(build(Exercise(copy)), seeds=1, jobs=2, course=course)
        problems = [one for one in after.problems if one not in before.problems]
    if problems:
        return "rejected", f"{len(problems)} problems: {problems[0]}"
    freed = _losses(before) - _losses(after)
    gone = {(solution, task) for solution, task, _ in freed} - {
        (solution, task) for solution, task, _ in _losses(after)
    }
    assert not gone, gone  # or verify has a hole
    solutions = {solution for solution, _, _ in freed}
    return "redundant", f"the {len(solutions)} solutions that it let pass are caught in the same tasks by other tests"


def _losses(verification: Verification) -> set[tuple[str, str, str]]:
    """(solution, task, test) wherever a wrong solution or a mutant lost a test."""
    return {
        (trial.solution.name, task, test.name)
        for trial in verification.trials
        if trial.solution.kind in (Kind.WRONG, Kind.MUTANT)
        for task, tests in trial.results.items()
        for test in tests
        if test.status is not Status.PASSED
    }


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _widened(call: ast.Call) -> ast.Call:
    kept = [keyword for keyword in call.keywords if keyword.arg != "rtol"]
    return ast.Call(call.func, call.args, [*kept, ast.keyword("rtol", ast.Constant(0.5))])


def _put(text: str, node: ast.stmt, new: str) -> str:
    lines = text.splitlines(keepends=True)
    lines[node.lineno - 1 : node.end_lineno] = [" " * node.col_offset + new + "\n"]
    return "".join(lines)


def _short(code: str) -> str:
    return (code if len(code) < 70 else f"{code[:60]}…").replace("|", "\\|")


def main(number: int = 24, seed: int = 0) -> None:
    choice = random.Random(seed)
    rows = []
    slugs = exercise_names(EXERCISES)
    with tempfile.TemporaryDirectory() as folder:
        for slug in slugs:
            before = verify(build(Exercise(EXERCISES / slug)), seeds=1, jobs=2, course=Path(folder))
            assert before.passed, before.problems
            for one in sorted(choice.sample(list(weakenings(slug)), number // len(slugs)), key=lambda one: one.line):
                verdict, why = outcome(one, before, Path(folder))
                cells = (slug, str(one.line), f"`{one.function}`", one.how, verdict, why.replace("|", "\\|"))
                rows.append(f"| {' | '.join(cells)} |\n")
                print(rows[-1], end="", flush=True)
    _, _, by_hand = PAGE.read_text(encoding="utf-8").partition(BY_HAND)
    PAGE.write_text(HEAD.format(day=date.today()) + "".join(rows) + BY_HAND + by_hand, encoding="utf-8")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
