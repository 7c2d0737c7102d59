"""A submitted notebook, read and mended: whatever the file looks like, its cells in the shape that the course released.

Grade cells and given locked cells always come from the release; only solution cells and the student's own cells are
taken from the file. Everything that had to be mended is a finding.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from nbformat import NotebookNode

from autograder.exercise.definition import Exercise
from autograder.exercise.modules import modules_in, without_modules
from autograder.report import Finding
from autograder.submission.cells import Cell, Role
from autograder.submission.document import UnreadableError
from autograder.submission.foreign import is_foreign
from autograder.submission.markdown import as_written, inert
from autograder.submission.mending import Mender
from autograder.submission.modules import module_cell, read_modules
from autograder.submission.parsing import parse

__all__ = ["Cell", "Role", "Submission", "as_released", "read_submission", "to_notebook"]

GIVEN = "given"  # the tag of a cell without a mark that is as the course released it
_MAX_RENDERED = 200_000  # characters of prose in one notebook: eighty printed pages, rendered in a second
_FOREIGN = Finding("foreign", "none of this assignment's cells is in the file; is it another notebook?")


@dataclass(frozen=True)
class Submission:
    """The mended cells in the student's order, and what was found on the way.

    is_gradable: whether there is something to grade; else a person must look at the file.
    """

    cells: tuple[Cell, ...]
    findings: tuple[Finding, ...] = ()
    is_gradable: bool = True

    @property
    def lacking_modules(self) -> list[str]:
        """The files of the modules in whose places stand those of the release."""
        return [cell.file for cell in self.cells if cell.file and not cell.submitted]


def read_submission(
    raw: bytes, exercise: Exercise, release: NotebookNode, files: Mapping[str, bytes] = MappingProxyType({})
) -> Submission:
    """The submission in the bytes of a notebook file; of an unreadable one, the release's own cells and a finding.

    files: the modules that were handed in beside it.
    """
    try:
        document = parse(raw)
    except UnreadableError as error:
        unreadable = Finding("unreadable", f"the file cannot be read: {error}")
        return replace(as_released(release), findings=(unreadable,), is_gradable=False)
    modules, findings = read_modules(files)
    released = tuple(_released_cells(release))
    mender = Mender(exercise, released, document.marks)
    cells = mender.mend([*modules, *document.cells])
    if is_foreign(document, exercise, released):
        return Submission(cells, (*document.findings, _FOREIGN), is_gradable=False)
    return Submission(cells, (*document.findings, *findings, *mender.findings))


def as_released(release: NotebookNode) -> Submission:
    """What there is of a submission of which nothing could be read: the release's own cells, and no module."""
    return Submission(
        tuple(
            replace(cell, submitted=False, doubtful=cell.is_answer)
            for cell in _released_cells(release)
            if cell.role is not Role.OWN and not cell.file
        )
    )


def to_notebook(submission: Submission, release: NotebookNode) -> NotebookNode:
    """The mended submission in the release's own format and metadata, without outputs."""
    released = {cell.id: cell for cell in release.cells}
    released_texts = {cell.source for cell in release.cells}
    rendered = 0
    notebook = NotebookNode(nbformat=4, nbformat_minor=5, metadata=copy.deepcopy(release.metadata), cells=[])
    for number, cell in enumerate(submission.cells):
        made = NotebookNode(id=cell.name or f"own-{number}", cell_type=cell.kind, source=cell.source)
        if cell.kind != "code" and cell.source not in released_texts:
            rendered += len(cell.source)
            show = inert if rendered <= _MAX_RENDERED else as_written
            made.update(cell_type="markdown", source=show(cell.source))
        made.metadata = copy.deepcopy(released[cell.name].metadata) if cell.name in released else NotebookNode()
        if cell.role is Role.OWN and cell.source in released_texts:
            made.metadata["tags"] = [GIVEN]
        if cell.doubtful:
            made.metadata.nbgrader.pop("checksum", None)  # by which nbgrader knows that there is no answer
        if cell.kind == "code":
            made.update(outputs=[], execution_count=None)
        notebook.cells.append(made)
    return notebook


def _released_cells(release: NotebookNode) -> Iterator[Cell]:
    yield from (module_cell(file, text) for file, text in modules_in(release).items())
    for cell in without_modules(release).cells:
        marks = cell.metadata.get("nbgrader")
        if not marks:
            yield Cell(cell.cell_type, cell.source, Role.OWN, cell.id)
            continue
        role = Role.SOLUTION if marks.solution else Role.GRADE if marks.grade else Role.GIVEN
        yield Cell(cell.cell_type, cell.source, role, cell.id, marks.get("points"))
