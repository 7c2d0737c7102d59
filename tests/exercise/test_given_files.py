"""The files that an exercise gives beside its notebook: which there may be, where they go, what hangs on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.errors import ConfigError, ExerciseError
from autograder.exercise.build import build, require_fresh, write
from autograder.exercise.built import Built
from autograder.exercise.definition import Exercise
from autograder.exercise.given_files import MOST_MIB
from autograder.exercise.slips import proofread
from tests.tiny import TOML

BYTES = bytes(range(256)) + b"\r\n"


def giving(folder: Path, *names: str) -> Path:
    (folder / "exercise.toml").write_text(f"files = {list(names)}\n{TOML}")
    return folder


@pytest.fixture
def with_files(tiny_exercise: Path) -> Path:
    (tiny_exercise / "tables.npz").write_bytes(BYTES)
    (tiny_exercise / "helpers.py").write_text("ONE = 1\n")
    return giving(tiny_exercise, "tables.npz", "helpers.py")


def test_they_are_written_byte_for_byte_beside_both_notebooks(with_files: Path, tmp_path: Path) -> None:
    built = build(Exercise(with_files))
    solutions, assignments = tmp_path / "solutions", tmp_path / "assignments"
    write(built, solutions, assignments)
    for folder in (solutions, assignments):
        assert (folder / "tiny" / "tables.npz").read_bytes() == BYTES
        assert (folder / "tiny" / "helpers.py").read_text() == "ONE = 1\n"
    require_fresh(built, solutions, assignments)


def test_a_file_that_was_changed_after_the_build_is_stale(with_files: Path, tmp_path: Path) -> None:
    write(build(Exercise(with_files)), tmp_path / "solutions", tmp_path / "assignments")
    (with_files / "tables.npz").write_bytes(b"other")
    with pytest.raises(ConfigError, match=r"assignments/tiny/tables\.npz"):
        require_fresh(build(Exercise(with_files)), tmp_path / "solutions", tmp_path / "assignments")


def test_they_are_part_of_the_version(with_files: Path) -> None:
    versions = {Exercise(with_files).version}
    (with_files / "tables.npz").write_bytes(b"other")
    versions.add(Exercise(with_files).version)
    (with_files / "tables.npz").rename(with_files / "other.npz")
    versions.add(Exercise(giving(with_files, "other.npz", "helpers.py")).version)
    assert len(versions) == 3


def test_what_is_named_is_read_by_somebody_and_what_is_not_is_told(with_files: Path) -> None:
    assert isinstance(proofread(Exercise(with_files)), Built)
    (with_files / "points.csv").touch()
    with pytest.raises(ExerciseError, match=r"points.csv: nobody reads this .* named in `files` of exercise.toml"):
        proofread(Exercise(with_files))


NAMES = {
    "../points.csv": "is no plain name",
    "data/points.csv": "is no plain name",
    "/etc/passwd": "is no plain name",
    "..": "is no plain name",
    ".hidden": "is no plain name",
    "-rf": "is no plain name",
    "größe.csv": "is no plain name",
    "a b.csv": "is no plain name",
    "x\n": "is no plain name",
    "": "is no plain name",
    "x" * 101: "is no plain name",
    "checks.py": "has a meaning of its own",
    "Checks.py": "has a meaning of its own",
    "test_hidden.py": "has a meaning of its own",
    "exercise.toml": "has a meaning of its own",
    "timestamp.txt": "has a meaning of its own",
    "submission_secret.txt": "has a meaning of its own",
    "tiny.ipynb": "is a notebook",
    "numpy.py": "in the place of the module `numpy`",
    "random.py": "in the place of the module `random`",
    "pytest.py": "in the place of the module `pytest`",
    "autograder.py": "in the place of the module `autograder`",
    "conftest.py": "in the place of the module `conftest`",
    "_pytest.py": "in the place of the module `_pytest`",
    "class.py": "no `import` can mean",
    "__init__.py": "no `import` can mean",
    "fast.so": "is a compiled module",
    "fast.cpython-311-x86_64-linux-gnu.so": "is a compiled module",
    "helpers.pyc": "is a compiled module",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_would_do_harm_is_refused_with_its_line(tiny_exercise: Path, name: str) -> None:
    (tiny_exercise / "exercise.toml").write_text(f"# a comment\nfiles = [{name!r}]\n{TOML}".replace("\\n", r"\n"))
    text = (tiny_exercise / "exercise.toml").read_text().replace("'", '"')
    (tiny_exercise / "exercise.toml").write_text(text)
    with pytest.raises(ExerciseError, match=r"exercise\.toml, line 2: `files` names") as refused:
        Exercise(tiny_exercise)
    assert NAMES[name] in str(refused.value)


def test_a_name_twice_and_too_many_names_are_refused(tiny_exercise: Path) -> None:
    with pytest.raises(ExerciseError, match=r"names `a\.csv` twice"):
        Exercise(giving(tiny_exercise, "a.csv", "A.csv"))
    with pytest.raises(ExerciseError, match=r"names 101 files"):
        Exercise(giving(tiny_exercise, *(f"{number}.csv" for number in range(101))))


@pytest.mark.parametrize("kind", ["missing", "link", "folder"])
def test_what_is_no_regular_file_is_refused(tiny_exercise: Path, kind: str) -> None:
    path = tiny_exercise / "points.csv"
    if kind == "link":
        path.symlink_to(tiny_exercise / "test_hidden.py")
    elif kind == "folder":
        path.mkdir()
    with pytest.raises(ExerciseError, match=r"of the `files`, points\.csv "):
        build(Exercise(giving(tiny_exercise, "points.csv")))


def test_all_of_them_together_may_not_be_too_large(tiny_exercise: Path) -> None:
    for name in ("a.csv", "b.csv"):
        with (tiny_exercise / name).open("wb") as file:
            file.truncate((MOST_MIB << 19) + 1)  # a little more than half of it
    with pytest.raises(ExerciseError, match=r"are 33 MiB; 32 MiB is the most"):
        build(Exercise(giving(tiny_exercise, "a.csv", "b.csv")))
    assert list(build(Exercise(giving(tiny_exercise, "a.csv"))).working_files) == ["checks.py", "a.csv"]


def test_a_module_that_is_no_python_is_refused_with_its_line(tiny_exercise: Path) -> None:
    (tiny_exercise / "helpers.py").write_text("x = 1\ndef f(:\n")
    with pytest.raises(ExerciseError, match=r"helpers\.py, line 2"):
        build(Exercise(giving(tiny_exercise, "helpers.py")))
