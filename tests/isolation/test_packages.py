"""Packages that a sandbox warms up: what they leave in a student's process, and what makes one unfit."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.errors import SandboxError
from autograder.isolation import sandbox as isolation
from autograder.isolation.doctor import why_not_warm
from autograder.isolation.sandbox import Sandbox
from tests.sessions import descendants, play

Install = Callable[[str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a package `tiny_package` of this source where students' processes find packages."""
    place = tmp_path / "site-packages"
    place.mkdir(mode=0o755)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.getuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o011)
    environment = isolation._environment()
    path = os.pathsep.join([str(place), environment["PYTHONPATH"]])
    monkeypatch.setattr(isolation, "_environment", lambda: environment | {"PYTHONPATH": path})
    monkeypatch.syspath_prepend(place)
    return lambda source: (place / "tiny_package.py").write_text(source) and None


def shown(sandbox: Sandbox, cell: str) -> str:
    with play(sandbox, cell) as session:
        (run,) = session.runs.values()
        assert run.error is None, run.error
        return str(run.outputs[0]["data"]["text/plain"])


def test_a_package_is_imported_once_in_the_parent(install: Install) -> None:
    install("import os\nMADE_IN = os.getpid()\n")
    look = "import sys\nwarm = 'tiny_package' in sys.modules\nimport os, tiny_package\nwarm, tiny_package.MADE_IN"
    with Sandbox(["tiny_package"]) as sandbox:
        first, second = shown(sandbox, look), shown(sandbox, look)
    assert first == second
    assert first.startswith("(True, ")


UNFIT = {
    "raise RuntimeError('no GPU')": "cannot be imported: RuntimeError: no GPU",
    "raise SystemExit(3)": "cannot be imported: SystemExit: 3",
    "import no_such_module": "cannot be imported: ModuleNotFoundError: No module named 'no_such_module'",
    "def f(:": "cannot be imported: SyntaxError",
    "import os\nos._exit(0)": "has ended",
    "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()": "starts threads",
}


@pytest.mark.parametrize("source", UNFIT)
def test_a_package_that_cannot_be_warmed_up_is_a_fault_of_the_machine(
    install: Install, source: str, capfd: pytest.CaptureFixture[str]
) -> None:
    install(source)
    before = descendants()
    with pytest.raises(SandboxError, match=UNFIT[source].partition(" ")[0]) as fault:
        Sandbox(["tiny_package"])
    assert UNFIT[source] in str(fault.value)
    assert descendants() == before
    assert capfd.readouterr() == ("", "")


def test_a_package_that_cannot_be_warmed_up_is_told_before_anything_is_graded(install: Install) -> None:
    install(source := next(iter(UNFIT)))
    assert UNFIT[source] in why_not_warm(["tiny_package"])


def test_what_a_package_opens_or_prints_or_starts_reaches_no_student(
    install: Install, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    install(
        "import os, subprocess, sys\nprint('hello')\n"
        "kept = [open(__file__) for _ in range(5)]\n"
        "NUMBERS = [one.fileno() for one in kept]\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
    )
    look = """
import os, tiny_package
def is_open(number):
    try:
        return bool(os.fstat(number))
    except OSError:
        return False
[number for number in tiny_package.NUMBERS if number > 3 and is_open(number)], tiny_package.child.poll()
"""
    before = descendants()
    with Sandbox(["tiny_package"]) as sandbox:
        assert shown(sandbox, look).startswith("([], ")
        assert shown(sandbox, "1 + 1") == "2"
    assert descendants() == before
    assert capfd.readouterr().out == ""


def test_what_is_not_installed_is_told_with_the_way_to_get_it() -> None:
    assert why_not_warm(["no_such_package"]) == (
        "the package `no_such_package` is not installed here; pip install no_such_package"
    )
    assert why_not_warm(["numpy"]) == ""
