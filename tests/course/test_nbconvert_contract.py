"""What this package relies on in nbconvert; another version is to fail here first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from traitlets.config import Config, Configurable

QUIET = Config({"Exporter": {"default_preprocessors": []}})


class Sign(Preprocessor):
    """Writes down who exports, and what it is told."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        nb.cells.append(nbformat.v4.new_markdown_cell(f"{self.parent.name} {resources['nbgrader']}"))
        return nb, resources


class Named(NotebookExporter):
    name = "ours"


def test_an_exporter_knows_who_made_it() -> None:
    parent = Configurable()
    assert Named(parent=parent, config=QUIET).parent is parent


def test_a_notebook_goes_through_the_preprocessors_to_json_whether_from_a_file_or_not(tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook()
    path = tmp_path / "tiny.ipynb"
    nbformat.write(notebook, path)
    exporter = Named(config=QUIET)
    exporter.register_preprocessor(Sign, enabled=True)
    for text, resources in (
        exporter.from_filename(str(path), resources={"nbgrader": "told"}),
        exporter.from_notebook_node(notebook, resources={"nbgrader": "told"}),
    ):
        assert [cell.source for cell in nbformat.reads(text, 4).cells] == ["ours told"]
        assert resources["nbgrader"] == "told"
    assert notebook.cells == []
