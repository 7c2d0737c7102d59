"""What nbgrader loads: its `autograde`, from the command line or formgrader's button, grades through this package.

nbgrader's Autograde reads each submission twice, through one exporter: first to sanitize the submitted file, then to
grade what the first pass wrote. `SubmissionExporter` puts the evaluated notebook in the place of the submitted one,
so the second pass finds the results in the grade cells and `SaveScores` records them.
"""

from __future__ import annotations

import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.api import Grade
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.course.assignments import load_assignment
from autograder.course.course import Course
from autograder.course.desk_look import dress
from autograder.course.gradebook import (
    GRADED,
    await_cells,
    await_person,
    enter_moment,
    gradebook_to_read,
    has_score,
    is_registered,
    leave_ungraded,
    register,
)
from autograder.course.nbgrader_internals import SaveGrades, leave_to_nbgrader, leave_to_students
from autograder.course.plain import OtherLanguageError, is_plain, load_plain
from autograder.course.reports import load_report, save_refusal, save_report
from autograder.course.rubrics import show_rubrics
from autograder.course.score_log import note_found
from autograder.course.standings import standing_now
from autograder.errors import AutograderError, ConfigError, ExerciseError
from autograder.exercise.build import build
from autograder.exercise.packages import require_packages
from autograder.grading.evaluate import Assignment, Evaluation, Grader
from autograder.grading.feedback import follow, has_summary
from autograder.report import task_name


class SubmissionExporter(NotebookExporter):
    """Reads a submitted notebook by evaluating it; the evaluation stays here for the preprocessors.

    It is made before nbgrader touches anything of the assignment, so here is what must hold by then. An assignment of
    another language goes nbgrader's own way, with a warning.
    Errors: NbGraderException where it cannot be graded.
    """

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.course = Course(config=self.config, coursedir=self.parent.coursedir)
        self.evaluation: Evaluation | None = None
        self._evaluated = ""  # the student whose it is
        self._assignment: Assignment | None = None
        self._grader: Grader | None = None  # without one, nbgrader goes its own way
        try:
            self._names = _let_nbgrader_know(self.course, str(self.course.coursedir.assignment_id))
        except OtherLanguageError as error:
            self.log.warning(str(error))
            leave_to_nbgrader(self.parent)
            return
        except ConfigError as error:
            self.log.error(str(error))  # nbgrader's command ends without a word of its own
            raise NbGraderException(str(error)) from None
        slug = str(self.course.coursedir.assignment_id)
        leave_to_students(self.parent, slug, self.course.written_files(slug))
        self._own_hook, self.parent.pre_convert_hook = self.parent.pre_convert_hook, self._accept_renamed
        self._grader = Grader(self.course.grader_config)
        weakref.finalize(self, self._grader.close)

    def from_filename(self, filename: str, resources: Any = None, **arguments: Any) -> Any:
        """The notebook as JSON text, after the preprocessors, and the resources.

        Whatever fails, in here or in a preprocessor, leaves the submission ungraded.
        """
        if self._grader is None:
            return super().from_filename(filename, resources=resources, **arguments)
        names = resources["nbgrader"]
        try:
            if self._is_submitted(Path(filename), names):
                notebook = self._evaluation(names, self._grader).notebooks[names["notebook"]]
                return self.from_notebook_node(notebook, resources=resources, **arguments)
            return super().from_filename(filename, resources=resources, **arguments)
        except Exception:
            leave_ungraded(names["db_url"], names["assignment"], names["student"])
            raise

    def _is_submitted(self, path: Path, names: dict[str, str]) -> bool:
        return path.parent.resolve() == self.course.submitted(names["student"], names["assignment"]).resolve()

    def _evaluation(self, names: dict[str, str], grader: Grader) -> Evaluation:
        """All notebooks of a submission are evaluated at once."""
        if self.evaluation is None or self._evaluated != names["student"]:
            self.evaluation, self._evaluated = self._evaluate(names, grader), names["student"]
        return self.evaluation

    def _evaluate(self, names: dict[str, str], grader: Grader) -> Evaluation:
        slug, student = names["assignment"], names["student"]
        found = self.course.handed_in(student, slug, self._names)
        if found.refused:
            save_refusal(self.course.root, slug, student, found.refused)
            raise ConfigError(found.refused)
        # nbgrader has read the same text already, in its own way, and leaves an older moment where there is none now
        enter_moment(names["db_url"], slug, student, found.moment)
        self._assignment = self._assignment or load_assignment(self.course, slug)
        contents = found.contents(self._assignment.used_files(found.files))
        evaluation = grader.evaluate(contents, self._assignment, found.findings)
        save_report(self.course.root, student, evaluation.report.of_submission(found.digest))
        for name in {*self._names}.difference(evaluation.notebooks):  # nbgrader has given it a zero already
            if evaluation.report.of_notebook(name).ungraded:
                await_cells(names["db_url"], slug, name, student, set())
        return evaluation

    def _accept_renamed(self, assignment: str, student: str, notebooks: list[str]) -> None:
        """Before nbgrader converts these paths: let the one notebook of a wrong name pass for the right one.

        They are changed in place; `_evaluate` finds the file. A hook of the course's own comes first.
        """
        if self._own_hook:
            self._own_hook(assignment=assignment, student=student, notebooks=notebooks)
        if len(notebooks) == len(self._names) == 1:
            notebooks[0] = str(Path(notebooks[0]).with_name(f"{self._names[0]}.ipynb"))


