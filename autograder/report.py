"""What happened to one submission, as plain data: the same for the same work on every run.

A report is written as JSON; its format is the structures below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import msgspec
from msgspec.structs import asdict, replace

from autograder.standing import Entry, Standing


class Status(StrEnum):
    """How a test, and so a task, came out. The words are the ones that people read."""

    PASSED = "passed"
    FAILED = "failed"  # a wrong result
    ERROR = "error"  # the student's code raised an exception
    TIMEOUT = "timeout"  # it used up its CPU time, or never came back
    CRASHED = "crashed"  # it ended its own process
    NOT_ALLOWED = "not allowed"  # right, by what the task does not allow
    MISSING = "missing"  # not written, or deleted
    CARRIED = "carried"  # right, given right functions of the tasks that it needs
    UNGRADED = "ungraded"  # our fault or the machine's: waits for a person, never a zero
    BY_HAND = "by hand"  # free text, graded by a person


ENDED = (Status.TIMEOUT, Status.CRASHED)  # the process was no more
UNAVAILABLE = ("package", "refused")  # kinds of findings whose words are the same for all: the course's to mend


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something mechanical about the submitted file, beside the scores.

    kind: unreadable, foreign, missing, renamed, upgraded, deleted, duplicated, edited, crashed, timeout, later,
    package, refused, output, results, disturbed or doubtful. The last three are for staff: nothing that a student made
    is other because of them. notebook: the one that it is about, where an assignment has several and it is about one.
    """

    kind: str
    message: str
    notebook: str = ""

    @property
    def is_for_staff(self) -> bool:
        """Whether the student's page has nothing of it."""
        return self.kind in ("results", "disturbed", "doubtful")

    @property
    def placed(self) -> str:
        """The message, with the notebook that it is about."""
        return f"{self.notebook}.ipynb: {self.message}" if self.notebook else self.message


class TestResult(msgspec.Struct, frozen=True):
    """One hidden test. `name` and `fault` are for staff; `tried` and `message` may be shown to the student."""

    __test__ = False  # pytest collects classes of this name

    name: str
    tried: str
    weight: float
    status: Status
    message: str = ""
    fault: str = ""


class Mistake(msgspec.Struct, frozen=True):
    """A known mistake: the submission's results are those of `wrong/<name>.py`. The title is for staff."""

    name: str
    title: str
    hint: str


class TaskResult(msgspec.Struct, frozen=True):
    """One task. `earned` is None where no number may stand: the task is ungraded or graded by hand."""

    name: str
    title: str
    points: float
    earned: float | None
    status: Status
    hint: str = ""
    tests: tuple[TestResult, ...] = ()
    mistakes: tuple[Mistake, ...] = ()


