"""The text that staff write becomes the reference notebook, or a fault that names the file."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbgrader.preprocessors import CheckCellMetadata

from autograder.errors import ExerciseError
from autograder.exercise.definition import Exercise
from autograder.exercise.source import ZERO_WITHOUT_GRADER, reference_notebook, reference_source
from tests.tiny import NOTEBOOK


def test_cells_are_named_after_tasks_and_places(tiny_exercise: Path) -> None:
    notebook = reference_notebook(Exercise(tiny_exercise))
    assert [(cell.id, cell.cell_type) for cell in notebook.cells] == [
        ("text-1", "markdown"),
        ("setup", "code"),
        ("double-code", "code"),
        ("double", "code"),
        ("code-1", "code"),
        ("quadruple-code", "code"),
        ("quadruple", "code"),
        ("text-2", "markdown"),
        ("explain", "markdown"),
    ]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("setup", {"grade": False, "locked": True, "solution": False}),
        ("double-code", {"grade": False, "locked": False, "solution": True}),
        ("double", {"grade": True, "locked": True, "solution": False, "points": 4}),
        ("explain", {"grade": True, "locked": False, "solution": True, "points": 2}),
    ],
)
def test_nbgrader_knows_what_each_cell_is_for(tiny_exercise: Path, name: str, wanted: dict[str, object]) -> None:
    notebook = reference_notebook(Exercise(tiny_exercise))
    cell = next(cell for cell in notebook.cells if cell.id == name)
    everywhere = {"task": False, "schema_version": 3, "grade_id": name, "cell_type": cell.cell_type}
    assert cell.metadata == {"nbgrader": everywhere | wanted}


def test_given_cells_have_no_metadata(tiny_exercise: Path) -> None:
    notebook = reference_notebook(Exercise(tiny_exercise))
    assert [cell.metadata for cell in notebook.cells if cell.id in ("text-1", "code-1")] == [{}, {}]


def test_the_notebook_is_valid_for_jupyter_and_for_nbgrader(tiny_exercise: Path) -> None:
    notebook = reference_notebook(Exercise(tiny_exercise))
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    nbformat.validate(notebook)
    CheckCellMetadata().preprocess(notebook, {})


def test_the_same_text_gives_the_same_notebook(tiny_exercise: Path) -> None:
    one, other = (nbformat.writes(reference_notebook(Exercise(tiny_exercise))) for _ in range(2))
    assert one == other


def test_a_second_solution_cell_of_a_task_has_a_number(tiny_exercise: Path) -> None:
    file = tiny_exercise / "notebook.py"
    second = '# %% task="double"\ndef helper():\n    ### BEGIN SOLUTION\n    return 2\n    ### END SOLUTION\n\n'
    file.write_text(NOTEBOOK.replace('# %% grade="double"', f'{second}\n# %% grade="double"'))
    ids = [cell.id for cell in reference_notebook(Exercise(tiny_exercise)).cells]
    assert ids[2:5] == ["double-code", "double-code-2", "double"]


def test_a_grade_cell_runs_the_check_and_is_zero_without_the_grader(tiny_exercise: Path) -> None:
    notebook = reference_notebook(Exercise(tiny_exercise))
    source = next(cell.source for cell in notebook.cells if cell.id == "double")
    assert source == f'from checks import check\n\ncheck("double")\n{ZERO_WITHOUT_GRADER}'
    last = [line for line in ZERO_WITHOUT_GRADER.splitlines() if not line.startswith("###")]
    assert [eval(line) for line in last] == [0]


BROKEN = [
    ('# %% task="double"', '# %% task="duoble"', "duoble"),
    ('# %% task="double"', '# %% tsak="double"', "tsak"),
    ('# %% task="double"', "# %% task=double", "task=double"),
    ('# %% task="double"', '# %% task=["double"]', "double"),
    ('# %% task="double"', '# %% task="double" tags=["a"]', "tags"),
    ('# %% task="double"', '# %% [markdown] task="double"', "double"),
    ("# %% [markdown]\n# # Twice", "# %% A title [markdown]\n# # Twice", "A title"),
    ('# %% grade="double"\ncheck("double")', "", "`double`"),
    ('check("double")', 'check("double")\nprint(1)', "`double`"),
    ('check("double")', 'check("quadruple")', "`double`"),
    ('check("double")', "", "`double`"),
    ('check("double")', 'check("double")\n\n# %% grade="double"\ncheck("double")', "`double`"),
    ('# %% grade="double"\ncheck("double")', '# %% [markdown] grade="double"\n# check("double")', "double"),
    ("# %% setup=true", "# %%", "`setup`"),
    ("# %% setup=true", "# %% setup=true\nimport math\n\n# %% setup=true", "`setup`"),
    ("# %% setup=true", "# %% [markdown] setup=true", "setup"),
    ("# %% setup=true", "# %% setup=false", "setup=false"),
    ('# %% [markdown] task="explain"', "# %% [markdown]", "`explain`"),
    (
        '# %% [markdown] task="explain"\n# Because the factors multiply.',
        '# %% grade="explain"\ncheck("explain")',
        "explain",
    ),
    ("# Because", '# Yes\n\n# %% [markdown] task="explain"\n# Because', "`explain`"),
]


@pytest.mark.parametrize(("text", "instead", "named"), BROKEN, ids=[f"{text} > {new}" for text, new, _ in BROKEN])
def test_a_fault_in_the_text_names_the_file_and_the_cell(
    tiny_exercise: Path, text: str, instead: str, named: str
) -> None:
    file = tiny_exercise / "notebook.py"
    assert text in NOTEBOOK
    file.write_text(NOTEBOOK.replace(text, instead, 1))
    with pytest.raises(ExerciseError) as refused:
        reference_notebook(Exercise(tiny_exercise))
    assert str(file) in str(refused.value)
    assert named in str(refused.value)


def test_a_missing_text_is_a_fault_that_names_the_file(tiny_exercise: Path) -> None:
    (tiny_exercise / "notebook.py").unlink()
    with pytest.raises(ExerciseError, match=r"notebook\.py"):
        reference_notebook(Exercise(tiny_exercise))


def test_the_reference_is_the_setup_and_the_solutions_and_no_check(tiny_exercise: Path) -> None:
    source = reference_source(reference_notebook(Exercise(tiny_exercise)))
    assert "checks" not in source
    assert "check(" not in source
    assert "may be edited" not in source
    assert "factors" not in source
    reference: dict[str, object] = {}
    exec(source, reference)
    assert reference["quadruple"](3) == 12  # type: ignore[operator]
    assert reference["np"].__name__ == "numpy"  # type: ignore[attr-defined]


def test_the_reference_needs_no_checks_however_they_are_imported(tiny_exercise: Path) -> None:
    file = tiny_exercise / "notebook.py"
    file.write_text(NOTEBOOK.replace("from checks import check", "from checks import (\n    check,\n    needs,\n)"))
    reference: dict[str, object] = {}
    exec(reference_source(reference_notebook(Exercise(tiny_exercise))), reference)
    assert reference["double"](3) == 6  # type: ignore[operator]
