"""Plain assignments of nbgrader: their tests are cells of the notebook and run where the student's code runs, as they
were written.

So the whole notebook runs in the student's process, shut in as any other, and what its outputs are worth is nbgrader's
to say: `Rules`. What this package adds is the process, its limits and the true reason of each lost point. Cells that
end the process are left out, and the others are run again without them. A test that asks for what nobody has while
grading, or says more than is kept, is no student's zero.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import nbformat
from nbformat import NotebookNode

from autograder.exercise.built import SeededExercise
from autograder.exercise.definition import Limits
from autograder.grading.evaluation import Part, ended
from autograder.grading.reasons import told
from autograder.grading.runner import Runner
from autograder.isolation.session import CellResult, Surroundings
from autograder.isolation.unavailable import NOT_AVAILABLE
from autograder.report import Finding, Report, Status, TaskResult, TestResult, task_name
from autograder.scrub import plain_line, scrub
from autograder.submission.cells import Cell
from autograder.submission.document import UnreadableError, json_text
from autograder.submission.handed_in import Contents, laid_beside

TRUST = (
    "the tests of this assignment ran in the student's own process: the machine, the course's files, the gradebook and "
    "the other students were shut off, but code that means to can reach these tests and their results"
)
_VARIABLES = {"NBGRADER_EXECUTION": "autograde"}
_SKIPPED = "skip-execution"  # the tag of a cell that no tool runs
_TRIED = "the test cell, as its author wrote it"
_OVER = "not run: the notebook had used up its time, or ended its process too often"


@dataclass(frozen=True)
class PlainTask:
    """What a cell is worth. by_hand: whether a person grades it."""

    cell: str
    points: float
    by_hand: bool


class Rules(Protocol):
    """What nbgrader makes of notebooks of one assignment. It needs no gradebook, and can be pickled."""

    def mended(self, notebook: NotebookNode, name: str) -> tuple[NotebookNode, tuple[Finding, ...]]:
        """As it is before it is run: no outputs, the course's cells as they were released. Errors: any, of nbgrader."""

    def finished(self, notebook: NotebookNode) -> NotebookNode:
        """With its outputs as they are looked at."""

    def score(self, cell: NotebookNode) -> float | None:
        """The points that the outputs of a grade cell are worth. Errors: ValueError, KeyError where they are none."""


@dataclass(frozen=True)
class PlainAssignment:
    """What submissions are graded by. tasks: by notebook. files: the course's own, which lie beside the notebooks.

    ignored: patterns of names of files that nbgrader leaves alone. The others are as every kind of assignment has them:
    see `SeededExercise`.
    """

    slug: str
    version: str
    seed: int
    tasks: Mapping[str, tuple[PlainTask, ...]]
    files: Mapping[str, bytes]
    ignored: tuple[str, ...]
    packages: tuple[str, ...]
    limits: Limits
    rules: Rules

    @property
    def notebooks(self) -> tuple[str, ...]:
        return tuple(self.tasks)

    @property
    def exercises(self) -> tuple[SeededExercise, ...]:
        return ()

    @property
    def folder(self) -> None:
        return None

    def used_files(self, files: Iterable[str]) -> tuple[str, ...]:
        return tuple(laid_beside(files, self.ignored, self.files))

    def moved(self, folder: Path) -> PlainAssignment:
        return self


