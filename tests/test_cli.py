"""The command line, on a real course folder."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autograder.cli import main
from autograder.exercise.build import build
from autograder.exercise.built import Built
from autograder.exercise.folder import load_exercise
from autograder.exercise.variants import wrong_variants
from autograder.submission.samples import solved, solved_by
from tests.nbgrader_course import (
    BLOCK,
    CONNECTIONS,
    REPOSITORY,
    grades,
    make_course,
    named_variant,
    nbgrader,
    scores,
    submit,
)

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def block() -> Built:
    return build(load_exercise(BLOCK, REPOSITORY / "autograder" / "exercises"))


@pytest.fixture(scope="module")
def course_with_gradebook(tmp_path_factory: pytest.TempPathFactory, block: Built) -> Path:
    """A course whose gradebook exists: nbgrader takes seconds to make one."""
    root = make_course(tmp_path_factory.mktemp("course"))
    assert nbgrader(root, "generate_assignment", "--force", BLOCK).returncode == 0
    return root


@pytest.fixture
def course(tmp_path: Path, course_with_gradebook: Path) -> Path:
    return shutil.copytree(course_with_gradebook, tmp_path / "course")


@pytest.fixture
def run(course: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(course)
    return lambda *arguments: CliRunner().invoke(main, arguments, env={"COLUMNS": "200"})


def test_grade_scores_a_class_like_nbgrader_autograde(course: Path, run: Run, block: Built) -> None:
    notebooks = {"anna": solved(block), "bert": block.release}
    notebooks |= {one.name: solved_by(block, one) for one in wrong_variants(block.exercise)[:2]}
    for student, notebook in notebooks.items():
        submit(course, student, BLOCK, notebook)
    result = run("grade", BLOCK)
    assert result.exit_code == 0, result.output
    assert "34 / 34" in result.output
    ours = grades(course)
    reports = {path.name: path.read_text() for path in course.glob("reports/*/*.json")}
    folders = {path: path.read_bytes() for path in course.glob("autograded/**/*") if path.is_file()}
    assert nbgrader(course, "autograde", "--force", BLOCK).returncode == 0
    assert grades(course) == ours
    assert {path.name: path.read_text() for path in course.glob("reports/*/*.json")} == reports
    assert {path: path.read_bytes() for path in course.glob("autograded/**/*") if path.is_file()} == folders


def test_grade_can_be_for_one_student(course: Path, run: Run, block: Built) -> None:
    submit(course, "anna", BLOCK, solved(block))
    submit(course, "bert", BLOCK, block.release)
    assert run("grade", BLOCK, "--student", "bert").exit_code == 0
    assert {student for student, _ in grades(course)} == {"bert"}


def test_a_student_without_a_folder_is_a_mistake_in_the_command(course: Path, run: Run, block: Built) -> None:
    submit(course, "anna", BLOCK, solved(block))
    result = run("grade", BLOCK, "--student", "ana")
    assert result.exit_code == 2
    assert "ana has handed in nothing" in result.output
    assert grades(course) == {}


def test_what_cannot_be_graded_is_named_and_the_others_are_graded(course: Path, run: Run, block: Built) -> None:
    submit(course, "anna", BLOCK, solved(block))
    submit(course, "nofile", BLOCK, b"text", name="notes.txt")
    submit(course, "two", BLOCK, solved(block), name="a.ipynb")
    submit(course, "two", BLOCK, solved(block), name="b.ipynb")
    submit(course, "late", BLOCK, solved(block))
    (course / "submitted" / "late" / BLOCK / "timestamp.txt").write_text("yesterday")
    submit(course, "br[1]", BLOCK, solved(block))
    result = run("grade", BLOCK)
    assert result.exit_code == 1
    assert sum(score or 0 for score in scores(course, "anna").values()) == 34
    waiting = {student: graded for (student, _), graded in grades(course).items() if student != "anna"}
    assert waiting == dict.fromkeys(["nofile", "two", "late", "br[1]"], (None, None, True))
    run("export")
    rows = [row.split(",") for row in (course / "grades.csv").read_text().splitlines()[1:]]
    assert {row[3]: (row[9], row[11]) for row in rows if row[3] != "anna"} == dict.fromkeys(waiting, ("", "ungraded"))
    for said in ("no residual-block.ipynb was handed in", "a.ipynb, b.ipynb", "timestamp.txt holds no date", "br[1]"):
        assert said in result.output


def test_an_ungraded_task_shows_in_the_exit_status_and_in_no_export_as_zero(
    course: Path, run: Run, block: Built
) -> None:
    suite = course / "exercises" / BLOCK / "test_hidden.py"
    suite.write_text(
        suite.read_text()
        + '\n\n@task(\'jacobian\')\ndef test_broken(student):\n    """broken"""\n    raise KeyError(\'ours\')\n'
    )
    submit(course, "anna", BLOCK, solved(block))
    result = run("grade", BLOCK)
    assert result.exit_code == 1
    assert "jacobian ungraded" in result.output
    assert grades(course)["anna", "jacobian"] == (None, None, True)
    assert grades(course)["anna", "residual_block"] == (10, None, False)
    assert run("export").exit_code == 0
    row = (course / "grades.csv").read_text().splitlines()[1].split(",")
    assert (row[3], row[7], row[9], row[11]) == ("anna", "", "", "ungraded")
    assert "KeyError: 'ours'" in run("show", BLOCK, "anna").output
    assert "KeyError" not in (course / "autograded" / "anna" / BLOCK / f"{BLOCK}.ipynb").read_text()


def test_show_gives_a_reason_for_every_lost_point(course: Path, run: Run, block: Built) -> None:
    wrong = named_variant(block, "missing_skip")
    submit(course, "anna", BLOCK, solved_by(block, wrong))
    run("grade", BLOCK)
    said = run("show", BLOCK).output
    assert "residual_block: 0 of 10 points (failed)" in said
    assert "entries differ" in said
    assert "known mistake: " in said


def test_instructors_see_how_many_students_make_which_mistake(course: Path, run: Run, block: Built) -> None:
    for student, name in {"anna": "missing_skip", "bert": "missing_skip", "cleo": "b1_forgotten"}.items():
        submit(course, student, BLOCK, solved_by(block, named_variant(block, name)))
    titles = {one.name: one.title for one in wrong_variants(block.exercise)}
    for said in (run("grade", BLOCK).output, run("show", BLOCK).output):
        assert re.search(rf"2 +│ residual_block +│ {re.escape(titles['missing_skip'][:30])}", said)
        assert re.search(rf"1 +│ residual_block +│ {re.escape(titles['b1_forgotten'][:30])}", said)
    assert "Known mistakes" not in run("show", BLOCK, "anna").output


def _no_config(course: Path) -> None:
    (course / "nbgrader_config.py").unlink()


def _broken_config(course: Path) -> None:
    (course / "grader_config.py").write_text("c = get_config(\n")


def _config_without_grader(course: Path) -> None:
    (course / "grader_config.py").write_text("c = get_config()\n")


def _ill_typed_config(course: Path) -> None:
    with (course / "grader_config.py").open("a") as file:
        file.write('c.Course.seed = "many"\n')


def _broken_exercise(course: Path) -> None:
    (course / "exercises" / BLOCK / "exercise.toml").write_text("points = [")


def _unreadable_gradebook(course: Path) -> None:
    (course / "gradebook.db").write_bytes(b"this is no database" * 100)


def _stale_release(course: Path) -> None:
    (course / "assignments" / BLOCK / "checks.py").write_text("")


def _no_submissions(course: Path) -> None:
    shutil.rmtree(course / "submitted")


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (_no_config, "is no course folder"),
        (_broken_config, "cannot be read: SyntaxError"),
        (_config_without_grader, "does not switch the grader on"),
        (_ill_typed_config, "seed"),
        (_broken_exercise, "exercise.toml"),
        (_unreadable_gradebook, "cannot be opened"),
        (_stale_release, f"run `autograder build {BLOCK}`"),
        (_no_submissions, "no submissions"),
    ],
)
def test_a_wrong_set_up_is_one_sentence_and_status_2_and_loses_nothing(
    course: Path, run: Run, block: Built, harm: Callable[[Path], None], said: str
) -> None:
    submit(course, "anna", BLOCK, solved(block))
    harm(course)
    before = (course / "gradebook.db").read_bytes()
    result = run("grade", BLOCK)
    assert result.exit_code == 2
    assert said in result.output
    assert len(result.output.strip().splitlines()) == 1
    assert (course / "gradebook.db").read_bytes() == before


def test_an_unknown_exercise_is_answered_with_the_known_ones(run: Run) -> None:
    result = run("grade", "residual-conections")
    assert result.exit_code == 2
    assert f"{BLOCK}, {CONNECTIONS}" in result.output


def test_build_mends_what_check_complains_about(course: Path, run: Run) -> None:
    path = course / "assignments" / CONNECTIONS / "checks.py"
    right = path.read_bytes()
    path.unlink()
    assert run("build", "--check").exit_code == 2
    assert run("build").exit_code == 0
    assert path.read_bytes() == right
    assert run("build", "--check").exit_code == 0


def test_the_committed_notebooks_are_what_the_exercise_folders_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    assert CliRunner().invoke(main, ["build", "--check"]).exit_code == 0
