"""What a student and a grader read: the results of a report, written into the graded notebook.

Texts of a student's in a result are escaped here; outputs are cleaned in `isolation.outputs`, the
student's Markdown in `submission.markdown`.
Points go into each grade cell as the one number that nbgrader reads.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import groupby

from jinja2 import Environment, Template
from markupsafe import Markup
from nbformat import NotebookNode

from autograder import layout
from autograder.isolation.session import CellResult
from autograder.isolation.unavailable import NOT_AVAILABLE
from autograder.report import Amended, Finding, Report, Status, TaskResult, TestResult, amended
from autograder.standing import Standing
from autograder.submission.notebook import Role, Submission

_MARK = {Status.PASSED: "✓", Status.CARRIED: "✓", Status.UNGRADED: "?", Status.BY_HAND: "…"}
_CLASS = {Status.PASSED: "text-success", Status.UNGRADED: "text-info"}
_CLASS |= dict.fromkeys((Status.CARRIED, Status.MISSING, Status.BY_HAND), "text-muted")
_UNREAD = {
    "unreadable": "The file that was handed in could not be read, so this is not graded. What to do is said above, "
    "about the file.",
    "foreign": "The file that was handed in is not this assignment's, so this is not graded.",
}
_SAID = {
    Status.PASSED: "Everything here is right.",
    Status.UNGRADED: "This could not be graded, through no fault of yours. A person will look at it.",
    Status.MISSING: "This is not written yet.",
    Status.NOT_ALLOWED: "The results are right, but they come from what this task does not allow.",
}


KNOWN_MISTAKE = "Your results are those of a known mistake."
SUMMARY = "summary"  # no cell of a submission has this id
_TITLE = "`{}`, the file beside the notebook:"
_ABSENT = "`{}`, the file beside the notebook, was not handed in."


def fill_in(
    notebook: NotebookNode, submission: Submission, runs: Mapping[int, CellResult], report: Report
) -> NotebookNode:
    """Put the outputs of the run and the results of the report into `notebook`, and a summary before its first cell."""
    unread = unread_because(report)
    for index, (cell, made) in enumerate(zip(submission.cells, notebook.cells, strict=True)):
        if cell.role is Role.GRADE:
            made.outputs = _result_outputs(report.task(cell.name), unread)
        elif index in runs:
            run = runs[index]
            made.execution_count = run.number
            made.outputs = [NotebookNode(output) for output in run.outputs] + _notices(run)
    shown = [_said(SUMMARY, summarise(report))]
    for cell, made in zip(submission.cells, notebook.cells, strict=True):
        if cell.file:
            shown.append(_said(f"{cell.name}-title", (_TITLE if cell.submitted else _ABSENT).format(cell.file)))
        shown += [made] * (cell.submitted or not cell.file)
    notebook.cells = shown
    return notebook


def _said(name: str, text: str) -> NotebookNode:
    return NotebookNode(id=name, cell_type="markdown", metadata={}, source=text)


def has_summary(notebook: NotebookNode) -> bool:
    """Whether `fill_in` has filled it in."""
    return bool(notebook.cells) and notebook.cells[0].get("id") == SUMMARY


def follow(notebook: NotebookNode, report: Report, standing: Standing) -> None:
    """Let a notebook that was filled in say what the gradebook has now."""
    report = amended(report, standing)
    notebook.cells[0].source = summarise(report, standing)
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("grade") and not marks.get("solution"):
            task = report.task(marks.grade_id)
            unread = unread_because(report) if task.status is Status.UNGRADED else ""
            cell.outputs = _result_outputs(task, unread) if isinstance(task, Amended) else cell.outputs


def number(task: TaskResult) -> str:
    """What nbgrader reads in the cell: a plain Python float between 0 and the task's points.

    Where there is no score it is 0, which `SaveScores` keeps out of the gradebook.
    """
    if isinstance(task, Amended):  # for people alone
        return repr(float(task.earned or 0.0))
    return repr(float(min(max(0.0, task.earned or 0.0), task.points)))  # NaN becomes 0, too


def points_of(task: TaskResult) -> str:
    """The task's points for people, as "3.5 of 7 points"."""
    if task.earned is None:
        return f"not graded yet, {task.points:g} points"
    return f"{task.earned:g} of {task.points:g} points{task.note if isinstance(task, Amended) else ''}"


def plain(task: TaskResult, unread: str = "") -> str:
    """The feedback of one task as plain text. unread: what is said where the file itself could not be read."""
    lines = [f"{task.title}: {points_of(task)} ({task.status})", *_remarks(task, unread)]
    for item in checked(task):
        lines.append(f"  {mark(item.status)} {item.tried}")
        lines += [f"      {line}" for line in textwrap.wrap(item.because, 100)]
    return "\n".join(lines)


