"""Where a TOML file is not what a structure says, in the words of its format: all of it at once, with lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, get_args, get_origin

import msgspec

from autograder.exercise.spelling import did_you_mean

Keys = tuple[str, ...]  # from the outermost table inwards
Fault = tuple[Keys, str]  # where it is, and what

_WORDS: dict[object, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    tuple[str, ...]: "a list of texts",
}
_HEADER = re.compile(r"\s*\[([^\[\]]+)\]\s*(#.*)?")
_KEY = re.compile(r"\s*([\w.-]+|\"[^\"]*\"|'[^']*')\s*=")


def faults(data: object, form: type[msgspec.Struct], name: str, at: Keys = ()) -> Iterator[Fault]:
    """What keeps a table from being a `form`. name: what to call the table."""
    if not isinstance(data, dict):
        yield at, f"{name} is a table, not {_shown(data)}"
        return
    fields = {field.name: field for field in msgspec.structs.fields(form)}
    for key, value in data.items():
        if key in fields:
            yield from _ill_typed(value, fields[key].type, f"`{key}` of {name}", (*at, key))
        else:
            yield (*at, key), f"`{key}` is no key of {name}{did_you_mean(key, fields)}"
    yield from ((at, f"{name} has no `{key}`") for key, field in fields.items() if field.required and key not in data)


def line_of(keys: Keys, text: str) -> int:
    """The line of a TOML text that sets what `keys` lead to, or the nearest one around it; 0 where there is none."""
    lines: dict[Keys, int] = {(): 0}
    table: Keys = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.fullmatch(line):
            table = _keys(header[1])
        elif not (assignment := _KEY.match(line)):
            continue
        path = table if header else (*table, *_keys(assignment[1] if assignment else ""))
        for depth in range(1, len(path) + 1):
            lines.setdefault(path[:depth], number)
    return next(lines[keys[:depth]] for depth in range(len(keys), -1, -1) if keys[:depth] in lines)


def _ill_typed(value: object, kind: Any, name: str, at: Keys) -> Iterator[Fault]:
    tables = [one for one in (kind, *get_args(kind)) if isinstance(one, type) and issubclass(one, msgspec.Struct)]
    if tables and get_origin(kind) is tuple:
        items = value if isinstance(value, list) else []
        for place, one in enumerate(items, start=1):
            yield from faults(one, tables[0], f"item {place} of [{at[-1]}]", at)
        if items is not value:
            yield at, f"{name} is a list of tables, not {_shown(value)}"
    elif tables and get_origin(kind) is not dict:
        yield from faults(value, tables[0], f"[{at[-1]}]", at)
    elif get_origin(kind) is dict and isinstance(value, dict):
        (_, form) = get_args(kind)
        for key, one in value.items():
            yield from faults(one, form, f"{at[-1].removesuffix('s')} `{key}`", (*at, key))
    elif not _fits(value, kind):
        yield at, f"{name} is {_word(kind)}, not {_shown(value)}"


def _fits(value: object, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def _word(kind: Any) -> str:
    required = [one for one in (get_args(kind) or [kind]) if one is not type(None)]
    return _WORDS.get(kind) or _WORDS.get(required[0]) or "a table"


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _keys(dotted: str) -> Keys:
    return tuple(part.strip("\"'") for part in re.findall(r"\"[^\"]*\"|'[^']*'|[^.\"'\s]+", dotted))
