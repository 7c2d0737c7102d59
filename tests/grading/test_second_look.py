"""What else counts: work further down, and what is right given right functions of earlier tasks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.exercise.build import build
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import Exercise
from autograder.exercise.source import solution_cells
from autograder.grading.evaluate import Grader, GraderConfig
from autograder.grading.second_look import Round, carry_forward
from autograder.grading.suite_plugin import SuiteResult
from autograder.report import Finding, Report, Status, TestResult
from autograder.submission.samples import solved
from tests.tiny import write_tiny_exercise

PASSED, FAILED, CARRIED, MISSING = Status.PASSED, Status.FAILED, Status.CARRIED, Status.MISSING

# --- which tasks are wrong in themselves ---


def exercise(folder: Path, needs: dict[str, list[str]]) -> Exercise:
    tasks = [f'[tasks.{one}]\ntitle = "T"\npoints = 1\nfunctions = ["{one}"]\nneeds = {needs[one]}' for one in needs]
    folder.mkdir(exist_ok=True)
    (folder / "exercise.toml").write_text('title = "T"\n' + "\n".join(tasks))
    return Exercise(folder)


def came_to(**statuses: Status) -> SuiteResult:
    return SuiteResult({task: [TestResult(f"test_{task}", task, 1.0, status)] for task, status in statuses.items()})


class World:
    """A class of functions: a task passes where itself is right, and each that it needs is right or replaced."""

    def __init__(self, exercise: Exercise, wrong: set[str]) -> None:
        self.exercise = exercise
        self.wrong = wrong
        self.rounds: list[Round] = []

    def result(self, task: str, right: frozenset[str]) -> Status:
        fine = self.is_fine(task, right - {task})
        return PASSED if fine else FAILED

    def is_fine(self, task: str, right: frozenset[str]) -> bool:
        if task in right:
            return True
        return task not in self.wrong and all(self.is_fine(one, right) for one in self.exercise.tasks[task].needs)

    def first(self) -> SuiteResult:
        return came_to(**{task: self.result(task, frozenset()) for task in self.exercise.tasks})

    def again(self, one: Round) -> SuiteResult:
        self.rounds.append(one)
        return came_to(**{task: self.result(task, one.right) for task in one.lost})

    def judged(self) -> dict[str, Status]:
        return {task: tests[0].status for task, tests in carry_forward(self.exercise, self.first(), self.again).items()}


CHAIN = {"a": [], "b": ["a"], "c": ["b"], "d": ["a"], "e": ["c", "d"]}


@pytest.mark.parametrize(
    ("wrong", "rounds"), [("", 0), ("a", 1), ("b", 1), ("e", 0), ("ab", 2), ("ad", 2), ("abc", 3), ("abcde", 3)]
)
def test_exactly_what_is_wrong_in_itself_stays_lost(tmp_path: Path, wrong: str, rounds: int) -> None:
    world = World(exercise(tmp_path / "x", CHAIN), set(wrong))
    judged = world.judged()
    assert {task for task, status in judged.items() if status is FAILED} == set(wrong)
    assert len(world.rounds) == rounds


@pytest.mark.parametrize(("forward", "backward"), [(FAILED, PASSED), (PASSED, FAILED)])
def test_who_makes_and_who_reads_a_cache_are_replaced_together(
    tmp_path: Path, forward: Status, backward: Status
) -> None:
    """A backward pass may read the cache of its own forward pass alone, whose form the reference does not have."""
    rounds: list[Round] = []

    def again(one: Round) -> SuiteResult:
        rounds.append(one)
        return came_to(block=PASSED)

    needs = {"forward": [], "backward": ["forward"], "block": ["forward", "backward"]}
    first = came_to(forward=forward, backward=backward, block=FAILED)
    assert carry_forward(exercise(tmp_path / "x", needs), first, again)["block"][0].status is CARRIED
    assert [one.right for one in rounds] == [frozenset({"forward", "backward"})]


def test_a_task_whose_tests_call_an_earlier_tasks_function_too_is_carried(tmp_path: Path) -> None:
    folder = tmp_path / "x"
    exercise(folder, {"a": [], "b": ["a"]})
    file = folder / "exercise.toml"
    file.write_text(file.read_text().replace('functions = ["b"]', 'functions = ["b", "a"]'))
    judged = carry_forward(Exercise(folder), came_to(a=FAILED, b=FAILED), lambda _: came_to(b=PASSED))
    assert judged["b"][0].status is CARRIED


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, list[str]]:
    names = "abcdefg"[: draw(st.integers(1, 7))]
    return {one: draw(st.lists(st.sampled_from(names[:i]), unique=True)) if i else [] for i, one in enumerate(names)}


@given(graphs(), st.sets(st.sampled_from("abcdefg")))
def test_for_any_tasks_and_faults(
    tmp_path_factory: pytest.TempPathFactory, needs: dict[str, list[str]], wrong: set[str]
) -> None:
    world = World(exercise(tmp_path_factory.getbasetemp() / "any", needs), wrong)
    first, judged = world.first().results, world.judged()
    assert {task for task, status in judged.items() if status is FAILED} == wrong & set(needs)
    assert all(judged[task] is (CARRIED if first[task][0].status is FAILED else PASSED) for task in set(needs) - wrong)
    assert len(world.rounds) <= len(needs)
    for one in world.rounds:
        assert not one.right & set(one.lost), "what is replaced is not tested in the same process"


def test_a_task_that_is_not_written_is_replaced_at_once_and_never_tried_again(tmp_path: Path) -> None:
    rounds: list[Round] = []

    def again(one: Round) -> SuiteResult:
        rounds.append(one)
        return came_to(c=PASSED)

    first = came_to(a=FAILED, b=MISSING, c=FAILED)
    judged = carry_forward(exercise(tmp_path / "x", {"a": [], "b": ["a"], "c": ["b"]}), first, again)
    assert [test.status for tests in judged.values() for test in tests] == [FAILED, MISSING, CARRIED]
    assert rounds == [Round(frozenset("ab"), {"c": ["test_c"]})]
    assert judged["c"][0].message == "right, given a right `a` and `b`"


def test_without_time_for_a_round_nothing_is_carried(tmp_path: Path) -> None:
    first = came_to(a=FAILED, b=FAILED)
    assert carry_forward(exercise(tmp_path / "x", {"a": [], "b": ["a"]}), first, lambda _: None) == first.results


def test_two_tasks_that_ask_for_one_function_are_not_carried_by_each_other(tmp_path: Path) -> None:
    folder = tmp_path / "x"
    exercise(folder, {"a": [], "b": ["a"]})
    file = folder / "exercise.toml"
    file.write_text(file.read_text().replace('functions = ["b"]', 'functions = ["a"]'))
    first = came_to(a=FAILED, b=FAILED)
    assert carry_forward(Exercise(folder), first, lambda _: pytest.fail("asked")) == first.results


# --- with a real process ---


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(Exercise(write_tiny_exercise(tmp_path_factory.mktemp("exercises") / "tiny")))


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    with Grader() as grader:
        yield grader


def report(grader: Grader, built: Built, sources: dict[str, str], *after: str) -> Report:
    """Of the reference with other code in cells, by their ids, and more cells at the end."""
    notebook = solved(built)
    for cell in solution_cells(notebook):
        cell.source = sources.get(cell.id, cell.source)
    notebook.cells += [nbformat.v4.new_code_cell(source) for source in after]
    return grader.evaluate(nbformat.writes(notebook).encode(), SeededExercise(built, 0)).report


def outcome(report: Report) -> dict[str, tuple[str, float | None]]:
    assert not report.fault
    return {task.name: (str(task.status), task.earned) for task in report.tasks if task.name != "explain"}


ALL_RIGHT = {"double": ("passed", 4.0), "quadruple": ("passed", 3.0)}
WRONG_DOUBLE = "def double(x):\n    return 2 * x + 1"
QUADRUPLE = "def quadruple(x):\n    return double(double(x))"
STUB = 'def double(x):\n    raise NotImplementedError("not written yet")'


@pytest.mark.parametrize(
    "experiment",
    ["def double(x):\n    return x", "double = quadruple = None", "del double", "import numpy\nnumpy = np = None"],
)
def test_an_experiment_at_the_end_costs_nothing(grader: Grader, built: Built, experiment: str) -> None:
    assert outcome(report(grader, built, {}, experiment)) == ALL_RIGHT


@pytest.mark.parametrize("earlier", [STUB, WRONG_DOUBLE, "", "double = 3", "def double(x):\n    return 2 * x +"])
def test_right_work_further_down_counts_and_is_found(grader: Grader, built: Built, earlier: str) -> None:
    found = report(grader, built, {"double-code": earlier}, "def double(x):\n    return x + x")
    assert outcome(found) == ALL_RIGHT
    assert Finding("later", "`double` counts as cell 7 defines it") in found.findings


def test_what_the_course_defines_further_down_does_not_count(grader: Grader, tmp_path: Path) -> None:
    folder = write_tiny_exercise(tmp_path / "tiny")
    notebook = folder / "notebook.py"
    given = 'def double(x):\n    return 2 * x\n\n\nprint("a given cell'
    notebook.write_text(notebook.read_text().replace('print("a given cell', given))
    exercise = build(Exercise(folder))
    for after in ((), ("np = None",)):
        found = report(grader, exercise, {"double-code": STUB}, *after)
        assert outcome(found)["double"] == ("missing", 0.0)
    found = report(grader, exercise, {"double-code": STUB}, "def double(x):\n    return x + x")
    assert outcome(found)["double"] == ("passed", 4.0)


def test_a_helper_that_is_mended_further_down_counts(grader: Grader, built: Built) -> None:
    helper = "def helper(x):\n    return 0 * x\n\ndef double(x):\n    return helper(x)"
    assert outcome(report(grader, built, {"double-code": helper}, "def helper(x):\n    return 2 * x")) == ALL_RIGHT


def test_the_better_of_the_two_counts(grader: Grader, built: Built) -> None:
    half = "def double(x):\n    return 2 * x if np.ndim(x) else 0.0"
    assert outcome(report(grader, built, {"double-code": half}, WRONG_DOUBLE))["double"] == ("failed", 3.0)


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        (WRONG_DOUBLE, "failed"),
        (STUB, "missing"),
        ("def double(x):\n    raise KeyError(x)", "error"),
        ("def double(x):\n    import os\n    os._exit(1)", "crashed"),
        ("def double(x):\n    return object()", "failed"),
        ("double = 3", "missing"),
    ],
)
def test_an_error_is_carried_forward(grader: Grader, built: Built, wrong: str, status: str) -> None:
    found = report(grader, built, {"double-code": wrong})
    assert outcome(found) == {"double": (status, 0.0), "quadruple": ("carried", 3.0)}
    assert found.task("quadruple").tests[0].message == "right, given a right `double`"
    assert found.task("quadruple").hint == ""


def test_a_function_of_another_task_that_is_not_written_is_no_reason_to_call_this_one_unwritten(
    grader: Grader, tmp_path: Path
) -> None:
    folder = write_tiny_exercise(tmp_path / "tiny")
    suite = folder / "test_hidden.py"
    suite.write_text(suite.read_text().replace("student.quadruple(x)", "student.quadruple(student.double(x) / 2)"))
    stub_in_suite = build(Exercise(folder))
    assert outcome(report(grader, stub_in_suite, {"double-code": STUB})) == {
        "double": ("missing", 0.0),
        "quadruple": ("carried", 3.0),
    }


def test_what_is_wrong_in_itself_is_not_carried(grader: Grader, built: Built) -> None:
    sources = {"double-code": WRONG_DOUBLE, "quadruple-code": "def quadruple(x):\n    return double(x)"}
    assert outcome(report(grader, built, sources)) == {"double": ("failed", 0.0), "quadruple": ("failed", 0.0)}


def test_the_same_submission_has_the_same_report(grader: Grader, built: Built) -> None:
    sources = {"double-code": WRONG_DOUBLE, "quadruple-code": "def quadruple(x):\n    return 3 * x"}
    reports = [report(grader, built, sources, QUADRUPLE).to_json() for _ in range(2)]
    assert reports[0] == reports[1]


def test_a_course_may_count_less_of_it(built: Built) -> None:
    with Grader(GraderConfig(carried=0.5)) as grader:
        assert outcome(report(grader, built, {"double-code": WRONG_DOUBLE}))["quadruple"] == ("carried", 1.5)


ATTACKS = {
    "remembers what the right function says": """
