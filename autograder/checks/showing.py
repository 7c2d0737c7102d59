"""What `check(...)` shows: one object that is HTML in a notebook and plain text everywhere else.

Colours come from the notebook's theme where it has names for them, and are readable on light and dark else; marks say
the same without colour. All text is escaped, since it may be a student's. Part of every `checks.py`.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from autograder.checks.findings import Finding

_GREEN = "var(--jp-success-color1, #2e9d58)"
_RED = "var(--jp-error-color1, #e0483e)"
_GREY = "var(--jp-ui-font-color2, #808080)"
_COLOURS = {"✓": _GREEN, "✗": _RED, "·": _GREY, "?": _GREY}
_CODE = "font-family: var(--jp-code-font-family, monospace); font-size: 0.95em"
_NOTHING_YET = "nothing to check yet"
_AS_ABOVE = " (as above)"
_KNOWN = "These are the results of a known mistake"
_LATER = "whether it is right is told after you hand it in"


class Shown:
    """HTML for notebooks, text for all else."""

    def lines(self) -> Iterator[str]:
        raise NotImplementedError

    def html(self) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        return self.html()


def show(shown: Shown) -> None:
    """Display in a notebook, print in a terminal or a script."""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython else None
    if getattr(shell, "kernel", None) is None:
        print(shown)
    else:
        from IPython.display import display

        display(shown)


@dataclass(frozen=True, repr=False)
class Result(Shown):
    """What the public tests of a task found.

    waiting: sentences on what keeps some of them from running. question: what is asked of who makes this known
    mistake. hint: for where there is no such question. beyond: what the grader tries and they do not.
    """

    title: str
    points: float
    findings: list[Finding]
    waiting: list[str]
    question: str = ""
    hint: str = ""
    beyond: str = ""

    @property
    def passed(self) -> bool:
        return not self.waiting and not any(finding.fault for finding in self.findings)

    @property
    def mark(self) -> str:
        marks = {finding.mark for finding in self.findings} | ({"·"} if self.waiting else set())
        return next((mark for mark in "✗·?" if mark in marks), "✓")

    @property
    def is_untouched(self) -> bool:
        return bool(self.waiting) and all(finding.waits for finding in self.findings)

    @property
    def _decided(self) -> list[Finding]:
        return [finding for finding in self.findings if not finding.is_open]

    @property
    def _is_an_answer(self) -> bool:
        return bool(self.findings) and not self._decided and not self.waiting

    @property
    def _hints(self) -> bool:
        return bool(self.hint) and not self.question and self.mark == "✗"

    @property
    def score(self) -> str:
        """How many checks pass, in words."""
        if self.is_untouched:
            return "; ".join(self.waiting)
        if not self.findings:
            return "there is nothing to run here, it is graded after you hand it in"
        if self._is_an_answer:
            return f"there is an answer; {_LATER}"
        passed, later = sum(finding.passed for finding in self._decided), len(self.findings) - len(self._decided)
        counted = f"{passed} of {len(self._decided)} checks pass"
        return f"{counted}; the answer of {later} is judged after you hand it in" if later else counted

    def headline(self) -> str:
        return f"{self.title}: {self.score}."

    def _reasons(self) -> Iterator[tuple[Finding, str]]:
        """Yield findings, the most telling first, with what is said below each; a reason is said once."""
        said: set[str] = set()
        for finding in sorted(self.findings, key=lambda one: one.place):
            reason = finding.fault or (_LATER if finding.is_open else "")
            yield finding, _AS_ABOVE if reason in said else reason
            said |= {reason} - {""}

    def _last_words(self) -> Iterator[str]:
        if self.waiting:
            yield f"{'; '.join(self.waiting)}."
        if self.passed and self._decided:
            yield f"Only the grader tries: {self.beyond}." if self.beyond else "The grader tries other inputs, too."

    def lines(self) -> Iterator[str]:
        yield self.headline()
        if self.is_untouched or self._is_an_answer or not self.findings:
            return
        for finding, reason in self._reasons():
            is_below = reason not in ("", _AS_ABOVE)
            yield f"  {finding.mark} {finding.sentence}{'' if is_below else reason}"
            if is_below:
                yield textwrap.indent(reason, " " * 6)
        for words in self._last_words():
            yield f"  {words}"
        if self.question:
            yield f"{_KNOWN}: {self.question}"
        elif self._hints:
            yield f"Hint: {self.hint}"

    def html(self) -> str:
        head = f"<div>{_mark(self.mark)} <b>{_html(self.title)}</b>: {_html(self.score)}.</div>"
        if self.is_untouched or self._is_an_answer or not self.findings:
            return _framed(head, self.mark)
        rows = list(self._reasons())
        passed = [_row(finding, "") for finding, _ in rows if finding.passed]
        parts = [head, *(_row(finding, reason) for finding, reason in rows if not finding.passed)]
        if len(passed) == len(rows):
            parts += passed
        elif passed:
            parts.append(_folded(f"{_mark('✓')} {len(passed)} that pass", "".join(passed)))
        parts += [f'<div style="margin-top: 0.4em">{_html(words)}</div>' for words in self._last_words()]
        if self.question:
            parts.append(f'<div style="margin-top: 0.4em"><b>{_KNOWN}</b>: {_html(self.question)}</div>')
        elif self._hints:
            parts.append(_folded("Hint", f"<div>{_html(self.hint)}</div>"))
        return _framed("".join(parts), self.mark)


@dataclass(frozen=True, repr=False)
class Overview(Shown):
    """What the public tests of all tasks found: results by the tasks' names."""

    results: dict[str, Result]

    @property
    def passed(self) -> bool:
        return all(result.passed for result in self.results.values())

    def headline(self) -> str:
        worth = {mark: sum(one.points for one in self.results.values() if one.mark == mark) for mark in "✓?"}
        points = sum(one.points for one in self.results.values())
        later = f" Answers worth {worth['?']:g} are judged after you hand them in." if worth["?"] else ""
        return f"Checks pass in tasks worth {worth['✓']:g} of {points:g} points; the grader tries more.{later}"

    def _brief(self, result: Result) -> str:
        return _NOTHING_YET if result.is_untouched else result.score

    def _next(self) -> str:
        for name, result in self.results.items():
            if result.mark == "✗":
                return f'Next: run check("{name}"), which says what differs.'
            if result.waiting:
                return f"Next, {result.title}: {result.waiting[0]}."
        return "Next: save the notebook, let `python checks.py` say what the grader would stumble over, hand it in."

    def lines(self) -> Iterator[str]:
        width = max(len(result.title) for result in self.results.values())
        for result in self.results.values():
            points = f"{result.points:>4g} {'point ' if result.points == 1 else 'points'}"
            yield f"  {result.mark} {result.title:<{width}}  {points}  {self._brief(result)}"
        yield self.headline()
        yield self._next()

    def html(self) -> str:
        table = [_cells("th", "", "task", "points", "checks")]
        for one in self.results.values():
            table.append(_cells("td", _mark(one.mark), _html(one.title), f"{one.points:g}", self._brief(one)))
        words = "".join(f"<div>{_html(words)}</div>" for words in (self.headline(), self._next()))
        style = "border-collapse: collapse; margin: 0 0 0.4em 0"
        rows = "".join(table)
        return _framed(f'<table style="{style}">{rows}</table>{words}', "✓" if self.passed else "·")


