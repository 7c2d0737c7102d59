"""Which libraries' names code uses: under every name that the text shows, and never where it only speaks of one."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from autograder.checks.allowed import Code, Use, require_allowed, told_uses
from autograder.checks.compare import Mismatch

GRADIENT, NORM, SOFTMAX = "numpy.gradient", "torch.nn.LayerNorm", "torch.nn.functional.softmax"
FORBIDDEN = (GRADIENT, NORM, SOFTMAX, "torch.Tensor.softmax", "scipy")


def found(*cells: str, others: tuple[str, ...] = (), given: frozenset[str] = frozenset()) -> list[Use]:
    """What a notebook of these cells uses for its name `f`."""
    code = Code(enumerate(cells, start=1), given, others)
    return [*code.taken(["f"], FORBIDDEN), *code.uses(code.reached(["f"]), FORBIDDEN)]


def names(*cells: str, **more: tuple[str, ...]) -> list[str]:
    return list({use.name: None for use in found(*cells, **more) if use.is_sure})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("above", "body", "name"),
    [
        ("import numpy", "numpy.gradient(x)", GRADIENT),
        ("import numpy as np", "np.gradient(x)", GRADIENT),
        ("import numpy as np", "list(map(np.gradient, x))", GRADIENT),
        ("import numpy as np", "[np.gradient(row) for row in x]", GRADIENT),
        ("import numpy as np", "(lambda y: np.gradient(y))(x)", GRADIENT),
        ("import numpy as np", "(n := np).gradient(x)", GRADIENT),
        ("import numpy as np", "getattr(np, 'gradient')(x)", GRADIENT),
        ("import numpy as np", "isinstance(np.gradient(x), float)", GRADIENT),
        ("import numpy as np", "f'{np.gradient(x)}'", GRADIENT),
        ("import numpy as np\nlib = np", "lib.gradient(x)", GRADIENT),
        ("import numpy as np\nlib: object = np", "lib.gradient(x)", GRADIENT),
        ("import numpy as np\ng = np.gradient", "g(x)", GRADIENT),
        ("import numpy as np\na = b = np.gradient", "b(x)", GRADIENT),
        ("import numpy as np\ng, h = np.gradient, 3", "g(x)", GRADIENT),
        ("import numpy as np\ntools = {'g': np.gradient}", "tools['g'](x)", GRADIENT),
        ("import numpy as np\ntools = {}\ntools['g'] = np.gradient", "tools['g'](x)", GRADIENT),
        ("import numpy as np\nif True:\n    g = np.gradient", "g(x)", GRADIENT),
        ("import numpy as np\nclass T:\n    pass\nT.g = np.gradient", "T.g(x)", GRADIENT),
        ("import numpy as np\ndef help(x):\n    return np.gradient(x)", "help(x)", GRADIENT),
        ("import numpy as np\ndef help(x, g=np.gradient):\n    return g(x)", "help(x)", GRADIENT),
        (
            "import numpy as np\ndef wrap(g):\n    return g\n@wrap\ndef help(x):\n    return np.gradient(x)",
            "help(x)",
            GRADIENT,
        ),
        ("try:\n    import numpy as np\nexcept ImportError:\n    raise", "np.gradient(x)", GRADIENT),
        ("from numpy import gradient", "gradient(x)", GRADIENT),
        ("from numpy import gradient as g", "g(x)", GRADIENT),
        ("from numpy import *", "gradient(x)", GRADIENT),
        ("%matplotlib inline\nimport numpy as np", "np.gradient(x)", GRADIENT),
        ("", "__import__('numpy').gradient(x)", GRADIENT),
        ("import importlib", "importlib.import_module('numpy').gradient(x)", GRADIENT),
        ("from importlib import import_module as load", "load('torch.nn').LayerNorm(4)", NORM),
        ("import torch", "torch.nn.LayerNorm(4)(x)", NORM),
        ("import torch.nn", "torch.nn.LayerNorm(4)(x)", NORM),
        ("import torch.nn as nn", "nn.LayerNorm(4)(x)", NORM),
        ("from torch import nn", "nn.LayerNorm(4)(x)", NORM),
        ("from torch.nn import LayerNorm as LN", "LN(4)(x)", NORM),
        ("from torch import nn\nclass N(nn.LayerNorm):\n    pass", "N(4)(x)", NORM),
        ("import torch.nn.functional as F", "F.softmax(x, -1)", SOFTMAX),
        ("from torch.nn import functional", "functional.softmax(x, -1)", SOFTMAX),
        ("import torch", "torch.Tensor.softmax(x, -1)", "torch.Tensor.softmax"),
        ("from scipy.special import softmax", "softmax(x)", "scipy"),
        ("import scipy.special", "scipy.special.softmax(x)", "scipy"),
    ],
)
def test_a_use_is_found_under_every_name_that_the_text_shows(above: str, body: str, name: str) -> None:
    function = f"def f(x):\n    return {body}"
    assert names(above, function) == [name]
    assert names(f"{above}\n{function}") == [name]


@pytest.mark.parametrize(
    "body",
    [
        "import numpy as n\n    return n.gradient(x)",
        "from numpy import gradient as g\n    return g(x)",
        "n = np\n    return n.gradient(x)",
        "g = np.gradient\n    return g(x)",
        "def inner(y):\n        return np.gradient(y)\n    return inner(x)",
        "class Inner:\n        g = np.gradient\n    return Inner.g(x)",
        "with np.errstate():\n        for row in x:\n            row[:] = np.gradient(row)",
        "match x:\n        case [y]:\n            return np.gradient(y)",
        "global kept\n    kept = np.gradient(x)",
    ],
)
def test_a_use_is_found_wherever_in_a_function_it_stands(body: str) -> None:
    assert names("import numpy as np", f"def f(x):\n    {body}") == [GRADIENT]


@pytest.mark.parametrize(
    "cells",
    [
        ["import numpy as np", "def f(x):\n    # np.gradient(x) would be easy\n    return x"],
        ["import numpy as np", 'def f(x):\n    """Like np.gradient(x)."""\n    return "np.gradient"'],
        ["import numpy as np", "def f(x: np.gradient) -> np.gradient:\n    y: np.gradient = x\n    return y"],
        [
            "from torch import nn",
            "def f(x):\n    return isinstance(x, nn.LayerNorm) or issubclass(x, (nn.LayerNorm, int))",
        ],
        ["import numpy as np", "def f(x):\n    return x", "print(np.gradient(f(3)))"],
        ["import numpy as np", "def f(x):\n    return x", "def mine(x):\n    return np.gradient(f(x))"],
        ["import numpy as np", "def f(x):\n    return np.gradient(x)", "def f(x):\n    return f and x"],
        ["import numpy as np", "g = np.gradient", "g = abs", "def f(x):\n    return g(x)"],
        ["import numpy as np", "g = np.gradient", "def f(x):\n    g = 3\n    return g * x"],
        ["import numpy as np", "g = np.gradient", "def f(g):\n    return g(x)"],
        ["import numpy as np", "g = np.gradient", "def f(x):\n    return [g for g in x]"],
        ["import numpy as np", "def f(np):\n    return np.gradient(3)"],
        ["import numpy as np", "class Own:\n    gradient = 3", "def f(x):\n    np = Own()\n    return np.gradient"],
        ["import numpy as np", "class Own:\n    gradient = 3", "np = Own()", "def f(x):\n    return np.gradient"],
        ["def gradient(x):\n    return x", "def f(x):\n    return gradient(x)"],
        ["from numpy import *", "def gradient(x):\n    return x", "def f(x):\n    return gradient(x)"],
        ["from numpy import *", "from torch import *", "def f(x):\n    return gradient(x)"],
        ["from numpy import gradient", "def f(x):\n    return x"],
        ["import numpy as np", "def f(x):\n    return getattr(np, 'grad' + 'ient')(x)"],
        ["import numpy as np", "def f(x):\n    return np.gradients(x) + np.linalg.gradient(x)"],
        ["import jax.numpy as numpy", "def f(x):\n    return numpy.gradient(x)"],
        ["from .numpy import gradient", "def f(x):\n    return gradient(x)"],
        ["import numpy as np", "W = 3", "def try_it():\n    W = np.gradient(3)", "def f(x):\n    return W * x"],
        ["import numpy as np", "class C:\n    g = np.gradient\n", "def f(x):\n    return g(x)"],
        ["a = b", "b = a", "def f(x):\n    return a.gradient(x)"],
        ["import numpy as np", "def f(x):\n    return np.gradient(x"],
    ],
)
def test_nobody_is_blamed_who_uses_nothing(cells: list[str]) -> None:
    assert names(*cells) == []


def test_what_other_tasks_ask_for_is_other_work() -> None:
    cells = "import numpy as np", "def slope(x):\n    return np.gradient(x)", "def f(x):\n    return slope(x)"
    assert names(*cells) == [GRADIENT]
    assert names(*cells, others=("slope",)) == []


def test_the_courses_own_statements_may_use_what_they_like() -> None:
    given = "def plot(x):\n    return np.gradient(x)"
    cells = "import numpy as np", given, "def f(x):\n    return plot(x)"
    assert found(*cells, given=frozenset([" ".join(given.split())])) == []
    changed = [one.replace("gradient(x)", "gradient(2 * x)") for one in cells]
    assert [use.name for use in found(*changed, given=frozenset([" ".join(given.split())]))] == [GRADIENT]


def test_a_use_is_told_with_cell_and_line() -> None:
    uses = found("import numpy as np", "\n\ndef f(x):\n    y = 2 * x\n    return np.gradient(\n        y)  # easy")
    assert uses == [Use(2, 5, GRADIENT, "return np.gradient(")]
    assert told_uses(uses, "") == "`numpy.gradient` (cell 2, line 5: return np.gradient(). Write that yourself."


def test_several_uses_of_a_name_are_told_once() -> None:
    uses = found("import numpy as np", "def f(x):\n    x = np.gradient(x)\n    return np.gradient(x)")
    assert [use.line for use in uses] == [2, 3]
    assert told_uses(uses, "Do.") == "`numpy.gradient` (cell 2, line 2: x = np.gradient(x)). Do."


def test_a_method_of_which_class_cannot_be_seen_is_not_sure() -> None:
    (use,) = found("def f(x):\n    return x.softmax(-1)")
    assert (use.name, use.is_sure) == ("torch.Tensor.softmax", False)
    assert found("def f(x):\n    return x.gradient()") == []


def test_an_older_method_stays_in_use_where_a_class_is_extended() -> None:
    old, new = (
        "class f:\n    def g(self):\n        return np.gradient(3)",
        "class f(f):\n    def h(self):\n        pass",
    )
    assert names("import numpy as np", old, new) == [GRADIENT]


@pytest.mark.parametrize(
    "code",
    [
        "(" * 9000,
        "1" + "+1" * 60000,
        "x" + ".y" * 60000,
        "-" * 90000 + "1",
        "x = " * 20000 + "1",
        "\0",
        "a = 1;" * 9000,
        "if x:\n" + "".join(f"{' ' * deep}if x:\n" for deep in range(1, 99)),
        "match x:\n case " + "[" * 3000,
    ],
)
def test_code_that_nobody_writes_by_hand_does_not_stop_the_look(code: str) -> None:
    assert names(code, "import numpy as np", "def f(x):\n    return np.gradient(x)") == [GRADIENT]


def test_names_that_lead_to_one_another_end() -> None:
    chain = "\n".join(f"a{number} = a{number - 1}\nif a0:\n    a{number} = a{number - 1}" for number in range(1, 400))
    assert names("import numpy as a0", chain, "def f(x):\n    return a399.gradient(x) + a2.gradient(x)") == [GRADIENT]


def test_more_code_than_is_looked_at_is_noted() -> None:
    assert not Code([(1, "x = 1")]).is_cut
    assert Code([(1, "x = 1"), (2, "#" * (1 << 18))]).is_cut


def test_students_are_told_of_what_they_have_run(monkeypatch: pytest.MonkeyPatch) -> None:
    main = ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    require_allowed(["f"], [], [GRADIENT], [])
    vars(main)["In"] = ["", "import numpy as np", "def f(x):\n    return np.gradient(x)"]
    with pytest.raises(Mismatch) as caught:
        require_allowed(["f"], [], [GRADIENT], [], "Take differences.")
    told = "not allowed in this task: `numpy.gradient` (cell 2, line 2: return np.gradient(x)). Take differences."
    assert str(caught.value) == told
    require_allowed(["f"], ["f"], [GRADIENT], [])
    vars(main)["In"].append("def f(x):\n    return x")
    require_allowed(["f"], [], [GRADIENT], [])


@pytest.mark.parametrize(
    "cell",
    [
        "from numpy import gradient as f",
        "import numpy as np\nf = np.gradient",
        "from numpy import gradient\nf = gradient",
    ],
)
def test_a_name_that_is_itself_the_librarys_function_uses_it(cell: str) -> None:
    assert names(cell) == [GRADIENT]


def test_what_a_star_brings_in_the_place_of_what_is_asked_for_is_a_use() -> None:
    code = Code([(1, "from numpy import *")])
    assert [use.name for use in code.taken(["gradient"], [GRADIENT])] == [GRADIENT]
    assert code.taken(["slope"], [GRADIENT]) == []


def test_what_another_task_has_made_of_its_name_is_no_use_of_this_one() -> None:
    cells = ("import numpy as np\nslope = np.gradient", "def f(x):\n    return slope(x)")
    assert names(*cells) == [GRADIENT]
    assert names(*cells, others=("slope",)) == []


def test_what_the_text_cannot_show_is_for_a_person() -> None:
    (use,) = found("def f(x):\n    return eval('np.gra' + 'dient')(x)")
    assert (use.name, use.is_sure) == ("eval", False)
