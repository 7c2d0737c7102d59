"""What is reached from a name: all that can make a difference, and not all the rest."""

from __future__ import annotations

import pytest

from autograder.authoring.memory import Memory
from autograder.authoring.reach import Text, Words, is_obscure, read_cell, read_suite

SUITE = """\
import numpy as np
import pytest

SIZES = [1, 2]
OTHER = [3]
shapes = pytest.mark.parametrize("shape", SIZES)


def helper(student, name):
    return getattr(student, name)()


@pytest.fixture
def numbers():
    return OTHER


@pytest.fixture(autouse=True)
def always():
    pass


@shapes
def test_one(student, shape):
    helper(student, "double")


def test_two(student, numbers):
    student.halve(numbers)


@pytest.mark.usefixtures("numbers")
def test_three(student):
    student.error(f"{student}_backward")
"""


def names(text: Text, *words: str) -> set[str]:
    return {name for one in text.reach(Words(frozenset(words))).statements for name in one.binds}


def test_a_test_reaches_its_helpers_marks_fixtures_and_constants() -> None:
    suite = read_suite(SUITE)
    assert names(suite, "test_one") >= {"test_one", "helper", "shapes", "SIZES", "pytest"}
    assert not names(suite, "test_one") & {"test_two", "numbers", "OTHER", "np"}
    assert names(suite, "test_two") == {"test_two", "numbers", "OTHER", *names(suite, "pytest")}
    assert "numbers" in names(suite, "test_three")


def test_a_test_tells_by_its_words_which_functions_of_a_notebook_it_asks_for() -> None:
    notebook = Text(
        read_cell("\n\n".join(f"def {name}(x): return x" for name in ("double", "halve", "f_backward")), "1")
    )
    suite = read_suite(SUITE)
    for test, expected in (("test_one", {"double"}), ("test_two", {"halve"}), ("test_three", {"f_backward"})):
        words = suite.reach(Words(frozenset([test]))).words
        assert {name for one in notebook.reach(words).statements for name in one.binds} == expected


def test_comments_and_lines_of_a_suite_make_no_difference_and_all_else_does() -> None:
    def digest(source: str) -> str:
        return read_suite(source).reach(Words(frozenset(["test_one"]))).digest

    assert digest(SUITE.replace("SIZES = [1, 2]", "\n\nSIZES = [1, 2]  # few")) == digest(SUITE)
    assert digest(SUITE.replace("OTHER = [3]", "OTHER = [4]")) == digest(SUITE)
    for old, new in (
        ("SIZES = [1, 2]", "SIZES = [1]"),
        ("(student, name)()", "(student, name)(1)"),
        ('"shape"', '"s"'),
    ):
        assert old in SUITE
        assert digest(SUITE.replace(old, new)) != digest(SUITE)


def test_what_runs_for_every_test_counts_everywhere() -> None:
    assert read_suite(SUITE).everywhere != read_suite(SUITE.replace("    pass", "    return 1")).everywhere
    assert read_suite(SUITE).everywhere != read_suite(f"{SUITE}\nnp.seterr(all='raise')\n").everywhere


@pytest.mark.parametrize("line", ["globals()['a'] = 1", "import sys", "from a import *", "x = vars(np)"])
def test_a_suite_that_finds_names_in_other_ways_is_obscure(line: str) -> None:
    assert not is_obscure(read_suite(SUITE))
    assert is_obscure(read_suite(f"{SUITE}\n{line}\n"))


def test_fixtures_that_live_longer_than_a_test_are_obscure() -> None:
    assert is_obscure(read_suite(SUITE.replace("@pytest.fixture\n", '@pytest.fixture(scope="module")\n')))


@pytest.mark.parametrize(
    ("source", "memory"),
    [
        ("import numpy as np\nN = 3\ndef f(x): return N * x", Memory.NOTHING),
        ("import numpy as np\nimport numpy as np", Memory.NOTHING),
        ("check('f')\n'text'", Memory.NOTHING),
        ("kept = []\ndef f(x): return kept", Memory.ANYTHING),
        ("kept = []\ndef f(x): return x", Memory.ANYTHING),
        ("def f(x): return x\ndef f(x): return 1", Memory.ANYTHING),
        ("print(f(3))", Memory.ANYTHING),
        ("def f(x): return (", Memory.ANYTHING),
        ("def f(x): return np.random.rand()", Memory.RANDOM),
    ],
)
def test_a_notebook_remembers_what_its_functions_or_its_cells_do(source: str, memory: Memory) -> None:
    assert Text(read_cell(source, "cell 1")).memory is memory


def test_the_place_of_a_function_makes_a_difference_as_errors_tell_it() -> None:
    one, other = (read_cell("def f(x): return x", place)[0].text for place in ("cell 1", "cell 2"))
    assert one != other
