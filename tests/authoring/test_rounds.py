"""A second round of verify: it runs only what has changed, and says what a first one would say."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from autograder.authoring.kept import Kept
from autograder.authoring.matrix import rows
from autograder.authoring.rehearsal import rehearse
from autograder.authoring.trials import Kind, Solution, solutions_of, try_out
from autograder.authoring.verify import Verification, verify
from autograder.errors import ExerciseError, SandboxError
from autograder.exercise.build import build
from autograder.exercise.definition import Exercise
from tests.authoring.test_verify import added, replaced

Change = Callable[[Path], object]
HELPED = """

OTHER = 3.0


def tried(student, x):
    return student.double(x)


@task("double")
def test_helped(student):
    \"\"\"with a helper\"\"\"
    assert_close(tried(student, OTHER), 2 * OTHER, "double(x)")
"""
NEW = '\n\n@task("quadruple")\ndef test_idle(student):\n    """nothing"""\n    student.quadruple(1.0)\n'
REMEMBERED = (
    '"""Remembers."""\n\nhint = "?"\nloses = ["double", "quadruple"]\nkept = []\n\n\ndef double(x):\n'
    "    kept.append(2 * x)\n    return kept[0]\n"
)
ENDLESS = (
    '"""Never ends."""\n\nhint = "?"\nloses = ["quadruple"]\n\n\ndef quadruple(x):\n    while True:\n        pass\n'
)
CHANGES: dict[str, Change] = {
    "a test": replaced("test_hidden.py", "student.double(2.5), 5.0", "student.double(-1.5), -3.0"),
    "a test that fails": replaced("test_hidden.py", "student.quadruple(x), ref", "student.quadruple(x) + 1, ref"),
    "a test that breaks": replaced("test_hidden.py", "    x = rng.standard_normal(5)", "    x = 1 / 0"),
    "a weight": replaced("test_hidden.py", "weight=3", "weight=2"),
    "a helper": replaced("test_hidden.py", "return student.double(x)", "return 1.0 * student.double(x)"),
    "a constant": replaced("test_hidden.py", "OTHER = 3.0", "OTHER = 4.0"),
    "a new test": added("test_hidden.py", NEW),
    "no test": replaced("test_hidden.py", HELPED, ""),
    "a wrong file": replaced("wrong/once.py", "double(x)", "double(x) + 1"),
    "what it should lose": replaced("wrong/once.py", '["quadruple"]', '["double"]'),
    "a wrong file that is right": replaced("wrong/squared.py", "x * x", "x + x"),
    "a right file": replaced("right/added.py", "x + x", "x + 1.0 * x"),
    "a right file that is wrong": replaced("right/added.py", "x + x", "x"),
    "no right file": lambda folder: (folder / "right/added.py").unlink(),
    "a function": replaced("notebook.py", "return 2 * x", "return x * 2"),
    "a function that builds on it": replaced("notebook.py", "double(double(x))", "double(2 * x)"),
    "a function that is wrong": replaced("notebook.py", "return 2 * x", "return 3 * x"),
    "a given cell": replaced("notebook.py", "import numpy as np\n", "import numpy as np\nimport math\n"),
    "the public tests": replaced("test_public.py", "[3.0]", "[5.0]"),
    "points": replaced("exercise.toml", "points = 4", "points = 5"),
    "dtypes": replaced("exercise.toml", 'functions = ["double"]', 'functions = ["double"]\ndtypes = ["float32"]'),
    "a limit": replaced("exercise.toml", "cpu_seconds = 1", "cpu_seconds = 2"),
}


@pytest.fixture(scope="module")
def template(verified_course: tuple[Path, Verification]) -> Path:
    """A course with an exercise and what a first round has kept of it. To be copied."""
    return verified_course[0]


@pytest.fixture
def course(template: Path, tmp_path: Path) -> Path:
    return shutil.copytree(template, tmp_path / "course")


def left(course: Path, kind: Kind, name: str = "") -> list[tuple[str, ...]]:
    """The tests that another round would run of the solutions of a kind, but for those that need none."""
    built = build(Exercise(course / "tiny"))
    kept = Kept(built, course)
    solutions = [one for one in solutions_of(built, 2) if one.kind is kind and name in one.name]
    return [missing for one in solutions if (missing := _units(kept, one))]


def _units(kept: Kept, solution: Solution) -> tuple[str, ...]:
    return () if kept.trial(solution) else tuple(unit for knot in kept.missing(solution) for unit in knot.units)


def told(verification: Verification) -> object:
    """All that is said but what it costs."""
    warnings = [one for one in verification.warnings if "limit" not in one]
    margins = [*verification.right_margins, *verification.wrong_margins]
    return verification.passed, verification.problems, warnings, margins, rows(verification)


def test_no_process_is_started_where_nothing_has_changed(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = told(verify(build(Exercise(course / "tiny")), 2, 1, course=course))
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert told(verify(build(Exercise(course / "tiny")), 2, 1, course=course)) == before
    added("notebook.py", "\n\n# %%\nprint('one cell more')\n")(course / "tiny")
    with pytest.raises(SandboxError):
        verify(build(Exercise(course / "tiny")), 2, 1, course=course)


def test_a_notebook_that_was_not_in_order_is_run_again(course: Path) -> None:
    replaced("notebook.py", 'print("a given', '1 / 0  # ("a given')(course / "tiny")
    built = build(Exercise(course / "tiny"))
    kept = Kept(built, course)
    first, again = (rehearse(built, 1, kept) for _ in range(2))
    assert first == again
    assert len(first) == 2, first


def test_after_a_change_of_a_test_it_alone_runs_again(course: Path) -> None:
    CHANGES["a test"](course / "tiny")
    assert set(left(course, Kind.ALONE)) == set(left(course, Kind.MUTANT)) == {("test_number",)}
    assert left(course, Kind.WRONG, "squared") == [("test_number",)]
    assert len(left(course, Kind.REFERENCE, "reference")) == 3


def test_after_a_change_of_a_test_it_alone_is_looked_at_for_steadiness(course: Path) -> None:
    assert Kept(build(Exercise(course / "tiny")), course).unsure() == {}
    CHANGES["a test"](course / "tiny")
    assert [*Kept(build(Exercise(course / "tiny")), course).unsure().values()] == [("test_number",)]


def test_right_solutions_in_one_notebook_have_nothing_of_each_other(course: Path) -> None:
    double = "def double(x):\n    return helper(x)\n"
    added("right/a_helper.py", f'"""With a helper."""\n\n\ndef helper(x):\n    return x + x\n\n\n{double}')(
        course / "tiny"
    )
    added("right/b_leans.py", f'"""Leans on another one\'s."""\n\n\n{double}')(course / "tiny")
    built = build(Exercise(course / "tiny"))
    several = tuple(one for one in solutions_of(built, 2) if one.kind is Kind.RIGHT and one.seed)
    trials = try_out(built, [several], 1)
    assert [(trial.solution.name, trial.is_perfect) for trial in trials] == [
        ("right/a_helper", True),
        ("right/added", True),
        ("right/b_leans", False),
    ]


