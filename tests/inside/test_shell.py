"""What a notebook cell leaves behind: its outputs as a notebook shows them, of every kind of cell that is handed in."""

from __future__ import annotations

import base64
import json
import sys
import tempfile
from typing import Any

import pytest

from autograder.exercise.definition import Limits
from autograder.isolation.sandbox import Sandbox
from tests.sessions import SMALL, runs

NO_COMMANDS = {
    "output_type": "stream",
    "name": "stderr",
    "text": "Shell commands are not run while grading.\n",
}
TOO_MUCH = "\n[more output than a graded cell may have; the rest is left out]\n"
MIB = 1 << 20


def outputs(sandbox: Sandbox, *cells: str, limits: Limits = SMALL) -> list[dict[str, Any]]:
    """The outputs of the last of these cells, none of which ends the process."""
    done = runs(sandbox, *cells, limits=limits)
    assert [run.ended for run in done] == [None] * len(cells)
    return done[-1].outputs


def stream(name: str, text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def result(text: str, number: int = 1) -> dict[str, Any]:
    return {
        "output_type": "execute_result",
        "data": {"text/plain": text},
        "metadata": {},
        "execution_count": number,
    }


def displayed(text: str) -> dict[str, Any]:
    return {"output_type": "display_data", "data": {"text/plain": text}, "metadata": {}}


def error(name: str, message: str, *places: str) -> dict[str, Any]:
    return {
        "output_type": "error",
        "ename": name,
        "evalue": message,
        "traceback": [*places, f"{name}: {message}"],
    }


# --- text and results ---


def test_prints_are_joined_and_come_before_the_result(sandbox: Sandbox) -> None:
    assert outputs(sandbox, "print('a')\nprint('b', end='')\n1 + 1") == [stream("stdout", "a\nb"), result("2")]


def test_the_two_streams_stay_apart_and_in_order(sandbox: Sandbox) -> None:
    cell = "import sys\nprint('one')\nprint('two', file=sys.stderr)\nprint('three')"
    assert outputs(sandbox, cell) == [stream("stdout", "one\n"), stream("stderr", "two\n"), stream("stdout", "three\n")]


@pytest.mark.parametrize("cell", ["1 + 1;", "None", "x = 3", "", "# nothing", "exit", "quit()"])
def test_cells_without_a_result_show_none(sandbox: Sandbox, cell: str) -> None:
    assert outputs(sandbox, cell) == []


def test_cells_are_numbered_from_top_to_bottom_as_if_run_once(sandbox: Sandbox) -> None:
    assert outputs(sandbox, "1", "1/0", "'third'") == [result("'third'", 3)]


def test_the_last_result_has_its_usual_names(sandbox: Sandbox) -> None:
    assert outputs(sandbox, "6 * 7", "_, Out[1], In[1]") == [result("(42, 42, '6 * 7')", 2)]


def test_display_shows_data(sandbox: Sandbox) -> None:
    assert outputs(sandbox, "display(3)\nfrom IPython.display import display as d\nd('x')") == [
        displayed("3"),
        displayed("'x'"),
    ]


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("from IPython.display import HTML\ndisplay(HTML('<script>alert(1)</script>'))", "HTML"),
        ("%%html\n<script>alert(1)</script>", "HTML"),
        ("%%javascript\nalert(1)", "Javascript"),
        ("from IPython.display import SVG\ndisplay(SVG('<svg><script>alert(1)</script></svg>'))", "SVG"),
        ("from IPython.display import Markdown\ndisplay(Markdown('<script>alert(1)</script>'))", "Markdown"),
    ],
)
def test_what_a_page_would_run_is_left_out_of_a_display(sandbox: Sandbox, cell: str, name: str) -> None:
    assert outputs(sandbox, cell) == [displayed(f"<IPython.core.display.{name} object>")]


def test_a_display_without_text_gets_a_blank_one(sandbox: Sandbox) -> None:
    assert outputs(sandbox, "display({'text/html': '<b>'}, raw=True)") == [displayed(" ")]


def test_cleared_output_is_gone(sandbox: Sandbox) -> None:
    cell = "from IPython.display import clear_output\nprint(1)\nclear_output()\nprint(2)"
    assert outputs(sandbox, cell) == [stream("stdout", "2\n")]


def test_warnings_go_to_stderr_with_their_line(sandbox: Sandbox) -> None:
    cell = "import warnings\nwarnings.warn('careful')"
    assert outputs(sandbox, cell) == [
        stream("stderr", "<cell 1>:2: UserWarning: careful\n  warnings.warn('careful')\n")
    ]


