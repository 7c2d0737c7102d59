"""What became of a class in one exercise, as plain data: everything that the page and the terminal say of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from nbgrader.api import Gradebook

from autograder.course.course import Course
from autograder.course.item_analysis import Item, items_of_tasks, items_of_tests
from autograder.course.progress import Progress, Stage, progress_of
from autograder.course.reports import load_report, refusal, reported_students
from autograder.course.standings import recorded_standings, standing_of
from autograder.errors import ConfigError
from autograder.exercise.assignment import AssignmentFolder
from autograder.report import UNAVAILABLE, Mistake, Report, Status, amended
from autograder.standing import Standing


@dataclass(frozen=True)
class StudentLine:
    """One student. report: with the points that count. standing: None where the gradebook has nothing of the report."""

    id: str
    name: str
    stage: Stage
    report: Report | None = None
    standing: Standing | None = None
    reason: str = ""

    @property
    def has_score(self) -> bool:
        """Whether a number of points stands for it, if only so far."""
        return self.standing is not None and not self.standing.is_ungraded

    @property
    def automatic_share(self) -> float | None:
        """The share of the points of what people do not grade, without a penalty; None if there is no score."""
        if self.standing is None or not self.has_score:
            return None
        entries = [entry for name, entry in self.standing.tasks.items() if name not in self.standing.by_hand]
        return sum(entry.earned or 0.0 for entry in entries) / (sum(entry.points for entry in entries) or 1)

    @property
    def mistakes(self) -> list[Mistake]:
        """The known mistakes in it, each once."""
        found = [mistake for task in self.report.tasks for mistake in task.mistakes] if self.report else []
        return list(dict.fromkeys(found))


@dataclass(frozen=True)
class Shared:
    """Something that several students have in common. where: the task or the kind, if it has one."""

    what: str
    students: list[str]
    where: str = ""


@dataclass(frozen=True)
class ClassReport:
    """A class in one exercise. What students share is sorted, the most frequent first.

    faults: of ours or the machine's, for which nobody loses a point. versions: of the exercise, by which reports were
    made; several after a run over some of the class.
    """

    assignment: AssignmentFolder
    progress: Progress
    lines: list[StudentLine]
    tasks: list[Item]
    tests: list[Item]
    mistakes: list[Shared] = field(default_factory=list)
    findings: list[Shared] = field(default_factory=list)
    unavailable: list[Shared] = field(default_factory=list)
    faults: list[Shared] = field(default_factory=list)
    versions: list[Shared] = field(default_factory=list)

    @property
    def shares(self) -> list[float]:
        """The automatic shares of all who have a score."""
        return [share for line in self.lines if (share := line.automatic_share) is not None]


def class_report(course: Course, gradebook: Gradebook, slug: str) -> ClassReport:
    """Errors: ExerciseError where there is no such exercise; ConfigError where nobody has handed in anything."""
    assignment = course.assignment_folder(slug)
    recorded = recorded_standings(gradebook, slug)
    progress = progress_of(course, gradebook, slug, recorded)
    lines = _lines(course, gradebook, progress, recorded)
    if not any(line.report or line.reason for line in lines):
        raise ConfigError(f"nothing is graded yet; run `autograder grade {slug}` first")
    reports = [line.report for line in lines if line.report]
    return ClassReport(
        assignment,
        progress,
        lines,
        items_of_tasks(reports),
        items_of_tests(reports),
        mistakes=_shared(lines, _mistakes),
        findings=_shared(lines, _findings),
        unavailable=_shared(lines, _unavailable),
        faults=_shared(lines, _faults),
        versions=_shared(lines, _version),
    )


def _lines(
    course: Course, gradebook: Gradebook, progress: Progress, recorded: dict[str, Standing]
) -> list[StudentLine]:
    names = {one.id: " ".join(filter(None, (one.first_name, one.last_name))) for one in gradebook.students}
    reported = set(reported_students(course.root, progress.exercise))
    return [
        _line(course, progress, student, names.get(student, ""), recorded if student in reported else {})
        for student in progress.stages
    ]


def _line(course: Course, progress: Progress, student: str, name: str, recorded: dict[str, Standing]) -> StudentLine:
    stage = progress.stages[student]
    if stage is Stage.REFUSED:
        return StudentLine(student, name, stage, reason=refusal(course.root, progress.exercise, student))
    if stage in (Stage.ABSENT, Stage.TO_GRADE):
        return StudentLine(student, name, stage)
    try:
        report = load_report(course.root, progress.exercise, student)
    except ConfigError as error:
        return StudentLine(student, name, stage, reason=str(error))
    standing = standing_of(report, recorded.get(student))
    if standing is None:
        return StudentLine(student, name, Stage.UNGRADED, report, reason="it is not in the gradebook; grade again")
    return StudentLine(student, name, stage, amended(report, standing), standing)


def _shared(lines: list[StudentLine], of: Callable[[Report], Iterator[tuple[str, str]]]) -> list[Shared]:
    """of: the places and the words of what a report has."""
    found = defaultdict(list)
    for line in lines:
        for key in dict.fromkeys(of(line.report) if line.report else ()):
            found[key].append(line.id)
    shared = [Shared(what, students, where) for (where, what), students in found.items()]
    return sorted(shared, key=lambda one: -len(one.students))


def _mistakes(report: Report) -> Iterator[tuple[str, str]]:
    yield from ((task.name, mistake.title) for task in report.tasks for mistake in task.mistakes)


def _findings(report: Report) -> Iterator[tuple[str, str]]:
    """By kind alone: the words are of one student's file."""
    yield from ((finding.kind, "") for finding in report.findings if finding.kind not in UNAVAILABLE)


def _unavailable(report: Report) -> Iterator[tuple[str, str]]:
    yield from ((finding.kind, finding.message) for finding in report.findings if finding.kind in UNAVAILABLE)


def _faults(report: Report) -> Iterator[tuple[str, str]]:
    """By their last lines: what stands above is of one run."""
    if report.fault:
        yield "the whole submission", _last_line(report.fault)
    for task in report.tasks:
        for test in task.tests:
            if test.status is Status.UNGRADED:
                yield f"{task.name}: {test.name}", _last_line(test.fault or test.message)
    yield from (("not shut off from", breach) for breach in report.breaches)


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]


def _version(report: Report) -> Iterator[tuple[str, str]]:
    yield "", report.version
