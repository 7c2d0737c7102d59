"""The suites of an adopted exercise: what of its test cells could be rewritten, and what is left to a person.

A test cell is one hidden test, as heavy as the cell was worth: all or nothing, as nbgrader has it. Of what students
could read of it, each check is a public test.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator

from autograder.authoring.adoption.asserts import ByHand, Rewritten, rewritten
from autograder.authoring.adoption.cells import parsed, parted
from autograder.authoring.adoption.expressions import Names
from autograder.authoring.adoption.outline import AdoptedTask
from autograder.authoring.adoption.reading import Cell
from autograder.authoring.scaffold import title_of

_COMPARISONS = "assert_close assert_exact assert_text expect_tuple require".split()


def suites(tasks: list[AdoptedTask]) -> tuple[str, str, list[str]]:
    """test_hidden.py, test_public.py, and what is to be done in them."""
    hidden, public = _Suite(_HIDDEN), _Suite(_PUBLIC)
    to_do = [told for task in tasks if task.known for told in _add(task, task.known, hidden, public)]
    return hidden.text, public.text, to_do


def _add(task: AdoptedTask, names: Names, hidden: _Suite, public: _Suite) -> Iterator[str]:
    """Add the tests of a task to both suites; what is to be done in them."""
    done = [(test, rewritten(test.source, names, is_hidden=True)) for test in task.tests]
    for test, all_of_it in done:
        if test.points:
            hidden.add_whole(task, test, all_of_it)
        public.add_parts(task, test, rewritten(seen_of(test), names, is_hidden=False))
        yield from (f"test_hidden.py, `{test.name}`: {told}" for told in _left(all_of_it))
    idle = [test for test, one in done if test.points and not one.checks]
    if not any(one.checks for test, one in done if test.points):
        hidden.add_placeholder(task)
        yield f"test_hidden.py: write a test for `{task.name}`; none of its own could be moved"
        return
    for test in idle:
        points = f"{test.points:g} {'point is' if test.points == 1 else 'points are'} shared by the task's other tests"
        yield f"test_hidden.py, `{test.name}`: nothing of it is checked now; its {points}"


def seen_of(test: Cell) -> str:
    """A test cell as students get it."""
    return parted(test.source, "HIDDEN TESTS")[0]


def _left(done: Rewritten) -> Iterator[str]:
    for one in done.left:
        first, *others = one.code.strip().splitlines()
        yield f"{one.reason}: {first[:80]}{f' … ({len(others)} lines more)' if others else ''}"


class _Suite:
    def __init__(self, docstring: str) -> None:
        self._docstring = docstring
        self._imports: set[str] = set()
        self._parts: list[str] = []
        self._taken: set[str] = set()

    @property
    def text(self) -> str:
        code = "\n\n\n".join(self._parts)
        used = [name for name in _COMPARISONS if f"{name}(" in code]
        testing = f"from autograder.testing import {', '.join([*used, 'task'])}"
        return "\n".join([self._docstring, *sorted(self._imports), testing, "", "", code]).rstrip() + "\n"

    def add_whole(self, task: AdoptedTask, test: Cell, done: Rewritten) -> None:
        """All of a test cell as one test; as a comment where nothing in it checks something."""
        notes = "\n\n".join(map(_note, done.left))
        if not done.checks:
            self._parts += [f"# {test.name}:\n{notes}"] if notes else []
            return
        body = "\n".join([*map(_code, done.body), *([notes] if notes else [])])
        self._add(task, test.name, _summary(test), body, done, test.points)

    def add_parts(self, task: AdoptedTask, test: Cell, done: Rewritten) -> None:
        """Each check of a test cell as a test, after the statements that it may need."""
        for number, (place, shown) in enumerate(done.checks.items(), start=1):
            before = [one for other, one in enumerate(done.body[:place]) if other not in done.checks]
            name = f"{test.name}_{number}"
            self._add(task, name, shown, "\n".join(map(_code, [*before, done.body[place]])), done, 1)

    def add_placeholder(self, task: AdoptedTask) -> None:
        """A test that breaks: the task is ungraded until a person has written one."""
        body = 'raise NotImplementedError("TODO: by hand")'
        self._add(task, task.name, f"{title_of(task.name)}.", body, Rewritten(), 1)

    def _add(self, task: AdoptedTask, name: str, summary: str, body: str, done: Rewritten, weight: float) -> None:
        self._imports |= done.imports
        fixtures = "student, reference" if "reference." in body else "student"
        share = f", weight={weight:.12g}" if weight != 1 else ""
        head = f'@task("{task.name}"{share})\ndef {self._name(name)}({fixtures}):'
        self._parts.append(f"{head}\n{textwrap.indent(_docstring(summary) + chr(10) + body, '    ')}")

    def _name(self, name: str) -> str:
        plain = "test_" + "".join(one if one.isascii() and one.isalnum() else "_" for one in name).strip("_")
        number, found = 2, plain
        while found in self._taken:
            number, found = number + 1, f"{plain}_{number}"
        self._taken.add(found)
        return found


def _summary(test: Cell) -> str:
    """What the cell says of itself where students see it, else its name."""
    tree = parsed(seen_of(test))
    said = (ast.get_docstring(tree) or "").strip() if tree else ""
    return said.partition("\n")[0].strip() or f"{title_of(test.name)}."


def _docstring(summary: str) -> str:
    is_plain = "\\" not in summary and '"""' not in summary and not summary.endswith('"')
    return f'"""{summary}"""' if is_plain else repr(summary)


def _code(node: ast.stmt) -> str:
    return ast.unparse(ast.fix_missing_locations(node))


def _note(left: ByHand) -> str:
    return textwrap.indent(f"TODO by hand, as {left.reason}:\n{left.code}", "# ", lambda _: True)


_HIDDEN = '''\
"""What decides. Made from the test cells of a plain notebook: each is one test, weighted by its points.

A whole number that a result must be is written 4.0, so that both 4 and 4.0 count. Compare arrays by `assert_close`
where you can: it says what differs. Lines after TODO stand as they did in the notebook.
"""
'''

_PUBLIC = '''\
"""What students run themselves, by check("..."). Made from what they could read in the test cells of a plain notebook.

What could not be moved stands as a comment in test_hidden.py.
"""
'''
