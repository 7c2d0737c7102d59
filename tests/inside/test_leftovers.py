"""What a start removes of earlier graders, and what it leaves alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from autograder.inside import leftovers
from autograder.inside.cgroup import ControlGroup, parents
from tests.inside.forked import forked, works


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def dead() -> int:
    """The number of a process that has ended."""
    return int(forked(os.getpid))


def filled(folder: Path) -> Path:
    (folder / "work" / "deep").mkdir(parents=True)
    (folder / "work" / "file").write_text("text")
    return folder


def test_a_folder_carries_the_number_of_who_made_it(temporary: Path) -> None:
    folder = Path(leftovers.new_folder("parent"))
    assert folder.parent == temporary
    assert folder.name.startswith(f"autograder-{os.getpid()}-parent-")
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_of_an_ended_process_is_removed_with_all_that_is_in_it(temporary: Path, dead: int) -> None:
    folder = filled(temporary / f"autograder-{dead}-parent-abc")
    leftovers.sweep()
    assert not folder.exists()


@pytest.mark.parametrize("name", ["autograder-{own}-parent-abc", "autograder-parent-{dead}", "other-{dead}-parent-abc"])
def test_other_folders_stay(temporary: Path, dead: int, name: str) -> None:
    folder = filled(temporary / name.format(own=os.getpid(), dead=dead))
    leftovers.sweep()
    assert (folder / "work" / "file").exists()


def test_a_link_of_such_a_name_is_not_followed(temporary: Path, dead: int) -> None:
    target = filled(temporary / "target")
    (temporary / f"autograder-{dead}-parent-abc").symlink_to(target)
    inner = temporary / f"autograder-{dead}-canary-abc"
    inner.mkdir()
    (inner / "link").symlink_to(target)
    leftovers.sweep()
    assert (target / "work" / "file").exists()


def test_a_folder_is_removed_however_deep_and_closed_it_is(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(temporary)
    os.mkdir("x")
    os.chdir("x")
    for _ in range(2000):
        os.mkdir("d")
        os.chdir("d")
    os.chmod(".", 0)
    os.chdir(temporary)
    leftovers.remove(str(temporary / "x"))
    assert not (temporary / "x").exists()


def test_what_may_not_be_removed_is_no_error(temporary: Path, dead: int, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = filled(temporary / f"autograder-{dead}-parent-abc")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr("os.unlink", refuse)
    monkeypatch.setattr("os.rmdir", refuse)
    monkeypatch.setattr("subprocess.run", lambda *_, **__: None)
    leftovers.sweep()
    assert folder.exists()


def make_and_remove() -> None:
    ControlGroup(f"autograder-try-{os.getpid()}").remove()


@pytest.mark.skipif(not works(make_and_remove), reason="this user may make no control group")
@pytest.mark.parametrize("name", ["autograder-{}", "autograder-try-{}"])
def test_a_control_group_of_an_ended_process_is_removed(dead: int, name: str) -> None:
    groups = [parent / name.format(dead) for parent in parents()]
    ControlGroup(groups[0].name)
    own = ControlGroup(f"autograder-{os.getpid()}-test")
    leftovers.sweep()
    assert [group for group in groups if group.exists()] == []
    assert all((parent / f"autograder-{os.getpid()}-test").exists() for parent in parents())
    own.remove()


def test_two_sweeps_at_once_do_not_disturb_each_other(temporary: Path, dead: int) -> None:
    for number in range(20):
        filled(temporary / f"autograder-{dead}-parent-{number}")
    child = os.fork()
    leftovers.sweep()
    if child == 0:
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert list(temporary.glob("autograder-*")) == []
