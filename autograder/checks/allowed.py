"""Which names of libraries the code of a notebook uses, found in its text: what a task does not allow is among them.

What counts is the code of the functions, classes and variables that a task asks for, with all that they use at the
margin of other cells. A use is where something stands that leads to the library's function, called or not: as
`np.gradient`, under the name that an import or an assignment gives it, by `getattr` or an import of a constant text.
Comments, texts, annotations and the second argument of `isinstance` use nothing. What may mean several things is taken
for none of them, so nobody is blamed by mistake.

Part of the `checks.py` of exercises that do not allow something, where it says at once what is used.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from autograder.checks.compare import Mismatch
from autograder.checks.modules import module_files, text_of, without_imports

_MOST_CODE = 1 << 18  # characters of all cells together
_MOST_OF_A_LINE = 200  # characters that are quoted
_MOST_ALIASES = 20  # names that lead to one another
_MOST_USES = 3  # that are told
_HIDING = ("eval", "exec")  # the text of what they run is not looked at
_INSTEAD = "Write that yourself."
_MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.MULTILINE)
_LINES = re.compile("\r\n|\r|\n")  # as Python counts them
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_CERTAIN = (*_INNER, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.Delete)


Place = int | str  # the number of a cell, or the name of a file


@dataclass(frozen=True, order=True)
class Use:
    """Where a library's name is used, in a cell or a file. code: the line. is_sure: False where it is known by the last
    part of it alone.
    """

    cell: int
    line: int
    name: str
    code: str
    is_sure: bool = True
    file: str = ""

    def __str__(self) -> str:
        return f"`{self.name}` ({self.file or f'cell {self.cell}'}, line {self.line}: {self.code})"


def told_uses(uses: Iterable[Use], instead: str) -> str:
    """Return the first use of each name, and what to do instead, as one text."""
    first = {use.name: use for use in sorted(uses, reverse=True)}
    return f"{', '.join(map(str, sorted(first.values())[:_MOST_USES]))}. {instead or _INSTEAD}"


class Code:
    """The code of a notebook: its cells by their numbers, modules by their files, in the order in which they have run.

    given: texts of the course's own statements, which may use what they like. others: names of other tasks; what they
    stand for is other work. is_cut: whether there is more code than is looked at.
    """

    def __init__(
        self, cells: Iterable[tuple[Place, str]], given: Collection[str] = (), others: Collection[str] = ()
    ) -> None:
        self.is_cut = False
        self._given = given
        self._others = others
        self._of_stars: list[Statement] = []
        self._bound: dict[str, list[Statement]] = {}
        self._stars: set[str] = set()
        self._paths: dict[tuple[_Scope | None, str], str] = {}
        room = _MOST_CODE
        for number, code in cells:
            room -= len(code)
            self.is_cut = room < 0
            for statement in statements_of(code, number) if room >= 0 else ():
                self._enter(statement)

    def _enter(self, one: Statement) -> None:
        for name in one.names.bound.keys() - one.names.kept:
            self._bound[name] = []
        for name in one.names.bound.keys() | one.names.changed:
            self._bound.setdefault(name, []).append(one)
        self._stars |= one.names.stars
        self._of_stars += [one] if one.names.stars else []

    def reached(self, asked: Iterable[str]) -> list[Statement]:
        """Return the statements that make up what names stand for."""
        found: dict[Statement, None] = {}
        seen, left = {*self._others}, [*asked]
        while left:
            name = left.pop()
            if name not in seen:
                seen.add(name)
                for one in self._bound.get(name, ()):
                    left += [] if one in found else one.names.used
                    found[one] = None
        return [one for one in found if not self._given or one.text not in self._given]

    def uses(self, statements: Iterable[Statement], forbidden: Collection[str]) -> list[Use]:
        """Return where statements use what is in `forbidden`, dotted names as "numpy.gradient"."""
        return sorted({use for one in statements for use in self._uses(one, forbidden)})

    def taken(self, asked: Iterable[str], forbidden: Collection[str]) -> list[Use]:
        """Return where a name that is asked for is itself brought by an import, or set to what is in `forbidden`."""
        found: set[Use] = set()
        for name in asked:
            path = self._path_of_name(name, None, 0)
            for banned in forbidden:
                if f"{path}.".startswith(f"{banned}."):
                    found |= {one.use(banned, one.start) for one in self._bound.get(name, self._of_stars)}
        return sorted(found)

    def _uses(self, statement: Statement, forbidden: Collection[str]) -> Iterator[Use]:
        for node, scope in statement.names.expressions:
            path = self._path(node, scope)
            for name in forbidden:
                is_sure = f"{path}.".startswith(f"{name}.")
                if is_sure or (not path and _is_method(node, name)):
                    yield statement.use(name, node.lineno, is_sure)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _HIDING:
                yield statement.use(node.func.id, node.lineno, is_sure=False)

    def _path(self, node: ast.expr, scope: _Scope | None, far: int = 0) -> str:
        """Return the dotted name that an expression leads to; nothing where it is none, or not certain."""
        match node:
            case ast.Name(id=name):
                return self._path_of_name(name, scope, far)
            case ast.NamedExpr(value=value):
                return self._path(value, scope, far)
            case (
                ast.Attribute(value=value, attr=name)
                | ast.Call(func=ast.Name(id="getattr"), args=[value, ast.Constant(value=str(name)), *_])
            ):
                path = self._path(value, scope, far)
                return f"{path}.{name}" if path else ""
            case ast.Call(func=ast.Name(id="__import__"), args=[ast.Constant(value=str(name))], keywords=[]):
                return _package_of(name)
            case ast.Call(func=function, args=[ast.Constant(value=str(name))]):
                return name if self._path(function, scope, far) == "importlib.import_module" else ""
        return ""

    def _path_of_name(self, name: str, scope: _Scope | None, far: int) -> str:
        scope = _owner(name, scope)
        if scope is None and name in self._others:
            return ""
        if (scope, name) not in self._paths:
            self._paths[scope, name] = ""  # where it leads back to itself
            if far < _MOST_ALIASES:
                self._paths[scope, name] = self._path_of_values(name, scope, far + 1)
        return self._paths[scope, name]

    def _path_of_values(self, name: str, scope: _Scope | None, far: int) -> str:
        if scope is None and name not in self._bound:
            is_of_star = len(self._stars) == 1 and not hasattr(builtins, name)
            return f"{min(self._stars)}.{name}" if is_of_star else ""
        maps = [scope.bound] if scope else [one.names.bound for one in self._bound[name]]
        values = [value for bound in maps for value in bound.get(name, ())]
        found = {one if isinstance(one, str) else self._path(one, scope, far) if one else "" for one in values}
        return found.pop() if len(found) == 1 else ""


def require_allowed(
    asked: Collection[str],
    others: Collection[str],
    not_allowed: Collection[str],
    given: Collection[str],
    instead: str = "",
) -> None:
    """Raise Mismatch where what this notebook has run for the names `asked` uses what it may not.

    others: names of other tasks. given: as in `Code`. instead: what to do, for the student.
    """
    cells, files = vars(sys.modules["__main__"]).get("In", ()), module_files()
    texts: list[tuple[Place, str]] = [(file, text_of(file)) for file in files]
    texts += [(number, str(text)) for number, text in enumerate(cells)]
    code = Code([(place, without_imports(text, files)) for place, text in texts], given, others)
    found = [*code.taken(asked, not_allowed), *code.uses(code.reached(asked), not_allowed)]
    if uses := [use for use in found if use.is_sure]:
        raise Mismatch(f"not allowed in this task: {told_uses(uses, instead)}")


# --- statements, and the names in them ---


def statements_of(code: str, cell: Place = 0) -> list[Statement]:
    """Return the statements at the margin of a cell; none where it is no Python."""
    for text in (code, _MAGIC.sub(r"\1pass", code)):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                body = ast.parse(text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        lines = _LINES.split(code)
        return [Statement(node, cell, lines) for node in body]
    return []


class Statement:
    """One statement at the margin. start: its first line. text: its own, up to white space. names: what it does with
    names.
    """

    def __init__(self, node: ast.stmt, cell: Place, lines: list[str]) -> None:
        self.start = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
        self._end = node.end_lineno or node.lineno
        self._cell, self._lines = cell, lines
        self.names = _Names(node)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self._lines[self.start - 1 : self._end]).split())

    def stands_at(self, cell: Place, line: int) -> bool:
        """Return whether it has this line of this cell."""
        return cell == self._cell and self.start <= line <= self._end

    def names_at(self, line: int) -> set[str]:
        """Return the names that it reads in this line."""
        nodes = (node for node, _ in self.names.expressions)
        return {node.id for node in nodes if isinstance(node, ast.Name) and node.lineno == line}

    def use(self, name: str, line: int, is_sure: bool = True) -> Use:
        """Return the use of a library's name in one of its lines."""
        code = "".join(self._lines[line - 1 : line]).strip()
        cell, file = (self._cell, "") if isinstance(self._cell, int) else (0, self._cell)
        return Use(cell, line, name, code[:_MOST_OF_A_LINE], is_sure, file)


