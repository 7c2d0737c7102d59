"""The numbers that nbgrader reads are the points, and no text of a student's is more than text."""

from __future__ import annotations

import json
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import nbformat
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nbconvert.filters import markdown2html
from nbformat import NotebookNode
from nbgrader.utils import determine_grade

from autograder.exercise.built import Built
from autograder.grading.feedback import fill_in, html, number, plain, points_of, summarise
from autograder.isolation.process import ProcessEnded
from autograder.isolation.replies import Raised
from autograder.isolation.session import CellResult
from autograder.report import Finding, Mistake, Report, Status, TaskResult, TestResult
from autograder.submission.notebook import Cell, Role, Submission, read_submission, to_notebook
from autograder.submission.samples import solved

TASK = TaskResult(
    *("double", "Double", 4.0, 2.5, Status.FAILED, "Add x to itself."),
    (
        TestResult("test_a", "twice an array", 1.0, Status.PASSED),
        TestResult("test_b", "twice a number", 1.0, Status.FAILED, "it differs; yours is 3", "a trace"),
    ),
)
REPORT = Report(
    *("tiny", "0123", 7),
    (
        TASK,
        TaskResult("quadruple", "Double twice", 3.0, None, Status.UNGRADED),
        TaskResult("explain", "Explain it", 2.0, None, Status.BY_HAND),
    ),
    (Finding("renamed", "the file is called mine.ipynb"),),
)
NASTY = [
    "<script>alert(1)</script>",
    "</code></li></ul><img src=x onerror=alert(1)>",
    "`` ` </code>",
    "a | b |\n|---|",
    "one\n\n# two\n\n- three",
    "one\r\r# two",
    "[click](javascript:alert(1)).ipynb",
    "![x](http://localhost/x.png)",
    "![x](attachment:x.png)",
    "*a* __b__ ~~c~~ ~d~",
    "http://localhost www.localhost.org <http://localhost> a@localhost.org",
    "[x]: http://localhost",
    "\\",
    "\\* \\` \\<",
    "$x$ $$y$$ \\(z\\) \\begin{a}b\\end{a}",
    "&lt;b&gt; &amp; &#96; &copy",
    "    indented",
    "<!-- comment",
    "'\" onmouseover=alert(1) x='",
    "^[note]: [^1]",
    "--- \n***\n===",
]


