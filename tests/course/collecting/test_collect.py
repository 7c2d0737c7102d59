"""Downloads of Canvas, Moodle and Gradescope: the newest of the right student, and nothing else that a zip says."""

from __future__ import annotations

import shutil
import stat
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner
from nbgrader.api import Gradebook

from autograder.cli import main
from autograder.course.collecting import archive as bounds
from autograder.course.collecting.collect import Collected
from autograder.course.collecting.collect import collect as lay_out
from autograder.course.collecting.roster import Clues, Roster
from autograder.course.course import Course, load_course
from autograder.errors import ConfigError
from tests.cookbook.two_layers import write_two_layers

TABLE = """id,name,email,number,time
ada,"O'Neil, Ada Mary",ada@school.example,501,
ben,Łukasz Ben,ben@school.example,502,2026-03-02 10:00
cleo,Cleo Xu,cleo@school.example,503,
cleo2,Cleo Xu,xu@school.example,504,
"""
CANVAS = {
    "oneiladamary_501_9001_tiny-1.ipynb": "newer",
    "oneiladamary_501_8000_tiny.ipynb": "older",
    "oneiladamary_501_9002_data.csv": "1,2",
    "benłukasz_LATE_777_9003_tiny.ipynb": "late",
    "xucleo_503_9004_other  name.ipynb": "cleo",
    "nobody_888_9005_tiny.ipynb": "?",
    "notes.txt": "?",
}
MOODLE = {
    "Ada Mary O'Neil_31_assignsubmission_file_/tiny.ipynb": "ada",
    "Ada Mary O'Neil_31_assignsubmission_file_/data/a.csv": "1,2",
    "Ada Mary O'Neil_31_assignsubmission_file_/timestamp.txt": "1990-01-01",
    "Ada Mary O'Neil_31_assignsubmission_onlinetext_/onlinetext.html": "typed",
    "Łukasz Ben_32_assignsubmission_file_/tiny.ipynb": "ben",
    "Cleo Xu_33_assignsubmission_file_/tiny.ipynb": "which?",
}
METADATA = """submission_1:
  :submitters:
  - :name: Ada O'Neil
    :sid: 'ada'
    :email: ADA@school.example
  - :name: Cleo Xu
    :email: cleo@school.example
  :created_at: 2026-04-26 17:34:00.861687000 Z
  :results:
    output: |-
      =====
submission_2:
  :submitters:
  - :name: Ada O'Neil
    :sid: ada
  :created_at: 2026-04-25 08:00:00 +02:00
submission_3:
  :submitters: []
"""
GRADESCOPE = {
    "assignment_7_export/submission_metadata.yml": METADATA,
    "assignment_7_export/submission_1/tiny.ipynb": "pair",
    "assignment_7_export/submission_2/tiny.ipynb": "alone, earlier",
    "assignment_7_export/submission_3/tiny.ipynb": "?",
    "__MACOSX/assignment_7_export/._submission_metadata.yml": "junk",
}


@pytest.fixture
def course(tmp_path: Path, tiny_course: Path) -> Course:
    """Nothing of a gradebook is needed, so it is only looked at."""
    (tmp_path / "course").mkdir()
    for name in ("nbgrader_config.py", "grader_config.py"):
        (tmp_path / "course" / name).write_bytes((tiny_course / name).read_bytes())
    return load_course(tmp_path / "course")


def packed(folder: Path, files: Mapping[str, str]) -> Path:
    path = folder / "download.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def collected(course: Course, files: Mapping[str, str], table: str = TABLE) -> Collected:
    path = course.root.parent / "table.csv"
    path.write_text(table, encoding="utf-8")
    return lay_out(course, "tiny", packed(course.root.parent, files), Roster.of_table(path), ("tiny",))


def submitted(course: Course) -> dict[str, str]:
    files = (path for path in (course.root / "submitted").rglob("*") if path.is_file())
    return {str(path.relative_to(course.root / "submitted")): path.read_text(encoding="utf-8") for path in files}


def test_canvas_the_newest_file_of_a_name_counts_and_who_is_late_without_a_time_is_said(course: Course) -> None:
    found = collected(course, CANVAS, TABLE.replace("2026-03-02 10:00", ""))
    assert (found.system, found.taken, found.late) == ("Canvas", ["ada", "ben", "cleo"], ["ben"])
    assert submitted(course) == {
        "ada/tiny/tiny.ipynb": "newer",
        "ada/tiny/data.csv": "1,2",
        "ben/tiny/tiny.ipynb": "late",
        "cleo/tiny/other  name.ipynb": "cleo",
    }
    assert found.unmatched == {
        "notes.txt": "its name is not as Canvas writes them",
        "nobody_888": "nobody in the table has this name, address or number",
    }


