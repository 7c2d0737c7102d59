"""A cell of a notebook, and what can be told from its text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

_BOUND = re.compile(r"^(?:(?:async +def|def|class) +(\w+)|(\w+)[ \t]*(?::[^=\n]*)?=(?!=))", re.MULTILINE)
_LONGEST = 1 << 17  # characters of a text that may be like one of the course's


class Role(Enum):
    """What a cell is for. GIVEN and GRADE cells are the course's and cannot be edited."""

    GIVEN = auto()
    GRADE = auto()
    SOLUTION = auto()
    OWN = auto()


@dataclass(frozen=True)
class Cell:
    """One cell. `name` is the release's id of it, empty for a cell of the student's own.

    points: the release's; what stands in a file counts for nothing. submitted: whether the file had it; False for a
    cell that was put back. superseded: whether it is a stub whose functions are written elsewhere. cleared: what runs
    in the place of the source, where that has such stubs in it. doubtful: whether a person must say if there is an
    answer. file: of what is no cell of the notebook but a module beside it, the name of that: it is imported and not
    run.
    """

    kind: str
    source: str
    role: Role = Role.OWN
    name: str = ""
    points: object = None
    submitted: bool = True
    superseded: bool = False
    cleared: str = ""
    doubtful: bool = False
    file: str = ""

    @property
    def runs(self) -> bool:
        """Whether the student's process runs it as a cell."""
        return self.takes_part and not self.file

    @property
    def takes_part(self) -> bool:
        """Whether its code is in force. A stub must not hide a function that is written elsewhere."""
        if self.kind != "code" or self.role is Role.GRADE or self.superseded:
            return False
        return self.submitted or self.role is Role.GIVEN

    @property
    def code(self) -> str:
        """What the student's process runs of it."""
        return self.cleared or self.source

    @property
    def is_answer(self) -> bool:
        """Whether a person grades it."""
        return self.role is Role.SOLUTION and self.points is not None


def words(source: str) -> str:
    """A text by which cells are compared: tools change the white space in it."""
    return source if len(source) > _LONGEST else " ".join(source.split())


def bound_names(source: str) -> set[str]:
    """What code binds at the margin: functions, classes, variables."""
    return {name for match in _BOUND.finditer(source) for name in match.groups() if name}
