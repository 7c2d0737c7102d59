"""Evaluations kept under what they depend on, and what has been recorded: so a second run does only what is new.

`evaluations/<key>` is compressed JSON, `recorded/<student>` the key of what the gradebook has.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from pathlib import Path

import msgspec
import nbformat

from autograder.course.folder import Course
from autograder.exercise.built import Built
from autograder.grading.evaluate import Evaluation
from autograder.report import Finding, Report
from autograder.store import digest_of, files_in, versions, write_whole


class EvaluationCache:
    """What is kept of one exercise of a course."""

    def __init__(self, course: Course, built: Built) -> None:
        self._folder = course.memory / built.exercise.slug
        protection = [bool(course.allow_unsafe), sorted(course.without_layers)]
        self._circumstances = repr([built.exercise.version, course.seed, protection, versions()])
        self._configuration = json.dumps(course.config, sort_keys=True, default=str)

    def key(self, folder: Path, findings: tuple[Finding, ...]) -> str:
        """What the evaluation of a submission depends on, as a digest: its files, the exercise, the circumstances."""
        files = digest_of(files_in(folder), folder)
        return hashlib.sha256(f"{self._circumstances}{findings}{files}".encode()).hexdigest()

    def load(self, key: str) -> Evaluation | None:
        """The evaluation under a key, if there is one that can be read."""
        try:
            kept = json.loads(zlib.decompress((self._folder / "evaluations" / key).read_bytes()))
            return Evaluation(msgspec.convert(kept["report"], Report), nbformat.from_dict(kept["notebook"]))
        except (OSError, ValueError, KeyError, TypeError, msgspec.ValidationError, zlib.error):
            return None

    def save(self, key: str, evaluation: Evaluation) -> None:
        """Keep an evaluation; one that a fault of ours had a part in is made anew the next time."""
        if not evaluation.report.ungraded:
            text = json.dumps({"report": msgspec.to_builtins(evaluation.report), "notebook": evaluation.notebook})
            write_whole(self._folder / "evaluations" / key, zlib.compress(text.encode(), 1))

    def is_recorded(self, student: str, key: str) -> bool:
        """Whether the gradebook has had this, under the course's present configuration."""
        try:
            return (self._folder / "recorded" / student).read_text() == self._recorded(key)
        except OSError:
            return False

    def note_recorded(self, student: str, key: str) -> None:
        write_whole(self._folder / "recorded" / student, self._recorded(key).encode())

    def _recorded(self, key: str) -> str:
        return hashlib.sha256(f"{key}{self._configuration}".encode()).hexdigest()
