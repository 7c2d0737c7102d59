"""Plain assignments in a course: found, graded, recorded and exported beside exercises, and told apart from nothing."""

from __future__ import annotations

import csv
import json
import shutil
import socket
import sys
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner, Result
from nbgrader.api import Gradebook

from autograder.batch.evaluators import WarmGrader
from autograder.batch.run import grade_students
from autograder.cli import main
from autograder.course.assignments import load_assignment, require_assignment
from autograder.course.course import Course, load_course
from autograder.course.plain import OtherLanguageError, is_plain, load_plain
from autograder.errors import AutograderError, ConfigError
from autograder.exercise.definition import Limits
from autograder.grading.evaluate import Grader
from autograder.grading.plain import TRUST
from tests import plain_notebooks as plain
from tests.nbgrader_course import grades, nbgrader, submit

SHEET = "sheet"
FIRST = plain.notebook(
    plain.code("import csv"),
    plain.solution(
        "rows",
        "def rows():\n    ### BEGIN SOLUTION\n    return list(csv.reader(open('points.csv')))\n    ### END SOLUTION",
    ),
    plain.test(
        "rows-test", 2, "assert rows()\n### BEGIN HIDDEN TESTS\nassert rows() == [['1', '2']]\n### END HIDDEN TESTS"
    ),
    plain.by_hand("program", 3, "### BEGIN SOLUTION\nprint('mine')\n### END SOLUTION", "code"),
)
SECOND = plain.notebook(plain.test("free", 1, "assert True"), plain.task("essay", 4, "Write something below."))
RIGHT = plain.with_texts(
    FIRST, rows="def rows():\n    return list(csv.reader(open('points.csv')))", program="print('mine')"
)
WRONG = plain.with_texts(FIRST, rows="def rows():\n    return [[]]", program="print('hers')")


def hand_in(root: Path, student: str, **notebooks: nbformat.NotebookNode | bytes) -> None:
    for name, notebook in notebooks.items():
        submit(root, student, SHEET, notebook, f"{name}.ipynb")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, tiny_course: Path) -> Path:
    """A course with an exercise and a plain assignment of two notebooks and a file, and four submissions for that."""
    root = shutil.copytree(tiny_course, tmp_path_factory.mktemp("plain") / "course")
    plain.write_source(root / "solutions" / SHEET, first=FIRST, second=SECOND)
    (root / "solutions" / SHEET / "points.csv").write_text("1,2\n")
    load_plain(load_course(root), SHEET)
    hand_in(root, "ada", first=RIGHT, second=SECOND)
    hand_in(root, "ben", first=WRONG, second=SECOND)
    hand_in(root, "cleo", first=RIGHT)
    hand_in(root, "dan", first=b"broken", second=SECOND)
    return root


@pytest.fixture
def course(template: Path, tmp_path: Path) -> Course:
    return load_course(shutil.copytree(template, tmp_path / "course"))


def grade(course: Course, grader: Grader, *students: str) -> None:
    grade_students(
        course, load_assignment(course, SHEET), students or ("ada", "ben", "cleo", "dan"), WarmGrader(grader)
    )


