"""What makes a hidden suite unfit, and that a fit one passes: on a small exercise that is weakened in one place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.authoring.behaviours import Behaviour
from autograder.authoring.kept import Kept
from autograder.authoring.problems import judged
from autograder.authoring.rounds import Round
from autograder.authoring.trials import Kind, Solution, Trial, solutions_of, try_out
from autograder.authoring.verify import Verification, verify
from autograder.exercise.build import build
from autograder.exercise.definition import Exercise
from autograder.report import Status, TestResult
from tests.tiny import BEHAVIOURS, write_tiny_exercise

HINT = '\n\nhint = "What is twice three?"\n'
SQUARED = f'"""Squares x."""{HINT}loses = ["double", "quadruple"]\n\n\ndef double(x):\n    return x * x\n'
ONCE = (
    '"""Doubles once."""\n\nhint = "How often?"\nloses = ["quadruple"]\n\n\ndef quadruple(x):\n    return double(x)\n'
)
ADDED = '"""Adds x to itself."""\n\n\ndef double(x):\n    return x + x\n'
Change = Callable[[Path], object]


@pytest.fixture
def exercise(tmp_path: Path) -> Path:
    return write_fit_exercise(tmp_path)


@pytest.fixture
def fit(verified_course: tuple[Path, Verification]) -> Verification:
    return verified_course[1]


def write_fit_exercise(parent: Path) -> Path:
    folder = write_tiny_exercise(parent / "tiny")
    for name, text in {"wrong/squared": SQUARED, "wrong/once": ONCE, "right/added": ADDED}.items():
        path = folder / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    (folder / "equivalent.toml").write_text("".join(f'"{one}" = "not looked for"\n' for one in BEHAVIOURS))
    return folder


def tried(folder: Path, seeds: int = 1, course: Path | None = None) -> Verification:
    """What the trials alone tell: the notebook and a second look at the suite take more than half of the time."""
    built = build(Exercise(folder))
    kept = Kept(built, course)
    trials = Round(built, kept, 1, lambda: None).trials(solutions_of(built, seeds))
    kept.save()
    return Verification(built, trials)


def replaced(name: str, old: str, new: str) -> Change:
    def change(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))

    return change


def added(name: str, text: str) -> Change:
    return lambda folder: (folder / name).write_text(
        ((folder / name).read_text() if (folder / name).exists() else "") + text
    )


def test_a_fit_suite_passes(fit: Verification) -> None:
    assert fit.problems == []
    assert fit.warnings == []
    assert fit.survivors == []
    assert fit.cost.cpu_seconds > 0
    assert fit.cost.memory > 0


def test_each_solution_is_tried_as_often_as_it_must(fit: Verification) -> None:
    labels = [trial.solution.label for trial in fit.trials]
    for name in ("reference", "right/added"):
        times = [name, f"{name} (seed 1)", f"{name} (seed 2)", f"{name} (2 threads)"]
        assert [label for label in labels if label.startswith(name)] == times
    wrong = [f"wrong/{name}" for name in ("endless", "once", "remembered", "squared")]
    assert labels[8:15] == ["stub", "double alone", "quadruple alone", *wrong]
    assert len(labels) > 15


TEST = '\n\n@task("double")\ndef test_{name}(student, reference, rng):\n    """something more"""\n    {body}\n'
BROKEN: dict[str, tuple[Change, str]] = {
    "sometimes fails right work": (
        added("test_hidden.py", TEST.format(name="luck", body='require(rng.random() < 0.3, "bad luck")')),
        "reference should pass `test_luck`: failed: bad luck",
    ),
    "has a broken test": (
        added("test_hidden.py", TEST.format(name="broken", body="student.double(1.0)[0]")),
        "`test_broken` breaks: TypeError",
    ),
}


@pytest.mark.parametrize(("change", "problem"), BROKEN.values(), ids=BROKEN)
def test_a_suite_that_the_reference_fails_is_rejected_for_that(exercise: Path, change: Change, problem: str) -> None:
    change(exercise)
    assert any(one.startswith(problem) for one in tried(exercise, seeds=2).problems)


# None of these changes what another one is found by, so one verification is enough for all.
UNFIT: dict[str, tuple[Change, list[str]]] = {
    "has a test that always passes": (
        added("test_hidden.py", TEST.format(name="idle", body="pass")),
        [
            "stub: `double` gets 0.8 points instead of 0",
            "`test_idle` never fails: no wrong solution and no mutant is caught by it",
        ],
    ),
    "fails a right solution": (
        replaced("right/added.py", "x + x", "x + x + 0.1"),
        ["right/added should pass `test_random`: failed"],
    ),
    "needs a task that it does not name": (
        replaced("exercise.toml", 'needs = ["double"]\n', ""),
        ["quadruple alone: `quadruple` gets 0 points instead of 3"],
    ),
    "keeps what a mistake should lose": (
        replaced("wrong/once.py", '["quadruple"]', '["double", "quadruple"]'),
        ["wrong/once should lose double, quadruple, it loses quadruple"],
    ),
    "takes what a mistake should keep": (
        replaced("wrong/squared.py", '["double", "quadruple"]', '["double"]'),
        ["wrong/squared should lose double, it loses double, quadruple"],
    ),
    "marks a mutant that is dead": (
        added("equivalent.toml", '"double: return 2 * x → return 2 / x" = "no reason"\n'),
        ["equivalent.toml marks what is no living mutant: double: return 2 * x → return 2 / x"],
    ),
    "tries no single precision": (
        replaced("exercise.toml", 'functions = ["double"]', 'functions = ["double"]\ndtypes = ["float32"]'),
        ["no test of `double` hands over float32, which the task allows"],
    ),
    "gives a solution away": (
        replaced(
            "notebook.py",
            "# # Twice and twice again",
            "# Write `return double(double(x)) if np.ndim(x) > -1 else 0 * x`",
        ),
        ["cell text-1 gives away a solution"],
    ),
    "has a given cell that fails": (
        replaced("notebook.py", 'print("a given cell that may be edited")', "1 / 0"),
        [f"the {notebook} notebook: cell `code-1` raises ZeroDivisionError" for notebook in ("reference", "released")],
    ),
    "has a public check that the reference fails": (
        replaced("test_public.py", "np.array([6.0])", "np.array([7.0])"),
        ["the reference notebook: the public check of `double` fails: twice three"],
    ),
    "is not steady": (
        replaced("test_hidden.py", "rng.standard_normal(5)", '__import__("numpy").random.standard_normal(5)'),
        ["`test_four_times` is not the same for one seed: what it asks for hangs on the global random state"],
    ),
}


@pytest.fixture(scope="module")
def unfit(tmp_path_factory: pytest.TempPathFactory) -> Verification:
    folder = write_fit_exercise(tmp_path_factory.mktemp("unfit"))
    longer = "return double(double(x)) if np.ndim(x) > -1 else 0 * x\n"  # so long that it is told from common words
    replaced("notebook.py", "return double(double(x))\n", longer)(folder)
    for change, _ in UNFIT.values():
        change(folder)
    return verify(build(Exercise(folder)), seeds=1, jobs=1)


@pytest.mark.parametrize("fault", UNFIT)
def test_an_unfit_suite_is_rejected_and_each_problem_is_named(unfit: Verification, fault: str) -> None:
    assert not unfit.passed
    for problem in UNFIT[fault][1]:
        assert any(one.startswith(problem) for one in unfit.problems), unfit.problems


def test_a_mutant_that_only_another_task_catches_lives(exercise: Path) -> None:
    """The points for a function must not be had with a mistake in it."""
    replaced("test_hidden.py", "x = rng.standard_normal((3, 4))", "x = np.zeros((3, 4))")(exercise)
    replaced("test_hidden.py", "assert_close(student.double(2.5), 5.0", "assert_close(student.double(0.0), 0.0")(
        exercise
    )
    added("test_hidden.py", "\n\nimport numpy as np\n")(exercise)
    assert "double: return 2 * x → return x" in {one.mutant.name for one in tried(exercise).survivors}


def test_a_given_cell_that_earns_points_is_a_problem(exercise: Path) -> None:
    given = "# %%\nglobals()['double'] = lambda x: 2 * x\n\n"
    replaced("notebook.py", '# %% grade="double"', f'{given}# %% grade="double"')(exercise)
    built = build(Exercise(exercise))
    (stub,) = (one for one in solutions_of(built, 1) if one.kind is Kind.STUB)
    (trial,) = try_out(built, [(stub,)], 1)
    told = ["stub: `double` gets 4 points instead of 0"]
    assert list(map(str, judged(trial, built.exercise))) == told


def test_a_marked_mutant_may_live(exercise: Path) -> None:
    replaced("test_hidden.py", "x = rng.standard_normal(5)", "x = 0 * rng.standard_normal(5)")(exercise)
    verification = tried(exercise, course=exercise.parent)
    living = verification.survivors
    assert {str(one) for one in living} <= set(verification.problems)
    assert "quadruple: return double(double(x)) → return double(x)" in {one.mutant.name for one in living}
    assert {one.points for one in living} == {3.0}
    texts = [one.mutant.diff for one in living if not isinstance(one.mutant, Behaviour)]
    assert all("-" in text and "+" in text for text in texts)
    for one in living:
        added("equivalent.toml", f'"{one.mutant.name}" = "only zeros are asked for"\n')(exercise)
    assert tried(exercise, course=exercise.parent).survivors == []


@pytest.mark.parametrize(
    ("name", "is_idle"),
    [
        ("Running.add: return 2 * x → return x", {"double": False, "running": True}),
        ("halved: return x / 2 → return x", {"double": False, "running": True}),
        ("double: return 2 * x → return 3 * x", {"double": True, "running": False}),
    ],
)
def test_a_mark_that_is_of_another_task_alone_is_not_judged(
    exercise: Path, name: str, is_idle: dict[str, bool]
) -> None:
    code = "def halved(x):\n    return x / 2\n\n\nclass Running:\n    def add(self, x):\n        return halved(x)\n"
    cells = f'# %% task="running"\n{code}\n\n# %% grade="running"\ncheck("running")\n\n# %% [markdown]\n# Why'
    replaced("notebook.py", "# %% [markdown]\n# Why", cells)(exercise)
    task = '[tasks.running]\ntitle = "Run"\npoints = 1\nfunctions = ["Running"]\n\n[tasks.explain]'
    replaced("exercise.toml", "[tasks.explain]", task)(exercise)
    (exercise / "equivalent.toml").write_text(f'"{name}" = "the same"\n')
    built = build(Exercise(exercise))
    for task, expected in is_idle.items():
        trials = [Trial(Solution(Kind.REFERENCE, "reference"), {task: [TestResult("t", task, 1.0, Status.PASSED)]})]
        told = f"equivalent.toml marks what is no living mutant: {name}"
        assert (told in Verification(built, trials, task).problems) is expected


NEAR = [
    "a right solution comes to 0.5 of what `test_random` allows",
    "wrong/squared in `double` is only 4 times beyond what is allowed",
    "of the 1 s of limit `cpu_seconds`",
    "of the 3 s of limit `total_wall_seconds`",
    "of the 1 MiB of limit `total_output`",
]


def test_what_is_near_a_bar_or_a_limit_is_a_warning(exercise: Path) -> None:
    added("exercise.toml", "\n[limits]\ncpu_seconds = 1\ntotal_wall_seconds = 3\ntotal_output = 1\n")(exercise)
    replaced("notebook.py", '"a given cell that may be edited"', "'x' * 700_000")(exercise)
    busy = "    import time\n    end = time.process_time() + 0.4\n    while time.process_time() < end:\n        pass\n"
    slow = f"{busy}    return (x + x) * (1 + 5e-10)"
    replaced("right/added.py", "    return x + x", slow)(exercise)
    replaced("wrong/squared.py", "x * x", "(x + x) * (1 + 4e-9)")(exercise)
    verification = tried(exercise)
    assert verification.passed, verification.problems
    for warning in NEAR:
        assert any(warning in one for one in verification.warnings), verification.warnings
