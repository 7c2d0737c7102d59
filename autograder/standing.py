"""What the gradebook has of a submission: the automatic points, and what people have made of them."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Worth(StrEnum):
    """What a student's score is worth: the words that stand beside it in exports."""

    FINAL = "final"  # every task has points
    HAND_GRADING = "hand grading"  # something waits for a person in formgrader; the score is what there is so far
    UNGRADED = "ungraded"  # a task could not be graded and waits for a person: there is no score
    NO_SUBMISSION = "no submission"


class Entry(msgspec.Struct, frozen=True):
    """One task. automatic, manual: None where there is no such score. extra: what a person adds to either."""

    points: float
    automatic: float | None
    manual: float | None = None
    extra: float = 0.0

    @property
    def earned(self) -> float | None:
        """What counts; None where there is no score yet."""
        score = self.automatic if self.manual is None else self.manual
        return None if score is None else round(score + self.extra, 2)


class Standing(msgspec.Struct, frozen=True):
    """One submission: its tasks by name, the names of those that people grade, and what is taken off for being late.

    awaited: the tasks that a person is to look at in formgrader.
    """

    tasks: dict[str, Entry]
    by_hand: frozenset[str] = frozenset()
    penalty: float = 0.0
    awaited: frozenset[str] = frozenset()

    @property
    def earned(self) -> float:
        """The points so far, less the penalty; never below 0."""
        return max(0.0, round(sum(entry.earned or 0.0 for entry in self.tasks.values()) - self.penalty, 2))

    @property
    def counted(self) -> float:
        """What the tasks are worth that have a score."""
        return sum(entry.points for entry in self.tasks.values() if entry.earned is not None)

    @property
    def is_ungraded(self) -> bool:
        """Whether a task that people do not grade has no score."""
        return bool(self.unscored)

    @property
    def unscored(self) -> list[str]:
        """The tasks without a score that people do not grade."""
        return [name for name, entry in self.tasks.items() if entry.earned is None and name not in self.by_hand]

    @property
    def worth(self) -> Worth:
        """What its score is worth."""
        if self.is_ungraded:
            return Worth.UNGRADED
        unread = any(entry.earned is None for entry in self.tasks.values())
        return Worth.HAND_GRADING if self.awaited or unread else Worth.FINAL

    @property
    def remarks(self) -> list[str]:
        """What is to be known of the total."""
        unread = sum(self.tasks[name].points for name in self.by_hand if self.tasks[name].earned is None)
        entered = ", ".join(sorted(name for name in self.awaited if self.tasks[name].manual is not None))
        late = f"{self.penalty:g} taken off for being late"
        again = f"another look by hand at {entered}"
        return [f"{unread:g} by hand"] * bool(unread) + [again] * bool(entered) + [late] * bool(self.penalty)
