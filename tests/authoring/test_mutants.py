"""Small mistakes in the reference: which ones each operator makes, and what they are called."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from autograder.authoring.mutants import OPERATORS, Mutant, mutants
from autograder.exercise.build import build
from autograder.exercise.built import Built
from autograder.exercise.definition import Exercise, load_exercise
from tests.places import EXERCISES
from tests.tiny import NOTEBOOK, TOML, write_tiny_exercise


def with_body(folder: Path, body: str, parameters: str = "x, W", framework: str = "numpy") -> Built:
    """The small exercise, its function `double` with other solution code."""
    write_tiny_exercise(folder)
    solution = "\n".join(f"    {line}" for line in body.splitlines())
    text = NOTEBOOK.replace("    return 2 * x", solution, 1).replace("def double(x)", f"def double({parameters})")
    (folder / "notebook.py").write_text(text)
    (folder / "exercise.toml").write_text(f'framework = "{framework}"\n{TOML}')
    return build(Exercise(folder))


def slips(built: Built, operator: str) -> set[str]:
    """What an operator makes of the function `double`: the new side of each name."""
    made = mutants(built, [OPERATORS[operator]])
    return {mutant.name.split(" → ", 1)[1] for mutant in made if mutant.function == "double"}


RULES = [
    ("a + b → a - b | a | b | a + a + b | a + b + b", "x + W", {"x - W", "x", "W", "x + x + W", "x + W + W"}),
    ("a - b → a + b | b - a | a | b", "x - W", {"x + W", "W - x", "x", "W"}),
    ("a * b → a / b | a | b", "x * W", {"x / W", "x", "W"}),
    ("a / b → a * b | b / a | a", "x / W", {"x * W", "W / x", "x"}),
    ("a // b → a / b | a", "x // W", {"x / W", "x"}),
    ("a % b → a // b | a", "x % W", {"x // W", "x"}),
    ("a ** b → a * b | a", "x ** W", {"x * W", "x"}),
    ("a * b → a / b | a | b", "'-' * 44", set()),
    ("-a → a", "-x", {"x"}),
    ("not a → a", "not x", {"x"}),
    ("~a → a", "~x", {"x"}),
    ("~A → ~A.T", "~x", {"~x.T"}),
    ("a.shape[b] → 3", "x.shape[-1]", {"3"}),
    ("a.inf → 10.0 | 0.0", "-np.inf", {"-10.0", "-0.0"}),
    ("float('-inf') → -10.0 | 0.0", "float('-inf')", {"-10.0", "0.0"}),
    ("a.exp → a.expm1", "np.exp(x)", {"np.expm1(x)"}),
    ("a.log → a.log1p", "np.log(x)", {"np.log1p(x)"}),
    ("a.std → a.var", "x.std()", {"x.var()"}),
    ("a @ b → a * b | b @ a | a | b", "x @ W", {"x * W", "W @ x", "x", "W"}),
    ("a @ B → a @ B.T", "x @ W", {"x @ W.T"}),
    ("a @ B → a @ B.T", "x @ W.T", set()),
    ("A @ b → A.T @ b", "x @ W", {"x.T @ W"}),
    ("a.T → a", "x @ W.T", {"x @ W"}),
    ("a.transpose(b, c) → a", "x.transpose(0, 1)", {"x"}),
    ("a.swapaxes(b, c) → a", "x.swapaxes(0, 1)", {"x"}),
    ("np.swapaxes(a, b, c) → a", "np.swapaxes(x, 0, 1)", {"x"}),
    ("a < b → a <= b", "x < W", {"x <= W"}),
    ("a <= b → a < b", "x <= W", {"x < W"}),
    ("a > b → a >= b", "x > W", {"x >= W"}),
    ("a > b → a < b", "x > W", {"x < W"}),
    ("a == b → a != b", "x == W", {"x != W"}),
    ("a != b → a == b", "x != W", {"x == W"}),
    ("a is b → a is not b", "x is W", {"x is not W"}),
    ("a in b → a not in b", "x in W", {"x not in W"}),
    ("a and b → a or b", "x and W", {"x or W"}),
    ("a or b → a and b", "x or W", {"x and W"}),
    ("True → False", "f(x, True, 1)", {"f(x, False, 1)"}),
    ("False → True", "f(x, False, 0)", {"f(x, True, 0)"}),
    ("a if c else b → a | b | b if c else a", "x if x.ndim else W", {"x", "W", "W if x.ndim else x"}),
    ("a[:b] → a | a[:b - 1]", "x[:n]", {"x", "x[:n - 1]"}),
    ("a[b:] → a", "x[1:]", {"x"}),
    ("a[b, c] → a[c, b] | a", "x[:, None]", {"x[None, :]", "x"}),
    ("range(a) → range(a - 1)", "range(n)", {"range(n - 1)"}),
    ("range(a, b) → range(a, b - 1) | range(b)", "range(1, n)", {"range(1, n - 1)", "range(n)"}),
    ("F(a) → a", "list(reversed(x))", {"reversed(x)", "list(x)"}),
    ("F(a) → a", "f(*x)", set()),
    ("np._(a) → a", "np.tanh(x)", {"x"}),
    ("a._() → a", "x.copy()", {"x"}),
    ("a.astype(b) → a", "x.astype(W.dtype)", {"x"}),
    ("a.sum → a.mean", "x.sum(axis=0)", {"x.mean(axis=0)"}),
    ("a.tanh → a.arctan", "np.tanh(x)", {"np.arctan(x)"}),
    ("r → -r", "(x + W, np.sum(x), x)", {"(-(x + W), np.sum(x), x)", "(x + W, -np.sum(x), x)"}),
    ("r → -r", "float(x)", set()),
    ("r → r.astype(np.float32)", "x + W", {"(x + W).astype(np.float32)"}),
]

GENERATED = [
    ("changed_in_place", "return x + W", {"x += W; return x"}),
    ("changed_in_place", "a, c = W\nreturn a * x", {"a *= x; return a"}),
    ("changed_in_place", "x = x.copy()\nreturn x + W", set()),
    ("changed_in_place", "return [x + w for w in W]", set()),
    ("twin_taken", "w1, w2 = W\nreturn x + w1", {"return x + w2"}),
    ("axis_or_dtype", "return x.sum(axis=-1)", {"return x.sum(axis=0)", "return x.sum()"}),
    ("axis_or_dtype", "return x.sum(axis=0)", {"return x.sum(axis=-1)", "return x.sum()"}),
    ("axis_or_dtype", "return np.eye(3, dtype=x.dtype)", {"return np.eye(3)"}),
    ("neighbours_swapped", "return f(x, W, 1)", {"return f(W, x, 1)"}),
    ("neighbours_swapped", "a, b, c = W\nreturn x", {"b, a, c = W", "a, c, b = W"}),
    ("condition", "if x:\n    return W", {"if True:", "if False:", "if not x:"}),
    ("statement_deleted", "W.append(x)\ny = x\ny += 1\nreturn y", {"pass"}),
    ("statement_deleted", "y = x\nreturn y", set()),
    ("no_longer_added_up", "x.grad += W\nx += 1\nreturn x", {"x.grad = W"}),
    ("with_dropped", "with f():\n    y = x\nreturn y", {"y = x"}),
    ("loop_shortened", "for y in x:\n    pass", {"for y in list(x)[1:]:", "for y in list(x)[:-1]:"}),
    (
        "loop_shortened",
        "return [y for y in x]",
        {"return [y for y in list(x)[1:]]", "return [y for y in list(x)[:-1]]"},
    ),
    ("constant", "return x[0]", {"return x[1]"}),
    ("constant", "return x[-1]", {"return x[0]"}),
    ("constant", "return x * 1", {"return x * 2", "return x * 0"}),
    ("constant", "return x * 1e-12", {"return x * 2e-12"}),
    ("constant", "return x * 0.5", {"return x * 1.0"}),
    ("constant", "return 'depth'", {"return 'DEPTH'"}),
    ("constant", "return ' | '", {"return ' |'"}),
    ("constant", "'''A docstring.'''\nreturn x, True, None", set()),
    ("constant", "raise ValueError('wrong, 1')", set()),
    (
        "formatted",
        "return f'{x:>8.2e}'",
        {"return f'{x:<8.2e}'", "return f'{x:>9.2e}'", "return f'{x:>8.3e}'", "return f'{x:>8.2f}'", "return f''"},
    ),
    ("formatted", "raise ValueError(f'{x} is wrong')", {"raise ValueError(f' is wrong')"}),
    ("ValueError → TypeError", "raise ValueError('wrong')", {"raise TypeError('wrong')"}),
    ("r → -r", "y = x + W\nreturn y", {"y = -(x + W)"}),
    (
        "step_missed_or_repeated",
        "y = np.tanh(x)\nreturn y * (1 - y)",
        {"return x * (1 - y)", "return np.tanh(y) * (1 - y)", "return y * (1 - x)", "return y * (1 - np.tanh(y))"},
    ),
    ("step_missed_or_repeated", "y = np.zeros_like(x)\nreturn y + y", set()),
    ("item_left_out", "return f([x, W])", {"return f([W])", "return f([x])"}),
    ("item_left_out", "return ' '.join(['x', f'{W}'])", set()),
    ("option_not_handed_on", "return f(x, [W])", {"return f(x)"}),
    ("option_not_handed_on", "return f(x, W)", set()),
    ("factors_exchanged", "return x @ W.T", {"return W @ x.T"}),
    ("factors_exchanged", "return x @ x.T", set()),
    ("one_less_in_the_mean", "return x.var(axis=0)", {"return x.var(axis=0, ddof=1)"}),
    ("one_less_in_the_mean", "return x.var(ddof=1)", set()),
]

TORCH = [
    ("A + b → A.detach() + b", "x + W", {"x.detach() + W"}),
    ("a + B → a + B.detach()", "x + W", {"x + W.detach()"}),
    ("A @ b → A.detach() @ b", "x @ W", {"x.detach() @ W"}),
    ("a @ B → a @ B.detach()", "x @ W", {"x @ W.detach()"}),
    ("f(a) → f(a).detach()", "torch.relu(x)", {"torch.relu(x).detach()"}),
    ("torch._(a) → a", "torch.relu(x)", {"x"}),
    ("a._() → a", "x.detach().clone()", {"x.detach()", "x.clone()"}),
    ("a.to(b) → a", "x.to(W.dtype)", {"x"}),
    ("a.relu → a.abs", "torch.relu(x)", {"torch.abs(x)"}),
    ("a.sigmoid → a.tanh", "torch.sigmoid(x)", {"torch.tanh(x)"}),
    ("a.gelu → a.relu", "F.gelu(x)", {"F.relu(x)"}),
    ("a.softplus → a.relu", "F.softplus(x)", {"F.relu(x)"}),
    ("a.softmax → a.log_softmax", "x.softmax(-1)", {"x.log_softmax(-1)"}),
    ("a.softmax(dim=b) → a", "x.softmax(dim=-1)", {"x"}),
    ("f.softmax(a, dim=b) → a", "nn.functional.softmax(x, dim=-1)", {"x"}),
    (
        "a.softmax(dim=b) → a.exp() / a.exp().sum(dim=b, keepdim=True)",
        "x.softmax(dim=-1)",
        {"x.exp() / x.exp().sum(dim=-1, keepdim=True)"},
    ),
    (
        "f.softmax(a, dim=b) → a.exp() / a.exp().sum(dim=b, keepdim=True)",
        "torch.softmax(x, dim=-1)",
        {"x.exp() / x.exp().sum(dim=-1, keepdim=True)"},
    ),
    ("one_more_in_the_mean", "x.std(0)", {"x.std(0, correction=0)"}),
    ("r → r.to(torch.float32)", "x + W", {"(x + W).to(torch.float32)"}),
    ("r → r.astype(np.float32)", "x + W", set()),
]


@pytest.mark.parametrize(("operator", "value", "expected"), RULES)
def test_a_rule_rewrites_what_has_its_form(tmp_path: Path, operator: str, value: str, expected: set[str]) -> None:
    assert slips(with_body(tmp_path / "tiny", f"return {value}"), operator) == {f"return {one}" for one in expected}


@pytest.mark.parametrize(("operator", "body", "expected"), GENERATED)
def test_a_generator_makes_just_these_slips(tmp_path: Path, operator: str, body: str, expected: set[str]) -> None:
    assert slips(with_body(tmp_path / "tiny", body), operator) == expected


@pytest.mark.parametrize(("operator", "value", "expected"), TORCH)
def test_torch_has_slips_of_its_own(tmp_path: Path, operator: str, value: str, expected: set[str]) -> None:
    built = with_body(tmp_path / "tiny", f"return {value}", framework="torch")
    assert slips(built, operator) == {f"return {one}" for one in expected}


def test_numpy_has_no_slips_of_torch(tmp_path: Path) -> None:
    assert "detach" not in str(mutants(with_body(tmp_path / "tiny", "return x + W")))


METHODS = """
class Node:
    def __init__(self, size):
        ### BEGIN SOLUTION
        self.first = Map(size)
        self.second = Map(size)
        ### END SOLUTION

    def forward(self, other, mask=None):
        ### BEGIN SOLUTION
        y = self.first(other, mask)
        if mask:
            y = y + self.second(other.data)
        return self.data - y
        ### END SOLUTION