def html(task: TaskResult, unread: str = "") -> str:
    """As `plain`, in HTML of the few tags and classes that nbconvert's sanitizer lets through."""
    return _template().render(
        task=task,
        points=points_of(task),
        remarks=_remarks(task, unread),
        items=list(checked(task)),
        mark=mark,
        style=lambda status: _CLASS.get(status, "text-danger"),
    )


def summarise(report: Report, standing: Standing | None = None) -> str:
    """The summary of a report as Markdown. standing: what the gradebook has of it, once it has something."""
    rows = "\n".join(f"| {literal(task.title)} | {points_of(task)} | {task.status} |" for task in report.tasks)
    findings = "\n".join(f"- {_finding(finding)}" for finding in report.findings if not finding.is_for_staff)
    about = f"\n\n**About the file**\n\n{findings}" if findings else ""
    automatic = f"{_bold(report.earned, report.automatic_points)} from the automatic checks"
    total = _total(standing) if standing else automatic
    return f"### Your result\n\n{total}\n\n| task | points | status |\n|---|---|---|\n{rows}{about}"


def _total(standing: Standing) -> str:
    waiting = sum(entry.points for entry in standing.tasks.values() if entry.earned is None)
    said = [_bold(standing.earned, standing.counted)]
    said += [f"{waiting:g} more are not graded yet"] * bool(waiting)
    said += [f"{standing.penalty:g} were taken off for being late"] * bool(standing.penalty)
    return "; ".join(said)


def _bold(earned: float, points: float) -> str:
    return f"**{earned:g} of {points:g} points**"


def _finding(finding: Finding) -> str:
    return f"{finding.kind}: <code>{literal(finding.message)}</code>"


def literal(text: str) -> str:
    """`text` as Markdown that shows just it: a file name or a message of a student's may hold any character."""
    return "".join(one if one.isalnum() or one in " ,:" else f"&#{ord(one)};" for one in " ".join(text.split()))


def _result_outputs(task: TaskResult, unread: str) -> list[NotebookNode]:
    shown = {"text/plain": plain(task, unread), "text/html": html(task, unread)}
    return [
        NotebookNode(output_type="display_data", data=shown, metadata={}),
        NotebookNode(output_type="execute_result", data={"text/plain": number(task)}, metadata={}, execution_count=1),
    ]


def _notices(run: CellResult) -> list[NotebookNode]:
    texts = [f"This cell was left out ({run.ended.status}): {run.ended.reason}.\n"] if run.ended else []
    texts += [f"This is {NOT_AVAILABLE}.\n"] if run.error and run.error.refused else []
    return [NotebookNode(output_type="stream", name="stderr", text=text) for text in texts]


def unread_because(report: Report) -> str:
    """What is said to the student where the file itself could not be read; empty where it could."""
    return next((_UNREAD[finding.kind] for finding in report.findings if finding.kind in _UNREAD), "")


def _remarks(task: TaskResult, unread: str) -> list[str]:
    if unread:
        return [unread]
    said = [*remarks(task), *(f"{KNOWN_MISTAKE} {mistake.hint}" for mistake in task.mistakes)]
    return said + ([f"Hint: {task.hint}"] if task.hint else [])


def remarks(task: TaskResult) -> list[str]:
    """What is said of the task as a whole, in sentences."""
    said = [_SAID[task.status]] if task.status in _SAID else []
    return said + [f"This is {message}." for message in _carried(task)]


@dataclass(frozen=True)
class Checked:
    """What one sentence of the suite came to, over all inputs that it was tried on."""

    status: Status
    tried: str
    because: str = ""


def checked(task: TaskResult) -> Iterator[Checked]:
    """What the tests of a task came to, each sentence once."""
    if task.status is Status.MISSING:  # every test would say just that
        return
    for tried, tests in groupby(task.tests, key=lambda test: test.tried):
        yield _summed_up(tried, list(tests))


def _summed_up(tried: str, tests: list[TestResult]) -> Checked:
    lost = [test for test in tests if test.status is not Status.PASSED]
    if not lost:
        return Checked(Status.PASSED, tried)
    share = f" ({len(tests) - len(lost)} of {len(tests)} inputs pass)" if len(tests) > 1 else ""
    worst = next((test for test in lost if test.status is not Status.CARRIED), lost[0])
    because = worst.message if worst.status is Status.CARRIED else f"{worst.status}: {worst.message}"
    return Checked(worst.status, f"{tried}{share}", because)


def _carried(task: TaskResult) -> list[str]:
    """What the whole task is right given, if all that it lost is carried."""
    is_all = task.status is Status.CARRIED
    return list(dict.fromkeys(test.message for test in task.tests if is_all and test.status is Status.CARRIED))


def mark(status: Status) -> str:
    """One character that says how something came out."""
    return _MARK.get(status, "✗")


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, finalize=_escaped)
    return environment.from_string(layout.FEEDBACK_TEMPLATE.read_text(encoding="utf-8"))


def _escaped(value: object) -> Markup:
    """As in the notebooks that are graded already: the engine's own escaping writes quotes otherwise."""
    return Markup(escape(str(value)))
