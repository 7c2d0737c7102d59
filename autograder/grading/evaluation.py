"""What the evaluation of a submission is, whatever kind of assignment it is for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from nbformat import NotebookNode

from autograder.isolation.session import CellResult
from autograder.report import Finding, Report


@dataclass(frozen=True)
class Evaluation:
    """What one submission came to. notebooks: the mended ones by name, with outputs and results in them."""

    report: Report
    notebooks: Mapping[str, NotebookNode]

    @property
    def notebook(self) -> NotebookNode:
        """Of an assignment of a single notebook, that one."""
        (one,) = self.notebooks.values()
        return one


@dataclass(frozen=True)
class Part:
    """What one notebook of a submission came to. notebook: None where it was not handed in."""

    report: Report
    notebook: NotebookNode | None


def ended(runs: Mapping[int, CellResult]) -> tuple[Finding, ...]:
    """A finding for each cell that ended the process."""
    return tuple(
        Finding(str(cell.ended.status), f"cell {cell.number}: {cell.ended.reason}")
        for cell in runs.values()
        if cell.ended
    )


class Attempt(Protocol):
    """One notebook of a submission on its way to its part of the evaluation."""

    def absent(self) -> Part:
        """That others were handed in, but not this one. Nothing else is asked then."""

    def read(self) -> bool:
        """Read what was handed in; whether there is something to grade. Comes first."""

    def evaluate(self) -> Part:
        """Run and judge it; may be asked again. Errors: SandboxError and whatever else is a fault of ours."""

    def not_graded(self, fault: str = "") -> Part:
        """That all of it waits for a person. fault: of ours, if it was one."""

    def drop(self) -> None:
        """What may have had a part in a fault is not used again."""
