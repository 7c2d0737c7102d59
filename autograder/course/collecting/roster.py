"""The students of a course, and whose of them a name, an address or a number in a download is.

They come from a table, a CSV file with a header: one's own (`id`, and any of `name`, `first_name`, `last_name`,
`email`, `number`, `time`), Canvas's gradebook, or Moodle's grading worksheet; without one, from nbgrader's students.
Nobody is guessed: where all that is known of somebody does not fit exactly one student, the hand-in is not matched.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import Gradebook

from autograder.errors import ConfigError

_CANVAS = {"sis login id": "id", "student": "name", "id": "number"}
_MOODLE = {
    "id number": "id",
    "full name": "name",
    "email address": "email",
    "identifier": "number",
    "last modified (submission)": "time",
}
_OWN = {name: name for name in ("id", "name", "first_name", "last_name", "email", "number", "time")}
_OWN |= {"lms_user_id": "number"}  # nbgrader's word
_LAYOUTS = {"sis login id": _CANVAS, "id number": _MOODLE, "id": _OWN}
_CLUES = ("id", "number", "email", "name")


@dataclass(frozen=True)
class Clues:
    """What is known of a person; empty where it is not. number: the system's own. id: the school's."""

    name: str = ""
    email: str = ""
    number: str = ""
    id: str = ""


class Roster:
    """times: when students have handed in, in the table's words, if it says so."""

    def __init__(self, students: Iterable[Mapping[str, str]]) -> None:
        self._by: dict[str, dict[str, set[str]]] = {clue: defaultdict(set) for clue in _CLUES}
        self.times: dict[str, str] = {}
        for row in students:
            if student := row.get("id", "").strip():
                self._enter(student, row)

    @classmethod
    def of_table(cls, path: Path) -> Roster:
        """Errors: ConfigError where it cannot be read, or has no column of ids."""
        try:
            with path.open(newline="", encoding="utf-8-sig") as file:
                rows = list(csv.DictReader(file))
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise ConfigError(f"{path} cannot be read as a CSV file in UTF-8: {error}") from None
        headers = {(name or "").strip().lower() for row in rows[:1] for name in row}
        layout = next((columns for name, columns in _LAYOUTS.items() if name in headers), None)
        if layout is None:
            wanted = ", ".join(f"`{name}`" for name in _LAYOUTS)
            raise ConfigError(f"{path} has no column with the students' ids: one of {wanted}")
        return cls(_named(row, layout) for row in rows)

    @classmethod
    def of_gradebook(cls, gradebook: Gradebook) -> Roster:
        """nbgrader's student table."""
        return cls(
            {
                "id": one.id,
                "first_name": one.first_name or "",
                "last_name": one.last_name or "",
                "email": one.email or "",
                "number": one.lms_user_id or "",
            }
            for one in gradebook.students
        )

    def student(self, clues: Clues) -> str:
        """The id. Errors: LookupError, with the reason, where nobody or nobody certain is found."""
        name, email = _squashed(clues.name), clues.email.strip().casefold()
        keys = {"id": clues.id.strip(), "number": clues.number.strip(), "email": email, "name": name}
        found = [self._by[clue][key] for clue, key in keys.items() if key and key in self._by[clue]]
        if not found:
            raise LookupError("nobody in the table has this name, address or number")
        candidates = set.intersection(*found)
        if len(candidates) != 1:
            raise LookupError(f"it may be of {' or '.join(sorted(set.union(*found)))}")
        return next(iter(candidates))

    def _enter(self, student: str, row: Mapping[str, str]) -> None:
        texts = {name: row.get(name, "").strip() for name in ("name", "first_name", "last_name", "email", "number")}
        number = re.sub(r"^\D+ (?=\d+$)", "", texts["number"])  # Moodle's `Participant 123`
        keys = {"id": [student], "number": [number], "email": [texts["email"].casefold()]}
        keys["name"] = [_squashed(name) for name in _orders(texts)]
        for clue, texts_of_it in keys.items():
            for key in {*texts_of_it} - {""}:
                self._by[clue][key].add(student)
        if row.get("time", "").strip(" -"):
            self.times[student] = row["time"].strip()


def _named(row: Mapping[str | None, str | None], layout: Mapping[str, str]) -> dict[str, str]:
    texts = {(name or "").strip().lower(): text or "" for name, text in row.items() if isinstance(text, str)}
    return {ours: texts[theirs] for theirs, ours in layout.items() if theirs in texts}


def _orders(texts: Mapping[str, str]) -> list[str]:
    """A name with the first name first and with the last name first: systems differ."""
    first, last, name = texts["first_name"], texts["last_name"], texts["name"]
    if "," in name:
        last, _, first = name.partition(",")
    elif name and not (first or last):
        first, _, last = name.rpartition(" ")
    return [name, f"{first} {last}", f"{last} {first}"]


def _squashed(name: str) -> str:
    """Canvas leaves out everything but letters and digits."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", name).casefold()))
