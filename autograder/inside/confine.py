"""The layers between a student's code and the machine: which there are here, and the order in which they come.

Which layers a machine has is found by trying each in a process of its own, never by its name or version. A layer
that is there but fails later is an error, not a smaller protection.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable, Collection

from autograder.inside import identity, landlock, leftovers, namespaces, rlimits
from autograder.inside.cgroup import ControlGroup
from autograder.inside.seccomp import Filter
from autograder.inside.working_files import WorkingFiles
from autograder.layout import TEMPORARY_PREFIX

_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_CHANNEL = 3


class Confinement:
    """The layers that are in force for the students' processes of one warm parent.

    without: layers that are left out although they may be there. folder: an empty one of the caller's, which is the
    place of the new root, or else holds the students' folders. `missing` says of every absent layer why.
    """

    def __init__(self, without: Collection[str], folder: str) -> None:
        self._folder = folder
        self._paths = namespaces.readable_paths()
        self._user = identity.own_user()
        self._group: ControlGroup | None = None
        self._process_table = -1
        self.missing: dict[str, str] = {}
        trials: dict[str, Callable[[], object]] = {
            "namespaces": self._try_namespaces,
            "user": self._try_user,
            "landlock": self._try_landlock,
            "seccomp": lambda: Filter().restrict(),
            "cgroup": lambda: ControlGroup(f"{TEMPORARY_PREFIX}try-{os.getpid()}").remove(),
            "limits": lambda: rlimits.restrict(1, 64, 1),
        }
        for name, trial in trials.items():
            if reason := "switched off" if name in without else _tried(trial):
                self.missing[name] = reason
        self._filter = Filter() if self._has("seccomp") else None

    @property
    def home(self) -> str:
        """The own folder of a student's process, as that sees it."""
        return namespaces.HOME if self._has("namespaces") else os.path.join(self._folder, "work")

    @property
    def cache(self) -> str:
        """A folder for what the warm parent's libraries keep; it is no student's to write."""
        return namespaces.CACHE if self._has("namespaces") else self._folder

    def launch(self) -> None:
        """In the launcher, before it forks the warm parent."""
        if self._has("cgroup"):
            self._group = ControlGroup(f"{TEMPORARY_PREFIX}{os.getpid()}")
        if self._has("namespaces"):
            namespaces.enter()

    def settle(self) -> None:
        """In the warm parent, before it imports anything large."""
        identity.die_with_parent()
        identity.adopt_orphans()
        if self._group:
            self._group.enter()
        if self._has("namespaces"):
            namespaces.new_root(self._folder, self._paths)
            self._process_table = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)

    def fork(self, memory: int, disk: int) -> int:
        """In the warm parent: fork a student's process, which goes on with `enclose`. Both: MiB that it may take."""
        if self._group:
            # A fork copies what it writes to: all that it could fill comes on top, so that `limits` is met first.
            self._group.limit(rlimits.writable() + memory + disk, rlimits.THREADS)
        if self._has("namespaces"):
            namespaces.new_process_table()
        else:
            os.mkdir(self.home, 0o700)
            if self._has("user"):  # which may write there, and remove nothing but what it has written
                os.chown(self.home, os.getuid(), self._user)
                os.chmod(self.home, 0o1770)
        process = os.fork()
        if process and self._has("namespaces"):
            namespaces.back_to(self._process_table)
        return process

    def enclose(self, channel: int, cpu_seconds: float, memory: int, disk: int, given: WorkingFiles) -> int:
        """In the student's process, before any student code: put all layers in force. The channel's new number."""
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.umask(0o077)
        if self._has("namespaces"):
            namespaces.private(disk, self._user if self._has("user") else os.getuid())
        self._lay_out(given)
        channel = _keep_only(channel)
        if self._has("limits"):
            rlimits.restrict(cpu_seconds, memory, disk)
            if self._has("user"):
                rlimits.restrict_threads()
        if self._has("user"):
            identity.become(self._user)
        identity.renounce()
        identity.die_with_parent()
        os.chdir(self.home)
        if self._has("landlock"):
            landlock.restrict(self._readable(), [self.home, "/dev/null"])
        if self._filter:
            self._filter.restrict()
        return channel

    def _lay_out(self, given: WorkingFiles) -> None:
        for path in given.lay_out(self.home):
            if self._has("namespaces"):
                namespaces.protect(path)

    def memory_kills(self) -> int:
        """How many processes have been ended so far because all of them together held too much."""
        return self._group.kills() if self._group else 0

    def clear(self) -> None:
        """In the warm parent: remove what the ended process wrote. A private folder has gone with its process."""
        if not self._has("namespaces"):
            leftovers.remove(self.home)

    def remove(self) -> None:
        """In the launcher, when all others have ended."""
        if self._group:
            self._group.remove()

    def _has(self, layer: str) -> bool:
        return layer not in self.missing

    def _readable(self) -> list[str]:
        own_process = "/proc" if self._has("namespaces") else f"/proc/{os.getpid()}"
        cache = [] if self._has("namespaces") else [self._folder]
        return [
            *self._paths,
            *cache,
            *_DEVICES,
            own_process,
            "/proc/cpuinfo",
            "/proc/meminfo",
            "/sys/devices/system/cpu",
        ]

    def _try_user(self) -> None:
        identity.become(self._user)
        if not self._has("namespaces"):  # a new root makes every path passable
            os.stat(os.path.join(self._folder, "."))
            for path in self._paths:
                os.listdir(path) if os.path.isdir(path) else open(path).close()

    def _try_landlock(self) -> None:
        identity.renounce()  # or only root may
        landlock.restrict(self._paths, [])

    def _try_namespaces(self) -> None:
        namespaces.enter()
        _must_work(self._try_new_root)

    def _try_new_root(self) -> None:
        namespaces.new_root(self._folder, self._paths)
        namespaces.new_process_table()
        _must_work(lambda: namespaces.private(1, os.getuid()))


def _keep_only(descriptor: int) -> int:
    """Close every descriptor but one, which becomes number 3; 0, 1 and 2 lead nowhere."""
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.dup2(descriptor, _CHANNEL)
    os.closerange(_CHANNEL + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    return _CHANNEL


def _must_work(step: Callable[[], object]) -> None:
    if reason := _tried(step):
        raise OSError(reason)


def _tried(step: Callable[[], object]) -> str:
    """Why `step` does not work in a process of its own, or nothing where it does."""
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        code = 1
        try:
            step()
            code = 0
        except BaseException as error:
            os.write(writer, f"{type(error).__name__}: {error}".encode()[:500])
        finally:
            os._exit(code)
    os.close(writer)
    with open(reader, encoding="utf-8", errors="replace") as answer:
        reason = answer.read()
    status = os.waitpid(child, 0)[1]
    return reason or (f"the attempt ended with status {status}" if status else "")
