"""A file that is no notebook is told so in words that say what to do, and never in Python's own."""

from __future__ import annotations

import json

import pytest

from autograder.submission.document import UnreadableError, json_text, read_cells

WHOLE = json.dumps({"cells": [{"cell_type": "code", "source": "a = 'ł'\n" * 9}], "nbformat": 4}, ensure_ascii=False)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_every_encoding_that_editors_write_is_read(encoding: str) -> None:
    assert read_cells(WHOLE.encode(encoding)) == (json.loads(WHOLE)["cells"], False)


SAID = {
    "an empty file": (b"", "it is empty; open it in Jupyter"),
    "white space": (b" \n\n", "it is empty"),
    "zeros": (b"\0" * 4096, "it is empty"),
    "a mark alone": (b"\xff\xfe", "it is empty"),
    "a text": (b"hello", "it is no notebook, which begins with a brace"),
    "an archive": (b"PK\x03\x04\xff", "it is an archive; unpack it"),
    "a packed file": (b"\x1f\x8b\x08\0\xff", "it is an archive"),
    "a print": (b"%PDF-1.7\n\xe2\xe3", "it is a PDF file"),
    "a page": (b"\n <!DOCTYPE html>", "it is a web page"),
    "bytes": (b"\x80\x81", "it is no text in UTF-8 or UTF-16"),
    "half of it": (WHOLE[:60].encode(), "it is cut off after 60 characters"),
    "all but the end": (WHOLE[:-1].encode() + b"\n", "it is cut off after"),
    "a comma too many": (b'{"cells": [\n1,, 2]}', "it is damaged in line 2"),
    "a merge": (b'{"cells": [\n<<<<<<< HEAD\n1\n=======\n2]}', "the marks of a merge of Git's in line 2"),
    "a large number": (b'{"cells": [' + b"9" * 5000 + b"]}", "a number in it has too many digits"),
    "lists in one another": (b"[" * 100_000, "too many lists in one another"),
    "another list": (b"[]", "it is JSON, but no notebook"),
    "another object": (b'{"a": 1}', "it is JSON without a list of cells"),
    "odd sheets": (b'{"worksheets": 3}', "it is JSON without a list of cells"),
    "many cells": (b'{"cells": [' + b"{}," * 2000 + b"{}]}", "it has more than 2000 cells"),
}


@pytest.mark.parametrize(("raw", "said"), SAID.values(), ids=SAID)
def test_what_is_wrong_and_what_to_do_is_said_in_plain_words(raw: bytes, said: str) -> None:
    with pytest.raises(UnreadableError) as refused:
        read_cells(raw)
    told = str(refused.value)
    assert said in told
    assert ";" in told
    assert not any(word in told for word in ("codec", "char ", "Expecting", "set_int_max", "object", "recursion"))


def test_the_text_of_a_file_is_clean_whatever_its_encoding() -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        assert json_text('{"cells": ["ü"]}'.encode(encoding)) == '{"cells": ["ü"]}'
    assert json_text(b'{"cells": ["\\ud800"]}') == '{"cells": ["?"]}'
    with pytest.raises(UnreadableError):
        json_text(b"[]")