def test_numerical_warnings_are_shown_as_by_default(sandbox: Sandbox) -> None:
    (warned,) = outputs(sandbox, "import numpy as np", "x = np.float64(1.0) / 0")
    assert warned == stream(
        "stderr",
        "<cell 2>:1: RuntimeWarning: divide by zero encountered in scalar divide\n  x = np.float64(1.0) / 0\n",
    )


def test_a_replaced_stdout_takes_the_text_and_later_cells_still_run(sandbox: Sandbox) -> None:
    cells = ("import io, sys\nsys.stdout = caught = io.StringIO()\nprint('x')", "caught.getvalue()")
    assert outputs(sandbox, *cells) == [result("'x\\n'", 2)]


# --- the room for output ---


def test_output_up_to_the_room_is_kept_whole(sandbox: Sandbox) -> None:
    assert outputs(sandbox, f"print('x' * {MIB - 1})") == [stream("stdout", "x" * (MIB - 1) + "\n")]


@pytest.mark.parametrize(
    "cell",
    [
        "print('x' * 10**8)",
        "for _ in range(100):\n    print('x' * 10**6, end='')",
        pytest.param("for _ in range(1025):\n    print('x' * 1024, end='')", id="a text that just fills the room"),
    ],
)
def test_output_beyond_the_room_is_cut_with_a_notice(sandbox: Sandbox, cell: str) -> None:
    assert outputs(sandbox, cell) == [stream("stdout", "x" * MIB), stream("stderr", TOO_MUCH)]


def test_the_room_is_for_each_cell(sandbox: Sandbox) -> None:
    assert outputs(sandbox, "print('x' * 10**8)", "print('y')") == [stream("stdout", "y\n")]


def test_a_display_that_does_not_fit_is_left_out(sandbox: Sandbox) -> None:
    cell = "from IPython.display import Pretty\ndisplay(Pretty('x' * 10**7))"
    assert outputs(sandbox, cell) == [stream("stderr", TOO_MUCH)]


@pytest.mark.parametrize(
    "cell",
    [
        pytest.param("print('\\N{GRINNING FACE}' * 10**6)", id="long characters"),
        pytest.param(
            "import sys\nfor _ in range(60_000):\n    sys.stdout.write('a')\n    sys.stderr.write('b')",
            id="two streams by turns",
        ),
        pytest.param("raise type('E' * 10**7, (Exception,), {})('m')", id="a long name of an error"),
    ],
)
def test_no_amount_of_output_ends_the_process(sandbox: Sandbox, cell: str) -> None:
    limits = Limits(cpu_seconds=10, memory=1024)
    first, after = runs(sandbox, cell, "1 + 1", limits=limits)
    assert first.ended is None
    assert 0 < len(json.dumps(first.outputs, ensure_ascii=False).encode()) < 8 * MIB
    assert after.outputs == [result("2", 2)]


# --- errors ---


def test_a_traceback_shows_the_notebooks_own_lines_alone(sandbox: Sandbox) -> None:
    cells = (
        "import numpy as np\n\ndef f(n):\n    if n == 0:\n        return np.linalg.inv(np.zeros((2, 2)))\n"
        "    return f(n - 1)",
        "# twice\nlist(map(f, [1]))",
    )
    assert outputs(sandbox, *cells) == [
        error(
            "LinAlgError",
            "Singular matrix",
            "cell 2, line 2, in <module>",
            "    list(map(f, [1]))",
            "cell 1, line 6, in f",
            "    return f(n - 1)",
            "cell 1, line 5, in f",
            "    return np.linalg.inv(np.zeros((2, 2)))",
        )
    ]


def test_line_numbers_are_right_below_a_magic(sandbox: Sandbox) -> None:
    assert outputs(sandbox, "%matplotlib inline\n\nx = 1 / 0") == [
        error("ZeroDivisionError", "division by zero", "cell 1, line 3, in <module>", "    x = 1 / 0")
    ]


def test_deep_tracebacks_are_cut(sandbox: Sandbox) -> None:
    (shown,) = outputs(sandbox, "def f(n):\n    return f(n + 1)\nf(0)", limits=Limits())
    assert shown["ename"] == "RecursionError"
    assert shown["traceback"] == [
        *["cell 1, line 2, in f", "    return f(n + 1)"] * 10,
        f"RecursionError: {shown['evalue']}",
    ]


