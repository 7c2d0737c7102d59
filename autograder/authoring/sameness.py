"""Which changes of a function change nothing: both have one normal form. Nobody should have to read such a mutant.

Only what holds for all inputs, or for all that a comparison takes as the same, is made alike.
"""

from __future__ import annotations

import ast
import re

_EVEN = ("abs", "absolute", "fabs", "square")
_LABELS = ("label", "title", "xlabel", "ylabel", "color", "cmap")


def normal_form(code: ast.stmt) -> str:
    """The code of a function, class or assignment, the same for two that differ in nothing that could be tested."""
    (copy,) = ast.parse(ast.unparse(code)).body  # faster than `deepcopy`
    return ast.unparse(_Normal().visit(copy))


class _Normal(ast.NodeTransformer):
    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Truth values have no gradient."""
        self.generic_visit(node)
        _Undetached().generic_visit(node)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant) and node.right.value == 2:
            node.left = _without_sign(node.left)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = _name(node)
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr="detach")) if _is_truth(value):
                return value
            case ast.Call(func=ast.Name(id="float"), args=[value]) if _is_of_numpy(value):
                return value  # NumPy's number is a number, too
            case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str(text))]):
                node.args = [ast.Constant(text.lower())]
            case ast.Call(args=[ast.Constant(value=str(text)), *others]) if name == "einsum":
                node.args = [ast.Constant(_renamed(text)), *others]
            case ast.Call(args=[value]) if name in _EVEN:
                node.args = [_without_sign(value)]
            case ast.Call(func=ast.Attribute(value=value), args=[]) if name in _EVEN:
                node.func = ast.Attribute(_without_sign(value), name, ast.Load())
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        """What a figure says, and in which case the order of a memory layout is written."""
        self.generic_visit(node)
        match node:
            case ast.keyword(arg="order", value=ast.Constant(value=str(text))):
                node.value = ast.Constant(text.upper())
            case ast.keyword(arg=name, value=ast.Constant(value=str())) if name in _LABELS:
                node.value = ast.Constant("")
        return node


class _Undetached(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return node.func.value if isinstance(node.func, ast.Attribute) and node.func.attr == "detach" else node


def _without_sign(value: ast.expr) -> ast.expr:
    """-a as a, and both differences of two as one."""
    match value:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _without_sign(operand)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            first, second = sorted((left, right), key=ast.unparse)
            return ast.BinOp(first, ast.Sub(), second)
    return value


def _is_truth(value: ast.expr) -> bool:
    """Whether it is made of a comparison, perhaps as another type."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        value = value.func.value
    return isinstance(value, ast.Compare)


def _is_of_numpy(value: ast.expr) -> bool:
    """Whether it is what a function of NumPy's returns."""
    function = value.func if isinstance(value, ast.Call) else None
    while isinstance(function, ast.Attribute):
        function = function.value
    return isinstance(function, ast.Name) and function.id == "np"


def _name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _renamed(subscripts: str) -> str:
    """einsum's letters, in the order in which they come, as a, b, c..."""
    letters = list(dict.fromkeys(re.findall(r"[A-Za-z]", subscripts)))
    return re.sub(r"[A-Za-z]", lambda letter: f"<{letters.index(letter[0])}>", subscripts)
