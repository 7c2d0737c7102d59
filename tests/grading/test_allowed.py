"""What a task does not allow: tests that passed by it do not count, and nobody is blamed for anything else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from autograder.authoring.kept import Kept
from autograder.authoring.misuses import misuses
from autograder.authoring.rehearsal import rehearse
from autograder.authoring.verify import verify
from autograder.errors import ExerciseError
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import Exercise
from autograder.exercise.slips import proofread
from autograder.exercise.variants import variant
from autograder.grading.evaluate import Grader
from autograder.grading.explain import explain
from autograder.grading.feedback import plain
from autograder.report import Finding, Report, Status
from autograder.submission.samples import solved, solved_by

TOML = """
title = "Slopes"

[tasks.slope]
title = "The slope"
points = 4
functions = ["slope", "step"]
not_allowed = ["numpy.gradient", "numpy.ndarray.sum"]
instead = "Take the differences of neighbours."
hint = "Which neighbours?"

[tasks.bend]
title = "The bend"
points = 2
functions = ["bend"]
needs = ["slope"]
"""

NOTEBOOK = '''\
# %% setup=true
import numpy as np
from checks import check


def steepest(x):
    """Where a curve is steepest."""
    return np.argmax(np.abs(np.gradient(x)))


# %% task="slope"
def slope(x):
    ### BEGIN SOLUTION
    inner = (x[2:] - x[:-2]) / 2
    return np.concatenate([x[1:2] - x[:1], inner, x[-1:] - x[-2:-1]])
    ### END SOLUTION


def step(x):
    ### BEGIN SOLUTION
    return x[1] - x[0]
    ### END SOLUTION


# %% grade="slope"
check("slope")

# %%
np.gradient(np.arange(3.0))

# %% task="bend"
def bend(x):
    ### BEGIN SOLUTION
    return slope(slope(x))
    ### END SOLUTION


# %% grade="bend"
check("bend")
'''

HIDDEN = '''
from autograder.testing import assert_close, task


@task("slope", weight=3)
def test_slope(student, reference, rng):
    """The slope of a random curve."""
    x = rng.standard_normal(9)
    assert_close(student.slope(x), reference.slope(x))


@task("slope")
def test_step(student):
    """The first step."""
    assert_close(student.step([2.0, 5.0]), 3.0)


@task("bend")
def test_bend(student, reference, rng):
    """The bend of a random curve."""
    x = rng.standard_normal(9)
    assert_close(student.bend(x), reference.bend(x))
'''

PUBLIC = '''
from autograder.testing import assert_close, task


@task("slope")
def test_line(student):
    """The slope of a line."""
    assert_close(student.step([1.0, 3.0]), 2.0)
'''

EASY = "def slope(x):\n    return np.gradient(x)"
OTHERS_CODE = "def bend(x):\n    return np.gradient(np.gradient(x))"
NOT_ALLOWED, PASSED = Status.NOT_ALLOWED, Status.PASSED


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "slopes"
    folder.mkdir()
    texts = {"exercise.toml": TOML, "notebook.py": NOTEBOOK, "test_public.py": PUBLIC, "test_hidden.py": HIDDEN}
    for name, text in texts.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def built(folder: Path) -> Built:
    return proofread(Exercise(folder))


@pytest.fixture
def report_of(grader: Grader, built: Built) -> Callable[..., Report]:
    def report_of(code: str = "", below: str = "", above: str = "") -> Report:
        """above, below: cells of the student's own, above and below all that are graded."""
        notebook = solved_by(built, variant("work", code)) if code else solved(built)
        first = [cell.id for cell in notebook.cells].index("slope-code")
        notebook.cells[first:first] = [new_code_cell(above)] if above else []
        notebook.cells += [new_code_cell(below)] if below else []
        return grader.evaluate(nbformat.writes(notebook).encode(), SeededExercise(built, 0)).report

    return report_of


