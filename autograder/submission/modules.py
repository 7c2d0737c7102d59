"""The modules that students have written beside the notebook, read as cells that are imported and not run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from autograder.exercise.modules import module_name, without_imports
from autograder.report import Finding
from autograder.submission.cells import Cell, Role

_LARGEST = 1 << 20


def module_cell(file: str, text: str) -> Cell:
    """The cell that a module is."""
    return Cell("code", text, Role.SOLUTION, f"file-{module_name(file)}", file=file)


def importing_nothing(cell: Cell, cells: Collection[Cell]) -> Cell | None:
    """A cell of the course's less what it takes from modules: one of them has ended the process when it was imported.

    cells: those of the notebook, modules among them. None where the cell is another one.
    """
    files = [one.file for one in cells if one.file]
    code = without_imports(cell.source, files)
    return replace(cell, cleared=code) if cell.role is Role.GIVEN and code != cell.source else None


def read_modules(files: Mapping[str, bytes]) -> tuple[list[Cell], list[Finding]]:
    """Those that were handed in, by the names of their files, as cells; what is too large is not among them."""
    cells, findings = list[Cell](), list[Finding]()
    for file, content in files.items():
        if len(content) > _LARGEST:
            findings.append(Finding("ignored", f"{file} was not looked at: it is larger than {_LARGEST >> 20} MiB"))
            continue
        text = content.decode("utf-8-sig", "replace")
        if text.encode() != content.removeprefix(b"\xef\xbb\xbf"):
            findings.append(Finding("edited", f"{file} is no text in UTF-8; it was read as far as it is"))
        cells.append(module_cell(file, text.replace("\r\n", "\n").replace("\r", "\n")))
    return cells, findings
