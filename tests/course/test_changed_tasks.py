"""Tasks that came, went, are called otherwise or are worth other points: what people have entered is kept or told."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from nbgrader.api import Gradebook

from autograder.course.changed_tasks import TaskChanges
from autograder.course.course import Course
from autograder.course.gradebook import gradebook_to_read, open_gradebook, register
from autograder.course.score_log import GONE, note_found, read_log
from autograder.errors import ConfigError
from autograder.exercise.build import write
from tests.course.graded_class import DOUBLE, QUADRUPLE, enter, report
from tests.nbgrader_course import grades


@pytest.fixture
def course(new_course: Callable[[str], Course]) -> Course:
    """ada has 4 and 3 points, 1.5 by hand for her answer, and words to her answer and to her code."""
    course = new_course("course")
    with open_gradebook(course) as gradebook:
        enter(course, gradebook, "ada", report(DOUBLE, QUADRUPLE))
        grade = gradebook.find_grade("explain", "tiny", "tiny", "ada")
        grade.manual_score, grade.needs_manual_grade = 1.5, False
        for cell, words in {"explain": "Well said.", "quadruple-code": "Elegant."}.items():
            gradebook.find_comment(cell, "tiny", "tiny", "ada").manual_comment = words
        gradebook.db.commit()
    with gradebook_to_read(course) as gradebook:
        note_found(course, gradebook, "tiny")
    return course


def change(course: Course, before: str, after: str) -> None:
    for file in (course.exercises_folder / "tiny").iterdir():
        file.write_text(file.read_text().replace(before, after))
    write(course.build("tiny"), course.solutions, course.assignments)


def regraded(course: Course, **renamed: str) -> TaskChanges:
    return register(course, "tiny", renamed, tasks_may_change=True)


def comment(course: Course, cell: str) -> str | None:
    with Gradebook(course.db_url) as gradebook:
        found: str | None = gradebook.find_comment(cell, "tiny", "tiny", "ada").manual_comment
        return found


def test_a_task_that_is_called_otherwise_keeps_scores_and_words_where_it_is_said_to_be_the_same(course: Course) -> None:
    change(course, "explain", "reason")
    assert regraded(course, explain="reason").renamed == {"explain": "reason"}
    assert grades(course.root)["ada", "reason"] == (None, 1.5, False)
    assert comment(course, "reason") == "Well said."
    new, old = read_log(course.root, "tiny")[0][-2:]
    assert (new.task, new.old, new.new, new.why) == ("reason", 1.5, 1.5, "the task `explain` is called `reason` now")
    assert (old.task, old.new, old.why) == ("explain", None, "it is called reason now")
    change(course, "quadruple", "fourfold")
    regraded(course, quadruple="fourfold")
    assert grades(course.root)["ada", "fourfold"] == (3.0, None, False)
    assert comment(course, "fourfold-code") == "Elegant."
    assert sorted(task for _, task in grades(course.root)) == ["double", "fourfold", "reason"]


def test_what_hung_on_a_task_that_went_is_in_the_log_and_the_new_one_waits(course: Course) -> None:
    change(course, "explain", "reason")
    changes = regraded(course)
    assert (changes.came, changes.went) == (["reason"], ["explain"])
    assert grades(course.root)["ada", "reason"] == (None, None, True)
    last = read_log(course.root, "tiny")[0][-1]
    assert (last.task, last.old, last.new, last.why) == ("explain", 1.5, None, f"{GONE}; the comment was: Well said.")
    with gradebook_to_read(course) as gradebook:
        note_found(course, gradebook, "tiny")
    assert read_log(course.root, "tiny")[0][-1] == last


def test_the_words_to_code_are_kept_with_the_task_they_were_about(course: Course) -> None:
    change(course, "quadruple", "fourfold")
    regraded(course)
    went = [one.why for one in read_log(course.root, "tiny")[0] if one.task == "quadruple" and one.new is None]
    assert went == [f"{GONE}; the comment was: Elegant."]


def test_scores_out_of_other_points_than_today_wait_and_what_a_person_gave_stays(course: Course) -> None:
    with Gradebook(course.db_url) as gradebook:
        gradebook.find_grade("double", "tiny", "tiny", "ada").manual_score = 3.5
        gradebook.db.commit()
    change(course, "points = 4", "points = 8")
    change(course, "points = 3", "points = 6")
    assert register(course, "tiny").worth == {"double": (4.0, 8.0), "quadruple": (3.0, 6.0)}
    found = grades(course.root)
    assert found["ada", "double"] == (None, 3.5, True)
    assert found["ada", "quadruple"] == (None, None, True)
    assert found["ada", "explain"] == (None, 1.5, False)
    assert "the task `quadruple` was worth 3 points and is worth 6 now" in read_log(course.root, "tiny")[0][-1].why


def test_named_students_are_not_graded_where_others_scores_would_go_for_it(course: Course) -> None:
    change(course, "points = 4", "points = 8")
    before, log = grades(course.root), read_log(course.root, "tiny")
    with pytest.raises(
        ConfigError, match=r"was worth 4 .* from 1 other student, .* `autograder grade tiny` grades the"
    ):
        register(course, "tiny", students=["ben"])
    assert (grades(course.root), read_log(course.root, "tiny")) == (before, log)
    assert register(course, "tiny", students=["ben", "ada"]).scored == {"ada"}
    assert not register(course, "tiny", students=["ben"]).said


def test_what_would_go_with_a_task_is_counted_and_the_way_to_keep_it_named(course: Course) -> None:
    change(course, "explain", "reason")
    change(course, "quadruple", "fourfold")
    with pytest.raises(ConfigError) as refused:
        register(course, "tiny")
    for sentence in (
        "scores by hand that go with `explain`: 1; comments: 1",
        "if `explain` is only renamed: --renamed explain=reason",
        "scores by hand that go with `quadruple`: 0; comments: 1",
        "if `quadruple` is only renamed: --renamed quadruple=fourfold",
    ):
        assert f"; {sentence};" in str(refused.value)
    assert grades(course.root)["ada", "explain"] == (None, 1.5, False)


def test_a_given_cell_may_come_and_go_without_a_word(course: Course) -> None:
    before = grades(course.root)
    change(course, "# %% [markdown]\n# # Twice", "# %%\n1 + 1\n\n# %% [markdown]\n# # Twice")
    assert not register(course, "tiny").said
    assert grades(course.root) == before


def test_a_name_that_no_task_had_or_has_is_refused_and_nothing_is_written(course: Course) -> None:
    before = grades(course.root)
    change(course, "explain", "reason")
    for renamed in ({"explian": "reason"}, {"explain": "raeson"}, {"explain": "double"}):
        with pytest.raises(ConfigError, match="had no task `expl"):
            regraded(course, **renamed)
    assert grades(course.root) == before
