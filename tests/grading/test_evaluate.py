"""Whole submissions through the grader: full marks, none, just the right ones lost, and never a number by our fault."""

from __future__ import annotations

import functools
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import psutil
import pytest
from nbformat import NotebookNode

from autograder.exercise.build import build
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import Exercise, exercise_names, load_exercise
from autograder.exercise.variants import variant
from autograder.grading.evaluate import Evaluation, Grader, GraderConfig
from autograder.report import Report, Status
from autograder.submission.samples import solved, solved_by
from tests.nbgrader_course import named_variant
from tests.places import EXERCISES
from tests.sessions import descendants, protection
from tests.tiny import write_tiny_exercise

SLUGS = exercise_names(EXERCISES)


@functools.cache
def built(slug: str) -> Built:
    return build(load_exercise(slug, EXERCISES))


def without_demonstrations(notebook: NotebookNode) -> NotebookNode:
    """Only the cells that the course takes back: a student may have deleted the others, and their figures take time."""
    notebook.cells = [cell for cell in notebook.cells if cell.cell_type != "code" or "nbgrader" in cell.metadata]
    return notebook


def with_cells(notebook: NotebookNode, *sources: str, after: str = "setup") -> NotebookNode:
    """With cells of the student's own put after a cell of the course's."""
    place = next(number for number, cell in enumerate(notebook.cells, start=1) if cell.id == after)
    notebook.cells[place:place] = [nbformat.v4.new_code_cell(source) for source in sources]
    return notebook


def evaluate(grader: Grader, exercise: Built, notebook: NotebookNode | bytes, seed: int = 0) -> Evaluation:
    raw = notebook if isinstance(notebook, bytes) else nbformat.writes(notebook).encode()
    return grader.evaluate(raw, SeededExercise(exercise, seed))


def lost(report: Report) -> set[str]:
    """The automatic tasks that did not get all their points."""
    return {task.name for task in report.tasks if task.status is not Status.BY_HAND and task.earned != task.points}


def code_outputs(evaluation: Evaluation) -> list[NotebookNode]:
    return [output for cell in evaluation.notebook.cells for output in cell.get("outputs", [])]


def faults(report: Report) -> str:
    return report.fault + "".join(test.fault for task in report.tasks for test in task.tests)


# --- the exercises' own sample solutions ---


@pytest.mark.broad
@pytest.mark.parametrize("slug", SLUGS)
def test_the_solved_notebook_gets_every_automatic_point(grader: Grader, slug: str) -> None:
    evaluation = evaluate(grader, built(slug), solved(built(slug)))
    report = evaluation.report
    assert faults(report) == ""
    assert {task.status for task in report.tasks} == {Status.PASSED, Status.BY_HAND}
    assert (report.earned, report.findings) == (report.automatic_points, ())
    assert [output for output in code_outputs(evaluation) if output.output_type == "error"] == []


@pytest.mark.broad
@pytest.mark.parametrize("slug", SLUGS)
def test_the_released_stub_gets_nothing_and_shows_no_error(grader: Grader, slug: str) -> None:
    evaluation = evaluate(grader, built(slug), built(slug).release)
    report = evaluation.report
    assert faults(report) == ""
    assert {task.status for task in report.tasks} == {Status.MISSING, Status.BY_HAND}
    assert (report.earned, report.findings) == (0.0, ())
    assert all(task.earned == 0.0 for task in report.tasks if task.status is Status.MISSING)
    assert [output for output in code_outputs(evaluation) if output.output_type == "error"] == []


# --- the same for the same work ---

BUSY = [
    "object(), hash('text'), {'a', 'b', 'c'}",
    "import matplotlib.pyplot as plt\nplt.plot([1, 2]);",
    "import os, tempfile\nprint(os.getcwd(), tempfile.mkdtemp()[:5], id)\nraise ValueError(object())",
    "import os\nos._exit(1)",
]


