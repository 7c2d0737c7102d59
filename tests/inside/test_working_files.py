"""The course's own files in a student's folder: what the student's code can do to them, with and without namespaces."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

import pytest

from autograder.exercise.definition import Limits
from autograder.isolation.protection import GUARANTEES
from autograder.isolation.sandbox import Sandbox
from tests.sessions import GRADE, SMALL, play, protection

FILES = {"checks.py": b"", "points.csv": b"1,2\n", "empty.csv": b"", "large.bin": bytes(range(256)) * (3 << 12)}

TRIES = """
import json, os, shutil, stat
def tried(what):
    try:
        what()
    except OSError as error:
        return type(error).__name__
    return "done"
def write(): open("points.csv", "w").write("0")
def append(): open("points.csv", "a").write("0")
def allow():
    os.chmod("points.csv", 0o644)
    write()
def remove(): os.remove("points.csv")
def rename(): os.rename("points.csv", "mine.csv")
def replace():
    open("mine.csv", "w").write("0")
    os.replace("mine.csv", "points.csv")
def link():
    os.symlink("/dev/null", "mine.link")
    os.replace("mine.link", "points.csv")
def cut(): os.truncate("points.csv", 0)
def all_of_it(): shutil.rmtree(".")
tries = (write, append, allow, remove, rename, replace, link, cut, all_of_it)
print(json.dumps([{one.__name__: tried(one) for one in tries}, open("points.csv").read(), os.listdir()]))
"""


@pytest.fixture(scope="module")
def without_namespaces() -> Iterator[Sandbox]:
    with Sandbox((), protection(["namespaces"], GUARANTEES)) as sandbox:
        yield sandbox


def outcome(sandbox: Sandbox) -> tuple[dict[str, str], str, list[str]]:
    with play(sandbox, TRIES, files=FILES) as session:
        tried, text, names = json.loads(session.runs[0].outputs[0]["text"])
    return tried, text, names


def test_nothing_changes_them(sandbox: Sandbox) -> None:
    tried, text, names = outcome(sandbox)
    assert "done" not in tried.values(), tried
    assert (text, set(FILES) - set(names)) == ("1,2\n", set())


def test_without_namespaces_nothing_changes_them_for_another_user(without_namespaces: Sandbox) -> None:
    if "user" in without_namespaces.missing:
        pytest.skip("it has no user of its own here, so it owns them")
    tried, text, names = outcome(without_namespaces)
    assert "done" not in tried.values(), tried
    assert (text, set(FILES) - set(names)) == ("1,2\n", set())


@pytest.mark.parametrize("which", ["sandbox", "without_namespaces"])
def test_each_is_whole_and_the_folder_takes_more_than_them(which: str, request: pytest.FixtureRequest) -> None:
    sandbox: Sandbox = request.getfixturevalue(which)
    digests = "{name: hashlib.sha256(open(name, 'rb').read()).hexdigest() for name in names}"
    own = "open('mine', 'w').write('x')\nopen('mine').read()"
    with play(sandbox, f"import hashlib\nnames = {list(FILES)}\n{digests}", own, files=FILES) as session:
        shown = [eval(run.outputs[0]["data"]["text/plain"]) for run in session.runs.values()]
    assert shown == [{name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}, "x"]


def test_they_take_nothing_of_the_disk_that_the_student_has(sandbox: Sandbox) -> None:
    fill = "open('mine', 'wb').write(bytes(1000 << 10))"
    too_much = "open('more', 'wb').write(bytes(1000 << 10))\nopen('most', 'wb').write(bytes(1000 << 10))"
    limits = Limits(disk=1, memory=512)
    with play(sandbox, fill, too_much, GRADE, limits=limits, files=FILES) as session:
        first, second = (session.runs[index].error for index in (0, 1))
    assert first is None
    assert second is not None
    assert "No space left" in second.message


def test_a_process_that_is_started_again_has_them_as_they_were(sandbox: Sandbox) -> None:
    crash = "import os, sys\n'x' in globals() or os._exit(1)"
    cells = ("open('mine.csv', 'w').write('0')", crash, "import os\nopen('points.csv').read(), sorted(os.listdir())")
    with play(sandbox, *cells, limits=SMALL, files=FILES) as session:
        assert session.runs[1].ended
        shown = session.runs[2].outputs[0]["data"]["text/plain"]
    assert shown.startswith(r"('1,2\n', ['checks.py'")
