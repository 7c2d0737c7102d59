"""Where the time goes: `python -m tests.benchmarks.stages FOLDER EXERCISE` grades submissions in one process.

The first run takes times around functions of the package: the seconds in a stage are those in its functions less those
in stages below it. What a known mistake makes run again is part of that stage. The second run grades the same once
more, all of it warm, under cProfile, which counts the CPU seconds of this process alone. Prints JSON.
"""

from __future__ import annotations

import cProfile
import functools
import io
import json
import pstats
import sys
import sysconfig
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest import mock

STARTED = time.perf_counter()

import autograder.batch.run  # noqa: E402
import autograder.grading.evaluate  # noqa: E402
import autograder.grading.runner  # noqa: E402
from autograder.batch.evaluators import WarmGrader  # noqa: E402
from autograder.course.course import Course, load_course  # noqa: E402
from autograder.course.evaluation_cache import EvaluationCache  # noqa: E402
from autograder.course.gradebook import Recorder, open_gradebook, register  # noqa: E402
from autograder.course.nbgrader_internals import GradedFolders  # noqa: E402
from autograder.exercise.built import SeededExercise  # noqa: E402
from autograder.grading.evaluate import Grader  # noqa: E402
from autograder.grading.mistakes import MistakeFinder  # noqa: E402
from autograder.grading.suite import Suite  # noqa: E402
from autograder.isolation.process import StudentProcess  # noqa: E402
from autograder.isolation.sandbox import Sandbox  # noqa: E402
from autograder.isolation.session import Session  # noqa: E402
from tests.places import REPOSITORY  # noqa: E402

ONCE = "once: imports, build, warm parent, reference, collecting the tests"
STAGES: dict[str, tuple[tuple[Any, str], ...]] = {
    ONCE: (
        (Sandbox, "__init__"),
        (Suite, "__init__"),
        (Recorder, "__init__"),
        (autograder.grading.runner, "_reference"),
    ),
    "reading": (
        (Course, "handed_in"),
        (autograder.grading.evaluate, "read_submission"),
        (EvaluationCache, "key"),
    ),
    "forking and shutting in": ((Sandbox, "start"), (StudentProcess, "close")),
    "the notebook's cells": ((Session, "__init__"),),
    "the hidden tests": ((Suite, "run"),),
    "points and feedback": tuple((autograder.grading.evaluate, name) for name in ("score", "to_notebook", "fill_in")),
    "comparing with the known mistakes": ((MistakeFinder, "find"),),
    "recording in the gradebook": ((Recorder, "record"),),
    "writing files": (
        (GradedFolders, "write"),
        (autograder.batch.run, "save_report"),
        (EvaluationCache, "save"),
        (EvaluationCache, "note_recorded"),
    ),
}
_LINES = 25


class Stopwatches:
    """Seconds by stage. Only one stage is on at a time; the one that was interrupted goes on afterwards."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(STAGES, 0.0)
        self._stack: list[str] = []
        self._since = time.perf_counter()

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            self._turn()
            self._stack.append(stage)
            try:
                return function(*arguments, **keywords)
            finally:
                self._turn()
                self._stack.pop()

        return call

    def _turn(self) -> None:
        now = time.perf_counter()
        if self._stack:
            self.seconds[self._stack[-1]] += now - self._since
        self._since = now


def main(root: Path, slug: str) -> None:
    """Measure and print."""
    course = load_course(root)
    seeded = course.seeded(slug)
    open_gradebook(course).close()
    register(course, slug)
    ready = time.perf_counter()
    with Grader(course.grader_config) as grader:  # it stays warm from one run to the next
        stages = _stages(course, seeded, WarmGrader(grader))
        total = time.perf_counter() - ready
        stages["the rest"] = total - sum(stages.values())
        stages[ONCE] += ready - STARTED
        profile = _profile(course, seeded, WarmGrader(grader))
    seconds = {stage: round(value, 4) for stage, value in stages.items()}
    print(json.dumps({"seconds": seconds, "profile": profile}))


def _stages(course: Course, seeded: SeededExercise, warm: WarmGrader) -> dict[str, float]:
    watches = Stopwatches()
    with ExitStack() as patches:
        for stage, functions in STAGES.items():
            for owner, name in functions:
                timed = watches.timed(stage, getattr(owner, name))
                patches.enter_context(mock.patch.object(owner, name, timed))
        _grade(course, seeded, warm)
    return watches.seconds


def _profile(course: Course, seeded: SeededExercise, warm: WarmGrader) -> dict[str, str]:
    """The top lines by the time in a function itself, and by the time in it and all that it calls."""
    profiler = cProfile.Profile(time.process_time)
    profiler.runcall(_grade, course, seeded, warm)
    folders = [str(REPOSITORY), str(course.root), *(sysconfig.get_path(name) for name in ("purelib", "stdlib"))]
    return {order: _top(profiler, order, folders) for order in ("tottime", "cumulative")}


def _grade(course: Course, seeded: SeededExercise, warm: WarmGrader) -> None:
    students = course.submitting_students(seeded.built.exercise.slug)
    autograder.batch.run.grade_students(course, seeded, students, warm, fresh=True)


def _top(profiler: cProfile.Profile, order: str, folders: list[str]) -> str:
    text = io.StringIO()
    pstats.Stats(profiler, stream=text).sort_stats(order).print_stats(_LINES)
    table = text.getvalue()[text.getvalue().index("   ncalls") :]
    for folder in folders:
        table = table.replace(f"{folder}/", "")
    return table.rstrip()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2])