def test_what_a_right_solution_costs_is_known_where_a_part_of_it_has_run_again(course: Path) -> None:
    before = {one.solution: one.cost for one in verify(build(Exercise(course / "tiny")), 2, 1, course=course).trials}
    CHANGES["a test"](course / "tiny")
    after = verify(build(Exercise(course / "tiny")), 2, 1, course=course).trials
    costs = [(before[one.solution], one.cost) for one in after if one.solution.name == "right/added"][:1]
    assert [one.cpu_seconds >= all_of_it.cpu_seconds > 0 for all_of_it, one in costs] == [True]


def test_after_a_change_of_a_helper_the_tests_that_use_it_run_again(course: Path) -> None:
    CHANGES["a helper"](course / "tiny")
    assert set(left(course, Kind.MUTANT)) == {("test_helped",)}


def test_after_a_change_of_a_file_its_solution_runs_again_in_what_it_changes(course: Path) -> None:
    CHANGES["a wrong file"](course / "tiny")
    assert left(course, Kind.WRONG) == [("test_four_times",)]
    assert left(course, Kind.MUTANT) == left(course, Kind.RIGHT) == left(course, Kind.REFERENCE) == []


def test_points_hints_and_comments_run_nothing_again(course: Path) -> None:
    CHANGES["points"](course / "tiny")
    added("test_hidden.py", "\n# a comment\n")(course / "tiny")
    assert [left(course, kind) for kind in Kind if kind is not Kind.BEHAVIOUR] == [[]] * (len(Kind) - 1)


