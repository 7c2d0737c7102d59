"""Small mistakes, each made in one function of the reference: what a hidden suite should find.

mutmut, cosmic-ray and mutatest are not used: they write changed files to disk (a copy of the tree, the module itself,
its bytecode) and start a test process for each mutant, where here a mutant is a text for the grader's warm sandbox.
And they know neither arrays nor graphs: no axis, no transpose, no dtype, no `detach`, no change in place.

Most kinds of mistakes are a rule in one of the lists below: to add one, add a line. The rest are generators, which take
a node of the syntax tree and yield what may stand in its place: to add one, copy `condition`.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from autograder.authoring.naming import lines_of, method_of, summary
from autograder.authoring.sameness import normal_form
from autograder.exercise.built import Built
from autograder.exercise.source import BEGIN_SOLUTION, END_SOLUTION, solution_code, task_of
from autograder.exercise.uses import name_at_margin

_Site = tuple[ast.AST, ast.FunctionDef]  # a node, and the innermost function that it is in
_NOWHERE = ast.FunctionDef("", ast.arguments([], [], None, [], [], None, []), [], [])  # what is in no function is in it


@dataclass(frozen=True)
class Mutant:
    """One small mistake in one function, class or variable of the reference."""

    name: str  # such as "residual_gradient: return dout + df → return dout - df"; unique in the exercise
    function: str  # the name at the margin that it is in
    code: str  # what stands there with the mistake, without comments and solution markers
    diff: str  # unified, without the docstring


@dataclass(frozen=True)
class Operator:
    """A kind of mistake, and the framework in which it makes sense; None for both."""

    change: Callable[[ast.AST, ast.FunctionDef], Iterator[ast.AST]]  # of a node and the innermost function around it
    framework: str | None = None
    kinds: tuple[type[ast.AST], ...] = (ast.AST,)


def mutants(built: Built, operators: Iterable[Operator] | None = None) -> list[Mutant]:
    """The mutants of an exercise's reference, in source order, no two of the same code.

    Changed is what stands between solution markers in functions and classes at the margin and, where a task asks for
    variables, in what gives a name its value; but no docstring and no wording of an error. `operators` are all of
    `OPERATORS` by default.
    """
    chosen = OPERATORS.values() if operators is None else operators
    fitting = [one for one in chosen if one.framework in (None, built.exercise.framework)]
    made: list[Mutant] = []
    names: Counter[str] = Counter()
    for before, sites in _solutions(built):
        lines, bound = lines_of(before), name_at_margin(before)
        for after in _mutated(before, sites, fitting):
            changed = lines_of(after)
            names[name := f"{bound}{method_of(before, after)}: {summary(lines, changed)}"] += 1
            number = f" ({names[name]})" if names[name] > 1 else ""
            diff = difflib.unified_diff(lines, changed, "reference", "mutant", n=2, lineterm="")
            made.append(Mutant(name + number, bound, ast.unparse(after), "\n".join(diff)))
    return made


def _mutated(before: ast.stmt, sites: Iterable[_Site], operators: Iterable[Operator]) -> Iterator[ast.stmt]:
    seen = {normal_form(before)}
    for node, innermost in sites:
        for operator in (one for one in operators if isinstance(node, one.kinds)):
            for change in operator.change(node, innermost):
                (after,) = ast.parse(ast.unparse(_with(before, node, change))).body
                if (form := normal_form(after)) not in seen:
                    seen.add(form)
                    yield after


def _solutions(built: Built) -> Iterator[tuple[ast.stmt, list[_Site]]]:
    """Each function, class and variable at the margin with solution code in it."""
    cells = solution_code(built.reference)
    bound = Counter(name_at_margin(node) for cell in cells for node in ast.parse(cell.source).body)
    for cell in cells:
        marked, asked = marked_lines(cell.source), built.exercise.tasks[task_of(cell)]
        for node in ast.parse(cell.source).body:
            is_once = bool(asked.variables) and not asked.question and bound[name_at_margin(node)] == 1
            if is_once or isinstance(node, ast.FunctionDef | ast.ClassDef):
                sites = list(_marked_sites(node, node if isinstance(node, ast.FunctionDef) else _NOWHERE, marked))
                if name_at_margin(node) and sites:
                    yield node, sites


def marked_lines(source: str) -> set[int]:
    """The lines of a cell that are solution, and not given."""
    marked, inside = set(), False
    for line, text in enumerate(source.splitlines(), start=1):
        inside = (inside or BEGIN_SOLUTION in text) and END_SOLUTION not in text
        marked |= {line} if inside else set()
    return marked


def _marked_sites(statement: ast.stmt, function: ast.FunctionDef, marked: set[int]) -> Iterator[_Site]:
    if marked.issuperset(range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)):
        yield from _sites(statement, function)
        return
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.stmt):
            yield from _marked_sites(child, child if isinstance(child, ast.FunctionDef) else function, marked)


def _sites(node: ast.AST, function: ast.FunctionDef) -> Iterator[_Site]:
    yield node, function
    inner = node if isinstance(node, ast.FunctionDef) else function
    for child in _children(node):
        yield from _sites(child, inner)


def _children(node: ast.AST) -> Iterable[ast.AST]:
    """The parts of a node that are worth a change of their own: no docstring, no annotation, no wording of an error."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.UnaryOp(operand=ast.Constant()):
            return ()
        case ast.Expr(value=ast.Call(args=args)):
            return args
        case ast.Raise(exc=ast.Call(func=error, args=args)):
            return (error, *(arg for arg in args if isinstance(arg, ast.JoinedStr)))
        case ast.JoinedStr(values=values):
            return [value.value for value in values if isinstance(value, ast.FormattedValue)]
        case ast.FunctionDef(args=parameters, body=body):
            return (*parameters.defaults, *body)
        case ast.ClassDef(body=body):
            return body
        case _:
            return ast.iter_child_nodes(node)


