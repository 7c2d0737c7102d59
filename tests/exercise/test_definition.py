"""What an exercise folder says, and how a broken one is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.errors import ExerciseError
from autograder.exercise.build import build
from autograder.exercise.definition import Exercise, Limits, exercise_names, load_exercise
from autograder.exercise.slips import proofread
from tests.cookbook.two_layers import write_two_layers
from tests.places import EXERCISES
from tests.tiny import TOML, write_tiny_exercise


def test_an_exercise_is_what_its_file_says(tiny_exercise: Path) -> None:
    exercise = Exercise(tiny_exercise)
    assert (exercise.slug, exercise.title, exercise.framework) == ("tiny", "Twice and twice again", "numpy")
    assert list(exercise.tasks) == ["double", "quadruple", "explain"]
    assert list(exercise.automatic) == ["double", "quadruple"]
    assert exercise.points == 9
    assert exercise.limits == Limits()
    quadruple = exercise.tasks["quadruple"]
    assert (quadruple.points, quadruple.functions, quadruple.needs) == (3, ("quadruple",), ("double",))
    assert (quadruple.hint, quadruple.by_hand) == ("", False)


def test_limits_are_set_one_by_one(tiny_exercise: Path) -> None:
    (tiny_exercise / "exercise.toml").write_text(TOML + "[limits]\ncpu_seconds = 0.5\nmemory = 100\n")
    assert Exercise(tiny_exercise).limits == Limits(cpu_seconds=0.5, memory=100)


@pytest.mark.parametrize(
    ("keys", "packages", "framework"),
    [
        ("", ("numpy", "matplotlib"), "numpy"),
        ('framework = "torch"', ("numpy", "matplotlib", "torch"), "torch"),
        ('packages = ["torch"]', ("numpy", "matplotlib", "torch"), "torch"),
        ('packages = ["networkx", "numpy"]', ("numpy", "matplotlib", "networkx"), "numpy"),
        ('framework = "torch"\npackages = ["networkx"]', ("numpy", "matplotlib", "torch", "networkx"), "torch"),
    ],
)
def test_a_framework_is_a_case_of_packages(
    tiny_exercise: Path, keys: str, packages: tuple[str, ...], framework: str
) -> None:
    (tiny_exercise / "exercise.toml").write_text(f"{keys}\n{TOML}")
    assert (Exercise(tiny_exercise).packages, Exercise(tiny_exercise).framework) == (packages, framework)


BROKEN = [
    ("not TOML", "title", "exercise.toml"),
    ('title = "Twice and twice again"\n', "", "title"),
    ("points = 4", "points = 4\nponts = 4", "ponts"),
    ("points = 4", 'points = "four"', "points"),
    ("points = 4", "", "points"),
    ("points = 4", "points = 0", "`double`"),
    ("points = 4", "points = -1", "`double`"),
    ("points = 4", "points = nan", "`double`"),
    ("points = 4", "points = inf", "`double`"),
    ('functions = ["double"]', "", "`double`"),
    ('functions = ["quadruple"]', 'functions = ["quadruple"]\nby_hand = true', "`quadruple`"),
    ("by_hand = true", "", "`explain`"),
    ('needs = ["double"]', 'needs = ["explain"]', "`explain`"),
    ('needs = ["double"]', 'needs = ["dobule"]', "`dobule`"),
    ("points = 4", 'points = 4\nrubric = [{ points = 4, text = "right" }]', "`double` has a rubric, which is for"),
    ("by_hand = true", 'by_hand = true\nrubric = [{ points = 1, text = "right" }]', "of 1 points, but is worth 2"),
    ("by_hand = true", 'by_hand = true\nrubric = [{ points = 2, text = " " }]', "without points or without words"),
    ("by_hand = true", 'by_hand = true\nrubric = [{ points = 2, words = "right" }]', "words"),
    ("[tasks.double]", '[tasks."dou ble"]', "`dou ble`"),
    ("[tasks.double]", '[tasks."2"]', "`2`"),
    ("[tasks.double]", 'framework = "jax"\n[tasks.double]', "jax"),
    ("[tasks.double]", 'packages = ["scikit-learn"]\n[tasks.double]', "did you mean `sklearn`?"),
    ("[tasks.double]", 'packages = ["os.path"]\n[tasks.double]', "`os.path`"),
    ("[tasks.double]", 'packages = ["autograder"]\n[tasks.double]', "`autograder`"),
    ("[tasks.double]", "[limits]\nseconds = 1\n[tasks.double]", "seconds"),
    ("[tasks.double]", "[limits]\ncpu_seconds = -1\n[tasks.double]", "cpu_seconds"),
    ("[tasks.double]", "[limits]\ncpu_seconds = nan\n[tasks.double]", "cpu_seconds"),
    ("[tasks.double]", "[limits]\nrestarts = 1.5\n[tasks.double]", "restarts"),
]


@pytest.mark.parametrize(("text", "instead", "named"), BROKEN, ids=[instead or text for text, instead, _ in BROKEN])
def test_a_broken_file_is_refused_with_the_file_and_the_fault(
    tiny_exercise: Path, text: str, instead: str, named: str
) -> None:
    file = tiny_exercise / "exercise.toml"
    file.write_text("this is no TOML" if text == "not TOML" else TOML.replace(text, instead, 1))
    with pytest.raises(ExerciseError) as refused:
        Exercise(tiny_exercise)
    assert str(file) in str(refused.value)
    assert named in str(refused.value)


@pytest.mark.parametrize("name", ["größe", "x" * 80], ids=["beyond ASCII", "too long"])
def test_a_task_name_that_can_be_no_cell_id_is_refused(tiny_exercise: Path, name: str) -> None:
    """A notebook's cell ids are of ASCII letters, digits, - and _, at most 64 of them."""
    file = tiny_exercise / "exercise.toml"
    file.write_text(TOML.replace("[tasks.explain]", f'[tasks."{name}"]'), encoding="utf-8")
    with pytest.raises(ExerciseError, match=name):
        Exercise(tiny_exercise)


