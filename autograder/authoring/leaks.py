"""Whether anything that students must not see stands in what they do see: the release, checks.py, their feedback.

Texts are compared as rows of words, numbers and operators. Spaces, line breaks, quotes, brackets, commas, comment signs
and JSON's escapes make no difference, and a number is its value. These rows are secret:

    solution        lines between the markers, one by one and two in a row; all of them together; a model answer's
                    sentences
    constant        numbers of four or more significant digits in test_hidden.py
    hidden test     lines of test_hidden.py in the same way, all of a function, texts and docstrings; names of two or
                    more words
    known mistake   the same of wrong/ and right/, with titles, hints and the keys to these, less what is of a solution
    path            places on this machine and files of the exercise folder

Lines and sentences count from six words on; what is whole (all lines, a title) from four. What staff wrote into given
code is no secret, and what they wrote into test_public.py is none of the hidden tests. But two lines of a solution in a
row are always one, and so is all of a solution or of a hidden test.
"""

from __future__ import annotations

import ast
import base64
import os
import re
import sys
import tempfile
import tokenize
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from html import unescape
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from nbformat import NotebookNode

from autograder import layout
from autograder.errors import ExerciseError
from autograder.exercise.built import Built
from autograder.exercise.definition import Exercise, read_text
from autograder.exercise.given_files import modules_among
from autograder.exercise.known_results import KnownResults
from autograder.exercise.modules import modules_in, without_modules
from autograder.exercise.source import BEGIN_SOLUTION, END_SOLUTION
from autograder.exercise.variants import Variant, right_variants, wrong_variants

Kind = Literal["solution", "constant", "hidden test", "known mistake", "path"]

_PIECE, _WHOLE, _EXPRESSION = 6, 4, 8  # how many words make it no accident
_DIGITS = 4
# An escape is no word: in JSON `\nx` is the word `x`.
_WORD = re.compile(r"\\+(?:u[0-9a-fA-F]{4}|[nrt])?|(\d+(?:_\d+)*(?:\.\d+)?(?:[eE][-+]?\d+)?|\w+|[-+*/@%=<>!&|^~])")
_LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
_REGION = re.compile(rf"^ *{BEGIN_SOLUTION}\n.*?^ *{END_SOLUTION}", re.MULTILINE | re.DOTALL)
_THEIRS = re.compile(r"\byours is [-+.\de]+")  # a wrong number may be the right one of another place
_BASE64 = re.compile(r"[A-Za-z0-9+/\n]{24,}")


@dataclass(frozen=True)
class Leak:
    """Something secret that stands where students see it.

    where: the cell or file in words, as "checks.py line 412". what: the text as it stands there, shortened.
    """

    where: str
    kind: Kind
    what: str

    def __str__(self) -> str:
        return f"{self.where} gives away a {self.kind}: {self.what}"


def release_leaks(built: Built) -> list[Leak]:
    """The leaks in the released notebook and in checks.py. Errors: ExerciseError where the folder cannot be read."""
    return Secrets(built).release_leaks(built.release, built.checks_file)


def refuse_leaks(built: Built) -> None:
    """Errors: ExerciseError that names each leak of the release."""
    if leaks := release_leaks(built):
        told = "".join(f"\n  {leak}" for leak in leaks)
        raise ExerciseError(f"{built.exercise.folder}: students would see what they must not see{told}")


