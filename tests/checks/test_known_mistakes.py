"""Who has the results of a known mistake is asked its question, on any machine; nobody else can read it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograder.checks.known_mistakes import Seen, keys_of, opened, sealed
from tests.checks.test_runtime import Notebook
from tests.checks.test_runtime import notebook as notebook

QUESTION = "Where does x go? – “naïve”"
WRONG = "def residual(x, sublayer):\n    return sublayer(x)"


def key(value: object, *said: str) -> str:
    return next(keys_of([("test_it", seen(value, *said))]))


def seen(value: object, *said: str) -> Seen:
    found = Seen()
    found.note(*said, value=value)
    return found


# --- questions ---


def test_a_question_is_read_by_its_key_alone() -> None:
    text = sealed(QUESTION, "key")
    assert opened([sealed("another", "other key"), text], ["a third key", "key"]) == QUESTION
    assert opened([text], ["Key", ""]) == ""
    assert opened([], ["key"]) == ""
    assert "Where" not in text


def test_the_question_is_asked_where_results_are_those_of_the_mistake_however_it_is_written(notebook: Notebook) -> None:
    notebook.run(WRONG + "\nimport checks")
    notebook.run(f"checks.SEALED['residual'] = [checks.sealed({QUESTION!r}, checks.results_of('residual'))]")
    said = f"\nThese are the results of a known mistake: {QUESTION}\n"
    assert notebook.check("residual", "residual = lambda y, f: 0 * y + f(y) * 1.0").endswith(said)
    assert notebook.check("residual").endswith(said)  # and no hint, the second time


def test_other_results_are_asked_nothing(notebook: Notebook) -> None:
    notebook.run(WRONG + "\nimport checks")
    notebook.run(f"checks.SEALED['residual'] = [checks.sealed({QUESTION!r}, checks.results_of('residual'))]")
    for other in ("residual = lambda x, f: 1.0001 * f(x)", "residual = lambda x, f: x", "def residual(x): ..."):
        assert "known mistake" not in notebook.check("residual", other)


def test_right_results_and_unwritten_functions_have_no_key(notebook: Notebook) -> None:
    notebook.run("import checks\ndef forward(x):\n    return x, None\ndef backward(dout, cache):\n    return dout")
    assert notebook.run("print(repr(checks.results_of('pair')))") == "''\n"
    notebook.run("def forward(x):\n    raise NotImplementedError")
    assert notebook.run("print(repr(checks.results_of('pair')))") == "''\n"


def test_a_test_is_followed_beyond_its_first_fault(notebook: Notebook) -> None:
    """Two mistakes that differ only there are told apart."""
    test = """
@checks.task("table")
def test_more(student):
    \"\"\"two numbers\"\"\"
    first, second = student.block()
    checks.assert_close(first, 1.0, "the first")
    checks.require(second > 1, "the second is small")
"""
    notebook.run("import checks\ndef table(): return 'text'" + test)
    keys = {notebook.run(f"def block(): return 0.0, {n}\nprint(checks.results_of('table'))") for n in (0, 2)}
    assert len(keys) == 2


# --- rounding ---


def test_last_digits_make_no_difference() -> None:
    for trial in range(300):
        random = np.random.default_rng(trial)
        value = random.standard_normal((3, 4)) * 10.0 ** random.integers(-8, 8)
        noise = random.uniform(-1, 1, value.shape) * abs(value).max()
        assert key(value) in keys_of([("test_it", seen(value + 1e-9 * noise))])
        single = value.astype(np.float32)
        assert key(single) in keys_of([("test_it", seen((single + 3e-7 * noise).astype(np.float32)))])


@pytest.mark.parametrize(
    "other",
    [
        np.array([[1.0, 2.0], [3.0, 4.001]]),
        np.array([[1.0, 3.0], [2.0, 4.0]]),
        -np.array([[1.0, 2.0], [3.0, 4.0]]),
        2 * np.array([[1.0, 2.0], [3.0, 4.0]]),
        np.array([[1.0, 2.0, 3.0, 4.0]]),
        np.array([[1.0, 2.0], [3.0, np.nan]]),
        np.array([[1, 2], [3, 4]]),
        np.zeros((2, 2)),
        [1.0, 2.0],
        None,
        "text",
        pytest.param(object(), id="an object"),
    ],
    ids=str,
)
def test_other_values_make_a_difference(other: Any) -> None:
    value = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert key(other) not in keys_of([("test_it", seen(value))])
    assert key(value, "said") != key(value)


def test_a_rounding_error_beside_a_zero_is_nothing() -> None:
    assert key(np.array([1e-17, -3e-18])) == key(np.zeros(2))


def test_what_is_in_containers_counts() -> None:
    assert key((np.ones(2), {"a": [1.0]})) != key((np.ones(2), {"a": [2.0]}))
    endless: list[Any] = []
    endless.append(endless)
    assert key(endless)