def run(root: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Result:
    monkeypatch.chdir(root)
    return CliRunner().invoke(main, arguments)


ROWS = {
    ("ada", "rows-test"): (2, None, False),
    ("ada", "program"): (None, None, True),
    ("ada", "free"): (1, None, False),
    ("ada", "essay"): (None, None, True),
    ("ben", "rows-test"): (0, None, False),
    ("ben", "program"): (None, None, True),
    ("ben", "free"): (1, None, False),
    ("ben", "essay"): (None, None, True),
    ("cleo", "rows-test"): (2, None, False),
    ("cleo", "program"): (None, None, True),
    ("cleo", "free"): (0, None, False),
    ("cleo", "essay"): (0, None, False),
    ("dan", "rows-test"): (None, None, True),
    ("dan", "program"): (None, None, True),
    ("dan", "free"): (1, None, False),
    ("dan", "essay"): (None, None, True),
}


def test_what_is_an_assignment_and_of_which_kind(course: Course) -> None:
    assert (is_plain(course, SHEET), is_plain(course, "tiny"), is_plain(course, "typo")) == (True, False, False)
    shutil.rmtree(course.solutions / SHEET)
    assert is_plain(course, SHEET)  # the gradebook has it
    for name in ("typo", "..", ""):
        with pytest.raises(AutograderError, match="there is no exercise"):
            require_assignment(course, name)


def test_asking_for_an_assignment_makes_no_gradebook(course: Course) -> None:
    (course.root / "gradebook.db").unlink()
    assert not is_plain(course, "typo")
    assert not (course.root / "gradebook.db").exists()


def test_one_is_read_from_the_gradebook_and_the_folder_of_its_source(course: Course) -> None:
    course.limits = {"memory": 4096}
    found = load_plain(course, SHEET)
    assert {name: [one.cell for one in tasks if one.by_hand] for name, tasks in found.tasks.items()} == {
        "first": ["program"],
        "second": ["essay"],
    }
    assert (found.files, found.packages) == ({"points.csv": b"1,2\n"}, ("numpy", "matplotlib"))
    defaults = Limits(cpu_seconds=30, wall_seconds=60, total_cpu_seconds=600, total_wall_seconds=1200, memory=4096)
    assert found.limits == defaults
    course.limits = {"memories": 1}
    with pytest.raises(ConfigError, match=r"c\.Course\.limits: .*memories"):
        load_plain(course, SHEET)


def test_its_version_is_another_where_a_report_can_be(course: Course) -> None:
    versions = [load_plain(course, SHEET).version]
    (course.solutions / SHEET / "points.csv").write_text("3,4\n")
    versions.append(load_plain(course, SHEET).version)
    course.config.OverwriteCells.add_missing_cells = True
    versions.append(load_plain(course, SHEET).version)
    with Gradebook(course.db_url) as gradebook:
        gradebook.find_grade_cell("rows-test", "first", SHEET).max_score = 5
        gradebook.db.commit()
    versions.append(load_plain(course, SHEET).version)
    assert len({*versions, load_plain(course, SHEET).version}) == 4


def test_a_source_in_another_folder_is_not_passed_over(course: Course) -> None:
    (course.root / "source").mkdir()
    (course.solutions / SHEET).rename(course.root / "source" / SHEET)
    with pytest.raises(ConfigError, match='source_directory = "source"'):
        load_plain(course, SHEET)


def test_an_exercise_whose_folder_is_gone_is_no_plain_assignment(course: Course) -> None:
    (course.exercises_folder / "tiny" / "exercise.toml").unlink()
    with pytest.raises(ConfigError, match="`tiny` is made from an exercise"):
        load_assignment(course, "tiny")
    submit(course.root, "ada", "tiny", SECOND)
    done = nbgrader(course.root, "autograde", "tiny")
    assert (done.returncode, "`tiny` is made from an exercise" in done.stderr) == (1, True)


def test_every_row_is_as_nbgrader_would_have_it(course: Course, grader: Grader) -> None:
    grade(course, grader)
    assert grades(course.root) == ROWS
    folder = course.root / "autograded" / "ada" / SHEET
    assert sorted(path.name for path in folder.iterdir()) == ["first.ipynb", "points.csv", "second.ipynb"]


def test_nbgraders_own_command_writes_the_same_rows(course: Course) -> None:
    done = nbgrader(course.root, "autograde", SHEET)
    assert done.returncode == 0, done.stderr
    assert grades(course.root) == ROWS
    assert (course.root / "reports" / SHEET / "ada.json").is_file()


def test_a_notebook_of_another_name_is_graded_by_nbgraders_command_too(course: Course) -> None:
    plain.write_source(course.solutions / "single", only=SECOND)
    submit(course.root, "ada", "single", SECOND, "only (1).ipynb")
    done = nbgrader(course.root, "autograde", "single")
    assert done.returncode == 0, done.stderr
    assert grades(course.root)["ada", "free"] == (1, None, False)


@pytest.mark.parametrize("command", ["ours", "nbgrader"])
def test_no_score_of_an_earlier_submission_stands_for_a_cell_that_is_gone(
    command: str, course: Course, grader: Grader
) -> None:
    grade(course, grader, "ada")
    hand_in(course.root, "ada", first=plain.without(RIGHT, "rows-test"))
    grade(course, grader, "ada") if command == "ours" else nbgrader(course.root, "autograde", "--force", SHEET)
    assert grades(course.root)["ada", "rows-test"] == (None, None, True)


def test_points_that_people_gave_stay(course: Course, grader: Grader) -> None:
    grade(course, grader, "ada")
    with Gradebook(course.db_url) as gradebook:
        for cell, notebook in (("essay", "second"), ("program", "first")):
            found = gradebook.find_grade(cell, notebook, SHEET, "ada")
            found.manual_score, found.needs_manual_grade = 3, False
        gradebook.db.commit()
    hand_in(course.root, "ada", first=WRONG)
    grade(course, grader, "ada")
    assert grades(course.root)["ada", "essay"] == (None, 3, False)
    assert grades(course.root)["ada", "program"] == (None, 3, True)


REACHES = {
    "the gradebook": "open('{root}/gradebook.db', 'rb').read()",
    "the source": "glob.glob('{root}/*') + [open('{root}/solutions/sheet/first.ipynb').read()]",
    "a neighbour": "open('{root}/submitted/ada/sheet/first.ipynb').read()",
    "the network": "urllib.request.urlopen('http://127.0.0.1:{port}').read()",
    "its grader": "os.kill(os.getppid(), 9)",
}


def test_a_hostile_notebook_gets_nothing_and_one_that_ends_its_process_costs_nobody_else(
    course: Course, grader: Grader
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        place = {"root": course.root, "port": listener.getsockname()[1]}
        reach = "import glob, os, urllib.request\ngot = []\n" + "".join(
            f"try:\n    got.append({code.format(**place)})\nexcept OSError as error:\n    print(error)\n"
            for code in REACHES.values()
        )
        eve = plain.with_texts(WRONG, rows=f"{reach}print('got', got)\ndef rows():\n    os._exit(0)")
        hand_in(course.root, "eve", first=eve, second=SECOND)
        grade(course, grader, "ada", "eve", "ben", "cleo", "dan")
        listener.settimeout(0)
        with pytest.raises(BlockingIOError):
            listener.accept()
    ours = {place: row for place, row in grades(course.root).items() if place[0] != "eve"}
    assert ours == ROWS
    assert grades(course.root)["eve", "rows-test"] == (0, None, False)
    assert grades(course.root)["eve", "free"] == (1, None, False)
    shown = nbformat.read(course.root / "autograded" / "eve" / SHEET / "first.ipynb", 4)
    (said,) = [
        output.text for cell in shown.cells for output in cell.get("outputs", []) if "got" in output.get("text", "")
    ]
    assert said.splitlines()[-1] in ("got []", "got [None]")


@pytest.mark.usefixtures("warm_command")
def test_the_command_grades_tells_how_far_to_trust_it_and_goes_on_where_it_was(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(course.root, monkeypatch, "grade", SHEET, "--jobs", "1")
    assert (first.exit_code, "dan" in first.output) == (1, True)  # whose file nobody can read
    assert " ".join(first.output.split()).count(TRUST[:60]) == 1
    (course.root / "submitted" / "dan" / SHEET / "first.ipynb").write_text(nbformat.writes(RIGHT))
    second = run(course.root, monkeypatch, "grade", SHEET, "--jobs", "1")
    assert second.exit_code == 0, second.output
    third = run(course.root, monkeypatch, "grade", SHEET, "--jobs", "1")
    assert "nothing has changed" in third.output
    shown = run(course.root, monkeypatch, "show", SHEET, "ben")
    assert "first/rows-test: 0 of 2 points (failed)" in shown.output
    assert TRUST in shown.output


def test_the_export_says_what_waits_and_leaves_out_what_is_not_known(
    course: Course, grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    grade(course, grader)
    run(course.root, monkeypatch, "export")
    with (course.root / "grades.csv").open(newline="") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file) if row["assignment"] == SHEET}
    assert {student: (row["score"], row["status"]) for student, row in rows.items()} == {
        "ada": ("3.0", "hand grading"),
        "ben": ("1.0", "hand grading"),
        "cleo": ("2.0", "hand grading"),
        "dan": ("", "ungraded"),
    }


def test_what_this_package_has_not_graded_is_exported_as_by_nbgrader(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Gradebook(course.db_url) as gradebook:
        gradebook.add_submission(SHEET, gradebook.add_student("old").id)
        gradebook.find_grade("free", "second", SHEET, "old").auto_score = 1
        gradebook.db.commit()
    run(course.root, monkeypatch, "export")
    with (course.root / "grades.csv").open(newline="") as file:
        (row,) = [row for row in csv.DictReader(file) if row["assignment"] == SHEET]
    assert (row["score"], row["status"]) == ("1.0", "")


def other_kernel(folder: Path) -> dict[str, str]:
    """A kernel that calls itself one of another language."""
    (folder / "kernels" / "other").mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"display_name": "Other", "language": "R"}
    (folder / "kernels" / "other" / "kernel.json").write_text(json.dumps({"argv": command, **spec}))
    return {"name": "other", **spec}


def test_another_language_goes_nbgraders_own_way_with_a_warning(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    source = plain.notebook(plain.test("free", 1, "assert True"), **other_kernel(tmp_path / "jupyter"))
    plain.write_source(course.solutions / "other", other=source)
    submit(course.root, "ada", "other", source)
    with pytest.raises(OtherLanguageError, match="nbgrader autograde other"):
        load_assignment(course, "other")
    done = nbgrader(course.root, "autograde", "other")
    assert done.returncode == 0, done.stderr
    assert "nothing shuts students' code in" in done.stderr
    assert grades(course.root)["ada", "free"] == (1, None, False)
    assert not (course.root / "reports" / "other").exists()
