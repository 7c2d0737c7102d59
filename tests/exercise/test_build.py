"""What students and nbgrader see of an exercise: the same at every build, and with nothing in it that solves a task."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbgrader.preprocessors import CheckCellMetadata

from autograder.errors import ConfigError, ExerciseError
from autograder.exercise.build import build, require_fresh, stale_files, write
from autograder.exercise.built import Built
from autograder.exercise.definition import Exercise, exercise_names, load_exercise
from autograder.exercise.source import reference_source
from autograder.settings import STUB
from tests.places import EXERCISES
from tests.tiny import HIDDEN, NOTEBOOK, PUBLIC, TOML

SLUGS = exercise_names(EXERCISES)
REGION = re.compile(r"^ *### BEGIN SOLUTION\n(.*?)^ *### END SOLUTION", re.MULTILINE | re.DOTALL)


@cache
def built(slug: str) -> Built:
    return build(load_exercise(slug, EXERCISES))


def solution_cells(notebook: NotebookNode) -> dict[str, str]:
    """The sources of the solution cells by their id."""
    return {cell.id: cell.source for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("solution")}


def texts(built: Built) -> list[str]:
    return list(built.files(Path("solutions"), Path("assignments")).values())


# --- the notebooks ---


@pytest.mark.broad
@pytest.mark.parametrize("slug", SLUGS)
def test_the_same_folder_gives_the_same_bytes(slug: str) -> None:
    assert texts(build(load_exercise(slug, EXERCISES))) == texts(built(slug))


@pytest.mark.parametrize("slug", SLUGS)
def test_both_notebooks_are_valid_for_jupyter_and_for_nbgrader(slug: str) -> None:
    for notebook in (built(slug).reference, built(slug).release):
        nbformat.validate(notebook)
        assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
        CheckCellMetadata().preprocess(notebook, {})


@pytest.mark.parametrize("slug", SLUGS)
def test_the_release_has_the_cells_of_the_reference_in_their_order(slug: str) -> None:
    reference, release = built(slug).reference, built(slug).release
    assert [cell.id for cell in release.cells] == [cell.id for cell in reference.cells]


@pytest.mark.parametrize("slug", SLUGS)
def test_the_release_holds_no_mark_of_solutions_or_hidden_tests(slug: str) -> None:
    text = nbformat.writes(built(slug).release)
    assert not re.search("(BEGIN|END) (SOLUTION|HIDDEN|MARK)", text)


@pytest.mark.parametrize("slug", SLUGS)
def test_no_line_of_a_solution_is_in_the_cell_that_students_get(slug: str) -> None:
    released = solution_cells(built(slug).release)
    for name, source in solution_cells(built(slug).reference).items():
        regions = REGION.findall(source) or [source]
        for line in "\n".join(regions).splitlines():
            assert not line.strip() or line not in released[name].splitlines()


@pytest.mark.parametrize("slug", SLUGS)
def test_no_solution_is_anywhere_in_what_students_get(slug: str) -> None:
    release = "\n".join(cell.source for cell in built(slug).release.cells)
    for source in solution_cells(built(slug).reference).values():
        for region in REGION.findall(source) or [source]:
            assert region.strip() not in release
            assert region.strip() not in built(slug).checks


@pytest.mark.parametrize("slug", SLUGS)
def test_each_solution_leaves_one_stub_that_says_so(slug: str) -> None:
    released = solution_cells(built(slug).release)
    stub = [line.strip() for line in STUB["python"].splitlines()]
    assert stub == ["# YOUR CODE HERE", 'raise NotImplementedError("not written yet")']
    for name, source in solution_cells(built(slug).reference).items():
        if name in built(slug).exercise.tasks:
            assert released[name] == "YOUR ANSWER HERE"
        else:
            lines = [line.strip() for line in released[name].splitlines()]
            regions = len(REGION.findall(source))
            assert regions > 0
            assert [lines.count(line) for line in stub] == [regions, regions]
            ast.parse(released[name])


@pytest.mark.parametrize("slug", SLUGS)
def test_students_get_the_check_and_its_import_alone_in_each_grade_cell(slug: str) -> None:
    cells = {cell.id: cell for cell in built(slug).release.cells}
    for task, values in built(slug).exercise.automatic.items():
        assert cells[task].source == f'from checks import check\n\ncheck("{task}")'
        assert cells[task].metadata.nbgrader.points == values.points
        assert cells[task].metadata.nbgrader.locked
        assert not cells[task].metadata.editable


@pytest.mark.parametrize("slug", SLUGS)
def test_no_cell_has_an_output(slug: str) -> None:
    for notebook in (built(slug).reference, built(slug).release):
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        assert all(cell.outputs == [] and cell.execution_count is None for cell in code)


# --- checks.py ---


@pytest.mark.broad
@pytest.mark.parametrize("slug", SLUGS)
def test_checks_run_without_this_package_and_pass_the_reference(slug: str, tmp_path: Path) -> None:
    tasks = built(slug).exercise.automatic
    (tmp_path / "checks.py").write_text(built(slug).checks_file, encoding="utf-8")
    lines = [
        "import sys",
        f"sys.path.insert(0, {str(tmp_path)!r})",
        "sys.modules['autograder'] = None  # so that its import fails",
        "from checks import check",
        reference_source(built(slug).reference),
        *(f"check({task!r})" for task in tasks),
    ]
    (tmp_path / "notebook.py").write_text("\n".join(lines), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-I", tmp_path / "notebook.py"], capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.stderr == ""
    heads = [line for line in ran.stdout.splitlines() if re.search(r": \d+ of \d+ checks pass", line)]
    assert [head.rsplit(": ", 1)[0] for head in heads] == [task.title for task in tasks.values()]
    for head in heads:
        passed, tests = re.findall(r"(\d+) of (\d+) checks pass", head)[0]
        assert int(passed) == int(tests) > 0


@pytest.mark.parametrize("slug", SLUGS)
def test_checks_know_the_tasks_that_are_graded_automatically(slug: str) -> None:
    body = ast.parse(built(slug).checks).body
    (tasks,) = (node.value for node in body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "TASKS")
    assert ast.literal_eval(tasks) == {
        name: {
            "title": task.title,
            "functions": list(task.functions),
            "points": task.points,
            "hint": task.hint,
            "beyond": task.beyond,
        }
        for name, task in built(slug).exercise.automatic.items()
    }


def test_checks_know_what_the_setup_cell_brings_and_how_it_begins(tiny_exercise: Path) -> None:
    text = NOTEBOOK.replace(
        "import numpy as np", "from checks import check\nimport os.path, numpy as np\nSIZE: int = 3", 1
    )
    (tiny_exercise / "notebook.py").write_text(text)
    checks = build(Exercise(tiny_exercise)).checks
    assert "SETUP = ('import os.path, numpy as np', ['os', 'np', 'SIZE'" in checks


@pytest.mark.parametrize("slug", SLUGS)
def test_checks_hold_nothing_of_the_hidden_tests(slug: str) -> None:
    exercise, checks = built(slug).exercise, built(slug).checks
    public, hidden = (
        {line.strip() for line in path.read_text(encoding="utf-8").splitlines() if len(line.strip()) > 40}
        for path in (exercise.public_suite, exercise.hidden_suite)
    )
    assert not (hidden - public) & {line.strip() for line in checks.splitlines()}


def test_torch_is_imported_only_where_the_exercise_needs_it() -> None:
    imports = {
        slug: {line for line in built(slug).checks.splitlines() if re.match("(import|from) torch", line)}
        for slug in SLUGS
    }
    assert {slug: bool(lines) for slug, lines in imports.items()} == {
        slug: built(slug).exercise.framework == "torch" for slug in SLUGS
    }


@pytest.mark.parametrize(
    "title", ["a \\Nabla", 'a """ and a "', "a {brace} and a }", "ends with \\\\", "a ' and a \\\\x"], ids=str
)
def test_any_title_makes_valid_checks(tiny_exercise: Path, title: str) -> None:
    literal = title.replace("\\", "\\\\").replace('"', '\\"')
    (tiny_exercise / "exercise.toml").write_text(TOML.replace("Twice and twice again", literal))
    ast.parse(build(Exercise(tiny_exercise)).checks)


