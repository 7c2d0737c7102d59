"""A second run over what has not changed says so at once; whatever could change its outcomes makes it a real one."""

from __future__ import annotations

import glob
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.cli import main
from autograder.course.course import Course, load_course
from autograder.course.gradebook import open_gradebook
from autograder.course.last_run import Graded, LastRun
from autograder.exercise import packages
from autograder.grading.evaluate import Grader
from autograder.submission.samples import solved
from tests.batch.test_run import graded, hand_in, state
from tests.nbgrader_course import grades, submit

SAYS_SO = "nothing has changed since the last run"


@pytest.fixture(scope="module")
def graded_template(tiny_course: Path, tmp_path_factory: pytest.TempPathFactory, grader: Grader) -> Path:
    """A course of two whose evaluations are kept, without a last run."""
    root = tmp_path_factory.mktemp("graded") / "course"
    subprocess.run(["cp", "-R", str(tiny_course), str(root)], check=True)
    course = load_course(root)
    graded(course, hand_in(course, 2), grader)
    return root


def command(*options: str) -> str:
    """What `autograder grade tiny` prints."""
    result = CliRunner().invoke(main, ["grade", "tiny", "--jobs", "1", *options], env={"COLUMNS": "200"})
    assert result.exit_code in (0, 1), result.output
    return result.output


@pytest.fixture
def grade(
    graded_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm_command: None
) -> Callable[..., str]:
    """That command, in a course where it has run once."""
    root = tmp_path / "course"
    shutil.copytree(graded_template, root)
    monkeypatch.chdir(root)
    assert SAYS_SO not in command()
    return command


def test_it_prints_the_same_scores_and_leaves_all_as_it_was(grade: Callable[..., str]) -> None:
    before = state(_course())
    output = grade()
    assert SAYS_SO in output
    assert "student0 │ 7 / 7, 2 by hand" in output
    assert "student1 │ 3 / 7, 2 by hand" in output
    assert state(_course()) == before


def test_neither_nbgrader_nor_numerical_libraries_are_loaded(grade: Callable[..., str]) -> None:
    program = (
        "import sys; from autograder.cli import main\n"
        "try: main(['grade', 'tiny'])\n"
        "finally: print('loaded', sorted({'nbgrader', 'nbformat', 'numpy', 'torch', 'sqlalchemy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert SAYS_SO in done.stdout
    assert "loaded []" in done.stdout


@pytest.mark.parametrize(
    "file",
    [
        "submitted/student0/tiny/tiny.ipynb",
        "submitted/student0/tiny/data.csv",
        "exercises/tiny/test_hidden.py",
        "reports/tiny/student1.json",
        "autograded/student1/tiny/tiny.ipynb",
    ],
)
def test_a_file_that_has_changed_makes_it_a_real_run(grade: Callable[..., str], file: str) -> None:
    with Path(file).open("a") as opened:
        opened.write("\n")
    assert SAYS_SO not in grade()
    assert SAYS_SO in grade()


def test_a_link_that_was_put_into_a_folder_is_refused(grade: Callable[..., str]) -> None:
    Path("submitted/student0/tiny/link").symlink_to("/nowhere")
    assert "symbolic link" in grade()


def test_a_new_student_is_graded(grade: Callable[..., str]) -> None:
    submit(Path.cwd(), "zoe", "tiny", solved(_course().build("tiny")))
    assert "zoe      │ 7 / 7, 2 by hand" in grade()


def test_who_has_handed_in_nothing_is_counted_every_time(grade: Callable[..., str]) -> None:
    with open_gradebook(_course()) as gradebook:
        gradebook.add_student("ada")
    Path("submitted/ben/another").mkdir(parents=True)
    Path("submitted/notes.txt").touch()
    assert "2 students handed in nothing for tiny" in grade()
    unchanged = grade()
    assert SAYS_SO in unchanged
    assert "2 students handed in nothing for tiny" in unchanged
    assert "handed in nothing" not in grade("--student", "student0")
    submit(Path.cwd(), "ada", "tiny", solved(_course().build("tiny")))
    assert "1 student handed in nothing for tiny" in grade()


def test_a_score_that_was_changed_in_the_gradebook_is_mended(grade: Callable[..., str]) -> None:
    with sqlite3.connect("gradebook.db") as database:
        database.execute("update grade set auto_score = 3.5")
    database.close()
    assert SAYS_SO not in grade()
    assert grades(Path.cwd())["student0", "double"] == (4.0, None, False)


def test_settings_are_compared_as_they_come_out(grade: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    config = Path("grader_config.py")
    config.write_text(f"# another comment\n{config.read_text()}")
    assert SAYS_SO in grade()
    config.write_text(f"{config.read_text()}\nimport os\nc.Course.seed = int(os.environ.get('SEED', 0))\n")
    assert SAYS_SO not in grade()
    monkeypatch.setenv("SEED", "7")
    assert SAYS_SO not in grade()


def test_another_version_of_a_package_makes_it_a_real_run(
    grade: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packages, "_version", lambda name: "another")
    assert SAYS_SO not in grade()
    assert SAYS_SO in grade()


def test_penalties_of_own_code_are_computed_every_time(grade: Callable[..., str]) -> None:
    with Path("grader_config.py").open("a") as config:
        config.write('c.AssignLatePenalties.plugin_class = "nbgrader.plugins.LateSubmissionPlugin"\n')
    for _ in range(2):
        assert SAYS_SO not in grade()


@pytest.mark.parametrize("options", [["--fresh"], ["--allow-unsafe"], ["--student", "student0"]])
def test_another_command_is_another_run(grade: Callable[..., str], options: list[str]) -> None:
    assert SAYS_SO not in grade(*options)


def test_what_waits_for_a_person_is_looked_at_every_time(grade: Callable[..., str]) -> None:
    Path("submitted/student0/tiny/tiny.ipynb").write_text("no notebook")
    for _ in range(2):
        assert SAYS_SO not in grade()


def test_what_changes_while_it_is_graded_is_new_to_the_next_run(
    grade: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from autograder.batch import run

    def late(*arguments: object) -> object:
        outcomes = grade_students(*arguments)  # type: ignore[arg-type]
        Path("submitted/student1/tiny/tiny.ipynb").write_bytes(Path("submitted/student0/tiny/tiny.ipynb").read_bytes())
        return outcomes

    grade_students = run.grade_students
    monkeypatch.setattr(run, "grade_students", late)
    assert "student1 │ 3 / 7, 2 by hand" in grade("--fresh")
    assert "student1 │ 7 / 7, 2 by hand" in grade()


def test_a_folder_whose_name_looks_like_a_pattern_is_never_taken_for_unchanged(tmp_path: Path) -> None:
    root = tmp_path / "course [1]"
    last_run = LastRun(root, "tiny", [])
    root.mkdir()
    (root / "gradebook.db").write_text("before")
    last_run.begin([glob.escape(str(root / "gradebook.db"))], root, "nobody")
    last_run.complete(Graded([]), [str(root / "gradebook.db")])
    assert last_run.graded() is None
    last_run.complete(Graded([]), [glob.escape(str(root / "gradebook.db"))])
    assert last_run.graded() == Graded([])
    (root / "gradebook.db").write_text("after")
    assert last_run.graded() is None


def _course() -> Course:
    return load_course(Path.cwd())