# The rules: what is there, and what a slip makes of it. A small letter stands for any expression but a text, a capital
# one for a name, `_` for any attribute; r for the array that is returned or assigned.

_EACH_OTHER = [
    ("a < b", "a <= b"), ("a > b", "a >= b"), ("a < b", "a > b"), ("a == b", "a != b"), ("a is b", "a is not b"),
    ("a in b", "a not in b"), ("a and b", "a or b"), ("True", "False"), ("ValueError", "TypeError"),
    ("a.sum", "a.mean"), ("a.max", "a.min"), ("a.zeros", "a.ones"), ("a.zeros_like", "a.ones_like"),
]  # fmt: skip
_ONLY_A = [
    "-a", "not a", "a.T", "a.transpose(b, c)", "a.swapaxes(b, c)", "np.swapaxes(a, b, c)", "a[b:]",
    "F(a)", "np._(a)", "torch._(a)", "a._()", "a.astype(b)", "a.to(b)",
]  # fmt: skip
_RULES = [
    ("a + b", "a - b", "a", "b", "a + a + b", "a + b + b"),
    ("a - b", "a + b", "b - a", "a", "b"),
    ("a * b", "a / b", "a", "b"),
    ("a / b", "a * b", "b / a", "a"),
    ("a // b", "a / b", "a"), ("a % b", "a // b", "a"), ("a ** b", "a * b", "a"),
    ("a @ b", "a * b", "b @ a", "a"), ("a @ B", "a @ B.T"), ("A @ b", "A.T @ b"),
    ("a if c else b", "a", "b", "b if c else a"),
    ("a[:b]", "a", "a[:b - 1]"), ("a[b, c]", "a[c, b]", "a"),
    ("range(a)", "range(a - 1)"), ("range(a, b)", "range(a, b - 1)", "range(b)"),
    ("a.max", "a.mean"), ("a.tanh", "a.arctan"), ("a.relu", "a.abs"), ("a.randn", "a.rand"),
]  # fmt: skip
_TORCH_RULES = [
    ("A + b", "A.detach() + b"), ("a + B", "a + B.detach()"), ("f(a)", "f(a).detach()"),
    ("A @ b", "A.detach() @ b"), ("a @ B", "a @ B.detach()"),
]  # fmt: skip
_RESULTS = [(None, "-r"), ("numpy", "r.astype(np.float32)"), ("torch", "r.to(torch.float32)")]

OPERATORS: dict[str, Operator] = {}  # a rule goes by its text, a generator by its name


def _add_rule(framework: str | None, rule: str, *slips: str) -> None:
    change = partial(_rewritten, _expression(rule), [_expression(slip) for slip in slips])
    OPERATORS[f"{rule} → {' | '.join(slips)}"] = Operator(change, framework)


def _rewritten(rule: ast.expr, slips: list[ast.expr], node: ast.AST, _: ast.FunctionDef) -> Iterator[ast.AST]:
    found: dict[str, ast.AST] = {}
    if _matches(rule, node, found):
        yield from (_filled(slip, found) for slip in slips)


def _matches(rule: object, node: object, found: dict[str, ast.AST]) -> bool:
    """Whether `node` has the form of `rule`; what its letters stand for goes into `found`."""
    if isinstance(rule, ast.Name) and len(rule.id) == 1 and isinstance(node, ast.expr):
        found[rule.id] = node
        return isinstance(node, ast.Name) if rule.id.isupper() else _is_value(node)
    if isinstance(rule, list) and isinstance(node, list):
        return len(rule) == len(node) and all(_matches(*pair, found) for pair in zip(rule, node, strict=True))
    if isinstance(rule, ast.AST) and type(rule) is type(node):
        fields = [field for field in rule._fields if field not in ("ctx", "kind")]
        return all(_matches(getattr(rule, field), getattr(node, field), found) for field in fields)
    return type(rule) is type(node) and rule in (node, "_")


