"""What `check` and `needs` show a student, run from the text that a built `checks.py` holds."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from autograder import layout
from autograder.testing import task

TASKS = {
    "residual": {
        "title": "Add the skip path",
        "points": 3,
        "functions": ["residual"],
        "hint": "What does the block return when the sublayer returns zeros?",
        "beyond": "other shapes",
    },
    "pair": {"title": "Forward and back", "points": 4, "functions": ["forward", "backward"], "hint": ""},
    "table": {"title": "The table", "points": 2, "functions": ["table"], "hint": "Line by line."},
    "block": {"title": "The block", "points": 1, "functions": ["block"], "hint": ""},
    "twice": {"title": "Two of them", "points": 1, "functions": ["one", "other"], "hint": ""},
    "back": {"title": "The way back", "points": 2, "functions": [], "variables": ["dx", "dW"], "hint": "Shapes!"},
    "explain": {"title": "Explain it", "points": 1, "functions": [], "hint": ""},
}

PUBLIC_TESTS = '''
"""The public tests."""

import numpy as np

from autograder.testing import assert_close, assert_exact, expect_tuple, require, task, told_later


@task("residual")
def test_small(student):
    """the sum of two small vectors"""
    assert_close(student.residual(np.ones(2), lambda x: 2 * x), np.full(2, 3.0), "out")


@task("back")
def test_dx(student):
    """dx"""
    assert_exact(student.dx, np.ones(2), "dx")


@task("back")
def test_dW(student):
    """dW"""
    assert_exact(student.dW, np.ones(2), "dW")


@task("back", weight=0)
def test_rule(student):
    """A rule is kept."""
    require(np.sum(student.dx) < 9, "dx is large")


@task("residual", weight=2)
def test_untouched(student):
    """x stays as it was"""
    x = np.ones(2)
    kept = student.put(x)
    student.residual(kept, lambda x: 2 * x)
    assert_exact(student.get(kept), x, "x")


@task("residual")
def test_shapes(student):
    """a sublayer that changes the shape is refused"""
    raised = student.error("residual", np.ones((2, 3)), lambda x: x[:1])
    require("(2, 3)" in raised.message, "the message should name both shapes")


@task("pair")
def test_forward(student):
    """the forward pass"""
    out, cache = expect_tuple(student.forward(np.ones(2)), "out", "cache")
    assert_close(out, np.ones(2), "out")


@task("pair")
def test_backward(student):
    """the backward pass"""
    out, cache = expect_tuple(student.forward(np.ones(2)), "out", "cache")
    assert_close(student.backward(np.ones(2), cache), np.ones(2), "dx")


@task("table")
def test_table(student):
    """the table"""
    require(student.table() == "text", "it is another text")


@task("block")
def test_block(student):
    """an answer"""
    require(student.block() in (True, False), "it is no answer")
    told_later()


@task("twice")
def test_one(student):
    """the one"""
    student.one()
'''

GOOD = """
def residual(x, sublayer):
    branch = sublayer(x)
    if branch.shape != x.shape:
        raise ValueError(f"{x.shape} and {branch.shape}")
    return x + branch
"""
STUB = """
def residual(x, sublayer):
    # YOUR CODE HERE
    raise NotImplementedError("not written yet")
