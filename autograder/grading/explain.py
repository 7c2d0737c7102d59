"""Why points were lost, as plain text for staff: with the names of hidden tests, and faults of ours."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby

from autograder.grading.feedback import points_of
from autograder.report import Amended, Report, Status, TestResult, amended
from autograder.scrub import plain_line
from autograder.standing import Standing


def explain(report: Report, standing: Standing | None = None) -> str:
    """The text about one report; its first line is indented as all others. standing: what the gradebook has of it."""
    if standing:
        report = amended(report, standing)
    lines = [f"  {_points(report, standing)}, seed {report.seed}, version {report.version}"]
    lines += [f"  file {finding.kind}: {plain_line(finding.placed)}" for finding in report.findings]
    lines += [f"  UNSAFE: the code was not shut off from: {', '.join(report.breaches)}"] if report.breaches else []
    lines += [f"  {report.trust}"] if report.trust else []
    for task in report.tasks:
        if isinstance(task, Amended) or task.status not in (Status.PASSED, Status.BY_HAND):
            lines.append(f"  {task.name}: {points_of(task)} ({task.status})")
            lines += [f"    known mistake: {mistake.title} [{mistake.name}]" for mistake in task.mistakes]
            lines += _explain_tests(task.tests)
    return "\n".join(lines) + _indented(report.fault)


def _points(report: Report, standing: Standing | None) -> str:
    waiting = sum(task.points for task in report.ungraded)
    if waiting and waiting == report.automatic_points:
        return f"not graded: all {waiting:g} points wait for a person"
    if standing:
        return ", ".join([f"{standing.earned:g} of {standing.counted:g} points", *standing.remarks])
    known = f"{report.earned:g} of {report.automatic_points:g} points"
    return f"{known}, {waiting:g} more wait for a person" if waiting else known


def _explain_tests(tests: Sequence[TestResult]) -> Iterator[str]:
    """Tests that came out alike share a line."""
    lost = (test for test in tests if test.status is not Status.PASSED)
    for (status, message, fault), alike in groupby(lost, key=lambda test: (test.status, test.message, test.fault)):
        names = ", ".join(test.name for test in alike)
        yield f"    {status}: {plain_line(message)} [{names}]{_indented(fault)}"


def _indented(fault: str) -> str:
    return "\n" + textwrap.indent(fault.rstrip(), "      ") if fault else ""
