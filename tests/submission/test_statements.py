"""Statements have one shape whatever is named how, and broken or hostile code is read like any other."""

from __future__ import annotations

import time

import pytest

from autograder.submission.statements import Shape, statements


def shapes(code: str) -> list[Shape]:
    return [one.shape for one in statements(code)]


@pytest.mark.parametrize(
    "other",
    [
        "def forward(a, b):\n    out = np.exp(a) + b\n    return out\n",
        "def f(x, w):\n    # the first\n    y = np.exp(x) + w  # here\n\n    return y\n",
        'def f(x, w):\n    """What it does,\n\n    in words."""\n    y = np.exp(x) + w\n    return y\n',
        "def f(x, w,):\n  y = np.exp(\n      x,\n  ) + w\n  return y",
        "def f(x, w):\n    y = np.exp(x) \\\n        + w\n    return y\n",
    ],
)
def test_names_comments_docstrings_and_white_space_do_not_count(other: str) -> None:
    assert shapes(other) == shapes("def f(x, w):\n    y = np.exp(x) + w\n    return y\n")


@pytest.mark.parametrize("other", ["y = np.log(x) + w", "y = np.exp(x) - w", "y = np.exp(x) + x", "y = len(x) + w"])
def test_what_is_done_counts(other: str) -> None:
    assert shapes(other) != shapes("y = np.exp(x) + w")


def test_a_statement_has_its_lines() -> None:
    code = "\na = 1\nb = f(\n    'text\\n',\n)\n\n\n# c\nreturn '''\n'''\n"
    assert [(one.first, one.last) for one in statements(code)] == [(2, 2), (3, 5), (9, 10)]


@pytest.mark.parametrize("code", ["", "def f(x:\n  '", "\x00 \ud800 )))]", "%matplotlib inline\n!ls", "“x” ＝ 1"])
def test_what_is_no_python_has_shapes_too(code: str) -> None:
    assert len(shapes(f"{code}\n")) <= 2


def test_a_bracket_that_is_never_closed_ends() -> None:
    assert len(shapes("f(\n" + "x = x + 1\n" * 1_000)) > 500


@pytest.mark.parametrize("piece", ["(", "'", '"""', "f'{", "x", "\\\n", " ", "@", "1", "\n", "'\\"])
def test_no_text_takes_long(piece: str) -> None:
    started = time.process_time()
    list(statements(piece * (50_000 // len(piece))))
    assert time.process_time() - started < 3