class Secrets:
    """What students must not see of one built exercise. Read once, asked often.

    Errors: ExerciseError where the folder cannot be read.
    """

    def __init__(self, built: Built) -> None:
        exercise = built.exercise
        self._modules, self._checks = _modules(exercise), f"{exercise.checks_module}.py"
        given, bodies = _given(built.reference, self._modules.values()), _solutions(built.reference)
        suite = read_text(exercise.public_suite)
        shown = [given, _Code.of(suite), *_runtime()]
        titles = _row("\n".join(f"{task.title}\n{task.hint}" for task in exercise.tasks.values()))
        public = "".join([titles, _row(suite), *(code.row for code in shown)])
        hidden = read_text(exercise.hidden_suite)
        variants = [*wrong_variants(exercise), *right_variants(exercise)]
        solution = (
            _unless(_lines(bodies) | _returned(bodies), given.row)
            | _pairs(bodies)
            | _bodies(bodies)
            | _answers(built.reference)
            | _rows((item.text for task in exercise.tasks.values() for item in task.rubric), _WHOLE)
        )
        names = frozenset[str]().union(*(code.names for code in shown))
        self._kinds: dict[str, Kind] = {
            **dict.fromkeys(_mistakes(variants, solution, given.row + titles, names), "known mistake"),
            **dict.fromkeys(_hidden_tests(hidden, public, names), "hidden test"),
            **dict.fromkeys(_constants(_Code.of(hidden)).difference(*map(_constants, shown)), "constant"),
            **dict.fromkeys(solution, "solution"),
            **dict.fromkeys(map(_row, KnownResults(exercise, built.reference).keys), "known mistake"),
            _row("test_hidden"): "path",
        }
        self._told = _told(ast.parse(hidden)) | _rows((one.hint for one in variants), 1)
        self._places = _path_pattern(exercise)

    def release_leaks(self, notebook: NotebookNode, checks: str) -> list[Leak]:
        """The leaks in a released notebook, its checks.py, and the modules beside it."""
        leaks = [leak for where, text in _places(without_modules(notebook)) for leak in self._leaks(where, text)]
        files = {self._checks: checks, **self._modules, **modules_in(notebook)}
        return leaks + [leak for name, text in files.items() for leak in self._leaks(name, text, lines=True)]

    def feedback_leaks(self, where: str, text: str, own: str = "") -> list[Leak]:
        """The leaks in a text of feedback, plain or HTML.

        What hidden tests say to students is allowed: the first line of a docstring, the messages of `require`, `what=`
        and the hints of known mistakes. own: what the student wrote and printed; to repeat it is no leak of ours.
        """
        text = _THEIRS.sub("yours is", text)
        if not self._leaks(where, text, told=self._told):
            return []
        written = [_row(form) for form in _forms(own)]
        told = self._told | {row for row in self._kinds if any(row in form for form in written)}
        return [leak for leak in self._leaks(where, text, told=told) if leak.kind != "path" or leak.what not in own]

    def _leaks(self, where: str, text: str, lines: bool = False, told: Collection[str] = ()) -> list[Leak]:
        secret = self._kinds.keys() - told
        leaks = []
        for form in map(_Form, _forms(text)):
            found: dict[tuple[int, int], Kind] = {form.find(row): self._kinds[row] for row in secret if row in form.row}
            found |= {match.span(): "path" for match in self._places.finditer(form.unescaped) if _is_private(match)}
            for start, end in _outermost(found):
                line = f" line {form.text.count(chr(10), 0, start) + 1}" if lines else ""
                leaks.append(Leak(where + line, found[start, end], _shortened(form.text[start:end])))
        return list(dict.fromkeys(leaks))


# --- texts as rows ---


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _WORD.finditer(text):
        if word := match[1]:
            yield f"{float(word):.15g}" if word[0].isdecimal() else word, match.start(), match.end()


def _row(text: str) -> str:
    """The words of a text, a space around each: so that a row in another one starts and ends at words."""
    return f" {' '.join(word for word, _, _ in _words(text))} "


def _rows(texts: Iterable[str], at_least: int) -> set[str]:
    return {row for row in map(_row, texts) if len(row.split()) >= at_least}


class _Form:
    """One way to read a text: its row, and where in it the words of a row stand."""

    def __init__(self, text: str) -> None:
        words = list(_words(text))
        self.text = text
        self.row = f" {' '.join(word for word, _, _ in words)} "
        self._starts = [start for _, start, _ in words]
        self._ends = [end for _, _, end in words]

    @property
    def unescaped(self) -> str:
        """The text with spaces for escaped line ends, which would hang on the next word."""
        return re.sub(r"\\+[nrt]", lambda match: " " * len(match[0]), self.text)

    def find(self, row: str) -> tuple[int, int]:
        first = self.row.count(" ", 0, self.row.index(row))
        return self._starts[first], self._ends[first + len(row.split()) - 1]


def _forms(text: str) -> list[str]:
    """A text as it stands, without comments that part its code, without HTML, and what is Base64 in it."""
    without_html = unescape(re.sub(r"<[^<>\n]*>", " ", text))
    without_comments = re.sub(r"#[^\n]*", lambda match: " " * len(match[0]), text)
    return list(dict.fromkeys([text, without_comments, without_html, *_decoded(text)]))


