"""Before handing in: the notebook run from top to bottom in a new kernel, and what the grader would stumble over.

`python checks.py` does it, and `before_handing_in()` in a cell. The kernel starts in an empty folder, with the files
that the grader has and without network. Exit status: 0 nothing found, 1 something found, 2 it could not be tried.

Part of every `checks.py`. The build writes the constant `GRADER` above: what the grader expects, has and allows. A
kernel is started with jupyter_client, which comes with ipykernel.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_IN_A_TRIAL = "CHECKS_IN_A_TRIAL"  # in the environment of the kernel, so that it starts none itself
_IMPORTED = re.compile(r"^[ \t]*(?:from[ \t]+(\w+)[\w.]*[ \t]+import\b|import[ \t]+([\w., \t]+))", re.MULTILINE)
_BESIDE_PYTHON = ("IPython", "mpl_toolkits")
_MOST_TOLD = 20
_LONGEST_TOLD = 200
_MIB = 1 << 20
_WITHOUT_NETWORK = """
import socket


def _refused(*_, **__):
    raise OSError("the grader has no network")


socket.getaddrinfo = socket.create_connection = _refused
del socket, _refused
"""
_REMARKS = {
    "NameError": "cells are run from top to bottom, each once",
    "ModuleNotFoundError": "it is not installed here, and may not be where notebooks are graded",
    "FileNotFoundError": "the grader has no other files than those that came with the notebook",
}


class _NotTried(Exception):
    """There is no way to run the notebook, in a sentence."""


def before_handing_in() -> None:
    """Run this notebook, as it is saved, from top to bottom, and say what the grader would stumble over."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if os.environ.get(_IN_A_TRIAL) or getattr(shell, "kernel", None) is None:
        return
    print("This takes as long as your cells take. What is not saved is not seen.")
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, encoding="utf-8")
    print(f"{done.stdout}{done.stderr[-2000:]}".strip())


def hand_in_trial(arguments: Sequence[str]) -> int:
    """Try the notebook that is named, or the one beside this file, print what was found, and return the exit status."""
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    try:
        path = _notebook_file(arguments)
        cells = _cells_of(path)
        found = [*_odd_name(path), *_odd_cells(cells), *_lost_files(), *_odd_imports(cells)]
        with _kernel() as client:
            trial = _Trial(client)
            trial.run(_WITHOUT_NETWORK)
            found += trial.run_all(cells)
            checked = trial.said_by_checks()
    except _NotTried as error:
        print(error)
        return 2
    if found:
        print(f"{path.name}: the grader would stumble over this:")
        print("\n".join(f"  ✗ {one}" for one in found[:_MOST_TOLD]))
        print(f"  and {len(found) - _MOST_TOLD} more\n" * (len(found) > _MOST_TOLD), end="")
    else:
        print(f"{path.name}: it runs from top to bottom, and has what the grader needs.")
    if checked:
        print(f"\n{checked}")
    return 1 if found else 0


def _grader() -> dict[str, Any]:
    """Return GRADER: "notebook", "cells", "files", "packages", and limits."""
    known: dict[str, Any] = globals()["GRADER"]
    return known


# --- the file ---


def _notebook_file(arguments: Sequence[str]) -> Path:
    folder = Path(__file__).resolve().parent
    if arguments:
        return Path(arguments[0])
    path = folder / str(_grader()["notebook"])
    others = sorted(folder.glob("*.ipynb"))
    if not path.is_file() and len(others) == 1:
        return others[0]
    return path


def _cells_of(path: Path) -> list[dict[str, Any]]:
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return [dict(cell, source="".join(cell["source"])) for cell in cells]
    except FileNotFoundError:
        raise _NotTried(f"there is no notebook {path}; name it, as in: python {Path(__file__).name} NOTEBOOK") from None
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise _NotTried(f"{path} cannot be read as a notebook: {error}") from None


def _odd_name(path: Path) -> Iterator[str]:
    if path.name != (wanted := _grader()["notebook"]):
        yield f"the file is named {path.name}; hand it in as {wanted}"


def _odd_cells(cells: list[dict[str, Any]]) -> Iterator[str]:
    there = Counter(str(cell.get("metadata", {}).get("nbgrader", {}).get("grade_id")) for cell in cells)
    for name in _grader()["cells"]:
        if there[name] == 0:
            yield f"the cell `{name}` is missing: copy it from the notebook that you were given"
        elif there[name] > 1:
            yield f"the cell `{name}` is there {there[name]} times, and one of them counts: delete the others"


