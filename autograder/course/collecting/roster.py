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
from io import StringIO
from pathlib import Path

from nbgrader.api import Gradebook

from autograder.errors import ConfigError
from autograder.scrub import plain_line

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
_DELIMITERS = (",", ";", "\t")  # Excel's hangs on the country
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
        """Errors: ConfigError where it cannot be read, has no column of ids, or an id twice."""
        try:
            text = path.read_bytes().decode("utf-8-sig")
            for delimiter in _DELIMITERS:
                reader = csv.DictReader(StringIO(text, newline=""), delimiter=delimiter)
                headers = {name.strip().lower() for name in reader.fieldnames or ()}
                if layout := next((columns for name, columns in _LAYOUTS.items() if name in headers), None):
                    students = [(reader.line_num, _named(row, layout)) for row in reader]
                    break
            else:
                wanted = ", ".join(f"`{name}`" for name in _LAYOUTS)
                raise ConfigError(f"{path} has no column with the students' ids: one of {wanted}")
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise ConfigError(f"{path} cannot be read as a CSV file in UTF-8: {error}") from None
        _refuse_twins(path, students)
        return cls(row for _, row in students)

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
            raise LookupError(
                f"it may be of {' or '.join(sorted(set.union(*found)))}: {self._way_on(keys, candidates)}"
            )
        return next(iter(candidates))

    def _way_on(self, keys: Mapping[str, str], candidates: set[str]) -> str:
        if not candidates:
            fitting = {clue: sorted(self._by[clue][key]) for clue, key in keys.items() if key in self._by[clue]}
            return ", ".join(f"the {clue} is that of {' and '.join(students)}" for clue, students in fitting.items())
        unknown = [f"{clue} {key}" for clue, key in keys.items() if key and key not in self._by[clue]]
        deciding = f"; {' or '.join(unknown)} in the row of one decides" if unknown else ""
        return f"several in the table fit{deciding}"

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


def _refuse_twins(path: Path, students: Iterable[tuple[int, Mapping[str, str]]]) -> None:
    """students: with their lines. Two people's work would lie in one folder."""
    lines: dict[str, list[str]] = defaultdict(list)
    for line, row in students:
        lines[row.get("id", "").strip()].append(str(line))
    twins = [f"{plain_line(one)} in lines {', '.join(of)}" for one, of in lines.items() if one and len(of) > 1]
    if twins:
        raise ConfigError(f"{path} has an id more than once: {'; '.join(twins)}; leave one row for each student")


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
