"""What a student's process has and has not, seen from inside."""

from __future__ import annotations

import ast
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from autograder.exercise.definition import Limits
from autograder.isolation.protection import GUARANTEES
from autograder.isolation.sandbox import Sandbox
from tests.sessions import play, protection, runs

HERE = Path(__file__)


def seen(sandbox: Sandbox, cell: str) -> Any:
    """The value of the cell's last line."""
    (run,) = runs(sandbox, cell)
    (output,) = run.outputs
    assert output["output_type"] == "execute_result", output
    return ast.literal_eval(output["data"]["text/plain"])


def refused(sandbox: Sandbox, expression: str) -> bool:
    """Whether evaluating it in a student's process is an error of the system's."""
    tried = f"try:\n    {expression}\n    no = False\nexcept OSError:\n    no = True\nno"
    return bool(seen(sandbox, f"import os, socket, subprocess\n{tried}"))


# --- what it has ---


def test_it_has_four_descriptors_and_three_of_them_lead_nowhere(sandbox: Sandbox) -> None:
    look = (
        "import os\nnames = {}\nfor n in range(64):\n    try:\n        names[n] = os.readlink(f'/proc/self/fd/{n}')\n"
        "    except OSError:\n        pass\n{n: name.split(':')[0] for n, name in names.items()}"
    )
    assert seen(sandbox, look) == {0: "/dev/null", 1: "/dev/null", 2: "/dev/null", 3: "socket"}


