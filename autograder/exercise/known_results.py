"""What known mistakes come to in the public checks: `known_results.json`, and the sealed questions made of it.

`autograder build` writes the file, a line of results for each file of `wrong/`, since only a run can tell. Each stands
with a digest of all that it hangs on; what was changed since is unknown until the next build.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from hashlib import sha256
from pathlib import Path

import msgspec
from nbformat import NotebookNode

from autograder import layout
from autograder.checks.known_mistakes import sealed
from autograder.errors import ExerciseError
from autograder.exercise.definition import Exercise, read_text
from autograder.exercise.source import reference_source
from autograder.exercise.variants import Variant, wrong_variants

FILE = "known_results.json"


class Results(msgspec.Struct, frozen=True):
    """What a known mistake comes to. of: a digest of what that hangs on.

    keys: by task that it loses, that of its results in the public checks, empty where these pass. A task is missing
    where there are none, or other ones each time.
    """

    of: str
    keys: dict[str, str]


class KnownResults:
    """Those of the known mistakes of an exercise that are known. Errors: ExerciseError where they cannot be read."""

    def __init__(self, exercise: Exercise, reference: NotebookNode) -> None:
        self._exercise = exercise
        self._path = exercise.folder / FILE
        self._common = _common(exercise, reference)
        self.variants = wrong_variants(exercise)
        kept = _read(self._path)
        current = [one for one in self.variants if one.name in kept and kept[one.name].of == self._digest(one)]
        self._results = {one.name: kept[one.name] for one in current}
        self._is_written = kept.keys() == self._results.keys()

    @property
    def unknown(self) -> list[Variant]:
        """The mistakes that have to be run."""
        return [one for one in self.variants if one.name not in self._results]

    @property
    def is_fresh(self) -> bool:
        """Whether the file has all of them, and nothing else."""
        return self._is_written and not self.unknown

    @property
    def keys(self) -> frozenset[str]:
        """Those of all results: each would open a question."""
        return frozenset(key for known in self._results.values() for key in known.keys.values() if key)

    def learn(self, found: Mapping[str, dict[str, str]]) -> None:
        """Write down the keys of mistakes, by name. Errors: OSError."""
        by_name = {one.name: one for one in self.variants}
        self._results |= {name: Results(self._digest(by_name[name]), keys) for name, keys in found.items()}
        content = msgspec.json.format(msgspec.json.encode(self._results, order="sorted"), indent=1)
        self._path.write_bytes(content + b"\n")
        self._is_written = True

    def sealed(self) -> dict[str, list[str]]:
        """By task, the questions of the mistakes that can be told from all others, sealed with their results."""
        questions = {
            task: [sealed(one.hint, self.key(one, task)) for one in self.variants if self.is_named(one, task)]
            for task in self._exercise.automatic
        }
        return {task: sorted(texts) for task, texts in questions.items() if texts}

    def key(self, variant: Variant, task: str) -> str:
        """That of its results there; empty where it passes, or nothing is known."""
        known = self._results.get(variant.name)
        return known.keys.get(task, "") if known else ""

    def is_named(self, variant: Variant, task: str) -> bool:
        """Whether the public checks of a task ask for this mistake: none has its results that asks something else."""
        return bool(self.key(variant, task)) and not self._others(variant, task)

    def asked_in(self, variant: Variant) -> tuple[str, ...]:
        """The tasks whose public checks ask for this mistake."""
        return tuple(task for task in variant.loses if self.is_named(variant, task))

    def why_not(self, variant: Variant) -> str:
        """Why no public check asks for a mistake; empty where one does."""
        if self.asked_in(variant):
            return ""
        if variant.name not in self._results:
            return "not run yet"
        if others := sorted({other for task in variant.loses for other in self._others(variant, task)}):
            return f"the same results as {', '.join(others)}"
        tried = self._results[variant.name].keys
        return "the public checks pass" if tried.keys() >= set(variant.loses) else "no results, or other ones each time"

    def _others(self, variant: Variant, task: str) -> list[str]:
        key, same = self.key(variant, task), self._by_key[task]
        return [one.name for one in same.get(key, ()) if key and one.hint != variant.hint]

    @property
    def _by_key(self) -> Mapping[str, Mapping[str, Collection[Variant]]]:
        found: dict[str, dict[str, list[Variant]]] = {task: defaultdict(list) for task in self._exercise.automatic}
        for one in self.variants:
            for task in one.loses:
                found[task][self.key(one, task)].append(one)
        return found

    def _digest(self, variant: Variant) -> str:
        return _digested(self._common, variant.code, *variant.loses)


def _read(path: Path) -> dict[str, Results]:
    if not path.is_file():
        return {}
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Results])
    except (OSError, msgspec.MsgspecError) as error:
        raise ExerciseError(f"{path} cannot be read: {error}; delete it, and run `autograder build`") from None


def _common(exercise: Exercise, reference: NotebookNode) -> str:
    """Of what the results of all mistakes hang on."""
    cells = [cell.source for cell in reference.cells if cell.cell_type == "code"]
    code = cells if exercise.variables else [reference_source(reference)]
    suite = read_text(exercise.public_suite)
    return _digested(*map(read_text, layout.COMPARING_SOURCES), suite, *code, *exercise.given_digests.values())


def _digested(*texts: str) -> str:
    return sha256(repr(texts).encode("utf-8", "surrogateescape")).hexdigest()[:16]
