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


def ended(runs: Mapping[int, CellResult], notebook: str = "") -> tuple[Finding, ...]:
    """A finding for each cell that ended the process. notebook: which one it is, where there are several."""
    where = f"{notebook}, " if notebook else ""
    return tuple(
        Finding(str(cell.ended.status), f"{where}cell {cell.number}: {cell.ended.reason}")
        for cell in runs.values()
        if cell.ended
    )


class Attempt(Protocol):
    """One submission on its way to an evaluation."""

    def read(self) -> bool:
        """Read what was handed in; whether there is something to grade. Comes first."""

    def evaluate(self) -> Evaluation:
        """Run and judge it; may be asked again. Errors: SandboxError and whatever else is a fault of ours."""

    def not_graded(self, fault: str = "") -> Evaluation:
        """That all of it waits for a person. fault: of ours, if it was one."""

    def drop(self) -> None:
        """What may have had a part in a fault is not used again."""