def _result_changed(slip: ast.expr, node: ast.AST, _: ast.FunctionDef) -> Iterator[ast.AST]:
    if isinstance(node, ast.Return | ast.Assign) and node.value:
        kinds = (ast.BinOp,) if isinstance(node, ast.Assign) else (ast.BinOp, ast.Call)
        for value in node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]:
            if isinstance(value, kinds) and not re.match(r"(float|bool|tuple)\(|.*\.(item|join)\(", ast.unparse(value)):
                yield _with(node, value, _filled(slip, {"r": value}))


# The generators: what may stand in the place of a node. A `scoped` one is also given the function around it.

_Generator = Callable[..., Iterator[ast.AST]]


def _operator(*kinds: type[ast.AST], scoped: bool = False) -> Callable[[_Generator], _Generator]:
    def add(generator: _Generator) -> _Generator:
        change = generator if scoped else lambda node, _: generator(node)
        OPERATORS[generator.__name__] = Operator(change, kinds=kinds)
        return generator

    return add


@_operator(ast.Assign, ast.Return, scoped=True)
def changed_in_place(node: ast.Assign | ast.Return, function: ast.FunctionDef) -> Iterator[ast.AST]:
    """return x + f → x += f; return x: where x is the caller's"""
    if any(isinstance(one, ast.Lambda | ast.IfExp | ast.comprehension) for one in ast.walk(node)):
        return  # what is evaluated later, or perhaps never, cannot be moved to the front
    for term in (one for one in ast.walk(node) if isinstance(one, ast.BinOp)):
        arithmetic = isinstance(term.op, ast.Add | ast.Sub | ast.Mult | ast.Div)
        if arithmetic and isinstance(term.left, ast.Name) and term.left.id in _callers_names(function):
            change = ast.unparse(ast.AugAssign(term.left, term.op, term.right))
            yield ast.parse(f"{change}\n{ast.unparse(_with(node, term, term.left))}")


@_operator(ast.Name, scoped=True)
def twin_taken(node: ast.Name, function: ast.FunctionDef) -> Iterator[ast.AST]:
    """x @ w1 → x @ w2, where the function has both"""
    names = {name.id for name in _names(function)} | {arg.arg for arg in function.args.args}
    for twin in sorted(names - {node.id}):
        if isinstance(node.ctx, ast.Load) and twin[:-1] == node.id[:-1] != "":
            yield ast.Name(twin)


@_operator(ast.Call)
def axis_or_dtype(node: ast.Call) -> Iterator[ast.AST]:
    """x.sum(axis=-1) → x.sum(axis=0), x.sum(); zeros(3, dtype=d) → zeros(3)"""
    for keyword in node.keywords:
        if keyword.arg in ("axis", "dim"):
            yield _with(node, keyword.value, _expression("-1" if ast.unparse(keyword.value) == "0" else "0"))
        if keyword.arg in ("axis", "dim", "dtype"):
            yield ast.Call(node.func, node.args, [other for other in node.keywords if other is not keyword])


@_operator(ast.Call, ast.Tuple)
def neighbours_swapped(node: ast.Call | ast.Tuple) -> Iterator[ast.AST]:
    """f(a, b) → f(b, a), also in what is packed or unpacked"""
    for left, right in pairwise(node.args if isinstance(node, ast.Call) else node.elts):
        if isinstance(left, ast.Name) and isinstance(right, ast.Name):
            yield deepcopy(node, {id(left): right, id(right): left})


@_operator(ast.If)
def condition(node: ast.If) -> Iterator[ast.AST]:
    """if a → if True, if False, if not a"""
    for other in (ast.Constant(True), ast.Constant(False), ast.UnaryOp(ast.Not(), node.test)):
        yield _with(node, node.test, other)


@_operator(ast.Expr, ast.Assign, ast.AugAssign, ast.Raise)
def statement_deleted(node: ast.stmt) -> Iterator[ast.AST]:
    """xs.append(x) → pass; no docstring, and no assignment without which a name would be missing"""
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if not docstring and _stored(node) <= {name.id for name in _names(node) if isinstance(name.ctx, ast.Load)}:
        yield ast.Pass()


@_operator(ast.AugAssign)
def no_longer_added_up(node: ast.AugAssign) -> Iterator[ast.AST]:
    """self.grad += a → self.grad = a"""
    if isinstance(node.target, ast.Attribute):
        yield ast.Assign([node.target], node.value, lineno=node.lineno)


