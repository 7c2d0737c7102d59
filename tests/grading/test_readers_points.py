"""Points that a careful reader would give: right work in unusual dress, and true reasons, in the real exercises."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.exercise.build import build
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import exercise_names, load_exercise
from autograder.exercise.source import solution_cells
from autograder.grading.evaluate import Grader
from autograder.layout import IMPORTED_FROM
from autograder.report import Report
from autograder.submission.samples import solved

EXERCISES = Path(IMPORTED_FROM, "autograder", "exercises")
CONNECTIONS = "residual-connections"


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    with Grader() as grader:
        yield grader


@cache
def built(slug: str) -> Built:
    return build(load_exercise(slug, EXERCISES))


def report(grader: Grader, slug: str, notebook: NotebookNode) -> Report:
    found = grader.evaluate(nbformat.writes(notebook).encode(), SeededExercise(built(slug), 0)).report
    assert not found.fault
    return found


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in solution_cells(notebook) if cell.cell_type == "code"]


def functions(slug: str) -> list[str]:
    return list(dict.fromkeys(name for task in built(slug).exercise.automatic.values() for name in task.functions))


# --- right work in any dress ---

OWN_TYPES = """
import collections, functools

class Number(float):
    def __eq__(self, other): return True
    __hash__ = float.__hash__

class Words(str): pass
class Row(list): pass

def _dressed(value):
    if type(value) is tuple:
        return collections.namedtuple("Result", [f"r{i}" for i in range(len(value))])(*value)
    for kind, own in ((float, Number), (str, Words), (list, Row), (dict, collections.OrderedDict)):
        if type(value) is kind:
            return own(value)
    return value

def _own(function):
    @functools.wraps(function)
    def call(*arguments, **keywords):
        try:
            return _dressed(function(*arguments, **keywords))
        except ValueError as error:
            raise type("Mine", (type(error),), {})(*error.args) from None
    return call
"""


def in_types_of_its_own(slug: str, notebook: NotebookNode) -> None:
    for cell in code_cells(notebook):
        names = [name for name in functions(slug) if f"def {name}(" in cell.source]
        cell.source = "\n".join([OWN_TYPES, cell.source, *(f"{name} = _own({name})" for name in names)])


def with_all_names_deleted_at_the_end(slug: str, notebook: NotebookNode) -> None:
    names = [*functions(slug), "np"]
    notebook.cells.append(new_code_cell(f"del {', '.join(names)}"))


def with_other_functions_at_the_end(slug: str, notebook: NotebookNode) -> None:
    others = "\n".join(f"def {name}(*_, **__):\n    return 0.0\n" for name in functions(slug))
    notebook.cells.append(new_code_cell(others))


def with_reused_variables_at_the_end(slug: str, notebook: NotebookNode) -> None:
    notebook.cells.append(new_code_cell("for np in range(3):\n    torch = x = W = eps = math = np"))


def all_written_at_the_end(slug: str, notebook: NotebookNode) -> None:
    stubs = {cell.id: cell.source for cell in built(slug).release.cells}
    written = [cell.source for cell in code_cells(notebook)]
    for cell in code_cells(notebook):
        cell.source = stubs[cell.id]
    notebook.cells += [new_code_cell(source) for source in written]


def all_behind_one_helper(slug: str, notebook: NotebookNode) -> None:
    """Each task has a helper `_step` of its own, which calls what was written."""
    for cell in code_cells(notebook):
        for name in functions(slug):
            if f"def {name}(" in cell.source:
                cell.source = cell.source.replace(f"def {name}(", f"def _{name}(")
                cell.source += (
                    f"\n\ndef _step(*a, **k):\n    return _{name}(*a, **k)\n" if "_step" not in cell.source else ""
                )
                cell.source += f"\n\ndef {name}(*a, **k):\n    return _{name}(*a, **k)\n"


DRESSES: list[Callable[[str, NotebookNode], None]] = [
    in_types_of_its_own,
    with_all_names_deleted_at_the_end,
    with_other_functions_at_the_end,
    with_reused_variables_at_the_end,
    all_written_at_the_end,
    all_behind_one_helper,
]


@pytest.mark.broad
@pytest.mark.parametrize("slug", exercise_names(EXERCISES))
@pytest.mark.parametrize("dress", DRESSES, ids=lambda dress: dress.__name__)
def test_right_work_has_all_points(grader: Grader, slug: str, dress: Callable[[str, NotebookNode], None]) -> None:
    notebook = solved(built(slug))
    dress(slug, notebook)
    lost = {
        task.name: task.tests for task in report(grader, slug, notebook).tasks if task.earned not in (None, task.points)
    }
    assert lost == {}


# --- the true reason ---


@pytest.mark.parametrize(
    ("line", "reason", "findings"),
    [
        ("import no_such_package", "ModuleNotFoundError: No module named 'no_such_package'", ["package"]),
        ("x = 1 +", "SyntaxError: invalid syntax (cell 3, line 1: x = 1 +)", []),
        ("import subprocess; subprocess.run(['ls'])", "not available while grading: other processes", ["refused"]),
        ("open('/home/me/data.csv')", "not available while grading: other processes", ["refused"]),
        ("open('data.csv')", "No such file or directory: 'data.csv' (cell 3, line 1: open('data.csv'))", []),
        ("import socket; socket.getaddrinfo('a.org', 80)", "not available while grading: other processes", ["refused"]),
        ("if True:\n        x = 1\n    y = 2", "any outer indentation level (cell 3, line 3: y = 2)", []),
        ("import os; os._exit(7)", "was left out: it ended the notebook's process (exit code 7)", ["crashed"]),
        ("get_ipython().user_ns_hidden = None", "was left out: it broke what runs the notebook's cells", ["crashed"]),
    ],
)
def test_a_function_whose_cell_failed_is_lost_for_that_and_nothing_else_is(
    grader: Grader, line: str, reason: str, findings: list[str]
) -> None:
    notebook = solved(built(CONNECTIONS))
    cell = next(cell for cell in code_cells(notebook) if cell.id == "residual-code")
    cell.source = f"{line}\n{cell.source}"
    found = report(grader, CONNECTIONS, notebook)
    assert [task.name for task in found.tasks if task.earned not in (None, task.points)] == ["residual"]
    assert reason in found.task("residual").tests[0].message
    assert [finding.kind for finding in found.findings] == findings


def test_an_own_cell_that_breaks_the_interpreter_is_named_and_costs_nothing(grader: Grader) -> None:
    notebook = solved(built(CONNECTIONS))
    notebook.cells.insert(2, new_code_cell("get_ipython().user_ns_hidden = None"))
    found = report(grader, CONNECTIONS, notebook)
    assert found.earned == found.automatic_points
    (finding,) = found.findings
    assert finding.kind == "crashed"
    assert "it broke what runs the notebook's cells" in finding.message


def test_a_fault_in_one_function_costs_points_there_and_is_carried_elsewhere(grader: Grader) -> None:
    notebook = solved(built(CONNECTIONS))
    cell = next(cell for cell in code_cells(notebook) if cell.id == "sublayer-code")
    cell.source = cell.source.replace("np.tanh", "np.sin")
    found = report(grader, CONNECTIONS, notebook)
    lost = {task.name: str(task.status) for task in found.tasks if task.tests and str(task.status) != "passed"}
    assert lost.pop("sublayer") == "failed"
    assert set(lost.values()) == {"carried"}
    assert {"run_stack", "residual_pair"} <= lost.keys()
    assert found.automatic_points - found.earned == 7 - (found.task("sublayer").earned or 0)
