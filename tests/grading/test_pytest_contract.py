"""What this package relies on in pytest beyond its documentation; another version is to fail here first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.grading.suite import _OPTIONS, _UNUSED_PLUGINS, _forget

SUITE = '''
import pytest

seen = []

@pytest.fixture(scope="module", autouse=True)
def around():
    seen.append("set up")
    yield
    seen.append("torn down")

class TestOne:
    """tests"""
    @pytest.mark.parametrize("x", [1, 2], ids=["a::b", "c"])
    def test_it(self, x, tmp_path, named):
        """says something"""
        seen.append(named)

def test_that_fails():
    seen.append("fails")
    1 / 0
'''


class Noting:
    """Does one thing instead of what pytest would do, and writes down what it sees."""

    def __init__(self, loop: Callable[[pytest.Session], object] = lambda _: None) -> None:
        self.items: list[pytest.Item] = []
        self.seen: list[Any] = []
        self._loop = loop

    @pytest.fixture
    def named(self, request: pytest.FixtureRequest) -> str:
        return str(request.node.name)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self.items = [*items]

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._loop(session)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        self.seen.append((item.name, call.when, type(call.excinfo.value) if call.excinfo else None))
        if call.when == "call":
            call.excinfo = None


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., int | pytest.ExitCode]:
    def run(plugin: object, suite: str = SUITE) -> int | pytest.ExitCode:
        file = tmp_path / "test_hidden.py"
        file.write_text(suite)
        try:
            return pytest.main([*_OPTIONS, f"--rootdir={tmp_path}", str(file)], plugins=[plugin])
        finally:
            _forget(file)

    return run


def protocol(items: list[pytest.Item]) -> None:
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


@pytest.mark.parametrize("name", _UNUSED_PLUGINS)
def test_a_plug_in_that_we_switch_off_is_one_of_pytests_own(name: str, pytestconfig: pytest.Config) -> None:
    """pytest says nothing of a name that it does not know."""
    assert pytestconfig.pluginmanager.has_plugin(name)


def test_a_test_knows_the_classes_and_the_function_that_it_is_of(run: Callable[..., object]) -> None:
    plugin = Noting()
    run(plugin)
    first = plugin.items[0]
    named = [node.name for node in first.listchain() if isinstance(node, pytest.Class | pytest.Item)]
    assert named == ["TestOne", "test_it[a::b]"]
    assert first.function.__doc__ == "says something"


def test_the_tests_can_be_run_once_more_and_each_time_with_module_fixtures_of_their_own(
    run: Callable[..., object],
) -> None:
    seen: list[str] = []

    def twice(session: pytest.Session) -> None:
        for _ in range(2):
            protocol(session.items)
            seen.extend(session.items[0].module.seen)
            session.items[0].module.seen.clear()

    assert run(Noting(twice)) == pytest.ExitCode.OK
    assert seen == ["set up", "test_it[a::b]", "test_it[c]", "fails", "torn down"] * 2


def test_a_plug_in_sees_each_step_and_its_error_and_may_take_the_error_away(run: Callable[..., object]) -> None:
    plugin = Noting(lambda session: protocol(session.items[2:]))
    assert run(plugin) == pytest.ExitCode.OK
    name = "test_that_fails"
    assert plugin.seen == [(name, "setup", None), (name, "call", ZeroDivisionError), (name, "teardown", None)]


def test_an_interruption_ends_pytest_with_a_code_of_its_own(run: Callable[..., object]) -> None:
    interrupted = "def test_it():\n    raise KeyboardInterrupt\n"
    assert run(Noting(lambda session: protocol(session.items)), interrupted) == pytest.ExitCode.INTERRUPTED


def test_a_fault_of_a_plug_in_and_a_suite_that_cannot_be_read_are_told_to_plug_ins(
    run: Callable[..., object], capfd: pytest.CaptureFixture[str]
) -> None:
    told = []

    class Listening(Noting):
        def pytest_internalerror(self, excrepr: object) -> None:
            told.append(str(excrepr))

        def pytest_collectreport(self, report: pytest.CollectReport) -> None:
            if report.failed:
                told.append(str(report.longrepr))

    run(Listening(lambda _: 1 / 0))
    run(Listening(), "no_such_name\n")
    assert ["ZeroDivisionError" in told[0], "no_such_name" in told[1]] == [True, True]
    assert capfd.readouterr().err == ""
