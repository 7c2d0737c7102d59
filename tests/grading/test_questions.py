"""Questions: what counts as an answer, which is right, what several choices earn, and that nothing gives it away."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import nbformat
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.authoring.guesses import guesses
from autograder.checks.compare import Mismatch
from autograder.errors import ExerciseError
from autograder.exercise.build import build
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import Exercise, Question
from autograder.exercise.slips import proofread
from autograder.exercise.variants import variant
from autograder.grading.evaluate import Grader
from autograder.grading.questions import Asked, judge
from autograder.report import Report, Status
from autograder.submission.samples import solved, solved_by

TOML = """
title = "Questions"

[tasks.axis]
title = "Which axis?"
points = 2
variables = ["which_axis"]
question = { kind = "choice", options = ["batch", "channel", "time"] }

[tasks.kept]
title = "What stays?"
points = 3
variables = ["what_stays"]
question = { kind = "choices", options = ["mean", "scale", "sign", "order", "shape"] }

[tasks.count]
title = "How many?"
points = 1
variables = ["how_many"]
question = { kind = "number", rtol = 0.01 }

[tasks.name]
title = "Its name"
points = 1
variables = ["its_name"]
question = { kind = "text", pattern = "(?i)layer[ -]?norm(alization)?" }
"""

ANSWERS = {
    "axis": 'which_axis = "channel"',
    "kept": 'what_stays = ["sign", "order", "shape"]',
    "count": "how_many = 3 * 50",
    "name": 'its_name = "layer normalization"',
}

NOTEBOOK = "# %% setup=true\nfrom checks import check\n" + "".join(
    f'\n# %% task="{task}"\n### BEGIN SOLUTION\n{code}\n### END SOLUTION\n\n# %% grade="{task}"\ncheck("{task}")\n'
    for task, code in ANSWERS.items()
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "questions"
    folder.mkdir()
    texts = {"exercise.toml": TOML, "notebook.py": NOTEBOOK, "test_public.py": "", "test_hidden.py": ""}
    for name, text in texts.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def built(folder: Path) -> Built:
    return proofread(Exercise(folder))


@pytest.fixture
def report_of(grader: Grader, built: Built) -> Callable[[str], Report]:
    def report_of(code: str) -> Report:
        notebook = nbformat.writes(solved_by(built, variant("work", code)) if code else solved(built)).encode()
        return grader.evaluate(notebook, SeededExercise(built, 0)).report

    return report_of


def test_right_answers_have_all_points(report_of: Callable[[str], Report]) -> None:
    report = report_of("")
    assert [(task.status, task.earned) for task in report.tasks] == [
        (Status.PASSED, 2),
        (Status.PASSED, 3),
        (Status.PASSED, 1),
        (Status.PASSED, 1),
    ]


@pytest.mark.parametrize(
    ("code", "task", "earned", "message"),
    [
        ('which_axis = " Channel "', "axis", 2, ""),
        ('which_axis = "batch"', "axis", 0, "it is another one"),
        ('which_axis = "row"', "axis", 0, "choose from 'batch', 'channel', 'time'; yours is 'row'"),
        ("which_axis = 1", "axis", 0, "choose from 'batch', 'channel', 'time'"),
        ("which_axis = None", "axis", 0, "there is no answer yet"),
        ('what_stays = {"shape", "SIGN", "order"}', "kept", 3, ""),
        ('what_stays = "sign, order"', "kept", 2, ""),
        ('what_stays = ("sign", "order", "mean")', "kept", 1, ""),
        ('what_stays = ["mean", "scale", "sign", "order", "shape"]', "kept", 1, ""),
        ("what_stays = []", "kept", 0, "some of it is not right yet: what is missing, and what is too much?"),
        ("what_stays = 3", "kept", 0, 'answer with a list, as ["first", "second"]'),
        ("how_many = 151.4", "count", 1, ""),
        ("how_many = 152", "count", 0, "it is another number"),
        ("import numpy as np\nhow_many = np.array([150])", "count", 1, ""),
        ('how_many = "150"', "count", 0, "answer with a number"),
        ("how_many = float('nan')", "count", 0, "answer with a finite number"),
        ('its_name = "Layer-norm "', "name", 1, ""),
        ('its_name = "batch norm"', "name", 0, "it is another answer"),
        ("its_name = object()", "name", 0, "answer with a short text"),
    ],
)
def test_an_answer_earns_what_it_is_worth(
    report_of: Callable[[str], Report], code: str, task: str, earned: float, message: str
) -> None:
    report = report_of(code)
    result = next(one for one in report.tasks if one.name == task)
    assert result.earned == pytest.approx(earned)
    assert next((test.message for test in result.tests if test.message), "") == message or not message
    assert not report.ungraded


def test_what_is_not_answered_is_missing(grader: Grader, built: Built) -> None:
    report = grader.evaluate(nbformat.writes(built.release).encode(), SeededExercise(built, 0)).report
    assert {task.status for task in report.tasks} == {Status.MISSING}
    assert report.tasks[0].tests[0].message == "`which_axis` is not written yet"


OPTIONS = ["a", "b", "c", "d"]


@given(st.sets(st.sampled_from(OPTIONS), min_size=1), st.sets(st.sampled_from(OPTIONS)))
def test_several_choices_earn_right_ones_less_wrong_ones(right: set[str], mine: set[str]) -> None:
    question = Question("choices", tuple(OPTIONS))
    passed = 0
    for number in range(1, len(right) + 1):
        try:
            judge(Asked("t", "x", question, number), sorted(mine), sorted(right))
        except Mismatch:
            continue
        passed += 1
    assert passed == max(0, len(mine & right) - len(mine - right))


def test_every_wrong_answer_that_is_tried_loses_points(grader: Grader, built: Built) -> None:
    tried = guesses(built)
    assert len(tried) == 2 + 6 + 4 + 3
    for one in tried:
        notebook = nbformat.writes(solved_by(built, variant("work", one.code))).encode()
        report = grader.evaluate(notebook, SeededExercise(built, 0)).report
        assert report.earned < 7, one.name


def test_what_students_get_has_the_options_and_no_answer(built: Built) -> None:
    release = nbformat.writes(built.release)
    assert "normalization" not in release + built.checks
    assert 'which_axis = "channel"' not in release + built.checks
    assert "layer[ -]" not in built.checks


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('kind = "number"', 'kind = "nummer"', "asks for `nummer`; did you mean `number`?"),
        ('["how_many"]', '["how_many", "why"]', "is a question: it needs one variable"),
        (', pattern = "(?i)layer[ -]?norm(alization)?"', "", "needs a `pattern`"),
        ('options = ["batch", "channel", "time"]', 'options = ["batch"]', "needs two different `options` at least"),
        ('["batch", "channel", "time"]', '["time", "channel", "Time "]', "offers 'Time ' twice"),
        ('["batch", "channel", "time"]', '["time", "channel", ""]', "has an empty option"),
        ("rtol = 0.01", 'rtol = "little"', "`rtol` of [question] is a number, not"),
        ("rtol = 0.01", "rtoll = 0.01", "`rtoll` is no key of [question]; did you mean `rtol`?"),
    ],
)
def test_a_question_that_cannot_be_asked_is_told(folder: Path, old: str, new: str, fault: str) -> None:
    assert old in TOML
    (folder / "exercise.toml").write_text(TOML.replace(old, new))
    with pytest.raises(ExerciseError) as caught:
        Exercise(folder)
    assert fault in str(caught.value)


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ('"channel"', '"row"', "`axis` with 'row': choose from 'batch', 'channel', 'time'; yours is 'row'"),
        ('["sign", "order", "shape"]', '["sign", "ordre"]', "`kept` with ['sign', 'ordre']: choose from"),
        ('["sign", "order", "shape"]', "[]", "`kept` with []: there must be a right choice"),
        ('"layer normalization"', '"batch norm"', "`name` with 'batch norm': its `pattern` does not match that"),
    ],
)
def test_a_reference_that_answers_as_no_student_may_is_told(folder: Path, right: str, wrong: str, told: str) -> None:
    assert right in NOTEBOOK
    (folder / "notebook.py").write_text(NOTEBOOK.replace(right, wrong))
    with pytest.raises(ExerciseError) as caught:
        proofread(Exercise(folder))
    assert f"the reference answers task {told}" in str(caught.value)


def test_a_choice_that_the_reference_computes_is_told(folder: Path, grader: Grader) -> None:
    text = NOTEBOOK.replace('what_stays = ["sign", "order", "shape"]', 'what_stays = sorted(["sign"])')
    (folder / "notebook.py").write_text(text)
    with pytest.raises(ExerciseError, match="must stand there as it is"):
        guesses(build(Exercise(folder)))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.one_of(st.none(), st.floats(), st.text(), st.lists(st.text()), st.just(np.zeros((2, 2))), st.just(Ellipsis)))
def test_no_answer_of_any_type_breaks_the_test(value: object) -> None:
    for kind in ("choice", "choices", "number", "text"):
        right = {"choice": "a", "choices": ["a"], "number": 1.0, "text": "x"}[kind]
        with contextlib.suppress(Mismatch):
            judge(Asked("t", "x", Question(kind, tuple(OPTIONS), pattern="x")), value, right)