class Report(msgspec.Struct, frozen=True):
    """One submission. `exercise` and `version` name what it was graded by, `seed` the inputs that it was given.

    breaches: what the student's process was not shut off from, where the instructor allowed that. trust: how far the
    scores can be trusted, where that is less than for an exercise with hidden tests. submission: a digest of the folder
    that was handed in, as `HandedIn` has it.
    """

    exercise: str
    version: str
    seed: int
    tasks: tuple[TaskResult, ...]
    findings: tuple[Finding, ...] = ()
    fault: str = ""
    breaches: tuple[str, ...] = msgspec.field(default=(), name="unprotected")
    trust: str = ""
    submission: str = ""

    @property
    def earned(self) -> float:
        """The points of the tasks that have a number, rounded to hundredths."""
        return round(sum(task.earned or 0.0 for task in self.tasks), 2)

    @property
    def automatic_points(self) -> float:
        """What the tasks that are not graded by hand are worth."""
        return sum(task.points for task in self.tasks if task.status is not Status.BY_HAND)

    @property
    def ungraded(self) -> tuple[TaskResult, ...]:
        """The tasks that wait for a person because of a fault of ours."""
        return tuple(task for task in self.tasks if task.status is Status.UNGRADED)

    def task(self, name: str) -> TaskResult:
        """The result of the task `name`."""
        return next(task for task in self.tasks if task.name == name)

    def of_submission(self, digest: str) -> Report:
        """The report, and which submission it is of."""
        return replace(self, submission=digest)

    def of_notebook(self, notebook: str) -> Report:
        """What it says of one of the assignment's notebooks, and of the submission as such; tasks by their cells."""
        placed = [(task, *place_of(self.exercise, task.name)) for task in self.tasks]
        tasks = tuple(replace(task, name=cell) for task, where, cell in placed if where == notebook)
        findings = tuple(finding for finding in self.findings if finding.notebook in ("", notebook))
        return replace(self, tasks=tasks, findings=findings)

    def without_tests(self) -> Report:
        """What the tasks came to and no more: of a large class, all tests together are most of the memory."""
        return replace(self, tasks=tuple(replace(task, tests=()) for task in self.tasks))

    def to_json(self) -> str:
        """The report as the JSON text that is kept."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1).decode() + "\n"


@dataclass(frozen=True)
class Outcome:
    """What came of one student's submission: the report without its tests, or why nothing was graded or recorded.

    standing: what the gradebook has of it, with what people have entered.
    """

    student: str
    report: Report | None = None
    refused: str = ""
    standing: Standing | None = None

    @property
    def needs_a_person(self) -> bool:
        """Whether some of it is not graded or not recorded."""
        if self.report is None or self.refused:
            return True
        return self.standing.is_ungraded if self.standing else bool(self.report.ungraded)


class Amended(TaskResult, frozen=True):
    """A task as the gradebook has it. note: what people did to its points. is_changed: whether they gave others."""

    note: str = ""
    is_changed: bool = False


def amended(report: Report, standing: Standing) -> Report:
    """The report with the points that count."""
    tasks = tuple(_amended(task, standing.tasks[task.name]) for task in report.tasks)
    return replace(report, tasks=tasks)


def _amended(task: TaskResult, entry: Entry) -> TaskResult:
    if entry == Entry(task.points, task.earned):
        return task
    is_graded = task.status is Status.UNGRADED and entry.earned is not None
    known = asdict(task) | {"points": entry.points, "earned": entry.earned}
    known |= {"status": Status.BY_HAND} if is_graded else {}
    return Amended(**known, note=_note(task, entry), is_changed=entry.manual not in (None, entry.automatic))


def _note(task: TaskResult, entry: Entry) -> str:
    said = []
    if entry.manual is not None and task.status is not Status.BY_HAND:
        if entry.automatic is None:
            said.append("given by a person")
        elif entry.manual != entry.automatic:
            said.append(f"a person changed the automatic {entry.automatic:g}")
    if entry.extra:
        said.append(f"{entry.extra:+g} extra credit")
    return f" ({', '.join(said)})" if said else ""


def task_name(assignment: str, notebook: str, cell: str) -> str:
    """What the task of a cell is called: in a notebook that is named otherwise than its assignment, by both names."""
    return cell if notebook == assignment else f"{notebook}/{cell}"


def place_of(assignment: str, task: str) -> tuple[str, str]:
    """The notebook and the cell of a task that is called so."""
    notebook, _, cell = task.rpartition("/")
    return notebook or assignment, cell


def joined(whole: Report, parts: Mapping[str, Report]) -> Report:
    """One report on a submission from those on its notebooks.

    whole: what it was graded by, and what was found about all of it, which stands in each of the others, too.
    """
    tasks: list[TaskResult] = []
    findings = [*whole.findings]
    for notebook, part in parts.items():
        tasks += [replace(task, name=task_name(whole.exercise, notebook, task.name)) for task in part.tasks]
        own = [finding for finding in part.findings if finding not in whole.findings]
        findings += own if len(parts) == 1 else [replace(finding, notebook=notebook) for finding in own]
    return replace(
        whole,
        tasks=tuple(tasks),
        findings=tuple(findings),
        fault="\n".join(dict.fromkeys(part.fault for part in parts.values() if part.fault)),
        breaches=tuple(dict.fromkeys(breach for part in parts.values() for breach in part.breaches)),
        trust=next((part.trust for part in parts.values() if part.trust), ""),
    )


def count_mistakes(reports: Iterable[Report]) -> list[tuple[int, str, Mistake]]:
    """How many submissions make which known mistake in which task, the most frequent first."""
    made = Counter((task.name, mistake) for report in reports for task in report.tasks for mistake in task.mistakes)
    return [(count, task, mistake) for (task, mistake), count in made.most_common()]


def count_unavailable(reports: Iterable[Report]) -> list[tuple[int, str]]:
    """How many submissions asked for what is not there while grading, the most frequent first."""
    findings = [finding for report in reports for finding in report.findings]
    asked = Counter(finding.message for finding in findings if finding.kind in UNAVAILABLE)
    return [(count, message) for message, count in asked.most_common()]