"""
OF_METHODS = {
    "steps_exchanged": {"y = self.data - y; if mask:; y = y + se…ther.data); return y"},
    "option_not_handed_on": {"y = self.first(other)"},
    "other_operand": {"y = y + self.second(self.data)", "return other.data - y"},
    "other_part": {"y = self.second(other, mask)", "y = y + self.first(other.data)"},
    "part_shared": {"self.second = self.first"},
    "size_built_in": {"self.first = Map(3)", "self.second = Map(3)"},
}


@pytest.mark.parametrize("operator", OF_METHODS)
def test_methods_have_slips_of_their_own(tmp_path: Path, operator: str) -> None:
    folder = write_tiny_exercise(tmp_path / "tiny")
    (folder / "notebook.py").write_text(NOTEBOOK.replace("def double(x):", f"{METHODS}\n\ndef double(x):", 1))
    made = mutants(build(Exercise(folder)), [OPERATORS[operator]])
    assert {one.name.split(" → ")[1] for one in made} == OF_METHODS[operator]


def test_every_operator_is_tried_here_or_is_the_other_way_round_of_one_that_is() -> None:
    tried = {name for name, _, _ in RULES + GENERATED + TORCH} | OF_METHODS.keys()
    both_ways = tried | {" → ".join(reversed(name.split(" → "))) for name in tried}
    alike = {name for name in OPERATORS if name.startswith(("a.", "a < b", "a is", "TypeError", "a not"))}
    assert set(OPERATORS) - both_ways <= alike
    assert tried <= set(OPERATORS)


def test_a_mutant_is_told_by_its_name_its_function_its_code_and_its_diff(tmp_path: Path) -> None:
    built = with_body(tmp_path / "tiny", '"""Double it."""\ny = x  # a comment\nreturn -y', parameters="x")
    assert mutants(built, [OPERATORS["-a → a"]]) == [
        Mutant(
            name="double: return -y → return y",
            function="double",
            code='def double(x):\n    """Double it."""\n    y = x\n    return y',
            diff="--- reference\n+++ mutant\n@@ -1,3 +1,3 @@\n def double(x):\n     y = x\n"
            "-    return -y\n+    return y",
        )
    ]


def test_two_of_the_same_name_are_numbered(tmp_path: Path) -> None:
    built = with_body(tmp_path / "tiny", "if x:\n    return -x\nelse:\n    return -x")
    names = [mutant.name for mutant in mutants(built, [OPERATORS["-a → a"]])]
    assert names == ["double: return -x → return x", "double: return -x → return x (2)"]


def test_a_long_line_is_cut_down_to_where_it_differs(tmp_path: Path) -> None:
    built = with_body(tmp_path / "tiny", f"return f(first, {'second, ' * 20}-x)")
    (mutant,) = mutants(built, [OPERATORS["-a → a"]])
    assert mutant.name == "double: …second, second, second, -x) → …second, second, second, x)"


def test_a_long_line_that_differs_at_both_ends_shows_both(tmp_path: Path) -> None:
    built = with_body(tmp_path / "tiny", f"for y in zip({'reversed(x), ' * 9}W):\n    pass")
    assert [mutant.name for mutant in mutants(built, [OPERATORS["loop_shortened"]])] == [
        "double: for y in zip(reversed(x), reversed(x), …x), reversed(x), W): → "
        f"for y in list(zip(reversed(x), reversed…{end}"
        for end in ("eversed(x), W))[1:]:", "versed(x), W))[:-1]:")
    ]


def test_a_name_has_one_kind_of_quotes(tmp_path: Path) -> None:
    """How nested ones are written depends on the version of Python, and names are kept in files."""
    built = with_body(tmp_path / "tiny", """return -f"{'depth':>8}".size""")
    (mutant,) = mutants(built, [OPERATORS["-a → a"]])
    assert mutant.name == "double: return -f'{'depth':>8}'.size → return f'{'depth':>8}'.size"


def test_only_what_stands_between_the_markers_is_changed(tmp_path: Path) -> None:
    folder = write_tiny_exercise(tmp_path / "tiny")
    given = "def double(x, n=-1):\n    y = -x\n    ### BEGIN SOLUTION\n    y = -y\n    ### END SOLUTION\n    return -y"
    helper = (
        "### BEGIN SOLUTION\ndef helper(x, y=-x):\n    return x\n### END SOLUTION\n\n\ndef other(x):\n    return -x"
    )
    text = NOTEBOOK.replace("def double(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION", given)
    (folder / "notebook.py").write_text(text.replace("START = 0", helper))
    made = mutants(build(Exercise(folder)), [OPERATORS["-a → a"]])
    assert [mutant.name for mutant in made] == [
        "double: y = -y → y = y",
        "helper: def helper(x, y=-x): → def helper(x, y=x):",
    ]


@pytest.mark.broad
@pytest.mark.parametrize("slug", ["residual-connections", "residual-block"])
def test_mutants_of_a_real_exercise_compile_differ_and_are_told_apart(slug: str) -> None:
    built = build(load_exercise(slug, EXERCISES))
    made = mutants(built)
    assert 100 < len(made) < 500
    assert made == mutants(built)
    assert len({mutant.name for mutant in made}) == len({mutant.code for mutant in made}) == len(made)
    sources = "\n\n".join(
        cell.source
        for cell in built.reference.cells
        if cell.metadata.get("nbgrader", {}).get("solution") and cell.cell_type == "code"
    )
    functions = {node.name: ast.unparse(node) for node in ast.parse(sources).body if isinstance(node, ast.FunctionDef)}
    for mutant in made:
        compile(mutant.code, mutant.name, "exec")
        assert mutant.code != functions[mutant.function]
        assert mutant.diff.count("\n+") > 1
        assert len(mutant.name) < 170


def test_functions_come_in_source_order() -> None:
    made = mutants(build(load_exercise("residual-block", EXERCISES)))
    functions = list(dict.fromkeys(mutant.function for mutant in made))
    assert functions == ["residual_block", "residual_jacobian", "stack_input_gradient"]


CLASS = """
class Node:
    \"\"\"One.\"\"\"

    def __init__(self, data):
        ### BEGIN SOLUTION
        self.data, self.grad = data, 0
        ### END SOLUTION

    def add(self, other):
        ### BEGIN SOLUTION
        self.grad += other.grad
        return self.data - other.data
        ### END SOLUTION

    def given(self):
        return 1
