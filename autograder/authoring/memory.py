"""What the calls of a notebook's functions may leave behind in its process, by their text.

Where nothing stays, a test comes to the same whichever tests were run before it. In doubt anything may stay.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import IntEnum

_HARMLESS_MODULES = (
    "numpy", "torch", "math", "itertools", "functools", "operator", "collections", "typing", "dataclasses", "re",
)  # fmt: skip
_HARMLESS_DECORATORS = ("property", "staticmethod", "dataclass")
_HARMLESS_STORES = ("requires_grad", "grad", "data")  # of a tensor that was made here or came as an argument
_STATEFUL_PARTS = ("random", "nn", "*")
_REACHING_OUT = (
    "globals", "locals", "vars", "setattr", "delattr", "exec", "eval", "compile", "open", "__import__",
)  # fmt: skip
_OWN_GENERATORS = ("RandomState", "Generator", "default_rng", "SeedSequence", "PCG64")
_OF_GENERATORS = (
    "random", "seed", "manual_seed", "initial_seed", "get_state", "set_state", "get_rng_state", "set_rng_state",
    "rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like", "normal", "poisson", "shuffle",
)  # fmt: skip
_OF_TENSORS = (
    "nn",
    "bernoulli",
    "multinomial",
    "dropout",
    "normal_",
    "uniform_",
    "random_",
    "bernoulli_",
    "exponential_",
)


class Memory(IntEnum):
    """What stays after a call: nothing, where random generators stand that all share, anything."""

    NOTHING = 0
    RANDOM = 1
    ANYTHING = 2


def memory_of(statement: ast.stmt) -> Memory:
    """What may stay after calls of the functions in a top-level statement."""
    return max(map(_of_definition, _definitions(statement)), default=Memory.NOTHING)


def is_fixed(statement: ast.stmt) -> bool:
    """Whether what the statement binds stays as it is: a function, a class, a harmless module, a constant."""
    match statement:
        case ast.FunctionDef() | ast.ClassDef():
            return True
        case ast.Import(names=names):
            return all(_is_harmless(alias.name) for alias in names)
        case ast.ImportFrom(module=module, names=names):
            return all(_is_harmless(f"{module}.{alias.name}") for alias in names)
        case ast.Assign(value=value) | ast.AnnAssign(value=value):
            return value is None or is_constant(value)
    return False


def is_constant(value: ast.expr) -> bool:
    """Whether an expression makes nothing that can be written into; what a name stands for is another statement's."""
    parts = (ast.Constant, ast.Name, ast.Attribute, ast.Tuple, ast.UnaryOp, ast.BinOp, ast.JoinedStr, ast.Lambda)
    return isinstance(value, parts) and all(
        is_constant(part) for part in ast.iter_child_nodes(value) if isinstance(part, ast.expr) and part is not value
    )


def _definitions(node: ast.AST) -> Iterator[ast.AST]:
    """The outermost ones: what an inner one changes of an outer one is gone after the call."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
        yield node
        return
    for child in ast.iter_child_nodes(node):
        yield from _definitions(child)


def _of_definition(definition: ast.AST) -> Memory:
    nodes = list(ast.walk(definition))
    local = {name for node in nodes for name in _bound(node)}
    excused = {id(part) for node in nodes for part in _harmless_parts(node)}
    left = [node for node in nodes if id(node) not in excused]
    if any(any(_signs_of_memory(node, local)) for node in left):
        return Memory.ANYTHING
    draws = any(isinstance(node, ast.Attribute) and _draws(node, local) for node in left)
    return Memory.RANDOM if draws else Memory.NOTHING


def _draws(node: ast.Attribute, local: set[str]) -> bool:
    """Whether it may be of a generator that all share: not, where it is a method of one that was made here."""
    return node.attr in _OF_TENSORS or (node.attr in _OF_GENERATORS and _owner(node) not in {"", *local})


def _signs_of_memory(node: ast.AST, local: set[str]) -> Iterator[bool]:
    match node:
        case ast.Global():
            yield True
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.arguments():
            yield from _signs_of_definition(node)
        case ast.Import() | ast.ImportFrom():
            yield not is_fixed(node)
        case ast.Name(id=name):
            yield name in _REACHING_OUT
        case ast.Attribute():
            yield from _signs_of_attribute(node, local)
        case ast.Subscript(ctx=context):
            yield not isinstance(context, ast.Load) and _root(node) not in local


def _signs_of_definition(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.arguments) -> Iterator[bool]:
    if isinstance(node, ast.arguments):
        yield not all(is_constant(one) for one in (*node.defaults, *node.kw_defaults) if one)
        return
    yield not all(isinstance(one, ast.Name) and one.id in _HARMLESS_DECORATORS for one in node.decorator_list)
    if isinstance(node, ast.ClassDef):
        yield bool(node.keywords) or not all(map(_is_plain_member, node.body))


def _signs_of_attribute(node: ast.Attribute, local: set[str]) -> Iterator[bool]:
    yield node.attr.startswith("__") and node.attr != "__init__"
    yield node.attr.startswith("set") and node.attr not in ("set_state", "set_rng_state", "setdefault")
    if not isinstance(node.ctx, ast.Load):
        owner = node.value.id if isinstance(node.value, ast.Name) else ""
        yield owner != "self" and not (owner in local and node.attr in _HARMLESS_STORES)


def _harmless_parts(node: ast.AST) -> Iterator[ast.AST]:
    """`np.random` in `np.random.default_rng`, and `globals` in `globals()[name]`, which only reads."""
    match node:
        case ast.Attribute(attr=name, value=inner) if name in _OWN_GENERATORS:
            yield inner
        case ast.Subscript(value=ast.Call(func=ast.Name(id="globals") as inner), ctx=ast.Load()):
            yield inner


def _bound(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
            yield name


def _owner(node: ast.expr) -> str:
    """The name of which something is a part; none where it is part of what a call returned."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _root(node: ast.expr) -> str:
    """The name at the beginning of a chain of parts and methods."""
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_harmless(module: str) -> bool:
    first, *others = module.removeprefix("torch.nn.functional").split(".")
    return not first or (first in _HARMLESS_MODULES and not set(_STATEFUL_PARTS) & set(others))


def _is_plain_member(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass | ast.Expr) or is_fixed(statement)