class _Reader(HTMLParser):
    """The tags and attributes of an HTML text, and the text between them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, Any]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, attrs))

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(("/" + tag, ()))

    def handle_comment(self, data: str) -> None:
        self.tags.append(("comment", ()))

    def handle_data(self, data: str) -> None:
        self.text += data


def words(text: str) -> str:
    return " ".join(text.split())


def tells(message: str, status: Status = Status.FAILED) -> TaskResult:
    """A result all of whose texts that a student has a hand in are `message`."""
    return TaskResult("a", "A", 1.0, 0.0, status, tests=(TestResult("t", "it", 1.0, status, message),))


def found(message: str) -> Report:
    return Report("tiny", "", 0, (TASK,), (Finding("renamed", message), Finding("edited", message)))


def titled(title: str) -> Report:
    return Report("tiny", "", 0, (TaskResult("a", title, 4.0, 2.5, Status.FAILED),))


def test_the_page_of_a_student_has_no_finding_that_is_for_staff() -> None:
    findings = (Finding("output", "much"), Finding("disturbed", "ended"), Finding("results", "large"))
    said = summarise(Report("tiny", "", 0, (TASK,), findings))
    assert "output" in said
    assert "disturbed" not in said
    assert "results" not in said.replace("Your result", "")


# --- the number that counts ---


def grade_cell(task: TaskResult) -> NotebookNode:
    """A grade cell as `fill_in` leaves it."""
    marks = {"grade": True, "solution": False, "locked": True, "grade_id": task.name, "points": task.points}
    cell = nbformat.v4.new_code_cell("check('a')", metadata={"nbgrader": NotebookNode(marks)})
    submission = Submission((Cell("code", cell.source, Role.GRADE, task.name),))
    notebook = nbformat.v4.new_notebook(cells=[cell])
    return fill_in(notebook, submission, {}, Report("tiny", "", 0, (task,))).cells[1]


points = st.floats(0, 1e9, exclude_min=True) | st.integers(1, 100).map(float)
texts = st.text(max_size=20) | st.sampled_from(NASTY)
test_results = st.builds(TestResult, texts, texts, points, st.sampled_from(Status), texts, texts)
task_results = st.builds(
    TaskResult,
    *(st.just("a"), texts, points),
    st.none() | st.floats(allow_nan=False) | points,
    st.sampled_from(Status),
    texts,
    st.lists(test_results, max_size=3).map(tuple),
)


@settings(max_examples=300)
@given(task_results)
@example(TaskResult("a", "A", 4.0, 0.0, Status.PASSED))
@example(TaskResult("a", "A", 4.0, -0.0, Status.PASSED))
@example(TaskResult("a", "A", 4.0, 5e-324, Status.FAILED))
@example(TaskResult("a", "A", 4.0, 4.000000000000001, Status.PASSED))
@example(TaskResult("a", "A", 0.1 + 0.2, 0.1 + 0.2, Status.PASSED))
@example(TaskResult("a", "A", 1e300, 1e300, Status.PASSED))
def test_nbgrader_reads_the_earned_points_and_nothing_else(task: TaskResult) -> None:
    earned = 0.0 if task.earned is None else min(max(task.earned, 0.0), task.points)
    assert determine_grade(grade_cell(task)) == (earned, task.points)


@pytest.mark.parametrize("status", Status)
def test_no_status_alone_gives_points(status: Status) -> None:
    task = TaskResult("a", "A", 4.0, None, status, tests=(TestResult("t", "it", 1.0, status, "3"),))
    assert determine_grade(grade_cell(task)) == (0.0, 4.0)


def test_what_is_no_number_is_no_points() -> None:
    """nbgrader gives full points for `nan`."""
    assert number(TaskResult("a", "A", 4.0, float("nan"), Status.FAILED)) == "0.0"


@pytest.mark.parametrize(
    ("earned", "expected"),
    [(2.5, "2.5"), (4, "4.0"), (9, "4.0"), (-1, "0.0"), (None, "0.0"), (0, "0.0"), (1e-7, "1e-07"), (1.33, "1.33")],
)
def test_the_number_is_a_plain_python_float(earned: float | None, expected: str) -> None:
    assert number(TaskResult("a", "A", 4, earned, Status.FAILED)) == expected


# --- for people ---


@pytest.mark.parametrize(
    ("earned", "expected"),
    [(2.5, "2.5 of 4 points"), (0.0, "0 of 4 points"), (4.0, "4 of 4 points"), (None, "not graded yet, 4 points")],
)
def test_points_are_said_in_words(earned: float | None, expected: str) -> None:
    assert points_of(TaskResult("a", "A", 4.0, earned, Status.FAILED)) == expected


def test_the_plain_feedback_says_what_was_tried_and_what_was_wrong() -> None:
    assert plain(TASK).splitlines() == [
        "Double: 2.5 of 4 points (failed)",
        "Hint: Add x to itself.",
        "  ✓ twice an array",
        "  ✗ twice a number",
        "      failed: it differs; yours is 3",
    ]


def test_the_html_feedback_says_the_same() -> None:
    read = _Reader(html(TASK)).text
    said = [
        "Double",
        "2.5 of 4 points",
        "failed",
        "Hint: Add x to itself.",
        "✓",
        "twice an array",
        "✗",
        "twice a number",
    ]
    places = [read.index(part) for part in [*said, "failed: it differs; yours is 3"]]
    assert places == sorted(places)


GOLDEN = [
    (
        TASK,
        '<div class="tex2jax_ignore"><div><b>Double</b> · <b class="text-danger">2.5 of 4 points · failed</b></div>'
        "<div>Hint: Add x to itself.</div>"
        '<ul class="list-unstyled"><li><b class="text-success">✓</b> twice an array</li>'
        '<li><b class="text-danger">✗</b> twice a number'
        '<div class="text-muted">failed: it differs; yours is 3</div></li></ul></div>',
    ),
    (
        TaskResult("a", "A & 'B'", 4.0, None, Status.UNGRADED),
        '<div class="tex2jax_ignore"><div><b>A &amp; &#x27;B&#x27;</b> · '
        '<b class="text-info">not graded yet, 4 points · ungraded</b></div>'
        "<div>This could not be graded, through no fault of yours. A person will look at it.</div>"
        '<ul class="list-unstyled"></ul></div>',
    ),
    (
        TaskResult(
            *("a", "<b>", 1.0, 0.0, Status.ERROR, ""),
            (
                TestResult("t", "{{ it }}", 1.0, Status.PASSED),
                TestResult("t", "{{ it }}", 1.0, Status.ERROR, 'say "no"\n\n  <!-- \x00'),
            ),
            (Mistake("m", "for staff", "Is `a` > `b`?"),),
        ),
        '<div class="tex2jax_ignore"><div><b>&lt;b&gt;</b> · <b class="text-danger">0 of 1 points · error</b></div>'
        "<div>Your results are those of a known mistake. Is `a` &gt; `b`?</div>"
        '<ul class="list-unstyled"><li><b class="text-danger">✗</b> {{ it }} (1 of 2 inputs pass)'
        '<div class="text-muted">error: say &quot;no&quot;\n\n  &lt;!-- \x00</div></li></ul></div>',
    ),
    (
        TaskResult(
            *("a", "A", 2.0, 2.0, Status.CARRIED, ""),
            (
                TestResult("t", "one", 1.0, Status.PASSED),
                TestResult("u", "two", 1.0, Status.CARRIED, "right, given a right `<b>`"),
            ),
        ),
        '<div class="tex2jax_ignore"><div><b>A</b> · <b class="text-muted">2 of 2 points · carried</b></div>'
        "<div>This is right, given a right `&lt;b&gt;`.</div>"
        '<ul class="list-unstyled"><li><b class="text-success">✓</b> one</li>'
        '<li><b class="text-muted">✓</b> two<div class="text-muted">right, given a right `&lt;b&gt;`</div></li>'
        "</ul></div>",
    ),
]


@pytest.mark.parametrize(("task", "expected"), GOLDEN, ids=["failed", "ungraded", "error", "carried"])
def test_the_html_of_a_result_stays_byte_for_byte(task: TaskResult, expected: str) -> None:
    assert html(task) == expected


@pytest.mark.parametrize("tell", [plain, lambda task: _Reader(html(task)).text], ids=["plain", "html"])
def test_tests_of_one_sentence_are_told_as_one(tell: Callable[[TaskResult], str]) -> None:
    statuses = [Status.PASSED, Status.FAILED, Status.ERROR]
    tests = tuple(TestResult("t", "twice an array", 1.0, status, f"it is {status}") for status in statuses)
    told = tell(TaskResult("a", "A", 4.0, 1.33, Status.ERROR, tests=tests))
    assert told.count("twice an array") == 1
    assert "(1 of 3 inputs pass)" in told
    assert "failed: it is failed" in told


@pytest.mark.parametrize("tell", [plain, html])
def test_names_and_traces_of_hidden_tests_are_not_for_students(tell: Callable[[TaskResult], str]) -> None:
    assert "test_b" not in tell(TASK)
    assert "a trace" not in tell(TASK)


@pytest.mark.parametrize("tell", [plain, html])
@pytest.mark.parametrize(
    ("status", "said"),
    [
        (Status.PASSED, "Everything here is right."),
        (Status.UNGRADED, "through no fault of yours"),
        (Status.MISSING, "This is not written yet."),
    ],
)
def test_some_statuses_are_explained(tell: Callable[[TaskResult], str], status: Status, said: str) -> None:
    assert said in tell(TaskResult("a", "A", 4.0, None, status))


@pytest.mark.parametrize("tell", [plain, lambda task: _Reader(html(task)).text], ids=["plain", "html"])
def test_a_task_that_is_wrong_in_itself_too_is_not_called_right(tell: Callable[[TaskResult], str]) -> None:
    carried = TestResult("t", "once", 1.0, Status.CARRIED, "right, given a right `double`")
    wrong = TestResult("u", "twice", 1.0, Status.FAILED, "it differs")
    told = tell(TaskResult("a", "A", 4.0, 2.0, Status.FAILED, tests=(carried, wrong)))
    assert "This is right" not in told
    assert told.count("right, given a right `double`") == 1
    assert "failed: it differs" in told


def test_the_summary_is_a_table_of_the_tasks_and_a_list_of_findings() -> None:
    read = _Reader(markdown2html(summarise(REPORT)))
    assert [tag for tag, _ in read.tags].count("tr") == 4
    assert [tag for tag, _ in read.tags].count("td") == 9
    assert [tag for tag, _ in read.tags].count("li") == 1
    assert "2.5 of 7 points from the automatic checks" in words(read.text)
    assert "Double twice not graded yet, 3 points ungraded" in words(read.text)
    assert "renamed: the file is called mine.ipynb" in words(read.text)


def test_without_findings_the_summary_says_nothing_about_the_file() -> None:
    assert "About the file" not in summarise(titled("A"))


# --- no text breaks out ---


@given(texts)
@example("")
def test_a_message_in_the_html_feedback_is_text(message: str) -> None:
    usual, read = _Reader(html(tells("plain"))), _Reader(html(tells(message)))
    assert read.tags == usual.tags
    assert read.text == usual.text.replace("plain", message)


@pytest.mark.parametrize("text", NASTY)
def test_every_text_of_the_html_feedback_is_escaped(text: str) -> None:
    def made(text: str) -> str:
        test = TestResult(text, text, 1.0, Status.ERROR, text, text)
        return html(TaskResult("a", text, 1.0, 0.0, Status.ERROR, text, (test,)))

    assert _Reader(made(text)).tags == _Reader(made("plain")).tags


@pytest.mark.parametrize("message", NASTY)
def test_a_finding_in_the_summary_is_text(message: str) -> None:
    """A file's name may hold any character, and a summary is Markdown, in which HTML, links and images work."""
    usual, read = (_Reader(markdown2html(summarise(found(text)))) for text in ("plain", message))
    assert read.tags == usual.tags
    assert words(read.text) == words(usual.text.replace("plain", words(message)))


