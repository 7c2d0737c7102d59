"""Plain assignments: nbgrader's own tests, in the student's process, by nbgrader's own rules."""

from __future__ import annotations

from pathlib import Path

import msgspec
import nbformat
import pytest
from nbformat import NotebookNode
from nbgrader.utils import determine_grade
from traitlets.config import Config

from autograder.exercise.definition import Limits
from autograder.grading.evaluate import Evaluation, Grader
from autograder.grading.plain import TRUST
from autograder.report import Report, Status
from autograder.submission.handed_in import Contents
from tests import plain_notebooks as plain
from tests.plain_notebooks import SMALL

SOURCE = plain.notebook(
    plain.solution("double", "def double(x):\n    return 2 * x"),
    plain.test("double-test", 2, "assert double(2) == 4"),
    plain.solution("triple", "def triple(x):\n    return 3 * x"),
    plain.test("triple-test", 3, "sum(triple(x) == 3 * x for x in (0, 1, 2))"),
    plain.by_hand("why", 4, "YOUR ANSWER HERE"),
)


def evaluate(
    grader: Grader, source: NotebookNode, handed_in: NotebookNode | None = None, **options: object
) -> Evaluation:
    """What a submission for an assignment of one notebook comes to."""
    return grader.evaluate(plain.raw(handed_in or source), plain.assignment(source, **options))  # type: ignore[arg-type]


def earned(report: Report) -> dict[str, float | None]:
    return {task.name: task.earned for task in report.tasks}


def kinds(report: Report) -> set[str]:
    return {finding.kind for finding in report.findings}


def reason(report: Report, task: str) -> str:
    (result,) = report.task(task).tests
    return result.message


def score(evaluation: Evaluation, name: str) -> float | None:
    """What nbgrader reads from the graded notebook."""
    cell = next(cell for cell in evaluation.notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == name)
    points: float | None = determine_grade(cell)[0]
    return points


def test_scores_are_what_the_outputs_are_worth(grader: Grader) -> None:
    right = evaluate(grader, SOURCE).report
    assert earned(right) == {"double-test": 2, "triple-test": 3, "why": None}
    wrong = evaluate(grader, SOURCE, plain.with_texts(SOURCE, double="double = int", triple="triple = int")).report
    assert earned(wrong) == {"double-test": 0, "triple-test": 1, "why": None}
    assert [task.status for task in wrong.tasks] == [Status.FAILED, Status.FAILED, Status.BY_HAND]
    assert "cell 2, line 1: assert double(2) == 4" in reason(wrong, "double-test")
    assert reason(wrong, "triple-test") == "it gave 1 of 3"


def test_a_report_is_the_same_each_time_and_says_how_far_it_can_be_trusted(grader: Grader) -> None:
    one, other = (evaluate(grader, SOURCE).report for _ in range(2))
    assert one == other == msgspec.json.decode(one.to_json(), type=Report)
    assert one.trust == TRUST


def test_what_is_written_to_stderr_in_a_test_is_an_error_as_nbgrader_has_it(grader: Grader) -> None:
    source = plain.notebook(plain.test("warns", 1, "import warnings\nwarnings.warn('deprecated')"))
    report = evaluate(grader, source).report
    assert (earned(report), reason(report, "warns")) == ({"warns": 0}, "it wrote to stderr, which counts as an error")


ENDS = {
    "import os; os._exit(0)": Status.CRASHED,
    "import ctypes; ctypes.string_at(0)": Status.CRASHED,
    "while True: pass": Status.TIMEOUT,
}


@pytest.mark.parametrize("deadly", list(ENDS))
def test_a_test_that_ends_the_process_costs_its_own_points_and_no_others(deadly: str, grader: Grader) -> None:
    handed_in = plain.with_texts(SOURCE, double=f"def double(x):\n    {deadly}")
    evaluation = evaluate(grader, SOURCE, handed_in)
    assert earned(evaluation.report) == {"double-test": 0, "triple-test": 3, "why": None}
    assert evaluation.report.task("double-test").status is ENDS[deadly]
    assert (score(evaluation, "double-test"), score(evaluation, "triple-test")) == (0, 3)
    assert ENDS[deadly] in kinds(evaluation.report)


def test_no_cell_that_was_never_run_looks_as_if_it_had_passed(grader: Grader) -> None:
    handed_in = plain.with_texts(SOURCE, double="while True: pass")
    limits = Limits(cpu_seconds=1, wall_seconds=20, total_cpu_seconds=1, memory=512)
    evaluation = evaluate(grader, SOURCE, handed_in, limits=limits)
    assert [task.status for task in evaluation.report.tasks[:2]] == [Status.TIMEOUT, Status.TIMEOUT]
    assert (score(evaluation, "double-test"), score(evaluation, "triple-test")) == (0, 0)
    assert "not run" in reason(evaluation.report, "triple-test")


