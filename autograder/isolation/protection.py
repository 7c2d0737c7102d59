"""What stands between students' code and the machine, as an instructor asks for it.

The guarantees are those that `inside.selfcheck` tries to break in each student's process; one that does not hold there
is a breach. The layers, by which they come to hold, are those of `inside.confine`.
"""

from __future__ import annotations

from dataclasses import dataclass

GUARANTEES = frozenset({"files", "network", "processes", "privileges", "resources"})


@dataclass(frozen=True, kw_only=True)
class Protection:
    """All of it, unless something is named here.

    disabled_layers: left out although they may be there, for measurements and tests.
    tolerated_breaches: guarantees that need not hold, because the instructor has said so.
    """

    disabled_layers: frozenset[str] = frozenset()
    tolerated_breaches: frozenset[str] = frozenset()

    @property
    def is_full(self) -> bool:
        """Whether nothing is left out and nothing tolerated."""
        return not (self.disabled_layers or self.tolerated_breaches)

    def as_text(self) -> str:
        """The same text for equal ones in every process, which a set's own is not."""
        return f"without {sorted(self.disabled_layers)}, tolerates {sorted(self.tolerated_breaches)}"


FULL = Protection()
