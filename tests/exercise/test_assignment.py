"""An assignment is one exercise, or a folder of several that lie beside each other where students have them."""

from __future__ import annotations

import ast
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.authoring.scaffold import init_course
from autograder.cli import main
from autograder.errors import ExerciseError
from autograder.exercise.assignment import assignment_names, load_assignment_folder, seeded
from autograder.exercise.build import build, write
from autograder.exercise.built import SeededExercise, SeveralExercises
from autograder.exercise.definition import exercise_names, folders_without_assignment, load_exercise
from autograder.exercise.slips import proofread
from autograder.exercise.source import reference_source
from tests.tiny import write_tiny_exercise


@pytest.fixture
def exercises(tmp_path: Path) -> Path:
    """`week-1` of two notebooks, an exercise alone, and one in a folder that is no assignment."""
    for slug in ("week-1/second-part", "week-1/first", "alone", "archive/old"):
        write_tiny_exercise(tmp_path / slug)
    (tmp_path / "week-1" / "assignment.toml").write_text('title = "Week 1"')
    return tmp_path


def give(folder: Path, name: str, content: str) -> None:
    """Let an exercise give a file."""
    (folder / name).write_text(content)
    text = (folder / "exercise.toml").read_text()
    (folder / "exercise.toml").write_text(f'files = ["{name}"]\n{text}')


def test_a_folder_with_an_assignment_toml_holds_several_exercises(exercises: Path) -> None:
    assert exercise_names(exercises) == ["alone", "week-1/first", "week-1/second-part"]
    assert assignment_names(exercises) == ["alone", "week-1"]
    week = load_assignment_folder("week-1", exercises)
    assert (week.title, week.notebooks, week.points) == ("Week 1", ("first", "second-part"), 18)
    alone = load_assignment_folder("alone", exercises)
    assert (alone.title, alone.notebooks) == ("Twice and twice again", ("alone",))


def test_one_is_graded_by_its_exercise_and_several_by_all_of_theirs(exercises: Path, tmp_path: Path) -> None:
    assert isinstance(seeded(load_assignment_folder("alone", exercises), 3), SeededExercise)
    week = seeded(load_assignment_folder("week-1", exercises), 3)
    assert isinstance(week, SeveralExercises)
    assert (week.slug, week.seed, week.notebooks) == ("week-1", 3, ("first", "second-part"))
    elsewhere = (exercises / "week-1").rename(tmp_path / "there")
    assert [one.folder.parent for one in week.moved(elsewhere).exercises] == [elsewhere, elsewhere]


def test_its_notebooks_lie_in_one_folder_each_with_checks_of_its_own(exercises: Path, tmp_path: Path) -> None:
    for one in load_assignment_folder("week-1", exercises).exercises:
        write(build(one), tmp_path / "solutions", tmp_path / "assignments")
    names = {path.name for path in (tmp_path / "assignments" / "week-1").iterdir()}
    assert names == {"first.ipynb", "second-part.ipynb", "checks_first.py", "checks_second_part.py"}
    built = build(load_exercise("week-1/second-part", exercises))
    (setup,) = (cell.source for cell in built.release.cells if cell.id == "setup")
    assert setup.splitlines()[-1] == "from checks_second_part import check"
    assert "checks" not in reference_source(built.reference)
    ast.parse(built.checks)


def test_a_file_may_be_given_by_two_exercises_if_it_is_the_same(exercises: Path) -> None:
    for name in ("first", "second-part"):
        give(exercises / "week-1" / name, "data.csv", "1,2")
    assert load_assignment_folder("week-1", exercises).notebooks == ("first", "second-part")
    (exercises / "week-1" / "first" / "data.csv").write_text("1,3")
    with pytest.raises(ExerciseError, match=r"the file data\.csv is another one in each"):
        load_assignment_folder("week-1", exercises)


@pytest.mark.parametrize(
    ("added", "told"),
    [
        ("week-1/second_part", "two notebooks have the checks `checks_second_part.py`"),
        ("week-1/two words", "`two words` is no good name"),
        ("week-1", "has an exercise.toml and an assignment.toml"),
    ],
)
def test_exercises_that_cannot_lie_beside_each_other_are_refused(exercises: Path, added: str, told: str) -> None:
    target = write_tiny_exercise(exercises / "new")
    (exercises / added).mkdir(exist_ok=True)
    for file in target.iterdir():
        file.rename(exercises / added / file.name)
    target.rmdir()
    with pytest.raises(ExerciseError, match=told):
        load_assignment_folder("week-1", exercises)


@pytest.mark.parametrize("text", ["", "title = 3", 'title = "Week 1"\nnotebooks = ["first"]', "title"])
def test_an_assignment_toml_that_is_not_as_its_format_is_refused(exercises: Path, text: str) -> None:
    (exercises / "week-1" / "assignment.toml").write_text(text)
    with pytest.raises(ExerciseError, match=r"assignment\.toml"):
        load_assignment_folder("week-1", exercises)


@pytest.mark.parametrize("slug", ["week-2", "..", "", "week-1/../alone"])
def test_what_is_no_assignment_is_told_with_those_there_are(exercises: Path, slug: str) -> None:
    with pytest.raises(ExerciseError, match="there are: alone, week-1/first, week-1/second-part"):
        load_assignment_folder(slug, exercises)


def test_one_notebook_of_several_is_no_assignment(exercises: Path) -> None:
    with pytest.raises(ExerciseError, match="`week-1/first` is one notebook of the assignment `week-1`"):
        load_assignment_folder("week-1/first", exercises)


def test_a_module_that_students_write_is_of_one_exercise_alone(exercises: Path) -> None:
    give(exercises / "week-1" / "first", "layers.py", "")
    second = exercises / "week-1" / "second-part" / "exercise.toml"
    (second.parent / "layers.py").touch()
    second.write_text(f'submit = ["layers.py"]\n{second.read_text()}')
    with pytest.raises(ExerciseError, match=r"students write layers\.py for `second-part`; another exercise gives"):
        load_assignment_folder("week-1", exercises)


def test_exercises_without_an_assignment_toml_are_told_by_the_file_that_is_missing(exercises: Path) -> None:
    assert folders_without_assignment(exercises) == ["archive"]
    told = re.escape(f"{exercises / 'archive' / 'assignment.toml'} is missing, so the exercises in archive")
    for name in ("archive", "archive/old"):
        with pytest.raises(ExerciseError, match=told):
            load_assignment_folder(name, exercises)


def test_what_nobody_reads_beside_an_assignment_toml_is_told(exercises: Path) -> None:
    (exercises / "week-1" / "points.csv").touch()
    (exercises / "week-1" / "wrong").mkdir()
    with pytest.raises(ExerciseError) as refused:
        proofread(load_exercise("week-1/first", exercises))
    told = "nobody reads this; beside assignment.toml there are only folders with an exercise.toml"
    names = [exercises / "week-1" / name for name in ("points.csv", "wrong")]
    assert str(refused.value).splitlines() == [f"{path}: {told}" for path in names]


def test_a_build_of_all_says_which_folder_it_leaves_out(
    exercises: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = tmp_path / "course"
    init_course(course)
    shutil.copytree(exercises / "archive", course / "exercises" / "hw1")
    monkeypatch.chdir(course)
    assert "the exercises in hw1 are not built" in " ".join(CliRunner().invoke(main, ["build"]).output.split())
