"""The command line, on a real course folder."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autograder.cli import main
from autograder.exercise.build import build, write
from autograder.exercise.built import Built
from autograder.exercise.definition import Exercise
from autograder.exercise.variants import variant
from autograder.submission.samples import solved, solved_by
from tests.nbgrader_course import grades, named_variant, nbgrader, scores, submit
from tests.places import REPOSITORY
from tests.tiny import write_tiny_exercise

pytestmark = pytest.mark.broad
Run = Callable[..., Result]
WRONG = {
    "squared": '"""Squares x."""\n\nhint = "Think."\nloses = ["double"]\n\n\ndef double(x):\n    return x * x\n',
    "once": '"""Doubles once."""\n\nhint = "Think."\nloses = ["quadruple"]\n\n\ndef quadruple(x):\n    return 2 * x\n',
}


@pytest.fixture
def course(tmp_path: Path, tiny_course: Path) -> Path:
    """A course of the small exercise with known mistakes."""
    root = shutil.copytree(tiny_course, tmp_path / "course")
    (root / "exercises" / "tiny" / "wrong").mkdir()
    for name, text in WRONG.items():
        (root / "exercises" / "tiny" / "wrong" / f"{name}.py").write_text(text)
    return root


@pytest.fixture
def built(course: Path) -> Built:
    one = build(Exercise(course / "exercises" / "tiny"))
    write(one, course / "solutions", course / "assignments")
    return one


@pytest.fixture
def run(course: Path, built: Built, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(course)
    return lambda *arguments: CliRunner().invoke(main, arguments, env={"COLUMNS": "200"})


@pytest.fixture
def grade(run: Run, warm_command: None) -> Run:
    return lambda *options: run("grade", "tiny", "--jobs", "1", *options)


def test_grade_scores_a_class_like_nbgrader_autograde(course: Path, run: Run, built: Built) -> None:
    notebooks = {"anna": solved(built), "bert": built.release}
    notebooks |= {name: solved_by(built, named_variant(built, name)) for name in WRONG}
    for student, notebook in notebooks.items():
        submit(course, student, "tiny", notebook)
    result = run("grade", "tiny")
    assert result.exit_code == 0, result.output
    assert "7 / 7" in result.output
    ours = grades(course)
    reports = {path.name: path.read_text() for path in course.glob("reports/*/*.json")}
    folders = {path: path.read_bytes() for path in course.glob("autograded/**/*") if path.is_file()}
    assert nbgrader(course, "autograde", "--force", "tiny").returncode == 0
    assert grades(course) == ours
    assert {path.name: path.read_text() for path in course.glob("reports/*/*.json")} == reports
    assert {path: path.read_bytes() for path in course.glob("autograded/**/*") if path.is_file()} == folders


def test_grade_can_be_for_one_student(course: Path, grade: Run, built: Built) -> None:
    submit(course, "anna", "tiny", solved(built))
    submit(course, "bert", "tiny", built.release)
    assert grade("--student", "bert").exit_code == 0
    assert {student for student, _ in grades(course)} == {"bert"}


def test_a_student_without_a_folder_is_a_mistake_in_the_command(course: Path, grade: Run, built: Built) -> None:
    submit(course, "anna", "tiny", solved(built))
    result = grade("--student", "ana")
    assert result.exit_code == 2
    assert "ana has handed in nothing" in result.output
    assert grades(course) == {}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interruption_keeps_what_is_graded_and_has_the_status_that_shells_expect(
    jobs: str, course: Path, built: Built
) -> None:
    for student in ("anna", "bert"):
        submit(course, student, "tiny", solved(built))
    sleeps = variant("sleeps", "import time\n\n\ndef double(x):\n    time.sleep(50)\n")
    for student in ("yves", "zoe"):
        submit(course, student, "tiny", solved_by(built, sleeps))
    command = [sys.executable, "-c", "from autograder.cli import main; main()", "grade", "tiny", "--jobs", jobs]
    running = subprocess.Popen(command, cwd=course, stderr=subprocess.PIPE, text=True, start_new_session=True)
    for _ in range(600):
        if scores(course, "anna") and scores(course, "bert"):
            break
        time.sleep(0.1)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does it, to all of them
    _, said = running.communicate(timeout=30)
    assert (running.returncode, said) == (130, "autograder: interrupted; what is done is kept\n")
    assert {sum(score or 0 for score in scores(course, one).values()) for one in ("anna", "bert")} == {7}


def test_what_cannot_be_graded_is_named_and_the_others_are_graded(
    course: Path, run: Run, grade: Run, built: Built
) -> None:
    submit(course, "anna", "tiny", solved(built))
    submit(course, "nofile", "tiny", b"text", name="notes.txt")
    submit(course, "two", "tiny", solved(built), name="a.ipynb")
    submit(course, "two", "tiny", solved(built), name="b.ipynb")
    submit(course, "late", "tiny", solved(built))
    (course / "submitted" / "late" / "tiny" / "timestamp.txt").write_text("yesterday")
    submit(course, "br[1]", "tiny", solved(built))
    result = grade()
    assert result.exit_code == 1
    assert sum(score or 0 for score in scores(course, "anna").values()) == 7
    waiting = {student: graded for (student, _), graded in grades(course).items() if student != "anna"}
    assert waiting == dict.fromkeys(["nofile", "two", "late", "br[1]"], (None, None, True))
    run("export")
    rows = [row.split(",") for row in (course / "grades.csv").read_text().splitlines()[1:]]
    assert {row[3]: (row[9], row[11]) for row in rows if row[3] != "anna"} == dict.fromkeys(waiting, ("", "ungraded"))
    for said in ("no tiny.ipynb was handed in", "a.ipynb, b.ipynb", "timestamp.txt: 'yesterday' is no date", "br[1]"):
        assert said in result.output


def test_an_ungraded_task_shows_in_the_exit_status_and_in_no_export_as_zero(
    course: Path, run: Run, grade: Run, built: Built
) -> None:
    suite = course / "exercises" / "tiny" / "test_hidden.py"
    suite.write_text(
        suite.read_text()
        + '\n\n@task(\'quadruple\')\ndef test_broken(student):\n    """broken"""\n    raise KeyError(\'ours\')\n'
    )
    submit(course, "anna", "tiny", solved(built))
    result = grade()
    assert result.exit_code == 1
    assert "quadruple ungraded" in result.output
    assert grades(course)["anna", "quadruple"] == (None, None, True)
    assert grades(course)["anna", "double"] == (4, None, False)
    assert run("export").exit_code == 0
    row = (course / "grades.csv").read_text().splitlines()[1].split(",")
    assert (row[3], row[7], row[9], row[11]) == ("anna", "", "", "ungraded")
    assert "KeyError: 'ours'" in run("show", "tiny", "anna").output
    assert "KeyError" not in (course / "autograded" / "anna" / "tiny" / "tiny.ipynb").read_text()


def test_show_gives_a_reason_for_every_lost_point(course: Path, run: Run, grade: Run, built: Built) -> None:
    submit(course, "anna", "tiny", solved_by(built, named_variant(built, "squared")))
    grade()
    said = run("show", "tiny").output
    assert "double: 0 of 4 points (failed)" in said
    assert "entries differ" in said
    assert "known mistake: " in said


def test_show_says_of_each_student_without_a_report_why_and_goes_on(
    course: Path, run: Run, grade: Run, built: Built
) -> None:
    submit(course, "anna", "tiny", solved(built))
    submit(course, "nofile", "tiny", b"text", name="notes.txt")
    submit(course, "torn", "tiny", b"{")
    grade()
    submit(course, "bert", "tiny", solved(built))
    named = run("show", "tiny", "nofile", "bert", "a/b", "nosuch", "torn", "anna")
    assert named.exit_code == 1
    for said in (
        "nofile\n  `tiny` of nofile is not graded: no tiny.ipynb was handed in\n",
        "bert\n  `tiny` of bert is not graded yet: run `autograder grade tiny --student bert`\n",
        "nosuch\n  nobody of this name has handed in `tiny`\n",
        "torn\n  not graded: all 7 points wait for a person",
        "  when that is mended: autograder grade tiny --student torn\n",
        "anna\n  7 of 7 points",
    ):
        assert said in named.output
    assert "`tiny/part` is one notebook of `tiny`; name that" in run("show", "tiny/part", "anna").output
    everybody = run("show", "tiny")
    assert everybody.exit_code == 1
    assert "no tiny.ipynb was handed in" in everybody.output
    assert "1 more are not graded yet: autograder grade tiny" in everybody.output
    submit(course, "nofile", "tiny", solved(built))
    grade("--student", "nofile")
    assert run("show", "tiny", "nofile", "anna").exit_code == 0


def test_instructors_see_how_many_students_make_which_mistake(course: Path, run: Run, grade: Run, built: Built) -> None:
    for student, name in {"anna": "squared", "bert": "squared", "cleo": "once"}.items():
        submit(course, student, "tiny", solved_by(built, named_variant(built, name)))
    for said in (grade().output, run("show", "tiny").output):
        assert re.search(r"2 +│ double +│ Squares x", said)
        assert re.search(r"1 +│ quadruple +│ Doubles once", said)
    assert "Known mistakes" not in run("show", "tiny", "anna").output


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
    (course / "exercises" / "tiny" / "exercise.toml").write_text("points = [")


def _unreadable_gradebook(course: Path) -> None:
    (course / "gradebook.db").write_bytes(b"this is no database" * 100)


def _stale_release(course: Path) -> None:
    (course / "assignments" / "tiny" / "checks.py").write_text("")


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
        (_stale_release, "run `autograder build tiny`"),
        (_no_submissions, "no submissions"),
    ],
)
def test_a_wrong_set_up_is_one_sentence_and_status_2_and_loses_nothing(
    course: Path, grade: Run, built: Built, harm: Callable[[Path], None], said: str
) -> None:
    submit(course, "anna", "tiny", solved(built))
    harm(course)
    before = (course / "gradebook.db").read_bytes()
    result = grade()
    assert result.exit_code == 2
    assert said in result.output
    assert len(result.output.strip().splitlines()) == 1
    assert (course / "gradebook.db").read_bytes() == before


def test_an_unknown_exercise_is_answered_with_the_known_ones(course: Path, run: Run) -> None:
    write_tiny_exercise(course / "exercises" / "other")
    result = run("grade", "tyni")
    assert result.exit_code == 2
    assert "other, tiny" in result.output


def test_build_mends_what_check_complains_about(course: Path, run: Run) -> None:
    assert run("build").exit_code == 0
    path = course / "assignments" / "tiny" / "checks.py"
    right = path.read_bytes()
    path.unlink()
    assert run("build", "--check").exit_code == 2
    assert run("build").exit_code == 0
    assert path.read_bytes() == right
    assert run("build", "--check").exit_code == 0


@pytest.mark.slow  # `make lint` says the same
def test_the_committed_notebooks_are_what_the_exercise_folders_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    assert CliRunner().invoke(main, ["build", "--check"]).exit_code == 0


def test_who_reads_the_first_lines_alone_is_told_nothing_else(course: Path, grade: Run, built: Built) -> None:
    submit(course, "anna", "tiny", solved(built))
    grade()
    command = f"set -o pipefail; {sys.executable} -c 'from autograder.cli import main; main()' show tiny anna | head -0"
    done = subprocess.run(["bash", "-c", command], cwd=course, capture_output=True, text=True, check=False)
    assert done.stderr == ""
