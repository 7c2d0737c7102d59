"""What the gradebook has of a whole class, read once: who they are, what there was to do, and what they have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nbgrader.api import Gradebook

from autograder.course.course import Course
from autograder.course.export import harmless
from autograder.course.standings import recorded_standings
from autograder.errors import ConfigError
from autograder.exercise.assignment import AssignmentFolder
from autograder.report import task_name
from autograder.standing import Standing, Worth


@dataclass(frozen=True)
class Student:
    """A row of nbgrader's table of students."""

    id: str
    last_name: str
    first_name: str
    email: str


@dataclass(frozen=True)
class Sheet:
    """One assignment. tasks: what each is worth, by name. recorded: by student."""

    name: str
    tasks: dict[str, float]
    recorded: dict[str, Standing]

    @property
    def points(self) -> float:
        """What all tasks are worth."""
        return sum(self.tasks.values())

    def worth(self, student: str) -> Worth:
        """What a student's score is worth."""
        return self.recorded[student].worth if student in self.recorded else Worth.NO_SUBMISSION

    def total(self, student: str) -> float | None:
        """The points so far, less the penalty; None where there is no score."""
        if self.worth(student) in (Worth.UNGRADED, Worth.NO_SUBMISSION):
            return None
        return self.recorded[student].earned


@dataclass(frozen=True)
class ClassBook:
    """A class. students: sorted by id. sheets: sorted by name."""

    students: list[Student]
    sheets: list[Sheet]

    def waiting(self) -> list[str]:
        """The students, harmless to print, of whom something was handed in that has no final score; sorted."""
        unsettled = (Worth.UNGRADED, Worth.HAND_GRADING)
        return [
            harmless(one.id) for one in self.students if any(sheet.worth(one.id) in unsettled for sheet in self.sheets)
        ]


def read_class(course: Course, gradebook: Gradebook, assignments: Sequence[str]) -> ClassBook:
    """The class, with these assignments; with all that the gradebook has, where none is named.

    Errors: ConfigError where it has no such assignment.
    """
    known = {one.name: one for one in require_known(gradebook, assignments)}
    students = [
        Student(one.id, one.last_name or "", one.first_name or "", one.email or "") for one in gradebook.students
    ]
    names = sorted(set(assignments or known))
    return ClassBook(
        sorted(students, key=lambda one: one.id),
        [Sheet(name, _tasks(course, known[name]), recorded_standings(gradebook, name)) for name in names],
    )


def require_known(gradebook: Gradebook, assignments: Sequence[str]) -> list[Any]:
    """All assignments of the gradebook. Errors: ConfigError where one of `assignments` is none of them."""
    found = list(gradebook.assignments)
    names = sorted(one.name for one in found)
    if unknown := [name for name in assignments if name not in names]:
        raise ConfigError(f"the gradebook has no assignment `{unknown[0]}` (it has: {', '.join(names) or 'none'})")
    return found


def _tasks(course: Course, assignment: Any) -> dict[str, float]:
    """In the order of the exercise; of what is none of ours, by name: nbgrader keeps no order."""
    cells = {
        task_name(assignment.name, one.name, cell.name): float(cell.max_score or 0)
        for one in assignment.notebooks
        for cell in (*one.grade_cells, *one.task_cells)
    }
    ours = _in_order(course.assignment_folder(assignment.name)) if assignment.name in course.assignment_names else []
    return {task: cells[task] for task in [*filter(cells.__contains__, ours), *sorted(cells.keys() - {*ours})]}


def _in_order(folder: AssignmentFolder) -> list[str]:
    return [task_name(folder.slug, one.notebook, task) for one in folder.exercises for task in one.tasks]
