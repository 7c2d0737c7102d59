"""A process of ours starts quickly and says what it does; a process of somebody else's is left as it is."""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner, Result

from autograder.batch.evaluators import WarmGrader
from autograder.cli import main
from autograder.exercise.built import Built
from autograder.grading.evaluate import Grader
from autograder.startup import log_to_stderr
from autograder.submission.samples import solved
from tests.nbgrader_course import submit


def printed_by(code: str) -> str:
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    return ran.stdout


@pytest.mark.broad
def test_importing_the_package_changes_nothing_in_a_host_process() -> None:
    code = """
import logging, os, signal, sys
before = dict(os.environ), signal.getsignal(signal.SIGINT)
import autograder, autograder.api, autograder.testing, autograder.settings
print([name for name, module in sys.modules.items() if module is None])
print((dict(os.environ), signal.getsignal(signal.SIGINT)) == before)
print(logging.getLogger().handlers, logging.getLogger("autograder").handlers)
import rfc3987_syntax
"""
    assert printed_by(code).splitlines() == ["[]", "True", "[] []"]


@pytest.mark.broad
def test_the_command_does_not_build_a_grammar_that_no_notebook_needs() -> None:
    code = """
import sys
from autograder.cli import main
main(["build", "--help"], standalone_mode=False)
import jsonschema
print("lark" in sys.modules, sys.modules["rfc3987_syntax"])
"""
    assert printed_by(code).splitlines()[-1] == "False None"


def test_help_loads_click_and_nothing_that_takes_time() -> None:
    code = """
import sys
from autograder.cli import main
main(["--help"], standalone_mode=False)
print([name for name in ("logging", "rich", "msgspec", "traitlets", "nbformat") if name in sys.modules])
"""
    assert printed_by(code).splitlines()[-1] == "[]"


def test_only_our_own_lines_are_shown_and_only_while_they_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    ours, others = logging.getLogger("autograder.a"), logging.getLogger("nbgrader.a")
    for verbose in (True, False):
        with log_to_stderr(verbose):
            ours.debug("took %s", f"long {verbose}")
            ours.warning("a fault, %s", verbose)
            others.info("not ours")
    ours.info("too late")
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition("autograder.a: ")[2] for line in lines] == [
        "took long True",
        "a fault, True",
        "a fault, False",
    ]


@pytest.fixture(scope="module")
def graded(
    tmp_path_factory: pytest.TempPathFactory, tiny_course: Path, tiny_built: Built, grader: Grader
) -> dict[str, Result]:
    """What `grade` of a class of two said, with --verbose and a grader of its own, and without by a warm one."""
    root = shutil.copytree(tiny_course, tmp_path_factory.mktemp("graded") / "course")
    notebook = nbformat.from_dict(solved(tiny_built))
    notebook.cells[-1].source = "SECRET of a student"
    submit(root, "ada", "tiny", notebook)
    submit(root, "eve\u202e", "tiny", notebook)  # a name that is refused
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        said = {"-v": _grade("-v")}
        patch.setattr("autograder.batch.evaluators.Processes", lambda _: WarmGrader(grader))
        return said | {"": _grade("")}


def _grade(word: str) -> Result:
    return CliRunner().invoke(main, [*filter(None, [word]), "grade", "--fresh", "--jobs", "1", "tiny"])


@pytest.mark.broad
def test_verbose_tells_on_stderr_what_is_done_and_how_long_it_takes(graded: dict[str, Result]) -> None:
    said = graded["-v"].stderr
    for part in (
        "autograder.isolation.sandbox: a warm parent is ready, with numpy",
        "autograder.isolation.sandbox: a student's process is started",
        "autograder.isolation.process: a student's process is ended: signal",
        "autograder.grading.runner: tiny: a run took ",
        "autograder.grading.evaluate: tiny: evaluated, 7 of 7 points",
        "autograder.course.gradebook: tiny: its cells and points are in the gradebook",
        "autograder.course.gradebook: ada: recorded",
    ):
        assert part in said
    assert "SECRET" not in said
    assert "\u202e" not in said


@pytest.mark.broad
def test_verbose_changes_nothing_but_stderr(graded: dict[str, Result]) -> None:
    assert graded[""].stderr == ""
    scores = [one.stdout.partition("Scores")[2] for one in graded.values()]  # the bar before them tells the time
    assert scores[0] == scores[1] != ""
    assert {one.exit_code for one in graded.values()} == {1}


def test_the_command_leaves_no_handler_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, ["--verbose", "show", "tiny"]).exit_code == 2
    assert logging.getLogger("autograder").handlers == []