def test_canvas_a_module_that_was_handed_in_again_has_its_own_name_again(course: Course) -> None:
    write_two_layers(course.root / "exercises")
    names = ("9001_two-layers", "9003_two-layers-1"), ("9002_layers", "9004_layers-1"), ("9005_more", "9006_more-1")
    files = {
        f"xucleo_503_{name}.{end}": name
        for some, end in zip(names, ("ipynb", "py", "py"), strict=True)
        for name in some
    }
    path = course.root.parent / "table.csv"
    path.write_text(TABLE, encoding="utf-8")
    lay_out(course, "two-layers", packed(course.root.parent, files), Roster.of_table(path), ("two-layers",))
    assert submitted(course) == {
        "cleo/two-layers/two-layers.ipynb": "9003_two-layers-1",
        "cleo/two-layers/layers.py": "9004_layers-1",
        "cleo/two-layers/more.py": "9005_more",
        "cleo/two-layers/more-1.py": "9006_more-1",
    }


def test_moodle_what_two_students_are_called_is_nobodys_and_a_students_own_time_counts_for_nothing(
    course: Course,
) -> None:
    found = collected(course, MOODLE)
    assert (found.system, found.taken) == ("Moodle", ["ada", "ben"])
    assert submitted(course) == {
        "ada/tiny/tiny.ipynb": "ada",
        "ada/tiny/data/a.csv": "1,2",
        "ben/tiny/tiny.ipynb": "ben",
        "ben/tiny/timestamp.txt": "2026-03-02 10:00:00 UTC\n",
    }
    assert found.unmatched == {
        "Cleo Xu_33": "it may be of cleo or cleo2: several in the table fit; number 33 in the row of one decides"
    }


def test_moodle_by_its_own_worksheet_without_folders_and_in_the_courses_zone(course: Course) -> None:
    with (course.root / "grader_config.py").open("a") as file:
        file.write('c.Exchange.timezone = "Europe/Berlin"\n')
    worksheet = (
        "\ufeffIdentifier,Full name,ID number,Email address,Status,Last modified (submission)\n"
        'Participant 33,Cleo Xu,cleo2,xu@school.example,Submitted,"Wednesday, 10 June 2026, 2:14 PM"\n'
        "Participant 34,Cleo Xu,cleo,cleo@school.example,No submission,-\n"
    )
    files = {"Cleo Xu_33_assignsubmission_file_tiny.ipynb": "second"}
    assert collected(load_course(course.root), files, worksheet).taken == ["cleo2"]
    assert submitted(course)["cleo2/tiny/timestamp.txt"] == "2026-06-10 12:14:00 UTC\n"


def test_gradescope_each_of_a_group_gets_it_and_the_latest_of_several_counts(course: Course) -> None:
    found = collected(course, GRADESCOPE)
    assert (found.system, found.taken) == ("Gradescope", ["ada", "cleo"])
    moment = "2026-04-26 17:34:00 UTC\n"
    assert submitted(course) == {
        f"{student}/tiny/{name}": text
        for student in ("ada", "cleo")
        for name, text in {"tiny.ipynb": "pair", "timestamp.txt": moment}.items()
    }
    assert found.unmatched == {"submission_3": "the download does not say whose it is"}


def test_what_was_handed_in_later_stays_and_what_is_newer_comes_in_its_place(course: Course) -> None:
    place = course.submitted("ada", "tiny")
    place.mkdir(parents=True)
    (place / "tiny.ipynb").write_text("before")
    (place / "timestamp.txt").write_text("2026-04-27 00:00:00 UTC")
    assert collected(course, GRADESCOPE).kept == ["ada"]
    assert (place / "tiny.ipynb").read_text() == "before"
    (place / "timestamp.txt").write_text("2026-04-26 00:00:00 UTC")
    assert collected(course, GRADESCOPE).kept == []
    assert sorted(path.name for path in place.iterdir()) == ["timestamp.txt", "tiny.ipynb"]
    assert [path.name for path in place.parent.iterdir()] == ["tiny"]


def test_what_was_laid_out_before_stays_as_it_lies_with_what_staff_put_beside_it(course: Course) -> None:
    files = {"oneiladamary_LATE_501_1_work.zip": "packed"}
    place = course.submitted("ada", "tiny")
    assert collected(course, files).late == ["ada"]
    (place / "timestamp.txt").write_text("2026-03-02 10:00:00 UTC")
    (place / "tiny.ipynb").write_text("unpacked")
    (place / "work.zip").unlink()
    again = collected(course, files)
    assert (again.taken, again.unchanged, again.late) == ([], ["ada"], [])
    assert submitted(course) == {"ada/tiny/timestamp.txt": "2026-03-02 10:00:00 UTC", "ada/tiny/tiny.ipynb": "unpacked"}


