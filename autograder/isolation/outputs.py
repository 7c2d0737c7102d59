"""The outputs of a cell made presentable: cleaned texts and images encoded anew, as long as there is room."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from autograder.isolation.replies import Display, Error, Output, Result, Stream
from autograder.scrub import scrub

_NOTICE = 1 << 16  # bytes that notices and the form of the outputs may take beyond the room


def presentable(outputs: Sequence[Output], room: int) -> list[dict[str, Any]]:
    """The outputs as nbformat has them, as long as there is room; an honest process keeps to it by itself."""
    shown: list[dict[str, Any]] = []
    for output in outputs:
        item = msgspec.to_builtins(_scrubbed(output))
        room -= len(str(item))
        if room < -_NOTICE:
            break
        shown.append(item)
    return shown


def _scrubbed(output: Output) -> Output:
    match output:
        case Stream():
            return replace(output, text=scrub(output.text))
        case Display() | Result():
            return replace(output, data=_plain_data(output.data), metadata={})
        case Error():
            lines = [scrub(line) for line in output.traceback]
            return replace(output, ename=scrub(output.ename), evalue=scrub(output.evalue), traceback=lines)
    return output


def _plain_data(data: dict[Any, str]) -> dict[str, str]:
    plain = {kind: scrub(text) if kind == "text/plain" else _image(text) for kind, text in data.items()}
    return plain if plain.get("text/plain") else {**plain, "text/plain": " "}


def _image(text: str) -> str:
    """Base64 made anew: nbconvert writes it into a page as it is."""
    try:
        return base64.b64encode(base64.b64decode(text)).decode()
    except ValueError:
        return ""
