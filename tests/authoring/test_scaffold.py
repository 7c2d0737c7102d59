"""What `autograder init` and `autograder new` write: a course, and exercises that work as they stand."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType

import nbformat
import pytest

from autograder.authoring.scaffold import KINDS, init_course, new_exercise
from autograder.authoring.verify import verify
from autograder.course.course import load_course
from autograder.errors import ConfigError
from autograder.exercise.assignment import load_assignment_folder
from autograder.exercise.build import build, write
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import load_exercise
from autograder.exercise.variants import right_variants, wrong_variants
from autograder.grading.evaluate import Grader
from autograder.submission.samples import solved
from tests.places import REPOSITORY

# --- a course ---


def test_a_course_is_written_and_can_be_loaded(tmp_path: Path) -> None:
    paths = init_course(tmp_path / "deep" / "my-course")
    names = {str(path.relative_to(tmp_path / "deep" / "my-course")) for path in paths}
    assert names == {"grader_config.py", "nbgrader_config.py", ".gitignore", "exercises/README.md"}
    assert all(path.is_file() for path in paths)
    course = load_course(tmp_path / "deep" / "my-course")
    assert course.coursedir.course_id == "my-course"
    assert course.exercises_folder == tmp_path / "deep" / "my-course" / "exercises"
    assert not course.allow_unsafe


def test_the_course_is_named_after_its_folder_whatever_is_in_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / 'Größe "{{x}}" \\ 2'
    folder.mkdir()
    monkeypatch.chdir(folder)
    init_course(Path("."))
    assert load_course(folder).coursedir.course_id == folder.name


def test_a_folder_with_something_in_it_is_no_new_course(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match="is there already and not empty; name a new folder"):
        init_course(tmp_path)
    with pytest.raises(ConfigError, match="is there already"):
        init_course(tmp_path / "notes.txt")
    assert list(tmp_path.iterdir()) == [tmp_path / "notes.txt"]


def test_a_folder_that_cannot_be_written_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="cannot be written: "):
        init_course(tmp_path / "file" / "course")
    with pytest.raises(ConfigError, match="cannot be written: "):
        init_course(tmp_path / os.fsdecode(b"\xff"))


# --- an exercise ---


@pytest.mark.parametrize(
    ("slug", "title"), [("leaky-relu", "Leaky relu"), ("layer_norm", "Layer norm"), ("2d--pooling_", "2d pooling")]
)
def test_the_title_is_made_from_the_slug(tmp_path: Path, slug: str, title: str) -> None:
    for path in new_exercise(tmp_path / "exercises", slug, "numpy"):
        assert path.is_relative_to(tmp_path / "exercises" / slug)
        assert "{{" not in path.read_text()
    assert load_exercise(slug, tmp_path / "exercises").title == title


@pytest.mark.parametrize(
    "slug",
    ["", "two words", "a+b", "..", ".hidden", "-x", "_x", "größe", "a\n", "a.b", "{{x}}", "x" * 65, "a/b/c", "../a"],
)
def test_a_slug_that_is_no_good_name_is_refused(tmp_path: Path, slug: str) -> None:
    with pytest.raises(ConfigError, match="use up to 64 ASCII letters, digits, - and _"):
        new_exercise(tmp_path, slug, "numpy")
    assert list(tmp_path.iterdir()) == []


def test_a_notebook_more_is_started_in_the_folder_of_its_assignment(tmp_path: Path) -> None:
    first = new_exercise(tmp_path, "week-1/layers", "numpy")
    assert first[0] == tmp_path / "week-1" / "assignment.toml"
    second = new_exercise(tmp_path, "week-1/words", "questions")
    assert all(path.is_relative_to(tmp_path / "week-1" / "words") for path in second)
    folder = load_assignment_folder("week-1", tmp_path)
    assert (folder.title, folder.notebooks) == ("Week 1", ("layers", "words"))
    new_exercise(tmp_path, "single", "numpy")
    with pytest.raises(ConfigError, match="single is there already"):
        new_exercise(tmp_path, "single/more", "numpy")


def test_an_exercise_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "tiny").mkdir()
    with pytest.raises(ConfigError, match="tiny is there already; choose another name"):
        new_exercise(tmp_path, "tiny", "numpy")
    assert list((tmp_path / "tiny").iterdir()) == []


def test_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no kind of exercise 'jax'; use numpy or torch"):
        new_exercise(tmp_path, "tiny", "jax")


# --- the exercises as they stand ---


@pytest.fixture(scope="module", params=KINDS)
def new(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    exercises = tmp_path_factory.mktemp("exercises")
    new_exercise(exercises, "tiny", request.param)
    return build(load_exercise("tiny", exercises))


def test_a_new_exercise_shows_all_that_one_can_have(new: Built) -> None:
    assert len(new.exercise.automatic) in (1, 2, 4)
    assert len(new.exercise.tasks) - len(new.exercise.automatic) == 1
    assert len(wrong_variants(new.exercise)) >= 2
    assert len(right_variants(new.exercise)) >= 1


def test_its_header_is_not_in_the_notebook(new: Built) -> None:
    assert "Its header is for you" in new.exercise.notebook_source.read_text()
    assert {cell.cell_type for cell in new.release.cells} == {"markdown", "code"}
    assert "Its header is for you" not in nbformat.writes(new.release)


@pytest.mark.slow
def test_its_hidden_suite_is_worth_its_points(new: Built) -> None:
    verification = verify(new, seeds=1, jobs=1)
    assert verification.problems == []
    assert verification.warnings == []


def test_it_gives_all_points_to_the_solution_and_none_to_the_stubs(new: Built, grader: Grader) -> None:
    for notebook, earned in ((solved(new), 10), (new.release, 0)):
        report = grader.evaluate(nbformat.writes(notebook).encode(), SeededExercise(new, 0)).report
        assert (report.earned, report.automatic_points, report.findings) == (earned, 10, ())


@pytest.fixture
def notebook(new: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The `__main__` of a notebook beside the built checks.py."""
    write(new, tmp_path / "solutions", tmp_path / "assignments")
    monkeypatch.syspath_prepend(tmp_path / "assignments" / "tiny")
    monkeypatch.chdir(tmp_path / "assignments" / "tiny")
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    main = ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    yield main
    del sys.modules["checks"]


