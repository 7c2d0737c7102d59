"""Hidden suites under pytest: which test counts for what, and that nothing around the suite has a say in it."""

from __future__ import annotations

import os
import sys
import zlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from autograder.errors import ExerciseError
from autograder.exercise.definition import Exercise
from autograder.grading.suite import Suite
from autograder.isolation.replies import Value
from autograder.isolation.sandbox import Sandbox
from autograder.isolation.session import Session
from autograder.report import Status, TestResult
from autograder.submission.notebook import Cell, Role
from tests.sessions import QUICK, play

TOML = """
title = "Two tasks"

[tasks.one]
title = "One"
points = 4
functions = ["f"]

[tasks.two]
title = "Two"
points = 2
functions = ["g"]
needs = ["one"]

[tasks.words]
title = "Words"
points = 1
by_hand = true
"""
IMPORTS = "import os\n\nimport pytest\n\nfrom autograder.testing import Mismatch, assert_close, require, task\n\n\n"
TWO = '@task("two")\ndef test_two(student):\n    """two"""\n    assert_close(student.g(), 2.0)\n\n\n'
ONE = '@task("one")\ndef test_one(student):\n    """one"""\n    assert_close(student.f(1.0), 1.0)\n\n\n'
CHECKS = [Cell("code", "check()", Role.GRADE, task) for task in ("one", "two")]
RIGHT = "def f(x):\n    return x\n\ndef g():\n    return 2.0"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "two-tasks"
    folder.mkdir()
    (folder / "exercise.toml").write_text(TOML)
    return folder


def graded(
    sandbox: Sandbox, folder: Path, suite: str, work: str = RIGHT, seed: int = 0, reference: object = None
) -> dict[str, list[TestResult]]:
    """The results of a suite for a notebook of one cell."""
    (folder / "test_hidden.py").write_text(IMPORTS + suite)
    with play(sandbox, work, *CHECKS, limits=QUICK) as session:
        return graded_in(session, folder, seed, reference)


def graded_in(session: Session, folder: Path, seed: int = 0, reference: object = None) -> dict[str, list[TestResult]]:
    with Suite(Exercise(folder)) as suite:
        return suite.run(session, reference or SimpleNamespace(), seed).results


def statuses(results: dict[str, list[TestResult]]) -> dict[str, list[Status]]:
    return {task: [test.status for test in tests] for task, tests in results.items()}


# --- what a test comes to ---


def test_each_test_counts_for_its_task_in_the_order_of_the_file(sandbox: Sandbox, folder: Path) -> None:
    suite = TWO + ONE + ONE.replace("test_one", "test_another").replace('"""one"""', '"""another one."""')
    assert graded(sandbox, folder, suite) == {
        "one": [
            TestResult("test_one", "one", 1.0, Status.PASSED),
            TestResult("test_another", "another one", 1.0, Status.PASSED),
        ],
        "two": [TestResult("test_two", "two", 1.0, Status.PASSED)],
    }


def test_an_exercise_that_a_person_grades_alone_has_no_tests(sandbox: Sandbox, folder: Path) -> None:
    (folder / "exercise.toml").write_text('title = "Words"\n[tasks.words]\ntitle = "W"\npoints = 1\nby_hand = true\n')
    assert graded(sandbox, folder, "") == {}


def test_weights_and_parameters_are_kept(sandbox: Sandbox, folder: Path) -> None:
    suite = (
        '@task("one", weight=2.5)\n@pytest.mark.parametrize("x", [1.0, 2.0, 3.0])\ndef test_each(student, x):\n'
        '    """a number, in two\n    lines"""\n    assert_close(student.f(x), 2.0)\n\n\n'
    )
    results = graded(sandbox, folder, suite + TWO)["one"]
    assert [(test.name, test.tried, test.weight, test.status) for test in results] == [
        ("test_each[1.0]", "a number, in two", 2.5, Status.FAILED),
        ("test_each[2.0]", "a number, in two", 2.5, Status.PASSED),
        ("test_each[3.0]", "a number, in two", 2.5, Status.FAILED),
    ]


