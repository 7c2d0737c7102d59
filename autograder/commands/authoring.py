"""The commands of course staff: init, new, adopt, build, verify, release."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from autograder.authoring.adoption.adopt import adopt as adopt_notebook
from autograder.authoring.leaks import refuse_leaks
from autograder.authoring.page import as_html
from autograder.authoring.recognition import require_known_results, with_known_results
from autograder.authoring.scaffold import KINDS, init_course, new_exercise
from autograder.authoring.summary import describe
from autograder.authoring.verify import Verification
from autograder.authoring.verify import verify as verify_exercise
from autograder.commands.terminal import console, jobs_option, progress_bar, say, seen_from, this_course
from autograder.course.assignments import require_no_others
from autograder.course.course import Course
from autograder.course.gradebook import open_gradebook, register
from autograder.course.plain import source_notebook
from autograder.errors import ExerciseError
from autograder.exercise.build import require_fresh, write
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import folders_without_assignment, not_one_assignment
from autograder.exercise.slips import proofread
from autograder.grading.evaluate import Grader


@click.command()
@click.argument("exercises", nargs=-1)
@click.option("--check", is_flag=True, help="Write nothing and run nothing; fail where a built file is stale.")
@jobs_option
def build(exercises: tuple[str, ...], check: bool, jobs: int) -> None:
    """Build the notebooks of EXERCISES (all, if none is named) into solutions/ and assignments/.

    Known mistakes that were changed are run, to learn by which results the public checks know them again.
    """
    course = this_course()
    for read in _chosen(course, exercises):
        built = read if check else with_known_results(read, jobs)
        refuse_leaks(built)
        if check:
            require_fresh(built, course.solutions, course.assignments)
            require_known_results(built)
        _write(built, course)
        say(f"{built.exercise.slug} is built")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
def init(folder: Path) -> None:
    """Make the course folder FOLDER."""
    for path in init_course(folder):
        say(f"wrote {path}")
    say(f"next: cd {folder}; autograder new my-first-exercise")


@click.command()
@click.argument("exercise")
@click.option("--kind", default="numpy", show_default=True, type=click.Choice(KINDS))
def new(exercise: str, kind: str) -> None:
    """Start the exercise EXERCISE as a small one that works, to be changed into your own."""
    course = this_course()
    for path in new_exercise(course.exercises_folder, exercise, kind):
        say(f"wrote {seen_from(course, path)}")
    say(f"next: change them, then run `autograder verify {exercise}`")


@click.command()
@click.argument("assignment")
def adopt(assignment: str) -> None:
    """Make an exercise of the plain nbgrader assignment ASSIGNMENT, or of its notebook ASSIGNMENT/NOTEBOOK."""
    course = this_course()
    slug = assignment.rpartition("/")[2]
    adopted = adopt_notebook(source_notebook(course, assignment), course.exercises_folder / slug)
    for path in adopted.paths:
        say(f"wrote {seen_from(course, path)}")
    for told in adopted.to_do:
        say(f"to do: {told}")
    try:
        refuse_leaks(proofread(course.exercise(slug)))
    except ExerciseError as error:
        say(f"to do: {error}")
    say(f"next: do that, then run `autograder verify {slug}`, which says what the tests still let through")


@click.command()
@click.argument("exercises", nargs=-1)
@click.option("--seeds", default=5, show_default=True, type=click.IntRange(1), help="For right solutions.")
@click.option("--task", help="Look at the tests of this task alone; for one exercise.")
@click.option("--html", type=click.Path(path_type=Path), help="A folder for a page of each exercise.")
@jobs_option
def verify(exercises: tuple[str, ...], seeds: int, task: str | None, html: Path | None, jobs: int) -> None:
    """Prove the hidden suites of EXERCISES, all by default: right work passes, mistakes are caught, nothing leaks.

    What has not changed since the last time is not run again.
    """
    if task is not None and len(exercises) != 1:
        raise click.UsageError("--task needs the name of one exercise")
    course = this_course()
    read = [with_known_results(one, jobs) for one in _chosen(course, exercises)]
    verified = [_verify(course, built, seeds, jobs, task, html) for built in read]
    sys.exit(0 if all(one.passed for one in verified) else 1)


@click.command()
@click.argument("exercise")
@jobs_option
def release(exercise: str, jobs: int) -> None:
    """Verify EXERCISE, build it and enter it in the gradebook: its folder in assignments/ can be handed out then."""
    course = this_course()
    folder = course.assignment_folder(exercise)
    every = [with_known_results(proofread(one), jobs) for one in folder.exercises]
    if folder.is_of_several:
        require_no_others(course, exercise, folder.notebooks)
    for built in every:
        if not _verify(course, built, 5, jobs, None, None).passed:
            raise ExerciseError(f"`{exercise}` is not released: its hidden suite is rejected")
    for built in every:
        _write(built, course)
    open_gradebook(course).close()
    for sentence in register(course, exercise).said:
        say(f"{sentence}; for those who are graded already: autograder grade {exercise}")
    with Grader(course.grader_config) as grader:
        for built in every:
            grader.prepare(SeededExercise(built, int(course.seed)))
    say(f"{exercise} is released: hand out {seen_from(course, course.assignments / exercise)}")


def _chosen(course: Course, names: tuple[str, ...]) -> Iterator[Built]:
    """Of each exercise that is named, by itself or with its assignment; of all, where none is."""
    for folder in () if names else folders_without_assignment(course.exercises_folder):
        say(not_one_assignment(course.exercises_folder / folder))
    for name in names or course.assignment_names:
        yield from map(proofread, course.exercises_of(name))


def _write(built: Built, course: Course) -> None:
    for path in write(built, course.solutions, course.assignments):
        say(f"wrote {seen_from(course, path)}")


def _verify(course: Course, built: Built, seeds: int, jobs: int, task: str | None, html: Path | None) -> Verification:
    slug = built.exercise.slug
    with progress_bar() as progress:
        bar = progress.add_task(f"verifying {slug}", total=None)

        def done(total: int) -> None:
            progress.update(bar, advance=1, total=total)

        verification = verify_exercise(built, seeds, jobs, done, course=course.root, task=task)
    say(describe(verification, console.width))
    if html:
        page = html / f"{slug}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(as_html(verification), encoding="utf-8")
        say(f"wrote {page}")
    return verification