def test_a_time_that_a_later_table_knows_is_written_beside_what_stays(course: Course) -> None:
    files = {"benłukasz_502_1_tiny.ipynb": "ben"}
    for time, told in (("", None), ("2026-03-02 10:00", "10:00"), ("2026-03-02 11:00", "11:00")):
        collected(course, files, TABLE.replace("2026-03-02 10:00", time))
        assert submitted(course).get("ben/tiny/timestamp.txt") == (told and f"2026-03-02 {told}:00 UTC\n")
    (course.submitted("ben", "tiny") / "timestamp.txt").write_text("2026-03-01 00:00:00 UTC")
    collected(course, files)
    assert submitted(course)["ben/tiny/timestamp.txt"] == "2026-03-01 00:00:00 UTC"


@pytest.mark.parametrize(
    "name",
    [
        "oneiladamary_501_text.html",
        "oneiladamary_LATE_501_link.html",
        "Ada Mary O'Neil_501_assignsubmission_onlinetext_/onlinetext.html",
    ],
)
def test_who_has_typed_in_a_text_or_a_link_is_named(course: Course, name: str) -> None:
    place = "Ada Mary O'Neil_501" if "'" in name else "oneiladamary_501"
    assert collected(course, {name: "typed"}).unmatched == {place: "ada has handed in a text or a link, no file"}
    assert submitted(course) == {}


def test_who_has_handed_in_no_notebook_is_named_with_what_lies_there(course: Course) -> None:
    found = collected(course, {"oneiladamary_501_1_work.zip": "packed", "xucleo_503_2_tiny.ipynb": "fine"})
    assert found.taken == ["ada", "cleo"]
    told = "no tiny.ipynb was handed in; there is work.zip: unpack, rename or move it"
    assert found.refused == {"ada": told}


def test_a_file_that_is_not_handed_in_again_is_gone_unless_nothing_is_known_of_a_collect(course: Course) -> None:
    files = {"xucleo_503_1_tiny.ipynb": "same", "xucleo_503_2_helper.py": "x = 1"}
    collected(course, files)
    shutil.rmtree(course.root / ".autograder")
    assert collected(course, {"xucleo_503_1_tiny.ipynb": "same"}).unchanged == ["cleo"]
    shutil.rmtree(course.root / "submitted")
    collected(course, files)
    assert collected(course, {"xucleo_503_3_tiny.ipynb": "same"}).taken == ["cleo"]
    assert submitted(course) == {"cleo/tiny/tiny.ipynb": "same"}


def test_where_something_newer_comes_what_staff_put_there_is_set_aside(course: Course) -> None:
    collected(course, {"xucleo_503_1_tiny.ipynb": "first"})
    assert collected(course, {"xucleo_503_2_tiny.ipynb": "second"}).set_aside == {}
    (course.submitted("cleo", "tiny") / "timestamp.txt").write_text("2026-03-02 10:00:00 UTC")
    found = collected(course, {"xucleo_LATE_503_3_tiny.ipynb": "third"})
    aside = course.root / "set-aside" / "cleo" / "tiny-1"
    assert (found.set_aside, found.late) == ({"cleo": aside}, ["cleo"])
    assert submitted(course) == {"cleo/tiny/tiny.ipynb": "third"}
    assert (aside / "timestamp.txt").is_file()
    assert (aside / "tiny.ipynb").read_text() == "second"


@pytest.mark.parametrize("link", ["submitted/ada", "submitted/ada/tiny"])
def test_no_link_is_followed_to_a_students_place(course: Course, link: str) -> None:
    elsewhere = course.root.parent / "elsewhere"
    elsewhere.mkdir()
    (course.root / link).parent.mkdir(parents=True)
    (course.root / link).symlink_to(elsewhere)
    found = collected(course, {"oneiladamary_501_1_tiny.ipynb": "fine"})
    assert found.unmatched == {
        "oneiladamary_501": f"ada: {course.root / link} is a symbolic link; put the folder itself there"
    }
    assert list(elsewhere.iterdir()) == []