def test_tests_in_a_class_count(sandbox: Sandbox, folder: Path) -> None:
    suite = 'class TestOne:\n    @task("one")\n    def test_in_a_class(self, student):\n        """in a class"""\n'
    results = graded(sandbox, folder, suite + "        assert_close(student.f(1.0), 1.0)\n\n\n" + TWO)
    assert results["one"] == [TestResult("TestOne::test_in_a_class", "in a class", 1.0, Status.PASSED)]


@pytest.mark.parametrize(
    ("work", "status", "message"),
    [
        ("def f(x):\n    return x + 0.25", Status.FAILED, "the result: it differs (yours is 1.25), off by about 0.2"),
        (
            "def f(x):\n    raise ValueError('no')",
            Status.ERROR,
            "ValueError: no (cell 1, line 2: raise ValueError('no'))",
        ),
        (
            "def f(x):\n    while True:\n        pass",
            Status.TIMEOUT,
            "it was not done after 0.5 seconds of computing or 10 seconds of waiting",
        ),
        ("import os\ndef f(x):\n    os._exit(7)", Status.CRASHED, "it ended the notebook's process (exit code 7)"),
        ("1", Status.MISSING, "there is no function `f`"),
        ("def f(x):\n    raise NotImplementedError('not written yet')", Status.MISSING, "`f` is not written yet"),
    ],
    ids=["failed", "error", "timeout", "crashed", "missing", "stub"],
)
def test_what_the_student_did_is_the_status_and_the_message(
    sandbox: Sandbox, folder: Path, work: str, status: Status, message: str
) -> None:
    results = graded(sandbox, folder, ONE + TWO, work + "\n\ndef g():\n    return 2.0")
    assert results["one"] == [TestResult("test_one", "one", 1.0, status, message)]
    assert statuses(results)["two"] == [Status.PASSED]


def test_a_mismatch_of_the_test_itself_is_a_failure(sandbox: Sandbox, folder: Path) -> None:
    suite = (
        '@task("one")\ndef test_one(student):\n    """one"""\n    require(student.f(1) == 2, "it should be two")\n\n\n'
    )
    results = graded(sandbox, folder, suite + TWO)
    assert results["one"] == [TestResult("test_one", "one", 1.0, Status.FAILED, "it should be two")]


@pytest.mark.parametrize("end", ["os._exit(1)", "while True: pass"])
def test_after_two_tests_that_ended_the_process_the_rest_of_their_task_is_not_run(
    sandbox: Sandbox, folder: Path, end: str
) -> None:
    expected = Status.CRASHED if "exit" in end else Status.TIMEOUT
    values = "[1.0, -1.0, 2.0, -2.0, 3.0]"
    each = f'@task("one")\n@pytest.mark.parametrize("x", {values})\ndef test_each(student, x):\n    """each"""\n'
    suite = each + "    assert_close(student.f(x), x)\n\n\n" + TWO + ONE
    work = f"import os\ncalls = []\ndef f(x):\n    calls.append(x)\n    if x < 0:\n        {end}\n    return x\n\n"
    results = graded(sandbox, folder, suite, work + "def g():\n    return 2.0 + len(calls)")
    passed = Status.PASSED
    assert statuses(results) == {"one": [passed, expected, passed, expected, expected, expected], "two": [passed]}
    not_run = "not run: earlier checks of this task had ended the process"
    assert [test.message == not_run for test in results["one"]] == [False] * 4 + [True] * 2


# --- what tests are given ---