class PlainAttempt:
    """A notebook of a submission for a plain assignment."""

    def __init__(
        self, contents: Contents, assignment: PlainAssignment, name: str, found: tuple[Finding, ...], runner: Runner
    ) -> None:
        self._contents = contents
        self._assignment = assignment
        self._name = name
        self._found = found
        self._runner = runner
        self._mended: NotebookNode | None = None
        self._why_unread = ""
        self._is_broken = False

    def absent(self) -> Part:
        """As nbgrader has it: not handed in is nothing earned."""
        said = f"no {self._name}.ipynb was handed in"
        return Part(self._report(self._result(task, Status.MISSING, 0.0, said) for task in self._tasks), None)

    def read(self) -> bool:
        try:
            with warnings.catch_warnings(action="ignore"):  # what it mends
                notebook = nbformat.reads(json_text(self._contents.notebooks[self._name]), as_version=4)
            self._mended, findings = self._assignment.rules.mended(notebook, self._name)
            self._found += findings
        except UnreadableError as error:
            self._why_unread = f"{self._name}.ipynb cannot be read: {error}"
        except Exception as error:
            said = plain_line(str(error).partition("\n")[0])[:500]
            self._why_unread = f"nbgrader cannot read the cells of {self._name}.ipynb: {said}"
        self._found += (Finding("unreadable", self._why_unread),) if self._why_unread else ()
        return self._mended is not None

    def evaluate(self) -> Part:
        notebook = copy.deepcopy(self._mended)
        assert notebook is not None
        self._is_broken = True  # until it has come back
        played = self._runner.play(_cells(notebook), self._assignment.packages, self._assignment.limits, self._around())
        self._is_broken = False
        for index, run in played.cells.items():
            _show(notebook.cells[index], run)
        notebook = self._assignment.rules.finished(notebook)
        places = {
            cell.metadata.nbgrader.grade_id: index
            for index, cell in enumerate(notebook.cells)
            if cell.metadata.get("nbgrader", {}).get("grade")
        }
        tasks: list[TaskResult] = []
        missing: list[Finding] = []
        for task in self._tasks:
            if task.by_hand or task.cell not in places:
                tasks.append(self._result(task, Status.BY_HAND, None))
                missing += [] if task.by_hand else [_gone(task.cell)]
            else:
                place = places[task.cell]
                tasks.append(self._judged(task, notebook.cells[place], played.cells.get(place)))
        findings = (*missing, *ended(played.cells), *played.findings)
        return Part(self._report(tasks, findings, breaches=played.breaches), notebook)

    def not_graded(self, fault: str = "") -> Part:
        """With a page that says so, for whoever looks at it."""
        self._is_broken = bool(fault)
        said = scrub(f"This is not graded. {self._why_unread}").replace("<", "&lt;")
        page = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(said, id="not-graded")])
        tasks = (self._result(task, Status.BY_HAND if task.by_hand else Status.UNGRADED, None) for task in self._tasks)
        return Part(self._report(tasks, fault=fault), self._mended or page)

    def drop(self) -> None:
        if self._is_broken:
            self._runner.drop_parents(self._assignment.packages)

    @property
    def _tasks(self) -> tuple[PlainTask, ...]:
        return self._assignment.tasks[self._name]

    def _report(
        self,
        tasks: Iterable[TaskResult],
        findings: tuple[Finding, ...] = (),
        fault: str = "",
        breaches: tuple[str, ...] = (),
    ) -> Report:
        one, all_findings = self._assignment, (*self._found, *findings)
        return Report(one.slug, one.version, one.seed, tuple(tasks), all_findings, fault, breaches, TRUST)

    def _judged(self, task: PlainTask, cell: NotebookNode, run: CellResult | None) -> TaskResult:
        """What its outputs are worth, where they are all that the cell has said and it was run to its end."""
        if run and (lost := _why_lost(run)):
            return self._result(task, *lost)
        if run and (reason := _why_nobody_can_say(run)):
            return self._result(task, Status.UNGRADED, None, reason)
        try:
            earned = self._assignment.rules.score(cell)
        except (ValueError, KeyError) as error:
            return self._result(task, Status.UNGRADED, None, f"nbgrader cannot score what it gave: {error}")
        if run and run.error:
            status = Status.FAILED if run.error.type == "AssertionError" else Status.ERROR
            return self._result(task, status, earned, told(run.error))
        if earned == task.points:
            return self._result(task, Status.PASSED, earned)
        has_warned = any(output.get("name") == "stderr" for output in cell.outputs)
        said = (
            "it wrote to stderr, which counts as an error" if has_warned else f"it gave {earned:g} of {task.points:g}"
        )
        return self._result(task, Status.FAILED, earned, said)

    def _result(self, task: PlainTask, status: Status, earned: float | None, message: str = "") -> TaskResult:
        title = task_name(self._assignment.slug, self._name, task.cell)
        tests = () if status is Status.BY_HAND else (TestResult(task.cell, _TRIED, 1.0, status, message),)
        return TaskResult(task.cell, title, task.points, earned, status, tests=tests)

    def _around(self) -> Surroundings:
        return Surroundings({**self._contents.files, **self._assignment.files}, _VARIABLES)


def _cells(notebook: NotebookNode) -> tuple[Cell, ...]:
    return tuple(Cell(cell.cell_type, cell.source, superseded=_is_skipped(cell.metadata)) for cell in notebook.cells)


def _is_skipped(metadata: NotebookNode) -> bool:
    """Not so a test: the tag is not among what nbgrader puts back."""
    return _SKIPPED in metadata.get("tags", ()) and not metadata.get("nbgrader", {}).get("grade")


def _show(cell: NotebookNode, run: CellResult) -> None:
    """Put the outputs of a run into its cell; one that was not run to its end must not look as if it had passed."""
    cell.execution_count = run.number
    cell.outputs = [NotebookNode(output) for output in run.outputs]
    if said := _why_not_done(run):
        name = "SystemExit" if run.has_exited else "NotRun"
        cell.outputs.append(nbformat.v4.new_output("error", ename=name, evalue=said, traceback=[f"{name}: {said}"]))


def _why_not_done(run: CellResult) -> str:
    if run.ended:
        return f"This cell was left out ({run.ended.status}): {run.ended.reason}"
    if run.has_exited:
        return "it left through sys.exit"
    return "" if run.is_done else _OVER


def _why_lost(run: CellResult) -> tuple[Status, float, str] | None:
    """Of a test that the student's code did not let come to its end."""
    if run.ended:
        return run.ended.status, 0.0, run.ended.reason
    if run.has_exited:
        return Status.ERROR, 0.0, _why_not_done(run)
    return None if run.is_done else (Status.TIMEOUT, 0.0, _OVER)


def _why_nobody_can_say(run: CellResult) -> str:
    """Where it is this place that the test fails at: the last line on the way to its error is the test's own."""
    if run.is_incomplete:
        return "it runs a shell command, or there is more output than is kept; neither is possible here"
    if not (run.error and run.error.where.startswith(f"cell {run.number},")):
        return ""
    if run.error.refused:
        return f"its own lines ask for what is {NOT_AVAILABLE}: {told(run.error)}"
    is_lacking = run.error.type == "ModuleNotFoundError"
    return f"its own lines ask for what is not installed here: {told(run.error)}" if is_lacking else ""


def _gone(cell: str) -> Finding:
    return Finding("deleted", f"the cell `{cell}` is missing; nbgrader leaves its points to a person")
