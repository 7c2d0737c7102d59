"""What this package relies on in SQLAlchemy, and in SQLite's driver under it; another version is to fail here first."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import IntegrityError, InvalidRequestError, SQLAlchemyError
from sqlalchemy.orm import scoped_session, sessionmaker

WORDS = "select word from words order by word"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "words.db"
    with closing(sqlite3.connect(file)) as database:
        database.execute("create table words (word text primary key)")
    return file


@pytest.fixture
def engine(file: Path) -> Engine:
    return create_engine(f"sqlite:///{file}")


def words(file: Path) -> list[str]:
    with closing(sqlite3.connect(file, timeout=0)) as database:
        return [word for (word,) in database.execute(WORDS)]


def sessions_of(engine: Engine) -> scoped_session:
    """As nbgrader makes them."""
    return scoped_session(sessionmaker(autoflush=True, bind=engine, future=True))


def test_a_scoped_session_can_be_bound_to_a_connection_until_it_is_removed(engine: Engine) -> None:
    sessions = sessions_of(engine)
    with engine.begin() as connection:
        assert sessions(bind=connection, join_transaction_mode="rollback_only", expire_on_commit=False) is sessions()
        assert sessions.connection() is connection
        with pytest.raises(InvalidRequestError):
            sessions(bind=connection)
        sessions.remove()
    assert sessions.get_bind() is engine


def test_what_such_a_session_commits_is_the_connections_to_commit(file: Path, engine: Engine) -> None:
    sessions = sessions_of(engine)
    with engine.begin() as connection:
        sessions(bind=connection, join_transaction_mode="rollback_only")
        for word in ("a", "b"):
            sessions.execute(text(f"insert into words values ('{word}')"))
            sessions.commit()
            assert words(file) == []
    assert words(file) == ["a", "b"]


def test_what_such_a_session_rolls_back_is_all_of_the_connections(file: Path, engine: Engine) -> None:
    sessions = sessions_of(engine)

    def go_on_after_an_error() -> None:
        with engine.begin() as connection:
            sessions(bind=connection, join_transaction_mode="rollback_only")
            sessions.execute(text("insert into words values ('a')"))
            sessions.commit()
            with pytest.raises(IntegrityError):
                sessions.execute(text("insert into words values ('a')"))
            sessions.rollback()
            sessions.execute(text("insert into words values ('b')"))

    with pytest.raises(SQLAlchemyError):
        go_on_after_an_error()
    sessions.remove()
    assert words(file) == []


def test_an_sqlite_file_is_locked_by_the_first_write_and_not_by_a_beginning_or_a_read(
    file: Path, engine: Engine
) -> None:
    with closing(sqlite3.connect(file, timeout=0)) as other, engine.begin() as connection:
        connection.execute(text(WORDS)).all()
        other.execute("insert into words values ('other')")
        other.commit()
        connection.execute(text("insert into words values ('own')"))
        with pytest.raises(sqlite3.OperationalError):
            other.execute("insert into words values ('another')")
    assert words(file) == ["other", "own"]
