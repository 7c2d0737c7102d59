"""Starting, limiting and ending the students' processes, and what becomes of them when the grader is killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from autograder.errors import SandboxError
from autograder.exercise.definition import Limits
from autograder.isolation.process import ProcessEnded, StudentProcess
from autograder.isolation.protection import GUARANTEES
from autograder.isolation.sandbox import Sandbox
from autograder.report import Status
from tests.sessions import descendants, protection

LAYERS = ("cgroup", "landlock", "limits", "namespaces", "seccomp", "user")


def ask(child: StudentProcess, **message: Any) -> Any:
    asked = {"given": False, **message} if message["do"] == "run" else message
    return child.request(asked, no_other, no_other, child.stopwatch())


def no_other(*_: object) -> None:
    """Plain data only."""


def run(child: StudentProcess, cell: str) -> Any:
    return ask(child, do="run", source=cell, number=1, output=10_000)


def ended_by(child: StudentProcess, cell: str) -> ProcessEnded:
    with pytest.raises(ProcessEnded) as caught:
        run(child, cell)
    return caught.value


def eventually(condition: Callable[[], bool]) -> bool:
    """Whether it holds within ten seconds."""
    for _ in range(200):
        if condition():
            return True
        time.sleep(0.05)
    return False


def folders_of(processes: set[int]) -> list[Path]:
    """The temporary folders that carry these processes' numbers."""
    everything = Path(tempfile.gettempdir()).glob("autograder-*")
    return [path for path in everything if path.name.split("-")[1] in map(str, processes)]


# --- one child at a time ---


def test_a_child_answers_until_it_is_closed(sandbox: Sandbox) -> None:
    child = sandbox.start(Limits())
    assert ask(child, do="keep", value=1)["kind"] == "value"
    assert child.ended is None
    ended = child.close()
    assert ended.code == 0
    assert ended.cpu_seconds > 0
    assert child.close() is ended


def test_children_follow_each_other(sandbox: Sandbox) -> None:
    for number in range(3):
        child = sandbox.start(Limits())
        assert (
            run(child, f"x = {number}\nprint(x, 'y' in globals())\ny = 1")["outputs"][0]["text"] == f"{number} False\n"
        )
        child.close()


def test_the_used_processor_time_is_counted_while_it_runs_and_at_the_end(sandbox: Sandbox) -> None:
    child = sandbox.start(Limits())
    run(child, "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end:\n    pass")
    assert 0.3 <= sandbox.usage().cpu_seconds < 3
    assert 0.3 <= child.close().cpu_seconds < 3


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("import os\nos._exit(0)", "it ended the notebook's process (exit code 0)"),
        ("import os\nos._exit(3)", "it ended the notebook's process (exit code 3)"),
        ("import ctypes\nctypes.string_at(0)", "it ended the notebook's process (signal 11)"),
    ],
)
def test_how_a_child_ended_is_told(sandbox: Sandbox, cell: str, reason: str) -> None:
    child = sandbox.start(Limits())
    ended = ended_by(child, cell)
    assert (ended.status, ended.reason) == (Status.CRASHED, reason)
    assert child.ended is not None


def test_a_child_beyond_its_processor_time_is_timed_out(sandbox: Sandbox) -> None:
    child = sandbox.start(Limits(cpu_seconds=0.3))
    assert run(child, "1")["kind"] == "ran"
    ended = ended_by(child, "while True: pass")
    assert (ended.status, ended.reason) == (
        Status.TIMEOUT,
        "it was not done after 0.3 seconds of computing or 60 seconds of waiting",
    )


@pytest.mark.broad
def test_a_child_beyond_its_processor_time_in_all_is_timed_out(sandbox: Sandbox) -> None:
    child = sandbox.start(Limits(cpu_seconds=60, total_cpu_seconds=1))
    ended = ended_by(child, "while True: pass")
    assert (ended.status, ended.reason) == (
        Status.TIMEOUT,
        "the notebook was not done after 1 seconds of computing or 600 seconds of waiting in all",
    )


def test_a_child_that_waits_too_long_is_timed_out(sandbox: Sandbox) -> None:
    child = sandbox.start(Limits(wall_seconds=0.5))
    ended = ended_by(child, "import time\ntime.sleep(1000)")
    assert (ended.status, ended.reason) == (
        Status.TIMEOUT,
        "it was not done after 10 seconds of computing or 0.5 seconds of waiting",
    )


@pytest.mark.broad
def test_a_child_computes_as_much_as_it_may_in_each_request(sandbox: Sandbox) -> None:
    child = sandbox.start(Limits(cpu_seconds=0.4))
    burn = "import time\nend = time.process_time() + 0.2\nwhile time.process_time() < end:\n    pass"
    assert [run(child, burn)["error"] for _ in range(3)] == [None] * 3


def test_the_limits_are_in_force(sandbox: Sandbox) -> None:
    child = sandbox.start(Limits(total_cpu_seconds=9, memory=100, disk=3))
    look = "import resource as r\n[r.getrlimit(k) for k in (r.RLIMIT_CPU, r.RLIMIT_CORE, r.RLIMIT_FSIZE)]"
    assert run(child, look)["outputs"][0]["data"] == {"text/plain": f"[(10, 10), (0, 0), ({3 << 20}, {3 << 20})]"}
    assert run(child, "x = bytearray(150 << 20)")["outputs"][0]["ename"] == "MemoryError"
    assert run(child, "x = bytearray(50 << 20)")["outputs"] == []
    assert run(child, "open('big', 'wb').write(bytes(4 << 20))")["outputs"][0]["ename"] == "OSError"


# --- the confinement as a whole ---


def test_with_all_layers_every_guarantee_holds(sandbox: Sandbox) -> None:
    sandbox.start(Limits()).close()
    assert sandbox.breaches == ()
    assert set(sandbox.missing) <= set(LAYERS)


