"""What `autograder adopt` makes of plain nbgrader assignments: exercises that build, and a list of what is left."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import nbgrader
import pytest
from click.testing import CliRunner, Result
from nbformat import NotebookNode

from autograder.authoring.adoption.adopt import KEPT, Adopted, adopt
from autograder.authoring.leaks import refuse_leaks
from autograder.cli import main
from autograder.errors import ConfigError
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import Exercise
from autograder.exercise.slips import proofread
from autograder.grading.evaluate import Grader
from autograder.submission.samples import solved
from tests import plain_notebooks as plain
from tests.nbgrader_course import course_of

GUIDE = Path(nbgrader.__file__).parent / "docs" / "source" / "user_guide" / "source" / "ps1"

ARRAYS = plain.notebook(
    nbformat.v4.new_markdown_cell("# Arrays\n\nScale, then normalize."),
    plain.code("%matplotlib inline\nimport numpy as np\nimport matplotlib.pyplot as plt"),
    plain.locked("constants", "EPS = 1e-8\nSTART = np.arange(6.0).reshape(2, 3)"),
    plain.solution(
        "2-scale",
        "def scale(x, factor=2):\n    ### BEGIN SOLUTION\n    if factor == 0:\n        raise ValueError('zero')\n"
        "    return x * factor\n    ### END SOLUTION",
    ),
    plain.test(
        "2-scale-test",
        3,
        "x = np.array([1.0, 2.0])\nassert scale(x).shape == (2,), 'the shape stays'\n"
        "np.testing.assert_allclose(scale(x, 3), [3, 6])\n"
        "### BEGIN HIDDEN TESTS\nfor factor in (1.5, -2):\n"
        "    assert np.allclose(scale(START, factor), START * factor)\n"
        "with pytest.raises(ValueError):\n    scale(x, 0)\n### END HIDDEN TESTS",
    ),
    plain.code("plt.plot(scale(START)[0])"),
    plain.solution(
        "cell-0123456789abcdef",
        "def norm(x):\n    ### BEGIN SOLUTION\n    return float(np.sqrt((x ** 2).sum()) + EPS)\n    ### END SOLUTION",
    ),
    plain.solution(
        "normalize",
        "def normalize(x):\n    ### BEGIN SOLUTION\n    return scale(x, 1 / norm(x))\n    ### END SOLUTION",
    ),
    plain.test(
        "cell-fedcba9876543210",
        2,
        "np.random.seed(1)\nx = np.random.randn(4)\nassert abs(norm(normalize(x)) - 1) < 1e-6\n"
        "kept = x.copy()\nnormalize(x)\nassert (x == kept).all()",
    ),
    plain.test("normalize-share", 1, "sum(norm(np.full(2, k)) > k for k in (1.0, 2.0)) / 2"),
)
WORDS = plain.notebook(
    plain.code("!pip install something\nfrom helper import vowels"),
    plain.solution("answer", "# one number\nanswer = None\n### BEGIN SOLUTION\nanswer = 6 * 7\n### END SOLUTION"),
    plain.test("answer-test", 1, "assert answer == 42"),
    plain.solution(
        "Count",
        "class Count:\n    def __init__(self, text):\n        ### BEGIN SOLUTION\n        self.number = len(text)\n"
        "        ### END SOLUTION\n\n    def twice(self):\n        ### BEGIN SOLUTION\n"
        "        return Count('..' * self.number)\n        ### END SOLUTION",
    ),
    plain.test(
        "count-test",
        2,
        "count = Count('abc')\nassert count.number == 3\nassert count.twice().number == 6\n"
        "assert Count('a') != Count('b')\nassert isinstance(count.twice(), Count)",
    ),
    plain.solution("shout", "def shout(text):\n    return text.upper() + vowels[0]"),
    plain.test("shout-test", 1.5, "%%time\nloud = shout('hi')\nassert loud == 'HIa'\nassert loud[:2].isupper()"),
    plain.by_hand("why", 2, "Say why.\n\n### BEGIN SOLUTION\nBecause it is so.\n### END SOLUTION"),
    plain.by_hand("plot", 3, "### BEGIN SOLUTION\nprint(1)\n### END SOLUTION", "code"),
    plain.task("essay", 4, "Write.\n\n=== BEGIN MARK SCHEME ===\nTwo ideas.\n=== END MARK SCHEME ==="),
    plain.solution("late", "def late():\n    ### BEGIN SOLUTION\n    return 'never'\n    ### END SOLUTION"),
)


def sources(folder: Path) -> dict[str, Path]:
    """The three assignments, each in a folder of its own."""
    plain.write_source(folder / "arrays", arrays=ARRAYS)
    plain.write_source(folder / "words", words=WORDS)
    (folder / "words" / "helper.py").write_text("vowels = 'aeiou'\n")
    shutil.copytree(GUIDE, folder / "ps1")
    return {
        "arrays": folder / "arrays" / "arrays.ipynb",
        "problem1": folder / "ps1" / "problem1.ipynb",
        "words": folder / "words" / "words.ipynb",
    }


@pytest.fixture(scope="module")
def adopted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Adopted]:
    root = tmp_path_factory.mktemp("adopt")
    return {name: adopt(path, root / "exercises" / name) for name, path in sources(root / "source").items()}


def made(adopted: Adopted) -> dict[str, str]:
    return {path.name: path.read_text() for path in adopted.paths if path.suffix in (".py", ".toml")}


def built(adopted: Adopted) -> Built:
    exercise = proofread(Exercise(adopted.paths[0].parent))
    refuse_leaks(exercise)
    return exercise


def adopt_cells(folder: Path, *cells: NotebookNode, **kernel: str) -> Adopted:
    plain.write_source(folder / "source", sheet=plain.notebook(*cells, **kernel))
    return adopt(folder / "source" / "sheet.ipynb", folder / "exercises" / "sheet")


def function(head: str, body: str) -> NotebookNode:
    """A solution cell of one function."""
    text = f"def {head}:\n    ### BEGIN SOLUTION\n    {body}\n    ### END SOLUTION"
    return plain.solution(head.partition("(")[0], text)


IDENTITY = function("f(x)", "return x")


# --- three assignments ---


@pytest.mark.parametrize(("name", "points", "by_hand"), [("problem1", 3, 7), ("arrays", 6, 0), ("words", 4.5, 9)])
def test_what_comes_out_builds_and_is_worth_the_same(
    adopted: dict[str, Adopted], grader: Grader, name: str, points: float, by_hand: float
) -> None:
    exercise = built(adopted[name])
    assert exercise.exercise.points == points + by_hand
    for notebook, earned in ((solved(exercise), points), (exercise.release, 0)):
        report = grader.evaluate(nbformat.writes(notebook).encode(), SeededExercise(exercise, 0)).report
        assert (report.earned, report.automatic_points, report.findings) == (earned, points, ())


def test_the_example_of_nbgrader_comes_over_but_for_its_test_without_a_function(adopted: dict[str, Adopted]) -> None:
    texts, exercise = made(adopted["problem1"]), built(adopted["problem1"]).exercise
    by_hand = ["sum_of_squares_equation", "sum_of_squares_application", "task_5"]
    assert list(exercise.tasks) == ["squares", "sum_of_squares", *by_hand]
    assert exercise.files == ("jupyter.png",)
    hidden, public = texts["test_hidden.py"], texts["test_public.py"]
    assert "require(student.error('squares', 0).type == 'ValueError'" in hidden
    assert "assert_exact(student.sum_of_squares(11), 506.0" in public
    assert '@task("sum_of_squares", weight=0.5)' in hidden
    assert "# TODO by hand, as it changes what the statements after it hang on:\n# del squares\n# try:" in hidden
    assert "TODO" not in public
    told = "test_hidden.py, `sum_of_squares_uses_squares`: nothing of it is checked now; its 0.5 points are"
    assert told in "\n".join(adopted["problem1"].to_do)


def test_the_notebook_is_kept_as_it_was(adopted: dict[str, Adopted]) -> None:
    folder = adopted["problem1"].paths[0].parent
    assert (folder / KEPT).read_bytes() == (GUIDE / "problem1.ipynb").read_bytes()


def test_hidden_tests_reach_no_student_and_given_values_are_the_references(adopted: dict[str, Adopted]) -> None:
    texts = made(adopted["arrays"])
    assert "np.allclose(student.scale(reference.START, factor), reference.START * factor)" in texts["test_hidden.py"]
    assert "START" not in texts["test_public.py"]
    assert texts["notebook.py"].index("START = ") < texts["notebook.py"].index('task="task_2_scale"')
    assert built(adopted["arrays"]).exercise.tasks["normalize"].needs == ("task_2_scale",)
    assert any("the points that a cell returns are no check" in one for one in adopted["arrays"].to_do)


def test_objects_variables_and_what_a_person_grades_come_over(adopted: dict[str, Adopted]) -> None:
    texts, tasks = made(adopted["words"]), built(adopted["words"]).exercise.tasks
    assert tasks["answer"].variables == ("answer",)
    assert "count = student.Count('abc')\n    assert_exact(count.number, 3.0" in texts["test_hidden.py"]
    assert "# Two ideas." in texts["notebook.py"]
    assert "never" not in texts["notebook.py"]
    assert sum("`count-test`" in one for one in adopted["words"].to_do) == 2
    assert "a command of the notebook is not moved: !pip install something" in adopted["words"].to_do


# --- single statements ---


@pytest.mark.parametrize(
    ("statement", "becomes"),
    [
        ("assert f(2) == 4", "assert_exact(student.f(2), 4.0, what='the result of `f`')"),
        ("assert 0.5 == f(2)", "assert_close(student.f(2), 0.5, what='the result of `f`')"),
        ("assert f('a') == 'b'", "assert_text(student.f('a'), 'b', what='the result of `f`')"),
        ("assert len(f(2)) == 3", "assert_exact(len(student.f(2)), 3, what='the result of `f`')"),
        ("assert f(2) == True", "require(student.f(2) == True, '`f`: not what is asked for')"),
        ("assert f(2) == 2 ** 60", "require(student.f(2) == 2 ** 60, '`f`: not what is asked for')"),
        ("a, b = f(2)\nassert a < b", "a, b = expect_tuple(student.f(2), 'a', 'b')"),
        ("assert all(f(x) == x for x in (1, 2))", "require(all((student.f(x) == x for x in (1, 2))), "),
        ("try:\n    f(0)\n    assert False\nexcept KeyError:\n    pass", "student.error('f', 0).type == 'KeyError'"),
        (
            "made = C(2)\nmade.x = 3\nassert made.x == 3",
            "made = student.C(2)\n    made.x = 3\n    assert_exact(made.x, 3.0",
        ),
        ("x = 3\nassert f(x) in (1, 2)", "x = 3\n    require(student.f(x) in (1, 2), "),
    ],
)
def test_a_statement_that_means_the_same_is_rewritten(tmp_path: Path, statement: str, becomes: str) -> None:
    kind = plain.solution("C", "class C:\n    def __init__(self, x):\n        self.x = x")
    hidden = made(adopt_cells(tmp_path, IDENTITY, kind, plain.test("t", 1, statement)))["test_hidden.py"]
    assert becomes in hidden
    assert "# TODO" not in hidden


@pytest.mark.parametrize(
    "statement",
    [
        "assert callable(f)",
        "assert 'f' in globals()",
        "assert list(map(f, [1])) == [1]",
        "assert unknown(f(2))",
        "x = [1]\nassert x == [1]",
        "f = 3\nassert f == 3",
        "student = f(1)\nassert student",
        "if True:\n    assert f(2) == 4",
        "del f\nassert f(2) == 4",
        "helper(f(2))",
        "f(2) == 4",
        "f(2)",
        "%timeit f(2)",
        "### AUTOTEST f(2)",
        "",
    ],
)
def test_what_may_mean_something_else_is_no_test(tmp_path: Path, statement: str) -> None:
    given = plain.code("def helper(x):\n    assert x")
    done = adopt_cells(tmp_path, given, IDENTITY, plain.test("t", 1, statement))
    hidden = made(done)["test_hidden.py"]
    assert hidden.count("@task") == 1
    assert 'raise NotImplementedError("TODO: by hand")' in hidden
    assert "@task" not in made(done)["test_public.py"]
    assert "test_hidden.py: write a test for `f`; none of its own could be moved" in done.to_do


def test_a_task_without_a_test_waits_for_a_person(tmp_path: Path, grader: Grader) -> None:
    exercise = built(adopt_cells(tmp_path, IDENTITY, plain.test("t", 2, "assert callable(f)")))
    report = grader.evaluate(nbformat.writes(solved(exercise)).encode(), SeededExercise(exercise, 0)).report
    assert [task.name for task in report.ungraded] == ["f"]


# --- cells ---


def test_points_that_belong_to_no_solution_are_told(tmp_path: Path) -> None:
    done = adopt_cells(
        tmp_path,
        plain.test("free", 1, "assert True"),
        IDENTITY,
        plain.test("smoke", 0, "assert f(1) == 1"),
        function("g(x)", "return x"),
        plain.test("both", 2, "assert f(g(1)) == 1"),
        plain.by_hand("no-points", 0, "secret"),
    )
    exercise = built(done).exercise
    assert {name: (task.points, task.functions) for name, task in exercise.tasks.items()} == {"g": (2, ("f", "g"))}
    assert "the tests of `free` are not moved (1 points), as it follows no solution" in done.to_do
    assert "the answer of `no-points` is not moved, as it is worth nothing" in done.to_do
    assert "secret" not in made(done)["notebook.py"]
    assert "test_smoke" not in made(done)["test_hidden.py"]


def test_what_a_solution_needs_of_given_cells_goes_into_the_setup_cell(tmp_path: Path) -> None:
    done = adopt_cells(
        tmp_path,
        plain.code("import math"),
        plain.code("one = 1"),
        plain.code("two = one + 1"),
        plain.locked("show", "print('shown')"),
        function("f(x)", "return two * math.sqrt(x)"),
        plain.test("f-test", 1, "assert f(4) == 4"),
        plain.code("late = f(1)"),
        function("g(x)", "return late + x"),
        plain.test("g-test", 1, "assert g(1) == 3"),
    )
    _, setup, given, *_ = made(done)["notebook.py"].split("# %%")
    assert setup.strip() == "setup=true\nimport math\nfrom checks import check\n\none = 1\n\ntwo = one + 1"
    assert given.strip().startswith("print('shown')")
    assert "`show` was read-only; students may change it now" in done.to_do
    assert any("a solution uses `late` of a given cell that uses a solution itself" in one for one in done.to_do)


def test_a_solution_that_defines_nothing_is_for_a_person(tmp_path: Path) -> None:
    done = adopt_cells(tmp_path, plain.solution("show", "print('x')"), plain.test("show-test", 2, "assert True"))
    assert [(name, task.by_hand) for name, task in built(done).exercise.tasks.items()] == [("show", True)]


def test_a_notebook_keeps_its_text_whatever_is_in_it(tmp_path: Path) -> None:
    odd = "---\n\n```python\n%time x\n```\n'''\\ \"\"\""
    given = [nbformat.v4.new_markdown_cell(odd), plain.code("# %% a part\nx = 1")]
    cells = built(adopt_cells(tmp_path, *given, IDENTITY, plain.test("t", 1, "assert f(1) == 1"))).release.cells
    assert cells[0].source == odd
    assert sum(cell.source == "# a part\nx = 1" for cell in cells) == 1


# --- what is refused ---


def test_what_cannot_be_adopted_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    adopt_cells(tmp_path / "one", IDENTITY, plain.test("t", 1, "assert f(1) == 1"))
    source, folder = tmp_path / "one" / "source" / "sheet.ipynb", tmp_path / "one" / "exercises" / "sheet"
    with pytest.raises(ConfigError, match="is there already"):
        adopt(source, folder)
    with pytest.raises(ConfigError, match="no good name"):
        adopt(source, folder.with_name("a b"))
    with pytest.raises(ConfigError, match="is written in R; exercises are in Python"):
        adopt_cells(tmp_path / "other", language="R")
    source.write_text("no JSON")
    with pytest.raises(ConfigError, match="cannot be read"):
        adopt(source, folder.with_name("new"))
    assert not folder.with_name("new").exists()
    assert not (tmp_path / "other" / "exercises").exists()


# --- the command ---


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "course"
    sources(root / "solutions")
    course_of(root)
    monkeypatch.chdir(root)
    return root


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_the_command_says_what_to_do_and_what_it_made_builds(course: Path) -> None:
    said = run("adopt", "arrays")
    assert said.exit_code == 0
    assert "wrote exercises/arrays/test_hidden.py" in said.output
    assert "to do: exercise.toml: write the hint of each task: task_2_scale, normalize" in said.output
    assert said.output.splitlines()[-1].startswith("next: do that, then run `autograder verify arrays`")
    assert run("build", "arrays").exit_code == 0
    assert run("build", "--check", "arrays").exit_code == 0
    assert "is there already" in run("adopt", "arrays").output


def test_an_assignment_of_several_notebooks_is_adopted_one_by_one(course: Path) -> None:
    said = run("adopt", "ps1")
    assert said.exit_code == 2
    assert "adopt each by itself: ps1/problem1, ps1/problem2" in said.output
    assert "no notebook `problem3` (there are: problem1, problem2)" in run("adopt", "ps1/problem3").output
    assert "no notebook lies in" in run("adopt", "nothing").output
    assert run("adopt", "ps1/problem2").exit_code == 0
    assert list(Exercise(course / "exercises" / "problem2").tasks) == ["part_a", "part_b"]


def test_what_build_would_refuse_is_on_the_list(course: Path) -> None:
    secret = "return x * 12345 + len(str(x))"
    test = plain.test("t", 1, "assert f(1) == 12346")
    leaky = plain.notebook(nbformat.v4.new_markdown_cell(secret), function("f(x)", secret), test)
    plain.write_source(course / "solutions" / "leaky", leaky=leaky)
    assert "students would see what they must not see" in run("adopt", "leaky").output


@pytest.mark.slow
def test_verify_goes_on_from_there(course: Path) -> None:
    run("adopt", "ps1/problem1")
    said = run("verify", "problem1", "--seeds", "1")
    assert said.exit_code == 1
    assert "problem1: REJECTED" in said.output.splitlines()[-1]