def _lost_files() -> Iterator[str]:
    for name in _grader()["files"]:
        if not Path(__file__).with_name(name).is_file():
            yield f"the file {name} is missing beside the notebook"


def _odd_imports(cells: list[dict[str, Any]]) -> Iterator[str]:
    known = {*sys.stdlib_module_names, *_BESIDE_PYTHON, Path(__file__).stem, *_grader()["packages"]}
    known |= {file[: -len(".py")] for file in _grader()["files"] if file.endswith(".py")}
    imported: dict[str, None] = {}
    for cell in cells:
        for one, several in _IMPORTED.findall(cell["source"]) if cell["cell_type"] == "code" else ():
            imported |= dict.fromkeys([one] if one else [part.split()[0].split(".")[0] for part in several.split(",")])
    for name in imported:
        if name not in known:
            yield f"`{name}` is imported, and you can count on {', '.join(_grader()['packages'])} alone"


# --- the run ---


@contextmanager
def _kernel() -> Iterator[Any]:
    """A client of a new kernel, in a folder that has what the grader has, and nothing else."""
    try:
        from jupyter_client.manager import start_new_kernel
    except ImportError:
        raise _NotTried("install ipykernel to try the notebook: python -m pip install ipykernel") from None
    here = Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory() as folder:
        for name in (Path(__file__).name, *_grader()["files"]):
            if (here / name).is_file():
                (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(here / name, Path(folder) / name)
        environment = {**os.environ, _IN_A_TRIAL: "1"}
        environment.pop("NBGRADER_EXECUTION", None)
        try:
            silent: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            manager, client = start_new_kernel(cwd=folder, env=environment, **silent)
        except Exception as error:  # of many types: no kernel is installed, it does not start
            raise _NotTried(f"no kernel could be started: {error}") from None
        try:
            yield client
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


class _Trial:
    """A run of cells in a kernel. is_stuck: whether one has not come to its end, so that no other can be run."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.is_stuck = False

    def run(self, source: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Run code, and return the kernel's reply, empty where there is none, and what is shown."""
        shown: list[dict[str, Any]] = []
        try:
            reply = self._client.execute_interactive(
                source,
                allow_stdin=False,
                timeout=_grader()["wall_seconds"],
                output_hook=lambda message: shown.append(message["content"]),
            )
        except TimeoutError:
            self.is_stuck = True
            return {}, shown
        return dict(reply["content"]), shown

    def run_all(self, cells: list[dict[str, Any]]) -> Iterator[str]:
        """Run all cells of code, and say which of them fail, take too long or say too much."""
        limits, seconds, output = _grader(), 0.0, 0
        for number, cell in enumerate((cell for cell in cells if cell["cell_type"] == "code"), start=1):
            where = f"code cell {number} (`{cell['source'].strip().partition(chr(10))[0][:60]}`)"
            started = time.monotonic()
            reply, shown = self.run(cell["source"])
            took, size = time.monotonic() - started, len(json.dumps(shown, default=str))
            seconds, output = seconds + took, output + size
            if self.is_stuck:
                yield f"{where} has not come to its end after {limits['wall_seconds']:g} s; the rest was not run"
                return
            if reply["status"] == "error":
                yield f"{where} raises {_told_reply(reply)}"
            if took > limits["cpu_seconds"]:
                yield f"{where} took {took:.0f} s here; the grader gives a cell {limits['cpu_seconds']:g} s"
            if size > limits["output"] * _MIB:
                yield f"{where} prints or draws more than {limits['output']} MiB; the rest is left out"
        if seconds > limits["total_cpu_seconds"]:
            yield f"all cells together took {seconds:.0f} s here; the grader gives {limits['total_cpu_seconds']:g} s"
        if output > limits["total_output"] * _MIB:
            yield f"all cells together print or draw more than {limits['total_output']} MiB; the rest is left out"

    def said_by_checks(self) -> str:
        """Return what `check()` says of all tasks once the cells have run."""
        if self.is_stuck:
            return ""
        _, shown = self.run(f"import {Path(__file__).stem} as checks; checks.check()")
        return "\n".join(str(one.get("data", {}).get("text/plain", "")) for one in shown).strip("\n")


def _told_reply(reply: dict[str, Any]) -> str:
    told = f"{reply['ename']}: {reply['evalue']}".strip()[:_LONGEST_TOLD]
    remark = _REMARKS.get(reply["ename"], "")
    return f"{told} ({remark})" if remark else told