import builtins
def quadruple(x):
    builtins.kept = double
    open("kept", "w").write(str(double(x)))
    return double(double(x))
""",
    "asks without end": """
def quadruple(x):
    while True:
        double(x)
""",
    "asks for what takes all memory": """
def quadruple(x):
    return double(double(np.zeros(2**25)))
""",
    "asks with what cannot cross": """
def quadruple(x):
    circle = []
    circle.append(circle)
    for value in (object(), double, [object()] * 3, circle, 10**5000):
        try:
            double(value)
        except Exception:
            pass
    return 4 * x
""",
    "asks with other arguments": """
def quadruple(x):
    try:
        double(1, 2, y=3)
    except TypeError:
        return 4 * x
""",
    "asks for a function that there is not": """
def quadruple(x):
    for number in (1, -1, 10**6):
        for cell in double.__closure__:
            if cell.cell_contents == 0:
                cell.cell_contents = number
        try:
            double(x)
        except RuntimeError:
            pass
    return 4 * x
""",
    "fills the process that answers": """
def quadruple(x):
    for _ in range(3):
        try:
            double(np.zeros(2**23))
        except Exception:
            pass
    return 4 * x
""",
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_asking_the_right_function_gives_nothing_in_its_own_task(grader: Grader, built: Built, attack: str) -> None:
    found = report(grader, built, {"double-code": WRONG_DOUBLE, "quadruple-code": attack})
    assert outcome(found)["double"] == ("failed", 0.0)
    assert outcome(report(grader, built, {})) == ALL_RIGHT
