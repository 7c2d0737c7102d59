"""Notebook cells run by IPython without a kernel: the same magics, displays and figures, in the process that forks.

Left out on purpose: shell commands, `input()`, history, colours. Outputs are nbformat's, of plain types only, and
capped; tracebacks show the notebook's own cells and nothing else.

No other module touches IPython; `tests/inside/test_ipython_contract.py` states what is relied on of its inside.
"""

from __future__ import annotations

import base64
import builtins
import io
import linecache
import os
import sys
import traceback
import warnings
from typing import Any

from IPython.core.compilerop import CachingCompiler
from IPython.core.display_trap import DisplayTrap
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from IPython.external.pickleshare import PickleShareDB
from traitlets.config import Config

from autograder.inside import own_code

_SHOWN_TYPES = ("text/plain", "image/png", "image/jpeg")  # as `isolation.replies` has them
_TRACEBACK_FRAMES = 10
_NAME = 100  # characters of a name
_TEXT = 2000  # characters of a message or a line of code
_NO_COMMANDS = "Shell commands are not run while grading.\n"
_MOST_OUTPUTS = 1000
_TOO_MUCH = "\n[more output than a graded cell may have; the rest is left out]\n"
_COMMANDS = "! bash perl pypy python python2 python3 ruby script sh sx system".split()


class Shell:
    """One notebook's interpreter. Made before the fork; each fork's copy is its own."""

    def __init__(self) -> None:
        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "nocolor"
        self._outputs = _Outputs()
        self._ipython = _IPython.instance(config=config)
        self._ipython.show(self._outputs)
        self._streams = _Stream(self._outputs, "stdout"), _Stream(self._outputs, "stderr")
        self._names: dict[str, object] = self._ipython.user_ns
        self._ipython.extension_manager.load_extension("storemagic")  # as a kernel does
        builtins.input = _no_input
        warnings.filterwarnings("ignore", message="To exit: use")
        if "matplotlib" in sys.modules:
            _show_figures_inline(self._ipython)

    @property
    def namespace(self) -> dict[str, object]:
        """The notebook's global names."""
        return self._names

    @property
    def is_incomplete(self) -> bool:
        """Whether something of the last cell was left out: output beyond its room, or a shell command."""
        return self._outputs.is_incomplete

    def keep_in(self, folder: str) -> None:
        """Let magics such as %cd, %bookmark and %store note there what they note for later."""
        self._ipython.kept_in = os.path.join(folder, ".ipython")

    def run(self, source: str, number: int, room: int) -> tuple[list[dict[str, Any]], BaseException | None]:
        """Run one cell. number: its place among the code cells; room: bytes of output kept.

        The cell's outputs, and the exception that ended it; where it left through `sys.exit`, SystemExit.
        """
        self._start(room)
        self._ipython.execution_count = number
        result = self._ipython.run_cell(source, store_history=True)
        return self._outputs.joined(), result.error_before_exec or result.error_in_exec

    def probe(self) -> None:
        """Errors: any, where it runs no more cells in the same names: a cell can break that without an error there."""
        self._start(0)
        self._ipython.push({}, interactive=False)  # as for the history of a cell that is not silent
        self._ipython.run_cell("None", silent=True).raise_error()
        if self._ipython.user_ns is not self._names:
            raise RuntimeError("the names are others")

    def _start(self, room: int) -> None:
        self._outputs.start(room)
        sys.stdout, sys.stderr = self._streams


class _Outputs:
    """The outputs of the running cell, up to its room."""

    def __init__(self) -> None:
        self.start(0)

    def start(self, room: int) -> None:
        self.is_incomplete = False
        self.items: list[dict[str, Any]] = []
        self._room = room

    def add(self, item: dict[str, Any], size: int) -> None:
        if self._take(size):
            self.items.append(item)

    def write(self, name: str, text: str) -> None:
        if text and self._room >= 0:
            self._extend(name, text[: self._room])
            self._take(len(text))

    def joined(self) -> list[dict[str, Any]]:
        return [item | {"text": "".join(item["text"])} if "text" in item else item for item in self.items]

    def _extend(self, name: str, text: str) -> None:
        last = self.items[-1] if self.items else {}
        if last.get("output_type") == "stream" and last["name"] == name:
            last["text"].append(text)
        else:
            self.items.append({"output_type": "stream", "name": name, "text": [text]})

    def _take(self, size: int) -> bool:
        had_room, self._room = self._room >= 0, self._room - size
        if len(self.items) >= _MOST_OUTPUTS:
            self._room = min(self._room, -1)
        if had_room and self._room < 0:
            self.is_incomplete = True
            self._extend("stderr", _TOO_MUCH)
        return self._room >= 0


class _Stream(io.TextIOBase):
    encoding = "utf-8"

    def __init__(self, outputs: _Outputs, name: str) -> None:
        self._outputs = outputs
        self._name = name

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._outputs.write(self._name, text)
        return len(text)


class _Publisher(DisplayPublisher):
    outputs: _Outputs

    def publish(self, data: dict[str, Any], metadata: Any = None, **_: Any) -> None:
        shown = _shown(data)
        self.outputs.add({"output_type": "display_data", "data": shown, "metadata": {}}, _size(shown))

    def clear_output(self, wait: bool = False) -> None:
        self.outputs.items.clear()