def busy(exercise: Built) -> NotebookNode:
    """A notebook with much in it that could differ from run to run."""
    wrong = "def double(x):\n    return x if isinstance(x, float) else x * np.exp(np.sin(x)).sum()\n"
    return with_cells(solved_by(exercise, variant("work", wrong)), *BUSY)


def unseeded(exercise: Built) -> NotebookNode:
    """A notebook whose results hang on random numbers that nobody has seeded."""
    wrong = "def double(x):\n    import random\n    return 2 * x + np.random.rand() + random.random()\n"
    cell = "import random\nrandom.random(), np.random.rand(), np.random.randn(2)"
    return with_cells(solved_by(exercise, variant("work", wrong)), cell)


@pytest.fixture(scope="module")
def other() -> Iterator[Grader]:
    """A second grader, as another process of a batch has one."""
    with Grader() as grader:
        yield grader


@pytest.mark.broad
@pytest.mark.parametrize("make", [busy, unseeded])
def test_the_same_bytes_give_the_same_report_and_notebook(
    grader: Grader, other: Grader, tiny_built: Built, make: Callable[[Built], NotebookNode]
) -> None:
    notebook = make(tiny_built)
    first = evaluate(grader, tiny_built, notebook)
    assert first.report.task("double").status is Status.FAILED
    evaluate(grader, tiny_built, solved(tiny_built))
    for again in (evaluate(grader, tiny_built, notebook), evaluate(other, tiny_built, notebook)):
        assert again.report == first.report
        assert again.notebook == first.notebook


@pytest.mark.broad
def test_another_seed_gives_other_inputs(grader: Grader, tiny_built: Built) -> None:
    wrong = solved_by(tiny_built, variant("curved", "def double(x):\n    return 2 * x + 0.1 * x * x\n"))
    first, second = (evaluate(grader, tiny_built, wrong, seed).report for seed in (0, 1))
    assert (first.seed, second.seed) == (0, 1)
    assert first.task("double").tests != second.task("double").tests


ELSEWHERE = """
import sys
from pathlib import Path
from autograder.exercise.build import build
from autograder.exercise.built import SeededExercise
from autograder.grading.evaluate import Grader
from autograder.exercise.definition import Exercise
with Grader() as grader:
    seeded = SeededExercise(build(Exercise(Path(sys.argv[1]))), 0)
    print(grader.evaluate(sys.stdin.buffer.read(), seeded).report.to_json())
"""


@pytest.mark.slow
def test_the_threads_of_the_graders_process_have_no_say(grader: Grader) -> None:
    exercise = built("residual-connections")
    wrong = solved_by(exercise, named_variant(exercise, "missing_transpose"))
    raw = nbformat.writes(without_demonstrations(wrong)).encode()
    threads = "2" if os.environ.get("OMP_NUM_THREADS") == "1" else "1"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": threads}
    environment |= {f"{library}_NUM_THREADS": threads for library in ("OMP", "OPENBLAS", "MKL")}
    command = [sys.executable, "-c", ELSEWHERE, str(exercise.exercise.folder)]
    elsewhere = subprocess.run(command, input=raw, env=environment, stdout=subprocess.PIPE, check=True, timeout=120)
    assert json.loads(elsewhere.stdout) == json.loads(evaluate(grader, exercise, raw).report.to_json())


# --- faults of ours ---

MARK = "marker-of-the-hidden-suite"
NUMBER = "assert_close(student.double(2.5)"
BROKEN = {
    "error at import": lambda suite: f"{suite}\n\nraise ValueError({MARK!r})\n",
    "key error in a test": lambda suite: suite.replace(NUMBER, f"{{}}[{MARK!r}]\n    {NUMBER}"),
    "skip in a test": lambda suite: suite.replace(NUMBER, f"import pytest\n    pytest.skip({MARK!r})\n    {NUMBER}"),
    "test without a task": lambda suite: f"{suite}\n\ndef test_{MARK.replace('-', '_')}(student):\n    pass\n",
    "task without a test": lambda suite: suite[: suite.index('@task("quadruple")')] + f"# {MARK}\n",
}


