"""A module that students write beside the notebook is graded as what stands in the notebook is, for true reasons."""

from __future__ import annotations

import copy
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from autograder.exercise.build import build
from autograder.exercise.built import Built, SeededExercise
from autograder.exercise.definition import Exercise
from autograder.exercise.variants import variant, wrong_variants
from autograder.grading.evaluate import Evaluation, Grader
from autograder.report import Finding, Report, Status
from autograder.submission.handed_in import Contents
from autograder.submission.samples import handed_in_as, solved, solved_by
from tests.cookbook.two_layers import FILES, write_two_layers

FILE = "layers.py"
RIGHT = "def affine(x, W, b):\n    return x @ W + b\n\n\ndef relu(x):\n    return x * (x > 0)\n"


@pytest.fixture(scope="session")
def two_layers(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The cookbook's exercise about a module, built; shared, so not to be changed."""
    return build(Exercise(write_two_layers(tmp_path_factory.mktemp("exercises"))))


class Class:
    """Students who hand in the right notebook, and modules of many kinds."""

    def __init__(self, built: Built, grader: Grader) -> None:
        self._built = built
        self._grader = grader
        self.notebook = nbformat.reads(handed_in_as(solved(built))[0].decode(), 4)
        self.released = handed_in_as(built.release)[1][FILE].decode()

    def evaluation(self, module: str | None, *above: str) -> Evaluation:
        """above: cells of the student's own below the setup cell. module: None for none that is handed in."""
        notebook = copy.deepcopy(self.notebook)
        notebook.cells[2:2] = [new_code_cell(source) for source in above]
        files = {} if module is None else {FILE: module.encode()}
        contents = Contents({"two-layers": nbformat.writes(notebook).encode()}, files)
        return self._grader.evaluate(contents, SeededExercise(self._built, 0))

    def report(self, module: str | None, *above: str) -> Report:
        report = self.evaluation(module, *above).report
        assert report.fault == ""
        return report


@pytest.fixture
def students(two_layers: Built, grader: Grader) -> Class:
    return Class(two_layers, grader)


def told(report: Report, task: str) -> set[str]:
    return {test.message for test in report.task(task).tests if test.message}


def statuses(report: Report) -> list[Status]:
    return [report.task(name).status for name in ("affine", "relu", "network")]


HEAD = "import numpy as np\n\n\n"


def test_a_right_one_gets_all_points_whatever_its_line_ends(students: Class) -> None:
    for module in (HEAD + RIGHT, "\ufeff" + (HEAD + RIGHT).replace("\n", "\r\n")):
        report = students.report(module)
        assert (report.earned, report.findings) == (10, ())


def test_one_that_is_not_handed_in_or_not_written_is_told_as_that(students: Class) -> None:
    nothing, stub = students.report(None), students.report(students.released)
    assert statuses(nothing) == statuses(stub) == [Status.MISSING, Status.MISSING, Status.CARRIED]
    assert told(nothing, "relu") == {"layers.py was not handed in"}
    assert nothing.findings == (Finding("missing", "no layers.py was handed in"),)
    assert told(stub, "relu") == {"`relu` is not written yet"}
    assert stub.findings == ()


@pytest.mark.parametrize(
    ("module", "said"),
    [
        (HEAD + RIGHT + "\ndef f(:\n", "SyntaxError: invalid syntax (layers.py, line 11: def f(:)"),
        ("1 / 0\n" + RIGHT, "ZeroDivisionError: division by zero (layers.py, line 1: 1 / 0)"),
        (RIGHT + "raise SystemExit(3)\n", "`sys.exit`"),
    ],
)
def test_one_that_cannot_be_imported_costs_what_it_defines_and_no_more(students: Class, module: str, said: str) -> None:
    evaluation = students.evaluation(module)
    report = evaluation.report
    assert statuses(report) == [Status.ERROR, Status.ERROR, Status.CARRIED]
    assert told(report, "relu") == {f"layers.py, which should define `relu`, ended with {said}"}
    setup = next(cell for cell in evaluation.notebooks["two-layers"].cells if cell.id == "setup")
    traces = [line for output in setup.outputs for line in output["traceback"]]
    assert "/" not in "".join(traces).replace("1 / 0", "")  # where it lay is nobody's affair


def test_one_that_ends_the_process_costs_what_it_defines_and_cells_keep_their_numbers(students: Class) -> None:
    """The notebook has what else the setup cell brings, though that was what imported the module."""
    module = "import os\n\nos._exit(3)\n" + RIGHT
    network = "def network(x, W1, b1, W2, b2):\n    return np.asarray(affine(relu(affine(x, W1, b1)), W2, b2))\n"
    next(cell for cell in students.notebook.cells if cell.id == "network-code").source = network
    report = students.report(module)
    assert statuses(report) == [Status.CRASHED, Status.CRASHED, Status.CARRIED]
    assert "layers.py, which should define `relu`, was left out" in " ".join(told(report, "relu"))
    assert [finding.message.split(":")[0] for finding in report.findings] == ["cell 1"]


def test_a_function_that_is_gone_costs_its_own_points_alone(students: Class) -> None:
    report = students.report((HEAD + RIGHT).replace("def affine", "def afine"))
    assert statuses(report) == [Status.MISSING, Status.PASSED, Status.CARRIED]
    assert told(report, "affine") == {"there is no function `affine` in layers.py"}


def test_an_error_in_it_is_told_with_its_file_and_line(students: Class) -> None:
    report = students.report(HEAD + RIGHT.replace("return x @ W + b", "return x @ W + c"))
    said = "NameError: name 'c' is not defined (layers.py, line 5: return x @ W + c)"
    assert told(report, "affine") == {said}


def test_which_function_of_it_is_not_written_is_told(students: Class) -> None:
    module = students.released.rpartition("def relu")[0] + "def relu(x):\n    return affine(x, x, x)\n"
    report = students.report(module)
    assert statuses(report)[:2] == [Status.MISSING, Status.ERROR]
    assert told(report, "relu") == {"`relu` uses `affine`, which is not written yet"}


def test_what_stands_in_the_notebook_instead_counts(students: Class) -> None:
    for module in (None, students.released):
        assert students.report(module, HEAD + RIGHT).earned == 10


def test_what_is_not_allowed_is_found_in_its_text_and_in_the_process(
    two_layers: Built, grader: Grader, tmp_path: Path
) -> None:
    toml = FILES["exercise.toml"].replace("numpy.maximum", "numpy.clip")
    students = Class(build(Exercise(write_two_layers(tmp_path, {"exercise.toml": toml}))), grader)
    plain = HEAD + RIGHT.replace("x * (x > 0)", "np.clip(x, 0, None)")
    hidden = HEAD + RIGHT.replace("x * (x > 0)", "getattr(np, 'cl' + 'ip')(x, 0, None)")
    for module, line in ((plain, "np.clip(x, 0, None)"), (hidden, "getattr(np, 'cl' + 'ip')(x, 0, None)")):
        report = students.report(module)
        assert report.task("relu").status is Status.NOT_ALLOWED
        said = f"`numpy.clip` (layers.py, line 9: return {line}). Write the comparison yourself."
        assert told(report, "relu") == {said}


@pytest.mark.parametrize("file", ["layers.py", "model.py"])
def test_errors_are_carried_forward_within_it_and_to_another_one(tmp_path: Path, grader: Grader, file: str) -> None:
    """A function of a module that needs another one gets the right one, too."""
    above, mark, rest = FILES["notebook.py"].partition('# %% task="network"\n')
    solution, _, below = rest.partition("# %% grade")
    head = {"layers.py": FILES["layers.py"], "model.py": "# %%\nfrom layers import affine, relu\n"}[file]
    imports = "affine, network, relu" if file == "layers.py" else "affine, relu\nfrom model import network"
    submit = ", ".join(f'"{name}"' for name in dict.fromkeys(["layers.py", file]))
    changes = {
        "exercise.toml": FILES["exercise.toml"].replace('"layers.py"', submit),
        "notebook.py": f"{above.replace('affine, relu', imports)}# %% grade{below}",
        file: f"{head}\n\n{mark}{solution}",
    }
    built = build(Exercise(write_two_layers(tmp_path, changes)))
    raw, files = handed_in_as(solved_by(built, wrong_variants(built.exercise)[0]))
    assert sorted(files) == sorted({"layers.py", file})
    report = grader.evaluate(Contents({"two-layers": raw}, files), SeededExercise(built, 0)).report
    assert statuses(report) == [Status.FAILED, Status.PASSED, Status.CARRIED]
    assert [mistake.name for mistake in report.task("affine").mistakes] == ["bias_forgotten"]


def test_a_known_mistake_in_it_is_recognised(two_layers: Built, grader: Grader) -> None:
    mistake = next(one for one in wrong_variants(two_layers.exercise) if one.name == "signs_dropped")
    raw, files = handed_in_as(solved_by(two_layers, mistake))
    report = grader.evaluate(Contents({"two-layers": raw}, files), SeededExercise(two_layers, 0)).report
    assert [one.name for one in report.task("relu").mistakes] == ["signs_dropped"]


def test_the_page_shows_it_and_nbgrader_takes_it_for_no_cell_of_its_own(students: Class) -> None:
    module = HEAD + RIGHT + "# as I wrote it\n"
    cells = students.evaluation(module).notebooks["two-layers"].cells
    place = next(number for number, cell in enumerate(cells) if cell.source == module)
    assert cells[place - 1].source == "`layers.py`, the file beside the notebook:"
    assert cells[place].metadata == {}


def test_the_page_has_no_code_in_the_place_of_one_that_was_not_handed_in(students: Class) -> None:
    sources = [cell.source for cell in students.evaluation(None).notebooks["two-layers"].cells]
    assert sources[1] == "`layers.py`, the file beside the notebook, was not handed in."
    assert not any("def relu" in source for source in sources)


def test_beside_a_notebook_that_cannot_be_read_nothing_is_said_of_it(two_layers: Built, grader: Grader) -> None:
    contents = Contents({"two-layers": b"nothing"}, {FILE: (HEAD + RIGHT).encode()})
    evaluation = grader.evaluate(contents, SeededExercise(two_layers, 0))
    assert [finding.kind for finding in evaluation.report.findings] == ["unreadable"]
    assert "layers.py`, the" not in nbformat.writes(evaluation.notebooks["two-layers"])


def test_what_is_larger_than_any_module_or_no_text_is_told(students: Class) -> None:
    large = students.report("#" * (1 << 20) + "\n" + RIGHT)
    assert [finding.kind for finding in large.findings] == ["ignored"]
    assert statuses(large) == [Status.UNGRADED, Status.UNGRADED, Status.CARRIED]
    raw = nbformat.writes(students.notebook).encode()
    contents = Contents({"two-layers": raw}, {FILE: b"# caf\xe9\n" + RIGHT.encode()})
    latin = students._grader.evaluate(contents, SeededExercise(students._built, 0)).report
    assert (latin.earned, [finding.kind for finding in latin.findings]) == (10, ["edited"])


def test_a_variant_takes_the_place_of_functions_in_both(two_layers: Built) -> None:
    code = "def relu(x):\n    return x\n\n\ndef network(x, W1, b1, W2, b2):\n    return x"
    raw, files = handed_in_as(solved_by(two_layers, variant("both", code)))
    assert b"return x\n" in files[FILE]
    assert b"np.where" not in files[FILE]
    assert "affine(relu" not in raw.decode()


@pytest.mark.parametrize("name", ["layers-2.py", "Layers.py", "src/layers.py"])
def test_under_another_name_its_tasks_wait_for_a_person(two_layers: Built, grader: Grader, name: str) -> None:
    raw, _ = handed_in_as(solved(two_layers))
    contents = Contents({"two-layers": raw}, {}, {name: "a digest"})
    report = grader.evaluate(contents, SeededExercise(two_layers, 0)).report
    assert statuses(report) == [Status.UNGRADED, Status.UNGRADED, Status.CARRIED]
    assert (report.earned, report.task("relu").earned, report.task("network").earned) == (4, None, 4)
    assert report.findings == (
        Finding("ignored", f"beside the notebook: {name}; only the notebook and layers.py are graded"),
        Finding("missing", f"no layers.py was handed in; there is {name}: rename it if that is it"),
    )


def test_a_file_of_the_students_own_that_it_imports_is_told_as_its_lack(two_layers: Built, grader: Grader) -> None:
    raw, _ = handed_in_as(solved(two_layers))
    module = f"import mine\n{HEAD}{RIGHT}".encode()
    contents = Contents({"two-layers": raw}, {FILE: module}, {FILE: "a digest", "mine.py": "a digest"})
    report = grader.evaluate(contents, SeededExercise(two_layers, 0)).report
    said = "layers.py imports `mine`, a file that you handed in beside it; only the notebook and layers.py are graded"
    assert [finding.message.startswith(said) for finding in report.findings] == [False, True]
    assert all(said in message for message in told(report, "relu"))