class _Hook(DisplayHook):
    outputs: _Outputs

    def write_output_prompt(self) -> None:
        """Nothing: the prompt's number is the output's execution count."""

    def write_format_data(self, format_dict: dict[str, Any], md_dict: Any = None) -> None:
        shown = _shown(format_dict)
        result = {"output_type": "execute_result", "data": shown, "metadata": {}, "execution_count": self.prompt_count}
        self.outputs.add(result, _size(shown))

    def finish_displayhook(self) -> None:
        self._is_active = False


class _Compiler(CachingCompiler):
    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        return f"<cell {number}>"


class _IPython(InteractiveShell):
    compiler_class = _Compiler
    kept_in = ""
    _db: PickleShareDB | None = None

    @property
    def db(self) -> PickleShareDB:
        """IPython's own would lie beside its profile, which is no student's to write."""
        if self._db is None:
            self._db = PickleShareDB(self.kept_in)
        return self._db

    def show(self, outputs: _Outputs) -> None:
        self.outputs = outputs
        self.display_pub.outputs = self.displayhook.outputs = outputs

    def init_display_pub(self) -> None:
        self.display_pub = _Publisher(parent=self, shell=self)

    def init_displayhook(self) -> None:
        self.displayhook = _Hook(parent=self, shell=self, cache_size=self.cache_size)
        self.display_trap = DisplayTrap(hook=self.displayhook)

    def init_magics(self) -> None:
        super().init_magics()
        for name in _COMMANDS:
            for kind in ("line", "cell"):
                self.register_magic_function(_refuse_command, kind, name)

    def showtraceback(self, exc_tuple: Any = None, *_: Any, **__: Any) -> None:
        kind, error, _trace = self._get_exc_info(exc_tuple)
        if kind is not SystemExit:
            item = {"output_type": "error", "ename": kind.__name__[:_NAME], "evalue": _message(error)}
            self.outputs.items.append(item | {"traceback": _own_traceback(error)})

    showsyntaxerror = showindentationerror = showtraceback

    def _format_exception_for_storage(self, exception: BaseException, *_: Any, **__: Any) -> dict[str, Any]:
        return {}  # the history's; an exception that cannot be printed would raise a second one here

    def refuse_command(self) -> None:
        self.outputs.is_incomplete = True
        sys.stderr.write(_NO_COMMANDS)

    def system(self, command: str) -> None:
        self.refuse_command()

    system_piped = system_raw = system

    def getoutput(self, command: str, split: bool = True, depth: int = 0) -> list[str]:
        self.refuse_command()
        return []

    def ask_exit(self) -> None:
        """Nothing: a notebook has no end to ask for."""

    def enable_gui(self, gui: str | None = None) -> None:
        """Nothing: there is no window system."""


def _refuse_command(line: str = "", cell: str = "") -> None:
    _IPython.instance().refuse_command()


def _no_input(prompt: object = "") -> str:
    raise EOFError("input() has nobody to ask while grading")


def _show_figures_inline(ipython: InteractiveShell) -> None:
    from matplotlib_inline.backend_inline import configure_inline_support

    backend = os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    sys.modules["matplotlib"].use(backend)
    configure_inline_support(ipython, backend)
    _draw_once()


def _draw_once() -> None:
    """Load fonts and lay out what most figures have, so that each fork's first figure is not its slowest."""
    pyplot = sys.modules["matplotlib.pyplot"]
    figure, axes = pyplot.subplots()
    axes.semilogy([1, 2], [1e-9, 1e9], "o-", label="$10^{2}$")
    axes.set(title="0123456789", xlabel="x", ylabel="y")
    axes.legend()
    axes.grid()
    figure.savefig(io.BytesIO(), bbox_inches="tight")
    pyplot.close(figure)


def _own_traceback(error: BaseException) -> list[str]:
    """The error as lines: its places in the student's own code, then what Python says of it."""
    if isinstance(error, SyntaxError) and (place := own_code.place_of(error.filename)):
        error.filename = place if isinstance(place, str) else error.filename  # without the path
        return [line.rstrip()[:_TEXT] for line in traceback.format_exception_only(error)]
    frames = [
        (place, frame)
        for frame in traceback.extract_tb(error.__traceback__)
        if (place := own_code.place_of(frame.filename)) is not None
    ]
    lines = []
    for place, frame in frames[-_TRACEBACK_FRAMES:]:
        code = linecache.getline(frame.filename, frame.lineno or 0).strip()
        lines += [f"{own_code.told(place)}, line {frame.lineno}, in {frame.name}", f"    {code[:_TEXT]}"]
    message = error.msg if isinstance(error, SyntaxError) else _message(error)
    return [*lines, f"{type(error).__name__[:_NAME]}: {message}"]


def _message(error: BaseException) -> str:
    try:
        return str(error)[:_TEXT]
    except Exception:
        return ""


def _shown(data: dict[str, Any]) -> dict[str, str]:
    """The representations that a graded notebook shows. HTML, scripts and vector images are left out."""
    kept = {kind: data[kind] for kind in _SHOWN_TYPES if kind in data}
    return {kind: _as_text(value) for kind, value in kept.items()}


def _as_text(value: object) -> str:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


def _size(data: dict[str, str]) -> int:
    return sum(map(len, data.values()))
