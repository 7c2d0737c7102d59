"""What this package relies on in nbgrader beyond its documentation; another nbgrader is to fail here first."""

from __future__ import annotations

import inspect
import logging
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbconvert.preprocessors import ClearMetadataPreprocessor, Preprocessor
from nbformat import NotebookNode
from nbgrader.api import Base, Gradebook, InvalidEntry, MissingEntry, app_log
from nbgrader.apps.baseapp import NbGrader
from nbgrader.converters import Autograde, GenerateAssignment
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.nbgraderformat import SCHEMA_VERSION, SchemaTooOldError, ValidationError
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    DeduplicateIds,
    Execute,
    IgnorePattern,
    LimitOutput,
    NbGraderPreprocessor,
    OverwriteCells,
    SaveAutoGrades,
)
from nbgrader.utils import compute_checksum, determine_grade, find_all_files, parse_utc
from sqlalchemy import Engine
from sqlalchemy import inspect as inspect_database
from sqlalchemy.orm import scoped_session
from traitlets.config import Config

from tests.nbgrader_course import make_gradebook


def parameters(function: Any) -> list[str]:
    return list(inspect.signature(function).parameters)


def grade_cell(points: float = 3, **nbgrader: Any) -> NotebookNode:
    cell = nbformat.v4.new_code_cell("check('one')")
    cell.metadata["nbgrader"] = {"grade_id": "one", "grade": True, "solution": False, "locked": True, "points": points}
    cell.metadata["nbgrader"] |= nbgrader
    return cell


def a_number(text: str) -> NotebookNode:
    return nbformat.v4.new_output("execute_result", {"text/plain": text})


@pytest.fixture(scope="module")
def db_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The gradebook of an assignment of one grade cell, with a submission of Ada's."""
    url = make_gradebook(tmp_path_factory.mktemp("gradebook") / "gradebook.db")
    with Gradebook(url) as gradebook:
        gradebook.add_assignment("tiny")
        gradebook.add_notebook("tiny", "tiny")
        gradebook.add_grade_cell("one", "tiny", "tiny", max_score=3, cell_type="code")
        gradebook.add_student("ada")
        gradebook.add_submission("tiny", "ada")
    return url


# --- the gradebook ---


def test_a_gradebook_has_an_engine_and_one_session_for_all_its_steps(db_url: str) -> None:
    with Gradebook(db_url) as gradebook:
        assert isinstance(gradebook.engine, Engine)
        assert isinstance(gradebook.db, scoped_session)
        gradebook.find_student("ada").first_name = "Ada"
        assert [changed.id for changed in gradebook.db.dirty] == ["ada"]


def test_a_step_that_the_database_refuses_is_rolled_back_and_an_invalid_entry(db_url: str) -> None:
    with Gradebook(db_url) as gradebook, pytest.raises(InvalidEntry):
        gradebook.add_student("ada")
    assert issubclass(InvalidEntry, ValueError)
    assert issubclass(MissingEntry, ValueError)


