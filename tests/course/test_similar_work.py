"""Solutions that were copied and dressed up are listed; those that are right in ways of their own never."""

from __future__ import annotations

import ast
import builtins
import random
import re
import time
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from autograder.course.course import Course
from autograder.course.similar_page import SHOWN, as_html
from autograder.course.similar_work import COMMON_FEWEST, Pair, SimilarWork, like_pairs, similar_work
from autograder.exercise.build import build
from autograder.exercise.built import Built
from autograder.exercise.definition import exercise_names, load_exercise
from autograder.exercise.source import solution_code
from autograder.exercise.variants import right_variants
from autograder.submission.samples import handed_in_as, solved, solved_by
from tests.cookbook.two_layers import write_two_layers
from tests.nbgrader_course import course_of, submit
from tests.places import EXERCISES

Dress = Callable[[str], str]


def code_of(built: Built) -> dict[str, str]:
    """The code of every right solution of an exercise, as students of these names would have it."""
    return {
        variant.name: "\n\n".join(cell.source for cell in solution_code(solved_by(built, variant)))
        for variant in right_variants(built.exercise)
    }


def given_by(built: Built) -> list[str]:
    return [cell.source for notebook in (built.release, built.reference) for cell in solution_code(notebook)]


class _Renamer(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(node.id if hasattr(builtins, node.id) else f"my_{node.id}", node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(f"my_{node.arg}")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = f"my_{node.name}"
        return self.generic_visit(node)


def renamed(code: str) -> str:
    return ast.unparse(_Renamer().visit(ast.parse(code)))


def reordered(code: str) -> str:
    """Functions in another order, and the statements in them: whether it runs does not matter here."""
    tree, chance = ast.parse(code), random.Random(1)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef):
            chance.shuffle(node.body)
    return ast.unparse(tree)


def commented(code: str) -> str:
    lines = (f"{line}  # {number}: mine" if line.strip() else "# mine" for number, line in enumerate(code.split("\n")))
    return '"""All my own work."""\n' + "\n".join(lines)


def changed_a_little(code: str) -> str:
    """Some numbers and signs are others."""
    return code.replace("axis=-1", "axis=1").replace(" + ", " + 0 + ", 5)


def half(code: str) -> str:
    return code[: len(code) // 2]


@pytest.mark.parametrize(
    "dress",
    [str, renamed, reordered, commented, changed_a_little, half, lambda code: renamed(reordered(commented(code)))],
    ids=["as it is", "renamed", "reordered", "commented", "changed", "half", "all of it"],
)
def test_a_copy_is_listed_and_nobody_else(dress: Dress, connections: Built) -> None:
    codes = code_of(connections)
    copied = dress(codes["closures"])
    pairs, _ = like_pairs({**codes, "copy": copied}, given_by(connections))
    assert [sorted(pair.students) for pair in pairs] == [["closures", "copy"]]


@pytest.mark.parametrize("slug", exercise_names(EXERCISES))
def test_right_solutions_of_their_own_ways_are_not_listed(slug: str) -> None:
    built = build(load_exercise(slug, EXERCISES))
    codes = code_of(built)
    assert len(codes) > 5
    assert like_pairs(codes, given_by(built))[0] == []


def test_the_course_s_own_code_is_nobody_s(connections: Built) -> None:
    reference = "\n\n".join(cell.source for cell in solution_code(solved(connections)))
    stubs = "\n\n".join(cell.source for cell in solution_code(connections.release))
    codes = {"ada": reference, "ben": renamed(reference), "cem": stubs, "dora": stubs, "empty": "", "other": ""}
    assert like_pairs(codes, given_by(connections)) == ([], list(codes))


def test_what_more_than_a_few_have_is_nobody_s(connections: Built) -> None:
    code = code_of(connections)["closures"]

    def found(count: int) -> list[Pair]:
        return like_pairs({f"s{number}": code for number in range(count)}, given_by(connections))[0]

    assert len(found(COMMON_FEWEST)) == COMMON_FEWEST * (COMMON_FEWEST - 1) / 2
    assert found(COMMON_FEWEST + 1) == []


def test_like_statements_have_the_same_mark_on_both_sides(connections: Built) -> None:
    scale = "scale = np.sqrt(np.mean(x * x, axis=0) + np.square(np.max(np.ones((2, 3)))) + 3)"
    back = "back = np.tensordot(dy, scale, axes=([0], [0])) / 7 - np.sum(scale, axis=1)[:, None]"
    code, other = f"{scale}\n{back}\n", f"{back.replace('dy', 'g')}\nprint('mine')\n\n{scale.replace('3)', '4)')}"
    (pair,), _ = like_pairs({"ada": code, "ben": other}, [])
    assert [[line.mark for line in side] for side in pair.sides] == [[1, 2, 0], [2, 0, 0, 1]]
    assert ["\n".join(line.text for line in side) for side in pair.sides] == [code, other]


@pytest.mark.slow
def test_a_class_of_three_hundred_is_quick(connections: Built) -> None:
    chance, codes = random.Random(2), list(code_of(connections).values())
    pieces = [piece for code in codes for piece in re.split(r"\n(?=def )", code)]
    everybody = {f"s{number}": "\n".join(chance.sample(pieces, 12)) for number in range(298)}
    own = "\n".join(f"kept_{n} = np.fft.fft(a_{n}, n={n}) + [{'x, ' * n}]" for n in range(10))
    started = time.process_time()
    pairs, _ = like_pairs({**everybody, "ada": own, "ben": renamed(own)}, given_by(connections))
    assert ("ada", "ben") in [pair.students for pair in pairs]
    assert time.process_time() - started < 15


LONG = """
def double(x):
    steps = [np.tensordot(x, np.ones((1, number)), axes=0).sum() for number in range(3)]
    scale = np.sqrt(np.mean(np.square(steps), axis=0) + 17) / 23 - "<script>alert(1)</script>".count("x")
    return np.where(scale > 5, np.add.reduce([x, x]), np.multiply.outer(x, [2]).ravel()[: len(x)])
"""


@pytest.fixture
def course(new_course: Callable[[str], Course]) -> Course:
    return new_course("course")


def hand_in(course: Course, student: str, double: str) -> None:
    notebook = solved(course.build("tiny"))
    solution_code(notebook)[0].source = double
    submit(course.root, student, "tiny", handed_in_as(notebook)[0])


def test_of_what_lies_there_all_are_compared_or_named_and_nothing_is_run(course: Course, tmp_path: Path) -> None:
    trap = f"{LONG}\nopen({str(tmp_path / 'ran')!r}, 'w')\n"
    hand_in(course, "ada", trap)
    hand_in(course, "ben", renamed(trap))
    hand_in(course, "reference", "def double(x):\n    return 2 * x\n")
    hand_in(course, "long", "x = 1 + 2\n" * 20_000)
    submit(course.root, "broken", "tiny", b"{")
    submit(course.root, "foreign", "tiny", b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
    submit(course.root, "linked", "tiny", b"{}").with_name("there").symlink_to("/etc/passwd")
    submit(course.root, "none", "tiny", b"text", "notes.txt")
    found = similar_work(course, "tiny")
    assert [pair.students for pair in found.pairs] == [("ada", "ben")]
    assert found.short == ("reference",)
    assert list(found.not_compared) == ["broken", "foreign", "linked", "long", "none"]
    assert all(found.not_compared.values())
    assert found.compared == 2
    assert not (tmp_path / "ran").exists()


def test_modules_that_students_write_are_compared(tmp_path: Path) -> None:
    course = course_of(tmp_path / "course", write_two_layers(tmp_path / "written"))
    for student, code in (("ada", LONG), ("ben", renamed(LONG))):
        submit(course.root, student, "two-layers", handed_in_as(solved(course.build("two-layers")))[0])
        submit(course.root, student, "two-layers", code.encode(), "layers.py")
    assert [pair.students for pair in similar_work(course, "two-layers").pairs] == [("ada", "ben")]


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_says_what_it_is_and_shows_hostile_texts_as_they_are(course: Course) -> None:
    hand_in(course, "ada", LONG)
    hand_in(course, "<i>ben", LONG)
    submit(course.root, "<b>broken", "tiny", b"{")
    page = Page(as_html(similar_work(course, "tiny")))
    assert "A place to look, and no verdict." in page.text
    assert "changes no\nscore" in page.text
    assert "<i>ben and ada: 100 % alike" in page.text
    assert page.text.count("<script>alert(1)</script>") == 2
    assert "<b>broken: the file cannot be read" in page.text
    assert not {"script", "i", "link", "img"} & set(page.tags)
    assert page.tags.count("mark") == 6


def test_of_many_pairs_the_rest_is_named(connections: Built) -> None:
    codes = {f"s{copy}": LONG for copy in range(10)}
    codes |= {f"t{copy}": code_of(connections)["closures"] for copy in range(10)}
    pairs, _ = like_pairs(codes, given_by(connections))
    found = SimilarWork("Many", "many", len(codes), tuple(pairs), {}, ())
    page = Page(as_html(found))
    assert page.tags.count("section") == SHOWN
    assert f"{len(pairs) - SHOWN} more pairs" in page.text
    assert page.text.count(": 100 %") == len(pairs) == 90