def test_its_environment_is_made_up_and_not_the_graders(sandbox: Sandbox) -> None:
    names = set(seen(sandbox, "import os\nsorted(os.environ)"))
    shared = {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "NVPL_BLAS_DEBUG_CPU_TYPE"}
    assert names - shared == {
        *("PATH", "LANG", "USER", "LOGNAME", "HOME", "TMPDIR", "MPLCONFIGDIR", "IPYTHONDIR", "MPLBACKEND"),
        *("PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "PYTHONMALLOC", "PYTHONPATH", "GLIBC_TUNABLES"),
        *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    }


def test_its_folder_is_its_home_empty_private_and_writable(sandbox: Sandbox) -> None:
    look = (
        "import os, stat, tempfile\nhere = os.getcwd()\nopen('x', 'w').close()\n"
        "[os.listdir(), oct(stat.S_IMODE(os.stat(here).st_mode)), oct(stat.S_IMODE(os.stat('x').st_mode)),"
        " os.environ['HOME'] == here, tempfile.gettempdir() == here]"
    )
    assert seen(sandbox, look) == [["x"], "0o700", "0o600", True, True]


@pytest.mark.parametrize(
    "work",
    [
        "import numpy as np\nnp.save('a.npy', np.ones(3))\nint(np.load('a.npy').sum())",
        "import tempfile\nwith tempfile.TemporaryDirectory() as d:\n    open(d + '/x', 'w').write('123')\n3",
        "import threading\nout = []\nts = [threading.Thread(target=out.append, args=(1,)) for _ in range(3)]\n"
        "[t.start() for t in ts]; [t.join() for t in ts]\nlen(out)",
        "from concurrent.futures import ThreadPoolExecutor\nsum(ThreadPoolExecutor(2).map(int, ['1', '2']))",
        "import time, datetime, zoneinfo, random, uuid, secrets\ntime.sleep(0.01)\n"
        "zoneinfo.ZoneInfo('Europe/Paris').utcoffset(datetime.datetime(2024, 1, 1)).seconds // 1200",
        "import asyncio\nasyncio.run(asyncio.sleep(0.01, 3))",
        "from pathlib import Path\nPath('d').mkdir()\nPath('d/f').write_text('123')\nlen(Path('d/f').read_text())",
        "import sqlite3\nsqlite3.connect('x.db').execute('select 3').fetchone()[0]",
        "import pickle, copy\npickle.loads(pickle.dumps(copy.deepcopy(3)))",
        "import matplotlib.pyplot as plt\nplt.plot([1]); plt.savefig('f.pdf'); plt.close()\n"
        "len(open('f.pdf', 'rb').read(3))",
        "import inspect\ndef f():\n    pass\nlen(inspect.getsource(f).split())",
    ],
    ids=["arrays", "temporary", "threads", "pool", "time", "asyncio", "paths", "sqlite", "pickle", "pdf", "source"],
)
def test_ordinary_work_is_possible(sandbox: Sandbox, work: str) -> None:
    assert seen(sandbox, work) == 3


def test_torch_works_as_ever(torch_sandbox: Sandbox) -> None:
    work = """
import torch
torch.manual_seed(0)
layer = torch.nn.Sequential(torch.nn.Conv1d(1, 2, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(6, 1))
optimizer = torch.optim.Adam(layer.parameters(), lr=0.05)
x, y = torch.randn(8, 1, 5), torch.randn(8, 1)
losses = []
for _ in range(5):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(layer(x), y)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
torch.save(layer.state_dict(), 'layer.pt')
layer.load_state_dict(torch.load('layer.pt'))
jacobian = torch.func.jacrev(lambda v: v * v)(torch.ones(2))
[losses[-1] < losses[0], jacobian.tolist()]
"""
    with play(torch_sandbox, work, limits=Limits(cpu_seconds=20)) as session:
        (output,) = session.runs[0].outputs
    assert output["data"] == {"text/plain": "[True, [[2.0, 0.0], [0.0, 2.0]]]"}


# --- what it has not ---


@pytest.mark.parametrize(
    "path",
    [
        HERE.parents[2] / "autograder" / "exercises" / "residual-connections" / "test_hidden.py",
        HERE.parents[2] / "autograder" / "exercises" / "residual-connections" / "notebook.py",
        HERE.parents[2] / "pyproject.toml",
        Path("/etc/passwd"),
        Path(f"/proc/{os.getpid()}/environ"),
        Path(f"/proc/{os.getpid()}/mem"),
    ],
    ids=lambda path: path.name,
)
def test_it_cannot_read_what_is_not_meant_for_it(sandbox: Sandbox, path: Path) -> None:
    assert path.exists()
    assert refused(sandbox, f"open({str(path)!r}, 'rb').read(1)")


@pytest.mark.parametrize("folder", ["/", "/tmp", "/dev/shm", sys.prefix, str(HERE.parents[2]), "/etc", "/usr/lib"])
def test_it_cannot_write_outside_of_its_folder(sandbox: Sandbox, folder: str) -> None:
    assert refused(sandbox, f"open({folder + '/autograder-mark'!r}, 'w')")
    assert not Path(folder, "autograder-mark").exists()


@pytest.mark.parametrize("variable", ["MPLCONFIGDIR", "IPYTHONDIR", "HOME", "TMPDIR"])
def test_it_leaves_nothing_for_the_next_in_any_folder_it_knows(sandbox: Sandbox, variable: str) -> None:
    runs(sandbox, f"import os\nopen(os.path.join(os.environ['{variable}'], 'mark'), 'w').close()")
    assert seen(sandbox, f"import os\nos.path.exists(os.path.join(os.environ['{variable}'], 'mark'))") is False


@pytest.mark.parametrize(
    "expression",
    [
        "os.fork()",
        "subprocess.run(['true'])",
        "os.posix_spawn('/bin/true', ['true'], {})",
        "os.execv('/bin/true', ['true'])",
        "socket.socket()",
        "socket.socket(socket.AF_UNIX)",
        "socket.socket(type=socket.SOCK_DGRAM)",
        "os.kill(1 if os.getpid() != 1 else 2, 0)",
        "os.kill(-1, 0)",
        "os.setuid(0)",
        "os.setgid(0)",
        "os.chroot('.')",
        "os.mknod('x')",
        "os.setpriority(os.PRIO_PROCESS, 0, -5)",
        "os.kill(os.getppid() or 2, 0)",
    ],
)
def test_it_cannot_start_reach_or_become_anybody(sandbox: Sandbox, expression: str) -> None:
    assert refused(sandbox, expression)


def test_it_cannot_signal_the_grader(sandbox: Sandbox) -> None:
    assert refused(sandbox, f"os.kill({os.getpid()}, 0)")


def test_its_limits_cannot_be_raised_again(sandbox: Sandbox) -> None:
    raising = "import resource as r\nr.setrlimit(r.{0}, (r.getrlimit(r.{0})[1] + 1,) * 2)"
    for kind in ("RLIMIT_CPU", "RLIMIT_AS", "RLIMIT_FSIZE", "RLIMIT_NOFILE"):
        (run,) = runs(sandbox, raising.format(kind))
        assert run.outputs[-1]["ename"] in ("ValueError", "PermissionError")


def test_its_disk_has_an_end_over_all_files(sandbox: Sandbox) -> None:
    fill = "for n in range(50):\n    open(str(n), 'wb').write(bytes(1 << 20))"
    if "namespaces" in sandbox.missing:
        pytest.skip("only a folder of its own size has such a limit")
    with play(sandbox, fill, limits=Limits(disk=5)) as session:
        assert session.runs[0].outputs[-1]["ename"] == "OSError"


@pytest.mark.parametrize("without", [["namespaces"], ["landlock"], ["user"]], ids="".join)
def test_with_one_layer_less_the_other_layers_keep_files_and_paths_hidden(without: list[str]) -> None:
    hidden = HERE.parents[2] / "autograder" / "exercises" / "residual-connections" / "test_hidden.py"
    with Sandbox((), protection(without)) as sandbox:
        assert refused(sandbox, f"open({str(hidden)!r})")
        assert refused(sandbox, "open('/tmp/autograder-mark', 'w')")
        (run,) = runs(sandbox, "import os\nos.makedirs('x')\nprint(os.path.abspath('x'))\nopen('missing')")
    shown = str(run.outputs)
    assert tempfile.gettempdir() + "/" not in shown
    assert "-parent-" not in shown


def test_all_guarantees_are_looked_at(sandbox: Sandbox) -> None:
    runs(sandbox, "1")
    assert (sandbox.breaches, len(GUARANTEES)) == ((), 5)
