"""The matrix of a verification: a row for each solution, a column for each test, a sign for how they met.

Columns are numbered through; `columns` says which test functions the numbers stand for.

Trials of one solution under several seeds and threads share a row, and so do the mutants of one function: there a sign
stands for the worst that happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count, groupby

from autograder.authoring.trials import Kind, Trial
from autograder.authoring.verify import Verification
from autograder.grading.score import WORST_FIRST
from autograder.report import Status, TestResult

SIGNS = {
    Status.PASSED: "·",
    Status.FAILED: "✗",
    Status.ERROR: "E",
    Status.TIMEOUT: "T",
    Status.CRASHED: "C",
    Status.NOT_ALLOWED: "!",
    Status.MISSING: "-",
    Status.UNGRADED: "?",
}
NOT_RUN = " "
_LONGEST_NAME = 12
LEGEND = "· passed   ✗ failed   E error   T timeout   C crashed   ! not allowed   - not written   ? broken test"


@dataclass(frozen=True)
class Entry:
    """How one row met one test: the worst status, None where the test was not run; the message; how many were lost."""

    status: Status | None
    message: str = ""
    lost: int = 0

    @property
    def sign(self) -> str:
        return NOT_RUN if self.status is None else SIGNS[self.status]


@dataclass(frozen=True)
class Row:
    """One line of the matrix. tries: how many trials it sums up. live: mutants that none was lost by.

    cells: by task, in the order of its tests.
    """

    kind: Kind
    label: str
    title: str
    tries: int
    live: int
    cells: dict[str, list[Entry]]


def rows(verification: Verification) -> list[Row]:
    """The rows, in the order of the trials."""
    return [
        Row(
            kind,
            label,
            trials[0].solution.title,
            len(trials),
            sum(trial.solution.name in verification.living for trial in trials),
            _cells(verification, trials),
        )
        for (kind, label), trials in _grouped(verification.trials)
    ]


def as_text(verification: Verification, width: int) -> str:
    """The matrix for a terminal of `width` columns: as many tasks side by side as there is room for."""
    lines = rows(verification)
    labels = max(len(_label(row)) for row in lines) + 2
    blocks = _blocks(verification.tests, width - labels)
    return "\n\n".join(_block(verification, lines, labels, tasks) for tasks in blocks)


def columns(verification: Verification) -> Iterator[tuple[str, str]]:
    """The name of each test function, after the number of its column or "first-last" of its cases."""
    for name, numbers in groupby(enumerate(_names(verification), start=1), key=lambda one: one[1].split("[")[0]):
        first, *others = [number for number, _ in numbers]
        yield f"{first}-{others[-1]}" if others else f"{first}", name


def _names(verification: Verification) -> list[str]:
    return [test.name for tests in verification.tests.values() for test in tests]


def _grouped(trials: Iterable[Trial]) -> Iterator[tuple[tuple[Kind, str], list[Trial]]]:
    for key, group in groupby(trials, key=_key):
        yield key, list(group)


def _key(trial: Trial) -> tuple[Kind, str]:
    mutant = trial.solution.mutant
    whose = "behaviours" if trial.solution.kind is Kind.BEHAVIOUR else "mutants"
    return trial.solution.kind, f"{whose} of {mutant.function}" if mutant else trial.solution.name


def _cells(verification: Verification, trials: list[Trial]) -> dict[str, list[Entry]]:
    met: dict[str, list[TestResult]] = {}
    for trial in trials:
        for test in trial.tests:
            met.setdefault(test.name, []).append(test)
    return {task: [_cell(met.get(test.name, [])) for test in tests] for task, tests in verification.tests.items()}


def _cell(results: list[TestResult]) -> Entry:
    if not results:
        return Entry(None)
    lost = [one for one in results if one.status is not Status.PASSED]
    if not lost:
        return Entry(Status.PASSED)
    worst = min(lost, key=lambda one: WORST_FIRST.index(one.status))
    return Entry(worst.status, worst.message, len(lost))


def _signs(cells: list[Entry]) -> str:
    return "".join(cell.sign for cell in cells)


def _label(row: Row) -> str:
    live = f", {row.live} live" if row.live else ""
    return f"{row.label} ×{row.tries}{live}" if row.tries > 1 else row.label


def _width(task: str, tests: list[TestResult]) -> int:
    return max(len(tests), min(len(task), _LONGEST_NAME))


def _blocks(tests: dict[str, list[TestResult]], room: int) -> list[list[str]]:
    blocks: list[list[str]] = [[]]
    left = room
    for task, columns in tests.items():
        if blocks[-1] and _width(task, columns) + 1 > left:
            blocks.append([])
            left = room
        blocks[-1].append(task)
        left -= _width(task, columns) + 1
    return blocks


def _block(verification: Verification, lines: list[Row], labels: int, tasks: list[str]) -> str:
    widths = {task: _width(task, verification.tests[task]) for task in tasks}
    names = " ".join(task[:width].ljust(width) for task, width in widths.items())
    body = [
        _label(row).ljust(labels) + " ".join(_signs(row.cells[task]).ljust(width) for task, width in widths.items())
        for row in lines
    ]
    head = [" " * labels + line for line in (names, *_numbers(verification, widths))]
    return "\n".join(line.rstrip() for line in [*head, *body])


def _numbers(verification: Verification, widths: dict[str, int]) -> list[str]:
    """The numbers of the columns, from top to bottom."""
    numbers = (str(number) for number in count(1))
    by_task = {task: [next(numbers) for _ in tests] for task, tests in verification.tests.items()}
    digits = max((len(number) for task in widths for number in by_task[task]), default=0)
    return [
        " ".join("".join(one.rjust(digits)[place] for one in by_task[task]).ljust(widths[task]) for task in widths)
        for place in range(digits)
    ]
