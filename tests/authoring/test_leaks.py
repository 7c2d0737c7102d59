"""Nothing that students must not see is in the release or in feedback, and whatever is planted there is found."""

from __future__ import annotations

import base64
import itertools
import json
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from html import escape
from pathlib import Path

import nbformat
import pytest
from _pytest.mark import ParameterSet
from nbformat import NotebookNode
from nbformat.v4 import new_output

import autograder
from autograder.authoring.leaks import Leak, Secrets, release_leaks
from autograder.exercise.build import build
from autograder.exercise.built import Built
from autograder.exercise.definition import Exercise, exercise_names, load_exercise
from tests.places import EXERCISES
from tests.tiny import HIDDEN, NOTEBOOK, TOML, write_tiny_exercise

SOLUTION = """\
    total = np.zeros_like(x)
    for part in (x, x):
        total = total + np.array(part)  # once for each
    return total
"""
HIDDEN_TESTS = '''

TABLE = """\\
 input | doubled
     2 | 4.000125"""


def draw_array(rng, size):
    """A random array whose entries are all far from zero."""
    sign = rng.choice([-1.0, 1.0], size)
    return sign * rng.uniform(0.5, 2.0, size)


@task("double")
def test_large_numbers(student, reference, rng):
    """Whether numbers of enormous size are doubled, too.

    This one is about overflow in the sum of both parts.
    """
    x = 1e300 * draw_array(rng, (3, 4))
    message = "a number as large as that should be doubled all the same"
    require(student.double(x).shape == (3, 4), message)
    require(student.double(1.0) == 2.0, "this is what students read when it fails")
    assert_close(student.double(x)[0], reference.double(x)[0], what="the first row of the doubled array")
'''
MISTAKE = '''\
"""The number is squared instead of doubled."""

import numpy as np

hint = "What does your function make of three?"
loses = ["double"]


def double(x):
    return np.multiply(x, x, dtype=float)
'''
RIGHT = '''\
"""By a matrix product with twice the identity."""


def double(x):
    return np.dot(2 * np.eye(len(x)), x)
'''

