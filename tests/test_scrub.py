"""What differs from run to run, or names the grader's machine, is taken out of texts; the rest stays."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autograder
from autograder.scrub import scrub

PACKAGE = Path(autograder.__file__).parent


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<object object at 0x7f3a5c0d1e20>", "<object object at 0x…>"),
        ("<A at 0x7F3A5C0D1E20>, <B at 0x00000000000000AB>", "<A at 0x…>, <B at 0x…>"),
        ("0xff, 0x1f, 0x12345", "0xff, 0x1f, 0x12345"),
        ("10x7f3a5c0d1e20", "10x7f3a5c0d1e20"),
    ],
)
def test_memory_addresses_go_and_short_numbers_stay(text: str, expected: str) -> None:
    assert scrub(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[0;31mred\x1b[0m", "red"),
        ("\x1b[?25lhidden cursor\x1b[?25h", "hidden cursor"),
        ("\x1b]8;;http://localhost\x07link\x1b]8;;\x07", "link"),
        ("a\x00b\x07c\x7fd\x9be", "abcde"),
        ("a\r\nb\tc", "a\nb\tc"),
        ("10%\r20%", "10%20%"),
    ],
    ids=["colour", "cursor", "hyperlink", "control characters", "line ends and tabs", "progress"],
)
def test_control_characters_and_terminal_codes_go(text: str, expected: str) -> None:
    assert scrub(text) == expected


def test_an_address_behind_a_control_character_goes_too() -> None:
    assert scrub("at 0x7f3a\x005c0d1e20") == "at 0x…"


@pytest.mark.parametrize(
    "path",
    [
        np.__file__,
        os.__file__,
        str(PACKAGE / "session.py"),
        str(PACKAGE / "exercises" / "tiny" / "test_hidden.py"),
        os.path.join(tempfile.gettempdir(), "autograder-x_1", "work", "data.txt"),
    ],
    ids=["site-packages", "standard library", "the package", "an exercise", "the working folder"],
)
def test_paths_of_the_graders_machine_lose_what_is_particular(path: str) -> None:
    scrubbed = scrub(f'File "{path}", line 3')
    for root in (sys.prefix, sys.base_prefix, str(PACKAGE.parent), tempfile.gettempdir()):
        assert f"{root}/" not in scrubbed
    assert scrubbed.startswith('File "…')
    assert scrubbed.endswith(f'{os.path.basename(path)}", line 3')


def test_a_longer_name_that_begins_like_the_graders_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", "/opt/course")
    assert scrub("/opt/course/lib and /opt/courseware/lib") == "…/lib and /opt/courseware/lib"


def test_a_lone_surrogate_goes_since_no_file_could_hold_it() -> None:
    assert scrub("a\ud800b").encode() in (b"ab", b"a?b")


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=50).filter(lambda text: "0x" not in text))
def test_other_text_stays_as_it_is(text: str) -> None:
    if not any(root in text for root in (sys.prefix, sys.base_prefix, str(PACKAGE.parent))):
        assert scrub(text) == text


@given(st.text(st.sampled_from("\x1b[]0m;x7f…/\x00\r\n") | st.characters(exclude_categories=["Cs"])))
def test_no_control_character_is_left(text: str) -> None:
    left = {character for character in scrub(text) if not character.isprintable() and ord(character) < 160}
    assert left <= {"\n", "\t"}
