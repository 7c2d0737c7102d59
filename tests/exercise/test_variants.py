"""Files of wrong/ and right/: what they declare, what of them is code, and what is wrong with a broken one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from autograder.errors import ExerciseError
from autograder.exercise.definition import Exercise
from autograder.exercise.variants import put_in, right_variants, variant, wrong_variants

WRONG = '''"""Squares x.

More about it.
"""

import numpy as np

hint = "What is twice three?"
loses = ["double"]

FACTOR = 2


@np.vectorize
def double(x):
    return x**FACTOR
'''


@pytest.fixture
def wrong(tiny_exercise: Path) -> Path:
    path = tiny_exercise / "wrong" / "squared.py"
    path.parent.mkdir()
    path.write_text(WRONG)
    return path


def test_a_file_says_what_it_is_and_what_it_loses(tiny_exercise: Path, wrong: Path) -> None:
    (one,) = wrong_variants(Exercise(tiny_exercise))
    assert (one.name, one.title, one.hint) == ("squared", "Squares x.", "What is twice three?")
    assert (one.functions, one.loses) == (("double",), ("double",))


def test_the_code_is_the_file_without_what_it_declares(tiny_exercise: Path, wrong: Path) -> None:
    (one,) = wrong_variants(Exercise(tiny_exercise))
    lines = [line for line in one.code.splitlines() if line]
    assert lines == [
        "import numpy as np",
        "FACTOR = 2",
        "@np.vectorize",
        "def double(x):",
        "    return x**FACTOR",
    ]


def test_right_ways_declare_nothing_and_come_in_the_order_of_their_names(tiny_exercise: Path) -> None:
    (tiny_exercise / "right").mkdir()
    for name in ("b", "a"):
        (tiny_exercise / "right" / f"{name}.py").write_text(
            f'"""The way {name}."""\n\n\ndef double(x):\n    return x + x\n'
        )
    assert [(one.name, one.title) for one in right_variants(Exercise(tiny_exercise))] == [
        ("a", "The way a."),
        ("b", "The way b."),
    ]
    assert wrong_variants(Exercise(tiny_exercise)) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("def double(x):", "def double(x:", "squared.py, line 15"),
        ('loses = ["double"]', "loses = tasks()", "squared.py: malformed node"),
        ('["double"]', "3", "squared.py: `loses` is no list of tasks"),
        ('["double"]', '"double"', "squared.py: `loses` is no list of tasks"),
        ('["double"]', "{[]: 1}", "squared.py: unhashable type"),
        ('"What is twice three?"', "3", "squared.py: `hint` is no text"),
        ('hint = "What is twice three?"', "", '`hint = "..."` and `loses = [...]` are needed'),
        ('loses = ["double"]', "", '`hint = "..."` and `loses = [...]` are needed'),
        ('["double"]', '["triple"]', "loses `triple`, which is no automatic task"),
        ('["double"]', '["explain"]', "loses `explain`, which is no automatic task"),
        ('"""Squares x.\n\nMore about it.\n"""', "", "squared.py: a docstring must say what the file is"),
    ],
    ids=[
        "syntax",
        "no literal",
        "a number",
        "a text",
        "no key",
        "a number for a hint",
        "no hint",
        "no losses",
        "unknown task",
        "task by hand",
        "no docstring",
    ],
)
def test_a_broken_file_is_named_with_what_is_wrong(
    tiny_exercise: Path, wrong: Path, old: str, new: str, fault: str
) -> None:
    assert old in WRONG
    wrong.write_text(WRONG.replace(old, new))
    with pytest.raises(ExerciseError) as caught:
        wrong_variants(Exercise(tiny_exercise))
    assert str(wrong.parent) in str(caught.value)
    assert fault in str(caught.value)


CELL = "import os\n\n\n@one\n@two(\n    3,\n)\ndef f():\n    pass\n\n\nclass G:\n    def h(self):\n        pass\n"


def changed(code: str, *cells: str) -> list[str]:
    named = {str(number): cell for number, cell in enumerate(cells)}
    return [*(named | put_in(variant("work", code), named)).values()]


def test_functions_and_classes_go_with_their_decorators_and_all_else_stays() -> None:
    assert changed("def f():\n    return 1", CELL) == [
        "import os\n\n\n\n\nclass G:\n    def h(self):\n        pass\n\n\ndef f():\n    return 1"
    ]
    kept = CELL[: CELL.index("class")].strip()
    assert changed("class G:\n    pass", CELL) == [f"{kept}\n\n\nclass G:\n    pass"]
    assert changed("def h():\n    pass", CELL) == [CELL]


def test_the_rest_of_a_variant_comes_along_once() -> None:
    code = "import re\n\n\ndef f():\n    return 1\n\n\ndef g():\n    return 2"
    first, second = changed(code, "def f():\n    pass", "def g():\n    pass")
    assert (first, second) == (code, "")


def test_a_class_that_is_its_own_base_replaces_single_methods() -> None:
    code = "class G(G):\n    def h(self):\n        return 2"
    before = "class G:\n    def h(self):\n        return 1\n\n    def k(self):\n        return self.h()"
    names: dict[str, Any] = {}
    exec(changed(code, before)[0], names)
    assert names["G"]().k() == 2


def test_a_variable_takes_the_place_where_it_gets_its_value() -> None:
    cell = "a = 1\nb = (\n    a + 1\n)\nc = 2 * b\nd = b"
    assert changed("b = a - 1", cell) == ["a = 1\nb = a - 1\nc = 2 * b\nd = b"]
    assert changed("k = 5\nd = c\nb = k", cell, "e = 1") == ["k = 5\n\n\na = 1\nb = k\nc = 2 * b\nd = c", "e = 1"]
    assert changed("b = 0\ne = 3", cell, "e = 2") == ["a = 1\nb = 0\nc = 2 * b\nd = b", "e = 3"]
    assert changed("z = 1", cell) == [cell]


def test_code_of_any_text_can_be_a_variant() -> None:
    one = variant("work", "def f():\n    return 1\n\n\ndef g():\n    return 2\n")
    assert (one.title, one.functions, one.loses) == ("", ("f", "g"), ())
