"""Small plain assignments, one for each kind of cell and habit of their authors, and what students hand in for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nbformat import NotebookNode

from tests import plain_notebooks as plain

SECONDS = 4  # that a cell may take


@dataclass(frozen=True)
class Habit:
    """An assignment's source, the texts that students write into its cells, and files of the course's and of theirs."""

    source: NotebookNode
    students: Mapping[str, Mapping[str, str]]
    files: Mapping[str, str] = field(default_factory=dict)
    theirs: Mapping[str, str] = field(default_factory=dict)


def _solved(name: str, head: str, right: str) -> NotebookNode:
    body = right.replace("\n", "\n    ")
    return plain.solution(name, f"def {head}:\n    ### BEGIN SOLUTION\n    {body}\n    ### END SOLUTION")


def _written(name: str, head: str, body: str) -> dict[str, str]:
    return {name: f"def {head}:\n    " + body.replace("\n", "\n    ")}


SQUARE = _solved("square", "square(x)", "return x * x")
RIGHT, WRONG = _written("square", "square(x)", "return x * x"), _written("square", "square(x)", "return x + x")
BOTH = {"right": RIGHT, "wrong": WRONG}

TABLE = """\
class Table:
    def __repr__(self):
        return '1.5'

    def _repr_html_(self):
        return '<table></table>'
