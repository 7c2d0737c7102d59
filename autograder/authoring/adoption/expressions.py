"""Expressions of a test cell, rewritten for a hidden or a public test: what the student has is asked of `student`."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

_REACHING_OUT = "globals locals vars dir eval exec open input callable id super display get_ipython help".split()
_TAKEN = "student reference rng task require assert_close assert_exact assert_text expect_tuple".split()


class ByHandError(Exception):
    """Why a statement cannot be rewritten. ends: whether what comes after it may hang on it."""

    def __init__(self, reason: str, ends: bool = False) -> None:
        super().__init__(reason)
        self.ends = ends


@dataclass(frozen=True)
class Names:
    """What the names of a test cell may mean.

    functions: functions and classes of the student's, `classes` among them. variables: that the task asks for. given:
    what the setup cell of the exercise defines. imports: the import statement behind each name. is_torch: whether
    numbers may be tensors.
    """

    functions: Collection[str]
    classes: Collection[str]
    variables: Collection[str]
    given: Collection[str]
    imports: Mapping[str, str]
    is_torch: bool = False


class Expressions(ast.NodeTransformer):
    """Rewrites expressions one after the other, and knows what the local names of the test have come to hold.

    imports: the import statements that were found to be needed. students: local names that hold something of the
    student's, and of which function; objects: those that hold an object.
    """

    def __init__(self, names: Names, is_hidden: bool) -> None:
        self.names = names
        self.is_hidden = is_hidden
        self.imports: set[str] = set()
        self.asked: list[str] = []
        self.imported = dict(names.imports)
        self.local: set[str] = set()
        self.students: dict[str, str] = {}
        self.objects: set[str] = set()

    @property
    def whose(self) -> str:
        """The function of the student's that the statement asks."""
        return self.asked[0] if self.asked else "this"

    def forget(self, node: ast.AST) -> None:
        """What a statement that is left binds is not known after it."""
        for name in stored(node) | ({node.name} if isinstance(node, ast.FunctionDef | ast.ClassDef) else set()):
            self.local.discard(name)
            self.students.pop(name, None)

    def bind(self, names: Collection[str], is_students: bool) -> None:
        """Know from now on what local names hold."""
        for name in names:
            self.local.add(name)
            self.students.pop(name, None)
            if is_students:
                self.students[name] = self.whose

    def clash(self, names: Collection[str]) -> str:
        """One of the names that would lose its meaning; nothing where none does."""
        known = {*self.names.functions, *self.names.variables, *self.names.given, *_TAKEN}
        return min(known.intersection(names), default="")

    def is_object(self, node: ast.expr) -> bool:
        """Whether an expression plainly comes to an object of a class of the student's."""
        match node:
            case ast.Name(id=name):
                return name in self.objects
            case ast.Call(func=ast.Name(id=name)):
                return name in self.names.classes
            case ast.BinOp(left=left, right=right):
                return self.is_object(left) or self.is_object(right)
            case ast.UnaryOp(operand=operand):
                return self.is_object(operand)
        return False

    def expression(self, node: ast.expr) -> tuple[ast.expr, bool]:
        """It rewritten, and whether something of the student's is in it."""
        if odd := [one for one in ast.walk(node) if isinstance(one, ast.Await | ast.Yield | ast.YieldFrom)]:
            raise ByHandError(f"`{ast.unparse(odd[0])}` does not run here")
        before = len(self.asked)
        with self._inner_names(node):
            copy = self.visit(ast.parse(ast.unparse(node), mode="eval").body)
        return copy, len(self.asked) > before

    @contextmanager
    def _inner_names(self, node: ast.expr) -> Iterator[None]:
        """Those of comprehensions and lambdas."""
        inner = stored(node) | {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
        if clash := self.clash(inner):
            raise ByHandError(f"it gives `{clash}` another meaning")
        kept = self.local
        self.local = self.local | inner
        yield
        self.local = kept

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id in self.names.functions:
            self.asked.append(node.func.id)
            arguments = [self.visit(one) for one in node.args]
            keywords = [ast.keyword(one.arg, self.visit(one.value)) for one in node.keywords]
            return ast.Call(of("student", node.func.id), arguments, keywords)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        name = node.id
        if name in self.local or not isinstance(node.ctx, ast.Load):
            self.asked += [self.students[name]] if name in self.students else []
            return node
        if name in self.names.variables:
            self.asked.append(name)
            return of("student", name)
        if name in self.names.functions:
            raise ByHandError(f"it uses `{name}` otherwise than by a call")
        if name in self.names.given:
            if not self.is_hidden:
                raise ByHandError(f"`{name}` is of a given cell")
            return of("reference", name)
        if name in self.imported:
            self.imports.add(self.imported[name])
            return node
        if hasattr(builtins, name) and name not in _REACHING_OUT:
            return node
        raise ByHandError(f"what `{name}` is is not known here")


def imports_of(statements: Collection[ast.stmt]) -> dict[str, str]:
    """The names that import statements bring, each with a statement that brings it alone."""
    found = {}
    for node in statements:
        for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            if alias.name != "*":
                single = ast.Import([alias])
                if isinstance(node, ast.ImportFrom):
                    single = ast.ImportFrom(node.module, [alias], node.level)  # type: ignore[assignment]
                found[(alias.asname or alias.name).partition(".")[0]] = ast.unparse(single)
    return found


def stored(node: ast.AST) -> set[str]:
    """The names that it gives a value."""
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}


def of(owner: str, name: str) -> ast.expr:
    """The expression `owner.name`."""
    return ast.Attribute(ast.Name(owner, ast.Load()), name, ast.Load())
