"""Test functions and classes of a suite, which have several tests each where they are parametrized."""

from __future__ import annotations

from collections.abc import Collection


def unit_of(test: str) -> str:
    """The function or class of the suite that a test of this name is a case of, or is in."""
    return test.split("[")[0].split("::")[0]


class TestsOf:
    """The names of all tests in some test functions and classes."""

    __test__ = False  # or pytest takes it for one

    def __init__(self, units: Collection[str]) -> None:
        self._units = units

    def __contains__(self, name: object) -> bool:
        return unit_of(str(name)) in self._units
