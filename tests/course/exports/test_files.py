"""The files of each student: CTRF by a JSON schema, JUnit by the rules of its XSD, Gradescope by its specification."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from autograder.course.course import Course
from autograder.course.exports.formats import FILES, Exported, export
from autograder.course.gradebook import open_gradebook
from tests.course.graded_class import BROKEN, DOUBLE, FORMULA, LONG, enter, fill, report

# The rules of CTRF's published schema, as far as they are about what is written here.
_COUNTS = ("tests", "passed", "failed", "skipped", "pending", "other", "start", "stop")
CTRF: dict[str, Any] = {
    "type": "object",
    "required": ["results", "reportFormat", "specVersion"],
    "additionalProperties": False,
    "properties": {
        "reportFormat": {"const": "CTRF"},
        "specVersion": {"type": "string", "pattern": r"^[0-9]+\.[0-9]+\.[0-9]+$"},
        "results": {
            "type": "object",
            "required": ["tool", "summary", "tests"],
            "additionalProperties": False,
            "properties": {
                "tool": {
                    "type": "object",
                    "required": ["name"],
                    "additionalProperties": False,
                    "properties": {"name": {"type": "string", "minLength": 1}, "version": {"type": "string"}},
                },
                "summary": {
                    "type": "object",
                    "required": [*_COUNTS],
                    "additionalProperties": False,
                    "properties": {name: {"type": "integer"} for name in _COUNTS},
                },
                "tests": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["name", "status", "duration"],
                        "additionalProperties": False,
                        "properties": {
                            "name": {"type": "string", "minLength": 1},
                            "status": {"enum": ["passed", "failed", "skipped", "pending", "other"]},
                            "duration": {"type": "integer"},
                            "suite": {"type": "array", "minItems": 1, "items": {"type": "string"}},
                            "message": {"type": "string"},
                            "trace": {"type": "string"},
                            "rawStatus": {"type": "string"},
                            "extra": {"type": "object"},
                        },
                    },
                },
                "environment": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"reportName": {"type": "string"}},
                },
                "extra": {"type": "object"},
            },
        },
    },
}
# Of each element of Jenkins's junit-10.xsd: attributes that must be there, others that may be, and children.
JUNIT: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), {"name", "tests", "failures", "errors", "time"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors"}, {"skipped", "time"}, {"properties", "testcase"}),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, set(), set()),
    "testcase": ({"name"}, {"classname", "time"}, {"skipped", "error", "failure"}),
    "skipped": (set(), {"type", "message"}, set()),
    "error": (set(), {"type", "message"}, set()),
    "failure": (set(), {"type", "message"}, set()),
}


@pytest.fixture
def course(new_course: Callable[[str], Course]) -> Course:
    course = new_course("course")
    fill(course)
    return course


def written(course: Course, kind: str) -> tuple[dict[str, Path], Exported]:
    """The files by student."""
    with open_gradebook(course) as gradebook:
        exported = export(course, gradebook, kind, str(course.root / kind))
    return {path.stem: path for path in (course.root / kind / "tiny").glob(f"*{FILES[kind][1]}")}, exported


def ctrf_of(course: Course, student: str) -> dict[str, Any]:
    document = json.loads(written(course, "ctrf")[0][student].read_text(encoding="utf-8"))
    jsonschema.validate(document, CTRF)
    results: dict[str, Any] = document["results"]
    return results


def junit_of(course: Course, student: str) -> ElementTree.Element:
    root = ElementTree.fromstring(written(course, "junit")[0][student].read_bytes())
    assert root.tag == "testsuites"
    for element in root.iter():
        needed, allowed, children = JUNIT[element.tag]
        assert needed <= element.attrib.keys() <= needed | allowed
        assert {child.tag for child in element} <= children
    return root


@pytest.mark.parametrize("kind", ["ctrf", "junit"])
def test_everybody_who_handed_in_has_a_file_for_staff(kind: str, course: Course) -> None:
    files, exported = written(course, kind)
    assert {*files} == {"ada", FORMULA, LONG, "refused"}
    assert (exported.files, exported.waiting) == (4, [FORMULA, "refused", LONG])


@pytest.mark.parametrize("student", ["ada", FORMULA, LONG, "refused"])
def test_ctrf_is_as_its_schema_says_and_counts_its_tests(student: str, course: Course) -> None:
    results = ctrf_of(course, student)
    summary, statuses = results["summary"], [test["status"] for test in results["tests"]]
    assert summary["tests"] == len(statuses)
    assert {name: summary[name] for name in _COUNTS[1:6]} == {name: statuses.count(name) for name in _COUNTS[1:6]}
    assert results["extra"]["student"] == student


def test_ctrf_has_no_verdict_and_no_points_for_what_waits_for_a_person(course: Course) -> None:
    ungraded = ctrf_of(course, LONG)
    assert {test["name"]: test["status"] for test in ungraded["tests"]} == {
        "test_d1": "passed", "test_d2": "passed", "test_q": "pending", "explain": "pending",
    }  # fmt: skip
    assert ungraded["extra"]["points"] is None
    assert ungraded["extra"]["tasks"]["quadruple"] == {"points": 3.0, "earned": None}
    refused = ctrf_of(course, "refused")
    assert [(test["status"], test["rawStatus"]) for test in refused["tests"]] == [("pending", "ungraded")]
    assert refused["extra"]["points"] is None


def test_ctrf_has_the_gradebooks_points_and_tells_carried_from_passed(course: Course) -> None:
    assert ctrf_of(course, "ada")["extra"]["points"] == 8
    tests = {test["name"]: (test["status"], test["rawStatus"]) for test in ctrf_of(course, FORMULA)["tests"]}
    assert tests["test_d2"] == ("failed", "failed")
    assert tests["test_q"] == ("other", "carried")


@pytest.mark.parametrize("student", ["ada", FORMULA, LONG, "refused"])
def test_junit_is_as_its_schema_says_and_counts_its_tests(student: str, course: Course) -> None:
    for suite in junit_of(course, student).iter("testsuite"):
        cases = suite.findall("testcase")
        counted = [sum(case.find(kind) is not None for case in cases) for kind in ("failure", "error", "skipped")]
        assert [int(suite.attrib[name]) for name in ("failures", "errors", "skipped")] == counted
        assert int(suite.attrib["tests"]) == len(cases)


def test_junit_skips_what_waits_for_a_person_and_gives_it_no_points(course: Course) -> None:
    suites = {suite.attrib["name"]: suite for suite in junit_of(course, LONG)}
    skipped = suites["quadruple"].find("testcase/skipped")
    assert skipped is not None
    assert (skipped.attrib["type"], skipped.text) == ("ungraded", "KeyError: 'ours'")
    properties = [one.attrib["name"] for one in suites["quadruple"].iter("property")]
    assert properties == ["points"]


def test_junit_holds_what_xml_cannot(course: Course) -> None:
    failure = junit_of(course, FORMULA).find(".//failure")
    assert failure is not None
    assert failure.attrib["message"].startswith("1 < 2 & 3")


def test_gradescope_has_the_fields_of_its_specification_and_nothing_hidden(course: Course) -> None:
    files, _ = written(course, "gradescope")
    results = json.loads(files["ada"].read_text(encoding="utf-8"))
    assert {*results} <= {"score", "execution_time", "output", "visibility", "stdout_visibility", "extra_data", "tests"}
    assert (results["score"], results["visibility"], results["stdout_visibility"]) == (8, "after_published", "hidden")
    for test in results["tests"]:
        assert {*test} <= {"score", "max_score", "name", "number", "output", "tags", "visibility", "extra_data"}
    assert [(test["score"], test["max_score"]) for test in results["tests"]] == [(4, 4), (3, 3), (1.5, 2)]
    assert "0.5 taken off for being late" in results["output"]
    assert "test_d1" not in files["ada"].read_text(encoding="utf-8")


def test_gradescope_has_no_file_without_a_score_and_no_number_for_what_is_unread(course: Course) -> None:
    files, exported = written(course, "gradescope")
    assert {*files} == {"ada", FORMULA}
    assert exported.waiting == [FORMULA, "refused", LONG]
    unread = json.loads(files[FORMULA].read_text(encoding="utf-8"))
    assert "score" not in unread["tests"][2]
    assert unread["score"] == 5
    assert "2 by hand" in unread["output"]


def test_gradescope_takes_a_file_away_that_holds_no_longer(course: Course) -> None:
    old = written(course, "gradescope")[0]["ada"]
    with open_gradebook(course) as gradebook:
        gradebook.find_grade("quadruple", "tiny", "tiny", "ada").auto_score = None
        gradebook.db.commit()
    written(course, "gradescope")
    assert not old.exists()


def test_a_student_whose_name_no_file_can_have_costs_nobody_else_a_file(course: Course) -> None:
    (course.root / "submitted" / ("y" * 253) / "tiny").mkdir(parents=True)
    files, exported = written(course, "ctrf")
    assert len(files) == 4
    assert "y" * 253 in exported.waiting


def test_what_is_not_in_the_gradebook_has_no_score(course: Course) -> None:
    with open_gradebook(course) as gradebook:
        enter(course, gradebook, "new", report(DOUBLE, BROKEN))
        gradebook.remove_submission("tiny", "new")
    assert ctrf_of(course, "new")["extra"]["points"] is None
    assert "new" not in written(course, "gradescope")[0]