PLANTS = {
    "line": ("solution", "total = total + np.array(part)"),
    "two lines": ("solution", "for part in (x, x):\n    total = total + np.array(part)"),
    "other spaces": ("solution", "total=total+np.array(\n    part,\n)"),
    "all of a solution": ("solution", "return double(double(x))"),
    "model answer": ("solution", "Because the factors multiply."),
    "name of a test": ("hidden test", "test_large_numbers"),
    "name of a helper": ("hidden test", "draw_array"),
    "line of a test": ("hidden test", "x = 1e300 * draw_array(rng, (3, 4))"),
    "line of a helper": ("hidden test", "return sign * rng.uniform(0.5, 2.0, size)"),
    "docstring": ("hidden test", "Whether numbers of enormous size are doubled, too."),
    "more of a docstring": ("hidden test", "This one is about overflow in the sum of both parts."),
    "text of a test": ("hidden test", "a number as large as that should be doubled all the same"),
    "number": ("constant", "4.000125"),
    "number written otherwise": ("constant", "40001.25e-4"),
    "name of a mistake": ("known mistake", "squared_instead"),
    "title of a mistake": ("known mistake", "The number is squared instead of doubled."),
    "hint of a mistake": ("known mistake", "What does your function make of three?"),
    "line of a mistake": ("known mistake", "return np.multiply(x, x, dtype=float)"),
    "line of another way": ("known mistake", "return np.dot(2 * np.eye(len(x)), x)"),
    "suite": ("path", "test_hidden.py"),
    "file of a mistake": ("path", "wrong/other.py"),
    "exercise folder": ("path", "autograder/exercises/leaky"),
    "package": ("path", str(Path(autograder.__file__).parent)),
    "interpreter": ("path", f"{sys.prefix}/lib/python3"),
    "private folder": ("path", f"{tempfile.gettempdir()}/autograder-x1y2z3/work"),
}
plants = pytest.mark.parametrize(("kind", "text"), PLANTS.values(), ids=list(PLANTS))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small exercise with something to hide; shared, so not to be changed."""
    return write_leaky(tmp_path_factory.mktemp("exercises") / "leaky")


@pytest.fixture(scope="module")
def leaky(folder: Path) -> Built:
    return build(Exercise(folder))


@pytest.fixture(scope="module")
def secrets(leaky: Built) -> Secrets:
    return Secrets(leaky)


def write_leaky(folder: Path) -> Path:
    write_tiny_exercise(folder)
    (folder / "notebook.py").write_text(NOTEBOOK.replace("    return 2 * x\n", SOLUTION))
    (folder / "test_hidden.py").write_text(
        HIDDEN.replace("assert_close, task", "assert_close, require, task") + HIDDEN_TESTS
    )
    for name, text in {"wrong/squared_instead.py": MISTAKE, "right/matrix.py": RIGHT}.items():
        (folder / name).parent.mkdir()
        (folder / name).write_text(text)
    return folder


def kinds(leaks: list[Leak]) -> set[tuple[str, str]]:
    return {(leak.where, leak.kind) for leak in leaks}


# --- nothing is found where nothing is ---


@pytest.mark.parametrize("slug", exercise_names(EXERCISES))
def test_no_real_exercise_leaks(slug: str) -> None:
    assert release_leaks(build(load_exercise(slug, EXERCISES))) == []


def test_the_untouched_exercise_has_no_leak(leaky: Built, tiny_built: Built) -> None:
    assert release_leaks(leaky) == []
    assert release_leaks(tiny_built) == []


# --- what is planted in the release ---


def in_code(notebook: NotebookNode, text: str) -> None:
    notebook.cells[4].source += f"\n{text}"


def in_a_comment(notebook: NotebookNode, text: str) -> None:
    notebook.cells[4].source += "".join(f"\n# {line}" for line in text.splitlines())


def in_markdown(notebook: NotebookNode, text: str) -> None:
    notebook.cells[0].source += f"\n\nAs in `{text}` above."


def in_a_stream(notebook: NotebookNode, text: str) -> None:
    notebook.cells[4].outputs = [new_output("stream", text=f"> {text}\n")]


def in_html(notebook: NotebookNode, text: str) -> None:
    words = "".join(f"<b>{escape(word)}</b> " for word in text.split(" "))
    notebook.cells[4].outputs = [new_output("display_data", {"text/html": words})]


def in_an_error(notebook: NotebookNode, text: str) -> None:
    notebook.cells[4].outputs = [new_output("error", ename="E", evalue="", traceback=["line 1", *text.split("\n")])]


def in_metadata(notebook: NotebookNode, text: str) -> None:
    notebook.cells[4].metadata["note"] = {"deep": ["inside", text]}


def in_metadata_as_json(notebook: NotebookNode, text: str) -> None:
    notebook.cells[4].metadata["note"] = json.dumps({"note": f"1\n{text}"})


def in_metadata_as_a_key(notebook: NotebookNode, text: str) -> None:
    notebook.cells[4].metadata[text] = True


def in_notebook_metadata(notebook: NotebookNode, text: str) -> None:
    notebook.metadata["note"] = text


def in_an_attachment(notebook: NotebookNode, text: str) -> None:
    encoded = base64.encodebytes(f"This was left here: {text}".encode()).decode()
    notebook.cells[0].attachments = {"note.txt": {"text/plain": encoded}}


PLACES: dict[Callable[[NotebookNode, str], None], str] = {
    in_code: "cell code-1",
    in_a_comment: "cell code-1",
    in_markdown: "cell text-1",
    in_a_stream: "output of cell code-1",
    in_html: "output of cell code-1",
    in_an_error: "output of cell code-1",
    in_metadata: "metadata of cell code-1",
    in_metadata_as_json: "metadata of cell code-1",
    in_metadata_as_a_key: "metadata of cell code-1",
    in_notebook_metadata: "notebook metadata",
    in_an_attachment: "attachment of cell text-1",
}


def in_turn() -> list[ParameterSet]:
    """Every kind of secret in every place, of one line or of several; the secrets of a kind take turns."""
    kinds: dict[tuple[str, bool], list[str]] = {}
    for name, (kind, text) in PLANTS.items():
        kinds.setdefault((kind, "\n" in text), []).append(name)
    names = {kind: itertools.cycle(alike) for kind, alike in kinds.items()}
    pairs = [(plant, where, next(names[kind])) for plant, where in PLACES.items() for kind in kinds]
    return [pytest.param(plant, where, *PLANTS[name], id=f"{name}-{plant.__name__}") for plant, where, name in pairs]


@pytest.mark.parametrize(("plant", "where", "kind", "text"), in_turn())
def test_what_is_planted_in_the_notebook_is_found(
    leaky: Built, secrets: Secrets, plant: Callable[[NotebookNode, str], None], where: str, kind: str, text: str
) -> None:
    release = nbformat.from_dict(leaky.release)
    plant(release, text)
    leaks = kinds(secrets.release_leaks(release, leaky.checks))
    assert (where, kind) in leaks
    assert {place for place, _ in leaks} == {where}


@plants
def test_what_is_planted_in_checks_is_found_with_its_line(leaky: Built, secrets: Secrets, kind: str, text: str) -> None:
    lines = leaky.checks.count("\n")
    checks = f"{leaky.checks}\n{text}\n"
    assert (f"checks.py line {lines + 2}", kind) in kinds(secrets.release_leaks(leaky.release, checks))


def test_a_comment_between_does_not_hide_a_line(leaky: Built) -> None:
    checks = leaky.checks + "\nreturn np.multiply(  # never\n    x, x, dtype=float)\n"
    assert [leak.kind for leak in release_leaks(replace(leaky, checks=checks))] == ["known mistake"]


def test_what_leaked_is_quoted_and_shortened(leaky: Built) -> None:
    release = nbformat.from_dict(leaky.release)
    in_code(release, SOLUTION.replace("  # once for each", ""))
    (leak,) = release_leaks(replace(leaky, release=release))
    assert leak.what.startswith("total = np.zeros_like(x) for part in (x, x): total")
    assert len(leak.what) == 80


# --- what staff write where students see it ---


def rebuilt(folder: Path, name: str, before: str, after: str) -> list[Leak]:
    text = (folder / name).read_text()
    assert before in text
    (folder / name).write_text(text.replace(before, after, 1))
    return release_leaks(build(Exercise(folder)))


GIVEN = 'print("a given cell that may be edited")'


@pytest.mark.parametrize("name", ["two lines", "all of a solution"])
def test_a_solution_in_a_given_cell_is_found(tmp_path: Path, name: str) -> None:
    kind, text = PLANTS[name]
    body = text.replace("\n", "\n    ")
    leaks = rebuilt(write_leaky(tmp_path / "leaky"), "notebook.py", GIVEN, f"def mine(x, total):\n    {body}")
    assert kinds(leaks) == {("cell code-1", kind)}


def test_a_single_line_that_staff_give_on_purpose_is_none(tmp_path: Path) -> None:
    given = "def mine(total, part):\n    total = total + np.array(part)"
    assert rebuilt(write_leaky(tmp_path / "leaky"), "notebook.py", GIVEN, given) == []


@pytest.mark.parametrize("name", ["number", "line of a test", "docstring", "name of a helper"])
def test_what_the_public_tests_hold_as_well_is_not_hidden(tmp_path: Path, name: str) -> None:
    text = PLANTS[name][1]
    code = {"docstring": f'"""{text}"""', "name of a helper": f"def {text}(): ..."}.get(name, text)
    assert rebuilt(write_leaky(tmp_path / "leaky"), "test_public.py", '"""The public checks."""', f"{code}\n") == []


@pytest.mark.parametrize("name", ["line", "all of a solution", "line of a mistake", "title of a mistake"])
def test_a_solution_or_a_mistake_in_the_public_tests_is_found(tmp_path: Path, name: str) -> None:
    kind, text = PLANTS[name]
    leaks = rebuilt(write_leaky(tmp_path / "leaky"), "test_public.py", '"""twice three"""', f'"""{text}"""')
    assert [leak.kind for leak in leaks] == [kind]
    assert re.fullmatch(r"checks.py line \d+", leaks[0].where)


def test_a_whole_hidden_test_among_the_public_ones_is_found(tmp_path: Path) -> None:
    body = HIDDEN_TESTS[HIDDEN_TESTS.index("    sign = ") : HIDDEN_TESTS.index("\n\n\n@task")]
    leaks = rebuilt(
        write_leaky(tmp_path / "leaky"), "test_public.py", '"""twice three"""', f'"""twice three"""\n{body}'
    )
    assert [leak.kind for leak in leaks] == ["hidden test"]


# --- feedback ---

ALLOWED = ("docstring", "hint of a mistake")


@plants
def test_what_is_planted_in_feedback_is_found(secrets: Secrets, kind: str, text: str) -> None:
    feedback = f"Double: 0 of 4 points (failed)\n  ✗ twice a number\n      failed: {text}"
    leaks = secrets.feedback_leaks("feedback of wrong/squared_instead", feedback)
    expected = [] if text in [PLANTS[name][1] for name in ALLOWED] else [("feedback of wrong/squared_instead", kind)]
    assert [*kinds(leaks)] == expected


@plants
def test_what_is_planted_in_a_page_is_found(secrets: Secrets, kind: str, text: str) -> None:
    words = " ".join(f"<span>{escape(word)}</span>" for word in text.split(" "))
    leaks = secrets.feedback_leaks("page", f"<div><b>Double</b> · 0 of 4 points</div>\n<pre>{words}</pre>")
    assert {leak.kind for leak in leaks} == (set() if text in [PLANTS[name][1] for name in ALLOWED] else {kind})


@pytest.mark.parametrize(
    "text",
    [
        "✗ Whether numbers of enormous size are doubled, too (0 of 2 inputs pass)",
        "failed: this is what students read when it fails",
        "failed: the first row of the doubled array: 3 of 4 entries differ",
        "Your results are those of a known mistake. What does your function make of three?",
        "Hint: Add x to itself.",
        "failed: row 1: yours is 4.000125, off by about 2",
        "failed: double(x): shape (3, 4), as it should be; entry (0, 0) is 2.5",
    ],
)
def test_what_is_meant_for_students_is_allowed_in_feedback(secrets: Secrets, text: str) -> None:
    assert secrets.feedback_leaks("feedback", text) == []


@plants
def test_what_a_student_wrote_may_come_back(secrets: Secrets, kind: str, text: str) -> None:
    assert secrets.feedback_leaks("feedback", f"error: {text}", own=f"# mine\n{text}\n") == []


@pytest.mark.parametrize(
    "text", [f"{tempfile.gettempdir()}/no-such-data.csv", "/usr/bin/env python", "a/b/c", "https://a.b/tmp", "and/or"]
)
def test_paths_that_say_nothing_of_this_machine_are_none(secrets: Secrets, text: str) -> None:
    assert secrets.feedback_leaks("feedback", text) == []


def test_a_file_that_is_really_in_the_folder_of_temporary_files_is_one(secrets: Secrets, tmp_path: Path) -> None:
    (leak,) = secrets.feedback_leaks("feedback", f'File "{tmp_path}", line 3')
    assert (leak.kind, leak.what) == ("path", str(tmp_path)[:79] + "…" if len(str(tmp_path)) > 80 else str(tmp_path))


def test_what_a_solution_returns_is_found_without_the_word_return(tmp_path: Path) -> None:
    folder = write_tiny_exercise(tmp_path / "tiny")
    answer = "np.sum(x * np.minimum(x, 0.0)) + double(x)"
    notebook = (folder / "notebook.py").read_text().replace("return double(double(x))", f"return {answer}")
    (folder / "notebook.py").write_text(
        notebook.replace("# # Twice and twice again", f"# # Twice\n#\n# It is `{answer}`.")
    )
    assert [(leak.where, leak.kind) for leak in release_leaks(build(Exercise(folder)))] == [("cell text-1", "solution")]


def test_a_solution_in_a_module_that_students_get_is_found_with_its_line(tmp_path: Path) -> None:
    folder = write_tiny_exercise(tmp_path / "tiny")
    (folder / "exercise.toml").write_text(f'files = ["helpers.py"]\n{TOML}')
    (folder / "helpers.py").write_text("SCALE = 1\n")
    assert release_leaks(build(Exercise(folder))) == []
    (folder / "helpers.py").write_text("SCALE = 1\n\n\ndef my_quadruple(x):\n    return double(double(x))\n")
    (leak,) = release_leaks(build(Exercise(folder)))
    assert (leak.where, leak.kind) == ("helpers.py line 5", "solution")