def test_random_inputs_depend_on_the_seed_and_the_tests_name_alone(sandbox: Sandbox, folder: Path) -> None:
    suite = '@task("one")\ndef test_one(rng):\n    """one"""\n    raise Mismatch(str(rng.integers(2**62)))\n\n\n'
    for seed, before in ((0, ""), (7, ""), (7, suite.replace("test_one", "test_first"))):
        results = graded(sandbox, folder, before + suite + TWO, seed=seed)
        rng = np.random.default_rng([seed, zlib.crc32(b"test_one")])
        assert results["one"][-1].message == str(rng.integers(2**62))


def test_parametrized_tests_have_random_inputs_of_their_own(sandbox: Sandbox, folder: Path) -> None:
    suite = (
        '@task("one")\n@pytest.mark.parametrize("n", [1, 2])\ndef test_one(rng, n):\n    """one"""\n'
        "    raise Mismatch(str(rng.integers(2**62)))\n\n\n"
    )
    first, second = graded(sandbox, folder, suite + TWO)["one"]
    assert first.message != second.message


def test_the_reference_is_handed_to_the_tests(sandbox: Sandbox, folder: Path) -> None:
    suite = (
        '@task("one")\ndef test_one(student, reference):\n    """one"""\n'
        "    assert_close(student.f(3.0), reference.f(3.0))\n\n\n"
    )
    results = graded(sandbox, folder, suite + TWO, reference=SimpleNamespace(f=lambda x: x))
    assert statuses(results)["one"] == [Status.PASSED]


def test_a_test_calls_the_function_of_its_own_tasks_grade_cell(sandbox: Sandbox, folder: Path) -> None:
    (folder / "test_hidden.py").write_text(IMPORTS + ONE + TWO.replace("student.g()", "student.f(1.0)"))
    one, two = (Cell("code", "", Role.GRADE, name) for name in ("one", "two"))
    with play(sandbox, "def f(x):\n    return 1.0", one, "def f(x):\n    return 2.0", two, "f = None") as session:
        results = graded_in(session, folder)
    assert statuses(results) == {"one": [Status.PASSED], "two": [Status.PASSED]}


def test_fixtures_of_the_suites_own_work(sandbox: Sandbox, folder: Path) -> None:
    suite = (
        "@pytest.fixture\ndef three(student):\n    yield student.f(3.0)\n\n\n"
        '@task("one")\ndef test_one(three, tmp_path, monkeypatch):\n    """one"""\n    assert_close(three, 3.0)\n\n\n'
    )
    assert statuses(graded(sandbox, folder, suite + TWO))["one"] == [Status.PASSED]


# --- faults of the suite ---


@pytest.mark.parametrize(
    "body",
    [
        "{}['key']",
        "raise SystemExit",
        "raise RuntimeError",
        "assert student.f(1) == 2",
        "pytest.skip('later')",
        "pytest.xfail('later')",
        "pytest.fail('no')",
        "pytest.importorskip('no_such_module')",
        "student._private",
        "student.f(object())",
        "student.f(lambda x: object())",
    ],
)
def test_a_test_that_breaks_by_itself_is_ungraded_and_the_others_count(
    sandbox: Sandbox, folder: Path, body: str
) -> None:
    suite = f'@task("one")\ndef test_bad(student):\n    """bad"""\n    {body}\n\n\n'
    results = graded(
        sandbox, folder, suite + ONE + TWO, "def f(x):\n    return x(1) if callable(x) else x\n" + RIGHT[22:]
    )
    assert statuses(results) == {"one": [Status.UNGRADED, Status.PASSED], "two": [Status.PASSED]}
    bad = results["one"][0]
    assert bad.message == "the course's own test broke here; this is not your fault"
    assert bad.fault.strip()


@pytest.mark.parametrize(
    "decorator",
    [
        "@pytest.mark.skip",
        "@pytest.mark.skipif(True, reason='x')",
        "@pytest.mark.xfail",
        "@pytest.mark.usefixtures('no')",
    ],
)
def test_a_test_that_is_marked_away_never_counts_as_passed(sandbox: Sandbox, folder: Path, decorator: str) -> None:
    suite = f"{decorator}\n{ONE}"
    wrong = RIGHT.replace("return x", "return x + 1")
    assert Status.PASSED not in statuses(graded(sandbox, folder, suite + TWO, wrong))["one"]