def test_leaving_through_sys_exit_is_no_way_round_a_test(grader: Grader) -> None:
    handed_in = plain.with_texts(SOURCE, double="import sys\ndef double(x):\n    sys.exit()")
    evaluation = evaluate(grader, SOURCE, handed_in)
    assert (evaluation.report.task("double-test").status, score(evaluation, "double-test")) == (Status.ERROR, 0)


CONNECT = "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:9')"
NOT_POSSIBLE = {
    "a shell command": "files = !ls\nassert files",
    "a cell magic for the shell": "%%bash\ntrue",
    "the network": CONNECT,
    "a package that is not here": "import no_such_package",
    "more output than is kept": "print('x' * (2 << 20))",
    "more points than there are": "5",
}


@pytest.mark.parametrize("what", list(NOT_POSSIBLE))
def test_a_test_that_cannot_be_run_or_scored_here_waits_for_a_person(what: str, grader: Grader) -> None:
    source = plain.notebook(plain.test("author", 2, NOT_POSSIBLE[what]), plain.test("other", 1, "assert True"))
    report = evaluate(grader, source).report
    assert (earned(report), report.task("author").status) == ({"author": None, "other": 1}, Status.UNGRADED)
    assert reason(report, "author")


def test_a_test_whose_output_has_no_room_left_waits_for_a_person_and_one_without_output_does_not(
    grader: Grader,
) -> None:
    half = "print('x' * (6 << 17))\nassert True"
    source = plain.notebook(plain.code(half), plain.test("talks", 2, half), plain.test("is-silent", 1, "assert True"))
    limits = msgspec.structs.replace(SMALL, total_output=1)
    report = evaluate(grader, source, limits=limits).report
    assert (earned(report), kinds(report)) == ({"talks": None, "is-silent": 1}, {"output"})


@pytest.mark.parametrize("what", ["a shell command", "the network", "a package that is not here"])
def test_what_a_student_asks_for_that_is_not_here_is_a_lost_point(what: str, grader: Grader) -> None:
    body = NOT_POSSIBLE[what].replace("files = !ls\nassert files", "raise OSError(get_ipython().getoutput('ls'))")
    wrong = "def double(x):\n    " + body.replace("\n", "\n    ")
    report = evaluate(grader, SOURCE, plain.with_texts(SOURCE, double=wrong)).report
    if what == "a shell command":  # whose test has seen it left out
        assert report.task("double-test").status is Status.UNGRADED
    else:
        assert (report.task("double-test").status, report.task("double-test").earned) == (Status.ERROR, 0)


def test_the_courses_cells_are_put_back_and_what_they_are_for(grader: Grader) -> None:
    handed_in = plain.with_texts(SOURCE, double="double = int", double_test="assert True", why="Because.")
    marks = {cell.id: cell.metadata.nbgrader for cell in handed_in.cells}
    marks["double-test"]["points"] = 100
    marks["triple-test"]["solution"] = True
    marks["why"]["solution"] = False
    evaluation = evaluate(grader, SOURCE, handed_in)
    assert earned(evaluation.report) == {"double-test": 0, "triple-test": 3, "why": None}
    assert (score(evaluation, "why"), kinds(evaluation.report)) == (None, {"edited"})


def test_a_cell_that_is_there_twice_or_unknown_fails_nothing(grader: Grader) -> None:
    handed_in = plain.notebook(*SOURCE.cells, *SOURCE.cells[:2], plain.test("unknown", 9, "assert True"))
    for number, cell in enumerate(handed_in.cells):
        cell.id = f"cell-{number}"
    report = evaluate(grader, SOURCE, handed_in).report
    assert (earned(report), kinds(report)) == ({"double-test": 2, "triple-test": 3, "why": None}, {"edited"})


def test_a_cell_that_is_gone_is_left_to_a_person_as_nbgrader_does(grader: Grader) -> None:
    report = evaluate(grader, SOURCE, plain.without(SOURCE, "double-test")).report
    assert earned(report) == {"double-test": None, "triple-test": 3, "why": None}
    assert (report.task("double-test").status, kinds(report)) == (Status.BY_HAND, {"deleted"})