# --- pieces of HTML ---


def _framed(inner: str, mark: str) -> str:
    style = f"border-left: 4px solid {_COLOURS[mark]}; padding: 0.2em 0 0.2em 0.8em; line-height: 1.5"
    return f'<div style="{style}">{inner}</div>'


def _mark(mark: str) -> str:
    return f'<b style="color: {_COLOURS[mark]}">{mark}</b>'


def _row(finding: Finding, reason: str) -> str:
    told = reason
    if reason not in ("", _AS_ABOVE):
        code = f"; {_CODE}" if finding.kind == "raised" else ""
        told = f'<div style="margin-left: 1.5em; white-space: pre-wrap{code}">{_html(reason)}</div>'
    return f'<div style="margin-top: 0.3em">{_mark(finding.mark)} {_html(finding.sentence)}{told}</div>'


def _cells(tag: str, *parts: str) -> str:
    style = "text-align: left; padding: 0.15em 1em 0.15em 0; vertical-align: top; background: none"
    cells = "".join(f'<{tag} style="{style}">{part}</{tag}>' for part in parts)
    return f"<tr>{cells}</tr>"


def _folded(summary: str, inner: str) -> str:
    return f'<details style="margin-top: 0.4em"><summary style="cursor: pointer">{summary}</summary>{inner}</details>'


def _html(text: str) -> str:
    """Return text as HTML, code between backticks in letters of code."""
    return re.sub(r"`([^`\n]+)`", rf'<code style="{_CODE}; background: none; color: inherit">\1</code>', escape(text))
