"""A copy of the gradebook to try things on: what is written into it is seen by nobody and gone afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nbgrader.api import Base, Gradebook
from nbgrader.coursedir import CourseDirectory
from sqlalchemy import delete, insert, select

from autograder.course.course import Course
from autograder.course.gradebook import gradebook_to_read


@contextmanager
def draft_of(course: Course) -> Iterator[Course]:
    """The same course with a copy of its gradebook. Errors: ConfigError where that cannot be read."""
    with tempfile.TemporaryDirectory() as folder:
        coursedir = CourseDirectory(config=course.config)
        coursedir.root = str(course.root)
        coursedir.db_url = f"sqlite:///{Path(folder) / 'gradebook.db'}"
        _copy(course, str(coursedir.db_url))
        yield Course(config=course.config, coursedir=coursedir)


def _copy(course: Course, url: str) -> None:
    with (
        gradebook_to_read(course) as original,
        Gradebook(url, course.coursedir.course_id) as copy,
        copy.engine.begin() as target,
    ):
        for table in Base.metadata.sorted_tables:
            target.execute(delete(table))
            if rows := original.db.execute(select(table)).mappings().all():
                target.execute(insert(table), [dict(row) for row in rows])