def test_tests_that_are_gone_are_put_back_where_the_course_says_so(grader: Grader) -> None:
    config = Config({"OverwriteCells": {"add_missing_cells": True}})
    evaluation = evaluate(grader, SOURCE, plain.without(SOURCE, "double-test"), config=config)
    assert earned(evaluation.report) == {"double-test": 2, "triple-test": 3, "why": None}
    assert score(evaluation, "double-test") == 2


def test_a_cell_that_its_author_lets_no_tool_run_is_not_run_but_a_test_is(grader: Grader) -> None:
    source = plain.notebook(plain.code("skipped = 1"), plain.test("looks", 1, "assert 'skipped' not in globals()"))
    for cell in source.cells:
        cell.metadata["tags"] = ["skip-execution"]
    assert earned(evaluate(grader, source).report) == {"looks": 1}
    failing = plain.notebook(plain.test("looks", 1, "assert False"))
    failing.cells[0].metadata["tags"] = ["skip-execution"]
    assert earned(evaluate(grader, failing).report) == {"looks": 0}


@pytest.mark.parametrize("file", [b"", b"no notebook", b"[]", b'{"cells": [1]}'])
def test_all_of_a_file_that_cannot_be_read_waits_for_a_person(file: bytes, grader: Grader) -> None:
    evaluation = grader.evaluate(file, plain.assignment(SOURCE))
    assert earned(evaluation.report) == {"double-test": None, "triple-test": None, "why": None}
    assert kinds(evaluation.report) == {"unreadable"}
    assert not evaluation.report.fault
    assert "not graded" in evaluation.notebook.cells[0].source


def test_each_notebook_of_an_assignment_is_graded_for_itself(grader: Grader) -> None:
    three = plain.assignment(SOURCE, SOURCE, SOURCE, names=("first", "second", "third"))
    handed_in = Contents({"first": plain.raw(SOURCE), "second": b"broken"})
    evaluation = grader.evaluate(handed_in, three)
    assert earned(evaluation.report) == {
        **{"first/double-test": 2, "first/triple-test": 3, "first/why": None},
        **dict.fromkeys(("second/double-test", "second/triple-test", "second/why")),
        **dict.fromkeys(("third/double-test", "third/triple-test", "third/why"), 0),
    }
    assert {*evaluation.notebooks} == {"first", "second"}
    assert kinds(evaluation.report) == {"unreadable", "missing"}


def test_files_lie_beside_the_notebook_and_the_courses_own_come_first(grader: Grader) -> None:
    look = "import os\nfrom pathlib import Path\nassert Path('data/points.csv').read_bytes() == b'\\x00ours'"
    more = "from helper import one\nassert one == 1\nPath('data/points.csv').write_text('mine')"
    source = plain.notebook(
        plain.test("reads", 1, f"{look}\n{more};"),
        plain.test("environment", 1, "assert os.environ['NBGRADER_EXECUTION'] == 'autograde'"),
    )
    given = plain.assignment(source, files={"data/points.csv": b"\x00ours"})
    theirs = {"data/points.csv": b"theirs", "helper.py": b"one = 1"}
    report = grader.evaluate(Contents({"plain": plain.raw(source)}, theirs), given).report
    assert (earned(report), report.fault) == ({"reads": 1, "environment": 1}, "")


def test_of_what_was_handed_in_beside_the_notebook_the_ignored_and_the_courses_own_are_left_out() -> None:
    given = plain.assignment(SOURCE, files={"data.csv": b""})
    files = ("plain.ipynb", "data.csv", "helper.py", "sub/more.py", ".ipynb_checkpoints/helper.py", "sub/other.ipynb")
    assert given.used_files(files) == ("helper.py", "sub/more.py")


def test_a_students_process_reaches_no_file_of_the_course(grader: Grader, tmp_path: Path) -> None:
    secret = tmp_path / "gradebook.db"
    secret.write_text("everything")
    reach = f"import os, glob\nfound = glob.glob('{tmp_path}/*') + [open('{secret}').read()]"
    handed_in = plain.with_texts(SOURCE, double=f"{reach}\ndef double(x):\n    return 4")
    evaluation = evaluate(grader, SOURCE, handed_in)
    assert earned(evaluation.report)["double-test"] == 0
    assert "everything" not in nbformat.writes(evaluation.notebook)


def test_a_limit_of_the_course_is_a_limit_here(grader: Grader) -> None:
    source = plain.notebook(plain.test("large", 1, "assert len(bytearray(1 << 29))"))
    assert earned(evaluate(grader, source, limits=SMALL).report) == {"large": 0}
    roomy = msgspec.structs.replace(SMALL, memory=2048)
    assert earned(evaluate(grader, source, limits=roomy).report) == {"large": 1}