def outcome(report: Report) -> list[tuple[Status, float | None]]:
    return [(task.status, task.earned) for task in report.tasks]


@pytest.fixture
def both_ruled(folder: Path) -> Built:
    """Neither of the two tasks allows it."""
    toml = folder / "exercise.toml"
    toml.write_text(
        toml.read_text().replace('needs = ["slope"]', 'needs = ["slope"]\nnot_allowed = ["numpy.gradient"]')
    )
    return proofread(Exercise(folder))


def test_what_a_cell_tries_with_other_functions_is_no_use(grader: Grader, both_ruled: Built) -> None:
    notebook = solved(both_ruled)
    trials = (
        "slope = np.gradient\nbend(np.arange(9.0))",
        "def apply(f, x):\n    return f(x)\napply(np.gradient, np.ones(3))",
    )
    notebook.cells += [new_code_cell(trial) for trial in trials]
    report = grader.evaluate(nbformat.writes(notebook).encode(), SeededExercise(both_ruled, 0)).report
    assert outcome(report) == [(PASSED, 4.0), (PASSED, 2.0)]


@pytest.mark.parametrize("taken", ["from numpy import gradient as slope", "slope = np.gradient"])
def test_the_task_that_took_it_pays_and_the_one_that_builds_on_it_does_not(
    taken: str, grader: Grader, both_ruled: Built
) -> None:
    notebook = solved(both_ruled)
    cell = next(cell for cell in notebook.cells if cell.id == "slope-code")
    cell.source = f"{taken}\n\n\ndef step(x):\n    return x[1] - x[0]"
    report = grader.evaluate(nbformat.writes(notebook).encode(), SeededExercise(both_ruled, 0)).report
    assert outcome(report) == [(NOT_ALLOWED, 1.0), (PASSED, 2.0)]


def test_what_the_text_hides_is_not_carried_forward_either(grader: Grader, both_ruled: Built) -> None:
    hidden = "def bend(x):\n    first = slope(x)\n    return getattr(np, 'grad' + 'ient')(first)"
    notebook = solved_by(both_ruled, variant("work", f"def slope(x):\n    return 2 * x\n\n\n{hidden}"))
    report = grader.evaluate(nbformat.writes(notebook).encode(), SeededExercise(both_ruled, 0)).report
    assert outcome(report)[1] == (Status.FAILED, 0.0)


# --- what loses points ---


@pytest.mark.parametrize(
    "code",
    [
        EASY,
        "from numpy import gradient as g\n\n\ndef slope(x):\n    return g(x)",
        "def slope(x):\n    return getattr(np, 'gradient')(x)",
        "def slope(x):\n    return getattr(np, 'grad' + 'ient')(x)",
        "def slope(x):\n    return vars(np)['gradient'](x)",
        "def slope(x):\n    return np.__dict__['gradient'](x)",
        "tools = [np.gradient]\n\n\ndef slope(x):\n    return tools[0](x)",
        "def helper(x):\n    return np.gradient(x)\n\n\ndef slope(x):\n    return helper(x)",
        "name = input.__name__ and 'gradient'\n\n\ndef slope(x):\n    return getattr(np, name)(x)",
    ],
)
def test_the_tests_that_pass_by_it_do_not_count(report_of: Callable[..., Report], code: str) -> None:
    report = report_of(code)
    assert outcome(report) == [(NOT_ALLOWED, 1.0), (PASSED, 2.0)]
    slope, step = report.tasks[0].tests
    assert (slope.status, step.status) == (NOT_ALLOWED, PASSED)
    assert slope.message.startswith("`numpy.gradient` (cell 2, line ")
    assert slope.message.endswith("). Take the differences of neighbours.")
    assert not report.findings


def test_a_helper_in_another_cell_is_told_with_its_own_place(report_of: Callable[..., Report]) -> None:
    report = report_of("def slope(x):\n    return easy(x)", above="# mine\ndef easy(x):\n    return np.gradient(x)")
    told = "`numpy.gradient` (cell 2, line 3: return np.gradient(x)). Take the differences of neighbours."
    assert report.tasks[0].tests[0].message == told