@settings(max_examples=200)
@given(st.text(st.sampled_from("\\`*_{}[]()<>#+-.!|~$&;:/@^='\"\n\r\t\x0b\x0c\x85\u2028 ab1"), max_size=30) | texts)
def test_no_finding_adds_a_tag_to_the_summary(message: str) -> None:
    usual, read = (_Reader(markdown2html(summarise(found(text)))) for text in ("plain", message))
    assert read.tags == usual.tags


@pytest.mark.parametrize(
    "title", ["P(x|y)", "x_i and y_j", "2 * 3 * 4", "a `b` c", "<b> & </b>", "$x$", "one\ntwo", "a\\"]
)
def test_a_title_in_the_summary_is_text_in_its_cell(title: str) -> None:
    """It is plain text in checks.py and in the grade cells, so it is here."""
    usual, read = (_Reader(markdown2html(summarise(titled(text)))) for text in ("plain", title))
    assert read.tags == usual.tags
    assert words(read.text) == words(usual.text.replace("plain", title))


# --- the graded notebook ---


@pytest.fixture
def submission(tiny_built: Built) -> Submission:
    return read_submission(nbformat.writes(solved(tiny_built)).encode(), tiny_built.exercise, tiny_built.release)


def ran(submission: Submission, name: str, run: CellResult) -> dict[int, CellResult]:
    place = next(place for place, cell in enumerate(submission.cells) if cell.name == name)
    return {place: run}


