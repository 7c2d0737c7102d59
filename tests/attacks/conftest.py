"""The exercise that is attacked is no test of ours; the world that is attacked is made anew for each test."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.world import World

collect_ignore = ["victim"]


@pytest.fixture
def world() -> Iterator[World]:
    """What there is to steal and to break; not in pytest's own folder, which is private."""
    root = Path(tempfile.mkdtemp(prefix="pytest-world-"))
    root.chmod(0o755)
    one = World(root)
    yield one
    one.close()
    shutil.rmtree(root)