_Value = str | ast.expr | None  # what a name is bound to: what a dotted name leads to, an expression, something else


@dataclass(eq=False)
class _Scope:
    """The names that a function, a comprehension or the body of a class binds. parent: None for the margin."""

    bound: Mapping[str, list[_Value]]
    parent: _Scope | None
    is_class: bool = False


class _Names:
    """What a statement at the margin does with the names there.

    bound: what it binds, with what to. kept: those of them whose old value may stay in use. changed: those whose
    objects it writes into. used: those that stand for something in it, now or later. stars: modules of which it imports
    everything. expressions: what may lead to a library's name, with the scope in which it stands.
    """

    def __init__(self, node: ast.stmt) -> None:
        here = list(_here([node]))
        self.bound = _bindings(here)
        self.changed = {_root(one) for one in here if _is_stored(one, (ast.Attribute, ast.Subscript))}
        self.kept = set[str]() if isinstance(node, _CERTAIN) else {*self.bound}
        self.used = set[str]()
        self.stars = {one.module or "" for one in here if isinstance(one, ast.ImportFrom) and one.names[0].name == "*"}
        self.expressions: list[tuple[ast.expr, _Scope | None]] = []
        try:
            self._read(node, None, True)
        except RecursionError:  # nobody writes such an expression by hand
            self.expressions.clear()

    def _read(self, node: ast.AST, scope: _Scope | None, now: bool) -> None:
        """now: whether it is run where it stands, and not when a function is called."""
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                defaults = [*node.args.defaults, *(one for one in node.args.kw_defaults if one)]
                self._read_all([*getattr(node, "decorator_list", ()), *defaults], scope, now)
                body = node.body if isinstance(node.body, list) else [node.body]
                self._read_all(body, _inner_scope([node.args, *body], scope), False)
            case ast.ClassDef():
                self._read_all([*node.decorator_list, *node.bases, *node.keywords], scope, now)
                self._read_all(node.body, _inner_scope(node.body, scope, is_class=True), now)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                first, inner = node.generators[0].iter, _inner_scope([one.target for one in node.generators], scope)
                self._read(first, scope, now)
                parts = [part for child in ast.iter_child_nodes(node) for part in _steps(child)]
                self._read_all([one for one in parts if one is not first], inner, now)
            case ast.AnnAssign():
                self._read_all([node.target, *([node.value] if node.value else [])], scope, now)
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[first, _]):
                self._read(first, scope, now)
            case _:
                self._note(node, scope, now)
                self._read_all(ast.iter_child_nodes(node), scope, now)

    def _read_all(self, nodes: Iterable[ast.AST], scope: _Scope | None, now: bool) -> None:
        for node in nodes:
            self._read(node, scope, now)

    def _note(self, node: ast.AST, scope: _Scope | None, now: bool) -> None:
        if isinstance(node, ast.Call) or isinstance(getattr(node, "ctx", None), ast.Load):
            assert isinstance(node, ast.expr)
            self.expressions.append((node, scope))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and _owner(node.id, scope) is None:
            self.used.add(node.id)
            self.kept |= {node.id} if now else set()