def test_it_counts_for_a_cell_further_down_as_well(report_of: Callable[..., Report]) -> None:
    report = report_of("def slope(x):\n    return 0 * x", below=EASY)
    assert outcome(report)[0] == (Status.FAILED, 1.0)
    mended = report_of(
        EASY,
        below="def slope(x):\n    return np.concatenate([x[1:2] - x[:1], (x[2:] - x[:-2]) / 2, x[-1:] - x[-2:-1]])",
    )
    assert outcome(mended)[0] == (PASSED, 4.0)
    assert [one.kind for one in mended.findings] == ["later"]


def test_it_is_said_in_plain_words(report_of: Callable[..., Report]) -> None:
    report = report_of(EASY)
    page, staff = plain(report.tasks[0]), explain(report)
    assert "The slope: 1 of 4 points (not allowed)\nThe results are right, but they come from what" in page
    assert "✗ The slope of a random curve\n      not allowed: `numpy.gradient` (cell 2, line 6: return" in page
    assert "Which neighbours?" not in page
    assert "slope: 1 of 4 points (not allowed)\n    not allowed: `numpy.gradient` (cell 2, line 6:" in staff


# --- what loses none ---


@pytest.mark.parametrize(
    ("code", "around"),
    [
        (OTHERS_CODE, {}),
        ("", {"below": "np.gradient(np.arange(4.0)) - slope(np.arange(4.0))"}),
        ("", {"above": "def compare(x):\n    return np.gradient(x)\n\n\ncompare(np.arange(3.0))"}),
        ("", {"above": "def slope(x):\n    return np.gradient(x)\n\n\nslope(np.arange(3.0))"}),
        ("def step(x):\n    steepest(np.array(x))\n    return x[1] - x[0]", {}),
        ('def step(x):\n    """As np.gradient."""\n    np.mean(x)  # np.gradient(x)\n    return x[1] - x[0]', {}),
        ("def step(x):\n    np.trapezoid if hasattr(np, 'trapezoid') else 0\n    return x[1] - x[0]", {}),
    ],
)
def test_nobody_is_blamed_for_anything_else(
    report_of: Callable[..., Report], code: str, around: dict[str, str]
) -> None:
    report = report_of(code, **around)
    assert outcome(report) == [(PASSED, 4.0), (PASSED, 2.0)]
    assert not report.findings


def test_a_library_that_uses_it_by_itself_is_not_blamed(report_of: Callable[..., Report]) -> None:
    library = (
        "import types\n\n\nlibrary = types.FunctionType(compile('np.gradient(x)', 'library', 'eval'), globals())\n"
    )
    report = report_of(
        f"{library}\n\ndef step(x):\n    globals()['x'] = np.arange(3.0)\n    library()\n    return x[1] - x[0]"
    )
    assert outcome(report)[1] == (PASSED, 2.0)
    assert NOT_ALLOWED not in {test.status for task in report.tasks for test in task.tests}


def test_a_method_that_cannot_be_told_is_for_a_person(report_of: Callable[..., Report]) -> None:
    report = report_of("def step(x):\n    y = np.array(x)\n    y.sum()\n    return y[1] - y[0]")
    assert outcome(report)[0] == (PASSED, 4.0)
    assert report.findings == (Finding("doubtful", "`slope` may use `numpy.ndarray.sum` (cell 2, line 8: y.sum())"),)
    assert report.findings[0].is_for_staff


def test_a_notebook_that_takes_the_guards_away_is_read_all_the_same(report_of: Callable[..., Report]) -> None:
    report = report_of(f"np.gradient = np.gradient.__wrapped__\n\n\n{EASY}")
    assert outcome(report)[0] == (NOT_ALLOWED, 1.0)