def test_the_solved_notebook_passes_its_own_checks(
    new: Built, notebook: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    for cell in solved(new).cells:
        if cell.cell_type == "code":
            exec(cell.source, vars(notebook))
    said = capsys.readouterr().out
    assert said.count("checks pass") + said.count("there is an answer") == len(new.exercise.automatic)
    assert "✗" not in said
    assert "not written yet" not in said


def test_the_released_notebook_waits_quietly(
    new: Built, notebook: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    for cell in new.release.cells:
        if cell.cell_type == "code":
            # Only statements say so themselves: in a function or a method nobody has called the stub yet.
            stubs = {name if one.by_hand else f"{name}-code": one for name, one in new.exercise.tasks.items()}
            says_so = cell.id in stubs and not stubs[cell.id].functions
            with pytest.raises(NotImplementedError) if says_so else nullcontext():
                exec(cell.source, vars(notebook))
    said = capsys.readouterr().out
    for task in new.exercise.automatic.values():  # its check, and the cell below that needs it
        assert said.count(f"{task.title}: ") == 1
    assert said.count("This cell waits for ") == sum("with needs(" in cell.source for cell in new.release.cells) > 0
    assert "✗" not in said


# --- from the installed package alone ---


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing in it but the package, from a wheel."""
    pytest.importorskip("pip")
    pytest.importorskip("setuptools", minversion="77")
    root = tmp_path_factory.mktemp("installed")
    shutil.copytree(
        REPOSITORY / "autograder", root / "source" / "autograder", ignore=shutil.ignore_patterns("__pycache__")
    )
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, root / "source")
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(root), str(root / "source"))
    (wheel,) = root.glob("*.whl")
    pip("install", "--no-deps", "--target", str(root / "site"), str(wheel))
    return root / "site"


def pip(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "--quiet", *arguments], check=True, timeout=300)


def run(site: Path, folder: Path, code: str, *arguments: str) -> str:
    """What a Python with `site` before all other packages prints."""
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONSAFEPATH": "1", "COLUMNS": "200"}
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{arguments}: {done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.slow
def test_a_course_works_from_the_installed_package_alone(installed: Path, tmp_path: Path) -> None:
    assert Path(run(installed, tmp_path, "import autograder; print(autograder.__file__)")).is_relative_to(installed)

    def autograder(folder: Path, *arguments: str) -> str:
        return run(installed, folder, "from autograder.cli import main; main()", *arguments)

    autograder(tmp_path, "init", "my-course")
    course = tmp_path / "my-course"
    autograder(course, "new", "tiny", "--kind", "numpy")
    autograder(course, "verify", "tiny", "--seeds", "1", "--jobs", "2")
    autograder(course, "release", "tiny")
    released = build(load_exercise("tiny", course / "exercises"))
    for student, notebook in (("ada", solved(released)), ("bob", released.release)):
        folder = course / "submitted" / student / "tiny"
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / "tiny.ipynb")
    said = autograder(course, "grade", "tiny")
    assert [line.split("│")[1:3] for line in said.splitlines() if "│" in line] == [
        [" ada     ", " 10 / 10, 2 by hand "],
        [" bob     ", "             0 / 12 "],
    ]
