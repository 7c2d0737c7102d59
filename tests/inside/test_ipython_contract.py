"""What `inside/shell.py` relies on in IPython, matplotlib's inline backend and traitlets; another version is to fail
here first.

The shell of these tests runs in a process of its own: IPython changes the interpreter that it lives in.
"""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from typing import Any

import pytest
from IPython.core.compilerop import CachingCompiler
from IPython.core.display_trap import DisplayTrap
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from matplotlib_inline.backend_inline import configure_inline_support

from autograder import layout

SHELL = """
import sys
import warnings
from IPython.core.compilerop import CachingCompiler
from IPython.core.display_trap import DisplayTrap
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

seen = []

class Compiler(CachingCompiler):
    def get_code_name(self, raw_code, transformed_code, number):
        return f"<cell {number}>"

class Publisher(DisplayPublisher):
    def publish(self, data, metadata=None, **_):
        seen.append(("published", data["text/plain"]))
    def clear_output(self, wait=False):
        seen.append(("cleared", wait))

class Hook(DisplayHook):
    def write_output_prompt(self):
        pass
    def write_format_data(self, format_dict, md_dict=None):
        seen.append(("result", format_dict["text/plain"], self.prompt_count))
    def finish_displayhook(self):
        seen.append(("active", self.is_active))
        self._is_active = False
        seen.append(("active", self.is_active))

class Shell(InteractiveShell):
    compiler_class = Compiler
    def init_display_pub(self):
        self.display_pub = Publisher(parent=self, shell=self)
    def init_displayhook(self):
        self.displayhook = Hook(parent=self, shell=self, cache_size=self.cache_size)
        self.display_trap = DisplayTrap(hook=self.displayhook)
    def init_magics(self):
        super().init_magics()
        for kind in ("line", "cell"):
            self.register_magic_function(lambda line="", cell="": seen.append(("magic", line)), kind, "bash")
    def showtraceback(self, exc_tuple=None, *_, **__):
        kind, error, trace = self._get_exc_info(exc_tuple)
        seen.append(("error", kind.__name__))
    showsyntaxerror = showindentationerror = showtraceback
    def _format_exception_for_storage(self, exception, *_, **__):
        seen.append(("stored", type(exception).__name__))
        return {}
    def system(self, command):
        seen.append(("system", command))
    system_piped = system_raw = system
    def getoutput(self, command, split=True, depth=0):
        seen.append(("getoutput", command))
        return []
    def ask_exit(self):
        seen.append(("exit",))
    def enable_gui(self, gui=None):
        seen.append(("gui", gui))

config = Config()
config.HistoryManager.enabled = False
config.InteractiveShell.colors = "nocolor"
shell = Shell.instance(config=config)
shell.execution_count = 7
warnings.filterwarnings("ignore", message="To exit: use")
for cell in sys.argv[1:]:
    done = shell.run_cell(cell, store_history=True)
    seen.append((type(done.error_before_exec).__name__, type(done.error_in_exec).__name__))
print(seen)
"""
RIGHT = ("NoneType", "NoneType")


def seen_by_the_shell(*cells: str) -> list[Any]:
    """What was called while the cells ran, and after each its errors: before it ran, and while."""
    done = subprocess.run([sys.executable, "-c", SHELL, *cells], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    found: list[Any] = eval(done.stdout.splitlines()[-1])
    return found


def test_one_module_alone_touches_ipython_s_shell() -> None:
    """checks/showing.py displays as any notebook does, exercise/places.py asks which of a cell's lines are magics."""
    importing = re.compile(r"^\s*(from|import) IPython\b", re.MULTILINE)
    found = {path.stem for path in layout.modules() if importing.search(path.read_text(encoding="utf-8"))}
    assert found - {"showing", "places"} == {"shell"}


def test_results_and_displays_go_to_our_hook_and_publisher() -> None:
    assert seen_by_the_shell("40 + 2", "from IPython.display import clear_output\ndisplay('a')\nclear_output()") == [
        ("result", "42", 7),
        ("active", True),
        ("active", False),
        RIGHT,
        ("published", "'a'"),
        ("cleared", False),
        RIGHT,
    ]


def test_all_errors_go_through_our_methods_and_come_back_with_the_result() -> None:
    assert seen_by_the_shell("1 / 0", "1 +", "  1\n 2", "import sys; sys.exit()", "%nothing") == [
        ("error", "ZeroDivisionError"),
        ("stored", "ZeroDivisionError"),
        ("NoneType", "ZeroDivisionError"),
        ("error", "SyntaxError"),
        ("stored", "SyntaxError"),
        ("SyntaxError", "NoneType"),
        ("error", "IndentationError"),
        ("stored", "IndentationError"),
        ("IndentationError", "NoneType"),
        ("error", "SystemExit"),
        ("stored", "SystemExit"),
        ("NoneType", "SystemExit"),
        ("error", "UsageError"),
        ("stored", "UsageError"),
        ("NoneType", "UsageError"),
    ]


def test_commands_magics_windows_and_the_end_are_ours_to_refuse() -> None:
    assert seen_by_the_shell("!ls", "x = !ls", "%bash ls", "%gui qt", "exit") == [
        ("system", "ls"),
        RIGHT,
        ("getoutput", "ls"),
        RIGHT,
        ("magic", "ls"),
        RIGHT,
        ("gui", "qt"),
        RIGHT,
        ("exit",),
        RIGHT,
    ]


def test_cells_are_named_by_our_compiler_and_numbered_from_the_count() -> None:
    assert seen_by_the_shell("import sys\nsys._getframe().f_code.co_filename")[0] == ("result", "'<cell 7>'", 7)


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        (InteractiveShell.run_cell, ["self", "raw_cell", "store_history"]),
        (InteractiveShell._get_exc_info, ["self", "exc_tuple"]),
        (InteractiveShell._format_exception_for_storage, ["self", "exception"]),
        (InteractiveShell.showtraceback, ["self", "exc_tuple"]),
        (InteractiveShell.init_display_pub, ["self"]),
        (InteractiveShell.init_displayhook, ["self"]),
        (InteractiveShell.init_magics, ["self"]),
        (InteractiveShell.enable_gui, ["self", "gui"]),
        (InteractiveShell.getoutput, ["self", "cmd", "split", "depth"]),
        (CachingCompiler.get_code_name, ["self", "raw_code", "transformed_code", "number"]),
        (DisplayPublisher.publish, ["self", "data", "metadata"]),
        (DisplayPublisher.clear_output, ["self", "wait"]),
        (DisplayHook.write_format_data, ["self", "format_dict", "md_dict"]),
        (DisplayHook.write_output_prompt, ["self"]),
        (DisplayHook.finish_displayhook, ["self"]),
        (configure_inline_support, ["shell", "backend"]),
    ],
    ids=lambda one: getattr(one, "__qualname__", ""),
)
def test_what_we_call_or_override_takes_these_first(method: Any, parameters: list[str]) -> None:
    assert list(inspect.signature(method).parameters)[: len(parameters)] == parameters


def test_what_we_use_has_these_attributes() -> None:
    traits = InteractiveShell.class_traits()
    assert {"cache_size", "colors", "compiler_class", "execution_count", "display_trap"} <= set(traits)
    assert isinstance(inspect.getattr_static(InteractiveShell, "user_ns"), property)
    assert isinstance(inspect.getattr_static(DisplayHook, "prompt_count"), property)
    assert "hook" in inspect.signature(DisplayTrap).parameters
