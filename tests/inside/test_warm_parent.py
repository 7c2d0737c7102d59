"""The warm parent: what it hands on to each student's process, and what none of them can leave in it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
import pytest
from _pytest.mark import ParameterSet

from autograder.errors import SandboxError
from autograder.exercise.definition import Limits
from autograder.grading.student import Student
from autograder.isolation.sandbox import Sandbox
from tests.sessions import GRADE, NUMPY, descendants, play, runs


def shown(sandbox: Sandbox, cell: str) -> str:
    (run,) = runs(sandbox, cell)
    return str(run.outputs[0]["data"]["text/plain"])


def test_every_process_starts_with_the_same_modules_and_names(sandbox: Sandbox) -> None:
    look = "import sys\n(sorted(sys.modules), sorted(globals()))"
    first = shown(sandbox, look)
    runs(sandbox, "import decimal, fractions, wave\nx = 1")
    assert shown(sandbox, look) == first


@pytest.mark.parametrize(
    "mess",
    [
        "import numpy as np\nnp.sum = np.tanh = None",
        "import builtins\nbuiltins.print = None",
        "import matplotlib.pyplot as plt\nplt.rcParams['figure.dpi'] = 3\nplt.figure()",
        "import sys\nsys.path.insert(0, '/nowhere')\nsys.modules['json'] = None",
        "import os\nos.environ['PATH'] = ''\nos.umask(0)",
        "import sys\nw = sys.modules['autograder.inside.server']\nw.serve = w._Server.call = None",
        "get_ipython().run_cell = None",
        "get_ipython().input_transformers_cleanup.append(lambda lines: ['1/0'])",
        "import sys\nsys.setrecursionlimit(50)",
        "import gc\ngc.disable()",
        "import warnings\nwarnings.simplefilter('error')",
        "import decimal\ndecimal.getcontext().prec = 2",
    ],
)
def test_no_mess_of_one_notebook_reaches_the_next(sandbox: Sandbox, mess: str) -> None:
    look = """
import builtins, decimal, gc, json, os, sys, warnings
import matplotlib.pyplot as plt
import numpy as np
(np.sum([1, 2]), print is not None, plt.rcParams['figure.dpi'], len(plt.get_fignums()), sys.path[0] != '/nowhere',
 os.environ['PATH'], sys.getrecursionlimit(), gc.isenabled(), warnings.filters[0][0], decimal.getcontext().prec)
"""
    before = shown(sandbox, look)
    runs(sandbox, mess)
    assert shown(sandbox, look) == before
    with play(sandbox, "def f(x):\n    return 2 * x", GRADE) as session:
        assert np.array_equal(Student(session, "t").f(np.ones(2)), np.full(2, 2.0))


@pytest.fixture(scope="module")
def other() -> Iterator[Sandbox]:
    """A second warm parent."""
    with Sandbox(NUMPY) as other:
        yield other


def test_unseeded_random_numbers_are_the_same_in_every_process(sandbox: Sandbox, other: Sandbox) -> None:
    """So a notebook that forgot to seed gets the same report each time."""
    look = "import random, numpy as np\n(random.random(), np.random.rand(), list(np.random.permutation(5)))"
    assert shown(sandbox, look) == shown(sandbox, look) == shown(other, look)


def test_unseeded_tensors_are_the_same_in_every_process(torch_sandbox: Sandbox) -> None:
    look = "import torch\ntorch.randn(3).tolist()"
    assert shown(torch_sandbox, look) == shown(torch_sandbox, look)


def test_hashes_and_so_the_order_of_sets_are_the_same_in_every_parent(sandbox: Sandbox, other: Sandbox) -> None:
    look = "hash('text'), list({'a', 'b', 'c', 'd'})"
    assert shown(sandbox, look) == shown(other, look)


def test_parents_side_by_side_do_not_disturb_each_other(sandbox: Sandbox, other: Sandbox) -> None:
    with play(sandbox, "x = 1\ndef f():\n    return x", GRADE) as first:
        with play(other, "x = 2\ndef f():\n    return x", GRADE) as second:
            assert (Student(first, "t").f(), Student(second, "t").f()) == (1, 2)
        assert Student(first, "t").f() == 1


def test_an_idle_parent_waits_for_nothing_but_the_grader(sandbox: Sandbox) -> None:
    before = descendants()
    for _ in range(3):
        assert shown(sandbox, "6 * 7") == "42"
    assert descendants() == before


def test_a_parent_that_cannot_import_tells_the_grader_and_ends() -> None:
    script = """
import json, socket, subprocess, sys
ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
asked = json.dumps({"packages": ["no_such_module"], "without": []})
command = [sys.executable, "-m", "autograder.inside.warm_parent", str(theirs.fileno()), asked]
parent = subprocess.Popen(command, pass_fds=[theirs.fileno()])
theirs.close()
print(ours.recv(5000).decode(), ours.recv(1000), parent.wait(60))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    fault = "the package `no_such_module` cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"
    assert ended.stdout.startswith(f'{{"fault": "{fault}"}} ')
    assert ended.stdout.endswith(" b'' 0\n")
    assert ended.stderr == ""


STARTS = """
import sys, time
from autograder.exercise.definition import Limits
from autograder.isolation.sandbox import Sandbox
print("starts", flush=True)
try:
    sandbox = Sandbox(["numpy", "matplotlib"])
    process = sandbox.start(Limits())
    print("serves", flush=True)
    while True:
        sandbox.usage()
except KeyboardInterrupt:
    pass
"""


def _moments() -> Iterator[ParameterSet]:
    """Each end while it serves, and one in the middle of its start; the other moments are among the slow ones."""
    moments = [("starts", 0), ("starts", 0.05), ("starts", 0.3), ("serves", 0)]
    for name, end in (("killed", signal.SIGKILL), ("Ctrl-C", signal.SIGINT)):
        for while_it, delay in moments:
            is_dear = while_it == "starts" and (name, delay) != ("Ctrl-C", 0.3)
            marks = [pytest.mark.slow] if is_dear else []
            yield pytest.param(while_it, delay, end, id=f"{while_it}-{delay}-{name}", marks=marks)


@pytest.mark.parametrize(("while_it", "delay", "end"), list(_moments()))
def test_a_parent_whose_grader_has_gone_ends_and_prints_nothing(
    while_it: str, delay: float, end: signal.Signals
) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    grader = subprocess.Popen(
        [sys.executable, "-c", STARTS],
        env=environment,
        process_group=0,  # as a terminal's Ctrl-C, which goes to all of the group
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert grader.stdout
    try:
        while grader.stdout.readline().strip() != while_it:
            pass
        time.sleep(delay)
        os.killpg(grader.pid, end)
        _, said = grader.communicate(timeout=60)  # the end of the last that could write there
    finally:
        grader.kill()
    assert said == ""


def test_a_fault_while_it_serves_is_the_reason_that_the_grader_gives() -> None:
    with Sandbox(()) as sandbox:
        sandbox.start(Limits()).close()
        with pytest.raises(SandboxError, match="the warm parent of the students' processes broke: NoSuchProcess"):
            sandbox.usage()


def test_modules_that_cannot_be_imported_are_the_reason_that_the_grader_gives(
    capfd: pytest.CaptureFixture[str],
) -> None:
    before = descendants()
    with pytest.raises(SandboxError, match="`no_such_module` cannot be imported: ModuleNotFoundError"):
        Sandbox(["no_such_module"])
    assert descendants() == before
    assert capfd.readouterr().err == ""
