"""A notebook's names are brought back as they stood, whatever was bound, deleted or given since."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.inside import own_code
from autograder.inside.states import States


class Notebook:
    """Cells run in one dict, as an interpreter would."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.states = States(self.names)
        self.count = 0

    def run(self, source: str, *, is_given: bool = False) -> None:
        self.count += 1
        with self.states.watching(self.count, is_given):
            exec(source, self.names)

    def asked(self, state: str, expression: str) -> Any:
        self.states.enter(state)
        return eval(expression, self.names)

    def changes(self, *functions: str) -> list[int]:
        self.states.keep("end")
        return sorted({*self.states.changes("check", "end", [*functions]).values()})


@pytest.fixture
def notebook() -> Notebook:
    return Notebook()


def test_a_function_finds_its_helpers_as_they_stood(notebook: Notebook) -> None:
    notebook.run("def helper():\n    return scale\n\ndef f():\n    return helper()\nscale = 1")
    notebook.states.keep("check")
    notebook.run("scale = 2\ndef helper():\n    return -scale")
    notebook.states.keep("end")
    assert [notebook.asked(state, "f()") for state in ("check", "end", "check")] == [1, -2, 1]


def test_a_name_that_was_deleted_is_there_again_and_a_later_one_is_not(notebook: Notebook) -> None:
    notebook.run("x = 1")
    notebook.states.keep("check")
    notebook.run("del x\ny = 2")
    assert notebook.asked("check", "x, 'y' in globals()") == (1, False)


def test_what_the_course_gave_is_in_force_whatever_was_bound_since(notebook: Notebook) -> None:
    notebook.run("given = 1", is_given=True)
    notebook.run("given = 2")
    notebook.states.keep("check")
    assert notebook.asked("check", "given") == 1


def test_stand_ins_are_in_the_place_of_the_notebooks_own_in_every_state(notebook: Notebook) -> None:
    notebook.run("def f():\n    return 'own'\n\ndef g():\n    return f()")
    notebook.states.keep("check")
    notebook.states.stand_in({"f": lambda: "right"})
    assert notebook.asked("check", "g()") == "right"


names = st.sampled_from("abc")
deeds = st.lists(st.tuples(names, st.one_of(st.none(), st.integers(0, 3))), max_size=12)


@given(deeds, st.integers(0, 12))
def test_any_state_comes_back_as_it_was(deeds: list[tuple[str, int | None]], place: int) -> None:
    notebook, expected = Notebook(), dict[str, dict[str, Any]]()
    for number, (name, value) in enumerate(deeds):
        notebook.run(f"globals().pop({name!r}, 0)" if value is None else f"{name} = {value}")
        notebook.states.keep(str(number))
        expected[str(number)] = {key: one for key, one in notebook.names.items() if key in "abc"}
    for state in sorted(expected, key=lambda state: (int(state) * 7 + place) % 13):
        notebook.states.enter(state)
        assert {key: one for key, one in notebook.names.items() if key in "abc"} == expected[state]


USES = {
    "itself": "def f():\n    return 2",
    "a helper": "def helper():\n    return 2",
    "a helper's helper": "def deep():\n    return 2",
    "a number": "number = 2",
    "a class": "class Kind:\n    pass",
    "a name in an inner function": "inner = 2",
    "a name in a lambda": "in_lambda = 2",
    "a default": "other = 1\ndef f(x=other):\n    pass",
}
WORK = """
number = inner = in_lambda = 1
class Kind:
    def method(self):
        return number
def deep():
    return 1
def helper():
    return deep()
def f():
    def within():
        return inner
    return helper(), Kind().method(), within, lambda: in_lambda
"""


@pytest.mark.parametrize("change", USES.values(), ids=USES)
def test_what_a_function_is_or_uses_has_changed_in_that_cell(notebook: Notebook, change: str) -> None:
    notebook.run(WORK)
    notebook.states.keep("check")
    notebook.run("nothing_of_it = 3")
    notebook.run(change)
    assert notebook.changes("f") == [3]


@pytest.mark.parametrize(
    "wrapped",
    [
        "import functools\nf = functools.partial(helper)",
        "import functools\n@functools.wraps(helper)\ndef f():\n    return g()\ng = 1",
        "import functools\n@functools.lru_cache\ndef f():\n    return helper()",
        "def wrap(g):\n    def inner():\n        return g()\n    return inner\n@wrap\ndef f():\n    return helper()",
        "class C:\n    @staticmethod\n    def go():\n        return helper()\nf = C",
        "class C:\n    @property\n    def p(self):\n        return helper()\nf = C",
        "class C:\n    def go(self):\n        return helper()\nf = C().go",
    ],
)
def test_a_wrapped_function_uses_what_it_wraps(notebook: Notebook, wrapped: str) -> None:
    notebook.run("def deep():\n    return 1\ndef helper():\n    return deep()")
    notebook.run(wrapped)
    notebook.states.keep("check")
    notebook.run("def deep():\n    return 2")
    assert notebook.changes("f") == [3]


def test_nothing_has_changed_where_nothing_of_it_was_bound_anew(notebook: Notebook) -> None:
    notebook.run(WORK)
    notebook.states.keep("check")
    notebook.run("x = f()\nother = 2")
    assert notebook.changes("f") == []
    assert notebook.changes("f", "never_defined") == []


# --- modules beside the notebook ---


@pytest.fixture
def beside(notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Notebook]:
    """A notebook with two modules of the student's beside it, of which `model` imports `layers`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(own_code, "_modules", {})
    own_code.write_module("layers_t.py", "SCALE = 1\n\ndef f():\n    return SCALE\n")
    own_code.write_module("model_t.py", "from layers_t import f\n\ndef g():\n    return 10 * f()\n")
    yield notebook
    for name in ("layers_t", "model_t"):
        sys.modules.pop(name, None)


def test_what_a_notebook_does_to_a_module_is_in_force_from_then_on(beside: Notebook) -> None:
    beside.run("import layers_t\nfrom model_t import g")
    beside.states.keep("check")
    beside.run("layers_t.SCALE = 2")
    beside.states.keep("end")
    assert [beside.asked(state, "g()") for state in ("check", "end", "check")] == [10, 20, 10]


def test_a_stand_in_stands_in_every_module_that_has_the_name(beside: Notebook) -> None:
    beside.run("from layers_t import f\nfrom model_t import g")
    beside.states.keep("check")
    beside.states.stand_in({"f": lambda: 7})
    assert beside.asked("check", "f(), g()") == (7, 70)


def test_what_is_bound_is_bound_in_every_module_that_has_the_name(beside: Notebook) -> None:
    beside.run("from layers_t import f\nfrom model_t import g")
    beside.states.bind({"f": lambda: 3, "dW": 5})
    assert eval("g(), dW", beside.names) == (30, 5)
    assert "dW" not in vars(sys.modules["model_t"])


def test_what_a_given_cell_takes_from_a_module_is_not_given(beside: Notebook) -> None:
    beside.run("import math\nfrom layers_t import f", is_given=True)
    beside.run("math = None\ndef f():\n    return 5")
    beside.states.keep("check")
    assert beside.asked("check", "f(), math.pi > 3") == (5, True)


def test_what_one_missing_name_has_kept_away_is_brought(beside: Notebook) -> None:
    own_code.write_module("broken_t.py", "1 / 0\n")
    source = "from broken_t import x\nfrom layers_t import nothing, f\nfrom model_t import g\n"
    own_code.bring(source, beside.names)
    assert eval("f(), g()", beside.names) == (1, 10)
    assert "x" not in beside.names