@pytest.mark.parametrize("first_needs", ["double", "quadruple"], ids=["itself", "in a circle"])
def test_tasks_that_wait_for_themselves_are_refused(tiny_exercise: Path, first_needs: str) -> None:
    """Each would be called skipped until the other passes, and nobody would say where to begin."""
    file = tiny_exercise / "exercise.toml"
    file.write_text(TOML.replace("points = 4", f'points = 4\nneeds = ["{first_needs}"]'))
    with pytest.raises(ExerciseError, match="`double`"):
        Exercise(tiny_exercise)


def test_a_folder_without_exercise_toml_is_no_exercise(tmp_path: Path) -> None:
    with pytest.raises(ExerciseError, match=r"exercise\.toml is missing"):
        Exercise(tmp_path)


@pytest.mark.parametrize("name", ["exercise.toml", "notebook.py", "test_public.py", "test_hidden.py"])
def test_the_version_changes_with_every_file_that_can_change_a_grade(tiny_exercise: Path, name: str) -> None:
    before = Exercise(tiny_exercise).version
    with (tiny_exercise / name).open("a") as file:
        file.write("\n# changed\n")
    assert Exercise(tiny_exercise).version != before


def test_the_version_stays_where_nothing_that_grades_has_changed(tiny_exercise: Path) -> None:
    before = Exercise(tiny_exercise).version
    (tiny_exercise / "right").mkdir()
    (tiny_exercise / "right" / "added.py").write_text("def double(x):\n    return x + x\n")
    assert Exercise(tiny_exercise).version == before


def test_a_known_mistake_more_makes_another_version_since_reports_name_it(tiny_exercise: Path) -> None:
    before = Exercise(tiny_exercise).version
    (tiny_exercise / "wrong").mkdir()
    (tiny_exercise / "wrong" / "thrice.py").write_text("def double(x):\n    return 3 * x\n")
    assert Exercise(tiny_exercise).version != before


