"""Files beside the notebook: which are nobody's, which are changed ones of the course's, what the notebook misses."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from autograder.exercise.definition import Exercise
from autograder.report import Finding
from autograder.submission.beside import findings_beside, missed, unused_files
from autograder.submission.handed_in import handed_in
from tests.tiny import TOML

POINTS = b"1,2\n"


@pytest.fixture
def exercise(tiny_exercise: Path) -> Exercise:
    (tiny_exercise / "points.csv").write_bytes(POINTS)
    (tiny_exercise / "exercise.toml").write_text(f'files = ["points.csv"]\n{TOML}')
    return Exercise(tiny_exercise)


def looked_at(folder: Path, *names: str) -> dict[str, str]:
    for name in ("tiny.ipynb", *names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(POINTS if name == "points.csv" else name.encode())
    return dict(handed_in(folder, folder.parent, ["tiny"]).beside)


def test_what_everybody_has_is_no_finding(exercise: Exercise, tmp_path: Path) -> None:
    names = (
        "checks.py",
        "points.csv",
        ".DS_Store",
        "._points.csv",
        ".ipynb_checkpoints/tiny-checkpoint.ipynb",
        "__pycache__/checks.cpython-311.pyc",
        "__MACOSX/._tiny.ipynb",
        "data/.DS_Store",
        "checks.pyc",
    )
    beside = looked_at(tmp_path / "handed-in", *names, "timestamp.txt", "submission_secret.txt")
    assert list(findings_beside(beside, exercise)) == []
    assert unused_files(beside, exercise) == ()


def test_files_of_the_students_own_are_one_finding_with_a_few_names(exercise: Exercise, tmp_path: Path) -> None:
    few = looked_at(tmp_path / "few", "helpers.py", "data/mine.csv")
    assert list(findings_beside(few, exercise)) == [
        Finding("ignored", "beside the notebook: data/mine.csv, helpers.py; only the notebook is graded")
    ]
    many = looked_at(tmp_path / "many", *(f"{number:03}{'x' * 150}.csv" for number in range(900)))
    (finding,) = findings_beside(many, exercise)
    assert finding.message.endswith(" and 895 more; only the notebook is graded")
    assert len(finding.message) < 700


def test_a_name_that_would_do_something_to_a_terminal_is_plain(exercise: Exercise, tmp_path: Path) -> None:
    (finding,) = findings_beside(looked_at(tmp_path / "odd", "\x1b[31mred\n.csv"), exercise)
    assert finding.message == "beside the notebook: red .csv; only the notebook is graded"


@pytest.mark.parametrize("kind", ["other", "sparse", "none"])
def test_a_changed_copy_of_the_courses_own_is_a_finding(exercise: Exercise, tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "handed-in"
    looked_at(folder)
    if kind == "other":
        (folder / "points.csv").write_text("9,9\n")
    elif kind == "sparse":
        with (folder / "points.csv").open("wb") as file:
            file.truncate(20 << 30)
    found = handed_in(folder, tmp_path, ["tiny"])
    told = [finding.message for finding in (*found.findings, *findings_beside(found.beside, exercise))]
    changed = "the file points.csv was changed; the course's own was used"
    assert (
        told
        == {
            "other": [changed],
            "sparse": ["points.csv was not looked at: it is too large (20480 MiB)", changed],
            "none": [],
        }[kind]
    )


def test_digests_are_those_of_the_exercise(exercise: Exercise, tmp_path: Path) -> None:
    assert exercise.given_digests == {"points.csv": hashlib.sha256(POINTS).hexdigest()}
    assert looked_at(tmp_path / "x", "points.csv") == exercise.given_digests


IMPORTS = "imports `helpers`, a file that you handed in beside it; only the notebook is graded: put its functions into"
OPENS = "opens `mydata.csv`, a file that you handed in beside it; only the notebook is graded, with the files"
ERRORS = [
    ("ModuleNotFoundError", "No module named 'helpers'", ["helpers.py"], IMPORTS),
    ("ModuleNotFoundError", "No module named 'helpers.sub'", ["helpers/sub.py"], IMPORTS),
    ("ModuleNotFoundError", "No module named 'helpers'", ["helpers.csv", "my_helpers.py", "x/helpers.py"], ""),
    ("ModuleNotFoundError", "No module named 'helpers'", [], ""),
    ("ModuleNotFoundError", "nothing", ["helpers.py"], ""),
    ("FileNotFoundError", "[Errno 2] No such file or directory: 'mydata.csv'", ["a.csv", "mydata.csv"], OPENS),
    ("FileNotFoundError", "[Errno 2] No such file or directory: './mydata.csv'", ["mydata.csv"], OPENS),
    ("FileNotFoundError", "[Errno 2] No such file or directory: '/home/ada/mydata.csv'", ["mydata.csv"], OPENS),
    ("FileNotFoundError", "mydata.csv not found.", ["mydata.csv"], OPENS),
    ("FileNotFoundError", "[Errno 2] No such file or directory: 'not_mydata.csv'", ["mydata.csv"], ""),
    ("FileNotFoundError", "[Errno 2] No such file or directory: 'mydata.csv.gz'", ["mydata.csv"], ""),
    ("FileNotFoundError", "[Errno 2] No such file or directory: 'x'", ["(", "[a"], ""),
    ("ValueError", "mydata.csv", ["mydata.csv"], ""),
]


@pytest.mark.parametrize(("error", "message", "names", "told"), ERRORS)
def test_an_error_is_put_down_to_a_file_only_where_it_names_it(
    error: str, message: str, names: list[str], told: str
) -> None:
    said = missed(error, message, names)
    assert told in said
    assert bool(said) == bool(told)


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("cell 2, line 1: import mine", "your notebook imports `mine`, a file that you handed in beside it; only the"),
        ("layers.py, line 1: import mine", "layers.py imports `mine`, a file that you handed in beside it; only the"),
        ("layers.py, line 1: import mine", "notebook and layers.py are graded: put its functions into layers.py"),
    ],
)
def test_what_a_module_misses_is_put_down_to_the_module(where: str, told: str) -> None:
    assert told in missed("ModuleNotFoundError", "No module named 'mine'", ["mine.py"], where)
