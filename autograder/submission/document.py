"""The bytes of a notebook file, as JSON: what cannot be read is a sentence that says what to do."""

from __future__ import annotations

import json
import re
from json import JSONDecodeError
from typing import Any

from autograder.submission.handed_in import MAX_BYTES

_MAX_CELLS = 2000
_SAVE_ANEW = "open it in Jupyter, save it, and hand it in again"
_KINDS = {
    b"PK": "it is an archive; unpack it, and hand in the notebook that is in it",
    b"\x1f\x8b": "it is an archive; unpack it, and hand in the notebook that is in it",
    b"%PDF": "it is a PDF file; hand in the notebook itself, not a print of it",
    b"<": "it is a web page; hand in the notebook itself, not a page that shows it",
}


class UnreadableError(Exception):
    """Why a file is no notebook, and what to do."""


def read_cells(raw: bytes) -> tuple[list[Any], bool]:
    """The list of a notebook's cells, whatever they are, and whether its format is an old one. Errors: UnreadableError.

    Read are UTF-8, UTF-16 and UTF-32, with a byte order mark or without.
    """
    if len(raw) > MAX_BYTES:
        raise UnreadableError(f"it is larger than {MAX_BYTES >> 20} MiB; clear its outputs, and hand it in again")
    document = _parsed(raw)
    if not isinstance(document, dict):
        raise UnreadableError(f"it is JSON, but no notebook; {_SAVE_ANEW}")
    is_old = "worksheets" in document
    cells = _cells_of_sheets(document["worksheets"]) if is_old else document.get("cells")
    if not isinstance(cells, list):
        raise UnreadableError(f"it is JSON without a list of cells, so no notebook; {_SAVE_ANEW}")
    if len(cells) > _MAX_CELLS:
        raise UnreadableError(f"it has more than {_MAX_CELLS} cells; delete those that are not needed")
    return cells, is_old


def json_text(raw: bytes) -> str:
    """A whole file as JSON without a lone surrogate, which no file could hold. Errors: UnreadableError."""
    read_cells(raw)
    return json.dumps(_parsed(raw), ensure_ascii=False).encode("utf-8", "replace").decode()


def _parsed(raw: bytes) -> Any:
    if not raw.strip(b" \t\r\n\0\xef\xbb\xbf\xff\xfe"):
        raise UnreadableError(f"it is empty; {_SAVE_ANEW}")
    try:
        return json.loads(raw)
    except JSONDecodeError as error:
        raise UnreadableError(_other_kind(raw) or _no_json(error)) from None
    except UnicodeDecodeError:
        raise UnreadableError(_other_kind(raw) or f"it is no text in UTF-8 or UTF-16; {_SAVE_ANEW}") from None
    except RecursionError:
        raise UnreadableError(f"it has too many lists in one another; {_SAVE_ANEW}") from None
    except ValueError:  # Python reads no number of more digits than its limit
        raise UnreadableError(f"a number in it has too many digits; {_SAVE_ANEW}") from None


def _other_kind(raw: bytes) -> str:
    return next((said for mark, said in _KINDS.items() if raw[:1000].lstrip().startswith(mark)), "")


def _no_json(error: JSONDecodeError) -> str:
    text = error.doc.strip()
    if not text.startswith("{"):
        return f"it is no notebook, which begins with a brace; {_SAVE_ANEW}"
    is_cut = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
    if is_cut:
        return f"it is cut off after {len(text)} characters, as by an upload that broke off; hand it in again"
    if re.search(r"^(<{7}|={7}|>{7})", text, re.MULTILINE):
        return f"it has the marks of a merge of Git's in line {error.lineno}; resolve it, and hand it in again"
    return f"it is damaged in line {error.lineno}, where it is no JSON any more; {_SAVE_ANEW}"


def _cells_of_sheets(sheets: object) -> list[Any] | None:
    """Of format 3 and older; None where they are not as that has them."""
    if not isinstance(sheets, list):
        return None
    lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
    return [cell for cells in lists if isinstance(cells, list) for cell in cells]
