"""What the doctor says of this machine, and of one that has less."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.cli import main
from autograder.errors import ConfigError, SandboxError
from autograder.inside.confine import Confinement
from autograder.isolation import doctor
from autograder.isolation.doctor import LAYERS, Diagnosis, diagnose, require_safety
from autograder.isolation.protection import GUARANTEES
from tests.sessions import protection

pytestmark = pytest.mark.broad
ALL = tuple(layer.name for layer in LAYERS)


def test_every_layer_is_explained_and_no_other(tmp_path: Path) -> None:
    assert set(Confinement(ALL, str(tmp_path)).missing) == set(ALL)
    for layer in LAYERS:
        assert layer.guarantee
        assert layer.remedy


def test_this_machine_is_safe() -> None:
    diagnosis = diagnose()
    assert diagnosis.is_safe
    assert diagnosis.breaches == ()
    assert set(diagnosis.missing) <= ({"user", "cgroup"} if os.getuid() else set())


@pytest.mark.parametrize(
    ("without", "broken"),
    [
        (("namespaces", "landlock"), ("files",)),
        (("seccomp",), ("processes", "network")),
        (("limits",), ("resources",)),
        (ALL, ("files", "network", "processes", "resources")),
    ],
    ids=" ".join,
)
def test_a_machine_with_less_is_not(without: tuple[str, ...], broken: tuple[str, ...]) -> None:
    diagnosis = diagnose(frozenset(without))
    assert not diagnosis.is_safe
    assert set(broken) <= set(diagnosis.breaches) <= set(GUARANTEES)
    assert {layer: diagnosis.missing[layer] for layer in without} == dict.fromkeys(without, "switched off")


@pytest.mark.parametrize("without", [("namespaces",), ("landlock",), ("user",), ("cgroup",)], ids=" ".join)
def test_one_layer_of_two_is_enough(without: tuple[str, ...]) -> None:
    assert diagnose(frozenset(without)).is_safe


def test_grading_where_it_is_not_safe_is_refused_in_one_sentence() -> None:
    with pytest.raises(ConfigError, match=r"cannot shut students' code off from: files.*--allow-unsafe") as refused:
        require_safety(protection(["namespaces", "landlock"]))
    assert "\n" not in str(refused.value)
    require_safety(protection())


def test_where_no_process_starts_grading_is_refused_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Diagnosis:
        raise SandboxError("the warm parent has ended")

    monkeypatch.setattr(doctor, "diagnose", fail)
    with pytest.raises(ConfigError, match="the warm parent has ended"):
        require_safety(protection())


@pytest.fixture
def _no_course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a course the command tries its packages, too."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("_no_course")
def test_the_command_says_what_is_here() -> None:
    result = CliRunner().invoke(main, ["doctor"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    assert "Students' code is shut in" in result.output
    for layer in LAYERS:
        assert layer.name in result.output


@pytest.mark.usefixtures("_no_course")
def test_the_command_says_what_is_missing_and_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.commands.machine.diagnose", lambda: diagnose(frozenset({"namespaces", "landlock"})))
    result = CliRunner().invoke(main, ["doctor"], env={"COLUMNS": "400"})
    assert result.exit_code == 1
    assert "NOT SAFE: a process like a student's is not shut off from: files" in result.output
    for said in ("switched off", "kernel.unprivileged_userns_clone", "Linux 5.13"):
        assert said in result.output
