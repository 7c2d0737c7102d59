"""Starts a course folder, and an exercise in it, from the text files in `templates/`.

A template's path is that of the file it becomes, with `.txt` behind it, so that nothing takes it for code of this
package. `{{title}}` and the like in it are filled in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from autograder import layout
from autograder.errors import ConfigError
from autograder.exercise.definition import ASSIGNMENT_FILE

KINDS = ("numpy", "torch", "class", "module", "variables", "questions", "data")

_SLUG = re.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def init_course(folder: Path) -> list[Path]:
    """Start a course in `folder`, which need not be there yet; the paths written.

    Errors: ConfigError where something is in the folder already, or it cannot be written.
    """
    if folder.exists() and not _is_empty(folder):
        raise ConfigError(f"{folder} is there already and not empty; name a new folder for the course")
    return _write("course", folder, {"course_id": json.dumps(folder.resolve().name, ensure_ascii=False)})


def new_exercise(folder: Path, slug: str, kind: str) -> list[Path]:
    """Start the exercise `slug` in the exercises folder `folder`: a small one that works; the paths written.

    slug: of one of several notebooks, `assignment/notebook`; then the assignment is started, too, if it is a new one.
    Errors: ConfigError where the slug is no good name or taken, there is no such kind, or it cannot be written.
    """
    if kind not in KINDS:
        raise ConfigError(f"there is no kind of exercise {kind!r}; use {' or '.join(KINDS)}")
    assignment, is_one_of_several, notebook = slug.rpartition("/")
    if is_one_of_several:
        _require_good_name(assignment)
    require_new(folder / assignment, notebook)
    started = _started(folder, assignment) if is_one_of_several else []
    return started + _write(kind, folder / slug, {"slug": slug, "title": title_of(notebook)})


def _started(folder: Path, assignment: str) -> list[Path]:
    """The file of an assignment of several notebooks, if it was not there yet."""
    if (folder / assignment / ASSIGNMENT_FILE).is_file():
        return []
    require_new(folder, assignment)
    return _write("several", folder / assignment, {"title": title_of(assignment)})


def require_new(folder: Path, slug: str) -> None:
    """Errors: ConfigError where no exercise `slug` can be started in the exercises folder `folder`."""
    _require_good_name(slug)
    if (folder / slug).exists():
        raise ConfigError(f"{folder / slug} is there already; choose another name, or delete it first")


def _require_good_name(slug: str) -> None:
    if not _SLUG.fullmatch(slug):
        allowed = "up to 64 ASCII letters, digits, - and _, the first one a letter or digit"
        raise ConfigError(f"{slug!r} is no good name for a folder, an assignment and a notebook; use {allowed}")


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def title_of(slug: str) -> str:
    """The words that it is made of."""
    words = re.sub("[-_]+", " ", slug).strip()
    return words[0].upper() + words[1:]


def _write(template: str, folder: Path, values: Mapping[str, str]) -> list[Path]:
    root = layout.TEMPLATES / template
    sources = sorted(root.rglob("*.txt"))
    texts = {folder / source.relative_to(root).with_suffix(""): _filled(source, values) for source in sources}
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    except (OSError, UnicodeEncodeError) as error:
        raise ConfigError(f"{folder} cannot be written: {error}") from None
    return list(texts)


def _filled(template: Path, values: Mapping[str, str]) -> str:
    text = template.read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace("{{" + name + "}}", value)
    return text