def test_a_syntax_error_points_at_its_place(sandbox: Sandbox) -> None:
    assert outputs(sandbox, "x = 1\ny = = 2") == [
        {
            "output_type": "error",
            "ename": "SyntaxError",
            "evalue": "invalid syntax (<cell 1>, line 2)",
            "traceback": ['  File "<cell 1>", line 2', "    y = = 2", "        ^", "SyntaxError: invalid syntax"],
        }
    ]


def test_an_error_in_a_repr_is_the_cells_error(sandbox: Sandbox) -> None:
    cells = ("class Bad:\n    def __repr__(self):\n        raise ValueError('shy')", "Bad()")
    assert outputs(sandbox, *cells) == [
        error("ValueError", "shy", "cell 1, line 3, in __repr__", "    raise ValueError('shy')")
    ]


def test_an_error_that_cannot_be_printed_is_named(sandbox: Sandbox) -> None:
    cell = "class Bad(Exception):\n    def __str__(self):\n        raise ValueError\nraise Bad"
    assert outputs(sandbox, cell) == [error("Bad", "", "cell 1, line 4, in <module>", "    raise Bad")]


def test_a_syntax_error_made_up_by_hand_is_one_error(sandbox: Sandbox) -> None:
    (shown,) = outputs(sandbox, "raise SyntaxError('odd', ('file', 'no number', 1, 'text'))")
    assert (shown["ename"], shown["traceback"][-1]) == ("SyntaxError", "SyntaxError: odd")


@pytest.mark.parametrize("cell", ["raise KeyboardInterrupt", "raise GeneratorExit", "import asyncio\nasyncio.run(1)"])
def test_any_exception_is_shown_and_the_next_cell_runs(sandbox: Sandbox, cell: str) -> None:
    failed, after = runs(sandbox, cell, "1 + 1")
    assert [output["output_type"] for output in failed.outputs] == ["error"]
    assert after.outputs == [result("2", 2)]


@pytest.mark.parametrize(
    "cell", ["import sys\nsys.exit(3)", "raise SystemExit", "exit()", "import sys\nsys.exit('bye')"]
)
def test_leaving_is_no_error_and_the_next_cell_runs(sandbox: Sandbox, cell: str) -> None:
    left, after = runs(sandbox, cell, "1 + 1")
    assert (left.outputs, left.ended) == ([], None)
    assert after.outputs == [result("2", 2)]


# --- magics, commands, questions ---


@pytest.mark.parametrize(
    "cell",
    [
        "!echo hi",
        "%sx echo hi",
        "%system echo hi",
        "%%bash\necho hi",
        "%%sh\necho hi",
        "%%script sh\necho hi",
        "%%!\necho hi",
        "files = !ls",
        "get_ipython().system('echo hi')",
        "%%python3\nprint('hi')",
        "%%perl\nprint 'hi'",
    ],
)
def test_shell_commands_are_refused_with_a_notice(sandbox: Sandbox, cell: str) -> None:
    assert outputs(sandbox, cell) == [NO_COMMANDS]


@pytest.mark.parametrize("cell", ["%pip install nothing", "!pip install nothing"])
def test_nothing_is_installed(sandbox: Sandbox, cell: str) -> None:
    assert outputs(sandbox, cell)[0] == NO_COMMANDS


@pytest.mark.parametrize("cell", ["files = !ls\nfiles", "!!ls"])
def test_the_output_of_a_refused_command_is_an_empty_list(sandbox: Sandbox, cell: str) -> None:
    assert outputs(sandbox, cell) == [NO_COMMANDS, result("[]")]


def test_input_has_nobody_to_ask(sandbox: Sandbox) -> None:
    assert outputs(sandbox, "name = input('Your name? ')") == [
        error(
            "EOFError",
            "input() has nobody to ask while grading",
            "cell 1, line 1, in <module>",
            "    name = input('Your name? ')",
        )
    ]


@pytest.mark.parametrize("cell", ["%debug", "breakpoint()", "help()", "import getpass\ngetpass.getpass()"])
def test_what_waits_for_a_person_ends_by_itself(sandbox: Sandbox, cell: str) -> None:
    first, after = runs(sandbox, cell, "1 + 1")
    assert first.ended is None
    assert after.outputs == [result("2", 2)]


def test_top_level_await_works(sandbox: Sandbox) -> None:
    assert outputs(sandbox, "import asyncio\nawait asyncio.sleep(0.01)\n'slept'") == [result("'slept'")]


