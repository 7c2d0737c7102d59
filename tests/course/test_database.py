"""Why a gradebook cannot be opened is one sentence, and shows no password."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course.course import Course
from autograder.course.database import address
from autograder.course.gradebook import open_gradebook
from autograder.errors import ConfigError


@pytest.mark.parametrize(
    ("db_url", "shown"),
    [
        ("postgresql://me:geheim@host:5432/grades", "postgresql://me:***@host:5432/grades"),
        ("postgresql://host/grades?user=me&password=geheim", "postgresql://host/grades"),
        ("sqlite:////course/gradebook.db", "sqlite:////course/gradebook.db"),
        ("me:geheim@host", "of c.CourseDirectory.db_url"),
        ("postgresql://me:geheim@host:port/grades", "of c.CourseDirectory.db_url"),
    ],
)
def test_an_address_is_shown_without_its_password(db_url: str, shown: str) -> None:
    assert address(db_url) == shown


@pytest.mark.parametrize(
    ("db_url", "said"),
    [
        (
            "mysql+oursql://me:geheim@host/grades",
            "the gradebook mysql+oursql://me:***@host/grades cannot be opened: that is no address of a database",
        ),
        (
            "mysql+asyncmy://me:geheim@host/grades",
            "the gradebook mysql+asyncmy://me:***@host/grades cannot be opened: it needs the Python package asyncmy",
        ),
        (
            "me:geheim@host",
            "the gradebook of c.CourseDirectory.db_url cannot be opened: that is no address of a database",
        ),
        (
            "sqlite:////no/such/folder/gradebook.db",
            "the gradebook sqlite:////no/such/folder/gradebook.db cannot be opened: unable to open database file",
        ),
    ],
)
def test_what_keeps_a_gradebook_from_being_opened_is_one_sentence(
    new_course: Callable[[str], Course], db_url: str, said: str
) -> None:
    course = new_course("course")
    course.coursedir.db_url = db_url
    with pytest.raises(ConfigError) as refused:
        open_gradebook(course)
    assert str(refused.value) == said


def test_a_missing_driver_of_postgresql_names_the_extra_that_brings_it(
    new_course: Callable[[str], Course], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg2", None)
    course = new_course("course")
    course.coursedir.db_url = "postgresql://me:geheim@127.0.0.1/grades"
    with pytest.raises(ConfigError, match=r"pip install 'autograder\[postgres\]'"):
        open_gradebook(course)


def test_a_file_that_is_no_database_is_said_to_be_none(new_course: Callable[[str], Course]) -> None:
    course = new_course("course")
    Path(course.root / "gradebook.db").write_text("no database" * 100)
    with pytest.raises(ConfigError, match="cannot be opened: file is not a database"):
        open_gradebook(course)


def test_a_folder_of_whose_name_sqlite_takes_a_part_is_refused(new_course: Callable[[str], Course]) -> None:
    with pytest.raises(ConfigError, match="rename the folder"):
        open_gradebook(new_course("which?"))
