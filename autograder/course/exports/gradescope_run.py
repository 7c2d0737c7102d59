"""Grades the one submission in a folder as Gradescope lays it out, and writes `results/results.json` there.

Run as a program by `run_autograder`, with that folder as its argument. Where no score may stand, because the file
cannot be graded or something of ours is broken, no file is written, the reason is printed, which instructors alone see,
and the exit status is 1: Gradescope says then that the autograder failed, and nobody gets a 0.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from autograder.course.exports.gradescope import gradescope
from autograder.course.exports.gradescope_zip import EXERCISE_FOLDER, SETTINGS, GradescopeSettings
from autograder.course.exports.result import Result
from autograder.errors import AutograderError
from autograder.exercise.assignment import load_assignment_folder, seeded
from autograder.grading.evaluate import Grader, GraderConfig
from autograder.grading.explain import explain
from autograder.isolation.protection import GUARANTEES, Protection
from autograder.report import Report, Status
from autograder.standing import Entry, Standing
from autograder.store import write_whole
from autograder.submission.handed_in import handed_in


def grade_there(root: Path) -> str:
    """Why there is no score, if so. Errors: AutograderError, OSError for a folder that is not as the zip makes it."""
    settings = msgspec.json.decode((root / "source" / SETTINGS).read_bytes(), type=GradescopeSettings)
    folder = load_assignment_folder(settings.exercise, root / "source" / EXERCISE_FOLDER)
    found = handed_in(root / "submission", root, folder.notebooks)
    results = root / "results" / "results.json"
    results.unlink(missing_ok=True)
    if found.refused:
        return found.refused
    protection = Protection(tolerated_breaches=GUARANTEES if settings.allow_unsafe else frozenset())
    with Grader(GraderConfig(protection=protection, carried=settings.carried)) as grader:
        assignment = seeded(folder, settings.seed)
        contents = found.contents(assignment.used_files(found.files))
        report = grader.evaluate(contents, assignment, found.findings).report
    text = gradescope(Result(settings.exercise, "", report, _standing(report)))
    if text is None:
        return explain(report)
    write_whole(results, text.encode("utf-8", errors="replace"))
    return ""


def _standing(report: Report) -> Standing:
    """As a gradebook would have it that nobody has touched."""
    by_hand = frozenset(task.name for task in report.tasks if task.status is Status.BY_HAND)
    return Standing({task.name: Entry(task.points, task.earned) for task in report.tasks}, by_hand)


if __name__ == "__main__":
    try:
        reason = grade_there(Path(sys.argv[1]).resolve())
    except (AutograderError, OSError) as error:
        reason = str(error)
    if reason:
        sys.exit(f"autograder: not graded: {reason}")
