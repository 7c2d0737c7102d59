"""The house keeps its plan: which room may import which. The figure of docs/architecture.md is this table."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from autograder import layout

# Each room and what it may import: rooms, then files that lie beside them. The student's process must not hold tests or
# solutions: so little for `inside`.
PLAN = """\
checks       values
exercise     checks errors layout settings tree
submission   exercise  report scrub tree
inside       layout values wire
isolation    exercise inside submission  errors layout report scrub values wire
grading      checks exercise isolation submission  errors layout report scrub standing store testing values wire
course       exercise grading isolation submission  errors layout report scrub standing store tree
batch        course exercise grading inside isolation submission  errors report scrub standing startup store tree
authoring    batch exercise grading isolation submission  errors layout report settings store values
commands     authoring batch course exercise grading isolation submission  errors report scrub standing
api          batch course exercise grading isolation  errors report
cli          errors startup
testing      checks values
store        errors layout
scrub        layout
wire         values
errors
layout
report       standing
settings
standing
startup
tree
values
"""
MAY_IMPORT = {words[0]: set(words[1:]) for words in map(str.split, PLAN.splitlines())}
LONGEST = 400
ALLOWED_LONGER: dict[str, int] = {}


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(layout.IMPORTED_FROM).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_name(path): path for path in layout.modules()}


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
    return {one for one in found if layout.is_own_module(one)}


def room(name: str) -> str:
    return (*name.split("."), "")[1]


def test_the_graph_has_all_of_the_package() -> None:
    assert {room(name) for name in MODULES} == {*MAY_IMPORT, ""}
    assert "autograder.wire" in imports("autograder.inside.server")


def test_no_import_goes_round_in_a_circle() -> None:
    order = list(TopologicalSorter({name: imports(name) for name in MODULES}).static_order())
    assert set(order) >= set(MODULES)


def test_no_room_may_import_one_that_may_import_it() -> None:
    assert list(TopologicalSorter(MAY_IMPORT).static_order())


@pytest.mark.parametrize("name", sorted(MODULES))
def test_only_modules_that_exist_are_imported_and_never_an_exercise(name: str) -> None:
    assert imports(name) <= set(MODULES)


@pytest.mark.parametrize("one", sorted(MAY_IMPORT))
def test_a_room_imports_what_the_plan_says_and_the_plan_says_no_more(one: str) -> None:
    imported = {room(other) for name in MODULES if room(name) == one for other in imports(name)}
    assert imported - {one} == MAY_IMPORT[one]


def test_every_file_beside_the_rooms_is_in_the_plan() -> None:
    rooms = {room(name) for name in MODULES if name.count(".") > 1}
    assert {path.stem for path in layout.PACKAGE.glob("*.py")} == {*MAY_IMPORT, "__init__"} - rooms


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_can_be_read_in_one_sitting(name: str) -> None:
    lines = MODULES[name].read_text(encoding="utf-8").splitlines()
    assert len(lines) < ALLOWED_LONGER.get(name, LONGEST)
