"""The database under the gradebook: waited for while others use it, and named in sentences that show no password."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy

from autograder.errors import ConfigError

LOCKED = "the gradebook is locked by another program; wait until that is done, then try again"


class Patience:
    """How many seconds may still be waited, in all, until other programs let go of the gradebook."""

    def __init__(self, seconds: float = 30) -> None:
        self.seconds = seconds

    @contextmanager
    def used(self) -> Iterator[None]:
        """The time inside is waited."""
        start = time.monotonic()
        try:
            yield
        finally:
            self.seconds = max(0.0, self.seconds - (time.monotonic() - start))

    @contextmanager
    def ends_with_a_lock(self) -> Iterator[None]:
        """All of it was waited where a lock is met, as by a commit while others read."""
        try:
            yield
        except sqlalchemy.exc.OperationalError as error:
            self.seconds = 0 if is_locked(error) else self.seconds
            raise


def take_lock(connection: sqlalchemy.Connection, patience: Patience) -> None:
    """Nobody else writes from here on. Of the databases only SQLite locks all of it.

    Errors: sqlalchemy.exc.OperationalError where others hold the lock for longer.
    """
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {round(1000 * patience.seconds)}")
        with patience.used():
            connection.exec_driver_sql("BEGIN IMMEDIATE")


def is_locked(error: BaseException | None) -> bool:
    """Whether it comes from an SQLite file that another program has locked."""
    if isinstance(error, sqlalchemy.exc.OperationalError):
        return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
    return error is not None and is_locked(error.__context__)


@contextmanager
def readable(db_url: str) -> Iterator[None]:
    """Errors: ConfigError for what the database or its driver raises inside."""
    try:
        yield
    except BrokenPipeError:  # nobody reads what is printed inside
        raise
    except (sqlalchemy.exc.SQLAlchemyError, OSError, RuntimeError, ImportError, ValueError) as error:
        if is_locked(error):
            raise ConfigError(LOCKED) from None
        raise ConfigError(f"the gradebook {address(db_url)} cannot be opened: {_reason(error)}") from None


def address(db_url: str) -> str:
    """The address of a database for people to read: without its password."""
    try:
        return sqlalchemy.make_url(db_url).set(query={}).render_as_string(hide_password=True)
    except (sqlalchemy.exc.ArgumentError, ValueError):
        return "of c.CourseDirectory.db_url"


def _reason(error: Exception) -> str:
    if isinstance(error, sqlalchemy.exc.ArgumentError):  # its own text may hold the password
        return "that is no address of a database"
    if isinstance(error, ImportError):
        extra = ", run `pip install 'autograder[postgres]'`" if error.name == "psycopg2" else ""
        return f"it needs the Python package {error.name}{extra}"
    return first_line(error)


def first_line(error: BaseException) -> str:
    """The reason alone: what a database adds to it, statements and their parameters, is for nobody to read."""
    cause = getattr(error, "orig", None) or getattr(error.__context__, "orig", None) or error
    return (str(cause) or type(cause).__name__).splitlines()[0]
