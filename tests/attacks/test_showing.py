"""What a student wrote is shown and does nothing more: on the feedback page, on formgrader's page, in the terminal."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner
from nbconvert.exporters import HTMLExporter
from nbgrader.server_extensions.formgrader import handlers
from rich.console import Console
from traitlets.config import Config

from autograder.batch.run import Outcome
from autograder.cli import main
from autograder.commands import grading
from autograder.course.reports import save_report
from autograder.course.student_page import as_html
from autograder.exercise.built import Built, SeededExercise
from autograder.grading.evaluate import Evaluation, Grader
from autograder.grading.explain import explain
from autograder.grading.feedback import fill_in, html
from autograder.report import Finding, Report, Status, TaskResult, TestResult
from autograder.settings import use_autograder
from autograder.submission.handed_in import handed_in
from autograder.submission.notebook import read_submission, to_notebook
from autograder.submission.samples import solved
from tests.attacks.world import ATTACKS, HIDDEN, Attack, World, submission
from tests.nbgrader_course import make_gradebook

SHOWING = [attack for attack in ATTACKS if attack.path.parent.name == "showing"]
PAGES = ["feedback", "formgrader"]
FORMULAS = {("math",), ("math", "display")}  # as our own page has them, with these attributes

# Markdown that is more than text, each in its own way.
ACTIVE = {
    "a script": "<script>alert('evil')</script>",
    "a script in a list": "- <script>alert('evil')</script>",
    "a script in a table": "| a |\n|---|\n| <script>alert('evil')</script> |",
    "a script after the cell's end": "</div></div></div></div></div><script>alert('evil')</script>",
    "a script after a comment": "<!-- --!><script>alert('evil')</script>",
    "a script in a script": "<scr<script>ipt>alert('evil')</scr</script>ipt>",
    "a script without an end": "<script src=//localhost/evil.js",
    "a script in a formula": "$x$ $$<script>alert('evil')</script>$$",
    "a handler": "<img src=x onerror=alert(1)>",
    "a handler without spaces": "<img/src=x/onerror=alert(1)>",
    "a handler in a title": '![x](x "t\\" onerror=alert(1) x=\\"")',
    "a handler of a block": "<div onclick=alert('evil')>\n\n**x**\n\n</div>",
    "a handler that needs no click": "<details open ontoggle=alert('evil')>x</details>",
    "a handler in a formula": "$$<img src=x onerror=alert(1)>$$",
    "a handler behind a quote": '<img alt="`<img src=x onerror=alert(1)>`">',
    "a link to a script": "[x](javascript:alert('evil'))",
    "a link in other letters": "[x](JaVaScRiPt:alert('evil'))",
    "a link in entities": "[x](javascript&colon;alert('evil')) <a href='java&#9;script&#58;alert(1)'>x</a>",
    "a link with spaces": "<a href=' \x01javascript:alert(1)'>x</a> [x](<java\tscript:alert(1)>)",
    "a link by reference": "[x]\n\n[x]: javascript:alert('evil')",
    "a link in angles": "<javascript:alert('evil')>",
    "a link to a page of data": "[x](data:text/html,<script>alert('evil')</script>) [y](vbscript:evil)",
    "an image from a script": "![x](javascript:alert('evil'))",
    "a style": "<style>.score { display: none }</style>",
    "a frame": "<iframe srcdoc='<script>alert(1)</script>'></iframe><frameset><frame src=//localhost/evil>",
    "an object": "<object data='data:text/html,evil'></object><embed src=//localhost/evil><applet code=evil>",
    "a form": "<form action=//localhost/evil><input name=p><button formaction=javascript:alert(1)>x</button></form>",
    "a page that goes elsewhere": "<meta http-equiv=refresh content='0;url=//localhost/evil'><base href=//localhost>",
    "a style sheet": "<link rel=stylesheet href=//localhost/evil.css>",
    "a vector image": "<svg onload=alert(1)><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>",
    "a formula in HTML": "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table>",
    "a title of no script": '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
    "a template": "<template><script>alert(1)</script></template><xmp><script>alert(1)</script></xmp>",
}
HONEST = """# A heading

