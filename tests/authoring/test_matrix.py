"""What people read of a verification: the matrix and the verdict in a terminal, and the page."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from autograder.authoring.behaviours import Behaviour
from autograder.authoring.matrix import as_text, columns, rows
from autograder.authoring.page import as_html
from autograder.authoring.summary import describe
from autograder.authoring.trials import Kind, Trial
from autograder.authoring.verify import Verification
from tests.authoring.test_verify import tried
from tests.tiny import write_tiny_exercise

WRONG = '"""Squares <x>."""\n\nhint = "?"\nloses = ["double", "quadruple"]\n\n\ndef double(x):\n    return x * x\n'


@pytest.fixture(scope="module")
def verification(tmp_path_factory: pytest.TempPathFactory) -> Verification:
    """Of a suite that lets mutants live and catches less of a mistake than it should."""
    folder = write_tiny_exercise(tmp_path_factory.mktemp("exercises") / "tiny")
    (folder / "wrong").mkdir()
    (folder / "wrong" / "squared.py").write_text(WRONG)
    suite = folder / "test_hidden.py"
    suite.write_text(suite.read_text().replace("x = rng.standard_normal(5)", "x = 0 * rng.standard_normal(5)"))
    return tried(folder, seeds=2)


def test_a_row_for_each_solution_and_a_sign_for_each_test(verification: Verification) -> None:
    lines = as_text(verification, width=120).splitlines()
    assert lines[0].split() == ["double", "quadruple"]
    assert lines[1].split() == ["12", "3"]
    assert [line.split()[-2:] for line in lines[2:] if not line.startswith(("mutants", "behaviours"))] == [
        ["··", "·"],
        ["--", "-"],
        ["··", "-"],
        ["··", "·"],
        ["✗✗", "·"],
    ]
    assert [line.split("  ")[0].split(", ")[0] for line in lines[2:]] == [
        "reference ×3",
        "stub",
        "double alone",
        "quadruple alone",
        "wrong/squared",
        *(f"{name} ×{count}" for name, count in _counted(verification.mutant_trials).items()),
    ]

    survivors = {one.mutant.name for one in verification.survivors}
    for name, count in _counted([one for one in verification.mutant_trials if one.solution.name in survivors]).items():
        assert any(line.startswith(name) and f", {count} live " in line for line in lines)


def _counted(trials: list[Trial]) -> dict[str, int]:
    mutants = [trial.solution.mutant for trial in trials if trial.solution.mutant]
    kinds = ("behaviours" if isinstance(one, Behaviour) else "mutants" for one in mutants)
    return Counter(f"{kind} of {one.function}" for kind, one in zip(kinds, mutants, strict=True))


def test_the_columns_have_names(verification: Verification) -> None:
    assert list(columns(verification)) == [("1", "test_random"), ("2", "test_number"), ("3", "test_four_times")]
    assert "\n1 test_random, 2 test_number, 3 test_four_times\n" in describe(verification, 120)
    assert "<span>test_number</span>" in as_html(verification)


def test_a_narrow_terminal_gets_one_block_after_the_other(verification: Verification) -> None:
    wide, narrow = as_text(verification, width=120), as_text(verification, width=48)
    assert narrow.count("stub") == 2 * wide.count("stub") == 2
    assert max(map(len, narrow.splitlines())) <= 48


def test_a_row_of_many_trials_shows_the_worst_and_how_many(verification: Verification) -> None:
    mutants = next(row for row in rows(verification) if row.kind is Kind.MUTANT and row.label.endswith("double"))
    cell = mutants.cells["double"][0]
    assert cell.status != "passed"
    assert 0 < cell.lost <= mutants.tries


def test_the_summary_says_what_to_do(verification: Verification) -> None:
    said = describe(verification, 120)
    assert re.findall(r"^(\w+), (\d) points:$", said, re.MULTILINE) == [("double", "4"), ("quadruple", "3")]
    assert "problem: wrong/squared should lose double, quadruple, it loses double" in said
    assert "tiny: REJECTED" in said
    for survivor in verification.survivors:
        assert said.count(str(survivor)) == 1
        assert f'"{survivor.mutant.name}" = "..."' in said
    assert "dtypes handed over: double float64; quadruple float64" in said


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_is_whole_and_loads_nothing_from_elsewhere(verification: Verification) -> None:
    html = as_html(verification)
    page = _Page()
    page.feed(html)
    assert page.open == []
    assert "http" not in html
    assert "src=" not in html
    assert 'title="Squares &lt;x&gt;."' in html
    for said in (
        "Rejected:",
        "wrong/squared should lose double, quadruple",
        "Mutants that live",
        verification.survivors[0].mutant.name,
    ):
        assert said in page.text


def test_a_suite_of_which_no_test_could_be_run_has_a_matrix_without_columns(tmp_path: Path) -> None:
    folder = write_tiny_exercise(tmp_path / "tiny")
    (folder / "test_hidden.py").write_text("import no_such_module\n")
    verification = tried(folder)
    assert "ModuleNotFoundError" in describe(verification, 100)
    assert as_text(verification, 100).splitlines()[1:] == ["reference ×2"]
