"""Runs known mistakes through the public checks, to learn by which results each is known again."""

from __future__ import annotations

import json
from dataclasses import replace

from autograder.batch.pool import spread
from autograder.errors import ConfigError, ExerciseError
from autograder.exercise.build import sealed_questions
from autograder.exercise.built import Built
from autograder.exercise.known_results import FILE, KnownResults
from autograder.exercise.variants import Variant
from autograder.isolation.sandbox import Sandbox
from autograder.isolation.session import Session
from autograder.submission.notebook import Cell
from autograder.submission.samples import graded_cells, solved_by

_MARK = "results of public checks: "
_TELL = """\
import {checks} as checks, json
first, again = ({{task: checks.results_of(task) for task in {tasks!r}}} for _ in range(2))
print("\\n{mark}" + json.dumps({{task: key for task, key in first.items() if again[task] == key}}))
"""


def with_known_results(built: Built, jobs: int) -> Built:
    """Run the known mistakes whose results are not known, with `jobs` processes; what is built with their questions.

    Errors: ExerciseError where the folder is inconsistent or cannot be written; SandboxError where nothing can be run.
    """
    known = KnownResults(built.exercise, built.reference)
    if known.is_fresh:
        return built
    found = {one.name: keys or {} for one, keys in spread(known.unknown, jobs, _Stage, built)}
    try:
        known.learn(found)
    except OSError as error:
        raise ExerciseError(f"what known mistakes come to cannot be written down: {error}") from None
    return replace(built, sealed=sealed_questions(built.exercise, built.reference))


def require_known_results(built: Built) -> None:
    """Errors: ConfigError where they are not those of the known mistakes as they are now."""
    if not KnownResults(built.exercise, built.reference).is_fresh:
        slug = built.exercise.slug
        raise ConfigError(f"{built.exercise.folder / FILE} is stale; run `autograder build {slug}`")


class _Stage:
    """What one process runs known mistakes with."""

    def __init__(self, built: Built) -> None:
        self._built = built
        self._sandbox = Sandbox(built.exercise.packages)

    def work(self, variant: Variant) -> dict[str, str]:
        """The keys of its results, by task where they are the same twice; of no task where it comes to no end."""
        told = Cell("code", _TELL.format(checks=self._built.exercise.checks_module, mark=_MARK, tasks=variant.loses))
        cells = (*graded_cells(solved_by(self._built, variant), self._built), told)
        with Session(self._sandbox, self._built.exercise.limits, cells, self._built.working_files) as session:
            outputs = session.runs[len(cells) - 1].outputs
        printed = "".join(output["text"] for output in outputs if output["output_type"] == "stream")
        _, mark, keys = printed.rpartition(_MARK)
        return dict(json.loads(keys.splitlines()[0])) if mark else {}

    def close(self) -> None:
        self._sandbox.close()
