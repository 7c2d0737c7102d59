"""What leans on nbgrader's inside does what it says, on a real gradebook."""

from __future__ import annotations

import shutil
import sqlite3
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook, InvalidEntry
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from traitlets.config import Config

from autograder.course.database import Patience, is_locked
from autograder.course.nbgrader_internals import GradedFolders, LatePenalties, one_transaction
from autograder.submission.handed_in import handed_in
from tests.nbgrader_course import make_gradebook


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gradebook with one student and one assignment; nbgrader takes seconds to make one."""
    file = tmp_path_factory.mktemp("template") / "gradebook.db"
    with Gradebook(make_gradebook(file)) as gradebook:
        gradebook.add_student("ada")
        gradebook.add_assignment("tiny")
    return file


@pytest.fixture
def file(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(template, tmp_path))


def students(file: Path) -> list[str]:
    """As another process sees them."""
    with closing(sqlite3.connect(file, timeout=0)) as other:
        return [name for (name,) in other.execute("select id from student order by id")]


def write_as_another_process(file: Path) -> None:
    """Errors: sqlite3.OperationalError where somebody holds a lock."""
    with closing(sqlite3.connect(file, timeout=0)) as other:
        other.execute("update student set first_name = 'Ada'")
        other.commit()


def test_several_steps_of_nbgrader_are_one_transaction(file: Path) -> None:
    with Gradebook(f"sqlite:///{file}") as gradebook:
        with one_transaction(gradebook, Patience()):
            gradebook.add_student("ben")
            gradebook.update_or_create_submission("tiny", "ben")
            assert students(file) == ["ada"]
            gradebook.add_student("cleo")
            assert students(file) == ["ada"]
        assert students(file) == ["ada", "ben", "cleo"]


def test_what_is_changed_last_is_written_too(file: Path) -> None:
    with Gradebook(f"sqlite:///{file}") as gradebook:
        with one_transaction(gradebook, Patience()):
            gradebook.find_student("ada").first_name = "Ada"
        assert gradebook.find_student("ada").first_name == "Ada"


def add(
    gradebook: Gradebook, *names: str, error: type[BaseException] | None = None, patience: Patience | None = None
) -> None:
    """All of these students in one transaction, which an error ends."""
    with one_transaction(gradebook, patience or Patience()):
        for name in names:
            gradebook.add_student(name)
        if error:
            raise error


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_after_an_error_all_is_as_before_and_the_next_transaction_works(file: Path, error: type[BaseException]) -> None:
    with Gradebook(f"sqlite:///{file}") as gradebook:
        with pytest.raises(error):
            add(gradebook, "ben", error=error)
        assert students(file) == ["ada"]
        add(gradebook, "ben")
        assert students(file) == ["ada", "ben"]


def test_after_an_error_that_nbgrader_rolls_back_all_is_as_before_and_the_next_transaction_works(file: Path) -> None:
    with Gradebook(f"sqlite:///{file}") as gradebook:
        with pytest.raises(InvalidEntry):
            add(gradebook, "ben", "ada")
        assert students(file) == ["ada"]
        add(gradebook, "ben")
        assert students(file) == ["ada", "ben"]


def go_on_after_an_error(gradebook: Gradebook) -> None:
    with one_transaction(gradebook, Patience()):
        gradebook.add_student("ben")
        with suppress(InvalidEntry):
            gradebook.add_student("ada")
        gradebook.add_student("cleo")


def test_who_goes_on_after_such_an_error_is_stopped_and_nothing_is_written(file: Path) -> None:
    with Gradebook(f"sqlite:///{file}") as gradebook:
        with pytest.raises(SQLAlchemyError):
            go_on_after_an_error(gradebook)
        assert students(file) == ["ada"]


def test_others_may_write_before_a_transaction_and_as_soon_as_it_is_over(file: Path) -> None:
    with Gradebook(f"sqlite:///{file}") as gradebook:
        assert [student.id for student in gradebook.students] == ["ada"]
        write_as_another_process(file)
        with one_transaction(gradebook, Patience()), pytest.raises(sqlite3.OperationalError):
            write_as_another_process(file)
        write_as_another_process(file)


def test_a_lock_of_others_is_waited_for(file: Path) -> None:
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("begin immediate")
    release = threading.Timer(0.5, other.execute, ["commit"])
    release.start()
    patience = Patience()
    with Gradebook(f"sqlite:///{file}") as gradebook:
        with one_transaction(gradebook, patience):
            gradebook.add_student("ben")
        assert students(file) == ["ada", "ben"]
    assert 0 < patience.seconds < Patience().seconds
    other.close()


@pytest.mark.parametrize("lock", ["begin immediate", "begin; select * from student"])
def test_patience_with_those_who_write_or_read_ends_once_for_all_transactions(file: Path, lock: str) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as other, Gradebook(f"sqlite:///{file}") as gradebook:
        for statement in lock.split("; "):
            reading = other.execute(statement)
        reading.fetchone()
        patience = Patience(0.5)
        start = time.monotonic()
        for _ in range(5):
            with pytest.raises(OperationalError) as refused:
                add(gradebook, "ben", patience=patience)
            assert is_locked(refused.value)
        assert 0.4 < time.monotonic() - start < 2


def test_what_others_have_written_meanwhile_is_seen(file: Path) -> None:
    with Gradebook(f"sqlite:///{file}") as gradebook:
        for name in ("Ada", "Adah"):
            with closing(sqlite3.connect(file)) as other:
                other.execute("update student set first_name = ?", [name])
                other.commit()
            with one_transaction(gradebook, Patience()):
                assert gradebook.find_student("ada").first_name == name


def test_a_graded_folder_has_the_submitted_files_the_courses_own_over_them_and_nothing_older(tmp_path: Path) -> None:
    for name, text in {
        "submitted/ada/tiny/tiny.ipynb": "theirs",
        "submitted/ada/tiny/checks.py": "theirs",
        "submitted/ada/tiny/own/helper.py": "theirs",
        "submitted/ada/tiny/own/data.csv": "theirs",
        "submitted/ada/tiny/kept.csv": "theirs",
        "submitted/ada/tiny/timestamp.txt": "2026-01-02 03:04:05 UTC",
        "source/tiny/checks.py": "ours",
        "source/tiny/kept.csv": "ours",
        "source/tiny/tiny.ipynb": "ours",
        "autograded/ada/tiny/older.txt": "older",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    coursedir = CourseDirectory(root=str(tmp_path), assignment_id="tiny", student_id="*")
    folders = GradedFolders(coursedir, Config({"Autograde": {"exclude_overwriting": {"tiny": ["kept.csv"]}}}))
    found = handed_in(tmp_path / "submitted" / "ada" / "tiny", tmp_path / "submitted", ["tiny"])
    (found.folder / "later.txt").write_text("after the look at it")
    (found.folder / "own" / "helper.py").unlink()
    assert not folders.has("ada")
    folders.write("ada", {"tiny": nbformat.v4.new_notebook()}, found)
    graded = tmp_path / "autograded" / "ada" / "tiny"
    assert folders.has("ada")
    copied = {str(path.relative_to(graded)): path for path in graded.rglob("*") if path.is_file()}
    texts = {name: path.read_text() for name, path in copied.items() if name != "tiny.ipynb"}
    assert texts == {
        "checks.py": "ours",
        "own/data.csv": "theirs",
        "kept.csv": "theirs",
        "timestamp.txt": "2026-01-02 03:04:05 UTC",
    }
    assert nbformat.read(copied["tiny.ipynb"], 4).cells == []
    assert {path.stat().st_mode & 0o777 for path in copied.values()} == {0o444}


def test_a_graded_folder_that_cannot_be_written_is_not_there_at_all(tmp_path: Path) -> None:
    for name in ("submitted/ada/tiny/data.csv", "source/tiny/a.py", "autograded/ada/tiny/tiny.ipynb"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("some text")
    (tmp_path / "source/tiny/checks.py").symlink_to("nothing")
    coursedir = CourseDirectory(root=str(tmp_path), assignment_id="tiny", student_id="*")
    found = handed_in(tmp_path / "submitted" / "ada" / "tiny", tmp_path / "submitted", "tiny")
    with pytest.raises(OSError, match=r"checks\.py"):
        GradedFolders(coursedir, Config()).write("ada", nbformat.v4.new_notebook(), found)
    assert not (tmp_path / "autograded" / "ada" / "tiny").exists()


@pytest.mark.parametrize(
    ("method", "seconds", "penalty"), [("none", 60.0, None), ("zero", 60.0, 0.0), ("zero", 0.0, None)]
)
def test_penalties_are_those_of_the_courses_plug_in(
    file: Path, method: str, seconds: float, penalty: float | None
) -> None:
    config = Config({"LateSubmissionPlugin": {"penalty_method": method}})
    with Gradebook(f"sqlite:///{file}") as gradebook:
        gradebook.add_notebook("tiny", "tiny")
        submission = gradebook.add_submission("tiny", "ada")
        assert LatePenalties(gradebook, config).of("ada", submission.notebooks[0], seconds) == penalty