"""


def test_methods_are_changed_and_named(tmp_path: Path) -> None:
    folder = write_tiny_exercise(tmp_path / "tiny")
    notebook = folder / "notebook.py"
    double = "def double(x):"
    assert double in notebook.read_text()
    notebook.write_text(notebook.read_text().replace(double, f"{CLASS}\n\n{double}", 1))
    made = [one for one in mutants(build(Exercise(folder))) if one.function == "Node"]
    names = {one.name.partition(": ")[0] for one in made}
    assert names == {"Node.__init__", "Node.add"}
    assert "Node.add: self.grad += other.grad → self.grad = other.grad" in {one.name for one in made}
    assert all("def given(self):\n        return 1" in one.code for one in made)


def test_what_gives_a_variable_its_value_is_changed_where_a_task_asks_for_variables(tmp_path: Path) -> None:
    folder = tmp_path / "by-hand"
    folder.mkdir()
    cell = "### BEGIN SOLUTION\na = b = 1\ndz = 2 * a\nda = dz * 3\ndz += 1\n### END SOLUTION"
    for name, text in {
        "exercise.toml": 'title = "T"\n[tasks.t]\ntitle = "T"\npoints = 1\nvariables = ["dz"]\n',
        "notebook.py": f'# %% setup=true\n1\n\n# %% task="t"\n{cell}\n\n# %% grade="t"\ncheck("t")\n',
        "test_public.py": "",
        "test_hidden.py": "",
    }.items():
        (folder / name).write_text(text)
    assert {one.function for one in mutants(build(Exercise(folder)))} == {"dz", "da"}
