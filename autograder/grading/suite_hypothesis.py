"""Hypothesis in a hidden suite: the same examples for the same seed, on every machine, and nothing left on the disk.

It is no dependency. Where the staff have it and a suite names it, it runs under these rules; else nothing is imported.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_PROFILE = "autograder"
_NOWHERE = os.path.join(os.devnull, "hypothesis")  # no folder can be made there, which Hypothesis takes as it comes


@contextmanager
def steady_examples(suite: Path) -> Iterator[None]:
    """While a suite is read or run. Other tests of this process find Hypothesis as they left it."""
    if not (suite.is_file() and b"hypothesis" in suite.read_bytes() and _is_there()):
        yield
        return
    configuration = importlib.import_module("hypothesis.configuration")
    settings = importlib.import_module("hypothesis").settings
    before = settings.get_current_profile_name()
    _register(settings)
    settings.load_profile(_PROFILE)
    configuration.set_hypothesis_home_dir(_NOWHERE)
    try:
        with _without_constants_of_loaded_modules():
            yield
    finally:
        configuration.set_hypothesis_home_dir(None)
        settings.load_profile(before)


def seed_examples(test: Callable[..., Any] | None, seed: int) -> None:
    """Let the examples of a test, if it has any, hang on `seed` alone."""
    if getattr(test, "is_hypothesis_test", False):
        importlib.import_module("hypothesis").seed(seed)(test)


def _is_there() -> bool:
    try:
        importlib.import_module("hypothesis")
    except ImportError:  # which the suite will say itself
        return False
    return True


def _register(settings: Any) -> None:
    """Without what hangs on the clock, and without shrinking: each example is a call to the student's process."""
    hypothesis = importlib.import_module("hypothesis")
    settings.register_profile(
        _PROFILE,
        settings.get_profile("default"),
        database=None,
        deadline=None,
        derandomize=True,
        phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
        report_multiple_bugs=False,
        suppress_health_check=list(hypothesis.HealthCheck),
    )


@contextmanager
def _without_constants_of_loaded_modules() -> Iterator[None]:
    """Hypothesis draws from the numbers in the sources of local modules: of those that happen to be loaded."""
    providers: Any = importlib.import_module("hypothesis.internal.conjecture.providers")
    name = "_get_local_constants"
    if not hasattr(providers, name):  # an older version
        yield
        return
    original, nothing = getattr(providers, name), providers.Constants()
    setattr(providers, name, lambda: nothing)
    providers.CONSTANTS_CACHE.cache.clear()
    try:
        yield
    finally:
        setattr(providers, name, original)
        providers.CONSTANTS_CACHE.cache.clear()