OTHERS = ("error at import", "skip in a test", "test without a task", "task without a test")


@pytest.mark.broad
@pytest.mark.parametrize(
    "breaks", ["key error in a test", *(pytest.param(one, marks=pytest.mark.slow) for one in OTHERS)]
)
def test_a_broken_suite_gives_no_number_and_the_next_submission_is_graded(
    grader: Grader, tiny_built: Built, tmp_path: Path, breaks: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "autograder")
    folder = write_tiny_exercise(tmp_path / "tiny")
    suite = folder / "test_hidden.py"
    suite.write_text(BROKEN[breaks](suite.read_text()))
    exercise = build(Exercise(folder))
    evaluation = evaluate(grader, exercise, solved(exercise))
    report = evaluation.report
    assert (report.task("double").status, report.task("double").earned) == (Status.UNGRADED, None)
    assert all(task.earned is None for task in report.ungraded)
    assert faults(report)
    assert MARK not in nbformat.writes(evaluation.notebook)
    assert "Traceback" not in nbformat.writes(evaluation.notebook)
    assert "tiny: ungraded: double" in caplog.text
    assert MARK not in caplog.text
    after = evaluate(grader, tiny_built, solved(tiny_built)).report
    assert (after.earned, lost(after), faults(after)) == (7.0, set(), "")


@pytest.mark.broad
def test_only_the_task_with_the_broken_test_is_ungraded(grader: Grader, tmp_path: Path) -> None:
    folder = write_tiny_exercise(tmp_path / "tiny")
    suite = folder / "test_hidden.py"
    suite.write_text(BROKEN["key error in a test"](suite.read_text()))
    exercise = build(Exercise(folder))
    report = evaluate(grader, exercise, solved(exercise)).report
    assert [(task.status, task.earned) for task in report.tasks] == [
        (Status.UNGRADED, None),
        (Status.PASSED, 3.0),
        (Status.BY_HAND, None),
    ]


@pytest.mark.broad
def test_a_broken_reference_gives_no_number(grader: Grader, tiny_built: Built, tmp_path: Path) -> None:
    folder = write_tiny_exercise(tmp_path / "tiny")
    source = folder / "notebook.py"
    source.write_text(source.read_text().replace("START = 0", "START = 1 / 0"))
    exercise = build(Exercise(folder))
    report = evaluate(grader, exercise, solved(tiny_built)).report
    assert {task.status for task in report.tasks} == {Status.UNGRADED, Status.BY_HAND}
    assert "ZeroDivisionError" in report.fault


@pytest.mark.broad
def test_a_process_that_cannot_be_started_gives_no_number(tiny_built: Built) -> None:
    with Grader(GraderConfig(protection=protection(["limits"]))) as breaches:
        report = evaluate(breaches, tiny_built, solved(tiny_built)).report
    assert {task.status for task in report.tasks} == {Status.UNGRADED, Status.BY_HAND}
    assert "SandboxError" in report.fault


@pytest.mark.broad
def test_what_was_allowed_to_be_open_is_in_the_report(tiny_built: Built) -> None:
    with Grader(GraderConfig(protection=protection(["limits"], ["resources"]))) as breaches:
        report = evaluate(breaches, tiny_built, solved(tiny_built)).report
    assert (report.earned, report.breaches) == (7.0, ("resources",))