@pytest.mark.parametrize("when", ["    1 / 0\n    yield", "    yield\n    1 / 0"])
def test_a_broken_fixture_is_a_fault_of_the_suite(sandbox: Sandbox, folder: Path, when: str) -> None:
    fixture = f"@pytest.fixture(autouse=True)\ndef broken(request):\n{when}\n\n\n"
    results = graded(sandbox, folder, fixture + ONE + TWO)
    assert Status.UNGRADED in statuses(results)["one"]
    assert "ZeroDivisionError" in "".join(test.fault for test in results["one"])


@pytest.mark.parametrize(
    ("suite", "fault"),
    [
        ("def (:\n", "SyntaxError"),
        ("import no_such_module\n\n\n" + ONE + TWO, "no_such_module"),
        ("1 / 0\n\n\n" + ONE + TWO, "ZeroDivisionError"),
        (ONE + TWO + "def test_three(student):\n    pass\n", "test_three belongs to no automatic task"),
        (ONE.replace('    """one"""\n', "") + TWO, "test_one needs a docstring"),
        (ONE + TWO + '@task("three")\ndef test_three(student):\n    pass\n', "test_three belongs to no automatic task"),
        (ONE + TWO + '@task("words")\ndef test_three(student):\n    pass\n', "test_three belongs to no automatic task"),
        (ONE, "no test for task `two`"),
        ("", ""),
        ("pytest.skip('later', allow_module_level=True)\n\n\n" + ONE + TWO, ""),
        (ONE + TWO + '@task("one", weight=0)\ndef test_three(student):\n    pass\n', "must be positive"),
        (ONE + TWO + "@pytest.mark.task\ndef test_three(student):\n    pass\n", ""),
        (ONE + TWO + '@task("one")\ndef test_three(student):\n    yield\n', "test_three"),
        (ONE + TWO + "@pytest.mark.parametrize('y', [1])\n" + ONE.replace("test_one", "test_three"), "test_three"),
    ],
    ids=[
        "syntax",
        "import",
        "error at import",
        "no task",
        "no docstring",
        "unknown task",
        "task by hand",
        "task without tests",
        "empty",
        "skipped as a whole",
        "weight of zero",
        "mark without a name",
        "generator",
        "unknown parameter",
    ],
)
def test_a_suite_that_cannot_be_run_as_a_whole_is_an_exercise_error(
    sandbox: Sandbox, folder: Path, suite: str, fault: str
) -> None:
    with pytest.raises(ExerciseError) as caught:
        graded(sandbox, folder, suite)
    assert str(folder / "test_hidden.py") in str(caught.value)
    assert fault in str(caught.value)


def test_after_a_broken_suite_a_sound_one_is_run_as_ever(sandbox: Sandbox, folder: Path) -> None:
    with pytest.raises(ExerciseError):
        graded(sandbox, folder, "1 / 0\n")
    assert statuses(graded(sandbox, folder, ONE + TWO)) == {"one": [Status.PASSED], "two": [Status.PASSED]}


# --- nothing around the suite has a say ---


def test_the_environment_of_pytest_has_no_say(sandbox: Sandbox, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "-k nothing --maxfail=1")
    monkeypatch.setenv("PYTEST_PLUGINS", "no_such_plugin")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "0")
    assert statuses(graded(sandbox, folder, ONE + TWO)) == {"one": [Status.PASSED], "two": [Status.PASSED]}


