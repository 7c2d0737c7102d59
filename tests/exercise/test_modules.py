"""The modules that students write: which there may be, what is released of them, what hangs on them."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from autograder.errors import ExerciseError
from autograder.exercise.build import build, require_fresh, write
from autograder.exercise.definition import Exercise
from autograder.exercise.modules import file_of, modules_in, without_imports
from autograder.exercise.slips import proofread
from autograder.exercise.source import reference_source
from tests.cookbook.two_layers import FILES, write_two_layers

TOML, LAYERS, NOTEBOOK = FILES["exercise.toml"], FILES["layers.py"], FILES["notebook.py"]


def test_it_is_released_with_stubs_and_no_notebook_has_it(tmp_path: Path) -> None:
    built = proofread(Exercise(write_two_layers(tmp_path)))
    write(built, tmp_path / "solutions", tmp_path / "assignments")
    require_fresh(built, tmp_path / "solutions", tmp_path / "assignments")
    folders = [tmp_path / name / "two-layers" for name in ("solutions", "assignments")]
    # nbgrader copies what lies in `solutions`, to students too.
    texts = {(folder / "layers.py").read_text() for folder in folders}
    (released,) = texts
    assert released.startswith('"""The layers of a network')
    assert released.count('raise NotImplementedError("not written yet")') == 2
    assert "# %%" not in released
    assert "np.where" not in released
    for folder in folders:
        notebook = nbformat.read(folder / "two-layers.ipynb", 4)
        assert not any(map(file_of, notebook.cells))
        assert "def relu" not in nbformat.writes(notebook)


def test_it_is_part_of_the_reference_and_of_the_version(tmp_path: Path) -> None:
    built = build(Exercise(write_two_layers(tmp_path)))
    source, version = reference_source(built.reference), built.exercise.version
    assert "np.where" in source
    assert "from layers" not in source
    assert list(modules_in(built.release)) == ["layers.py"]
    changed = {"layers.py": LAYERS.replace("0.0)", "0)")}
    assert Exercise(write_two_layers(tmp_path, changed)).version != version


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("my layers.py", "no plain name"),
        ("layers.txt", "no name of a module"),
        ("numpy.py", "in the place of the module `numpy`"),
        ("autograder.py", "in the place of the module `autograder`"),
        ("conftest.py", "in the place of the module `conftest`"),
        ("class.py", "no `import` can mean"),
        ("checks.py", "a meaning of its own"),
        ("given.py", "which `files` names, too"),
    ],
)
def test_a_name_that_is_none_is_refused(tmp_path: Path, name: str, said: str) -> None:
    toml = TOML.replace('submit = ["layers.py"]', f'submit = ["{name}"]\nfiles = ["given.py"]')
    with pytest.raises(ExerciseError, match=said):
        Exercise(write_two_layers(tmp_path, {"exercise.toml": toml}))


IMPORT = "from layers import affine, relu\n"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"notebook.py": NOTEBOOK.replace(IMPORT, "from layers import affine\n")}, "the setup cell must import `relu`"),
        ({"notebook.py": NOTEBOOK.replace(IMPORT, f"{IMPORT}import math\n")}, "at its end"),
        ({"notebook.py": NOTEBOOK.replace(IMPORT, f"{IMPORT}import layers\n")}, "`import layers`: write"),
        ({"notebook.py": NOTEBOOK.replace(IMPORT, f"{IMPORT}from layers import no\n")}, "no `no` in layers.py"),
        ({"notebook.py": NOTEBOOK.replace(IMPORT, f"{IMPORT}from layers import relu as r\n")}, "its own name"),
        ({"layers.py": f"{LAYERS}\n\ndef network(x):\n    return x\n"}, "`network` is defined in layers.py and in"),
        (
            {"layers.py": LAYERS.replace("import numpy", "from __future__ import annotations\nimport numpy")},
            "as one text",
        ),
        ({"layers.py": f"{LAYERS}\n# %% [markdown]\n# Prose\n"}, "given cells and solution cells of code"),
        ({"layers.py": f'{LAYERS}\n# %% grade="relu"\ncheck("relu")\n'}, "given cells and solution cells of code"),
        (
            {"notebook.py": NOTEBOOK.replace(IMPORT, "from layers import affine,\n")},
            r"notebook\.py, line 9: trailing comma not allowed",
        ),
        ({"layers.py": f"{LAYERS}\ndef f(:\n"}, r"layers\.py, line 22: invalid syntax"),
        ({"test_hidden.py": f"import layers\n{FILES['test_hidden.py']}"}, "take it from `student`"),
    ],
)
def test_what_would_make_a_name_mean_two_things_is_refused(tmp_path: Path, changes: dict[str, str], said: str) -> None:
    with pytest.raises(ExerciseError, match=said):
        build(Exercise(write_two_layers(tmp_path, changes)))


def test_slips_in_it_are_told_with_its_file_and_line(tmp_path: Path) -> None:
    layers = LAYERS.replace("np.where(x > 0, x, 0.0)", "np.maximum(x, 0.0)").replace(
        "    ### BEGIN SOLUTION\n    return x @ W", "    ### BEGIN SOLUTIN\n    return x @ W"
    )
    with pytest.raises(ExerciseError) as error:
        proofread(Exercise(write_two_layers(tmp_path, {"layers.py": layers})))
    assert "layers.py, line 10: `### BEGIN SOLUTIN` is no marker" in str(error.value)
    used = LAYERS.replace("np.where(x > 0, x, 0.0)", "np.maximum(x, 0.0)")
    with pytest.raises(ExerciseError, match=r"layers\.py, line 19: the reference uses `numpy\.maximum`"):
        proofread(Exercise(write_two_layers(tmp_path, {"layers.py": used})))


@pytest.mark.parametrize(
    ("marker", "said"),
    [
        ('# %% tsak="relu"', 'line 15: `# %% tsak="relu"` is no cell marker .* did you mean `# %% task="relu"`'),
        ("# %% task=relu", 'line 15: `# %% task=relu` is no cell marker .* did you mean `# %% task="relu"`'),
        ('# %% task="rellu"', 'line 15: .* did you mean `# %% task="relu"`'),
        ("# %% [markdown]", r"line 15: `# %% \[markdown\]` is for the notebook; a module has given cells and"),
        ('# %% grade="affine"', 'line 15: `# %% grade="affine"` is for the notebook; a module has given cells and'),
        ("# %% setup=true", "line 15: `# %% setup=true` is for the notebook; a module has given cells and"),
    ],
)
def test_a_marker_that_no_module_has_is_told_with_its_line_and_a_guess(tmp_path: Path, marker: str, said: str) -> None:
    layers = LAYERS.replace('# %% task="relu"', marker)
    with pytest.raises(ExerciseError, match=rf"layers\.py, {said}"):
        build(Exercise(write_two_layers(tmp_path, {"layers.py": layers})))


def test_imports_of_modules_are_left_out_line_by_line() -> None:
    source = "from layers import (\n    a,\n    b,\n)\nx = 1\ndef f():\n    from layers import c\n    return c\n"
    assert without_imports(source, ["layers.py"]) == "\n\n\n\nx = 1\ndef f():\n    pass\n    return c\n"
    assert without_imports("from layers2 import a", ["layers.py"]) == "from layers2 import a"
