"""The gradebook brought up to the cells that an exercise has now.

nbgrader refuses an exercise whose cells came or went once something was handed in. Here the cells that went are taken
out, with all that hangs on them; those that came are there for every submission; a task that is called otherwise keeps
what people have entered for it. Where a task is worth other points than before, its automatic scores go: a number of
points out of others is wrong, so it waits until the next run, or a person, gives it anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.api import (
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    GradeCell,
    Notebook,
    SolutionCell,
    SourceCell,
    SubmittedNotebook,
    TaskCell,
)

from autograder.course.nbgrader_internals import kinds_of
from autograder.errors import ConfigError
from autograder.report import task_name

_SCORED = (GradeCell, TaskCell)
_COMMENTED = (SolutionCell, TaskCell)
_KINDS = {"grade": GradeCell, "solution": SolutionCell, "task": TaskCell, "source": SourceCell}
_WITH_POINTS = ("grade", "task")

Names = Collection[tuple[str, str]]  # of cells, with their kinds
Cells = dict[tuple[str, str], NotebookNode]  # by kind and name


@dataclass
class TaskChanges:
    """What became of the tasks. worth: what each was worth and is worth, where that is other than before.

    comments: what people have written about tasks that went, by student and task; it goes with them, like the scores
    that they have entered, of which by_hand has the number, by task. alike: of a notebook from which one task of a kind
    went and to which one came, the former's cell and the latter's. scored: who had an automatic score of a task that is
    worth other points now.
    """

    came: list[str] = field(default_factory=list)
    went: list[str] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    worth: dict[str, tuple[float, float]] = field(default_factory=dict)
    comments: dict[tuple[str, str], str] = field(default_factory=dict)
    by_hand: Counter[str] = field(default_factory=Counter)
    alike: dict[str, str] = field(default_factory=dict)
    scored: set[str] = field(default_factory=set)

    @property
    def need_a_look(self) -> bool:
        """Whether something that people may have entered goes or moves."""
        return bool(self.came or self.went or self.renamed)

    @property
    def said(self) -> list[str]:
        """In sentences."""
        sentences = [f"the task `{task}` is new" for task in self.came]
        sentences += [f"the task `{task}` is not there any more" for task in self.went]
        sentences += [f"the task `{old}` is called `{new}` now" for old, new in self.renamed.items()]
        return sentences + [
            f"the task `{task}` was worth {old:g} points and is worth {new:g} now"
            for task, (old, new) in self.worth.items()
        ]

    @property
    def warnings(self) -> list[str]:
        """What people have entered for tasks that went, and how it could stay."""
        sentences = []
        for task in self.went:
            comments = sum(1 for _, about in self.comments if about == task)
            if self.by_hand[task] or comments:
                sentences.append(f"scores by hand that go with `{task}`: {self.by_hand[task]}; comments: {comments}")
            if task in self.alike:
                sentences.append(f"if `{task}` is only renamed: --renamed {self.alike[task]}")
        return sentences


def bring_up_to_date(
    gradebook: Gradebook, exercise: str, source: Path, renamed: Mapping[str, str] | None = None
) -> TaskChanges:
    """Bring the gradebook's cells up to those of the notebooks in `source`; for use inside of a transaction.

    renamed: new names of tasks by the old ones. Notebooks of which nothing was handed in are nbgrader's to change, and
    so are those that it cannot read.
    Errors: ConfigError where a task cannot be renamed so.
    """
    changes, names = TaskChanges(), {**(renamed or {})}
    assignment = next((one for one in gradebook.assignments if one.name == exercise), None)
    for notebook in assignment.notebooks if assignment else ():
        wanted = _cells(source / f"{notebook.name}.ipynb")
        one = _OneNotebook(gradebook, exercise, notebook, wanted, changes)
        if wanted and one.is_handed_in:
            names = {old: new for old, new in names.items() if not one.rename(old, new)}
            one.suggest_names()
            one.remove()
            one.add()
            one.change_points()
    for old, new in names.items():
        raise ConfigError(f"`{exercise}` had no task `{old}` that is called `{new}` now")
    return changes


class _OneNotebook:
    def __init__(
        self, gradebook: Gradebook, exercise: str, notebook: Notebook, wanted: Cells, changes: TaskChanges
    ) -> None:
        self._db = gradebook.db
        self._exercise = exercise
        self._notebook = notebook
        self._wanted = wanted
        self._changes = changes
        known = [cell for kind in (BaseCell, SourceCell) for cell in self._of(kind)]
        self._known = {
            (kind, cell.name): cell for cell in known for kind, is_of in _KINDS.items() if type(cell) is is_of
        }
        self._tasks = [cell.name for cell in known if isinstance(cell, _SCORED)]

    @property
    def is_handed_in(self) -> bool:
        """Whether it was by anybody."""
        query = self._db.query(SubmittedNotebook.id).filter(SubmittedNotebook.notebook_id == self._notebook.id)
        return query.first() is not None

    def rename(self, old: str, new: str) -> bool:
        """Whether it is a task's new name. Cells are called like their task, or by its name, a dash and more."""
        moves = {(kind, name): (kind, moved) for kind, name in self._known if (moved := _moved(name, old, new))}
        fits = {before: after for before, after in moves.items() if after in self._wanted and after not in self._known}
        for before, after in fits.items():
            self._known[after] = self._known.pop(before)
            self._known[after].name = after[1]
        self._db.flush()
        is_one = any(kind in _WITH_POINTS for kind, _ in fits)
        if is_one:
            self._changes.renamed[self._task(old)] = self._task(new)
        return is_one

    def suggest_names(self) -> None:
        """Where of one kind one task goes and one comes, they may be the same."""
        went, came = self._by_kind(self._known, self._wanted), self._by_kind(self._wanted, self._known)
        for kinds in went.keys() & came.keys():
            if len(went[kinds]) == len(came[kinds]) == 1:
                (old,), (new,) = went[kinds], came[kinds]
                self._changes.alike[self._task(old)] = f"{old}={new}"

    @staticmethod
    def _by_kind(
        cells: Collection[tuple[str, str]], others: Collection[tuple[str, str]]
    ) -> dict[frozenset[str], list[str]]:
        """The cells with points that are among these and not among the others, by all that they are."""
        found: dict[frozenset[str], list[str]] = {}
        for name in dict.fromkeys(name for kind, name in cells if kind in _WITH_POINTS and (kind, name) not in others):
            kinds = frozenset(kind for kind, of in cells if of == name)
            found.setdefault(kinds, []).append(name)
        return found

    def remove(self) -> None:
        """What went, with all that hangs on it."""
        gone = [key for key in self._known if key not in self._wanted]
        for kind, name in gone:
            cell = self._known.pop((kind, name))
            if isinstance(cell, _COMMENTED):
                for comment in self._db.query(Comment).filter(Comment.cell_id == cell.id).all():
                    self._keep_words(comment, name)
                    self._db.delete(comment)
            if isinstance(cell, _SCORED):
                self._changes.went.append(self._task(name))
                for grade in self._db.query(Grade).filter(Grade.cell_id == cell.id).all():
                    self._changes.by_hand[self._task(name)] += grade.manual_score is not None or bool(
                        grade.extra_credit
                    )
                    self._db.delete(grade)
            self._db.flush()
            self._db.delete(cell)
        self._db.flush()

    def add(self) -> None:
        """What came, in every submission."""
        for (kind, name), cell in self._wanted.items():
            if (kind, name) not in self._known:
                made = _KINDS[kind](name=name, notebook_id=self._notebook.id, **_described(kind, cell))
                self._db.add(made)
                self._db.flush()
                for submitted in self._of(SubmittedNotebook):
                    if isinstance(made, _COMMENTED):
                        self._db.add(Comment(cell_id=made.id, notebook_id=submitted.id))
                    if isinstance(made, _SCORED):
                        self._db.add(Grade(cell_id=made.id, notebook_id=submitted.id, needs_manual_grade=True))
                if isinstance(made, _SCORED):
                    self._changes.came.append(self._task(name))
        self._db.flush()

    def change_points(self) -> None:
        """Scores out of other points than today go."""
        for key, cell in self._known.items():
            if isinstance(cell, _SCORED) and cell.max_score != (points := _points(self._wanted[key])):
                self._changes.worth[self._task(cell.name)] = cell.max_score, points
                cell.max_score = points
                for grade in self._db.query(Grade).filter(Grade.cell_id == cell.id).all():
                    if grade.auto_score is not None:
                        self._changes.scored.add(grade.notebook.student.id)
                    grade.auto_score, grade.needs_manual_grade = None, True
        self._db.flush()

    def _of(self, table: Any) -> list[Any]:
        """The rows of the notebook in a table."""
        return list(self._db.query(table).filter(table.notebook_id == self._notebook.id))

    def _task(self, cell: str) -> str:
        return task_name(self._exercise, self._notebook.name, cell)

    def _keep_words(self, comment: Comment, cell: str) -> None:
        if comment.manual_comment:
            task = next((one for one in self._tasks if _moved(cell, one, one)), cell)
            self._changes.comments[comment.notebook.student.id, self._task(task)] = comment.manual_comment


def _cells(notebook: Path) -> Cells:
    """Nothing where it is no notebook; nbgrader says why."""
    try:
        cells = nbformat.read(notebook, as_version=4).cells
        return {(kind, cell.metadata.nbgrader.grade_id): cell for cell in cells for kind in kinds_of(cell)}
    except (OSError, ValueError, AttributeError, KeyError):
        return {}


def _described(kind: str, cell: NotebookNode) -> dict[str, object]:
    """What a new row needs; nbgrader fills in the rest."""
    if kind == "source":
        return {"cell_type": cell.cell_type}
    return {} if kind == "solution" else {"cell_type": cell.cell_type, "max_score": _points(cell)}


def _points(cell: NotebookNode) -> float:
    return float(cell.metadata.nbgrader.points)


def _moved(cell: str, old: str, new: str) -> str:
    """What a cell of the task `old` is called in the task `new`; nothing where it is none of its cells."""
    return new + cell.removeprefix(old) if cell == old or cell.startswith(f"{old}-") else ""