def test_a_layer_that_is_left_out_is_named() -> None:
    with Sandbox((), protection(["cgroup"])) as sandbox:
        assert sandbox.missing["cgroup"] == "switched off"


@pytest.mark.parametrize(
    ("without", "broken"),
    [(LAYERS, GUARANTEES), (("landlock", "namespaces"), ("files",)), (("limits",), ("resources",))],
    ids=["all layers", "files", "limits"],
)
def test_a_child_with_a_hole_is_given_out_where_that_is_allowed(
    without: tuple[str, ...], broken: tuple[str, ...]
) -> None:
    with Sandbox((), protection(without, broken)) as sandbox:
        child = sandbox.start(Limits())
        assert set(sandbox.breaches) == set(broken)
        assert run(child, "6 * 7")["outputs"][0]["data"] == {"text/plain": "42"}


@pytest.mark.parametrize("allowed", [(), ("files", "network")])
def test_a_child_with_a_hole_is_not_given_out_where_that_is_not_allowed(allowed: tuple[str, ...]) -> None:
    before = descendants()
    with Sandbox((), protection(["limits"], allowed)) as sandbox:
        ours = descendants() - before
        with pytest.raises(SandboxError, match="not shut off from: resources;"):
            sandbox.start(Limits())
        assert descendants() - before == ours


AS_NOBODY = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.getuid() == 0 else []
START = """
from autograder.exercise.definition import Limits
from autograder.isolation.protection import Protection
from autograder.isolation.sandbox import Sandbox
with Sandbox((), Protection(disabled_layers=frozenset({without}), tolerated_breaches=frozenset({allowed}))) as sandbox:
    sandbox.start(Limits(total_cpu_seconds=180))
    print(sorted(sandbox.missing), sandbox.breaches)
"""


def grader(script: str, *command: str) -> subprocess.CompletedProcess[str]:
    """A grader of its own that does what the script says."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    arguments = [*command, sys.executable, "-c", script]
    return subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=60)


@pytest.mark.broad
@pytest.mark.skipif(bool(AS_NOBODY) and not shutil.which("setpriv"), reason="root cannot give up its rights here")
def test_an_ordinary_user_needs_no_namespaces_to_shut_files_off() -> None:
    """Landlock and seccomp need no rights, so a plain container is enough."""
    started = grader(START.format(without=["namespaces"], allowed=[]), *AS_NOBODY)
    assert started.stderr == ""
    assert "landlock" not in started.stdout
    assert started.stdout.endswith(" ()\n")


@pytest.mark.broad
@pytest.mark.skipif(bool(AS_NOBODY) and not shutil.which("setpriv"), reason="root cannot give up its rights here")
def test_a_limit_of_the_machine_that_is_lower_than_ours_is_a_limit_too() -> None:
    lower = (
        "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (100, 100))\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
    )
    started = grader(lower + START.format(without=[], allowed=["files"]), *AS_NOBODY)
    assert started.stderr == ""
    assert "resources" not in started.stdout


# --- ends ---


@pytest.mark.broad
def test_closing_ends_a_living_child_and_removes_every_folder() -> None:
    before = descendants()
    sandbox = Sandbox(())
    child = sandbox.start(Limits())
    run(child, "import os\nos.makedirs('a/b')\nopen('a/b/c', 'w').close()\nos.chmod('a', 0)")
    ours = descendants() - before
    sandbox.close()
    assert descendants() == before
    assert folders_of(ours) == []


@pytest.mark.broad
def test_a_parent_that_was_killed_is_a_sandbox_error_everywhere() -> None:
    before = descendants()
    with Sandbox(()) as sandbox:
        child = sandbox.start(Limits())
        for pid in descendants() - before:
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(SandboxError, match="warm parent"):
            run(child, "1")
        with pytest.raises(SandboxError, match="warm parent"):
            sandbox.end()
        with pytest.raises(SandboxError, match="warm parent"):
            sandbox.start(Limits())


GRADE_AND_HANG = """
import os, sys, time
import psutil
from autograder.exercise.definition import Limits
from autograder.isolation.sandbox import Sandbox
sandbox = Sandbox(())
child = sandbox.start(Limits())
print(os.getpid(), *(p.pid for p in psutil.Process().children(recursive=True)), flush=True)
{end}
"""


@pytest.mark.broad
@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 9)", pytest.param("1 / 0", marks=pytest.mark.slow)])
def test_nothing_outlives_a_grader_that_ends_without_closing(end: str) -> None:
    ended = grader(GRADE_AND_HANG.format(end=end))
    killed, *below = map(int, ended.stdout.split())
    assert len(below) >= 3
    assert eventually(lambda: not any(psutil.pid_exists(pid) for pid in below))
    assert eventually(lambda: folders_of(set(below)) == [])
    Sandbox(()).close()  # the next one sweeps up what the killed one could not remove
    assert folders_of({killed, *below}) == []


def test_a_framework_is_warm_in_the_child(sandbox: Sandbox) -> None:
    child = sandbox.start(Limits())
    look = "import sys\n[name in sys.modules for name in ('numpy', 'matplotlib.pyplot', 'torch')]"
    assert run(child, look)["outputs"][0]["data"] == {"text/plain": "[True, True, False]"}
    child.close()


@pytest.mark.broad
def test_torch_is_warm_and_of_one_thread_in_the_child(torch_sandbox: Sandbox) -> None:
    child = torch_sandbox.start(Limits())
    look = "import sys\n('torch' in sys.modules, sys.modules['torch'].get_num_threads())"
    assert run(child, look)["outputs"][0]["data"] == {"text/plain": "(True, 1)"}
    child.close()
