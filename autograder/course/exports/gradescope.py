"""A submission as the `results.json` of a Gradescope autograder: what the student may read, a test a task.

The fields are those of Gradescope's autograder specifications. The score is the gradebook's, less a late penalty; it
stands above the tests and so counts in their place. Nothing is shown before the grades are published there.

The format has no way to say that there is no score. So a submission that is not graded, or of which a task is
ungraded, has no file at all. A task that waits to be graded by hand has no number, and its points are not in the score.
"""

from __future__ import annotations

import json
from typing import Any

from autograder.course.exports.result import Result
from autograder.grading import feedback
from autograder.report import Report, TaskResult
from autograder.scrub import plain_line
from autograder.standing import Standing


def gradescope(result: Result) -> str | None:
    """The file's text; None where no score may stand."""
    if result.report is None or result.standing is None or result.standing.is_ungraded:
        return None
    return json.dumps(_results(result.report, result.standing), ensure_ascii=False, indent=1) + "\n"


def _results(report: Report, standing: Standing) -> dict[str, Any]:
    return {
        "score": standing.earned,
        "output": "\n".join(_about(report, standing)),
        "visibility": "after_published",
        "stdout_visibility": "hidden",
        "tests": [_test(task) for task in report.tasks],
    }


def _about(report: Report, standing: Standing) -> list[str]:
    findings = [finding for finding in report.findings if not finding.is_for_staff]
    return [*standing.remarks, *(f"file {finding.kind}: {plain_line(finding.placed)}" for finding in findings)]


def _test(task: TaskResult) -> dict[str, Any]:
    score = {} if task.earned is None else {"score": task.earned, "max_score": task.points}
    return {"name": task.title, **score, "output": feedback.plain(task)}
