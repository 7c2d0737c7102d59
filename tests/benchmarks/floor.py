"""What grading a submission cannot do without: `python -m tests.benchmarks.floor EXERCISE N [blind]`

A student's process is forked and shut in, the notebook's cells run in it, and the hidden tests run as plain functions
that call the student's across the socket. No pytest, no points, no feedback, no gradebook, no file.
"""

from __future__ import annotations

import sys
from itertools import cycle, islice
from pathlib import Path
from types import SimpleNamespace

from autograder.checks import compare
from autograder.exercise.source import reference_source
from autograder.grading.student import Student
from autograder.isolation.sandbox import Sandbox
from autograder.isolation.session import Session
from autograder.submission.notebook import read_submission
from tests.benchmarks import plain
from tests.benchmarks.course import exercise, submissions, suite_text


def main(slug: str, size: int, blind: bool) -> None:
    """Grade `size` submissions; 0 gives what the start alone costs. blind: leave out the cells that draw."""
    built = exercise(slug)
    tests = plain.load(suite_text(built), compare)
    reference = SimpleNamespace()
    exec(reference_source(built.reference), vars(reference))
    read = [read_submission(raw, built.exercise, built.release) for raw in map(Path.read_bytes, submissions([slug]))]
    notebooks = [tuple(cell for cell in one.cells if not (blind and "plt.show" in cell.source)) for one in read]
    passed = 0
    with Sandbox(built.exercise.packages) as sandbox:
        for cells in islice(cycle(notebooks), size):
            with Session(sandbox, built.exercise.limits, cells, built.working_files) as session:
                passed += sum(test.passes(Student(session, test.task), reference, 0) for test in tests)
    print(f"{passed} of {size * len(tests)} tests passed")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), "blind" in sys.argv[3:])