def _let_nbgrader_know(course: Course, slug: str) -> tuple[str, ...]:
    """The names of the assignment's notebooks, when nbgrader knows it. Errors: ConfigError, OtherLanguageError."""
    if is_plain(course, slug):
        return load_plain(course, slug).notebooks
    if slug not in course.assignment_names:
        raise ConfigError(
            f"`{slug}` is no assignment: there is no folder {course.exercises_folder / slug} with an exercise.toml, no "
            f"notebook in {course.solutions / slug}, and nothing of it in the gradebook"
        )
    with suppress(ExerciseError):  # it is told of each submission, which is left ungraded
        require_packages(course.assignment_folder(slug).packages)
    if not is_registered(course, slug):
        register(course, slug)
    return course.notebooks_of(slug)


class SaveScores(SaveGrades):
    """nbgrader's own recording, but for what has no score: it waits for a person."""

    def preprocess(self, notebook: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """The score of an earlier submission does not stand for a cell that is gone from this one."""
        names = resources["nbgrader"]
        there = {cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells}
        await_cells(names["db_url"], names["assignment"], names["notebook"], names["student"], there)
        notebook, resources = super().preprocess(notebook, resources)
        return notebook, resources

    def save_grade(self, grade: Grade, cell: NotebookNode, resources: Any) -> None:
        task = task_name(self.assignment_id, self.notebook_id, cell.metadata.nbgrader.grade_id)
        if has_score(grade, self.parent.evaluation.report.task(task)):
            super().save_grade(grade, cell, resources)
        else:
            await_person(grade)


class NoteScores(NbGraderPreprocessor):
    """Adds what has been recorded of a notebook to the log of scores."""

    def preprocess(self, notebook: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        try:
            with gradebook_to_read(self.parent.course) as gradebook:
                note_found(self.parent.course, gradebook, resources["nbgrader"]["assignment"], GRADED)
        except ConfigError as error:  # what is not noted now is found the next time
            self.log.error(str(error))
        return notebook, resources


class FollowGradebook(NbGraderPreprocessor):
    """Lets formgrader's page say what the gradebook has when it is looked at: points may have been entered by hand.

    Rubrics stand beside the answers, and formulas need no network. Students' pages are made elsewhere, of the same
    report.
    """

    def preprocess(self, notebook: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """A page that cannot follow is shown as it was graded."""
        if "submission_id" in resources and has_summary(notebook):  # formgrader's page, and nobody else's
            course = Course(config=self.config, coursedir=CourseDirectory(config=self.config))
            try:
                where = resources["assignment_id"], resources["notebook_id"], resources["student"]
                _follow(notebook, course, *where)
            except AutograderError as error:
                self.log.error(str(error))
            dress(notebook)
        return notebook, resources


def _follow(notebook: NotebookNode, course: Course, slug: str, name: str, student: str) -> None:
    report = load_report(course.root, slug, student).of_notebook(name)
    if standing := standing_now(course.db_url, student, report, name):
        follow(notebook, report, standing)
    exercise = course.assignment_folder(slug).exercise(name)
    show_rubrics(notebook, exercise, build(exercise).reference)
