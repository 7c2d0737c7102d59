"""The settings that switch the grader on name what there is, and cost nothing to read."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from nbconvert.exporters import HTMLExporter
from nbgrader.apps import ExportApp
from nbgrader.converters import Autograde, GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import ClearSolutions
from traitlets.config import Config
from traitlets.utils.importstring import import_item

from autograder.settings import STUB, use_autograder

CLASSES: dict[str, Any] = {
    "Autograde": Autograde,
    "ClearSolutions": ClearSolutions,
    "CourseDirectory": CourseDirectory,
    "ExportApp": ExportApp,
    "GenerateFeedback": GenerateFeedback,
    "HTMLExporter": HTMLExporter,
}


def settings() -> Config:
    c = Config()
    use_autograder(c)
    return c


@pytest.mark.parametrize("section", sorted(settings()))
def test_every_setting_is_one_that_nbgrader_reads(section: str) -> None:
    """A misspelt setting would be passed over in silence, and students' kernels would grade themselves."""
    known = CLASSES[section].class_trait_names(config=True)
    assert set(settings()[section]) <= set(known)


def test_every_class_that_a_setting_names_can_be_imported() -> None:
    autograde = settings().Autograde
    named = [*autograde.sanitize_preprocessors, *autograde.autograde_preprocessors]
    named += [autograde.exporter_class, settings().ExportApp.plugin_class]
    named += [*settings().HTMLExporter.preprocessors, settings().GenerateFeedback.exporter_class]
    assert all(callable(import_item(name)) for name in named)


def test_no_preprocessor_runs_the_students_code_in_nbgraders_own_process() -> None:
    autograde = settings().Autograde
    names = " ".join([*autograde.sanitize_preprocessors, *autograde.autograde_preprocessors])
    assert "Execute" not in names
    assert "autograder.course.nbgrader_plugin.SaveScores" in names


def test_a_course_can_set_its_own_values_afterwards() -> None:
    c = settings()
    c.CourseDirectory.source_directory = "source"
    assert settings().CourseDirectory.source_directory == "solutions"
    assert c.CourseDirectory.source_directory == "source"


def test_folders_that_a_course_has_named_before_stay() -> None:
    c = Config()
    c.CourseDirectory.source_directory = "source"
    use_autograder(c)
    assert (c.CourseDirectory.source_directory, c.CourseDirectory.release_directory) == ("source", "assignments")


def test_what_nbgrader_leaves_alone_in_folders_is_left_alone() -> None:
    assert set(CourseDirectory().ignore) <= set(settings().CourseDirectory.ignore)


def test_stubs_of_other_languages_are_nbgraders_own() -> None:
    assert settings().ClearSolutions.code_stub == ClearSolutions().code_stub | STUB


@pytest.mark.parametrize("python", [{}, {"python": "pass"}])
def test_stubs_that_a_course_has_set_before_stay_but_for_pythons(python: dict[str, str]) -> None:
    c = Config()
    c.ClearSolutions.code_stub = {"julia": "error()", **python}
    use_autograder(c)
    assert c.ClearSolutions.code_stub == {"julia": "error()", **STUB}


def test_stubs_that_a_course_adds_before_or_afterwards_are_added() -> None:
    c = Config()
    c.ClearSolutions.code_stub.update({"julia": "error()"})
    use_autograder(c)
    c.ClearSolutions.code_stub.update({"R": "stop()"})
    stubs = ClearSolutions(config=c).code_stub
    assert stubs == ClearSolutions().code_stub | STUB | {"julia": "error()", "R": "stop()"}
    assert "R" not in STUB


def test_the_settings_are_the_same_text_each_time() -> None:
    """What was recorded under them is known by it."""
    assert len({json.dumps(settings(), sort_keys=True, default=str) for _ in range(2)}) == 1
    assert " object at 0x" not in json.dumps(settings(), default=str)


def test_reading_the_settings_imports_nothing_heavy() -> None:
    heavy = {"numpy", "torch", "nbgrader", "nbformat", "pytest", "IPython", "msgspec"}
    code = (
        f"import sys; from autograder.settings import STUB, use_autograder\nprint(sorted({heavy!r} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "[]\n"
