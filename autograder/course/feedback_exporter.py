"""How nbgrader's `generate_feedback`, from the command line or formgrader's button, comes to our page for students.

nbgrader's own page stays that of plain assignments.
"""

from __future__ import annotations

from typing import Any

from nbconvert.exporters import Exporter, HTMLExporter
from nbformat import NotebookNode

from autograder.course.course import Course
from autograder.course.reports import load_report
from autograder.course.standings import standing_now
from autograder.course.student_page import as_html
from autograder.grading.feedback import has_summary


class FeedbackExporter(HTMLExporter):
    """Makes the page of a graded notebook from its report and from what the gradebook has now."""

    def from_notebook_node(self, nb: NotebookNode, resources: Any = None, **arguments: Any) -> Any:
        """The page and the resources. Errors: ConfigError where there is no report to make it from."""
        if not has_summary(nb):
            return super().from_notebook_node(nb, resources, **arguments)
        # Without the template of HTMLExporter, but after its preprocessors: nbgrader's GetGrades brings the comments.
        notebook, resources = Exporter.from_notebook_node(self, nb, resources, **arguments)
        student, name = resources["nbgrader"]["student"], resources["nbgrader"]["notebook"]
        course = Course(config=self.config, coursedir=self.parent.coursedir)
        report = load_report(course.root, resources["nbgrader"]["assignment"], student).of_notebook(name)
        return as_html(report, standing_now(course.db_url, student, report, name), notebook, student), resources
