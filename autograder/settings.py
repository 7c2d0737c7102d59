"""What `grader_config.py` calls: the nbgrader settings under which this package grades.

Read up to three times by each nbgrader command, so nothing heavy is imported here; classes are named by dotted strings.
"""

from __future__ import annotations

from typing import Any

from traitlets.config.loader import LazyConfigValue

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

    c: the traitlets configuration object of a config file. Set a course's own values after this call; names of folders
    that are set before it stay, too.
    """
    for name, folder in (("source_directory", "solutions"), ("release_directory", "assignments")):
        if name not in c.CourseDirectory:
            c.CourseDirectory[name] = folder
    c.CourseDirectory.ignore = [".ipynb_checkpoints", "__pycache__", "*.pyc", ".pytest_cache", "feedback"]
    c.ClearSolutions.code_stub = _with_ours(c.ClearSolutions.code_stub)
    c.Autograde.exporter_class = f"{_PLUGIN}.SubmissionExporter"
    c.Autograde.sanitize_preprocessors = ["nbgrader.preprocessors.CheckCellMetadata"]
    c.Autograde.autograde_preprocessors = [
        f"{_PLUGIN}.SaveScores",
        "nbgrader.preprocessors.AssignLatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
        f"{_PLUGIN}.NoteScores",
    ]
    c.GenerateFeedback.exporter_class = "autograder.course.feedback_exporter.FeedbackExporter"
    c.HTMLExporter.sanitize_html = True
    c.HTMLExporter.preprocessors = [f"{_PLUGIN}.FollowGradebook"]
    c.ExportApp.plugin_class = "autograder.course.export.ExportScores"


class _Stubs(dict[str, str], LazyConfigValue):
    """nbgrader's own stubs and others over them. What a file that was read before, as a user's, has set stays.

    To traitlets it is a value that is merged into an older one, to nbgrader a dictionary: it insists on one.
    """

    def merge_into(self, older: Any) -> dict[str, str]:
        before = older if isinstance(older, dict) else older.get_value(_STUBS_OF_OTHERS)
        return before | {language: stub for language, stub in self.items() if _STUBS_OF_OTHERS.get(language) != stub}

    def get_value(self, initial: object) -> dict[str, str]:
        return dict(self)

    def __deepcopy__(self, memo: object) -> _Stubs:
        return _Stubs(dict(self))


def _with_ours(before: Any) -> dict[str, str]:
    """before: what the course has set itself, as a whole or by `update`."""
    return before | STUB if isinstance(before, dict) else _Stubs(before.get_value(_STUBS_OF_OTHERS) | STUB)