def test_an_error_that_nbgraders_api_raises_is_logged_by_tornados_logger_too(
    db_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with Gradebook(db_url) as gradebook, pytest.raises(InvalidEntry):
        gradebook.add_student("ada")
    assert {record.name for record in caplog.records} == {app_log.name} == {"tornado.application"}


def test_all_tables_of_a_gradebook_are_known_by_their_base(db_url: str) -> None:
    with Gradebook(db_url) as gradebook:
        made = inspect_database(gradebook.engine).get_table_names()
    assert {table.name for table in Base.metadata.sorted_tables} == {*made} - {"alembic_version"}


# --- what `nbgrader autograde` is made of ---


def test_the_exporter_is_made_before_anything_of_an_assignment_is_touched() -> None:
    source = inspect.getsource(BaseConverter.start)
    assert source.index("self.exporter_class(") < source.index("self.convert_notebooks()")
    changes = ("init_destination", "init_assignment", "rmtree")
    assert not any(word in source + inspect.getsource(BaseConverter.init_notebooks) for word in changes)


def test_autograde_reads_twice_through_one_exporter_and_makes_it_with_itself_as_its_parent() -> None:
    source = inspect.getsource(BaseConverter.start) + inspect.getsource(Autograde.convert_single_notebook)
    assert "self.exporter_class(parent=self, config=self.config)" in source
    assert source.count(".convert_single_notebook(notebook_filename)") == 2
    assert parameters(BaseConverter.convert_single_notebook) == ["self", "notebook_filename"]
    assert "coursedir" in BaseConverter.class_traits()


def test_an_exporter_is_told_which_submission_it_reads(tmp_path: Path) -> None:
    coursedir = CourseDirectory(root=str(tmp_path), assignment_id="tiny", student_id="*", db_url="sqlite:///x.db")
    path = str(tmp_path / "submitted" / "ada" / "tiny" / "tiny.ipynb")
    told = Autograde(coursedir=coursedir).init_single_notebook_resources(path)["nbgrader"]
    assert told == {"student": "ada", "assignment": "tiny", "notebook": "tiny", "db_url": "sqlite:///x.db"}


def test_the_pre_convert_hook_is_called_with_these_names() -> None:
    source = inspect.getsource(BaseConverter.run_pre_convert_hook)
    assert all(f"{name}=" in source for name in ("assignment", "student", "notebooks"))


def test_autograde_knows_files_that_the_courses_own_do_not_replace_and_sets_permissions() -> None:
    assert Autograde().exclude_overwriting == {}
    assert parameters(Autograde.set_permissions) == ["self", "assignment_id", "student_id"]


def test_scores_are_recorded_cell_by_cell_by_a_method_that_can_be_overridden(db_url: str) -> None:
    seen = []

    class Noting(SaveAutoGrades):
        def _add_score(self, cell: NotebookNode, resources: Any) -> None:
            seen.append((self.notebook_id, self.assignment_id, self.student_id, cell.metadata.nbgrader.grade_id))
            super()._add_score(cell, resources)
            grade = self.gradebook.find_grade("one", self.notebook_id, self.assignment_id, self.student_id)
            assert (grade.auto_score, grade.manual_score, grade.needs_manual_grade) == (2.5, None, False)

    cell = grade_cell()
    cell.outputs = [a_number("2.5")]
    names = {"notebook": "tiny", "assignment": "tiny", "student": "ada", "db_url": db_url}
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1"), cell])
    assert Noting().enabled
    Noting().preprocess(notebook, {"nbgrader": names})
    assert seen == [("tiny", "tiny", "ada", "one")]
    with Gradebook(db_url) as gradebook:
        assert gradebook.find_grade("one", "tiny", "tiny", "ada").auto_score == 2.5


@pytest.mark.parametrize(
    ("outputs", "score"), [([a_number("2.5")], 2.5), ([a_number("0")], 0), ([], 3), ([a_number("0.0\n")], 0)]
)
def test_the_score_of_a_grade_cell_is_the_number_that_it_puts_out(outputs: list[Any], score: float) -> None:
    cell = grade_cell()
    cell.outputs = outputs
    assert determine_grade(cell, logging.getLogger("quiet")) == (score, 3)


def test_the_score_of_an_answer_is_zero_where_it_is_as_released_and_else_unknown() -> None:
    cell = grade_cell(solution=True)
    cell.metadata.nbgrader["checksum"] = compute_checksum(cell)
    assert determine_grade(cell, logging.getLogger("quiet")) == (0, 3)
    cell.source += " answered"
    assert cell.metadata.nbgrader["checksum"] != compute_checksum(cell)
    assert determine_grade(cell, logging.getLogger("quiet")) == (None, 3)


def test_penalties_come_from_a_plug_in_that_is_made_from_its_preprocessor() -> None:
    preprocessor = AssignLatePenalties(config=Config({"LateSubmissionPlugin": {"penalty_method": "zero"}}))
    assert preprocessor.plugin_class is LateSubmissionPlugin
    plugin = preprocessor.plugin_class(parent=preprocessor)
    assert plugin.late_submission_penalty("ada", 2.5, 60.0) == 2.5


# --- the steps of grading a notebook, which plain assignments take one by one ---


def test_a_submission_is_graded_by_these_steps_in_this_order() -> None:
    stock = Autograde()
    assert [step.__name__ for step in stock.sanitize_preprocessors] == [
        "ClearOutput",
        "DeduplicateIds",
        "OverwriteKernelspec",
        "OverwriteCells",
        "CheckCellMetadata",
    ]
    assert [step.__name__ for step in stock.autograde_preprocessors] == [
        "Execute",
        "IgnorePattern",
        "ClearMetadataPreprocessor",
        "LimitOutput",
        "SaveAutoGrades",
        "AssignLatePenalties",
        "CheckCellMetadata",
    ]
    assert "self.sanitize_preprocessors" in inspect.getsource(Autograde._init_preprocessors)


def test_cells_are_put_back_from_these_entries_of_the_gradebook() -> None:
    source = inspect.getsource(OverwriteCells)
    asked = {*re.findall(r"self\.gradebook\.(\w+)\(", source)}
    assert asked == {"find_source_cell", "find_graded_cell", "find_notebook"}
    of_notebook = {"source_cells", "grade_cells", "solution_cells", "task_cells"}
    of_cell = {"name", "cell_type", "locked", "source", "checksum", "max_score"}
    assert {*re.findall(r"source_nb\.(\w+)", source)} == of_notebook
    assert {*re.findall(r"(?:source|grade|task)_cell\.(\w+)", source)} <= of_cell
    body = inspect.getsource(OverwriteCells.preprocess)
    assert body.index("super(OverwriteCells, self).preprocess") < body.index("if self.add_missing_cells")
    assert [NbGraderPreprocessor.preprocess, NbGraderPreprocessor.__call__] == [
        Preprocessor.preprocess,
        Preprocessor.__call__,
    ]


def test_the_marks_of_a_second_cell_of_a_name_are_emptied_and_the_last_one_counts() -> None:
    notebook = nbformat.v4.new_notebook(cells=[grade_cell(), grade_cell()])
    DeduplicateIds()(notebook, {})
    assert [bool(cell.metadata.nbgrader) for cell in notebook.cells] == [False, True]


def test_metadata_are_checked_against_this_format() -> None:
    whole = {"schema_version": SCHEMA_VERSION, "task": False}
    CheckCellMetadata()(nbformat.v4.new_notebook(cells=[grade_cell(**whole)]), {})
    with pytest.raises(SchemaTooOldError):
        CheckCellMetadata()(nbformat.v4.new_notebook(cells=[grade_cell()]), {})
    unnamed = grade_cell(**whole)
    del unnamed.metadata.nbgrader["grade_id"]
    with pytest.raises(ValidationError):
        CheckCellMetadata()(nbformat.v4.new_notebook(cells=[unnamed]), {})


def test_outputs_are_cut_and_left_out_as_configured() -> None:
    cell = grade_cell()
    cell.outputs = [nbformat.v4.new_output("stream", name="stderr", text="odd\n" * 5)]
    kept = LimitOutput(config=Config({"LimitOutput": {"max_lines": 3}}))(nbformat.v4.new_notebook(cells=[cell]), {})[0]
    assert kept.cells[0].outputs[0].text.startswith("odd\nodd\n...")
    ignoring = IgnorePattern(config=Config({"IgnorePattern": {"pattern": "odd", "enabled": True}}))
    assert ignoring(kept, {})[0].cells[0].outputs == []
    assert (IgnorePattern().enabled, LimitOutput().enabled, ClearMetadataPreprocessor().enabled) == (False, True, False)


def test_a_cell_may_take_half_a_minute_unless_the_course_says_otherwise() -> None:
    assert Execute().timeout == 30
    assert Execute(config=Config({"ExecutePreprocessor": {"timeout": 5}})).timeout == 5


def test_more_points_than_there_are_are_an_error_and_what_is_no_number_is_all_of_them() -> None:
    cell = grade_cell()
    for text, score in (("'words'", 3), ("-1.0", 3), ("nan", 3), ("3", 3)):
        cell.outputs = [a_number(text)]
        assert determine_grade(cell, logging.getLogger("quiet"))[0] == score
    cell.outputs = [a_number("3.5")]
    with pytest.raises(ValueError, match="greater than maximum"):
        determine_grade(cell, logging.getLogger("quiet"))
    cell.outputs = [nbformat.v4.new_output("stream", name="stderr", text="odd"), a_number("3")]
    assert determine_grade(cell, logging.getLogger("quiet"))[0] == 0


def test_a_notebook_of_the_gradebook_has_its_cells_by_kind_and_its_kernel(db_url: str) -> None:
    with Gradebook(db_url) as gradebook:
        gradebook.add_notebook("kinds", "tiny", kernelspec='{"language": "R"}')
        gradebook.add_solution_cell("written", "kinds", "tiny")
        gradebook.add_task_cell("described", "kinds", "tiny", max_score=4, cell_type="markdown")
        cell = {"cell_type": "code", "locked": True, "source": "1", "checksum": "2"}
        gradebook.add_source_cell("written", "kinds", "tiny", **cell)
        found = gradebook.find_notebook("kinds", "tiny")
        assert [one.name for one in (*found.grade_cells, *found.solution_cells)] == ["written"]
        assert [(one.name, one.max_score) for one in found.task_cells] == [("described", 4)]
        assert {name: getattr(found.source_cells[0], name) for name in cell} == cell
        assert found.kernelspec == '{"language": "R"}'


def test_a_grade_knows_its_points_and_waits_for_a_person_until_it_is_scored(db_url: str) -> None:
    with Gradebook(db_url) as gradebook:
        gradebook.add_student("ben")
        (notebook,) = [one for one in gradebook.add_submission("tiny", "ben").notebooks if one.name == "tiny"]
        (grade,) = notebook.grades
        assert (grade.max_score, grade.auto_score, grade.needs_manual_grade) == (3, None, True)


# --- the course folder ---


def test_a_courses_settings_are_read_as_for_nbgraders_commands() -> None:
    assert parameters(NbGrader.initialize)[:3] == ["self", "argv", "root"]
    assert "coursedir" in NbGrader.class_traits()


def test_folders_are_named_by_step_student_and_assignment(tmp_path: Path) -> None:
    coursedir = CourseDirectory(root=str(tmp_path))
    assert coursedir.format_path("submitted", "ada", "tiny") == str(tmp_path / "submitted" / "ada" / "tiny")
    assert coursedir.source_directory == "source"
    assert coursedir.autograded_directory == "autograded"
    assert coursedir.submitted_directory == "submitted"


def test_a_timestamp_is_a_line_of_a_file_and_in_utc(tmp_path: Path) -> None:
    coursedir = CourseDirectory(root=str(tmp_path))
    assert coursedir.get_existing_timestamp(str(tmp_path)) is None
    (tmp_path / "timestamp.txt").write_text("2026-01-02 03:04:05.5 UTC\n")
    found = coursedir.get_existing_timestamp(str(tmp_path))
    assert found.isoformat() == "2026-01-02T03:04:05.500000"
    assert parse_utc("2026-01-02 03:04:05.5 UTC") == found


def test_files_are_found_in_all_folders_but_those_of_ignored_names(tmp_path: Path) -> None:
    for name in ("a.txt", "b.ipynb", "in/c.txt", "out/d.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = find_all_files(str(tmp_path), ["*.ipynb", "out"])
    assert sorted(found) == [str(tmp_path / "a.txt"), str(tmp_path / "in" / "c.txt")]


# --- what `nbgrader generate_assignment` is made of ---


def test_a_release_is_made_by_these_steps_in_this_order() -> None:
    assert [step.__name__ for step in GenerateAssignment().preprocessors] == [
        "IncludeHeaderFooter",
        "InstantiateTests",
        "LockCells",
        "ClearSolutions",
        "ClearOutput",
        "CheckCellMetadata",
        "ComputeChecksums",
        "SaveCells",
        "ClearHiddenTests",
        "ClearMarkScheme",
        "ComputeChecksums",
        "CheckCellMetadata",
    ]


def test_a_converter_without_submissions_raises_its_own_exception(tmp_path: Path) -> None:
    coursedir = CourseDirectory(root=str(tmp_path), assignment_id="tiny", student_id="*")
    converter = GenerateAssignment(coursedir=coursedir, force=True)
    converter.log = logging.getLogger("quiet")
    with pytest.raises(NbGraderException):
        converter.start()