def test_notes_that_a_notebook_forges_cost_nobody_else_and_break_nothing(report_of: Callable[..., Report]) -> None:
    forged = """
import gc
from autograder.inside.guards import Guards

notes = [["numpy.gradient", 10**30, 1], ["numpy.gradient", "2", 1], ["np", 2, 1], ["numpy.gradient", -1, 10**9]]
Guards.take = lambda self: notes
"""
    report = report_of(above=forged)
    assert not report.ungraded
    assert NOT_ALLOWED not in {task.status for task in report.tasks}


# --- what students and staff are told before ---


def run_as_a_student(built: Built, code: str) -> list[str]:
    folder = built.exercise.folder / "right"
    folder.mkdir()
    (folder / "easy.py").write_text(f'"""Easy."""\n\n\n{code}\n')
    return rehearse(built, 1, Kept(built, None))


def test_students_are_told_at_once_by_their_own_check(built: Built) -> None:
    told = run_as_a_student(built, EASY)
    assert told == [
        "right/easy: the public check of `slope` fails: Only what this task allows is used.: not allowed in this task: "
        "`numpy.gradient` (cell 2, line 6: return np.gradient(x)). Take the differences of neighbours."
    ]


def test_a_check_says_nothing_of_the_rule_where_it_is_kept(built: Built) -> None:
    assert run_as_a_student(built, "def step(x):\n    steepest(np.array(x))\n    return x[1] - x[0]") == []
    assert "is_quiet" in built.checks


def test_a_reference_that_uses_it_itself_is_told_with_its_line(folder: Path) -> None:
    text = NOTEBOOK.replace("    return x[1] - x[0]", "    return np.gradient(x)[0]")
    (folder / "notebook.py").write_text(text)
    line = text.splitlines().index("    return np.gradient(x)[0]") + 1
    with pytest.raises(ExerciseError) as caught:
        proofread(Exercise(folder))
    told = f"notebook.py, line {line}: the reference uses `numpy.gradient`, which task `slope` does not allow"
    assert str(caught.value).endswith(told)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('"numpy.gradient"', '"np.gradient()"', "does not allow `np.gradient()`, which is no name of a library's"),
        ("not_allowed = [", "not_alowed = [", "`not_alowed` is no key of task `slope`; did you mean `not_allowed`?"),
        ('functions = ["bend"]', "by_hand = true\nnot_allowed = ['numpy.sin']", "is graded by hand: what it does not"),
        ("needs = [", 'instead = "Yes."\nneeds = [', "says what to do instead, but there is no `not_allowed`"),
    ],
)
def test_a_rule_that_means_nothing_is_told(folder: Path, old: str, new: str, fault: str) -> None:
    (folder / "exercise.toml").write_text(TOML.replace(old, new))
    with pytest.raises(ExerciseError) as caught:
        Exercise(folder)
    assert fault in str(caught.value)


def test_each_forbidden_name_is_tried_in_each_function(built: Built, report_of: Callable[..., Report]) -> None:
    tried = [variant for task, variant in misuses(built) if task == "slope"]
    names = ("numpy.gradient", "numpy.ndarray.sum")
    assert [one.name for one in tried] == [f"{of} uses {name}" for name in names for of in ("slope", "step")]
    for one in tried:
        assert NOT_ALLOWED in {test.status for test in report_of(one.code).tasks[0].tests}, one.name


@pytest.mark.slow
def test_verify_tells_a_right_solution_that_uses_one(folder: Path) -> None:
    (folder / "right").mkdir()
    (folder / "right" / "easy.py").write_text(f'"""With a library."""\n\n\n{EASY}\n')
    problems = "\n".join(verify(proofread(Exercise(folder)), seeds=1, jobs=2, task="slope").problems)
    assert "it is not told where slope uses" not in problems
    assert "right/easy should pass `test_slope`: not allowed: `numpy.gradient` (cell 2, line " in problems