def test_a_line_that_moves_to_the_next_file_makes_another_version(tiny_exercise: Path) -> None:
    public, hidden = tiny_exercise / "test_public.py", tiny_exercise / "test_hidden.py"
    public.write_text("1\n2\n")
    hidden.write_text("3\n")
    before = Exercise(tiny_exercise).version
    public.write_text("1\n")
    hidden.write_text("2\n3\n")
    assert Exercise(tiny_exercise).version != before


def test_exercises_are_found_by_their_folders(tmp_path: Path) -> None:
    write_tiny_exercise(tmp_path / "second")
    write_tiny_exercise(tmp_path / "first")
    (tmp_path / "no-exercise").mkdir()
    assert exercise_names(tmp_path) == ["first", "second"]
    assert load_exercise("second", tmp_path).folder == tmp_path / "second"
    with pytest.raises(ExerciseError, match=r"`third`.*first, second"):
        load_exercise("third", tmp_path)


@pytest.mark.parametrize("slug", ["..", "../exercises", "", "."])
def test_a_slug_is_never_a_path(tmp_path: Path, slug: str) -> None:
    write_tiny_exercise(tmp_path / "exercises")
    with pytest.raises(ExerciseError):
        load_exercise(slug, tmp_path / "exercises")


def test_a_folder_that_is_not_there_has_no_exercises(tmp_path: Path) -> None:
    with pytest.raises(ExerciseError, match="there are: none"):
        load_exercise("any", tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("slug", "framework", "tasks"),
    [
        (
            "residual-connections",
            "numpy",
            "residual residual_gradient sublayer run_stack gradient_table residual_pair gradient_check "
            "exercise_1 exercise_2 exercise_3 explain_highway",
        ),
        ("residual-block", "torch", "residual_block identity_gradient jacobian stack_gradient explain_jacobian"),
    ],
)
def test_the_course_has_its_two_lessons(slug: str, framework: str, tasks: str) -> None:
    exercise = load_exercise(slug, EXERCISES)
    assert exercise.framework == framework
    assert list(exercise.tasks) == tasks.split()
    assert all(task.hint for task in exercise.automatic.values())
    assert len(exercise.automatic) == len(exercise.tasks) - 1


def test_byte_order_marks_are_no_part_of_the_text(tmp_path: Path) -> None:
    folder = write_two_layers(tmp_path)
    before = build(Exercise(folder)).files(tmp_path, tmp_path)
    for name in ("exercise.toml", "layers.py", "notebook.py", "test_public.py"):
        (folder / name).write_bytes(b"\xef\xbb\xbf" + (folder / name).read_bytes())
    assert build(Exercise(folder)).files(tmp_path, tmp_path) == before


@pytest.mark.parametrize("name", ["exercise.toml", "layers.py", "notebook.py", "wrong/mean.py"])
def test_a_file_that_is_not_utf_8_is_told_by_one_sentence(tmp_path: Path, name: str) -> None:
    folder = write_two_layers(tmp_path)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes("# 1\n# ä\n".encode("latin-1"))
    with pytest.raises(ExerciseError) as refused:
        proofread(Exercise(folder))
    assert str(refused.value) == f"{folder / name}, line 2: this is not UTF-8; save the file with that encoding"


def test_a_module_that_is_not_there_is_told_by_one_sentence(tmp_path: Path) -> None:
    folder = write_two_layers(tmp_path)
    text = (folder / "exercise.toml").read_text()
    line = text[: text.index("submit")].count("\n") + 1
    told = (
        f"{folder / 'exercise.toml'}, line {line}: `submit` names layers.py, which does not lie beside exercise.toml; "
    )
    (folder / "wrong").mkdir(exist_ok=True)
    (folder / "layers.py").rename(folder / "wrong" / "layers.py")
    for meant in (f"move {folder / 'wrong' / 'layers.py'} there", "write it, or leave it out of `submit`"):
        with pytest.raises(ExerciseError) as refused:
            Exercise(folder)
        assert str(refused.value) == told + meant
        (folder / "wrong" / "layers.py").unlink(missing_ok=True)
