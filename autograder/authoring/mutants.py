"""Small mistakes, each made in one function of the reference: what a hidden suite should find.

mutmut, cosmic-ray and mutatest are not used: they write changed files to disk (a copy of the tree, the module itself,
its bytecode) and start a test process for each mutant, where here a mutant is a text for the grader's warm sandbox.
And they know neither arrays nor graphs: no axis, no transpose, no dtype, no `detach`, no change in place.

The kinds of mistakes are the mutation operators of `operators/`: a rule where what is there and what a slip makes of it
say all, else a generator. A mutant's kind is the operator that makes it.
"""

from __future__ import annotations

import ast
import difflib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograder.authoring.naming import lines_of, method_of, summary
from autograder.authoring.operators.generators import GENERATORS
from autograder.authoring.operators.operator import Operator, replaced
from autograder.authoring.operators.rules import RULES
from autograder.authoring.operators.steps import STEPS
from autograder.authoring.sameness import normal_form
from autograder.exercise.built import Built
from autograder.exercise.source import BEGIN_SOLUTION, END_SOLUTION, solution_code, task_of
from autograder.exercise.uses import name_at_margin

_Site = tuple[ast.AST, ast.FunctionDef]  # a node, and the innermost function that it is in
OPERATORS: dict[str, Operator] = GENERATORS | RULES | STEPS
_NOWHERE = ast.FunctionDef("", ast.arguments([], [], None, [], [], None, []), [], [])  # what is in no function is in it


@dataclass(frozen=True)
class Mutant:
    """One small mistake in one function, class or variable of the reference."""

    name: str  # such as "residual_gradient: return dout + df → return dout - df"; unique in the exercise
    function: str  # the name at the margin that it is in
    code: str  # what stands there with the mistake, without comments and solution markers
    diff: str  # unified, without the docstring


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
                (after,) = ast.parse(ast.unparse(replaced(before, node, change))).body
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
    if isinstance(statement, ast.FunctionDef) and _is_student_s(statement, marked):
        yield statement, statement
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.stmt):
            yield from _marked_sites(child, child if isinstance(child, ast.FunctionDef) else function, marked)


def _is_student_s(function: ast.FunctionDef, marked: set[int]) -> bool:
    """Whether all that it does is solution."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return all(marked.issuperset(range(one.lineno, (one.end_lineno or one.lineno) + 1)) for one in body)


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