def test_clues_that_fit_two_students_or_a_number_of_another_kind_are_nobodys(course: Course, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(TABLE, encoding="utf-8")
    roster = Roster.of_table(tmp_path / "table.csv")
    assert roster.student(Clues(name="xucleo", number="504")) == "cleo2"
    for clues in (Clues(name="xucleo", number="501"), Clues(name="Cleo Xu"), Clues(number="ada"), Clues()):
        with pytest.raises(LookupError):
            roster.student(clues)
    with pytest.raises(LookupError, match="the number is that of ada, the name is that of cleo and cleo2"):
        roster.student(Clues(name="xucleo", number="501"))


def test_a_table_that_has_an_id_twice_is_refused_with_the_lines(course: Course) -> None:
    with pytest.raises(ConfigError, match="has an id more than once: ada in lines 2, 6; leave one row"):
        collected(course, CANVAS, TABLE + "ada,Ada Other,other@school.example,505,\n")
    assert submitted(course) == {}


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_table_may_be_separated_as_excel_does_it_elsewhere(course: Course, delimiter: str) -> None:
    table = "\ufeff" + delimiter.join(("id", "number")) + "\r\n" + delimiter.join(("ada", "501")) + "\r\n"
    assert collected(course, {"x_501_1_tiny.ipynb": "fine"}, table).taken == ["ada"]


def test_names_that_lead_out_links_and_twins_are_left_out_and_named(course: Course) -> None:
    path = packed(course.root.parent, {"oneiladamary_501_1_tiny.ipynb": "fine"})
    evil = {
        "../out_502_2_tiny.ipynb": "up",
        "/abs_502_3_tiny.ipynb": "root",
        "benłukasz_502_4_..": "dots",
        "a\\..\\b_502_5_tiny.ipynb": "back",
        "xucleo_503_6_tiny\u202eipynb": "hidden",
    }
    with zipfile.ZipFile(path, "a") as archive:
        for name, text in evil.items():
            archive.writestr(name, text)
        link = zipfile.ZipInfo("xucleo_503_7_tiny.ipynb")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("xucleo_503_8_tiny.ipynb", "one")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("xucleo_503_8_tiny.ipynb", "two")

    def others() -> set[Path]:
        return {file for file in course.root.parent.rglob("*") if not {"submitted", ".autograder"} & set(file.parts)}

    before = others()
    roster = Roster([{"id": "ada", "number": "501"}, {"id": "ben", "number": "502"}])
    found = lay_out(course, "tiny", path, roster, ("tiny",))
    assert submitted(course) == {"ada/tiny/tiny.ipynb": "fine"}
    assert others() == before
    assert len(found.unmatched) == len(evil) + 2


def test_what_is_beyond_the_bounds_or_no_zip_is_one_sentence(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "ENTRIES", 2)
    with pytest.raises(ConfigError, match="more than 2 files"):
        collected(course, CANVAS)
    monkeypatch.setattr(bounds, "ENTRIES", 200)
    monkeypatch.setattr(bounds, "TOTAL", 1 << 20)
    with pytest.raises(ConfigError, match="more than 200 files or 0 GiB"):
        collected(course, {"oneiladamary_501_1_tiny.ipynb": "0" * (2 << 20)})
    with pytest.raises(ConfigError, match="no download of all submissions"):
        collected(course, {"a.txt": "?"})
    with pytest.raises(ConfigError, match="cannot be read"):
        collected(course, {"submission_metadata.yml": "a: [", "submission_1/x": ""})
    (course.root / "no.zip").write_bytes(b"PK")
    with pytest.raises(ConfigError, match=r"cannot be read as a zip.*cut off: download it again"):
        lay_out(course, "tiny", course.root / "no.zip", Roster([]), ("tiny",))
    assert submitted(course) == {}


def test_the_command_matches_by_nbgraders_students_and_exits_with_1_where_somebody_is_not_matched(
    new_course: Callable[[str], Course], monkeypatch: pytest.MonkeyPatch
) -> None:
    course = new_course("course")
    monkeypatch.chdir(course.root)
    with Gradebook(course.db_url) as gradebook:
        gradebook.add_student("ada", first_name="Ada Mary", last_name="O'Neil")
        gradebook.add_student("ben", lms_user_id="777")
    path = packed(course.root, CANVAS)
    result = CliRunner().invoke(main, ["collect", str(path), "tiny"])
    assert result.exit_code == 1, result.output
    assert "Canvas: 2 submissions were laid out in" in result.output
    assert "not taken: nobody_888: nobody in the table has this name, address or number" in result.output
    assert submitted(course)["ben/tiny/tiny.ipynb"] == "late"
    path = packed(course.root, {"oneiladamary_501_8000_tiny.ipynb": "{}"})
    assert CliRunner().invoke(main, ["collect", str(path), "tiny"]).exit_code == 0
    place = course.submitted("ada", "tiny")
    (place / "timestamp.txt").write_text("2026-03-02 10:00:00 UTC")
    again = CliRunner().invoke(main, ["collect", str(path), "tiny"]).output
    assert "1 were laid out before and stay as they lie" in again
    path = packed(course.root, {"oneiladamary_LATE_501_8000_work.zip": "?"})
    newer = CliRunner().invoke(main, ["collect", str(path), "tiny"]).output
    assert f"is in {course.root / 'set-aside' / 'ada' / 'tiny-1'}\n  its timestamp.txt is not that of" in newer
    assert "ada cannot be graded so: no tiny.ipynb was handed in; there is work.zip: unpack" in newer