@pytest.mark.parametrize("where", [".", ".."])
def test_configuration_beside_the_suite_has_no_say(
    sandbox: Sandbox, folder: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ini = "addopts = -k nothing -x\npython_functions = other_*\nusefixtures = no\n"
    (folder / where / "pytest.ini").write_text(f"[pytest]\n{ini}")
    (folder / where / "tox.ini").write_text(f"[pytest]\n{ini}")
    (folder / where / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '-k nothing'\n")
    (folder / where / "conftest.py").write_text("raise RuntimeError('a conftest was loaded')\n")
    monkeypatch.chdir(folder)
    assert statuses(graded(sandbox, folder, ONE + TWO)) == {"one": [Status.PASSED], "two": [Status.PASSED]}


def test_modules_beside_the_suite_do_not_hide_others(
    sandbox: Sandbox, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("numpy.py", "torch.py", "json.py", "autograder.py", "pytest.py"):
        (folder / name).write_text("raise RuntimeError('a module beside the suite was loaded')\n")
    monkeypatch.chdir(folder)
    assert statuses(graded(sandbox, folder, "import numpy, json\n\n\n" + ONE + TWO))["one"] == [Status.PASSED]


def test_the_graders_own_environment_and_path_are_as_before(
    sandbox: Sandbox, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "-q")
    before = (dict(os.environ), list(sys.path), os.getcwd(), set(sys.modules))
    graded(sandbox, folder, ONE + TWO)
    assert (dict(os.environ), list(sys.path), os.getcwd(), set(sys.modules)) == before


def test_what_a_suite_prints_goes_nowhere(sandbox: Sandbox, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    graded(
        sandbox, folder, "print('hidden')\n\n\n" + ONE.replace("    assert", "    print('hidden')\n    assert") + TWO
    )
    assert capfd.readouterr().out == ""


def test_nothing_is_written_beside_the_suite(sandbox: Sandbox, folder: Path) -> None:
    graded(sandbox, folder, ONE + TWO)
    assert sorted(path.name for path in folder.iterdir()) == ["exercise.toml", "test_hidden.py"]


def test_a_suite_that_has_changed_on_disk_is_read_anew(sandbox: Sandbox, folder: Path) -> None:
    wrong = ONE.replace("1.0), 1.0", "1.0), 9.0")
    assert len(wrong) == len(ONE)
    for suite, status in ((ONE, Status.PASSED), (wrong, Status.FAILED), (ONE, Status.PASSED)):
        assert statuses(graded(sandbox, folder, suite + TWO))["one"] == [status]


@pytest.mark.parametrize("kind", ["absolute", "relative", "link"])
def test_exercises_in_turn_have_their_own_suites(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Their suites have the same file name, whatever way their folders are named."""
    real = tmp_path / "real"
    folders = [real / name for name in ("first", "second")]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "exercise.toml").write_text(TOML)
    (tmp_path / "link").symlink_to(real)
    monkeypatch.chdir(tmp_path)
    start = {"absolute": real, "relative": Path("real"), "link": tmp_path / "link"}[kind]
    suites = (ONE, ONE.replace("1.0), 1.0", "1.0), 9.0"))
    for number in (0, 1, 0, 1):
        results = graded(sandbox, start / folders[number].name, suites[number] + TWO)
        assert statuses(results)["one"] == [(Status.PASSED, Status.FAILED)[number]]


def test_the_same_suite_and_notebook_give_equal_results(sandbox: Sandbox, folder: Path) -> None:
    suite = (
        '@task("one")\ndef test_one(student, rng):\n    """one"""\n'
        "    x = rng.standard_normal(3)\n    assert_close(student.f(x), x)\n\n\n"
    )
    wrong = RIGHT.replace("return x", "return x + 1e-3")
    first = graded(sandbox, folder, suite + TWO, wrong)
    assert statuses(first)["one"] == [Status.FAILED]
    assert graded(sandbox, folder, suite + TWO, wrong) == first


# --- one suite for many students ---


def test_one_after_the_other_is_graded_as_if_alone(sandbox: Sandbox, folder: Path) -> None:
    (folder / "test_hidden.py").write_text(IMPORTS + ONE + TWO)
    works = [RIGHT, "def f(x):\n    return 0.0", "import os\ndef f(x):\n    os._exit(1)", RIGHT]
    with Suite(Exercise(folder)) as suite:
        runs = []
        for work in works:
            with play(sandbox, work, *CHECKS, limits=QUICK) as session:
                runs.append(suite.run(session, SimpleNamespace(), 0).results)
    assert runs == [graded(sandbox, folder, ONE + TWO, work) for work in works]


def test_what_comes_after_tests_that_were_not_run_any_more_is_run(sandbox: Sandbox, folder: Path) -> None:
    """Tests that stand in a class leave it behind, and the last of them is the one that takes it down."""
    crash = '@task("one")\nclass TestOne:\n' + "".join(
        f'    def test_{number}(self, student):\n        """one."""\n        student.f(1.0)\n\n' for number in range(4)
    )
    ends = "import os\n\n\ndef f(x):\n    os._exit(3)\n\n\ndef g():\n    return 2.0"
    results = statuses(graded(sandbox, folder, crash + "\n\n" + TWO, ends))
    assert results["one"] == [Status.CRASHED] * 4
    assert results["two"] == [Status.PASSED]


def test_only_the_tests_of_the_chosen_tasks_are_run(sandbox: Sandbox, folder: Path) -> None:
    (folder / "test_hidden.py").write_text(IMPORTS + ONE + TWO)
    with play(sandbox, RIGHT, *CHECKS) as session, Suite(Exercise(folder)) as suite:
        assert statuses(suite.run(session, SimpleNamespace(), 0, {"two": "two"}).results) == {"two": [Status.PASSED]}


def test_fixtures_of_a_module_are_made_anew_for_each_student(sandbox: Sandbox, folder: Path) -> None:
    suite_text = '@pytest.fixture(scope="module")\ndef first():\n    return []\n\n\n'
    test = (
        '@task("one")\ndef test_one(first):\n    """one"""\n    first.append(1)\n    require(len(first) == 1, "old")\n'
    )
    (folder / "test_hidden.py").write_text(f"{IMPORTS}{suite_text}{test}\n\n{TWO}")
    with play(sandbox, RIGHT, *CHECKS) as session, Suite(Exercise(folder)) as suite:
        for _ in range(2):
            assert statuses(suite.run(session, SimpleNamespace(), 0).results)["one"] == [Status.PASSED]


def test_an_interruption_goes_through_and_ends_the_suite(sandbox: Sandbox, folder: Path) -> None:
    body = '@task("one")\ndef test_one():\n    """one"""\n    raise KeyboardInterrupt\n\n\n'
    (folder / "test_hidden.py").write_text(IMPORTS + body + TWO)
    with play(sandbox, RIGHT, *CHECKS) as session, Suite(Exercise(folder)) as suite:
        with pytest.raises(KeyboardInterrupt):
            suite.run(session, SimpleNamespace(), 0)
        with pytest.raises(ExerciseError):
            suite.run(session, SimpleNamespace(), 0)


def test_what_failed_tests_were_given_and_how_far_off_they_were(sandbox: Sandbox, folder: Path) -> None:
    callback = (
        '@task("one")\ndef test_one(student):\n    """one"""\n    assert_close(student.f(lambda x: x), 1.0)\n\n\n'
    )
    (folder / "test_hidden.py").write_text(IMPORTS + callback + TWO)
    work = "def f(h):\n    return h(7.0)\n\ndef g():\n    return 2.0"
    with play(sandbox, work, *CHECKS) as session, Suite(Exercise(folder)) as suite:
        run = suite.run(session, SimpleNamespace(), 0)
    assert run.traces == {"test_one": [(7.0,), Value(7.0)]}
    assert run.distances["test_two"] == [0.0]
    assert run.distances["test_one"] == [pytest.approx(6 / 1e-9, rel=0.01)]
