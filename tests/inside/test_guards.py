"""Guards: calls of what is not allowed are noted where they come from a cell, and nothing else becomes other."""

from __future__ import annotations

from autograder.grading.student import Student
from autograder.isolation.replies import Note
from autograder.isolation.sandbox import Sandbox
from autograder.isolation.session import Session
from autograder.submission.notebook import Cell, Role
from tests.sessions import SMALL


def noted(sandbox: Sandbox, names: list[str], *cells: str) -> set[Note]:
    """What is noted of a notebook of these cells; none of them may fail."""
    notebook = tuple(Cell("code", source) for source in cells)
    with Session(sandbox, SMALL, notebook, {}, guarded=names) as session:
        assert [run.error for run in session.runs.values()] == [None] * len(cells)
        return session.notes


def test_a_call_is_noted_with_its_place_under_any_name(sandbox: Sandbox) -> None:
    cells = (
        "import numpy as np\nfrom numpy import gradient as g\nx = np.arange(4.0)",
        "def slope(x):\n    return g(x)\n\nslope(x)\nslope(x)\nlist(map(g, [x]))\ngetattr(np, 'grad' + 'ient')(x)",
        "assert np.gradient(x).tolist() == [1, 1, 1, 1]\nassert np.gradient.__name__ == 'gradient'",
    )
    found = {Note("numpy.gradient", cell, line) for cell, line in ((2, 6), (2, 7), (3, 1))}
    assert noted(sandbox, ["numpy.gradient"], *cells) == found


def test_what_a_function_calls_is_noted_when_a_test_calls_it_and_not_when_a_cell_tries_it(sandbox: Sandbox) -> None:
    cell = "import numpy as np\ndef slope(x):\n    return np.gradient(x)\nslope([1.0, 2.0])"
    notebook = Cell("code", cell), Cell("code", "", Role.GRADE, "t")
    with Session(sandbox, SMALL, notebook, {}, guarded=["numpy.gradient"]) as session:
        assert session.notes == set()
        Student(session, "t").slope([1.0, 2.0])
        assert session.notes == {Note("numpy.gradient", 1, 3)}


def test_what_cannot_be_guarded_or_is_not_there_stays_as_it_is(sandbox: Sandbox) -> None:
    names = ["numpy.add", "numpy.ndarray.sum", "numpy.nothing", "nothing.at.all", "numpy.linalg.norm.of", "numpy"]
    cell = (
        "import numpy as np\nassert np.add.reduce([1, 2]) == np.arange(3).sum() == 3 and isinstance(np.add, np.ufunc)"
    )
    assert noted(sandbox, names, cell) == set()


def test_what_a_library_calls_by_itself_is_not_noted(torch_sandbox: Sandbox) -> None:
    names = [
        "torch.nn.LayerNorm",
        "torch.nn.functional.layer_norm",
        "torch.nn.functional.softmax",
        "torch.Tensor.softmax",
    ]
    cells = (
        "import torch\nfrom torch import nn\nimport torch.nn.functional as F\nx = torch.ones(2, 4)",
        "norm = nn.LayerNorm(4)\nnorm(x)\nF.softmax(x, -1)\nassert isinstance(norm, nn.LayerNorm)",
        "nn.TransformerEncoderLayer(4, 2)",
        "class Own(nn.LayerNorm):\n    def __init__(self):\n        super().__init__(4)\n\nOwn()(x)",
        "assert x.softmax(-1).sum() == 2",
    )
    assert noted(torch_sandbox, names, *cells) == {
        Note("torch.nn.LayerNorm", 2, 1),
        Note("torch.nn.functional.softmax", 2, 3),
        Note("torch.Tensor.softmax", 5, 1),
    }


def test_a_note_of_a_place_that_is_none_is_not_kept(sandbox: Sandbox) -> None:
    forged = [["numpy.gradient", "x" * 10_000, 1], ["numpy.gradient", "layers.py", 2], ["numpy.gradient", 1, 3]]
    cell = (
        "import sys\nserver = sys.modules['autograder.inside.server']._Server\nsend = server._send\n"
        f"server._send = lambda self, reply: send(self, reply | {{'notes': {forged!r}}})"
    )
    module = Cell("code", "", Role.SOLUTION, "file-layers", file="layers.py")
    with Session(sandbox, SMALL, (module, Cell("code", cell)), {}, guarded=["numpy.gradient"]) as session:
        assert session.notes == {Note("numpy.gradient", "layers.py", 2), Note("numpy.gradient", 1, 3)}