"""

HABITS = {
    "asserts": Habit(
        plain.notebook(
            SQUARE,
            plain.test("small", 0.3, "assert square(2) == 4"),
            plain.test(
                "hidden",
                1.25,
                "assert square(0) == 0\n### BEGIN HIDDEN TESTS\nassert square(3) == 9\n### END HIDDEN TESTS",
            ),
        ),
        BOTH | {"raises": _written("square", "square(x)", "raise KeyError(x)"), "syntax": {"square": "def square(x:"}},
    ),
    "partial": Habit(
        plain.notebook(
            SQUARE,
            plain.test("share", 3, "sum(square(x) == x * x for x in (0, 2, 3))"),
            plain.test("words", 2, "square(1)\n'well done'"),
            plain.test("below", 2, "-1.0"),
            plain.test("array", 2, "import numpy as np\nnp.float64(0.5) * (square(3) == 9)"),
            plain.test("shown", 2, "print(square(1))\ndisplay(0.25)\n0.25"),
        ),
        BOTH,
    ),
    "stderr": Habit(
        plain.notebook(
            SQUARE,
            plain.test("warns", 1, "import warnings\nwarnings.warn('old')\nassert square(3) == 9"),
            plain.test("complains", 1, "import sys\nprint('odd', file=sys.stderr)"),
            plain.test("logs", 1, "import logging\nlogging.warning('odd')"),
            plain.test("students", 1, "square(3);"),
        ),
        BOTH | {"warns": _written("square", "square(x)", "import warnings\nwarnings.warn('mine')\nreturn x * x")},
    ),
    "magics": Habit(
        plain.notebook(
            SQUARE,
            plain.code("%matplotlib inline\n%load_ext autoreload"),
            plain.test("time", 1, "%%time\nassert square(3) == 9"),
            plain.test("capture", 1, "%%capture said\nprint(square(3))"),
            plain.test("captured", 1, "assert said.stdout == '9\\n'"),
            plain.code("%%writefile helper_of_mine.py\nnine = 9"),
            plain.test("writefile", 1, "import helper_of_mine\nassert square(3) == helper_of_mine.nine"),
            plain.test("line", 1, "spent = %timeit -n1 -r1 -o -q square(3)\nassert spent.best < 1"),
        ),
        BOTH,
    ),
    "random": Habit(
        plain.notebook(
            SQUARE,
            plain.test(
                "drawn", 2, "import random\nfor _ in range(20):\n    x = random.random()\n    assert square(x) == x * x"
            ),
            plain.test(
                "arrays",
                2,
                "import numpy as np\nx = np.random.default_rng().normal(size=5)\nassert np.allclose(square(x), x * x)",
            ),
        ),
        BOTH,
    ),
    "timing": Habit(
        plain.notebook(
            SQUARE,
            plain.test(
                "fast", 1, "import time\nstart = time.perf_counter()\nsquare(3)\nassert time.perf_counter() - start < 2"
            ),
            plain.test("after", 1, "time.sleep(0.2)\nassert square(3) == 9"),
        ),
        BOTH
        | {
            "hangs": _written("square", "square(x)", "while x:\n    pass"),
            "slow": _written("square", "square(x)", "import time\ntime.sleep(2.5)\nreturn x * x"),
        },
    ),
    "files": Habit(
        plain.notebook(
            plain.code("from tools.helper import read"),
            _solved("total", "total()", "return sum(read('points.csv'))"),
            plain.test("reads", 2, "assert total() == 6"),
            plain.test("own", 1, "import mine\nassert mine.answer == 42"),
            plain.test("writes", 1, "open('out.txt', 'w').write(str(total()))\nassert open('out.txt').read() == '6'"),
        ),
        {
            "right": _written("total", "total()", "return sum(read('points.csv'))"),
            "wrong": _written("total", "total()", "return open('elsewhere.csv')"),
        },
        files={"points.csv": "1\n2\n3\n", "tools/helper.py": "def read(name):\n    return map(int, open(name))\n"},
        theirs={"mine.py": "answer = 42\n", "points.csv": "9\n"},
    ),
    "figures": Habit(
        plain.notebook(
            plain.code("import matplotlib.pyplot as plt"),
            _solved("draw", "draw(axes)", "axes.plot([1, 2])"),
            plain.test("lines", 2, "figure, axes = plt.subplots()\ndraw(axes)\nassert len(axes.lines) == 1"),
            plain.test("shown", 1, "plt.plot([1, 2])\nplt.show()"),
            plain.test("last", 1, "figure"),
        ),
        {"right": _written("draw", "draw(axes)", "axes.plot([1, 2])"), "wrong": _written("draw", "draw(axes)", "pass")},
    ),
    "tables": Habit(
        plain.notebook(
            plain.code(TABLE),
            SQUARE,
            plain.test("html", 2, "assert square(3) == 9\nTable()"),
            plain.test("only-html", 2, "from IPython.display import HTML\nHTML('<b>0</b>')"),
        ),
        BOTH,
    ),
    "by-hand": Habit(
        plain.notebook(
            plain.by_hand("why", 2, "### BEGIN SOLUTION\nBecause.\n### END SOLUTION"),
            plain.by_hand("plot", 3, "### BEGIN SOLUTION\nprint(1)\n### END SOLUTION", "code"),
            plain.task("essay", 4, "Write something below."),
            plain.code("# here"),
        ),
        {
            "right": {"why": "So it is.", "plot": "print(2)"},
            "half": {"why": "So it is."},
            "edits": {"essay": "Nothing asked."},
        },
    ),
    "read-only": Habit(
        plain.notebook(
            plain.locked("given", "def helper(x):\n    return x"),
            SQUARE,
            plain.test("uses", 1, "assert helper(square(3)) == 9"),
        ),
        BOTH | {"edits": {**WRONG, "given": "def helper(x):\n    return 9", "uses": "assert True"}},
    ),
    "odd": Habit(
        plain.notebook(
            SQUARE,
            plain.test("unicode", 1, "assert square(3) == 9, 'größer als π 注意'"),
            plain.test("awaits", 1, "import asyncio\nawait asyncio.sleep(0)\nassert square(3) == 9"),
            plain.test("environment", 1, "import os\nassert os.environ['NBGRADER_EXECUTION'] == 'autograde'"),
            plain.test("main", 1, "assert __name__ == '__main__'"),
            plain.test("redefines", 1, "kept = square\ndel square\nassert kept(3) == 9\nsquare = kept"),
            plain.test("empty", 1, ""),
            plain.test("comment", 1, "# nothing"),
        ),
        BOTH
        | {
            "exits": _written("square", "square(x)", "import sys\nsys.exit(1)"),
            "asks": _written("square", "square(x)", "return input()"),
            "interrupts": _written("square", "square(x)", "raise KeyboardInterrupt"),
            "prints": _written("square", "square(x)", "print('y' * 1000)\nreturn x * x"),
        },
    ),
}
