"""What protects the grader on this machine: each layer of the confinement, tried, and how to get a missing one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.errors import ConfigError, SandboxError
from autograder.exercise.definition import Limits
from autograder.exercise.packages import missing_packages
from autograder.isolation.protection import GUARANTEES, Protection
from autograder.isolation.sandbox import Sandbox


@dataclass(frozen=True)
class Layer:
    """One layer. guarantee: what it does for the instructor. remedy: how a machine without it gets it."""

    name: str
    guarantee: str
    remedy: str


LAYERS = (
    Layer(
        "namespaces",
        "sees only Python and its packages; no network, no other process, its own small folder",
        "run as root, or let users make namespaces (sysctl kernel.unprivileged_userns_clone=1; on Ubuntu 24.04 "
        "kernel.apparmor_restrict_unprivileged_userns=0)",
    ),
    Layer(
        "user",
        "runs as a user who owns nothing",
        "run as root, best in a container of its own; the interpreter must not lie in a private home folder",
    ),
    Layer(
        "landlock",
        "opens no file but those it needs, no TCP connection",
        "Linux 5.13 or later with Landlock switched on (it is in Debian 12, Ubuntu 22.04, Fedora 35 and later)",
    ),
    Layer(
        "seccomp",
        "makes only harmless system calls: no sockets, no programs, no debugging of other processes",
        "install libseccomp (Debian and Ubuntu: apt install libseccomp2; Fedora: dnf install libseccomp)",
    ),
    Layer(
        "cgroup",
        "memory and threads are limited for all of it together",
        "run as root where /sys/fs/cgroup can be written to; the other limits stand without it",
    ),
    Layer("limits", "CPU time, memory, file sizes and open files have an end", "every Linux has them"),
)


@dataclass(frozen=True)
class Diagnosis:
    """missing: the reason for every absent layer. breaches: guarantees that do not hold in a student's process."""

    missing: dict[str, str]
    breaches: tuple[str, ...]

    @property
    def is_safe(self) -> bool:
        return not self.breaches


def diagnose(disabled_layers: frozenset[str] = frozenset()) -> Diagnosis:
    """Start a student's process here and let it try what must not work. Errors: SandboxError where none starts."""
    with Sandbox((), Protection(disabled_layers=disabled_layers, tolerated_breaches=GUARANTEES)) as sandbox:
        sandbox.start(Limits()).close()
        return Diagnosis(sandbox.missing, sandbox.breaches)


def why_not_warm(packages: Sequence[str]) -> str:
    """Why students' processes cannot be had with these packages in them; empty where they can."""
    if missing := list(missing_packages(packages)):
        return "\n".join(missing)
    try:
        Sandbox(packages, Protection(tolerated_breaches=GUARANTEES)).close()
    except SandboxError as error:
        return str(error)
    return ""


def require_safety(protection: Protection) -> None:
    """Errors: ConfigError where students' code cannot be shut in on this machine, and that is not tolerated."""
    if protection.tolerated_breaches == GUARANTEES:
        return
    try:
        breaches = set(diagnose(protection.disabled_layers).breaches) - protection.tolerated_breaches
    except SandboxError as error:
        raise ConfigError(str(error)) from None
    if breaches:
        open_to = ", ".join(sorted(breaches))
        raise ConfigError(
            f"this machine cannot shut students' code off from: {open_to}. `autograder doctor` says what is missing; "
            "--allow-unsafe grades all the same"
        )
