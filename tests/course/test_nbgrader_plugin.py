"""nbgrader's own commands, run for real on a real gradebook."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from autograder.batch.evaluators import WarmGrader
from autograder.batch.run import grade_students
from autograder.course.course import Course, load_course
from autograder.course.gradebook import GRADED, open_gradebook
from autograder.course.score_log import read_log
from autograder.exercise.built import Built
from autograder.grading.evaluate import Grader
from autograder.submission.samples import solved, solved_by
from tests.nbgrader_course import (
    BLOCK,
    CONNECTIONS,
    REPOSITORY,
    grades,
    make_course,
    named_variant,
    nbgrader,
    scores,
    submit,
)

FULL = {"double": 4, "quadruple": 3}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory, tiny_course: Path, tiny_built: Built) -> Path:
    """A class of odd notebooks, graded by `nbgrader autograde` in one go."""
    root = shutil.copytree(tiny_course, tmp_path_factory.mktemp("graded") / "course")
    for student, notebook in odd_class(tiny_built).items():
        submit(root, student, "tiny", notebook)
    submit(root, "renamed", "tiny", solved(tiny_built), name="tiny (1).ipynb")
    done = nbgrader(root, "autograde", "tiny")
    assert done.returncode == 0, done.stderr
    return root


def odd_class(built: Built) -> dict[str, bytes]:
    """Full marks whatever the file looks like, but for `nobody` and the unreadable `empty`."""
    perfect = solved(built)
    text = nbformat.writes(perfect)
    colab = json.loads(text)
    colab["metadata"] = {"colab": {"provenance": []}, "kernelspec": {"name": "ir", "display_name": "R"}}
    colab["nbformat_minor"] = 4
    duplicated, deleted, edited, schema, noisy, crlf = (json.loads(text) for _ in range(6))
    for cell in colab["cells"]:
        del cell["id"]
    for cell in crlf["cells"]:
        cell["source"] = "".join(cell["source"]).replace("\n", "\r\n")
    cells = {cell["id"]: cell for cell in schema["cells"]}
    duplicated["cells"] += [cell for cell in duplicated["cells"] if cell["id"] in ("double", "quadruple")]
    deleted["cells"] = [cell for cell in deleted["cells"] if cell["id"] not in ("double", "quadruple")]
    for cell in edited["cells"]:
        if cell["id"] == "quadruple":
            cell["metadata"]["nbgrader"]["points"] = 1000
            cell["source"] = "1000"
    cells["double"]["metadata"]["nbgrader"]["schema_version"] = 99
    noise = (
        "%matplotlib inline\n!pip install x\nimport sys\nprint('a warning: 注意', file=sys.stderr)\nprint('y' * 10**8)"
    )
    noisy["cells"].insert(0, {"cell_type": "code", "id": "noise", "source": noise, "metadata": {}, "outputs": []})
    noisy["cells"].insert(0, {"cell_type": "code", "id": "ask", "source": "input()", "metadata": {}, "outputs": []})
    below, stripped, pasted = (json.loads(text) for _ in range(3))
    place = next(number for number, cell in enumerate(below["cells"]) if cell["id"] == "explain")
    answer = below["cells"][place]
    below["cells"].insert(place + 1, {**answer, "id": "answer", "metadata": {}})
    below["cells"][place] = {**answer, "source": "YOUR ANSWER HERE"}
    for number, cell in enumerate(stripped["cells"]):
        cell |= {"id": f"c{number}", "metadata": {}}
    stub = next(cell.source for cell in built.release.cells if cell.id == "double-code")
    solution = next(cell for cell in pasted["cells"] if cell["id"] == "double-code")
    pasted["cells"].insert(pasted["cells"].index(solution) + 1, {**solution, "id": "copy", "source": stub})
    documents = {
        "below": below,
        "stripped": stripped,
        "pasted": pasted,
        "colab": colab,
        "duplicated": duplicated,
        "deleted": deleted,
        "edited": edited,
        "schema": schema,
    }
    documents |= {"noisy": noisy, "crlf": crlf}
    return {name: json.dumps(document).encode() for name, document in documents.items()} | {
        "anna": text.encode(),
        "bom": b"\xef\xbb\xbf" + text.encode(),
        "empty": b"",
        "foreign": (REPOSITORY / "assignments" / BLOCK / f"{BLOCK}.ipynb").read_bytes(),
        "nobody": nbformat.writes(built.release).encode(),
        "zoe": text.encode(),
    }


@pytest.mark.parametrize(
    "student",
    "anna below bom colab crlf deleted duplicated edited noisy pasted renamed schema stripped zoe".split(),
)
def test_every_odd_file_of_right_work_gets_full_marks(graded: Path, student: str) -> None:
    found = scores(graded, student)
    assert {task: found[task] for task in FULL} == FULL


def test_what_it_records_is_in_the_log_of_scores(graded: Path) -> None:
    changes, broken = read_log(graded, "tiny")
    noted = {(one.student, one.task): one.new for one in changes}
    assert noted == {row: score for row, (score, _, _) in grades(graded).items() if score is not None}
    assert ({one.why for one in changes}, broken) == ({GRADED}, [])
    assert all(one.version for one in changes)


def test_no_work_gets_exactly_zero(graded: Path) -> None:
    found = scores(graded, "nobody")
    assert {task: found[task] for task in FULL} == dict.fromkeys(FULL, 0.0)


@pytest.mark.parametrize("student", ["empty", "foreign"])
def test_all_of_a_file_that_cannot_be_graded_waits_for_a_person(graded: Path, student: str) -> None:
    assert {grades(graded)[student, task] for task in [*FULL, "explain"]} == {(None, None, True)}


@pytest.mark.parametrize("student", ["below", "stripped"])
def test_an_answer_that_stands_in_another_cell_waits_for_a_person_who_finds_it_there(
    graded: Path, student: str
) -> None:
    assert grades(graded)[student, "explain"] == (None, None, True)
    notebook = nbformat.read(graded / "autograded" / student / "tiny" / "tiny.ipynb", 4)
    place = next(number for number, cell in enumerate(notebook.cells) if cell.id == "explain")
    assert notebook.cells[place].source == "YOUR ANSWER HERE"
    assert "Because the factors multiply." in notebook.cells[place + 1].source


@pytest.mark.parametrize(
    ("student", "kinds"),
    [
        ("anna", set()),
        ("deleted", {"deleted"}),
        ("duplicated", {"duplicated"}),
        ("edited", {"edited"}),
        ("empty", {"unreadable"}),
        ("foreign", {"foreign"}),
        ("pasted", {"duplicated"}),
        ("stripped", {"deleted"}),
        ("noisy", set()),
        ("renamed", {"renamed"}),
    ],
)
def test_the_report_names_what_was_odd(graded: Path, student: str, kinds: set[str]) -> None:
    report = json.loads((graded / "reports" / "tiny" / f"{student}.json").read_text())
    assert {finding["kind"] for finding in report["findings"]} == kinds


def test_free_text_waits_for_a_person_unless_it_is_untouched(graded: Path) -> None:
    assert grades(graded)["anna", "explain"] == (None, None, True)
    assert grades(graded)["nobody", "explain"] == (0, None, False)


def test_the_autograded_notebook_holds_no_hidden_region(graded: Path) -> None:
    for path in graded.glob("autograded/*/*/*.ipynb"):
        assert "HIDDEN TESTS" not in path.read_text()


def test_feedback_pages_show_the_reasons_and_nothing_of_ours(graded: Path) -> None:
    done = nbgrader(graded, "generate_feedback", "tiny")
    assert done.returncode == 0, done.stderr
    page = (graded / "feedback" / "nobody" / "tiny" / "tiny.html").read_text()
    assert "This is not written yet." in page
    assert "<b>Hint</b>" in page
    for ours in ("test_hidden", "Traceback (most", str(graded), str(REPOSITORY), "HIDDEN TESTS", "def test_"):
        assert ours not in page


def test_nbgrader_export_writes_our_columns(graded: Path) -> None:
    done = nbgrader(graded, "export")
    assert done.returncode == 0, done.stderr
    rows = (graded / "grades.csv").read_text().splitlines()
    assert rows[0].split(",")[-1] == "status"
    anna = next(row.split(",") for row in rows if ",anna," in row)
    assert (anna[7], anna[9], anna[10], anna[11]) == ("7.0", "7.0", "9.0", "hand grading")


def test_generate_assignment_writes_what_build_writes(tmp_path: Path) -> None:
    root = make_course(tmp_path / "course")
    done = nbgrader(root, "generate_assignment", "--force", CONNECTIONS)
    assert done.returncode == 0, done.stderr
    for name in (f"{CONNECTIONS}.ipynb", "checks.py"):
        ours = REPOSITORY / "assignments" / CONNECTIONS / name
        assert (root / "assignments" / CONNECTIONS / name).read_bytes() == ours.read_bytes()


@pytest.fixture
def small_course(new_course: Callable[[str], Course], tiny_built: Built, grader: Grader) -> Path:
    """One perfect submission, graded once."""
    course = new_course("course")
    submit(course.root, "anna", "tiny", solved(tiny_built))
    grade_students(course, course.seeded("tiny"), ["anna"], WarmGrader(grader))
    assert scores(course.root, "anna") == FULL | {"explain": None}
    return course.root


def test_a_broken_hidden_suite_leaves_no_number_behind(small_course: Path) -> None:
    """The old grade does not stand as if it were the new one, and nothing is a zero."""
    suite = small_course / "exercises" / "tiny" / "test_hidden.py"
    suite.write_text(suite.read_text().replace("from autograder", "import no_such_module\nfrom autograder", 1))
    done = nbgrader(small_course, "autograde", "--force", "tiny")
    assert done.returncode == 0, done.stderr
    assert {grades(small_course)["anna", task] for task in FULL} == {(None, None, True)}
    nbgrader(small_course, "export")
    row = (small_course / "grades.csv").read_text().splitlines()[1].split(",")
    assert (row[7], row[9], row[11]) == ("", "", "ungraded")


def test_a_failure_of_the_whole_exercise_leaves_no_number_behind(small_course: Path) -> None:
    (small_course / "exercises" / "tiny" / "exercise.toml").write_text("title = 3")
    done = nbgrader(small_course, "autograde", "--force", "tiny")
    assert done.returncode != 0
    assert set(grades(small_course).values()) == {(None, None, True)}


def test_changed_points_in_the_exercise_alone_are_no_score(small_course: Path) -> None:
    """The gradebook still has the old maximum, so a number on the new scale would mean something else."""
    file = small_course / "exercises" / "tiny" / "exercise.toml"
    file.write_text(file.read_text().replace("points = 4", "points = 9", 1))
    nbgrader(small_course, "autograde", "--force", "tiny")
    assert grades(small_course)["anna", "double"] == (None, None, True)
    assert grades(small_course)["anna", "quadruple"] == (3, None, False)


def test_nbgraders_own_command_may_be_the_first_of_a_new_course(tiny_course: Path, tmp_path: Path) -> None:
    """There is no gradebook yet, and the time of the submission has a zone."""
    root = shutil.copytree(tiny_course, tmp_path / "course")
    (root / "gradebook.db").unlink()
    work = submit(root, "ada", "tiny", solved(load_course(root).build("tiny")))
    (work.parent / "timestamp.txt").write_text("2026-03-02 12:00:00 +0200")
    done = nbgrader(root, "autograde", "tiny")
    assert done.returncode == 0, done.stderr
    assert scores(root, "ada") == {"double": 4, "quadruple": 3, "explain": None}
    with open_gradebook(load_course(root)) as gradebook:  # nbgrader itself reads 200 seconds
        assert gradebook.find_submission("tiny", "ada").timestamp == datetime(2026, 3, 2, 10)
    (work.parent / "timestamp.txt").unlink()
    assert nbgrader(root, "autograde", "--force", "tiny").returncode == 0
    with open_gradebook(load_course(root)) as gradebook:
        assert gradebook.find_submission("tiny", "ada").timestamp is None


OCTAVE = {"name": "octave", "display_name": "Octave", "language": "octave"}


def octave_notebook() -> NotebookNode:
    cell = nbformat.v4.new_code_cell("% BEGIN SOLUTION\nx = 2;\n% END SOLUTION", id="answer")
    cell.metadata["nbgrader"] = {"grade_id": "answer", "grade": True, "solution": True, "locked": False, "points": 2}
    cell.metadata["nbgrader"] |= {"schema_version": 3, "task": False}
    return nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": OCTAVE})


def everything_in(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_an_assignment_of_another_language_is_released_and_needs_its_kernel_to_be_graded(
    tiny_course: Path, tmp_path: Path
) -> None:
    root = shutil.copytree(tiny_course, tmp_path / "course")
    (root / "solutions" / "octave").mkdir()
    (root / "solutions" / "octave" / "octave.ipynb").write_text(nbformat.writes(octave_notebook()))
    released = nbgrader(root, "generate_assignment", "octave")
    assert released.returncode == 0, released.stderr
    submit(root, "ada", "octave", nbformat.read(root / "assignments" / "octave" / "octave.ipynb", 4))
    failed = nbgrader(root, "autograde", "--force", "octave")
    assert failed.returncode == 1
    assert "`octave` is written in octave: nbgrader's kernel runs it, nothing shuts students' code in" in failed.stderr
    assert "No such kernel named octave" in failed.stderr


def test_what_is_no_assignment_is_not_graded_and_nothing_is_touched(tiny_course: Path, tmp_path: Path) -> None:
    root = shutil.copytree(tiny_course, tmp_path / "course")
    submit(root, "ada", "essay", octave_notebook())
    before = everything_in(root)
    refused = nbgrader(root, "autograde", "--force", "essay")
    assert refused.returncode == 1
    assert "`essay` is no assignment" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert everything_in(root) == before


@pytest.mark.slow
@pytest.mark.parametrize("broken", ["missing", "raises"])
def test_stock_nbgrader_gives_no_points_and_says_why(small_course: Path, broken: str) -> None:
    """Without our plug-in nbgrader runs the notebook in a kernel, with right solutions in it."""
    config = small_course / "nbgrader_config.py"
    config.unlink() if broken == "missing" else config.write_text("raise RuntimeError('a typing error')")
    done = nbgrader(small_course, "autograde", "--force", "--CourseDirectory.source_directory=solutions", "tiny")
    assert done.returncode == 0, done.stderr
    assert {scores(small_course, "anna")[task] for task in FULL} == {0}
    notebook = nbformat.read(small_course / "autograded" / "anna" / "tiny" / "tiny.ipynb", 4)
    cell = next(cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == "double")
    assert "without the course's grader" in str(cell.outputs)


@pytest.mark.slow
def test_a_check_patched_by_the_student_gives_no_points_under_stock_nbgrader(
    new_course: Callable[[str], Course], tiny_built: Built
) -> None:
    root = new_course("course").root
    notebook = solved(tiny_built)
    notebook.cells.insert(2, nbformat.v4.new_code_cell("check = lambda name: None", id="patch"))
    submit(root, "eve", "tiny", notebook)
    (root / "nbgrader_config.py").unlink()
    nbgrader(root, "autograde", "--CourseDirectory.source_directory=solutions", "tiny")
    assert {scores(root, "eve")[task] for task in FULL} == {0}


@pytest.mark.slow
def test_validate_passes_right_work_and_reports_wrong_work(tmp_path: Path, connections: Built) -> None:
    root = make_course(tmp_path / "course")
    folder = root / "assignments" / CONNECTIONS
    wrong = named_variant(connections, "missing_transpose")
    notebooks = {
        "right": solved(connections),
        "wrong": solved_by(connections, wrong),
        "stub": connections.release,
    }
    said = {}
    for name, notebook in notebooks.items():
        (folder / f"{name}.ipynb").write_text(nbformat.writes(notebook))
        said[name] = nbgrader(root, "validate", str(folder / f"{name}.ipynb")).stdout
    assert "Success" in said["right"]
    assert "A sublayer, forward and backward" in said["wrong"]
    assert "not written yet" in said["stub"]


@pytest.mark.slow
@pytest.mark.parametrize("slug", [CONNECTIONS, BLOCK])
@pytest.mark.parametrize("kind", ["assignments", "solutions"])
def test_built_notebooks_run_from_top_to_bottom_in_a_real_kernel(tmp_path: Path, slug: str, kind: str) -> None:
    from nbclient import NotebookClient

    folder = shutil.copytree(REPOSITORY / kind / slug, tmp_path / slug)
    notebook = nbformat.read(folder / f"{slug}.ipynb", 4)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    errors = [output for cell in notebook.cells for output in cell.get("outputs", []) if output.output_type == "error"]
    assert errors == []
