"""Whether a hidden suite does the same each time: the reference is graded again under one seed, but elsewhere.

A suite that looks at the clock, draws from the global random state or goes through a set hands other inputs over to
each student, and to the same student graded again. So what each test asks and is answered is put down and compared.
"""

from __future__ import annotations

import math
import os
import pickle
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from autograder.authoring.kept import Kept
from autograder.authoring.units import TestsOf, unit_of
from autograder.exercise.built import Built
from autograder.grading.mistakes import alike
from autograder.grading.oracle import reference_variables
from autograder.grading.runner import reference_of
from autograder.grading.suite import NO_VARIABLES, Suite
from autograder.grading.trace import Recorder, Trace, Unkept
from autograder.isolation.callbacks import HandleType
from autograder.isolation.replies import Answer, Raised
from autograder.isolation.sandbox import Sandbox
from autograder.isolation.session import Session
from autograder.submission.samples import graded_cells, solved
from autograder.values import Handle

Units = tuple[str, ...] | None  # test functions and classes; None for all

_SEED = 0  # of the suite's inputs, always the same
_HASH_SEEDS = (1, 2, 3)  # a set of two texts has the same order in every second process
_GLOBAL_SEEDS = (0, 0, 1)  # of the runs in the first process: twice the same, then another
_LAST_DIGITS = 1e-12
_PROGRAM = f"""\
from autograder import startup
startup.skip_unused_grammar()
from {__name__} import main
main()"""

_CLOCK = "the clock, or random numbers without a seed; take those of the fixture `rng`"
_GLOBAL = "the global random state, from which others draw, too; take the fixture `rng`"
_HASH = "the order of a set or a hash, which each process has its own of; sort it"
_ANSWERS = "it draws random numbers, looks at the clock, or remembers"


def unsteady(built: Built, jobs: int, kept: Kept) -> list[str]:
    """The tests that are not the same for the same seed, as sentences with the cause; `jobs` processes at once.

    kept: knows which tests were the same in an earlier round, with this reference; those are not run.
    """
    unsure = kept.unsure()
    if not unsure:
        return []
    units = None if None in unsure.values() else tuple(unit for some in unsure.values() for unit in some or ())
    with ThreadPoolExecutor(jobs) as processes:
        try:
            answers = processes.map(lambda seed: _elsewhere(built, units, seed), _HASH_SEEDS)
            runs = [run for some in answers for run in some]
        except subprocess.CalledProcessError as error:
            return [f"the reference could not be graded twice: {error.stderr.decode().strip().splitlines()[-1]}"]
    told: dict[str, str] = {}
    for run, cause in zip(runs[1:], (_CLOCK, _GLOBAL, _HASH, _HASH), strict=True):
        for test, change in _changes(runs[0], run, cause):
            told.setdefault(test, f"`{test}` is not the same for one seed: {change}")
    for key, some in unsure.items():
        if not {unit_of(test) for test in told} & set(some or map(unit_of, told)):
            kept.note_fine(key)
    return list(told.values())


def main() -> None:
    """Grade the reference in this process: the exercise comes by stdin, the runs go to the file that is named."""
    built, units, global_seeds = pickle.load(sys.stdin.buffer)
    with Sandbox(built.exercise.packages) as sandbox:
        runs = [_graded(built, units, sandbox, seed) for seed in global_seeds]
    Path(sys.argv[1]).write_bytes(pickle.dumps(runs))


def _elsewhere(built: Built, units: Units, hash_seed: int) -> list[dict[str, Trace]]:
    """What the tests asked and were answered in a process with this seed for hashes, run by run."""
    seeds = _GLOBAL_SEEDS if hash_seed == _HASH_SEEDS[0] else _GLOBAL_SEEDS[:1]
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = os.environ | {"PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": paths}
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder, "runs")
        subprocess.run(
            [sys.executable, "-P", "-c", _PROGRAM, str(answer)],
            input=pickle.dumps((built, units, seeds)),
            env=environment,
            capture_output=True,
            check=True,
        )
        runs: list[dict[str, Trace]] = pickle.loads(answer.read_bytes())
    return runs


def _graded(built: Built, units: Units, sandbox: Sandbox, global_seed: int) -> dict[str, Trace]:
    variables = reference_variables(sandbox, built) if built.exercise.variables else NO_VARIABLES
    _seed_everything(global_seed)
    with Suite(built.exercise) as suite, _Overheard(sandbox, built, global_seed) as session:
        tests = None if units is None else TestsOf(units)
        result = suite.run(session, reference_of(built), _SEED, tests=tests, variables=variables)
    return dict(zip(result.distances, session.traces, strict=True))


class _Overheard(Session):
    """A session of the reference. traces: of each test, what it has asked and what it was answered."""

    def __init__(self, sandbox: Sandbox, built: Built, global_seed: int) -> None:
        cells = graded_cells(solved(built), built)
        super().__init__(sandbox, built.exercise.limits, cells, built.working_files)
        self.traces: list[Trace] = []
        self._global_seed = global_seed
        self._recorder = Recorder()
        _seed_everything(global_seed)

    def request(self, message: dict[str, Any], handle: HandleType = Handle) -> Answer:
        asked = _kept(message)
        answer = super().request(message, handle)
        self._recorder.put_down((asked, _kept(answer)))
        return answer

    def forget_values(self) -> None:
        """A test is over."""
        super().forget_values()
        self.traces.append(self._recorder.trace)
        self._recorder = Recorder(self._recorder.room)
        _seed_everything(self._global_seed)


def _seed_everything(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    if torch := sys.modules.get("torch"):
        torch.manual_seed(seed)


def _kept(value: Any) -> Any:
    """A copy of what crosses, in the parts that are the same each time."""
    match value:
        case dict():
            return {key: _kept(one) for key, one in value.items()}
        case list() | tuple():
            return [_kept(one) for one in value]
        case Raised():
            return value.type
        case Handle():  # to look at it closer is to ask the student's process
            return value.handle_type
        case msgspec.Struct():
            return _kept(msgspec.structs.asdict(value))
        case np.ndarray():
            return value.copy()
    if callable(value):
        return "a function"
    return value.detach().clone() if hasattr(value, "detach") else value


def _changes(first: dict[str, Trace], other: dict[str, Trace], cause: str) -> Iterator[tuple[str, str]]:
    """The tests that were not the same in both runs, with what was other."""
    for test, trace in first.items():
        pairs = list(_comparable(trace, other.get(test, [])))
        if test not in other:
            yield test, f"it is not always there, which hangs on {cause}"
        elif len(trace) != len(other[test]) or not all(_same(one[0], two[0]) for one, two in pairs):
            yield test, f"what it asks for hangs on {cause}"
        elif not all(alike(one[1], two[1]) for one, two in pairs):
            yield test, f"the reference gives other results for the same inputs; {_ANSWERS}"


def _same(one: Any, other: Any) -> bool:
    """Whether two requests are the same but for the last digits, which hang on where an array lies in memory.

    A time in seconds has its first nine digits for long: so a number is looked at more closely than as a result.
    """
    if type(one) is type(other) is list:
        return len(one) == len(other) and all(map(_same, one, other))
    if type(one) is type(other) is dict:
        return [*one] == [*other] and all(map(_same, one.values(), other.values()))
    if type(one) is type(other) is float and not math.isnan(one):
        return math.isclose(one, other, rel_tol=_LAST_DIGITS)
    return alike(one, other)


def _comparable(trace: Trace, other: Trace) -> Iterator[tuple[Any, Any]]:
    return (pair for pair in zip(trace, other, strict=False) if not any(isinstance(item, Unkept) for item in pair))
