"""What the attacks are after: a course's secrets on this machine, and honest work beside the attacker's."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import psutil

from autograder.exercise.build import build
from autograder.exercise.built import Built
from autograder.exercise.definition import Exercise
from autograder.grading.evaluate import Evaluation
from autograder.grading.explain import explain
from autograder.submission.samples import solved

HERE = Path(__file__).parent
SECRET = "-SECRET"  # the end of every secret that lies about


@dataclass(frozen=True)
class Attack:
    """One file: a student's cell, whose first sentence says what it tries.

    says: what the report or the notebook must tell of it, or one of several, as `this | that`. stopped_by: with all of
    these layers left out it succeeds; only for attacks that do no harm then. needs: the layers without which nothing
    stops it. task: whose solution it takes the place of, the first one's as a rule.
    """

    path: Path

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def source(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def says(self) -> str:
        return self._header("says")

    @property
    def stopped_by(self) -> list[str]:
        return self._header("stopped by").split()

    @property
    def needs(self) -> list[str]:
        return self._header("needs").split()

    @property
    def task(self) -> str:
        return self._header("task") or "double"

    def _header(self, name: str) -> str:
        found = re.search(rf"^# {name}: (.*)$", self.source, re.MULTILINE)
        return found[1].strip() if found else ""


ATTACKS = [Attack(path) for path in sorted(HERE.glob("*ing/*.py"))]


@dataclass
class World:
    """A machine with something to steal and to break. `names` is what an attack knows of it."""

    root: Path
    names: dict[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._make_files()
        self._open_sockets()
        self.secret_descriptor = os.open(self.root / "secret.txt", os.O_RDONLY)
        os.set_inheritable(self.secret_descriptor, True)
        os.environ["AUTOGRADER_TOKEN"] = "ENVIRONMENT-SECRET"
        self.names |= {"GRADER_PID": os.getpid()}

    def _make_files(self) -> None:
        course = self.root / "course"
        files = {
            "SECRET_FILE": self.root / "secret.txt",
            "HIDDEN_TESTS": course / "exercises" / "victim" / "test_hidden.py",
            "SOLUTION": course / "solutions" / "victim" / "victim.ipynb",
            "OTHER_STUDENT": course / "submitted" / "honest" / "victim" / "victim.ipynb",
            "WRITABLE_FILE": self.root / "writable" / "file.txt",
        }
        for name, path in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{name}{SECRET}")
            path.chmod(0o666)
            self.names[name] = str(path)
        (self.root / "writable").chmod(0o777)
        gradebook = course / "gradebook.db"
        with sqlite3.connect(gradebook) as database:
            database.execute("create table grade (student text, score real)")
            database.execute(f"insert into grade values ('GRADEBOOK{SECRET}', 1.0)")
        gradebook.chmod(0o666)
        self.names |= {"GRADEBOOK": str(gradebook), "WRITABLE_FOLDER": str(self.root / "writable")}
        for path in (self.root, *self.root.rglob("*")):
            if path.is_dir():
                path.chmod(0o777)

    def _open_sockets(self) -> None:
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.unix = socket.socket(socket.AF_UNIX)
        self.unix.bind(str(self.root / "socket"))
        self.unix.listen()
        self.datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.datagrams.bind(str(self.root / "datagrams"))
        self.abstract = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.abstract.bind(f"\0attacked-{os.getpid()}")
        for name in ("socket", "datagrams"):
            (self.root / name).chmod(0o777)
        for one in self._sockets:
            one.setblocking(False)
        ports = {"TCP_PORT": self.tcp.getsockname()[1], "UDP_PORT": self.udp.getsockname()[1]}
        paths = {"UNIX_SOCKET": str(self.root / "socket"), "DATAGRAM_SOCKET": str(self.root / "datagrams")}
        self.names |= {**ports, **paths, "ABSTRACT_SOCKET": f"\0attacked-{os.getpid()}"}

    @property
    def _sockets(self) -> tuple[socket.socket, ...]:
        return self.tcp, self.udp, self.unix, self.datagrams, self.abstract

    def heard(self) -> bool:
        """Whether anything has arrived on a socket."""
        for one in self._sockets:
            try:
                one.accept() if one.type == socket.SOCK_STREAM else one.recv(1)
            except BlockingIOError:
                continue
            return True
        return False

    def listing(self) -> dict[str, str]:
        """A digest of every file of this world, and of the temporary folder's names."""
        files = {
            str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in self.root.rglob("*") if path.is_file()
        }
        return files | {name: "" for name in os.listdir(tempfile.gettempdir()) if not name.startswith(_PASSING)}

    def close(self) -> None:
        for one in self._sockets:
            one.close()
        os.close(self.secret_descriptor)
        del os.environ["AUTOGRADER_TOKEN"]


_PASSING = ("autograder-", "pytest-", "pip-", "tmp")  # other people's, and the grader's while it lives


def victim() -> Built:
    """The exercise that is attacked."""
    return build(Exercise(HERE / "victim"))


def submission(built: Built, world: World, attack: Attack) -> bytes:
    """The released notebook with the attack in the place of a solution."""
    notebook = nbformat.from_dict(built.release)
    knowledge = "\n".join(f"{name} = {value!r}" for name, value in world.names.items())
    place = next(number for number, cell in enumerate(notebook.cells) if cell.id == f"{attack.task}-code")
    notebook.cells[place].source = attack.source
    notebook.cells.insert(place, nbformat.v4.new_code_cell(knowledge, id="knowledge"))
    return nbformat.writes(notebook).encode()


def honest(built: Built) -> bytes:
    """Right work."""
    return nbformat.writes(solved(built)).encode()


def told(evaluation: Evaluation) -> str:
    """All that people read of an evaluation, but for the student's own code."""
    outputs = [cell.get("outputs", []) for cell in evaluation.notebook.cells]
    return explain(evaluation.report) + str(outputs)


def hidden_characters(evaluation: Evaluation) -> set[str]:
    """Characters in what people read that are seen as nothing, or change how the others are seen."""
    texts = [explain(evaluation.report), *(finding.message for finding in evaluation.report.findings)]
    return {found for text in [*texts, *_strings(evaluation.notebook.cells)] for found in HIDDEN.findall(text)}


# Controls but tab and line feed; what has no width, but for the joiners of scripts and emoji; line and paragraph
# separators; what sets the direction of writing; halves of characters.
HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


def _strings(value: object) -> Iterator[str]:
    """All texts in nested data but the code of cells."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _strings(item) if key != "source" or value.get("cell_type") == "markdown" else ()
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def students_processes() -> list[psutil.Process]:
    """The processes of students below this one: all of the warm parents' descendants but the parents."""
    launchers = [child for child in psutil.Process().children() if "autograder.inside.warm_parent" in child.cmdline()]
    parents = [parent for launcher in launchers for parent in launcher.children()]
    return [process for parent in parents for process in parent.children(recursive=True)]


LARGEST_GRADER = 1 << 30  # bytes of memory that one student may cost the grader's own process, on top of what it has


def memory_now() -> int:
    """What this process holds; from now on the largest is counted anew."""
    Path("/proc/self/clear_refs").write_text("5")
    return int(psutil.Process().memory_info().rss)


def largest_memory() -> int:
    """The most that this process has held since."""
    status = Path("/proc/self/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) << 10
