"""What a student has handed in beside the notebook: files that nobody reads, and changed ones of the exercise's own."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath

from autograder.exercise.definition import Exercise
from autograder.report import Finding
from autograder.scrub import plain_line

_OURS = ("checks.py", "timestamp.txt", "submission_secret.txt")  # the last two are of nbgrader's exchange
_LEFTOVERS = ("__pycache__", "__MACOSX", "Thumbs.db", "desktop.ini")
_MOST_TOLD = 5
_LONGEST = 100  # characters of a name
_NO_MODULE = re.compile(r"No module named '(\w{1,100})")
_IN_MODULE = re.compile(r"(\w{1,40}\.py), line ")
_ONLY = "only the notebook is graded"


def unused_files(beside: Mapping[str, str], exercise: Exercise) -> tuple[str, ...]:
    """The files that are the student's own. beside: as `HandedIn` has it."""
    known = {*exercise.files, *exercise.submit, *_OURS}
    return tuple(name for name in beside if not (name in known or _is_leftover(name)))


def findings_beside(beside: Mapping[str, str], exercise: Exercise) -> Iterator[Finding]:
    """What there is to say of them; what was not looked at is said already."""
    for name, digest in exercise.given_digests.items():
        if beside.get(name, digest) != digest:
            yield Finding("edited", f"the file {name} was changed; the course's own was used")
    names = [plain_line(name)[:_LONGEST] for name in unused_files(beside, exercise) if beside[name]]
    if names:
        more = f" and {len(names) - _MOST_TOLD} more" if len(names) > _MOST_TOLD else ""
        modules = "".join(f" and {name}" for name in exercise.submit)
        graded = f"only the notebook{modules} are graded" if modules else _ONLY
        yield Finding("ignored", f"beside the notebook: {', '.join(names[:_MOST_TOLD])}{more}; {graded}")


def other_notebooks(beside: Mapping[str, str]) -> list[str]:
    """Notebooks that are none of the assignment's by their names: one that is lacking may be among them."""
    return [name for name in beside if name.lower().endswith(".ipynb") and "/" not in name and not _is_leftover(name)]


def other_modules(beside: Mapping[str, str], exercise: Exercise) -> list[str]:
    """Python files that nobody reads, in folders too: a module that is lacking may be among them."""
    unused, known = (PurePath(name) for name in unused_files(beside, exercise)), {*exercise.files, *_OURS}
    return [str(path) for path in unused if ".py" in path.name.lower() and path.name not in known]


def absent_findings(lacking: Iterable[str], others: Sequence[str]) -> Iterator[Finding]:
    """Of files that were not handed in with the rest. others: those that may be it, under another name."""
    names = ", ".join(plain_line(name)[:_LONGEST] for name in others[:_MOST_TOLD])
    hint = f"; there is {names}: rename it if that is it" if others else ""
    yield from (Finding("missing", f"no {file} was handed in{hint}") for file in lacking)


def missed(error: str, message: str, names: Collection[str], where: str = "") -> str:
    """Where an error comes from one of these files being not there: that, and what to do.

    error: its type. where: the line of the student's that raised it, in a cell or a module, as in `Raised`.
    """
    module = _IN_MODULE.match(where)
    who, place = (module[1], module[1]) if module else ("your notebook", "the notebook")
    graded = f"only the notebook and {place} are graded" if module else _ONLY
    if error == "ModuleNotFoundError" and (found := _NO_MODULE.match(message)):
        if any(PurePath(name).parts[0] in (found[1], f"{found[1]}.py") for name in names):
            handed_in = f"{who} imports `{found[1]}`, a file that you handed in beside it"
            return f"{handed_in}; {graded}: put its functions into {place}"
    elif error == "FileNotFoundError":
        for name in names:
            if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w/-]|\.\w)", message):
                handed_in = f"{who} opens `{plain_line(name)[:_LONGEST]}`, a file that you handed in beside it"
                return f"{handed_in}; {graded}, with the files that came with it"
    return ""


def _is_leftover(name: str) -> bool:
    """Of Jupyter, Python or an operating system."""
    parts = PurePath(name).parts
    return any(part.startswith(".") or part in _LEFTOVERS for part in parts) or name.endswith(".pyc")
