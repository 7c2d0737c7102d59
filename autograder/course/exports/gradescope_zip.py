"""An exercise as the autograder of a Gradescope assignment: the zip that is uploaded there.

In it are `setup.sh` and `run_autograder`, as Gradescope's specifications ask for, what to install, this package, and
the exercise with its hidden tests. The package lies in a folder of its own, apart from the exercise: students' code may
read the former.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from importlib.metadata import requires
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import msgspec

from autograder import layout
from autograder.course.course import Course
from autograder.errors import ConfigError
from autograder.exercise.packages import require_packages, versions_of
from autograder.store import write_whole

SETTINGS, PACKAGE_FOLDER, EXERCISE_FOLDER = "settings.json", "package", "exercise"
_LEFT_OUT = ("__pycache__", ".pytest_cache", ".ipynb_checkpoints")

_SETUP = """\
#!/usr/bin/env bash
set -euo pipefail
apt-get update
apt-get install -y python3.11 python3.11-venv || apt-get install -y python3 python3-venv
"$(command -v python3.11 || command -v python3)" -m venv /autograder/venv
/autograder/venv/bin/pip install --extra-index-url https://download.pytorch.org/whl/cpu \\
    -r /autograder/source/requirements.txt
"""
_RUN = f"""\
#!/usr/bin/env bash
set -euo pipefail
root="$(pwd)"  # /autograder
python="$root/venv/bin/python"
[ -x "$python" ] || python=python3
export PYTHONPATH="$root/source/{PACKAGE_FOLDER}"
exec "$python" -m autograder.course.exports.gradescope_run "$root"
"""


class GradescopeSettings(msgspec.Struct, frozen=True):
    """What of the course's settings a submission is graded by."""

    exercise: str
    seed: int
    carried: float
    allow_unsafe: bool


def write_zip(course: Course, slug: str, to: Path) -> None:
    """Errors: ExerciseError where the exercise is broken; ConfigError where one of its packages is not installed here,
    or the zip cannot be written.
    """
    assignment = course.assignment(slug)
    require_packages(assignment.packages)
    settings = GradescopeSettings(slug, int(course.seed), float(course.carried), bool(course.allow_unsafe))
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as packed:
        _add(packed, "setup.sh", _SETUP.encode(), 0o755)
        _add(packed, "run_autograder", _RUN.encode(), 0o755)
        _add(packed, "requirements.txt", "".join(f"{one}\n" for one in _requirements(assignment.packages)).encode())
        _add(packed, SETTINGS, msgspec.json.encode(settings))
        for name, file in _files(assignment.folder):
            _add(packed, name, file.read_bytes())
    try:
        write_whole(to, buffer.getvalue())
    except OSError as error:
        raise ConfigError(f"{to} cannot be written: {error.strerror}") from None


def _add(packed: ZipFile, name: str, content: bytes, mode: int = 0o644) -> None:
    """Without a time, so that the same exercise is the same bytes."""
    entry = ZipInfo(name)
    entry.external_attr = mode << 16
    entry.compress_type = ZIP_DEFLATED
    packed.writestr(entry, content)


def _requirements(packages: tuple[str, ...]) -> Iterator[str]:
    """What this package asks for; what the exercise uses, in the versions with which it was tried here."""
    yield from (one for one in requires(layout.PACKAGE.name) or [] if not re.search(r";.*\bextra\b", one))
    for name, found in sorted(versions_of(packages).items()):
        distribution, _, version = found.partition("+")[0].rpartition(" ")
        yield f"{distribution or name}=={version}"


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for file in layout.files():
        yield f"{PACKAGE_FOLDER}/{file.relative_to(layout.IMPORTED_FROM)}", file
    for file in sorted(folder.rglob("*")):
        inner = file.relative_to(folder.parent)
        if file.is_file() and not set(_LEFT_OUT).intersection(inner.parts):
            yield f"{EXERCISE_FOLDER}/{inner}", file
