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
from nbgrader.api import Grade, Gradebook
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.course.course import Course
from autograder.course.gradebook import await_person, enter_moment, has_score, is_registered, leave_ungraded, register
from autograder.course.nbgrader_internals import SaveGrades
from autograder.course.reports import load_report, save_refusal, save_report
from autograder.course.rubrics import show_rubrics
from autograder.course.standings import find_standing
from autograder.errors import AutograderError, ConfigError, ExerciseError
from autograder.exercise.packages import require_packages
from autograder.grading.evaluate import Evaluation, Grader
from autograder.grading.feedback import follow, has_summary


def accept_renamed_notebook(assignment: str, student: str, notebooks: list[str]) -> None:
    """nbgrader's pre-convert hook: let the one notebook of a wrong name pass for the right one.

    notebooks: the paths that nbgrader is about to convert; changed in place. `SubmissionExporter` finds the file.
    """
    if len(notebooks) == 1:
        path = Path(notebooks[0])
        notebooks[0] = str(path.with_name(f"{path.parent.name}.ipynb"))


class SubmissionExporter(NotebookExporter):
    """Reads a submitted notebook by evaluating it; the evaluation stays here for the preprocessors.

    It is made before nbgrader touches anything of the assignment, so here is what must hold by then.
    Errors: NbGraderException where it does not.
    """

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.course = Course(config=self.config, coursedir=self.parent.coursedir)
        try:
            _let_nbgrader_know(self.course, str(self.course.coursedir.assignment_id))
        except ConfigError as error:
            self.log.error(str(error))  # nbgrader's command ends without a word of its own
            raise NbGraderException(str(error)) from None
        self.evaluation: Evaluation | None = None
        self._grader = Grader(self.course.grader_config)
        weakref.finalize(self, self._grader.close)

    def from_filename(self, filename: str, resources: Any = None, **arguments: Any) -> Any:
        """The notebook as JSON text, after the preprocessors, and the resources.

        Whatever fails, in here or in a preprocessor, leaves the submission ungraded.
        """
        names = resources["nbgrader"]
        try:
            if self._is_submitted(Path(filename), names):
                self.evaluation = self._evaluate(names)
                return self.from_notebook_node(self.evaluation.notebook, resources=resources, **arguments)
            return super().from_filename(filename, resources=resources, **arguments)
        except Exception:
            leave_ungraded(names["db_url"], names["assignment"], names["student"])
            raise

    def _is_submitted(self, path: Path, names: dict[str, str]) -> bool:
        return path.parent.resolve() == self.course.submitted(names["student"], names["assignment"]).resolve()

    def _evaluate(self, names: dict[str, str]) -> Evaluation:
        slug, student = names["assignment"], names["student"]
        found = self.course.handed_in(student, slug)
        if found.refused:
            save_refusal(self.course.root, slug, student, found.refused)
            raise ConfigError(found.refused)
        if found.moment:  # nbgrader has read the same text already, in its own way
            enter_moment(names["db_url"], slug, student, found.moment)
        evaluation = self._grader.evaluate(found.content(), self.course.seeded(slug), found.findings, found.beside)
        save_report(self.course.root, student, evaluation.report)
        return evaluation


def _let_nbgrader_know(course: Course, slug: str) -> None:
    if slug not in course.exercise_names:
        raise ConfigError(
            f"`{slug}` is not graded here: it is no exercise of this package, as there is no folder "
            f"{course.exercises_folder / slug} with an exercise.toml; nbgrader can grade it in a course folder whose "
            "configuration does not call use_autograder"
        )
    with suppress(ExerciseError):  # it is told of each submission, which is left ungraded
        require_packages(course.exercise(slug).packages)
    if not is_registered(course, slug):
        register(course, slug)


class SaveScores(SaveGrades):
    """nbgrader's own recording, but for what has no score: it waits for a person."""

    def save_grade(self, grade: Grade, cell: NotebookNode, resources: Any) -> None:
        if has_score(grade, self.parent.evaluation.report.task(cell.metadata.nbgrader.grade_id)):
            super().save_grade(grade, cell, resources)
        else:
            await_person(grade)


class FollowGradebook(NbGraderPreprocessor):
    """Lets a page say what the gradebook has when the page is made, in formgrader or for a student.

    Points may have been entered by hand since the notebook was graded. In formgrader, rubrics stand beside the answers.
    """

    def preprocess(self, notebook: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Errors: ConfigError where the page is for a student, and there is no report to make it from."""
        for_student = resources.get("nbgrader", {})
        slug = for_student.get("assignment") or resources.get("assignment_id")
        if slug and has_summary(notebook):  # any other page is none of a student's
            coursedir = getattr(self.parent.parent, "coursedir", None) or CourseDirectory(config=self.config)
            course = Course(config=self.config, coursedir=coursedir)
            try:
                _follow(notebook, course, slug, for_student.get("student") or resources["student"])
                if "submission_id" in resources:  # formgrader's page, and nobody else's
                    show_rubrics(notebook, course.exercise(slug), course.build(slug).reference)
            except AutograderError as error:
                self.log.error(str(error))
                if for_student:
                    raise
        return notebook, resources


def _follow(notebook: NotebookNode, course: Course, slug: str, student: str) -> None:
    report = load_report(course.root, slug, student)
    with Gradebook(course.db_url) as gradebook:
        standing = find_standing(gradebook, student, report)
    if standing:
        follow(notebook, report, standing)
