"""What this package relies on in Hypothesis beyond its documentation; another version is to fail here first."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import configuration, given, seed
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

from autograder.grading.suite_hypothesis import _NOWHERE


def test_numbers_of_loaded_modules_are_asked_for_by_this_name(monkeypatch: pytest.MonkeyPatch) -> None:
    providers.CONSTANTS_CACHE.cache.clear()
    one = providers.Constants(integers=[123456789012])
    monkeypatch.setattr(providers, "_get_local_constants", lambda: one)
    drawn = set()

    @seed(0)
    @given(st.integers())
    def test(number: int) -> None:
        drawn.add(number)

    for number in range(20):
        seed(number)(test)()
    providers.CONSTANTS_CACHE.cache.clear()
    assert 123456789012 in drawn


def test_a_test_with_examples_says_so_and_keeps_a_new_seed() -> None:
    runs: list[list[int]] = []

    @given(st.integers())
    def test(number: int) -> None:
        runs[-1].append(number)

    assert test.is_hypothesis_test
    for number in (1, 2, 1):
        runs.append([])
        seed(number)(test)()
    assert runs[0] == runs[2] != runs[1]


def test_where_no_folder_can_be_made_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    configuration.set_hypothesis_home_dir(_NOWHERE)
    try:
        with pytest.raises(OSError, match="Not a directory"):
            configuration.storage_directory("examples").create_if_missing()
    finally:
        configuration.set_hypothesis_home_dir(None)
    assert configuration.storage_directory("examples").path.name == "examples"
    assert not Path(_NOWHERE).exists()
