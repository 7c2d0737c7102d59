"""Folders as students, their tools and bad luck leave them, made by machine from a seed."""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Callable
from pathlib import Path

Odd = Callable[[Path, random.Random], None]


def _name(chance: random.Random) -> bytes:
    kinds = (
        lambda: bytes(chance.choice(b"abcXYZ._- ") for _ in range(chance.randint(1, 12))),
        lambda: bytes(chance.randint(1, 255) for _ in range(chance.randint(1, 40))).replace(b"/", b"_"),
        lambda: b"x" * 250,
        lambda: chance.choice([b"a\nb", b"[red]x", b"\xff\xfe", "łąka".encode(), b"\x1b[2J", b"$(id)", b"-rf", b"'\""]),
    )
    made = chance.choice(kinds)().strip(b".")
    return made or b"x"


def _entry(folder: Path, chance: random.Random) -> Path:
    """A new name in a folder; `os.fsdecode` keeps what is no text."""
    while True:
        path = folder / os.fsdecode(_name(chance))
        if not os.path.lexists(path):
            return path


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    place = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(f"/proc/self/fd/{place}/s")  # a socket's path must be short
        os.rename(f"/proc/self/fd/{place}/s", path)
    finally:
        os.close(place)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(20 << 30)


def _deep(path: Path) -> None:
    path.mkdir()
    place = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    for _ in range(3000):
        os.mkdir("d", dir_fd=place)
        below = os.open("d", os.O_RDONLY | os.O_DIRECTORY, dir_fd=place)
        os.close(place)
        place = below
    os.close(place)


def _closed_file(path: Path) -> None:
    path.write_bytes(b"closed")
    path.chmod(0)


def _closed_folder(path: Path) -> None:
    path.mkdir()
    path.chmod(0)


def _many(path: Path) -> None:
    path.mkdir()
    for number in range(1500):
        (path / str(number)).touch()


def _bytes(path: Path, chance: random.Random) -> None:
    path.write_bytes(chance.randbytes(chance.randint(0, 5000)))


ENTRIES: dict[str, Odd] = {
    "a file": lambda folder, chance: _bytes(_entry(folder, chance), chance),
    "a folder": lambda folder, chance: (_entry(folder, chance)).mkdir(),
    "a link to a file": lambda folder, chance: _entry(folder, chance).symlink_to("/etc/passwd"),
    "a link to a folder": lambda folder, chance: _entry(folder, chance).symlink_to("/"),
    "a link to itself": lambda folder, chance: (folder / "loop").symlink_to("loop"),
    "a link to nothing": lambda folder, chance: _entry(folder, chance).symlink_to("nothing"),
    "a link to a device": lambda folder, chance: _entry(folder, chance).symlink_to("/dev/zero"),
    "a named pipe": lambda folder, chance: _fifo(_entry(folder, chance)),
    "a socket": lambda folder, chance: _socket(_entry(folder, chance)),
    "a sparse file of 20 GiB": lambda folder, chance: _sparse(_entry(folder, chance)),
    "3,000 folders in one another": lambda folder, chance: _deep(_entry(folder, chance)),
    "a file that may not be read": lambda folder, chance: _closed_file(_entry(folder, chance)),
    "a folder that may not be read": lambda folder, chance: _closed_folder(_entry(folder, chance)),
    "many files": lambda folder, chance: _many(_entry(folder, chance)),
}
TIMESTAMPS: dict[str, Odd] = {
    "no timestamp": lambda folder, chance: None,
    "a folder": lambda folder, chance: (folder / "timestamp.txt").mkdir(),
    "a named pipe": lambda folder, chance: _fifo(folder / "timestamp.txt"),
    "a link to a device": lambda folder, chance: (folder / "timestamp.txt").symlink_to("/dev/zero"),
    "20 MB of digits": lambda folder, chance: (folder / "timestamp.txt").write_bytes(b"7" * 20_000_000) and None,
    "any bytes": lambda folder, chance: _bytes(folder / "timestamp.txt", chance),
    "another zone": lambda folder, chance: (folder / "timestamp.txt").write_text("2026-03-02 10:00 CEST") and None,
    "UTF-16": lambda folder, chance: (
        (folder / "timestamp.txt").write_bytes("2026-03-02 10:00:00 UTC".encode("utf-16")) and None
    ),
    "a date": lambda folder, chance: (folder / "timestamp.txt").write_text("2026-03-02 10:00:00 UTC") and None,
    "closed": lambda folder, chance: _closed_file(folder / "timestamp.txt"),
}


def make_odd(folder: Path, seed: int) -> str:
    """Fill `folder`, which need not be there, from a seed; what was put there, in words."""
    chance = random.Random(seed)
    folder.parent.mkdir(parents=True, exist_ok=True)
    itself = chance.random()
    if itself < 0.05:
        folder.write_bytes(b"a file where the folder should be")
        return "a file in its place"
    if itself < 0.1:
        folder.symlink_to("/etc")
        return "a link in its place"
    folder.mkdir()
    kinds = chance.sample(list(ENTRIES), chance.randint(0, 4))
    timestamp = chance.choice(list(TIMESTAMPS))
    for kind in kinds:
        ENTRIES[kind](folder, chance)
    TIMESTAMPS[timestamp](folder, chance)
    return f"{', '.join(kinds) or 'nothing else'}; timestamp: {timestamp}"
