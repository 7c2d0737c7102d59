"""The course folder: where its exercises, notebooks and gradebook are, as `grader_config.py` says."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from nbgrader.apps.baseapp import NbGrader
from nbgrader.coursedir import CourseDirectory
from traitlets import Bool, Dict, Float, Instance, Integer, List, Unicode
from traitlets.config import LoggingConfigurable

from autograder.errors import ConfigError, ExerciseError
from autograder.exercise.assignment import AssignmentFolder, assignment_names, load_assignment_folder, seeded
from autograder.exercise.build import build
from autograder.exercise.built import Built, SeededExercise, SeveralExercises
from autograder.exercise.definition import Exercise, exercise_names, load_exercise
from autograder.grading.evaluate import GraderConfig
from autograder.isolation.protection import GUARANTEES, Protection
from autograder.submission.handed_in import HandedIn, handed_in

Place = Callable[[str, str], Path]  # from a student and an assignment to a folder

_ANYBODY = "{anybody}"  # no student's name: nbgrader could not hold it
CONFIG_FILE = "nbgrader_config.py"  # the name that nbgrader insists on


class Course(LoggingConfigurable):
    """One course: nbgrader's own directory settings, and what this package adds to them."""

    exercises = Unicode("autograder/exercises", help="The folder of the exercises, seen from the course folder.").tag(
        config=True
    )
    seed = Integer(0, min=0, help="The seed of the hidden tests' random inputs; it is written into every report.").tag(
        config=True
    )
    carried = Float(
        1.0,
        min=0.0,
        max=1.0,
        help="What a test counts that passes once the functions of earlier tasks, which the student has wrong, are "
        "right: from 0, nothing, to 1, all of it.",
    ).tag(config=True)
    allow_unsafe = Bool(False, help="Grade even where this machine cannot shut students' code in; reports say so.").tag(
        config=True
    )
    disabled_layers = List(Unicode(), help="Layers of the confinement to leave out, for measurements and tests.").tag(
        config=True
    )
    limits = Dict(
        help="Limits of assignments without an exercise folder that are other than the defaults, by the names of "
        "docs/authoring.md: {'memory': 4096}."
    ).tag(config=True)
    coursedir = Instance(CourseDirectory)

    @property
    def root(self) -> Path:
        """The course folder."""
        return Path(str(self.coursedir.root))

    @property
    def exercises_folder(self) -> Path:
        """Where the folders of the exercises lie."""
        return self.root / str(self.exercises)

    @property
    def exercise_names(self) -> list[str]:
        """The slugs of all its exercises, sorted; `assignment/notebook` of one of several."""
        return exercise_names(self.exercises_folder)

    @property
    def assignment_names(self) -> list[str]:
        """The slugs of all assignments that have exercises, sorted."""
        return assignment_names(self.exercises_folder)

    @property
    def solutions(self) -> Path:
        """Where the reference notebooks lie."""
        return self.root / str(self.coursedir.source_directory)

    @property
    def assignments(self) -> Path:
        """Where the notebooks lie that students get."""
        return self.root / str(self.coursedir.release_directory)

    @property
    def protection(self) -> Protection:
        """What the course asks for."""
        tolerated = GUARANTEES if self.allow_unsafe else frozenset[str]()
        return Protection(disabled_layers=frozenset(self.disabled_layers), tolerated_breaches=tolerated)

    @property
    def grader_config(self) -> GraderConfig:
        """How `autograder grade` makes its graders."""
        return GraderConfig(protection=self.protection, course=self.root, carried=float(self.carried))

    @property
    def db_url(self) -> str:
        """The address of nbgrader's gradebook; it may hold a password."""
        return str(self.coursedir.db_url)

    def build(self, slug: str) -> Built:
        """The exercise `slug`, built in memory. Errors: ExerciseError."""
        return build(self.exercise(slug))

    def seeded(self, slug: str) -> SeededExercise:
        """The exercise `slug`, built, with the course's seed. Errors: ExerciseError."""
        return SeededExercise(self.build(slug), int(self.seed))

    def exercise(self, slug: str) -> Exercise:
        """The exercise `slug`, read. Errors: ExerciseError."""
        return load_exercise(slug, self.exercises_folder)

    def exercises_of(self, slug: str) -> tuple[Exercise, ...]:
        """The exercise `slug`, or all of the assignment `slug`. Errors: ExerciseError."""
        return (self.exercise(slug),) if slug in self.exercise_names else self.assignment_folder(slug).exercises

    def assignment_folder(self, slug: str) -> AssignmentFolder:
        """The assignment `slug`, read. Errors: ExerciseError."""
        return load_assignment_folder(slug, self.exercises_folder)

    def notebooks_of(self, slug: str) -> tuple[str, ...]:
        """The names of the notebooks of the assignment `slug`, even where one of its exercises is broken."""
        names = (name.partition("/") for name in self.exercise_names)
        return tuple(notebook or assignment for assignment, _, notebook in names if assignment == slug)

    def assignment(self, slug: str) -> SeededExercise | SeveralExercises:
        """The assignment `slug`, built, with the course's seed. Errors: ExerciseError."""
        return seeded(self.assignment_folder(slug), int(self.seed))

    def written_files(self, slug: str) -> tuple[str, ...]:
        """The files that students write beside the notebooks; none where there is no such exercise that can be read."""
        try:
            return tuple(name for one in self.assignment_folder(slug).exercises for name in one.submit)
        except ExerciseError:
            return ()

    def submitted(self, student: str, slug: str) -> Path:
        """A student's folder for an assignment."""
        return self._folder(self.coursedir.submitted_directory, student, slug)

    def autograded(self, student: str, slug: str) -> Path:
        """nbgrader's folder for what was graded of a student's."""
        return self._folder(self.coursedir.autograded_directory, student, slug)

    def feedback(self, student: str, slug: str) -> Path:
        """nbgrader's folder for a student's pages."""
        return self._folder(self.coursedir.feedback_directory, student, slug)

    @property
    def timezone(self) -> str:
        """The zone whose abbreviations times of submissions may have, as nbgrader's exchange writes them."""
        return str(self.config.get("Exchange", {}).get("timezone", "UTC"))

    @property
    def submissions(self) -> Path:
        """The folder that is the course's own, below which students' files lie."""
        return self._places(self.submitted, _ANYBODY)[0]

    def handed_in(self, student: str, slug: str, notebooks: Sequence[str] = ()) -> HandedIn:
        """What a student's folder for an assignment holds now. notebooks: their right names; by default, one of its."""
        return handed_in(self.submitted(student, slug), self.submissions, notebooks or (slug,), self.timezone)

    def submitting_students(self, slug: str) -> list[str]:
        """Every student who has something in the assignment's place, sorted, but those whom the course leaves out."""
        below = self._places(self.submitted, slug)[3]
        return [student for student, folder in self._student_folders(slug) if os.path.lexists(folder / below)]

    def absent_students(self, slug: str, known: Iterable[str]) -> list[str]:
        """Every student, of these and of those who have a folder, who has nothing in the assignment's place; sorted."""
        with_folder = {student for student, folder in self._student_folders(slug) if folder.is_dir()}
        everybody = {*known, *with_folder} - self._left_out
        return sorted(everybody.difference(self.submitting_students(slug)))

    def pattern(self, place: Place, slug: str) -> str:
        """A glob pattern of all students' folders, seen from the folder of them all. place: one of the above."""
        _, before, after, below = self._places(place, slug)
        return os.path.join(f"{glob.escape(before)}*{glob.escape(after)}", glob.escape(str(below)))

    def all_pattern(self, place: Place, slug: str) -> str:
        """The same, as a whole path."""
        return os.path.join(glob.escape(str(self._places(place, slug)[0])), self.pattern(place, slug))

    def _student_folders(self, slug: str) -> list[tuple[str, Path]]:
        """What may be a student's, sorted, with the student's name; but those whom the course leaves out."""
        root, before, after, _ = self._places(self.submitted, slug)
        found = [
            (name.removeprefix(before).removesuffix(after), root / name)
            for name in (sorted(os.listdir(root)) if root.is_dir() else [])
            if name.startswith(before) and name.endswith(after) and not name.startswith(".")
        ]
        return [(student, folder) for student, folder in found if student not in self._left_out]

    @property
    def _left_out(self) -> set[str]:
        return {name.strip() for name in str(self.coursedir.student_id_exclude).split(",")}

    def _places(self, place: Place, slug: str) -> tuple[Path, str, str, Path]:
        """The folder of all students; what stands before and after a name in its entries; the path below those."""
        parts = place(_ANYBODY, slug).parts
        which = next(number for number, part in enumerate(parts) if _ANYBODY in part)
        before, _, after = parts[which].partition(_ANYBODY)
        return Path(*parts[:which]), before, after, Path(*parts[which + 1 :])

    def _folder(self, directory: Any, student: str, slug: str) -> Path:
        return Path(self.coursedir.format_path(directory, student, slug))


def load_course(root: Path) -> Course:
    """The course in the folder `root`.

    Errors: ConfigError where the folder has no configuration, or one that cannot be read or does not switch the
    grader on.
    """
    if not (root / CONFIG_FILE).is_file():
        raise ConfigError(f"{root} is no course folder: it has no {CONFIG_FILE}; change to the course folder first")
    if os.path.expandvars(root) != str(root):
        raise ConfigError(f"{root} holds what nbgrader takes for a variable of the environment; rename the folder")
    _let_alembic_be_found()
    app = NbGrader(raise_config_file_errors=True)
    try:
        app.initialize([], root=str(root))
        course = Course(config=app.config, coursedir=app.coursedir)
    except (Exception, SystemExit) as error:
        raise ConfigError(f"{root / CONFIG_FILE} cannot be read: {type(error).__name__}: {error}") from None
    if "exporter_class" not in app.config.Autograde:
        raise ConfigError(f"{root / CONFIG_FILE} does not switch the grader on; call use_autograder(c) in it")
    return course


def _let_alembic_be_found() -> None:
    """nbgrader makes a new gradebook by the command `alembic`, which lies beside this interpreter."""
    here = os.path.dirname(sys.executable)
    if here not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([here, os.environ.get("PATH", "")])
