"""What `grader_config.py` calls: the nbgrader settings under which this package grades.

Read up to three times by each nbgrader command, so nothing heavy is imported here; classes are named by dotted strings.
"""

from __future__ import annotations

from typing import Any

__all__ = ["use_autograder"]

STUB = {"python": '# YOUR CODE HERE\nraise NotImplementedError("not written yet")'}

# nbgrader's own, which a setting of this name replaces as a whole.
_STUBS_OF_OTHERS = {
    "R": "# YOUR CODE HERE\nfail()",
    "matlab": "% YOUR CODE HERE\nerror('No Answer Given!')",
    "octave": "% YOUR CODE HERE\nerror('No Answer Given!')",
    "sas": "/* YOUR CODE HERE */\n %notImplemented;",
    "java": "// YOUR CODE HERE",
}

_PLUGIN = "autograder.course.nbgrader_plugin"


def use_autograder(c: Any) -> None:
    """Let nbgrader's own commands and formgrader grade through the isolated process.

    c: the traitlets configuration object of a config file. Set a course's own values after this call.
    """
    c.CourseDirectory.source_directory = "solutions"
    c.CourseDirectory.release_directory = "assignments"
    c.CourseDirectory.ignore = [".ipynb_checkpoints", "__pycache__", "*.pyc", ".pytest_cache"]
    c.ClearSolutions.code_stub = {**_stubs_before(c), **STUB}
    c.Autograde.exporter_class = f"{_PLUGIN}.SubmissionExporter"
    c.Autograde.pre_convert_hook = f"{_PLUGIN}.accept_renamed_notebook"
    c.Autograde.sanitize_preprocessors = ["nbgrader.preprocessors.CheckCellMetadata"]
    c.Autograde.autograde_preprocessors = [
        f"{_PLUGIN}.SaveScores",
        "nbgrader.preprocessors.AssignLatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    c.HTMLExporter.sanitize_html = True
    c.HTMLExporter.preprocessors = [f"{_PLUGIN}.FollowGradebook"]
    c.ExportApp.plugin_class = "autograder.course.export.ExportScores"


def _stubs_before(c: Any) -> dict[str, str]:
    """What the course has set before, as a whole or by `update`, else nbgrader's own."""
    stubs = c.ClearSolutions.code_stub
    return stubs if isinstance(stubs, dict) else stubs.get_value(_STUBS_OF_OTHERS)
