"""Ends that may have come from outside: which of them a submission is excused for.

Where a machine runs out of memory, its kernel ends students' processes first. What ends there by the student's own
doing ends there again.
"""

from __future__ import annotations

from collections.abc import Hashable

_MOST = 3  # in one submission: code that ends its process by chance is not run for ever


class Disturbances:
    """The ends of one submission's processes by signals that nothing of ours explains."""

    def __init__(self) -> None:
        self._excused: set[Hashable] = set()
        self._own: set[Hashable] = set()

    @property
    def count(self) -> int:
        """How many ends came from outside, as far as one can tell."""
        return len(self._excused)

    def excuse(self, place: Hashable) -> bool:
        """Whether an end at `place` is excused: the first one is, and the second one says that the first was none."""
        if place in self._excused:
            self._excused.remove(place)
            self._own.add(place)
        if place in self._own or self.count == _MOST:
            return False
        self._excused.add(place)
        return True