@pytest.mark.broad
def test_a_warm_parent_that_a_neighbour_has_killed_is_replaced_without_loss(
    tiny_built: Built, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = descendants()
    with Grader() as grader:
        assert evaluate(grader, tiny_built, solved(tiny_built)).report.earned == 7.0
        for pid in descendants() - before:
            psutil.Process(pid).kill()
        assert evaluate(grader, tiny_built, solved(tiny_built)).report.earned == 7.0
    assert "again, with a new warm parent" in caplog.text


# --- what students' code does ---


@pytest.mark.broad
def test_points_earned_before_a_crash_are_kept_and_later_tasks_are_graded(grader: Grader, tiny_built: Built) -> None:
    work = (
        "def double(x):\n    if isinstance(x, float):\n        import os\n        os._exit(1)\n    return 2 * x\n\n\n"
        "def quadruple(x):\n    return 4 * x\n"
    )
    report = evaluate(grader, tiny_built, solved_by(tiny_built, variant("work", work))).report
    double, quadruple, _ = report.tasks
    assert (double.status, double.earned) == (Status.CRASHED, 3.0)
    assert [test.status for test in double.tests] == [Status.PASSED, Status.CRASHED]
    assert (quadruple.status, quadruple.earned) == (Status.PASSED, 3.0)


@pytest.mark.broad
def test_a_function_that_hangs_costs_its_own_task_alone(grader: Grader, tmp_path: Path) -> None:
    folder = write_tiny_exercise(tmp_path / "tiny")
    toml = folder / "exercise.toml"
    toml.write_text(toml.read_text().replace("[tasks.double]", "[limits]\ncpu_seconds = 0.5\n\n[tasks.double]"))
    exercise = build(Exercise(folder))
    work = "def double(x):\n    while True:\n        pass\n\n\ndef quadruple(x):\n    return 4 * x\n"
    report = evaluate(grader, exercise, solved_by(exercise, variant("work", work))).report
    double, quadruple, _ = report.tasks
    assert (double.status, double.earned) == (Status.TIMEOUT, 0.0)
    after = "it was not done after 0.5 seconds of computing or 60 seconds of waiting"
    assert [test.message for test in double.tests] == [after, after]
    assert (quadruple.status, quadruple.earned) == (Status.PASSED, 3.0)


def test_a_cell_that_ends_the_process_is_a_finding_and_costs_nothing_else(grader: Grader, tiny_built: Built) -> None:
    evaluation = evaluate(grader, tiny_built, with_cells(solved(tiny_built), "import os\nos._exit(4)", "'after'"))
    report = evaluation.report
    assert (report.earned, lost(report)) == (7.0, set())
    assert [(finding.kind, finding.message) for finding in report.findings] == [
        ("crashed", "cell 2: it ended the notebook's process (exit code 4)")
    ]
    texts = [output.text for output in code_outputs(evaluation) if output.output_type == "stream"]
    assert "This cell was left out (crashed): it ended the notebook's process (exit code 4).\n" in texts


@pytest.mark.broad
@pytest.mark.parametrize(
    ("cells", "limits", "status"),
    [
        (["import os\nos._exit(1)"] * 3, "restarts = 2", Status.CRASHED),
        (["while True: pass"] * 3, "cpu_seconds = 0.4\ntotal_cpu_seconds = 1", Status.TIMEOUT),
    ],
    ids=["starts", "time"],
)
def test_a_notebook_that_uses_up_what_it_may_gets_a_number(
    grader: Grader, tmp_path: Path, cells: list[str], limits: str, status: Status
) -> None:
    folder = write_tiny_exercise(tmp_path / "tiny")
    toml = folder / "exercise.toml"
    toml.write_text(toml.read_text().replace("[tasks.double]", f"[limits]\n{limits}\n\n[tasks.double]"))
    exercise = build(Exercise(folder))
    report = evaluate(grader, exercise, with_cells(solved(exercise), *cells)).report
    assert [(task.status, task.earned) for task in report.tasks] == [
        (status, 0.0),
        (status, 0.0),
        (Status.BY_HAND, None),
    ]
    assert {finding.kind for finding in report.findings} == {str(status)}
    assert report.fault == ""


HOSTILE = {
    "garbage on the channel": "import os\ndef double(x):\n    os.write(3, b'garbage' * 100)\n    return 2 * x",
    "a frame on the channel": (
        "import json, os, struct\ndef double(x):\n"
        '    s = json.dumps(["dict", ["kind", "value"]]).encode()\n'
        '    os.write(3, struct.pack("!II", len(s), 0) + s)\n    return 2 * x'
    ),
    "a value that is equal to all": "class Yes:\n    __eq__ = lambda *_: True\ndef double(x):\n    return Yes()",
    "an array of a liar": (
        "class Liar(np.ndarray):\n    __array_ufunc__ = None\n    __sub__ = __rsub__ = lambda *_: np.zeros(1)\n"
        "def double(x):\n    return np.asarray(x).view(Liar)"
    ),
    "an exception that passes": "class passed(Exception):\n    pass\ndef double(x):\n    raise passed('passed')",
    "outputs like a score": "print(7.0)\ndisplay(7.0)\n7.0\ndef double(x):\n    print(7.0)\n    return 7.0",
    "not written yet": "def double(x):\n    raise NotImplementedError('not written yet')",
    "an image of no base64": "display({'image/png': 'ü'}, raw=True)\ndef double(x):\n    return x",
    "a patched worker": (
        "import sys\nw = sys.modules['autograder.inside.server']._Server\n"
        "w.call = lambda *_, **__: {'kind': 'value', 'value': ['array', 'float64', [-1]]}\ndef double(x):\n    return x"
    ),
    "an empty shape larger than memory": (
        "import json, os, struct\ndef double(x):\n"
        '    value = ["array", "float64", [0] + [2**28] * 15]\n'
        '    s = json.dumps(["dict", ["kind", "value"], ["value", value]]).encode()\n'
        '    os.write(3, struct.pack("!II", len(s), 0) + s)\n    return 2 * x'
    ),
}


@pytest.mark.parametrize("trick", list(HOSTILE))
def test_no_trick_passes_or_harms_the_next_submission(grader: Grader, tiny_built: Built, trick: str) -> None:
    notebook = solved(tiny_built)
    next(cell for cell in notebook.cells if cell.id == "double-code").source = HOSTILE[trick]
    report = evaluate(grader, tiny_built, notebook).report
    assert report.task("double").status not in (Status.PASSED, Status.UNGRADED)
    assert report.task("double").earned == 0.0
    assert faults(report) == ""
    after = evaluate(grader, tiny_built, solved(tiny_built)).report
    assert (after.earned, lost(after)) == (7.0, set())


@pytest.mark.parametrize(
    "raw", [b"", b"\xff", b"[]", b"{}", b"null", b'{"cells": 3}', b"[" * 100_000], ids=lambda raw: repr(raw[:20])
)
def test_a_file_that_is_no_notebook_waits_for_a_person(grader: Grader, tiny_built: Built, raw: bytes) -> None:
    evaluation = evaluate(grader, tiny_built, raw)
    report = evaluation.report
    assert [task.status for task in report.tasks] == [Status.UNGRADED, Status.UNGRADED, Status.BY_HAND]
    assert [task.earned for task in report.tasks] == [None, None, None]
    assert (report.fault, [finding.kind for finding in report.findings]) == ("", ["unreadable"])
    nbformat.validate(evaluation.notebook)
    page = nbformat.writes(evaluation.notebook)
    assert "could not be read, so this is not graded" in page
    assert "through no fault of yours" not in page


def test_the_graded_notebook_is_valid(grader: Grader, tiny_built: Built) -> None:
    evaluation = evaluate(grader, tiny_built, busy(tiny_built))
    nbformat.validate(evaluation.notebook)
    for cell in evaluation.notebook.cells:
        if cell.id in ("double", "quadruple"):
            number = [output.data["text/plain"] for output in cell.outputs if output.output_type == "execute_result"]
            assert number == [repr(evaluation.report.task(cell.id).earned)]