def test_results_go_into_the_grade_cells_and_the_summary_before_all(tiny_built: Built, submission: Submission) -> None:
    notebook = fill_in(to_notebook(submission, tiny_built.release), submission, {}, REPORT)
    nbformat.validate(notebook)
    assert (notebook.cells[0].cell_type, notebook.cells[0].source) == ("markdown", summarise(REPORT))
    code = [(cell.cell_type, cell.source) for cell in notebook.cells if cell.cell_type == "code"]
    assert code == [(cell.kind, cell.source) for cell in submission.cells if cell.kind == "code"]
    scores = {
        cell.id: determine_grade(cell)[0] for cell in notebook.cells if cell.id in ("double", "quadruple", "explain")
    }
    assert scores == {"double": 2.5, "quadruple": 0.0, "explain": None}


def test_outputs_of_the_run_go_into_the_cells_that_ran(tiny_built: Built, submission: Submission) -> None:
    output = {"output_type": "stream", "name": "stdout", "text": "hello\n"}
    runs = ran(submission, "setup", CellResult(1, [output]))
    notebook = fill_in(to_notebook(submission, tiny_built.release), submission, runs, REPORT)
    nbformat.validate(notebook)
    cells = {cell.id: cell for cell in notebook.cells}
    assert (cells["setup"].execution_count, cells["setup"].outputs) == (1, [output])
    assert (cells["double-code"].execution_count, cells["double-code"].outputs) == (None, [])


