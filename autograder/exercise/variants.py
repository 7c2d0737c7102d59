"""The sample solutions of an exercise folder: `wrong/*.py`, one known mistake each, and `right/*.py`, other right ways.

The first line of a file's docstring says what it is; a wrong file also declares, as plain literals, `hint` (for the
student who makes the mistake) and `loses` (the tasks it must lose). Its functions and classes take the place of the
reference's of the same names; the rest of the file comes along. A class that is its own base, `class Scalar(Scalar)`,
replaces single methods. A variable takes the place where the reference gives it its value.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.errors import ExerciseError
from autograder.exercise.definition import Exercise, read_text
from autograder.exercise.spelling import did_you_mean
from autograder.exercise.uses import variable_of

_DECLARATIONS = ("hint", "loses")
_Definition = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Variant:
    """One file of `wrong/` or `right/`. `code` is the file without its docstring and declarations.

    functions: the functions and classes that it defines. extended: those of them that are classes of which it has only
    some methods.
    """

    name: str
    title: str
    code: str
    functions: tuple[str, ...]
    hint: str = ""
    loses: tuple[str, ...] = ()
    extended: tuple[str, ...] = ()


def wrong_variants(exercise: Exercise) -> list[Variant]:
    """The known-wrong solutions. Errors: ExerciseError where one lacks its hint or its losses, or names no task."""
    return [wrong_variant(path, exercise) for path in variant_files(exercise, "wrong")]


def wrong_variant(path: Path, exercise: Exercise) -> Variant:
    """One of them. Errors: as for all."""
    variant = right_variant(path)
    if not (variant.hint and variant.loses):
        raise ExerciseError(f'{path}: `hint = "..."` and `loses = [...]` are needed')
    if unknown := [task for task in variant.loses if task not in exercise.automatic]:
        meant = did_you_mean(unknown[0], exercise.automatic)
        raise ExerciseError(f"{path}: loses `{unknown[0]}`, which is no automatic task{meant}")
    return variant


def right_variants(exercise: Exercise) -> list[Variant]:
    """The other right solutions."""
    return [right_variant(path) for path in variant_files(exercise, "right")]


def variant_files(exercise: Exercise, kind: str) -> list[Path]:
    """The files of `wrong/` or `right/`, sorted."""
    return sorted((exercise.folder / kind).glob("*.py"))


def variant(name: str, source: str) -> Variant:
    """The variant that a text of Python code is. Errors: ExerciseError where it cannot be read."""
    try:
        body = ast.parse(source).body
        declared = {
            _declares(node): ast.literal_eval(node.value)
            for node in body
            if isinstance(node, ast.Assign) and _declares(node)
        }
    except SyntaxError as error:
        raise ExerciseError(f"{name}, line {error.lineno}: {error.msg}") from None
    except (ValueError, TypeError) as error:
        raise ExerciseError(f"{name}: {error}") from None
    _check(name, declared)
    docstring = ast.get_docstring(ast.parse(source)) or ""
    apart = [node for node in body if _declares(node)] + (body[:1] if docstring else [])
    return Variant(
        name=name,
        title=docstring.partition("\n")[0],
        code=cut(source, apart),
        functions=tuple(node.name for node in body if isinstance(node, _Definition)),
        extended=tuple(node.name for node in body if isinstance(node, ast.ClassDef) and _is_extended(node)),
        hint=declared.get("hint", ""),
        loses=tuple(declared.get("loses", ())),
    )


def right_variant(path: Path) -> Variant:
    """One of the other right solutions. Errors: ExerciseError where it cannot be read or does not say what it is."""
    read = variant(str(path), read_text(path))
    if not read.title:
        raise ExerciseError(f"{path}: a docstring must say what the file is")
    return replace(read, name=path.stem)


def _check(name: str, declared: dict[str, object]) -> None:
    if not isinstance(declared.get("hint", ""), str):
        raise ExerciseError(f"{name}: `hint` is no text")
    loses = declared.get("loses", [])
    if not (isinstance(loses, list | tuple) and all(isinstance(task, str) for task in loses)):
        raise ExerciseError(f'{name}: `loses` is no list of tasks, as `loses = ["..."]`')


def _declares(node: ast.stmt) -> str:
    """Which declaration a statement is, if one."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id if node.targets[0].id in _DECLARATIONS else ""
    return ""


def _is_extended(node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id == node.name for base in node.bases)


def put_in(variant: Variant, cells: Mapping[str, str]) -> dict[str, str]:
    """The solution cells that are other ones with what the variant has in the places of their own.

    The rest of its code stands where the first of its functions and classes has stood; in front of the first of its
    variables where it has none.
    """
    new = {name: node for node in ast.parse(variant.code).body if (name := variable_of(node))}
    met = [name for name, text in cells.items() if any(one in text for one in (*variant.functions, *new))]
    bodies = {name: ast.parse(cells[name]).body for name in met}  # most cells need not be parsed
    theirs = {name for body in bodies.values() for node in body if (name := variable_of(node))}
    texts = {name: ast.get_source_segment(variant.code, new[name]) or "" for name in new.keys() & theirs}
    rest, changed = cut(variant.code, [new[name] for name in texts]), dict[str, str]()
    for cell, body in bodies.items():
        swapped = {node: texts[name] for node in body if (name := variable_of(node)) in texts}
        defined = {node.name for node in body if isinstance(node, _Definition)} & set(variant.functions)
        source = _without(_replaced(cells[cell], swapped), defined - set(variant.extended))
        if defined:
            changed[cell], rest = f"{source}\n\n\n{rest}".strip(), ""
        elif swapped:
            above, rest = ("", rest) if variant.functions else (rest, "")
            changed[cell] = f"{above}\n\n\n{source}".strip()
    return changed


def _replaced(source: str, texts: Mapping[ast.stmt, str]) -> str:
    lines = source.split("\n")
    for node, text in sorted(texts.items(), key=lambda one: -one[0].lineno):
        lines[node.lineno - 1 : node.end_lineno] = text.split("\n")
    return "\n".join(lines)


def _without(source: str, names: Collection[str]) -> str:
    body = ast.parse(source).body
    return cut(source, [node for node in body if isinstance(node, _Definition) and node.name in names])


def cut(source: str, nodes: Sequence[ast.stmt]) -> str:
    """Python code less the lines of these statements, and without blank lines at its ends; as it is where none go."""
    gone = {line for node in nodes for line in range(_first_line(node), (node.end_lineno or node.lineno) + 1)}
    kept = [line for number, line in enumerate(source.splitlines(), start=1) if number not in gone]
    return "\n".join(kept).strip() if gone else source


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])
