"""Writes docs/attacks.md, the list of all attacks: `python -m tests.attacks.table`."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.attacks.world import ATTACKS

PAGE = Path(__file__).parents[2] / "docs" / "attacks.md"


def page() -> str:
    """The list as Markdown: what each attack tries, and without which layers it succeeds."""
    lines = ["# The attacks", "", "Written by `python -m tests.attacks.table` from the files of `tests/attacks/`."]
    kind = ""
    for attack in ATTACKS:
        if attack.path.parent.name != kind:
            kind = attack.path.parent.name
            lines += ["", f"## {kind}", "", "| attack | what it tries | succeeds without |", "|---|---|---|"]
        tries = (ast.get_docstring(ast.parse(attack.source)) or "").splitlines()[0].replace("|", "\\|")
        lines.append(f"| {attack.path.stem} | {tries} | {', '.join(attack.stopped_by)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
