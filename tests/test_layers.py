"""The package keeps its layers: who may import whom."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "autograder"
FILES = sorted(path for path in PACKAGE.rglob("*.py") if "exercises" not in path.relative_to(PACKAGE).parts)
LONGEST = 400
ALLOWED_LONGER = {"autograder.compare": 420}


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_name(path): path for path in FILES}


def imports(name: str) -> set[str]:
    """The modules of this package that a module imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} has a relative import"
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (inner & set(MODULES)) or {node.module or ""}
    return {one for one in found if one.split(".")[0] == "autograder"}


def test_the_graph_has_all_of_the_package() -> None:
    assert {"autograder.wire", "autograder.session", "autograder.inside.worker"} <= set(MODULES)
    assert "autograder.wire" in imports("autograder.inside.worker")


def test_no_import_goes_round_in_a_circle() -> None:
    order = list(TopologicalSorter({name: imports(name) for name in MODULES}).static_order())
    assert set(order) >= set(MODULES)


@pytest.mark.parametrize("name", sorted(MODULES))
def test_only_modules_that_exist_are_imported_and_never_an_exercise(name: str) -> None:
    assert imports(name) <= set(MODULES)


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("autograder.inside")])
def test_the_students_process_loads_nothing_of_the_package_but_the_wire(name: str) -> None:
    """Tests and solutions must not be in its memory."""
    others = {one for one in imports(name) if not one.startswith("autograder.inside")}
    assert others <= {"autograder.wire", "autograder.layout"}


@pytest.mark.parametrize(
    "name", ["autograder", "autograder.errors", "autograder.layout", "autograder.wire", "autograder.compare"]
)
def test_what_is_loaded_elsewhere_stands_alone(name: str) -> None:
    assert imports(name) == set()


def test_the_part_of_checks_that_students_run_needs_the_comparisons_alone() -> None:
    assert imports("autograder.checks_runtime") == {"autograder.compare"}


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_can_be_read_in_one_sitting(name: str) -> None:
    lines = MODULES[name].read_text(encoding="utf-8").splitlines()
    assert len(lines) < ALLOWED_LONGER.get(name, LONGEST)
