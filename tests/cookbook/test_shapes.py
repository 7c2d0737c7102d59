"""An exercise of each shape, from its folder to the table of scores: a class, modules, variables, questions, data,
a module that students write."""

from __future__ import annotations

import csv
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.authoring.verify import verify
from autograder.batch.evaluators import WarmGrader
from autograder.batch.run import grade_students
from autograder.cli import main
from autograder.course.gradebook import register
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.variants import variant, wrong_variants
from autograder.grading.evaluate import Grader
from autograder.report import Status
from autograder.submission.handed_in import Contents
from autograder.submission.samples import handed_in_as, solved, solved_by
from tests.cookbook.conftest import WRITTEN_HERE
from tests.nbgrader_course import course_of, nbgrader, scores, submit

pytestmark = pytest.mark.broad

ENDS_THE_PROCESS = {
    "class": "class Scalar(Scalar):\n    def backward(self):\n        import os\n\n        os._exit(3)",
    "module": "class Head(Head):\n    def forward(self, x, mask=None):\n        import os\n\n        os._exit(3)",
    "variables": 'dh = __import__("os")._exit(3)',
    "questions": 'its_name = __import__("os")._exit(3)',
    "batch-norm": "class BatchNorm(BatchNorm):\n    def forward(self, x):\n        import os\n\n        os._exit(3)",
    "data": "def line(x, y):\n    import os\n\n    os._exit(3)",
    "spring": "def stiffness(mass, length):\n    import os\n\n    os._exit(3)",
    "training-loop": "def train(x, y, steps, rate, seed):\n    import os\n\n    os._exit(3)",
    "two-layers": "def relu(x):\n    import os\n\n    os._exit(3)",
}
LAST_TASK = {
    "class": "scalar",
    "module": "head",
    "variables": "back",
    "questions": "word",
    "batch-norm": "norm",
    "data": "line",
    "spring": "stiffness",
    "training-loop": "train",
    "two-layers": "relu",
}
shapes = pytest.mark.parametrize("shape", ENDS_THE_PROCESS, indirect=True)


def submissions(shape: Built) -> dict[str, NotebookNode]:
    """Of one who is right, one who makes a known mistake, and one whose code ends its process."""
    return {
        "right": solved(shape),
        "wrong": solved_by(shape, wrong_variants(shape.exercise)[0]),
        "crashing": solved_by(shape, variant("crash", ENDS_THE_PROCESS[shape.exercise.slug])),
    }


@shapes
def test_the_right_one_gets_all_points_a_wrong_one_loses_some_and_a_crash_is_told(shape: Built, grader: Grader) -> None:
    task = LAST_TASK[shape.exercise.slug]
    results = {
        name: grader.evaluate(Contents({shape.exercise.slug: raw}, files), SeededExercise(shape, 0)).report
        for name, one in {**submissions(shape), "nothing": shape.release}.items()
        for raw, files in [handed_in_as(one)]
    }
    assert results["right"].earned == results["right"].automatic_points
    assert results["nothing"].task(task).status is Status.MISSING
    assert 0 < results["wrong"].earned < results["wrong"].automatic_points
    told = [mistake.name for one in results["wrong"].tasks for mistake in one.mistakes]
    assert told[:1] == [wrong_variants(shape.exercise)[0].name]
    assert results["crashing"].task(task).status is Status.CRASHED
    assert [name for name, report in results.items() if report.ungraded] == []


@pytest.mark.parametrize("shape", ["module"], indirect=True)
def test_a_known_mistake_of_a_module_is_told_whatever_its_weights_were_at_first(shape: Built, grader: Grader) -> None:
    mistake = next(one for one in wrong_variants(shape.exercise) if one.name == "mask_forgotten")
    notebook = solved_by(shape, mistake)
    setup = next(cell for cell in notebook.cells if cell.id == "text-2")
    notebook.cells.insert(notebook.cells.index(setup), new_code_cell("torch.manual_seed(3)"))
    report = grader.evaluate(nbformat.writes(notebook).encode(), SeededExercise(shape, 0)).report
    assert [one.name for one in report.task("head").mistakes] == ["mask_forgotten"]


@pytest.mark.slow
@pytest.mark.parametrize("shape", WRITTEN_HERE, indirect=True)
def test_the_suites_written_here_are_worth_their_points(shape: Built) -> None:
    verification = verify(shape, seeds=1, jobs=1)
    assert verification.problems == []


@pytest.mark.slow
@shapes
def test_the_whole_path_from_release_to_export(
    shape: Built, grader: Grader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course, slug = course_of(tmp_path, shape.exercise.folder), shape.exercise.slug
    register(course, slug)
    handed_in = submissions(shape)
    for student, notebook in handed_in.items():
        raw, files = handed_in_as(notebook)
        for name, content in {f"{slug}.ipynb": raw, **files}.items():
            submit(tmp_path, student, slug, content, name)
    grade_students(course, course.seeded(slug), [*handed_in], WarmGrader(grader))
    earned = {student: sum(points or 0.0 for points in scores(tmp_path, student).values()) for student in handed_in}
    assert earned["right"] == 10 > earned["wrong"] > 0
    assert earned["crashing"] < earned["right"]
    assert nbgrader(tmp_path, "generate_feedback", "--force", slug).returncode == 0
    pages = {name: (tmp_path / "feedback" / name / slug / f"{slug}.html").read_text() for name in handed_in}
    title = shape.exercise.tasks[LAST_TASK[slug]].title
    assert all(title in page for page in pages.values())
    assert "crashed" in pages["crashing"]
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, ["export"]).exit_code == 0
    rows = list(csv.DictReader((tmp_path / "grades.csv").open(newline="", encoding="utf-8")))
    assert {row["student_id"] for row in rows} == set(handed_in)