def test_after_a_change_of_a_function_what_reaches_it_runs_again(course: Path) -> None:
    CHANGES["a function that builds on it"](course / "tiny")
    assert left(course, Kind.WRONG, "squared") == [("test_four_times",)]


def test_a_solution_that_remembers_runs_whole_or_not_at_all(course: Path) -> None:
    CHANGES["a test"](course / "tiny")
    every = ("test_random", "test_number", "test_four_times", "test_helped")
    assert left(course, Kind.WRONG, "remembered") == [every]


def test_a_solution_that_ended_its_process_is_kept_whole(course: Path) -> None:
    assert left(course, Kind.WRONG, "endless") == []
    CHANGES["a test"](course / "tiny")
    assert len(left(course, Kind.WRONG, "endless")) == 1


def test_a_damaged_store_is_none(course: Path) -> None:
    (content,) = (course / ".autograder" / "tiny" / "trials").iterdir()
    content.write_bytes(content.read_bytes()[:-100])
    assert len(left(course, Kind.REFERENCE)) == 3


def test_what_was_not_asked_for_in_many_rounds_is_let_go(course: Path) -> None:
    built = build(Exercise(course / "tiny"))
    for _ in range(31):
        kept = Kept(built, course)
        for one in solutions_of(built, 2):
            assert one.kind is Kind.WRONG or kept.trial(one)
        kept.save()
    assert left(course, Kind.WRONG, "remembered") != []
    assert left(course, Kind.MUTANT) == []


def test_two_rounds_at_once_keep_what_both_found(course: Path) -> None:
    built = build(Exercise(course / "tiny"))
    shutil.rmtree(course / ".autograder")
    one, other = Kept(built, course), Kept(built, course)
    trials = verify(built, 1, 1, task="quadruple").trials
    for kept, some in ((one, trials[::2]), (other, trials[1::2])):
        for trial in some:
            kept.note(trial)
        kept.save()
    third = Kept(built, course)
    assert all(third.trial(trial.solution) for trial in trials)


@pytest.mark.slow
def test_one_task_can_be_verified_alone(course: Path) -> None:
    built = build(Exercise(course / "tiny"))
    replaced("test_hidden.py", "student.quadruple(x), ref", "student.quadruple(0 * x), 0 * ref")(course / "tiny")
    verification = verify(build(Exercise(course / "tiny")), 1, 1, course=course, task="double")
    assert list(verification.tests) == ["double"]
    assert verification.passed, verification.problems
    assert {one.mutant.function for one in (t.solution for t in verification.mutant_trials) if one.mutant} == {"double"}
    verification = verify(build(Exercise(course / "tiny")), 1, 1, course=course, task="quadruple")
    assert not verification.passed
    assert {one.tasks for one in verification.found} == {("quadruple",)}
    with pytest.raises(ExerciseError, match="no task `explain` with hidden tests"):
        verify(built, 1, 1, task="explain")


@pytest.mark.slow
@settings(max_examples=2, deadline=None, phases=[Phase.generate])  # each example is some verifications
@given(st.lists(st.sampled_from(sorted(CHANGES)), min_size=2, max_size=2, unique=True))
def test_after_any_changes_a_second_round_says_what_a_first_one_says(
    template: Path, tmp_path_factory: pytest.TempPathFactory, changes: list[str]
) -> None:
    course = shutil.copytree(template, tmp_path_factory.mktemp("changed") / "course")
    for change in changes:
        try:
            CHANGES[change](course / "tiny")
        except (AssertionError, FileNotFoundError):  # another one was there first
            continue
        built = build(Exercise(course / "tiny"))
        again = told(verify(built, 2, 1, course=course))
    assert again == told(verify(built, 2, 1))
