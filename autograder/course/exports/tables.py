"""A class as one table, a row a student: for spreadsheets, for Canvas and for Moodle.

No cell is a formula. Where there is no final score there is no number that somebody could take for one:

wide: the cell is empty where there is no score, and the column beside it says why. A number of a task that a person is
to look at is there, and the word, too.
canvas, moodle: a score stands there only where it is final. There are no statuses: another column would become another
assignment. An empty cell is Canvas's "no score". Moodle takes an empty cell of a new column for 0, so "-" stands there,
which is its own sign.
"""

from __future__ import annotations

from collections.abc import Iterator

from autograder.course.export import harmless
from autograder.course.exports.class_book import ClassBook, Sheet, Student
from autograder.standing import Standing, Worth

Row = list[str | float | None]
MOODLE_NO_GRADE = "-"


def wide(book: ClassBook) -> Iterator[Row]:
    """Of each assignment: every task and its status, then total, maximum, late penalty and status."""
    head: Row = ["student_id", "last_name", "first_name", "email"]
    for sheet in book.sheets:
        for task in sheet.tasks:
            head += [harmless(f"{sheet.name}/{task}"), harmless(f"{sheet.name}/{task} status")]
        head += [harmless(f"{sheet.name} {what}") for what in ("total", "max", "late penalty", "status")]
    yield head
    for student in book.students:
        row: Row = [*map(harmless, (student.id, student.last_name, student.first_name, student.email))]
        for sheet in book.sheets:
            row += _wide_cells(sheet, student.id)
        yield row


def canvas(book: ClassBook) -> Iterator[Row]:
    """As Canvas's gradebook writes and reads it. ID is Canvas's own and stays empty: a wrong one would be another's."""
    yield ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *(harmless(sheet.name) for sheet in book.sheets)]
    yield ["    Points Possible", "", "", "", "", *(sheet.points for sheet in book.sheets)]
    for student in book.students:
        scores = [_final(sheet, student.id) for sheet in book.sheets]
        yield [harmless(_sortable_name(student)), "", "", harmless(student.id), "", *scores]


def moodle(book: ClassBook) -> Iterator[Row]:
    """As Moodle's grade export writes and its import reads it.

    The addresses are there only if all students have one: where it is mapped by an empty one, Moodle's import gives the
    scores to the student of the row above.
    """
    addresses = all(student.email for student in book.students)
    who = ["First name", "Last name", "ID number", *["Email address"] * addresses]
    yield [*who, *(harmless(sheet.name) for sheet in book.sheets)]
    for student in book.students:
        names = [student.first_name, student.last_name, student.id, *[student.email] * addresses]
        scores = [_final(sheet, student.id) for sheet in book.sheets]
        yield [*map(harmless, names), *(MOODLE_NO_GRADE if score is None else score for score in scores)]


def _wide_cells(sheet: Sheet, student: str) -> Row:
    recorded = sheet.recorded.get(student)
    cells: Row = []
    for task in sheet.tasks:
        cells += [_points(recorded, task), _task_worth(recorded, task)]
    worth = sheet.worth(student)
    penalty = recorded.penalty if recorded and worth is not Worth.UNGRADED else None
    return [*cells, sheet.total(student), sheet.points, penalty, worth]


def _points(recorded: Standing | None, task: str) -> float | None:
    entry = recorded.tasks.get(task) if recorded else None
    return entry.earned if entry else None


def _task_worth(recorded: Standing | None, task: str) -> Worth:
    if recorded is None:
        return Worth.NO_SUBMISSION
    if _points(recorded, task) is None and task not in recorded.by_hand:
        return Worth.UNGRADED
    return Worth.HAND_GRADING if task in recorded.awaited or _points(recorded, task) is None else Worth.FINAL


def _final(sheet: Sheet, student: str) -> float | None:
    return sheet.total(student) if sheet.worth(student) is Worth.FINAL else None


def _sortable_name(student: Student) -> str:
    return ", ".join(filter(None, (student.last_name, student.first_name))) or student.id
