"""What `autograder build` tells of an exercise folder before anything is run: each slip by a sentence, all at once."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.cli import main
from autograder.errors import ExerciseError
from autograder.exercise.built import Built
from autograder.exercise.definition import Exercise, exercise_names, load_exercise
from autograder.exercise.slips import proofread
from tests.places import EXERCISES
from tests.tiny import HIDDEN, NOTEBOOK, PUBLIC, TOML, write_tiny_exercise

Change = Callable[[Path], object]
WRONG = '"""Squares x."""\n\nhint = "What is twice three?"\nloses = ["double"]\n\n\n'
SQUARED = WRONG + "def double(x):\n    return x * x\n"


def told(folder: Path) -> list[str]:
    """The slips, with the names of files alone."""
    try:
        proofread(Exercise(folder))
    except ExerciseError as error:
        return str(error).replace(f"{folder}/", "").splitlines()
    return []


def replaced(name: str, old: str, new: str) -> Change:
    def change(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1))

    return change


def added(name: str, text: str = "") -> Change:
    def change(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with (folder / name).open("a") as file:
            file.write(text)

    return change


def line(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


UNREAD = ("test_hiden.py", "wrong/notes.txt", "data.csv", "wrongs/a.py")
DOUBLED = '\n\n@task("double")\ndef test_number(student):\n    """twice a number"""\n'
SLIPS: dict[str, tuple[Change, list[str]]] = {
    "a solution marker that is nearly one": (
        replaced("notebook.py", "### BEGIN SOLUTION", "### BEGIN SOLUTIN"),
        ["notebook.py, line 11: `### BEGIN SOLUTIN` is no marker; did you mean `### BEGIN SOLUTION`?"],
    ),
    "a solution that does not begin": (
        replaced("notebook.py", "    ### BEGIN SOLUTION\n", ""),
        ["notebook.py, line 12: ### END SOLUTION without a ### BEGIN SOLUTION above it"],
    ),
    "a solution that does not end": (
        replaced("notebook.py", "    ### END SOLUTION\n", ""),
        ["notebook.py, line 11: ### BEGIN SOLUTION without an ### END SOLUTION below it"],
    ),
    "a space after a marker": (
        replaced("notebook.py", "### BEGIN SOLUTION\n", "### BEGIN SOLUTION \n"),
        ["notebook.py, line 11: `### BEGIN SOLUTION ` is no marker; did you mean `### BEGIN SOLUTION`?"],
    ),
    "a cell marker that is nearly one": (
        replaced("notebook.py", '# %% task="double"', '# % task="double"'),
        ['notebook.py, line 9: `# % task="double"` is no marker; did you mean `# %% task="double"`?'],
    ),
    "a cell marker of another kind": (
        replaced("notebook.py", '# %% task="double"', '# %% taks="double"'),
        [
            'notebook.py, line 9: `# %% taks="double"` is no cell marker of this exercise; '
            'did you mean `# %% task="double"`?'
        ],
    ),
    "a cell marker of no task": (
        replaced("notebook.py", '# %% grade="double"', '# %% grade="duoble"'),
        [
            'notebook.py, line 16: `# %% grade="duoble"` is no cell marker of this exercise; '
            'did you mean `# %% grade="double"`?'
        ],
    ),
    "a given cell that has what a task asks for": (
        replaced("notebook.py", 'print("a given', 'if True:\n    double = abs\nprint("a given'),
        [
            f"notebook.py, line {line(NOTEBOOK, 'print(')}: task `double` asks for `double`, and this cell, "
            "which is given, has it; give it another name here"
        ],
    ),
    "a setup cell that has what a task asks for": (
        replaced("notebook.py", "import numpy as np\n", "import numpy as np\nfrom numpy import abs as double\n"),
        [
            "notebook.py, line 6: task `double` asks for `double`, and this cell, which is given, has it; "
            "give it another name here"
        ],
    ),
    "a bracket that is not closed in a given cell": (
        replaced("notebook.py", 'print("a given', '# %matplotlib inline\nsome = (1\nprint("a given'),
        [f"notebook.py, line {line(NOTEBOOK, 'print(') + 1}: '(' was never closed"],
    ),
    "a given cell that is no Python": (
        replaced("notebook.py", 'print("a given', 'files = !ls\nwith needs( = 3\nprint("a given'),
        [f"notebook.py, line {line(NOTEBOOK, 'print(') + 1}: invalid syntax"],
    ),
    "a check that is forgotten": (
        replaced("notebook.py", '# %% grade="double"\ncheck("double")\n', ""),
        ['notebook.py, line 9: there is no cell `# %% grade="double"` for `double`; write one below this'],
    ),
    "a check that is there twice": (
        replaced("notebook.py", 'check("double")\n', 'check("double")\n\n# %% grade="double"\ncheck("double")\n'),
        [
            'notebook.py, line 19: a second cell `# %% grade="double"` for `double`; '
            "only one is needed, so leave one out"
        ],
    ),
    "a check above its solution": (
        replaced("notebook.py", '# %% task="double"', '# %% grade="double"\ncheck("double")\n\n# %% task="double"'),
        [
            'notebook.py, line 19: a second cell `# %% grade="double"` for `double`; '
            "only one is needed, so leave one out",
            'notebook.py, line 9: the cell `# %% grade="double"` is above a solution cell of `double`; move it below',
        ],
    ),
    "a hidden test of no task": (
        replaced("test_hidden.py", '@task("quadruple")', '@task("quadrupel")'),
        [
            f"test_hidden.py, line {line(HIDDEN, 'def test_four')}: test_four_times is of `quadrupel`, "
            "which is no automatic task; did you mean `quadruple`?",
            "test_hidden.py: no test for task `quadruple`",
        ],
    ),
    "a public test of a task by hand": (
        replaced("test_public.py", '@task("quadruple")', '@task("explain")'),
        [
            f"test_public.py, line {line(PUBLIC, 'def test_four')}: test_four_times is of `explain`, "
            "which is no automatic task (there are: double, quadruple)"
        ],
    ),
    "a public test that no check runs": (
        replaced("test_public.py", '@task("quadruple")\n', ""),
        [
            f"test_public.py, line {line(PUBLIC, 'def test_four') - 1}: test_four_times is of no task, "
            "so no check runs it; mark it with @task"
        ],
    ),
    "a hidden test without a sentence": (
        replaced("test_hidden.py", '    """twice a number"""\n', ""),
        [
            f"test_hidden.py, line {line(HIDDEN, 'def test_number')}: test_number needs a docstring, "
            "which tells students what is tried"
        ],
    ),
    "two hidden tests of one name": (
        added("test_hidden.py", DOUBLED),
        [
            f"test_hidden.py, line 27: test_number is defined twice, in line {line(HIDDEN, 'def test_number')} "
            "and in line 27; only one of them would run"
        ],
    ),
    "two public tests of one name": (
        replaced("test_public.py", "test_four_times", "test_three"),
        ["test_public.py, line 15: test_three is defined twice, in line 9 and in line 15; only one of them would run"],
    ),
    "a function of wrong/ that replaces nothing": (
        added("wrong/squared.py", SQUARED.replace("def double", "def duoble")),
        ["wrong/squared.py, line 7: `duoble` takes the place of nothing; did you mean `double`?"],
    ),
    "a second function of wrong/ that replaces nothing": (
        added("wrong/squared.py", SQUARED + "\n\ndef triple(x):\n    return 3 * x\n"),
        ["wrong/squared.py, line 11: `triple` takes the place of nothing (there are: double, quadruple)"],
    ),
    "a file of right/ without a function": (
        added("right/other.py", '"""Another way."""\n\ndouble = abs\n'),
        ["right/other.py: it defines no function, class or variable of the notebook, so it takes the place of none"],
    ),
    "a task that wrong/ misspells": (
        added("wrong/squared.py", SQUARED.replace('["double"]', '["dobule"]')),
        ["wrong/squared.py: loses `dobule`, which is no automatic task; did you mean `double`?"],
    ),
    "a task that uses another": (
        replaced("exercise.toml", 'needs = ["double"]\n', ""),
        [
            f"exercise.toml, line {line(TOML, '[tasks.quadruple]')}: task `quadruple` uses `double` of task `double`; "
            "name that in its `needs`"
        ],
    ),
    "a misspelt name that is not allowed": (
        replaced("exercise.toml", 'functions = ["double"]', 'functions = ["double"]\nnot_allowed = ["numpy.graident"]'),
        [
            f"exercise.toml, line {line(TOML, '[tasks.double]')}: task `double` does not allow `numpy.graident`, "
            "which is not there; did you mean `numpy.gradient`?"
        ],
    ),
    "a package that is not named": (
        replaced("notebook.py", "### BEGIN SOLUTION\n", "### BEGIN SOLUTION\n    import os, mpl_toolkits, pandas.io\n"),
        ['notebook.py, line 12: imports `pandas`, which exercise.toml does not name; packages = ["pandas"]'],
    ),
    "files that nobody reads": (
        lambda folder: [
            added(name)(folder) for name in ("test_hiden.py", "wrong/notes.txt", "data.csv", "wrongs/a.py")
        ],
        [
            "data.csv: nobody reads this (there are: exercise.toml, notebook.py, test_public.py, test_hidden.py, "
            "equivalent.toml, known_results.json, wrong, right); what students are to get is named in `files` of "
            "exercise.toml, what they write in `submit`",
            "test_hiden.py: nobody reads this; did you mean `test_hidden.py`?",
            "wrong/notes.txt: nobody reads this (there are: *.py)",
            "wrongs: nobody reads this; did you mean `wrong`?",
        ],
    ),
}


@pytest.mark.parametrize(("change", "sentences"), SLIPS.values(), ids=SLIPS)
def test_a_slip_is_told_with_its_place(tiny_exercise: Path, change: Change, sentences: list[str]) -> None:
    change(tiny_exercise)
    assert told(tiny_exercise) == sentences


def test_all_slips_are_told_at_once(tiny_exercise: Path) -> None:
    names = [
        "a solution marker that is nearly one",
        "a hidden test of no task",
        "two public tests of one name",
        "a function of wrong/ that replaces nothing",
        "a task that uses another",
        "files that nobody reads",
    ]
    for name in names:
        SLIPS[name][0](tiny_exercise)
    assert sorted(told(tiny_exercise)) == sorted(sentence for name in names for sentence in SLIPS[name][1])


def test_one_broken_file_of_wrong_does_not_hide_the_next(tiny_exercise: Path) -> None:
    added("wrong/a.py", SQUARED.replace("hint", "hnit"))(tiny_exercise)
    added("wrong/b.py", '"""Nothing."""\n')(tiny_exercise)
    needed = '`hint = "..."` and `loses = [...]` are needed'
    assert [slip for slip in told(tiny_exercise) if needed in slip] == [f"wrong/{name}.py: {needed}" for name in "ab"]


def test_what_is_no_slip_is_not_told(tiny_exercise: Path) -> None:
    for name in (".notes", "__pycache__/x.pyc", "wrong/__pycache__/x.pyc", "wrong/.backup"):
        added(name)(tiny_exercise)
    helper = "def factor():\n    return 3\n\n\nTABLE = {1: factor}\n\n\ndef double(x):\n    return x * TABLE[1]()\n"
    added("wrong/tripled.py", WRONG + helper)(tiny_exercise)
    added("equivalent.toml")(tiny_exercise)
    replaced("notebook.py", "    return 2 * x", "    # the solution is short\n    return 2 * x  # begin small")(
        tiny_exercise
    )
    replaced("notebook.py", "# # Twice and twice again", "# # Solution\n#\n# %matplotlib inline")(tiny_exercise)
    replaced("notebook.py", 'print("a given', '# %timeit 3\nx = !ls\nprint("a given')(tiny_exercise)
    replaced("notebook.py", "# %% [markdown]\n# Why", "# %%\n# %%bash\n# ls (\n\n# %% [markdown]\n# Why")(tiny_exercise)
    assert told(tiny_exercise) == []


def test_a_task_may_use_others_through_those_it_needs_and_names_of_its_own(tiny_exercise: Path) -> None:
    eight = '# %% task="eight"\ndef eight(x, double=None):\n    ### BEGIN SOLUTION\n    return quadruple(double(x))\n'
    eight += '    ### END SOLUTION\n\n\n# %% grade="eight"\ncheck("eight")\n\n# %% [markdown]\n# Why'
    replaced("notebook.py", "# %% [markdown]\n# Why", eight)(tiny_exercise)
    task = '[tasks.eight]\ntitle = "Eight"\npoints = 1\nfunctions = ["eight"]\nneeds = ["quadruple"]\n\n[tasks.explain]'
    replaced("exercise.toml", "[tasks.explain]", task)(tiny_exercise)
    added("test_hidden.py", DOUBLED.replace("test_number", "test_eight").replace('"double"', '"eight"'))(tiny_exercise)
    assert told(tiny_exercise) == []
    replaced("notebook.py", "(x, double=None)", "(x)")(tiny_exercise)
    assert told(tiny_exercise) == []
    replaced("exercise.toml", 'needs = ["quadruple"]', "")(tiny_exercise)
    assert told(tiny_exercise) == [
        f"exercise.toml, line 15: task `eight` uses `{name}` of task `{name}`; name that in its `needs`"
        for name in ("double", "quadruple")
    ]


def test_a_variable_that_the_notebook_sets_may_be_all_that_a_file_has(tiny_exercise: Path) -> None:
    added("right/other.py", '"""Another start."""\n\nSTART = 1 - 1\n')(tiny_exercise)
    assert told(tiny_exercise) == []


@pytest.mark.parametrize("slug", exercise_names(EXERCISES))
def test_the_long_examples_have_no_slips(slug: str) -> None:
    assert proofread(load_exercise(slug, EXERCISES)).exercise.slug == slug


# --- by one letter ---

MARKERS = [text for text in NOTEBOOK.splitlines() if re.match(" *### |# %%", text)]


@st.composite
def misspelled(draw: st.DrawFn) -> tuple[str, str]:
    """A marker of the small exercise, and the same with one letter more, less or other."""
    marker = draw(st.sampled_from(MARKERS))
    place = draw(st.integers(len(marker) - len(marker.lstrip()), len(marker) - 1))
    instead = draw(st.sampled_from(["", *"x#%Q_", *(marker[place] + letter for letter in "x#%Q_")]))
    return marker, marker[:place] + instead + marker[place + 1 :]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(misspelled())
def test_a_marker_with_one_wrong_letter_is_told_or_means_the_same(
    tiny_built: Built, tmp_path: Path, pair: tuple[str, str]
) -> None:
    shutil.rmtree(tmp_path / "tiny", ignore_errors=True)
    folder = write_tiny_exercise(tmp_path / "tiny")
    replaced("notebook.py", f"{pair[0]}\n", f"{pair[1]}\n")(folder)
    if slips := told(folder):
        assert all(slip.startswith("notebook.py") for slip in slips)
    else:
        places = Path("solutions"), Path("assignments")
        assert proofread(Exercise(folder)).files(*places) == tiny_built.files(*places)


# --- the commands ---


@pytest.mark.broad
@pytest.mark.parametrize("command", ["build", "verify", "release"])
def test_each_command_of_an_exercise_tells_the_slips_and_does_nothing(
    command: str, tiny_course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = shutil.copytree(tiny_course, tmp_path / "course")
    folder = course / "exercises" / "tiny"
    SLIPS["two public tests of one name"][0](folder)
    SLIPS["a solution marker that is nearly one"][0](folder)
    before = sorted(course.rglob("*"))
    monkeypatch.chdir(course)
    result = CliRunner().invoke(main, [command, "tiny"])
    assert (result.exit_code, len(result.output.splitlines())) == (2, 2)
    assert "did you mean `### BEGIN SOLUTION`?" in result.output
    assert "test_three is defined twice" in result.output
    assert sorted(course.rglob("*")) == before
