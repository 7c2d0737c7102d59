"""The packages that an exercise's notebook and tests count on, by the names that `import` knows them by."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, packages_distributions, version

from autograder import layout
from autograder.errors import ConfigError

_ALWAYS = ("numpy", "matplotlib")
_OF_FRAMEWORK: dict[str, tuple[str, ...]] = {"numpy": (), "torch": ("torch",)}
_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]{0,99}")
_INSTALLED_AS = {"PIL": "pillow", "cv2": "opencv-python", "skimage": "scikit-image", "sklearn": "scikit-learn"}

FRAMEWORKS = tuple(_OF_FRAMEWORK)


def all_packages(framework: str, named: Collection[str]) -> tuple[str, ...]:
    """What is there for every exercise of this framework, and what this one names itself."""
    return tuple(dict.fromkeys([*_ALWAYS, *_OF_FRAMEWORK.get(framework, ()), *named]))


def unfit_packages(named: Collection[str]) -> Iterator[str]:
    """What keeps a name from being that of a package."""
    for name in named:
        if not _NAME.fullmatch(name) or layout.is_own_module(name):
            meant = next((one for one, installed in _INSTALLED_AS.items() if installed == name), "")
            hint = f"; did you mean `{meant}`?" if meant else ""
            yield f"names `{name}`, by which no package can be imported{hint}"


def missing_packages(packages: Collection[str]) -> Iterator[str]:
    """Those that are not installed on this machine, each in a sentence that says how to install it."""
    for name in packages:
        if PathFinder.find_spec(name) is None:
            yield f"the package `{name}` is not installed here; pip install {_INSTALLED_AS.get(name, name)}"


def require_packages(packages: Collection[str]) -> None:
    """Errors: ConfigError where one is not installed on this machine."""
    if missing := list(missing_packages(packages)):
        raise ConfigError("\n".join(missing))


def versions_of(packages: Collection[str]) -> dict[str, str]:
    """The versions that are installed here, empty where there is none."""
    return {name: _version(name) for name in packages}


@cache
def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return " ".join(f"{one} {version(one)}" for one in packages_distributions().get(name, ()))
