"""What a course's own scripts may import, beside `testing` for suites and `settings` for configuration files.

These names stay; whatever else is in the package may change. docs/api.md shows how they are used.
"""

from __future__ import annotations

from autograder.batch.evaluators import Processes, WarmGrader
from autograder.batch.run import grade_students
from autograder.course.course import Course, load_course
from autograder.course.gradebook import register
from autograder.course.reports import load_report, reported_students
from autograder.errors import AutograderError, ConfigError, ExerciseError, SandboxError
from autograder.exercise.build import build
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import Exercise, load_exercise
from autograder.grading.evaluate import Evaluation, Grader, GraderConfig
from autograder.isolation.protection import Protection
from autograder.report import Finding, Mistake, Outcome, Report, Status, TaskResult, TestResult

__all__ = [
    "AutograderError",
    "Built",
    "ConfigError",
    "Course",
    "Evaluation",
    "Exercise",
    "ExerciseError",
    "Finding",
    "Grader",
    "GraderConfig",
    "Mistake",
    "Outcome",
    "Processes",
    "Protection",
    "Report",
    "SandboxError",
    "SeededExercise",
    "Status",
    "TaskResult",
    "TestResult",
    "WarmGrader",
    "build",
    "grade_students",
    "load_course",
    "load_exercise",
    "load_report",
    "register",
    "reported_students",
]
