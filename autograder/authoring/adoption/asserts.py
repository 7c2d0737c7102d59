"""The asserts of a plain nbgrader test cell, rewritten for the suites of an exercise; no code is run.

`assert f(x) == 4` becomes `assert_exact(student.f(x), 4.0)`. A statement that is not sure to mean the same across the
process boundary is left `ByHand`, and with it the rest of its cell where that may hang on it.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field

from autograder.authoring.adoption.expressions import ByHandError, Expressions, Names, imports_of, of, stored

_WIDE = ("Exception", "BaseException")
_NOT_TOLD_APART = ("LookupError", "ArithmeticError", "OSError", "EnvironmentError", "IOError", "Warning")
_EQUAL = ("assert_equal", "assert_equals")
_RAISES = ("pytest.raises", "assert_raises", "np.testing.assert_raises", "numpy.testing.assert_raises")
_ARRAYS = {
    "assert_allclose": "np.allclose({0}, {1}, rtol=1e-07, atol=0)",  # as NumPy has it, where the cell does not say
    "assert_almost_equal": "np.allclose({0}, {1}, rtol=0, atol=1.5e-07)",
    "assert_array_almost_equal": "np.allclose({0}, {1}, rtol=0, atol=1.5e-06)",
    "assert_array_equal": "np.array_equal({0}, {1})",
    "assert_equal": "np.array_equal({0}, {1})",
}
_ELSEWHERE = "it writes into what the student's process holds"
_CHANGES = "it changes what the statements after it hang on"
_RETURNED = "the points that a cell returns are no check"
_LARGEST = 2**53  # up to which a float holds every whole number
_LONGEST = 90


@dataclass(frozen=True)
class ByHand:
    """What a person has to rewrite, as it stands in the cell, and why."""

    code: str
    reason: str


@dataclass
class Rewritten:
    """One test cell, rewritten. body: its statements; checks: the places among them that check something, with what
    each checks in words of Python; left: what is for a person; imports: the import statements that it needs."""

    body: list[ast.stmt] = field(default_factory=list)
    checks: dict[int, str] = field(default_factory=dict)
    left: list[ByHand] = field(default_factory=list)
    imports: set[str] = field(default_factory=set)


def rewritten(source: str, names: Names, *, is_hidden: bool) -> Rewritten:
    """A test cell for test_hidden.py, or for test_public.py, where there is no reference."""
    try:
        statements = ast.parse(source).body
    except SyntaxError as error:
        return Rewritten(left=[ByHand(source, f"it is no Python: {error.msg}")])
    rewriter = _Rewriter(names, is_hidden)
    done = Rewritten(imports=rewriter.imports)
    for place, node in enumerate(statements):
        try:
            body = rewriter.rewrite(node, is_last=place == len(statements) - 1)
        except ByHandError as reason:
            last = statements[-1] if reason.ends else node
            lines = source.splitlines()[node.lineno - 1 : last.end_lineno]
            done.left.append(ByHand("\n".join(lines), str(reason)))
            rewriter.forget(node)
            if reason.ends:
                break
            continue
        if rewriter.shown:
            done.checks[len(done.body)] = shortened(rewriter.shown)
        done.body += body
    return done


class _Rewriter(Expressions):
    """shown: what the last statement checks; nothing where it checks nothing."""

    def __init__(self, names: Names, is_hidden: bool) -> None:
        super().__init__(names, is_hidden)
        self.shown = ""
        self._is_last = False
        self._kinds: dict[type[ast.stmt], Callable[..., list[ast.stmt]]] = {
            ast.Assert: self._assert,
            ast.Assign: self._assignment,
            ast.ClassDef: self._definition,
            ast.Expr: self._bare,
            ast.For: self._loop,
            ast.FunctionDef: self._definition,
            ast.Import: self._import,
            ast.ImportFrom: self._import,
            ast.Pass: lambda _: [],
            ast.Try: self._refusal,
            ast.With: self._refusal,
        }

    def rewrite(self, node: ast.stmt, is_last: bool) -> list[ast.stmt]:
        """A statement at the margin of the cell. Errors: ByHandError."""
        self.asked, self.shown, self._is_last = [], "", is_last
        return self._statement(node)

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        if type(node) not in self._kinds:
            raise ByHandError(_CHANGES, ends=True)
        return self._kinds[type(node)](node)

    # --- statements ---

    def _definition(self, node: ast.stmt) -> list[ast.stmt]:
        raise ByHandError("what a cell defines for its tests has to be put above them")

    def _import(self, node: ast.stmt) -> list[ast.stmt]:
        self.imported |= imports_of([node])
        return []

    def _assert(self, node: ast.Assert) -> list[ast.stmt]:
        return [self._check(node.test, node.msg)]

    def _assignment(self, node: ast.Assign) -> list[ast.stmt]:
        target, names = node.targets[0], stored(node)
        if clash := self.clash(names):
            raise ByHandError(f"it gives `{clash}` another meaning", ends=True)
        if isinstance(target, ast.Subscript):
            return [self._written_into(node, target)]
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id in self.objects:
            return [ast.Assign([target], self.expression(node.value)[0])]
        elements = target.elts if isinstance(target, ast.Tuple) else node.targets
        if not all(isinstance(one, ast.Name) for one in elements):
            raise ByHandError(_ELSEWHERE, ends=True)
        value, is_students = self.expression(node.value)
        if isinstance(target, ast.Tuple) and is_students:
            value = _called("expect_tuple", value, *(ast.Constant(ast.unparse(one)) for one in elements))
        self.bind(names, is_students)
        self.objects = self.objects | names if self.is_object(node.value) else self.objects - names
        return [ast.Assign(node.targets, value)]

    def _written_into(self, node: ast.Assign, target: ast.Subscript) -> ast.stmt:
        owner = target.value
        if not isinstance(owner, ast.Name) or owner.id not in self.local - self.students.keys():
            raise ByHandError(_ELSEWHERE, ends=True)
        key, of_key = self.expression(target.slice)
        value, of_value = self.expression(node.value)
        if of_key or of_value:
            self.students[owner.id] = self.whose
        return ast.Assign([ast.Subscript(owner, key, ast.Store())], value)

    def _bare(self, node: ast.Expr) -> list[ast.stmt]:
        match node.value:
            case ast.Constant(value=str()) | ast.Call(func=ast.Name(id="print")):
                return []
            case ast.Call() as call:
                return [self._call(call)]
        raise ByHandError(_RETURNED if self._is_last else "what it is for is not known here")

    def _call(self, call: ast.Call) -> ast.stmt:
        name = ast.unparse(call.func)
        last = name.rpartition(".")[2]
        if name in _RAISES and len(call.args) > 1:
            return self._refused(call.args[0], ast.Call(call.args[1], call.args[2:], call.keywords))
        if ".testing." in name and last in _ARRAYS and len(call.args) > 1:
            return self._check(self._arrays(call, last), None)
        if name in _EQUAL and len(call.args) > 1:
            return self._check(ast.Compare(call.args[0], [ast.Eq()], call.args[1:2]), None)
        if self._is_last and last != "seed":
            raise ByHandError(_RETURNED)
        root = next((one.id for one in ast.walk(call.func) if isinstance(one, ast.Name)), "")
        if root not in {*self.names.functions, *self.local} and last != "seed":
            raise ByHandError("what it checks or changes is not known here", ends=root not in self.names.given)
        try:
            return ast.Expr(self.expression(call)[0])
        except ByHandError as reason:
            raise ByHandError(str(reason), ends=True) from None

    def _arrays(self, call: ast.Call, name: str) -> ast.expr:
        """One of NumPy's comparisons as a condition."""
        own = [one for one in call.keywords if one.arg not in ("err_msg", "verbose")]
        if len(call.args) > 2 or (own and name != "assert_allclose"):
            raise ByHandError("how near it has to be is not plain")
        self.imported.setdefault("np", "import numpy as np")
        condition = ast.parse(_ARRAYS[name].format(*map(ast.unparse, call.args)), mode="eval").body
        assert isinstance(condition, ast.Call)
        said = [one.arg for one in own]
        condition.keywords = [*(one for one in condition.keywords if one.arg not in said), *own]
        return condition

    def _loop(self, node: ast.For) -> list[ast.stmt]:
        names, self._is_last = stored(node.target), False
        if node.orelse or self.clash(names):
            raise ByHandError("its loop gives a name another meaning", ends=True)
        over, is_students = self.expression(node.iter)
        self.bind(names, is_students)
        try:
            body = [new for one in node.body for new in self._statement(one)]
        except ByHandError as reason:
            has_more = not all(isinstance(one, ast.Assert) for one in node.body)
            raise ByHandError(str(reason), ends=reason.ends or has_more) from None
        if self.shown:
            self.shown = f"{self.shown} for {ast.unparse(node.target)} in {ast.unparse(node.iter)}"
        return [ast.For(node.target, over, body or [ast.Pass()], [])]

    def _refusal(self, node: ast.Try | ast.With) -> list[ast.stmt]:
        """`try: f(0)`, `except ValueError: pass`, `else: raise ...`; `with pytest.raises(ValueError): f(0)`."""
        match node:
            case ast.Try(
                body=[ast.Expr(value=ast.Call() as call), *others],
                handlers=[ast.ExceptHandler(type=ast.Name() as kind, body=[ast.Pass()])],
                orelse=orelse,
                finalbody=[],
            ) if [*others, *orelse] and all(map(_is_alarm, [*others, *orelse])):
                return [self._refused(kind, call)]
            case ast.With(
                items=[ast.withitem(context_expr=ast.Call(func=function, args=[kind]), optional_vars=None)],
                body=[ast.Expr(value=ast.Call() as call)],
            ) if ast.unparse(function) in _RAISES:
                return [self._refused(kind, call)]
        raise ByHandError("it is more than one call that must raise an error", ends=True)

    def _refused(self, kind: ast.expr, call: ast.Call) -> ast.stmt:
        name, error = ast.unparse(call.func), ast.unparse(kind)
        if name not in self.names.functions or not _is_own_error(error) or error in _NOT_TOLD_APART:
            raise ByHandError("which error of which function it asks for is not plain")
        asked, _ = self.expression(call)
        assert isinstance(asked, ast.Call)
        raised: ast.expr = ast.Call(of("student", "error"), [ast.Constant(name), *asked.args], asked.keywords)
        if error not in _WIDE:
            raised = ast.Compare(ast.Attribute(raised, "type", ast.Load()), [ast.Eq()], [ast.Constant(error)])
        self.shown = f"{ast.unparse(call)} raises {error}"
        return self._require(raised, f"it should refuse this with {error}", self.shown)

    # --- checks ---

    def _check(self, test: ast.expr, message: ast.expr | None) -> ast.stmt:
        compared = [node for node in ast.walk(test) if isinstance(node, ast.Compare)]
        if any(self.is_object(side) for node in compared for side in (node.left, *node.comparators)):
            raise ByHandError("== of two objects asks there whether they are the very same one")
        condition, is_students = self.expression(test)
        if not is_students:
            raise ByHandError("nothing in it comes from the student's process")
        self.shown = ast.unparse(test)
        said = message.value if isinstance(message, ast.Constant) and isinstance(message.value, str) else ""
        if not said and isinstance(test, ast.Compare) and (comparison := self._comparison(test)):
            return comparison
        return self._require(condition, said or "not what is asked for", said or f"this should hold: {self.shown}")

    def _comparison(self, test: ast.Compare) -> ast.stmt | None:
        """`f(x) == 4` and the like as a comparison that says what differs."""
        if len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
            return None
        sides = (test.left, test.comparators[0])
        for actual, expected in (sides, sides[::-1]):
            with suppress(ValueError):
                wanted = ast.literal_eval(expected)
                if function := self._fitting(wanted):
                    is_length = isinstance(actual, ast.Call) and ast.unparse(actual.func) == "len"
                    right = ast.Constant(float(wanted) if type(wanted) is int and not is_length else wanted)
                    what = f"the result of `{self.whose}`" if self.is_hidden else shortened(ast.unparse(actual))
                    shown = ast.keyword("what", ast.Constant(what))
                    return ast.Expr(_called(function, self.expression(actual)[0], right, keywords=[shown]))
        return None

    def _fitting(self, wanted: object) -> str:
        if type(wanted) is str:
            return "assert_text"
        if self.names.is_torch or not (type(wanted) is float or (type(wanted) is int and abs(wanted) < _LARGEST)):
            return ""
        return "assert_close" if type(wanted) is float else "assert_exact"

    def _require(self, condition: ast.expr, said: str, shown: str) -> ast.stmt:
        """Hidden tests and public ones say it in other words: all of a hidden test may not stand in checks.py."""
        message = f"`{self.whose}`: {said}" if self.is_hidden else shortened(shown)
        return ast.Expr(_called("require", condition, ast.Constant(message)))


def shortened(text: str) -> str:
    """A text as one line, and not a long one."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _is_alarm(node: ast.stmt) -> bool:
    """Whether a statement says that no error came."""
    return isinstance(node, ast.Raise) or (isinstance(node, ast.Assert) and ast.unparse(node.test) == "False")


def _is_own_error(name: str) -> bool:
    kind = getattr(builtins, name, None)
    return isinstance(kind, type) and issubclass(kind, BaseException)


def _called(name: str, *arguments: ast.expr, keywords: Collection[ast.keyword] = ()) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), [*arguments], [*keywords])