"""


@cache
def checks_source(public_tests: str = PUBLIC_TESTS) -> str:
    """Return the text of a checks.py, put together the way the build does."""
    parts = [*(source.read_text(encoding="utf-8") for source in layout.CHECKS_SOURCES), public_tests]
    trees = [ast.parse(part) for part in parts]
    for tree in trees:
        tree.body = [node for node in tree.body if not is_ours(node)]
    header = f"from __future__ import annotations\nTASKS = {TASKS!r}\nSETUP = ('import numpy as np', ['np'])\n"
    return header + "SEALED = {}\n" + "\n".join(ast.unparse(tree) for tree in trees)


def is_ours(node: ast.stmt) -> bool:
    module = node.module if isinstance(node, ast.ImportFrom) else None
    return module is not None and module.split(".")[0] in ("__future__", "autograder")


class Notebook:
    """A running notebook: its variables are those of `__main__`, as under IPython."""

    def __init__(self, module: ModuleType, capture: pytest.CaptureFixture[str]) -> None:
        self._names = vars(module)
        self._capture = capture

    def run(self, cell: str) -> str:
        """Run a cell and return what it prints."""
        exec(compile(cell.lstrip("\n"), "<cell>", "exec"), self._names)
        return self._capture.readouterr().out

    def check(self, name: str, cell: str = "") -> str:
        """Run a cell, then check a task, and return what the check prints."""
        self.run(cell)
        return self.run(f"assert check({name!r}) is None")


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Iterator[Notebook]:
    main = ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    (tmp_path / "checks.py").write_text(checks_source(), encoding="utf-8")
    opened = Notebook(main, capsys)
    opened.run("import numpy as np\nfrom checks import check, needs")
    yield opened
    del sys.modules["checks"]


# --- check ---


def test_a_right_function_passes_every_line(notebook: Notebook) -> None:
    assert notebook.check("residual", GOOD) == (
        "Add the skip path: 3 of 3 checks pass.\n"
        "  ✓ the sum of two small vectors\n"
        "  ✓ x stays as it was\n"
        "  ✓ a sublayer that changes the shape is refused\n"
        "  Only the grader tries: other shapes.\n"
    )


def test_every_fault_is_told_the_most_telling_first(notebook: Notebook) -> None:
    assert notebook.check("residual", "def residual(x, sublayer):\n    return sublayer(x)") == (
        "Add the skip path: 1 of 3 checks pass.\n"
        "  ✗ a sublayer that changes the shape is refused\n"
        "      `residual` should refuse this call with an error, yours returns a value\n"
        "  ✗ the sum of two small vectors\n"
        "      out: 2 of 2 entries differ; the first at [0] (yours is 2), "
        "the largest at [0], off by about 1\n"
        "  ✓ x stays as it was\n"
    )


def test_a_hint_comes_with_the_second_failure(notebook: Notebook) -> None:
    wrong = "def residual(x, sublayer):\n    return sublayer(x)"
    assert "Hint" not in notebook.check("residual", wrong)
    assert "Hint" not in notebook.run("check()")
    assert notebook.check("residual").endswith("\nHint: What does the block return when the sublayer returns zeros?\n")
    assert "Hint" not in notebook.check("residual", GOOD)


def test_a_stub_is_one_quiet_line(notebook: Notebook) -> None:
    assert notebook.check("residual", STUB) == "Add the skip path: `residual` is not written yet.\n"


NOT_DEFINED = "not defined here: run its cell; if nothing is written there yet, write it"
STARTED_AGAIN = "; if the kernel was started again, run all cells above"


def test_a_missing_function_is_one_quiet_line(notebook: Notebook) -> None:
    assert notebook.check("residual") == f"Add the skip path: `residual` is {NOT_DEFINED}.\n"
    assert "`residual` is not defined" in notebook.check("residual", "residual = 3")


def test_several_missing_functions_share_a_sentence(notebook: Notebook) -> None:
    assert notebook.check("pair") == (
        "Forward and back: `forward` and `backward` are not defined here: run their cells; if nothing is written there "
        f"yet, write them{STARTED_AGAIN}.\n"
    )


def test_a_missing_function_that_no_test_calls_is_told_all_the_same(notebook: Notebook) -> None:
    assert notebook.check("twice", "def one():\n    pass") == (
        f"Two of them: 1 of 1 checks pass.\n  ✓ the one\n  `other` is {NOT_DEFINED}{STARTED_AGAIN}.\n"
    )


def test_a_function_whose_cell_was_run_and_failed_is_told_apart(notebook: Notebook) -> None:
    said = notebook.check("residual", "In = ['', '@wrapped\\ndef residual(x, sublayer): ...']")
    assert said == (
        "Add the skip path: `residual` is not defined, as its cell ended with an error: run it again and read that.\n"
    )


def test_a_check_before_the_setup_cell_says_to_run_it(notebook: Notebook) -> None:
    notebook.run(GOOD + "del np")
    said = "first run the cell that begins with `import numpy as np`: all others need it"
    assert notebook.check("residual") == f"Add the skip path: {said}.\n"
    assert notebook.run("check()").endswith(f"Next, Add the skip path: {said}.\n")


def test_functions_are_looked_up_when_the_check_runs(notebook: Notebook) -> None:
    notebook.check("residual", STUB)
    assert "3 of 3" in notebook.check("residual", GOOD)


def test_half_a_task_shows_what_works_and_what_waits(notebook: Notebook) -> None:
    cell = "def forward(x):\n    return x, None\ndef backward(dout, cache):\n    raise NotImplementedError"
    assert notebook.check("pair", cell) == (
        "Forward and back: 1 of 2 checks pass.\n"
        "  · the backward pass\n"
        "  ✓ the forward pass\n"
        "  `backward` is not written yet.\n"
    )


def test_variables_that_are_not_set_are_told_in_words(notebook: Notebook) -> None:
    assert notebook.check("back").startswith("The way back: `dx` and `dW` are not defined here: run their cells; if")
    assert notebook.check("back", "dx = np.ones(2)") == (
        f"The way back: 1 of 2 checks pass.\n  · dW\n  ✓ dx\n  `dW` is {NOT_DEFINED}{STARTED_AGAIN}.\n"
    )


def test_a_rule_is_told_of_only_where_it_is_broken(notebook: Notebook) -> None:
    said = notebook.check("back", "dx = dW = np.ones(2)")
    assert said.startswith("The way back: 2 of 2 checks pass.\n  ✓ dx\n  ✓ dW\n")
    assert "  ✗ A rule is kept.\n" in notebook.check("back", "dx = np.full(2, 9.0)")


def test_a_stub_called_by_another_function_is_the_one_that_is_named(notebook: Notebook) -> None:
    notebook.run(STUB)
    said = notebook.check("table", "def table():\n    return residual(1, 2)")
    assert said == "The table: `residual` is not written yet.\n"
    said = notebook.check("table", "def table():\n    return forward(1)")
    assert said == f"The table: `forward` is {NOT_DEFINED}{STARTED_AGAIN}.\n"


def test_an_error_shows_type_message_and_the_line_in_the_cell(notebook: Notebook) -> None:
    said = notebook.check("table", "def table():\n    x = 1\n    return [x / 0 for _ in 'a'][0]")
    assert said == (
        "The table: 0 of 1 checks pass.\n"
        "  ✗ the table\n"
        "      ZeroDivisionError: division by zero\n"
        "      (in line 3 of the cell that defines `table`)\n"
    )


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("return table()", "RecursionError"),
        ("raise NotImplementedError('no such backend')", "NotImplementedError: no such backend"),
        ("assert False, 'mine'", "AssertionError: mine"),
        ("return undefined_name", "NameError: name 'undefined_name' is not defined"),
        ("raise ValueError('x' * 10**6)", "ValueError: xxx"),
        (
            "class E(Exception):\n        __str__ = None\n    raise E",
            "table.<locals>.E: <exception str() failed>",
        ),
    ],
)
def test_no_error_of_a_student_leaves_the_check(notebook: Notebook, body: str, said: str) -> None:
    printed = notebook.check("table", f"def table():\n    {body}")
    assert f"✗ the table\n      {said}" in printed
    assert len(printed) < 1000


def test_a_wrong_number_of_parameters_is_told_without_frames(notebook: Notebook) -> None:
    said = notebook.check("table", "def table(depth):\n    return ''")
    assert "TypeError: table() missing 1 required positional argument: 'depth'\n" in said
    assert "(when this check calls your function, or works with what it returned)\n" in said


def test_the_stop_button_stops_a_check(notebook: Notebook) -> None:
    with pytest.raises(KeyboardInterrupt):
        notebook.check("table", "def table():\n    raise KeyboardInterrupt")


def test_a_function_that_changes_its_argument_is_found_and_cannot_harm_the_test(
    notebook: Notebook,
) -> None:
    said = notebook.check("residual", "def residual(x, sublayer):\n    x += sublayer(x)\n    return x")
    assert "✓ the sum of two small vectors" in said
    assert "✗ x stays as it was\n      x: 2 of 2 entries differ" in said


def test_an_unknown_task_is_a_clear_error(notebook: Notebook) -> None:
    with pytest.raises(ValueError, match="no task 'residul'; the tasks are 'residual', 'pair'"):
        notebook.check("residul")


def test_a_task_without_tests_says_so(notebook: Notebook) -> None:
    assert "nothing to run here" in notebook.check("explain")


# --- all tasks ---


def test_without_a_name_all_tasks_are_checked_and_the_next_step_is_told(notebook: Notebook) -> None:
    notebook.run(GOOD + "def forward(x):\n    return x, None\ndef table():\n    return 'other'\ndef one(): ...")
    assert notebook.run("check()") == (
        "  ✓ Add the skip path     3 points  3 of 3 checks pass\n"
        "  · Forward and back      4 points  1 of 2 checks pass\n"
        "  ✗ The table             2 points  0 of 1 checks pass\n"
        "  · The block             1 point   nothing to check yet\n"
        "  · Two of them           1 point   1 of 1 checks pass\n"
        "  · The way back          2 points  nothing to check yet\n"
        "  ✓ Explain it            1 point   there is nothing to run here, it is graded after you hand it in\n"
        "Checks pass in tasks worth 4 of 14 points; the grader tries more.\n"
        f"Next, Forward and back: `backward` is {NOT_DEFINED}.\n"
    )


def test_a_check_that_finds_a_fault_is_the_next_step(notebook: Notebook) -> None:
    notebook.run("def residual(x, sublayer):\n    return x")
    assert notebook.run("check()").endswith('Next: run check("residual"), which says what differs.\n')


# --- answers that are judged later ---


def test_an_answer_that_is_judged_later_counts_as_no_check_that_passes(notebook: Notebook) -> None:
    notebook.run("def block():\n    return True")
    assert (
        notebook.check("block") == "The block: there is an answer; whether it is right is told after you hand it in.\n"
    )
    worth = "Checks pass in tasks worth 1 of 14 points; the grader tries more."
    assert f"{worth} Answers worth 1 are judged after you hand them in.\n" in notebook.run("check()")


# --- under nbgrader ---


@pytest.mark.parametrize(
    ("cell", "said"), [(STUB, "not written yet"), ("residual = max", "0 of 3"), ("", "not defined")]
)
def test_validation_prints_and_then_fails(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch, cell: str, said: str
) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    with pytest.raises(AssertionError, match=said) as caught:
        notebook.check("residual", cell)
    assert type(caught.value).__name__ == "CheckFailed"
    assert caught.value._render_traceback_() == [f"CheckFailed: {caught.value}"]  # type: ignore[attr-defined]
    assert said in notebook._capture.readouterr().out
    assert ("✗ the sum of two small vectors\n      TypeError" in str(caught.value)) is (
        cell == "residual = max"
    )  # with its reason


def test_validation_of_a_right_function_is_quiet(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    assert "3 of 3" in notebook.check("residual", GOOD)


def test_autograding_without_the_grader_is_refused_even_for_right_functions(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook.run(GOOD)
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    with pytest.raises(RuntimeError, match=r"do not record it.*nbgrader_config\.py") as caught:
        notebook.check("residual")
    assert type(caught.value).__name__ == "NotGraded"


# --- needs ---


def test_a_block_whose_functions_are_written_runs(notebook: Notebook) -> None:
    assert notebook.run(GOOD + 'with needs("residual"):\n    print("ran")') == "ran\n"


def test_a_block_says_which_function_it_waits_for(notebook: Notebook) -> None:
    notebook.run(GOOD + STUB.replace("residual", "run_stack") + "def gradient_table(n): return n\n")
    cell = 'with needs("residual", "run_stack"):\n    residual(np.ones(1), abs)\n    {}(1, 2)'
    assert notebook.run(cell.format("run_stack")) == ("This cell waits for `run_stack`: not written yet.\n")


def test_a_block_names_undefined_functions_too(notebook: Notebook) -> None:
    notebook.run(STUB)
    cell = 'with needs("residual", "bank"):\n    {}'
    todo = "run the cells above; what is not written there yet, write.\n"
    assert f"waits for `residual`, `bank`: {todo}" in notebook.run(cell.format("residual(1, 2)"))
    assert f"waits for `bank`: {todo}" in notebook.run(cell.format("bank()"))


def test_a_stub_two_calls_down_is_found(notebook: Notebook) -> None:
    notebook.run(STUB + "def stack():\n    return (lambda: residual(1, 2))()")
    assert "`residual`" in notebook.run('with needs("stack"):\n    stack()')


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("1 / 0", ZeroDivisionError),
        ("other_name", NameError),
        ("raise NotImplementedError", NotImplementedError),
        ("backend()", NotImplementedError),
        ("from asyncio import AbstractServer; AbstractServer().close()", NotImplementedError),
        ("residual()", TypeError),
        ("raise SystemExit", SystemExit),
        ("raise KeyboardInterrupt", KeyboardInterrupt),
    ],
)
def test_all_other_errors_go_through(notebook: Notebook, statement: str, error: type[BaseException]) -> None:
    notebook.run(STUB + "def backend():\n    raise NotImplementedError('no such backend')")
    with pytest.raises(error):
        notebook.run(f'with needs("residual"):\n    {statement}')


def test_needs_and_check_work_in_ipython_without_a_kernel(tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text(checks_source(), encoding="utf-8")
    cells = ["import numpy as np; from checks import check, needs", STUB, 'with needs("residual"):\n    residual(1, 2)']
    cells += ["check('residual')", "def residual(x, f):\n    return x.nothing", "check('residual')"]
    code = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        f"for cell in {cells!r}:\n"
        "    shell.run_cell(cell)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        env={"HOME": str(tmp_path), "PYTHONPATH": str(tmp_path), "PYTHONIOENCODING": "utf-8"},
    )
    assert "This cell waits for `residual`: not written yet." in done.stdout
    assert "Add the skip path: `residual` is not written yet." in done.stdout
    assert "(in line 2 of the cell that defines `residual`)" in done.stdout
    assert "\n          1  def residual(x, f):\n      →   2      return x.nothing\n" in done.stdout


# --- the student's functions ---


@pytest.fixture
def student(notebook: Notebook) -> Any:
    return sys.modules["checks"].OwnNotebook()


def test_arguments_are_copied_but_not_what_was_put(notebook: Notebook, student: Any) -> None:
    notebook.run("def grow(x, *, inside=None):\n    x.append(1)\n    inside[0].append(2)")
    mine, inside, kept = [0], ([0],), student.put([0])
    student.grow(mine, inside=inside)
    assert (mine, inside) == ([0], ([0],))
    student.grow(kept, inside=(kept,))
    assert student.get(kept) == [0, 1, 2]


def test_what_is_put_is_a_copy(notebook: Notebook, student: Any) -> None:
    notebook.run("def grow(x):\n    x.append(1)")
    mine = [0]
    student.grow(student.put(mine))
    assert mine == [0]


def test_callbacks_and_objects_go_over_as_they_are(notebook: Notebook, student: Any) -> None:
    notebook.run("def same(x):\n    return x")
    thing, callback = object(), lambda: 3
    assert student.same(thing) is thing
    assert student.same(callback) is callback


def test_error_gives_type_and_message(notebook: Notebook, student: Any) -> None:
    notebook.run("def refuse(x):\n    raise ValueError(f'not {x}')\ndef take(x):\n    return x")
    raised = student.error("refuse", 3)
    assert (raised.type, raised.message) == ("ValueError", "not 3")
    with pytest.raises(AssertionError, match="`take` should refuse"):
        student.error("take", 3)


def test_a_stub_is_not_an_error_that_refuses(notebook: Notebook, student: Any) -> None:
    notebook.run(STUB)
    with pytest.raises(NotImplementedError):
        student.error("residual", 1, 2)


def test_gradients_are_vector_jacobian_products(notebook: Notebook, student: Any) -> None:
    torch = pytest.importorskip("torch")
    notebook.run("def block(x, scale, k, unused):\n    return k * x * scale")
    x, scale, unused = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), torch.ones(2)
    with torch.no_grad():
        out, gradients = student.gradients("block", x, scale, 2, unused)
    assert out.tolist() == [6.0, 16.0]
    assert [g if g is None else g.tolist() for g in gradients] == [[6, 8], [2, 4], None, None]
    assert x.grad is None
    assert not x.requires_grad

    _, (dx, *_) = student.gradients("block", x, scale, 2, unused, upstream=torch.tensor([1.0, 0.0]))
    assert dx.tolist() == [6, 0]


@pytest.mark.parametrize("body", ["x.detach()", "x[:1]", "3.0", "None"])
def test_a_result_without_gradients_gives_none(notebook: Notebook, student: Any, body: str) -> None:
    torch = pytest.importorskip("torch")
    notebook.run(f"def block(x):\n    return {body}")
    _, gradients = student.gradients("block", torch.ones(2), upstream=torch.ones(2))
    assert gradients == (None,)


# --- the text of checks.py ---


def test_checks_py_is_python_3_10() -> None:
    ast.parse(checks_source(), feature_version=(3, 10))


def test_the_parts_of_checks_py_do_not_share_names() -> None:
    """The build puts them into one module."""
    more = (layout.LEARNING_SOURCE, layout.GRADIENTS_SOURCE, layout.ANSWERS_SOURCE, layout.ALLOWED_SOURCE)
    sources = (*layout.CHECKS_SOURCES, *more)
    names = [name for source in sources for name in top_names(source)]
    assert len(names) == len(set(names))


def top_names(source: Path) -> set[str]:
    names = set()
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update(target.id for target in targets if isinstance(target, ast.Name))
    return names


def test_testing_marks_tests_for_pytest(pytestconfig: pytest.Config) -> None:
    pytestconfig.addinivalue_line("markers", "task(name, weight): the task of a test")

    @task("residual", weight=2)
    def marked(student: Any) -> None: ...

    mark, *_ = marked.pytestmark  # type: ignore[attr-defined]
    assert (mark.name, mark.args, mark.kwargs) == ("task", ("residual",), {"weight": 2})
    with pytest.raises(ValueError, match="positive"):
        task("residual", weight=0)