@pytest.mark.parametrize("text", ["", "# no public tests yet\n", '"""No public tests yet."""\n'], ids=repr)
def test_an_exercise_may_have_no_public_tests(tiny_exercise: Path, text: str) -> None:
    (tiny_exercise / "test_public.py").write_text(text)
    checks = build(Exercise(tiny_exercise)).checks
    assert "def check(" in checks
    ast.parse(checks)


# --- faults of the folder ---


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("test_public.py", None),
        ("test_public.py", PUBLIC + "def broken(:\n"),
        ("test_hidden.py", None),
        ("test_hidden.py", HIDDEN + "def broken(:\n"),
        ("notebook.py", None),
        ("notebook.py", NOTEBOOK.replace("return 2 * x", "return 2 * x +")),
        ("notebook.py", NOTEBOOK.replace("def double(x)", "def twice(x)")),
        ("notebook.py", NOTEBOOK.replace("    ### END SOLUTION\n", "", 1)),
        ("notebook.py", NOTEBOOK.replace("# # Twice", "# ### BEGIN SOLUTION\n# secret\n# ### END SOLUTION\n# # Twice")),
    ],
    ids=[
        "no public tests",
        "broken public tests",
        "no hidden tests",
        "broken hidden tests",
        "no notebook",
        "broken solution",
        "no function of a task",
        "open solution",
        "solution in prose",
    ],
)
def test_a_fault_of_the_folder_names_the_file(tiny_exercise: Path, name: str, text: str | None) -> None:
    if text is None:
        (tiny_exercise / name).unlink()
    else:
        (tiny_exercise / name).write_text(text)
    with pytest.raises(ExerciseError, match=re.escape(name)):
        build(Exercise(tiny_exercise))


# --- files ---


def test_four_files_are_written_and_then_fresh(tiny_built: Built, tmp_path: Path) -> None:
    solutions, assignments = tmp_path / "solutions", tmp_path / "assignments"
    paths = [
        solutions / "tiny" / "tiny.ipynb",
        solutions / "tiny" / "checks.py",
        assignments / "tiny" / "tiny.ipynb",
        assignments / "tiny" / "checks.py",
    ]
    assert write(tiny_built, solutions, assignments) == paths
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == sorted(paths)
    assert write(tiny_built, solutions, assignments) == []
    require_fresh(tiny_built, solutions, assignments)
    assert "2 * x" in paths[0].read_text()
    assert "2 * x" not in paths[2].read_text()


def test_a_changed_or_missing_file_is_stale_and_only_it_is_written(tiny_built: Built, tmp_path: Path) -> None:
    solutions, assignments = tmp_path / "solutions", tmp_path / "assignments"
    paths = write(tiny_built, solutions, assignments)
    paths[1].unlink()
    paths[2].write_bytes(paths[2].read_bytes().replace(b"\n", b"\r\n"))
    assert stale_files(tiny_built, solutions, assignments) == paths[1:3]
    with pytest.raises(ConfigError, match="run `autograder build tiny`") as refused:
        require_fresh(tiny_built, solutions, assignments)
    assert all(str(path) in str(refused.value) for path in paths[1:3])
    assert write(tiny_built, solutions, assignments) == paths[1:3]
    require_fresh(tiny_built, solutions, assignments)