def test_an_event_loop_of_ones_own_works(sandbox: Sandbox) -> None:
    cell = "import asyncio\nasync def f():\n    await asyncio.sleep(0.01)\n    return 5\nasyncio.run(f())"
    assert outputs(sandbox, cell) == [result("5")]


def test_captured_output_is_the_notebooks_own(sandbox: Sandbox) -> None:
    assert outputs(sandbox, "%%capture caught\nprint(5)", "caught.stdout") == [result("'5\\n'", 2)]


def test_a_written_module_can_be_imported(sandbox: Sandbox) -> None:
    cells = ("%%writefile helper.py\nanswer = 42", "import helper\nhelper.answer")
    assert outputs(sandbox, *cells) == [result("42", 2)]


def test_an_unknown_magic_is_an_error(sandbox: Sandbox) -> None:
    (shown,) = outputs(sandbox, "%no_such_magic")
    assert (shown["ename"], shown["evalue"]) == ("UsageError", "Line magic function `%no_such_magic` not found.")


def test_timing_magics_run_their_code(sandbox: Sandbox) -> None:
    assert outputs(sandbox, "%%time\nx = 6", "%timeit -n1 -r1 x * 7", "x") == [result("6", 3)]


# --- figures ---


@pytest.mark.parametrize(
    "cell",
    [
        "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2]);",
        "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()",
        "import matplotlib\nmatplotlib.use('Agg')\nfrom matplotlib.figure import Figure\n"
        "figure = Figure()\nfigure.subplots().plot([1, 2])\ndisplay(figure)",
    ],
    ids=["at the end of the cell", "shown", "displayed"],
)
def test_a_figure_is_a_png_with_a_text(sandbox: Sandbox, cell: str) -> None:
    (figure,) = outputs(sandbox, cell)
    assert figure["output_type"] == "display_data"
    assert sorted(figure["data"]) == ["image/png", "text/plain"]
    assert figure["data"]["text/plain"] == "<Figure size 640x480 with 1 Axes>"
    assert base64.b64decode(figure["data"]["image/png"], validate=True).startswith(b"\x89PNG\r\n\x1a\n")


def test_a_figure_is_shown_once_and_not_with_later_cells(sandbox: Sandbox) -> None:
    cells = ("import matplotlib.pyplot as plt\nplt.plot([1, 2]);", "1 + 1")
    assert outputs(sandbox, *cells) == [result("2", 2)]


def test_the_same_figure_gives_the_same_bytes(sandbox: Sandbox) -> None:
    cell = "import matplotlib.pyplot as plt\nplt.plot([1, 2]);"
    assert outputs(sandbox, cell) == outputs(sandbox, cell)


@pytest.mark.parametrize("data", ["abc", "'); alert(1)", "\\N{GREEK SMALL LETTER ALPHA}"])
def test_an_image_that_is_none_comes_out_as_plain_base64(sandbox: Sandbox, data: str) -> None:
    (shown,) = outputs(sandbox, f"display({{'image/png': \"{data}\"}}, raw=True)")
    assert set(shown["data"]) <= {"image/png", "text/plain"}
    base64.b64decode(shown["data"].get("image/png", ""), validate=True)


# --- nothing of the machine is shown ---


@pytest.mark.parametrize(
    "cell",
    [
        "object()",
        "import os\nos.getcwd()",
        "import sys\n(sys.prefix, sys.base_prefix, sys.executable)",
        "import os\nprint(os.environ['HOME'], os.environ['TMPDIR'], os.environ['MPLCONFIGDIR'])",
        "import os, sys\nprint(sys.path, file=sys.stderr)",
        "import os\nraise ValueError(os.getcwd(), object())",
        "import tempfile\ndisplay(tempfile.mkdtemp())",
        "import numpy\nnumpy",
        "open('missing.txt')",
        "print('\\x1b[31mred\\x1b[0m \\x07\\x00')",
        "breakpoint()",
        "import os\nraise type(os.getcwd(), (Exception,), {})",
    ],
)
def test_paths_addresses_and_control_characters_are_scrubbed(sandbox: Sandbox, cell: str) -> None:
    (run,) = runs(sandbox, cell)
    text = json.dumps(run.outputs, ensure_ascii=False)
    assert run.outputs
    for secret in (sys.prefix, sys.base_prefix, tempfile.gettempdir() + "/autograder-", "0x7", "0x5", "\\u00"):
        assert secret not in text