def _inner_scope(nodes: Iterable[ast.AST], outer: _Scope | None, is_class: bool = False) -> _Scope:
    """Return the scope of what stands in `nodes`. Functions do not see the names of the class around them."""
    return _Scope(_bindings(_here(nodes)), outer.parent if outer and outer.is_class else outer, is_class)


def _owner(name: str, scope: _Scope | None) -> _Scope | None:
    while scope and name not in scope.bound:
        scope = scope.parent
    return scope


def _here(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield nodes with all in them that is in the same scope."""
    left = [*nodes]
    while left:
        node = left.pop()
        yield node
        if isinstance(node, _COMPREHENSIONS):
            left += [one for one in ast.walk(node) if isinstance(one, ast.NamedExpr)]
        elif not isinstance(node, _INNER):
            left += ast.iter_child_nodes(node)


def _bindings(nodes: Iterable[ast.AST]) -> dict[str, list[_Value]]:
    nodes = [*nodes]
    values = {id(target): value for node in nodes for target, value in _assigned(node)}
    elsewhere = {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    bound: dict[str, list[_Value]] = {}
    for node in nodes:
        for name, value in _bound_by(node, values):
            if name not in elsewhere:
                bound.setdefault(name, []).append(value)
    return bound


def _assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target, value) for target in targets)
        case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
            yield target, value


def _bound_by(node: ast.AST, values: Mapping[int, ast.expr]) -> Iterator[tuple[str, _Value]]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name, values.get(id(node))
        case ast.arg(arg=name):
            yield name, None
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name, None
        case (
            ast.ExceptHandler(name=str(name))
            | ast.MatchAs(name=str(name))
            | ast.MatchStar(name=str(name))
            | ast.MatchMapping(rest=str(name))
        ):
            yield name, None
        case ast.Import(names=names):
            yield from (
                (one.asname or _package_of(one.name), one.name if one.asname else _package_of(one.name))
                for one in names
            )
        case ast.ImportFrom(module=module, names=names, level=level):
            yield from ((one.asname or one.name, None if level else f"{module}.{one.name}") for one in names)


def _package_of(path: str) -> str:
    return path.split(".")[0]


def _steps(node: ast.AST) -> list[ast.AST]:
    """Return a part of a comprehension, or what is in its loops."""
    return [*ast.iter_child_nodes(node)] if isinstance(node, ast.comprehension) else [node]


def _is_stored(node: ast.AST, kinds: tuple[type[ast.AST], ...]) -> bool:
    return isinstance(node, kinds) and not isinstance(getattr(node, "ctx", None), ast.Load)


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_method(node: ast.expr, name: str) -> bool:
    """Return whether an attribute is called as a method of a library's class is; of which class cannot be seen."""
    *_, owner, last = ["", *name.split(".")]
    return isinstance(node, ast.Attribute) and node.attr == last and (owner[:1].isupper() or owner == "ndarray")