def test_a_cell_that_ended_the_process_says_so_after_its_outputs(tiny_built: Built, submission: Submission) -> None:
    run = CellResult(2, ended=ProcessEnded(Status.TIMEOUT, "it computed for more than 10 seconds"))
    notebook = fill_in(
        to_notebook(submission, tiny_built.release), submission, ran(submission, "double-code", run), REPORT
    )
    nbformat.validate(notebook)
    (output,) = next(cell for cell in notebook.cells if cell.id == "double-code").outputs
    assert output.name == "stderr"
    assert "timeout" in output.text
    assert "more than 10 seconds" in output.text


def test_a_cell_that_asked_for_what_is_not_available_says_so(tiny_built: Built, submission: Submission) -> None:
    run = CellResult(2, error=Raised("PermissionError", "PermissionError", "no", "", refused=True))
    notebook = fill_in(
        to_notebook(submission, tiny_built.release), submission, ran(submission, "double-code", run), REPORT
    )
    (output,) = next(cell for cell in notebook.cells if cell.id == "double-code").outputs
    assert "not available while grading: other processes, the network" in output.text


@given(st.data())
def test_any_report_makes_a_valid_notebook_that_can_be_written(
    parts: Callable[[], tuple[NotebookNode, Submission]], data: st.DataObject
) -> None:
    notebook, submission = parts()
    names = ("double", "quadruple", "explain")
    tasks = tuple(
        TaskResult(name, made.title, made.points, made.earned, made.status, made.hint, made.tests)
        for name, made in zip(names, data.draw(st.tuples(*[task_results] * 3)), strict=True)
    )
    findings = data.draw(st.lists(st.builds(Finding, st.just("edited"), texts), max_size=2).map(tuple))
    filled = fill_in(notebook, submission, {}, Report("tiny", "", 0, tasks, findings))
    nbformat.validate(filled)
    assert json.loads(nbformat.writes(filled).encode())["cells"][0]["id"] == "summary"


@pytest.fixture(scope="session")
def parts(tiny_built: Built) -> Callable[[], tuple[NotebookNode, Submission]]:
    """A mended notebook to fill in, new each time."""
    raw = nbformat.writes(solved(tiny_built)).encode()

    def make() -> tuple[NotebookNode, Submission]:
        submission = read_submission(raw, tiny_built.exercise, tiny_built.release)
        return to_notebook(submission, tiny_built.release), submission

    return make