@_operator(ast.With)
def with_dropped(node: ast.With) -> Iterator[ast.AST]:
    """with torch.no_grad(): a → a"""
    yield ast.Module(node.body, [])


@_operator(ast.For, ast.ListComp, ast.GeneratorExp)
def loop_shortened(node: ast.For | ast.ListComp | ast.GeneratorExp) -> Iterator[ast.AST]:
    """for x in xs → for x in list(xs)[1:], list(xs)[:-1]"""
    for loop in [node] if isinstance(node, ast.For) else node.generators:
        items = ast.unparse(loop.iter)
        for slip in [] if items.startswith("range(") else (f"list({items})[1:]", f"list({items})[:-1]"):
            yield _with(node, loop.iter, _expression(slip))


@_operator(ast.Constant, ast.UnaryOp)
def constant(node: ast.Constant | ast.UnaryOp) -> Iterator[ast.AST]:
    """0 → 1, 1 → 2, 1 → 0, 0.5 → 1.0, 'depth' → 'DEPTH', ' | ' → ' |'"""
    source = ast.unparse(node)
    value = ast.literal_eval(source) if re.fullmatch(r"-?[\d.]+(e-?\d+)?|['\"].*", source) else None
    if isinstance(value, str):
        yield ast.Constant(value.swapcase() if value.swapcase() != value else value[:-1])
    elif value is not None:
        others = [2 * value or 1.0] if isinstance(value, float) else [value + 1] + [0] * (value == 1)
        yield from (_expression(repr(other)) for other in others)


@_operator(ast.JoinedStr)
def formatted(node: ast.JoinedStr) -> Iterator[ast.AST]:
    """f'{x:>8.2e}' → f'{x:<8.2e}', f'{x:>9.2e}', f'{x:>8.3e}', f'{x:>8.2f}', f''"""
    for value in (one for one in node.values if isinstance(one, ast.FormattedValue)):
        for part in value.format_spec.values if isinstance(value.format_spec, ast.JoinedStr) else []:
            if isinstance(part, ast.Constant):
                yield from (_with(node, part, ast.Constant(other)) for other in _other_formats(str(part.value)))
        yield _with(node, value, ast.Constant(""))


def _expression(source: str) -> ast.expr:
    return ast.parse(source, mode="eval").body


def _with(node: ast.AST, old: ast.AST, new: ast.AST) -> ast.AST:
    """A copy of `node` with `new`, which may be a module of several statements, in the place of `old`."""
    return deepcopy(node, {id(old): new})


def _filled(slip: ast.expr, found: Mapping[str, ast.AST]) -> ast.AST:
    return deepcopy(slip, {id(name): found[name.id] for name in _names(slip) if name.id in found})


def _names(node: ast.AST) -> list[ast.Name]:
    return [one for one in ast.walk(node) if isinstance(one, ast.Name)]


def _stored(statement: ast.stmt) -> set[str]:
    return {name.id for name in _names(statement) if isinstance(name.ctx, ast.Store)}


def _is_value(node: ast.AST) -> bool:
    """Whether arithmetic may be done with it: no text, no `*xs`."""
    text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return not text and not isinstance(node, ast.JoinedStr | ast.Starred)


def _callers_names(function: ast.FunctionDef) -> set[str]:
    """The names of what the caller passed: parameters without default, and what is unpacked from them."""
    parameters = function.args.args[: len(function.args.args) - len(function.args.defaults)]
    names, others = {parameter.arg for parameter in parameters}, set[str]()
    for statement in function.body:
        source = statement.value if isinstance(statement, ast.Assign) else None
        (names if isinstance(source, ast.Name) and source.id in names else others).update(_stored(statement))
    return names - others


def _other_formats(spec: str) -> Iterator[str]:
    for pattern, other in ((r"^>", "<"), (r"^<", ">"), (r"e$", "f"), (r"f$", "e")):
        if re.search(pattern, spec):
            yield re.sub(pattern, other, spec)
    for digits in re.finditer(r"\d+", spec):
        yield f"{spec[: digits.start()]}{int(digits[0]) + 1}{spec[digits.end() :]}"


_RULES += [*_EACH_OTHER, *((other, one) for one, other in _EACH_OTHER), *((rule, "a") for rule in _ONLY_A)]
for _rule in [*_RULES, *_TORCH_RULES]:
    _add_rule("torch" if _rule in _TORCH_RULES else None, *_rule)
for _framework, _slip in _RESULTS:
    OPERATORS[f"r → {_slip}"] = Operator(partial(_result_changed, _expression(_slip)), _framework)