**bold**, *slanted*, `x < y`, $a<b$, 1 < 2 & 3 > 2, [a link](https://jupyter.org "title")

| a | b |
|---|---|
| 1 | 2 |

1. one
2. two

> quoted

```python
if x < y: print("<script>")
```
"""
_ELEMENTS = set(
    "script style iframe frame frameset object embed applet form meta link base svg math template noscript xmp".split()
)
_ADDRESSES = ("href", "src", "action", "formaction", "xlink:href", "data", "poster", "background", "srcset", "srcdoc")
_ADDRESS_THAT_ACTS = re.compile(r"(javascript|vbscript|data:(?!image/(png|jpeg);base64,))")

# Names of files that students may hand in.
NAMES = {
    "a terminal's commands": b"\x1b]0;evil\x07\x1b[2J\x1b[31m.ipynb",
    "a direction of writing": "a\u202eevil\u2066.ipynb".encode(),
    "lines of a report": b"a\n  10 of 10 points\n  double: 4 of 4 points (passed).ipynb",
    "markup": b"[red]evil [link=https:evil]x.ipynb",
    "HTML": b"<script>evil<img src=x onerror=alert(1)>.ipynb",
    "no text": b"\xff\xfe.ipynb",
}


class _Page(HTMLParser):
    """The elements of a page that come after the start of what it shows, and the text between them."""

    def __init__(self, page: str, start: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self._own = FORMULAS if start == "<main" else set[tuple[str, ...]]()
        self.feed(page[page.index(start) :])
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text += data

    def active(self) -> list[str]:
        """What is more than text and form."""
        found = [tag for tag, attributes in self.elements if tag in _ELEMENTS and (tag, *attributes) not in self._own]
        for tag, attributes in self.elements:
            found += [f"{tag} {name}" for name in attributes if name.startswith("on")]
            for name in _ADDRESSES:
                address = re.sub(r"[\x00-\x20]", "", attributes.get(name, "")).lower()
                found += [f"{tag} {name}={address}"] if _ADDRESS_THAT_ACTS.match(address) else []
        return found


@pytest.fixture(scope="module")
def show() -> Callable[..., _Page]:
    """An evaluation's notebook as our page for students, and as formgrader's under the course's settings."""
    config = Config(HTMLExporter={"template_name": "formgrade", "extra_template_basedirs": [handlers.template_path]})
    use_autograder(config)  # as nbgrader's FormgradeExtension does
    exporter = HTMLExporter(config=config)

    def page(evaluation: Evaluation, kind: str) -> _Page:
        if kind == "feedback":
            return _Page(as_html(evaluation.report, None, evaluation.notebook, "evil<script>"), "<main")
        html, _ = exporter.from_notebook_node(evaluation.notebook, resources={"index": 0, "total": 1})
        assert "config=TeX-AMS_CHTML-full,Safe" in html  # no links in formulas
        return _Page(html, 'id="notebook-container"')

    return page


# --- outputs and messages ---


@pytest.mark.parametrize("attack", SHOWING, ids=lambda attack: attack.path.stem)
def test_nothing_of_an_attack_acts_on_a_page_or_looks_like_the_report(
    attack: Attack, built: Built, grader: Grader, show: Callable[..., _Page], tmp_path: Path
) -> None:
    world = World(tmp_path)
    evaluation = grader.evaluate(submission(built, world, attack), SeededExercise(built, 1))
    world.close()
    for kind in PAGES:
        assert not show(evaluation, kind).active()
    assert not re.search(r"^ *(10 of 10|double: 4 of 4)", explain(evaluation.report), re.MULTILINE)


def test_a_message_is_no_formula(show: Callable[..., _Page]) -> None:
    """MathJax leaves alone what is in a code element, or in one of the class tex2jax_ignore."""
    test = TestResult("test_a", "a formula", 1.0, Status.ERROR, r"$\color{green}{4/4}$")
    shown = html(TaskResult("double", "Double", 4.0, 0.0, Status.ERROR, tests=(test,)))
    around = re.findall(r"<([^<>]*)>", shown[: shown.index("color")])
    assert any(tag.startswith(("code", "pre")) or "tex2jax_ignore" in tag for tag in around)


# --- the notebook's own text ---


@pytest.mark.parametrize("source", ACTIVE.values(), ids=ACTIVE)
def test_the_students_markdown_is_text_and_form(
    source: str, tiny_built: Built, right: Report, show: Callable[..., _Page]
) -> None:
    evaluation = _handed_in(tiny_built, right, source)
    for page in (show(evaluation, kind) for kind in PAGES):
        assert not page.active()
        assert "after the answer" in page.text


@pytest.mark.parametrize("kind", PAGES)
def test_honest_markdown_keeps_its_form(
    kind: str, tiny_built: Built, right: Report, show: Callable[..., _Page]
) -> None:
    page = show(_handed_in(tiny_built, right, HONEST), kind)
    tags = {tag for tag, _ in page.elements}
    assert {"h5" if kind == "feedback" else "h1", "math" if kind == "feedback" else "p"} <= tags
    assert {"strong", "em", "code", "pre", "table", "th", "td", "ol", "li", "blockquote", "p"} <= tags
    assert ("a", "https://jupyter.org") in {(tag, attributes.get("href")) for tag, attributes in page.elements}
    for text in ("x < y", "a<b", "1 < 2 & 3 > 2", 'print("<script>")'):
        assert text in page.text


@pytest.mark.parametrize("source", ["# double", "<b id=double>x</b>", "<b id='double-comment'>x</b>"])
def test_no_text_takes_the_place_of_a_score_in_formgrader(
    source: str, tiny_built: Built, right: Report, show: Callable[..., _Page]
) -> None:
    """Formgrader looks for the box of a task's score by the task's name, and takes the first element of this id."""
    page = show(_handed_in(tiny_built, right, source), "formgrader")
    taken = [tag for tag, attributes in page.elements if attributes.get("id") in ("double", "double-comment")]
    assert set(taken) <= {"input", "textarea"}


def _with_text(built: Built, text: str) -> bytes:
    """Right work with the text as a cell of the student's own, as the free-text answer, and as a raw cell."""
    notebook = solved(built)
    answer = next(cell for cell in notebook.cells if cell.id == "explain")
    answer.source = f"{text}\n\nafter the answer"
    notebook.cells.remove(answer)
    own = [nbformat.v4.new_markdown_cell(text), nbformat.v4.new_raw_cell(text)]
    own[0].attachments = {"x.png": {"text/html": text}}
    own[1].metadata = {"raw_mimetype": "text/html"}
    notebook.cells = [*own, answer, *notebook.cells]
    return nbformat.writes(notebook).encode()


def _handed_in(built: Built, report: Report, text: str) -> Evaluation:
    """A graded notebook with the text, as the grader makes it: no process of the student's has a part in that."""
    submission = read_submission(_with_text(built, text), built.exercise, built.release)
    notebook = fill_in(to_notebook(submission, built.release), submission, {}, report)
    return Evaluation(report, {"tiny": notebook})


@pytest.fixture(scope="module")
def right(tiny_built: Built, grader: Grader) -> Report:
    return grader.evaluate(nbformat.writes(solved(tiny_built)).encode(), SeededExercise(tiny_built, 1)).report


def test_the_grader_reads_and_shows_a_text_in_this_way(tiny_built: Built, grader: Grader, right: Report) -> None:
    text = "\n\n".join(ACTIVE.values())
    evaluation = grader.evaluate(_with_text(tiny_built, text), SeededExercise(tiny_built, 1))
    assert evaluation.report.earned == 7, evaluation.report.fault
    shown = _handed_in(tiny_built, right, text)
    prose = [
        [cell.source for cell in one.cells if cell.cell_type != "code"] for one in (evaluation.notebook, shown.notebook)
    ]
    assert prose[0] == prose[1]


# --- file names, in the terminal ---


@pytest.fixture(params=NAMES.values(), ids=NAMES)
def finding(request: pytest.FixtureRequest, tmp_path: Path) -> Finding:
    """What is found where the only file in a student's folder has this name."""
    folder = tmp_path / "handed-in"
    folder.mkdir()
    (folder / os.fsdecode(request.param).replace("/", "")).touch()
    found = handed_in(folder, tmp_path, ["tiny"])
    return next(iter(found.findings), Finding("missing", found.refused))


def test_a_file_name_is_one_line_of_plain_text_in_a_report(finding: Finding) -> None:
    text = explain(_report(finding))
    assert not HIDDEN.search(text)
    assert not re.search(r"^ *(10 of 10|double: 4 of 4)", text, re.MULTILINE)


def test_a_file_name_never_keeps_a_report_from_being_written(finding: Finding) -> None:
    assert _report(finding).to_json()


def test_show_prints_no_command_to_the_terminal(
    finding: Finding, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nbgrader_config.py").write_text(
        "from autograder.settings import use_autograder\nuse_autograder(get_config())\n"
    )
    make_gradebook(tmp_path / "gradebook.db")
    monkeypatch.chdir(tmp_path)
    save_report(tmp_path, "eve", _report(finding))
    result = CliRunner().invoke(main, ["show", "tiny"], color=True)
    assert result.exit_code == 0, result.output
    assert not HIDDEN.search(result.output)


def test_the_table_of_scores_prints_no_command_to_the_terminal(
    finding: Finding, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Console(file=io.StringIO(), force_terminal=True, color_system=None, width=200)
    monkeypatch.setattr(grading, "console", terminal)
    grading._print_scores([Outcome("eve", refused=finding.message)])
    printed = terminal.file.getvalue()  # type: ignore[attr-defined]
    assert "eve" in printed
    assert not HIDDEN.search(printed)


def _report(finding: Finding) -> Report:
    return Report("tiny", "0123", 7, (TaskResult("double", "Double", 4.0, 0.0, Status.FAILED),), (finding,))
