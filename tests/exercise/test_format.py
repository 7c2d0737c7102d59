"""What keeps a TOML file from being its format is told in the format's words, all of it, with the line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.errors import ExerciseError
from autograder.exercise.definition import Exercise
from autograder.exercise.format import line_of
from tests.tiny import TOML, write_tiny_exercise

HINT = 'hint = "Add x to itself."'
LIMITS = "[limits]\n"
KEYS = ["title", "points", "functions", "hint"]
KNOWN = (
    "title, points, hint, beyond, functions, needs, variables, dtypes, question, by_hand, rubric, carried, "
    "not_allowed, instead"
)


def told(folder: Path, text: str) -> list[str]:
    file = folder / "exercise.toml"
    file.write_text(text, encoding="utf-8")
    try:
        Exercise(folder)
    except ExerciseError as error:
        return str(error).replace(f"{file}", "").splitlines()
    return []


FAULTS = [
    ("points = 4", "points = 4\nponts = 4", ", line 6: `ponts` is no key of task `double`; did you mean `points`?"),
    (HINT, f"{HINT}\nxyz = 1", f", line 8: `xyz` is no key of task `double` (there are: {KNOWN})"),
    ("points = 4", 'points = "four"', ', line 5: `points` of task `double` is a number, not "four"'),
    ('functions = ["double"]', "functions = 3", ", line 6: `functions` of task `double` is a list of texts, not 3"),
    ('functions = ["double"]', "functions = [3]", ", line 6: `functions` of task `double` is a list of texts, not [3]"),
    (HINT, "hint = 1979-05-27", ', line 7: `hint` of task `double` is a text, not "1979-05-27"'),
    (HINT, "by_hand = 1", ", line 7: `by_hand` of task `double` is true or false, not 1"),
    (HINT, 'carried = "1/2"', ', line 7: `carried` of task `double` is a number, not "1/2"'),
    ("points = 4\n", "", ", line 3: task `double` has no `points`"),
    ('title = "Twice and twice again"\n', "", ": exercise.toml has no `title`"),
    ("[tasks.double]", "[task.double]", ", line 3: `task` is no key of exercise.toml; did you mean `tasks`?"),
    (
        "[tasks.double]",
        "[limits]\nmemroy = 1\n\n[tasks.double]",
        ", line 4: `memroy` is no key of [limits]; did you mean",
    ),
    (
        "[tasks.double]",
        "[limits]\nmemory = 1.5\n\n[tasks.double]",
        ", line 4: `memory` of [limits] is a whole number, not",
    ),
    ("[tasks.double]", "limits = 3\n\n[tasks.double]", ", line 3: [limits] is a table, not 3"),
    ("points = 4", "points = 0", ", line 5: task `double` must be worth more than 0 points"),
    (
        'needs = ["double"]',
        'needs = ["dobule"]',
        ", line 13: task `quadruple` needs `dobule`, which is no automatic task before it; did you mean `double`?",
    ),
]


@pytest.mark.parametrize(("old", "new", "sentence"), FAULTS, ids=[sentence for *_, sentence in FAULTS])
def test_a_fault_is_told_with_its_line(tiny_exercise: Path, old: str, new: str, sentence: str) -> None:
    assert old in TOML
    assert any(one.startswith(sentence) for one in told(tiny_exercise, TOML.replace(old, new, 1)))


def test_a_text_that_is_no_toml_is_told_with_its_line(tiny_exercise: Path) -> None:
    assert told(tiny_exercise, "title = 1\nthis is none") == [
        ": this is no TOML: Expected '=' after a key in a key/value pair (at line 2, column 6)"
    ]


def test_all_faults_are_told_at_once(tiny_exercise: Path) -> None:
    text = TOML.replace("points = 4", "ponts = 4").replace("by_hand = true", 'by_hand = "yes"')
    assert told(tiny_exercise, text) == [
        ", line 5: `ponts` is no key of task `double`; did you mean `points`?",
        ", line 3: task `double` has no `points`",
        ', line 18: `by_hand` of task `explain` is true or false, not "yes"',
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(KEYS), st.integers(0, 5), st.sampled_from(["", "x", "_"]))
def test_a_key_with_one_wrong_letter_is_told_with_the_right_one(
    tmp_path: Path, key: str, place: int, instead: str
) -> None:
    shutil.rmtree(tmp_path / "tiny", ignore_errors=True)
    folder = write_tiny_exercise(tmp_path / "tiny")
    place = min(place, len(key) - 1)
    wrong = key[:place] + instead + key[place + 1 :]
    head, rest = TOML.split("[tasks.double]\n")
    number = 4 + KEYS.index(key)
    slips = told(folder, f"{head}[tasks.double]\n{rest.replace(f'{key} =', f'{wrong} =', 1)}")
    assert f", line {number}: `{wrong}` is no key of task `double`; did you mean `{key}`?" in slips


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (("title",), 1),
        (("tasks", "a"), 3),
        (("tasks", "a", "x.y"), 4),
        (("tasks", "a", "not there"), 3),
        (("tasks", "b.c", "x"), 7),
        (("tasks", "d", "x"), 10),
        (("limits", "memory"), 11),
        (("nothing",), 0),
    ],
)
def test_a_line_is_found_however_the_table_is_written(keys: tuple[str, ...], line: int) -> None:
    text = 'title = "a"\n\n[tasks.a]\n"x.y" = 1\n\n[ tasks . "b.c" ]  # a comment\nx = 1\n\n[tasks]\nd.x = 1\n'
    assert line_of(keys, f"{text}[limits]\n") == line