def _decoded(text: str) -> Iterator[str]:
    for match in _BASE64.finditer(text):
        digits = match[0].replace("\n", "")
        digits = digits[: len(digits) - (len(digits) % 4 == 1)]  # one digit more is half a byte, which is refused
        yield base64.b64decode(digits + "=" * (-len(digits) % 4)).decode(errors="ignore")


def _outermost(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans that lie in no other."""
    reached = 0
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end > reached:
            yield start, end
            reached = end


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:79]}…"


# --- the places of a notebook ---


def _places(notebook: NotebookNode) -> Iterator[tuple[str, str]]:
    for cell in notebook.cells:
        yield f"cell {cell.id}", cell.source
        yield f"output of cell {cell.id}", _strings(cell.get("outputs", []))
        yield f"attachment of cell {cell.id}", _strings(cell.get("attachments", {}))
        rest = {key: value for key, value in cell.items() if key not in ("source", "outputs", "attachments")}
        yield f"metadata of cell {cell.id}", _strings(rest)
    yield "notebook metadata", _strings({key: value for key, value in notebook.items() if key != "cells"})


def _strings(value: Any) -> str:
    """All keys and values inside, a line each. The spaces keep Base64 apart from the next line."""
    if isinstance(value, Mapping):
        return " \n ".join(f"{key} \n {_strings(one)}" for key, one in value.items())
    return " \n ".join(map(_strings, value)) if isinstance(value, list | tuple) else str(value)


# --- what is secret ---


@dataclass(frozen=True)
class _Code:
    """Python, read: its logical lines without comments and docstrings, by the numbers of their first lines."""

    lines: dict[int, str]
    names: frozenset[str]

    @classmethod
    def of(cls, source: str) -> _Code:
        tokens = list(tokenize.generate_tokens(StringIO(source).readline))
        lines: dict[int, str] = {}
        line: list[tokenize.TokenInfo] = []
        for token in tokens:
            if token.type == tokenize.NEWLINE:
                if any(one.type != tokenize.STRING for one in line):
                    lines[line[0].start[0]] = " ".join(one.string for one in line)
                line = []
            elif token.type not in _LAYOUT:
                line.append(token)
        return cls(lines, frozenset(one.string for one in tokens if one.type == tokenize.NAME))

    @property
    def row(self) -> str:
        return _row("\n".join(self.lines.values()))

    def between(self, first: int, last: int) -> list[str]:
        return [line for number, line in self.lines.items() if first <= number <= last]


@cache
def _runtime() -> list[_Code]:
    """What checks.py holds beside the public tests."""
    return [_Code.of(read_text(file)) for file in layout.CHECKS_SOURCES]


def _modules(exercise: Exercise) -> dict[str, str]:
    names = [f"{name}.py" for name in modules_among(exercise.files)]
    return {name: exercise.given_files[name].decode(errors="replace") for name in names}


def _given(reference: NotebookNode, modules: Iterable[str]) -> _Code:
    return _Code.of("\n".join([*(_REGION.sub("", cell.source) for cell in _code_cells(reference)), *modules]))


def _solutions(reference: NotebookNode) -> list[list[str]]:
    """The lines of each region between solution markers."""
    return [
        _Code.of(cell.source).between(*(cell.source.count("\n", 0, place) + 1 for place in region.span()))
        for cell in _code_cells(reference)
        for region in _REGION.finditer(cell.source)
    ]


def _code_cells(reference: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in reference.cells if cell.cell_type == "code"]


def _answers(reference: NotebookNode) -> set[str]:
    cells = [cell for cell in reference.cells if cell.cell_type != "code" and "nbgrader" in cell.metadata]
    sentences = _rows((text for cell in cells for text in _sentences(cell.source)), _PIECE)
    return sentences | _rows((cell.source for cell in cells), _WHOLE)


def _hidden_tests(source: str, public: str, names: Collection[str]) -> set[str]:
    tree, code = ast.parse(source), _Code.of(source)
    lines = [list(code.lines.values())]
    texts = _rows(_texts(tree), _PIECE) | _rows(_summaries(tree), _WHOLE)
    pieces = _lines(lines) | _pairs(lines) | texts
    bodies = _bodies(body for body in _function_bodies(source) if len(body) > 1)
    return _unless(pieces, public) | bodies | _names((one.name for one in _functions(tree)), names)


def _mistakes(variants: list[Variant], solution: set[str], public: str, names: Collection[str]) -> set[str]:
    bodies = [body for one in variants for body in _function_bodies(one.code)]
    lines = [list(_Code.of(one.code).lines.values()) for one in variants]
    said = _rows((text for one in variants for text in (one.title, one.hint)), _WHOLE)
    rows = _unless(_lines(lines) | _pairs(lines) | _bodies(bodies) | said, public)
    own = {row for row in rows if not any(other in row or row in other for other in solution)}
    return own | _names((one.name for one in variants), names)


def _told(tree: ast.Module) -> set[str]:
    """What hidden tests say to students."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    messages = [node for call in calls if ast.unparse(call.func) == "require" for node in call.args[1:]]
    messages += [keyword.value for call in calls for keyword in call.keywords if keyword.arg == "what"]
    return _rows([*_summaries(tree), *(text for message in messages for text in _texts(message))], 1)


def _constants(code: _Code) -> set[str]:
    numbers = {word for word in code.row.split() if word[0].isdigit()}
    return {f" {word} " for word in numbers if len(re.sub(r"e.*|\.", "", word).strip("0")) >= _DIGITS}


def _lines(bodies: Iterable[list[str]]) -> set[str]:
    return _rows((line for body in bodies for line in body), _PIECE)


def _returned(bodies: Iterable[list[str]]) -> set[str]:
    """What the lines return, if it is long: so people quote them."""
    lines = [line.strip() for body in bodies for line in body]
    return _rows((line.removeprefix("return ") for line in lines if line.startswith("return ")), _EXPRESSION)


def _pairs(bodies: Iterable[list[str]]) -> set[str]:
    return _rows((" ".join(pair) for body in bodies for pair in pairwise(body)), _PIECE)


def _bodies(bodies: Iterable[list[str]]) -> set[str]:
    return _rows(map(" ".join, bodies), _WHOLE)


def _names(names: Iterable[str], public: Collection[str]) -> set[str]:
    return {_row(name) for name in names if "_" in name.strip("_") and name not in public}


def _unless(rows: set[str], public: str) -> set[str]:
    return {row for row in rows if row not in public}


def _texts(tree: ast.AST) -> list[str]:
    """The lines and sentences of all strings in Python code."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    strings = [node.value for node in nodes if isinstance(node.value, str)]
    return [text for string in strings for text in (*string.splitlines(), *_sentences(string))]


def _sentences(text: str) -> list[str]:
    return [text, *re.split(r"(?<=[.!?])\s+", text)]


def _summaries(tree: ast.Module) -> list[str]:
    return [doc.splitlines()[0] for one in _functions(tree) if (doc := ast.get_docstring(one))]


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def _function_bodies(source: str) -> list[list[str]]:
    code = _Code.of(source)
    return [code.between(one.body[0].lineno, one.end_lineno or 0) for one in _functions(ast.parse(source))]


def _path_pattern(exercise: Exercise) -> re.Pattern[str]:
    roots = {exercise.folder, exercise.folder.resolve(), layout.IMPORTED_FROM, Path.home(), Path(sys.prefix)}
    names = {*map(str, roots), sys.base_prefix, tempfile.gettempdir()} - {"/", "/usr"}  # those are on every machine
    private = re.escape(f"{tempfile.gettempdir()}/{layout.TEMPORARY_PREFIX}") + r"[\w-]+"
    longest_first = "|".join([private, *sorted(map(re.escape, names), key=len, reverse=True)])
    place = rf"(?<![\w.])(?P<root>{longest_first})(?![\w-])(?:/+[\w.+-]*[\w+-])*"
    return re.compile(rf"{place}|\b(?:wrong|right)/\w+\.py\b|\bexercises/{re.escape(exercise.slug)}\b")


def _is_private(match: re.Match[str]) -> bool:
    """Whether a path says something about this machine. Below `/tmp` and the like it does if something is there."""
    root = match["root"]
    return not root or root.count("/") > 1 or (match[0] != root and os.path.exists(match[0]))
