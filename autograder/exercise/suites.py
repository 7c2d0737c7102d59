"""The tests that a suite defines, as its text has them: of which task each is, and what is wrong at a glance."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import ExerciseError
from autograder.exercise.definition import Exercise, read_text
from autograder.exercise.spelling import did_you_mean


@dataclass(frozen=True)
class WrittenTest:
    """A test function. task: as `@task(...)` names it; empty where it has none, None where the text does not say."""

    name: str
    line: int
    task: str | None
    is_described: bool


def faults(exercise: Exercise) -> Iterator[str]:
    """What is wrong with both suites, each as a sentence with file and line."""
    hidden, public = _parsed(exercise.hidden_suite), _parsed(exercise.public_suite)
    yield from _faults(hidden, exercise.hidden_suite, exercise, "is of no task")
    yield from _faults(public, exercise.public_suite, exercise, "is of no task, so no check runs it")
    yield from (f"{exercise.hidden_suite}, line {line}: {told}" for line, told in _nameless(hidden))
    tested = {_task([node]) for node in ast.walk(hidden) if isinstance(node, ast.Call) and _is_task(node)}
    for task, asked in exercise.automatic.items():
        if not (asked.question or {task, None} & tested):
            yield f"{exercise.hidden_suite}: no test for task `{task}`"


def _nameless(suite: ast.Module) -> Iterator[tuple[int, str]]:
    """What has the mark of a test and not the name of one, with its line: pytest does not run it."""
    for node in ast.walk(suite):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and any(_is_mark(one) for one in node.decorator_list):
            start = "test" if isinstance(node, ast.FunctionDef) else "Test"
            if not node.name.startswith(start):
                yield (
                    node.lineno,
                    f"{node.name} has a task, but its name does not begin with {start}: nobody would run it",
                )


def doubled(suite: ast.Module) -> Iterator[tuple[int, str]]:
    """The tests that nobody runs because others of the same names come after them, with the lines of those."""
    scopes: list[ast.Module | ast.ClassDef] = [suite]
    while scopes:
        lines: dict[str, int] = {}
        for test in _tests(scopes.pop(0)):
            scopes += [test] if isinstance(test, ast.ClassDef) else []
            if lines.setdefault(test.name, test.lineno) != test.lineno:
                where = f"in line {lines[test.name]} and in line {test.lineno}"
                yield test.lineno, f"{test.name} is defined twice, {where}; only one of them would run"


def written_tests(suite: ast.Module) -> list[WrittenTest]:
    """Every test function, those in classes too."""
    return list(_written(suite, _own_task(suite)))


def _faults(tree: ast.Module, suite: Path, exercise: Exercise, homeless: str) -> Iterator[str]:
    known = list(exercise.automatic)
    for test in written_tests(tree):
        where = f"{suite}, line {test.line}: {test.name}"
        if test.task == "":
            yield f"{where} {homeless}; mark it with @task"
        elif test.task is not None and test.task not in known:
            yield f"{where} is of `{test.task}`, which is no automatic task{did_you_mean(test.task, known)}"
        if not test.is_described:
            yield f"{where} needs a docstring, which tells students what is tried"
    yield from (f"{suite}, line {line}: {told}" for line, told in doubled(tree))


def _parsed(suite: Path) -> ast.Module:
    try:
        return ast.parse(read_text(suite))
    except SyntaxError as error:
        raise ExerciseError(f"{suite}, line {error.lineno}: {error.msg}") from None


def _tests(scope: ast.Module | ast.ClassDef) -> list[ast.FunctionDef | ast.ClassDef]:
    """The tests and classes of tests that a module or class defines."""
    defined = [node for node in scope.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return [node for node in defined if node.name.lower().startswith("test")]


def _written(scope: ast.Module | ast.ClassDef, around: str | None) -> Iterator[WrittenTest]:
    for node in _tests(scope):
        own = _task(node.decorator_list)
        task = around if own == "" else own
        if isinstance(node, ast.ClassDef):
            yield from _written(node, task or _own_task(node))
        else:
            yield WrittenTest(node.name, node.lineno, task, bool((ast.get_docstring(node) or "").strip()))


def _is_mark(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Call) and _is_task(decorator)


def _is_task(call: ast.Call) -> bool:
    return getattr(call.func, "id", None) == "task" or getattr(call.func, "attr", None) == "task"


def _own_task(scope: ast.Module | ast.ClassDef) -> str | None:
    """What marks of the whole scope say, which are not read here."""
    names = (ast.unparse(node.targets[0]) for node in scope.body if isinstance(node, ast.Assign))
    return None if "pytestmark" in names else ""


def _task(decorators: Collection[ast.expr]) -> str | None:
    """The task that decorators name; empty where none does, None where only a run of the suite would tell."""
    marks = [one for one in decorators if isinstance(one, ast.Call) and _is_task(one)]
    if not marks:
        return None if any(isinstance(one, ast.Name) for one in decorators) else ""
    named = marks[0].args[:1] or [one.value for one in marks[0].keywords if one.arg == "name"]
    literal = named[0] if named else None
    return literal.value if isinstance(literal, ast.Constant) and isinstance(literal.value, str) else None
