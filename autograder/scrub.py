"""Takes out of a text what differs from run to run, names the grader's machine, or shows a reader what is not there."""

from __future__ import annotations

import os
import re
import sys
import tempfile

from autograder import layout

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,16}\b")
_TERMINAL = r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(\x07|\x1b\\)?"
# Control characters but tab and line feed; characters without width; those that turn the direction of writing or
# end a line; halves of characters, which no file can hold.
_HIDDEN = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
_UNSEEN = re.compile(f"{_TERMINAL}|{_HIDDEN}")


def scrub(text: str) -> str:
    """`text` without memory addresses, hidden characters and the paths of the grader's installation."""
    return _paths().sub("…", _ADDRESS.sub("0x…", _UNSEEN.sub("", text)))


def plain_line(text: str) -> str:
    """`text` as one line without hidden characters: for names and messages in a terminal or a list."""
    return " ".join(_UNSEEN.sub("", text.replace("\u2028", " ").replace("\u2029", " ")).split())


def _paths() -> re.Pattern[str]:
    private = re.escape(os.path.join(tempfile.gettempdir(), layout.TEMPORARY_PREFIX)) + r"[\w-]+(/work)?"
    roots = {sys.prefix, sys.base_prefix, str(layout.IMPORTED_FROM)} - {"/", "/usr", ""}
    longest_first = sorted(map(re.escape, roots), key=len, reverse=True)
    return re.compile(f"(?:{'|'.join([private, *longest_first])})(?![\\w-])")
