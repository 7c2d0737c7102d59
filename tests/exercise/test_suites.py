"""What the text of a suite tells of its tests, and where it tells nothing."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from autograder.exercise.definition import Exercise
from autograder.exercise.suites import WrittenTest, faults, written_tests
from tests.tiny import HIDDEN

IN_CLASSES = '''
@task("one")
class TestOne:
    def test_a(self):
        """a"""

    class TestInner:
        @task("two", weight=2)
        def test_b(self):
            """b"""

class TestMarked:
    pytestmark = pytest.mark.task("one")

    def test_c(self):
        pass

class TestNone:
    def test_d(self):
        """d"""
    def help(self):
        pass
'''


def test_a_test_is_of_the_task_that_it_or_the_nearest_class_names() -> None:
    assert written_tests(ast.parse(IN_CLASSES)) == [
        WrittenTest("test_a", 4, "one", True),
        WrittenTest("test_b", 9, "two", True),
        WrittenTest("test_c", 15, None, False),
        WrittenTest("test_d", 19, "", True),
    ]


@pytest.mark.parametrize(
    ("decorator", "task"),
    [
        ('@task("one")', "one"),
        ('@task(name="one")', "one"),
        ('@testing.task("one")', "one"),
        ('@pytest.mark.task("one", weight=2)', "one"),
        ('@pytest.mark.parametrize("x", [1])\n@task("one")', "one"),
        ("@task(ONE)", None),
        ("@task(f'{1}')", None),
        ("@of_task_one", None),
        ('@pytest.mark.parametrize("x", [1])', ""),
        ("", ""),
    ],
)
def test_the_task_is_what_the_text_says_and_none_where_only_a_run_would_tell(decorator: str, task: str | None) -> None:
    (test,) = written_tests(ast.parse(f"{decorator}\ndef test_it():\n    '''it'''\n"))
    assert test.task == task


@pytest.mark.parametrize(
    "instead",
    [
        '@pytest.mark.task("quadruple")',
        "@task(NAME)",
        "@of_quadruple",
        'if True:\n    pass\n\n\n@task("quadruple")',
    ],
)
def test_what_only_a_run_would_tell_is_no_fault(tiny_exercise: Path, instead: str) -> None:
    alias = '\nNAME = "quadruple"\nof_quadruple = task(NAME)\n'
    text = HIDDEN.replace('@task("quadruple")', instead).replace(
        '@task("double", weight=3)', f'{alias}\n@task("double")'
    )
    (tiny_exercise / "test_hidden.py").write_text(text)
    assert list(faults(Exercise(tiny_exercise))) == []


def test_tests_in_branches_count_for_their_task(tiny_exercise: Path) -> None:
    indented = "if True:\n\n    @task('quadruple')\n    def test_four_times(student):\n        '''four times'''\n"
    (tiny_exercise / "test_hidden.py").write_text(HIDDEN[: HIDDEN.index('@task("quadruple")')] + indented)
    assert list(faults(Exercise(tiny_exercise))) == []


@pytest.mark.parametrize(
    ("test", "begins"), [("def tets_twice(student):", "test"), ("class Twice:\n    def test_it(self):", "Test")]
)
def test_what_has_a_task_and_not_the_name_of_a_test_is_told(tiny_exercise: Path, test: str, begins: str) -> None:
    (tiny_exercise / "test_hidden.py").write_text(f"{HIDDEN}\n\n@task('double')\n{test}\n        '''twice'''\n")
    (told,) = faults(Exercise(tiny_exercise))
    assert told.endswith(f"has a task, but its name does not begin with {begins}: nobody would run it")
