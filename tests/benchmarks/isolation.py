"""What the isolation costs: `python -m tests.benchmarks.isolation [STARTS ROUNDS]`, a part of `make bench`.

Two comparisons, each in one run with the two sides taking turns, so that a busy machine slows both:

    start    of a student's process from the warm parent, ready for its first cell: with every layer, without any,
             and a bare fork of a process that has imported the same (the floor)
    grade    the demo class, from notebook bytes to reports: with every layer and without any
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import TypeVar

from autograder.exercise.built import SeededExercise
from autograder.exercise.definition import Limits
from autograder.grading.evaluate import Grader, GraderConfig
from autograder.isolation.doctor import LAYERS
from autograder.isolation.protection import GUARANTEES, Protection
from autograder.isolation.sandbox import Sandbox
from tests.benchmarks.course import exercise
from tests.places import REPOSITORY

T = TypeVar("T")
STARTS, ROUNDS = map(int, sys.argv[1:3] or (60, 3))
TORCH = ("numpy", "matplotlib", "torch")
OPEN = Protection(disabled_layers=frozenset(layer.name for layer in LAYERS), tolerated_breaches=GUARANTEES)
STUDENTS = ("perfect", "untouched", "missing-transpose", "lies", "crashes", "half-done")


def main() -> None:
    """Measure and print."""
    _compare_starts()
    _compare_grading()


def _compare_starts() -> None:
    with Sandbox(TORCH) as shut, Sandbox(TORCH, OPEN) as open_:
        times: dict[str, list[float]] = {"every layer": [], "no layer": [], "bare fork": []}
        _import_the_same()
        for _ in range(STARTS):
            times["every layer"].append(_milliseconds(lambda: shut.start(Limits()), lambda child: child.close()))
            times["no layer"].append(_milliseconds(lambda: open_.start(Limits()), lambda child: child.close()))
            times["bare fork"].append(_milliseconds(_fork, lambda _: None))
    print(f"start of a student's process, ready for its first cell, ms (n = {STARTS}, {os.cpu_count()} cores)")
    for name, measured in times.items():
        print(f"  {name:12} median {statistics.median(measured):6.1f}   minimum {min(measured):6.1f}")
    _print_ratio("every layer / no layer", times["every layer"], times["no layer"])
    _print_ratio("every layer / bare fork", times["every layer"], times["bare fork"])


def _compare_grading() -> None:
    built = exercise("residual-connections")
    folder = REPOSITORY / "tests" / "demo" / "submitted"
    notebooks = [
        (folder / name / built.exercise.slug / f"{built.exercise.slug}.ipynb").read_bytes() for name in STUDENTS
    ]
    with Grader() as shut, Grader(GraderConfig(protection=OPEN)) as open_:
        times: dict[str, list[float]] = {"every layer": [], "no layer": []}
        for grader in (shut, open_):
            grader.evaluate(notebooks[0], SeededExercise(built, 0))
        for _ in range(ROUNDS):
            for name, grader in (("every layer", shut), ("no layer", open_)):
                start = time.perf_counter()
                for notebook in notebooks:
                    grader.evaluate(notebook, SeededExercise(built, 0))
                times[name].append((time.perf_counter() - start) / len(notebooks) * 1e3)
    print(f"a submission, from its bytes to its report, ms (n = {ROUNDS} x {len(STUDENTS)})")
    for name, measured in times.items():
        print(f"  {name:12} median {statistics.median(measured):6.0f}   minimum {min(measured):6.0f}")
    _print_ratio("every layer / no layer", times["every layer"], times["no layer"])


def _print_ratio(name: str, over: list[float], under: list[float]) -> None:
    medians = statistics.median(over) / statistics.median(under)
    print(f"  {name}: {medians:.2f} by medians, {min(over) / min(under):.2f} by minima")


def _milliseconds(start: Callable[[], T], end: Callable[[T], object]) -> float:
    begin = time.perf_counter()
    started = start()
    taken = time.perf_counter() - begin
    end(started)
    return taken * 1e3


def _fork() -> None:
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        os.write(writer, b".")
        os._exit(0)
    os.read(reader, 1)
    os.close(reader)
    os.close(writer)
    os.waitpid(child, 0)


def _import_the_same() -> None:
    import matplotlib.pyplot  # noqa: F401
    import torch

    torch.set_num_threads(1)
    assert "autograder.grading.evaluate" in sys.modules


if __name__ == "__main__":
    main()
