"""A submission as JUnit XML, in the dialect of Jenkins's `junit-10.xsd`: for staff, with the names of hidden tests.

A suite is a task. A wrong result and what is not written is a failure; an exception, a time-out or a crash an error.
What waits for a person, what a person has graded and what is carried is skipped, with our word as `type`. A suite's
properties have its points, and what was earned where there is a score.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from autograder.course.exports.result import Result, checks
from autograder.report import Status, TaskResult, TestResult

_OUTCOME = {
    Status.FAILED: "failure",
    Status.MISSING: "failure",
    Status.ERROR: "error",
    Status.TIMEOUT: "error",
    Status.CRASHED: "error",
    Status.CARRIED: "skipped",
    Status.UNGRADED: "skipped",
    Status.BY_HAND: "skipped",
}
_COUNTED = {"failure": "failures", "error": "errors", "skipped": "skipped"}
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(result: Result) -> str:
    """The file's text."""
    root = Element("testsuites", name=_text(f"{result.exercise}: {result.student}"))
    if result.report is None:
        _add_suite(root, result.exercise, result.not_graded.name, (result.not_graded,), {})
    else:
        for task in result.report.tasks:
            _add_suite(root, result.exercise, task.name, checks(task), _properties(task))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _add_suite(root: Element, exercise: str, name: str, tests: tuple[TestResult, ...], known: dict[str, str]) -> None:
    outcomes = [_OUTCOME.get(test.status, "") for test in tests]
    counts = {attribute: str(outcomes.count(outcome)) for outcome, attribute in _COUNTED.items()}
    suite = SubElement(root, "testsuite", {"name": name, "tests": str(len(tests))} | counts)
    if known:
        properties = SubElement(suite, "properties")
        for key, value in known.items():
            SubElement(properties, "property", name=key, value=value)
    for test, outcome in zip(tests, outcomes, strict=True):
        case = SubElement(suite, "testcase", name=_text(test.name), classname=f"{exercise}.{name}")
        if outcome:
            SubElement(case, outcome, type=str(test.status), message=_text(test.message)).text = (
                _text(test.fault) or None
            )


def _properties(task: TaskResult) -> dict[str, str]:
    return {"points": f"{task.points:g}"} | ({} if task.earned is None else {"earned": f"{task.earned:g}"})


def _text(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return _NOT_XML.sub("\ufffd", text)
