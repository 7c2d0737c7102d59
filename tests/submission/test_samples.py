"""Notebooks made from an exercise, as students of many kinds would hand them in."""

from __future__ import annotations

from nbformat import NotebookNode

from autograder.exercise.built import Built
from autograder.exercise.variants import variant
from autograder.submission.notebook import Role
from autograder.submission.samples import all_cells, graded_cells, solved, solved_by


def sources(notebook: NotebookNode) -> dict[str, str]:
    return {cell.id: cell.source for cell in notebook.cells}


def test_a_solved_notebook_has_the_reference_without_its_markers(tiny_built: Built) -> None:
    made = sources(solved(tiny_built))
    assert made["double-code"] == "def double(x):\n    return 2 * x"
    assert made["explain"] == "Because the factors multiply."
    assert set(made) == set(sources(tiny_built.release))


def test_only_the_chosen_tasks_are_solved(tiny_built: Built) -> None:
    made, stubs = sources(solved(tiny_built, ["quadruple"])), sources(tiny_built.release)
    assert "return double(double(x))" in made["quadruple-code"]
    assert (made["double-code"], made["explain"]) == (stubs["double-code"], stubs["explain"])


def test_nothing_solved_is_the_release(tiny_built: Built) -> None:
    assert solved(tiny_built, []) == tiny_built.release
    assert solved(tiny_built) != tiny_built.release


def test_a_variant_takes_the_place_of_the_functions_of_its_names(tiny_built: Built) -> None:
    made = sources(solved_by(tiny_built, variant("one", "import os\n\n\ndef quadruple(x):\n    return x\n")))
    assert made["quadruple-code"] == "START = 0\n\n\nimport os\n\n\ndef quadruple(x):\n    return x"
    assert made["double-code"] == sources(solved(tiny_built))["double-code"]


def test_functions_of_several_cells_come_along_once(tiny_built: Built) -> None:
    code = "def double(x):\n    return x\n\n\ndef quadruple(x):\n    return double(x)\n"
    made = sources(solved_by(tiny_built, variant("both", code)))
    assert "".join(made.values()).count("def double") == 1
    assert "".join(made.values()).count("def quadruple") == 1


def test_given_demonstrations_do_not_decide_a_grade(tiny_built: Built) -> None:
    cells = graded_cells(solved(tiny_built), tiny_built)
    assert [cell.name for cell in cells] == ["setup", "double-code", "double", "quadruple-code", "quadruple"]
    assert {cell.role for cell in cells} == {Role.GIVEN, Role.SOLUTION, Role.GRADE}
    every = all_cells(solved(tiny_built), tiny_built)
    assert [cell for cell in every if not (cell.role is Role.OWN or cell.is_answer)] == list(cells)
