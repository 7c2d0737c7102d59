"""Where a course's folders are, wherever it lies itself."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from nbgrader.preprocessors import ClearSolutions

from autograder.course.course import load_course
from autograder.course.last_run import as_text
from autograder.errors import ConfigError
from autograder.settings import STUB
from tests.nbgrader_course import CONFIG
from tests.places import REPOSITORY


def course_at(root: Path) -> Path:
    root.mkdir(parents=True)
    (root / "nbgrader_config.py").write_text((REPOSITORY / "nbgrader_config.py").read_text())
    (root / "grader_config.py").write_text(CONFIG)
    return root


@pytest.mark.parametrize("name", ["plain", "a [b] {c}*", 'it\'s "quoted"', "ö ł 数", "100% $5", "a;b & c"])
def test_students_are_found_whatever_the_path_of_the_course(name: str, tmp_path: Path) -> None:
    root = course_at(tmp_path / name)
    for student in ("ada", "O'Neil, Jr.", "br[1]", ".hidden"):
        (root / "submitted" / student / "tiny").mkdir(parents=True)
    (root / "submitted" / "late" / "other").mkdir(parents=True)
    (root / "submitted" / "gone").mkdir()
    (root / "submitted" / "file.txt").touch()
    course = load_course(root)
    assert course.submissions == root / "submitted"
    assert course.submitting_students("tiny") == sorted(["O'Neil, Jr.", "ada", "br[1]"])
    assert course.absent_students("tiny", ["ada", "zoe"]) == ["gone", "late", "zoe"]


def test_a_path_that_nbgrader_would_expand_is_refused(tmp_path: Path) -> None:
    """It would look for its configuration elsewhere, and grade without this package."""
    with pytest.raises(ConfigError, match="rename the folder"):
        load_course(course_at(tmp_path / "my $HOME"))


def test_stubs_that_a_user_has_set_for_all_courses_stay_but_for_pythons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    root = course_at(tmp_path / "course")
    with (root / "grader_config.py").open("a") as config:
        config.write("c.ClearSolutions.code_stub.update({'R': 'stop()'})\n")
    usual = ClearSolutions(config=load_course(root).config).code_stub
    assert usual == ClearSolutions().code_stub | STUB | {"R": "stop()"}
    for setting, others in {
        " = {'octave': 'mine', 'python': 'mine'}": {"octave": "mine"},
        ".update({'octave': 'mine', 'R': 'mine'})": ClearSolutions().code_stub | {"octave": "mine"},
    }.items():
        (tmp_path / "nbgrader_config.py").write_text(f"c = get_config()\nc.ClearSolutions.code_stub{setting}\n")
        stubs = ClearSolutions(config=load_course(root).config).code_stub
        assert stubs == others | STUB | {"R": "stop()"}


def test_settings_are_one_text_before_and_after_somebody_has_used_them(tmp_path: Path) -> None:
    config = load_course(course_at(tmp_path / "course")).config
    before = as_text(config)
    assert ClearSolutions(config=config).code_stub["python"] == STUB["python"]
    assert as_text(config) == before


def test_another_order_of_folders_is_followed(tmp_path: Path) -> None:
    root = course_at(tmp_path / "course")
    with (root / "grader_config.py").open("a") as config:
        config.write("c.CourseDirectory.directory_structure = '{nbgrader_step}/{assignment_id}/s-{student_id}'\n")
    (root / "submitted" / "tiny" / "s-ada").mkdir(parents=True)
    (root / "submitted" / "tiny" / "ben").mkdir()
    assert load_course(root).submitting_students("tiny") == ["ada"]


@pytest.mark.parametrize("files", [64, pytest.param(256, marks=pytest.mark.slow)])
def test_few_open_files_are_enough_to_grade(files: int, tiny_course: Path, tmp_path: Path) -> None:
    root = tmp_path / "course"
    subprocess.run(["cp", "-R", str(tiny_course), str(root)], check=True)
    (root / "submitted" / "ada" / "tiny").mkdir(parents=True)
    subprocess.run(["cp", str(root / "assignments/tiny/tiny.ipynb"), str(root / "submitted/ada/tiny")], check=True)
    command = f"ulimit -n {files}; exec autograder grade tiny --jobs 2"
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(["sh", "-c", command], cwd=root, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 / 9" in done.stdout
