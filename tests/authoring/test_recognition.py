"""Which known mistakes public checks know again is learned by running them, kept, and proven."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from autograder.authoring.kept import Kept
from autograder.authoring.leaks import release_leaks
from autograder.authoring.recognition import require_known_results, with_known_results
from autograder.authoring.rehearsal import rehearse
from autograder.errors import ConfigError, ExerciseError
from autograder.exercise.build import build
from autograder.exercise.built import Built
from autograder.exercise.definition import Exercise
from autograder.exercise.known_results import FILE, KnownResults
from tests.authoring.test_verify import write_fit_exercise
from tests.places import EXERCISES

WRONG = {
    "halved": ("x / 2", "What is twice three, and what is half of it?"),
    "halved_otherwise": ("0.5 * x", "Is two a half?"),
    "tripled": ("x + x + x", "How many times is x there?"),
    "right_for_three": ("2 * x if abs(x) == 3 else 0 * x", "What of four?"),
    "endless": ("double(x) if x else x", "Who calls whom?"),
}
LEFT_OUT = {"halved": "halved_otherwise", "halved_otherwise": "halved"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_fit_exercise(tmp_path_factory.mktemp("recognition"))
    for path in (folder / "wrong").glob("*.py"):
        path.unlink()
    for name, (returned, question) in WRONG.items():
        text = (
            f'"""A mistake."""\n\nhint = {question!r}\nloses = ["double"]\n\n\ndef double(x):\n    return {returned}\n'
        )
        (folder / "wrong" / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def learned(folder: Path) -> Built:
    return with_known_results(build(Exercise(folder)), 1)


def known(built: Built) -> KnownResults:
    return KnownResults(built.exercise, built.reference)


def test_what_can_be_told_apart_is_and_for_the_others_there_is_a_reason(learned: Built) -> None:
    results = known(learned)
    assert {one.name: results.why_not(one) for one in results.variants} == {
        "endless": "",
        "halved": "the same results as halved_otherwise",
        "halved_otherwise": "the same results as halved",
        "right_for_three": "the public checks pass",
        "tripled": "",
    }
    assert learned.sealed == build(learned.exercise).sealed
    assert len(results.sealed()["double"]) == 2


def test_the_whole_notebook_asks_the_questions(learned: Built) -> None:
    assert rehearse(learned, 1, Kept(learned, None)) == []


def test_a_question_that_is_not_asked_is_a_problem(learned: Built) -> None:
    silent = replace(learned, sealed="\nSEALED = {}\n")
    told = "in the whole notebook, the public check of `double` does not ask its question"
    problems = rehearse(silent, 1, Kept(silent, None))
    assert problems == [f"wrong/{name}: {told}" for name in ("endless", "tripled")]


def test_nothing_in_checks_gives_a_question_away_and_a_key_would(learned: Built) -> None:
    assert all(question not in learned.checks_file for _, question in WRONG.values())
    assert release_leaks(learned) == []
    key = known(learned).key(known(learned).variants[-1], "double")
    assert [leak.kind for leak in release_leaks(replace(learned, checks=f"{learned.checks}\n# {key}\n"))] == [
        "known mistake"
    ]


def test_what_has_not_changed_is_not_run_again(learned: Built) -> None:
    assert with_known_results(build(learned.exercise), 0) == build(learned.exercise)  # with no process
    require_known_results(learned)


def test_a_changed_mistake_alone_is_run_again(learned: Built, folder: Path) -> None:
    path, kept = folder / "wrong" / "tripled.py", (folder / FILE).read_bytes()
    text = path.read_text(encoding="utf-8")
    try:
        path.write_text(text.replace("x + x + x", "4 * x"), encoding="utf-8")
        built = build(Exercise(folder))
        assert [one.name for one in known(built).unknown] == ["tripled"]
        assert [known(built).why_not(one) for one in known(built).unknown] == ["not run yet"]
        with pytest.raises(ConfigError, match="is stale; run `autograder build"):
            require_known_results(built)
        path.write_text(text.replace("How many", "How often"), encoding="utf-8")  # a question can be put otherwise
        assert known(build(Exercise(folder))).is_fresh
    finally:
        path.write_text(text, encoding="utf-8")
        (folder / FILE).write_bytes(kept)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    folder = write_fit_exercise(tmp_path)
    (folder / FILE).write_text("[]", encoding="utf-8")
    with pytest.raises(ExerciseError, match=f"{FILE} cannot be read: .*; delete it, and run `autograder build`"):
        build(Exercise(folder))


@pytest.mark.parametrize("slug", sorted(path.parent.name for path in EXERCISES.glob("*/exercise.toml")))
def test_nine_tenths_of_the_mistakes_that_public_checks_see_are_named(slug: str) -> None:
    results = known(build(Exercise(EXERCISES / slug)))
    seen = [one for one in results.variants if results.why_not(one) != "the public checks pass"]
    named = [one for one in seen if not results.why_not(one)]
    assert len(named) >= 0.9 * len(seen)
