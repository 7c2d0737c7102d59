"""When a submission was handed in, as its `timestamp.txt` says: a date that can be read in one way only, or none.

nbgrader's own reading takes an unknown zone for UTC and `+0200` for 200 seconds, and a penalty hangs on it.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from datetime import timezone as fixed
from pathlib import Path
from zoneinfo import ZoneInfo

from dateutil import parser

from autograder.tree import read

TIMESTAMP = "timestamp.txt"
_LONGEST = 1 << 12  # bytes
_ENCODINGS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_REGION = re.compile(r"\b[A-Za-z_]+(?:/[A-Za-z_+-]+)+\b")  # as Europe/Berlin
_SIGN_OF_TWO_MEANINGS = re.compile(r"(UTC|GMT) ?[+-] ?\d", re.IGNORECASE)
_DEFAULTS = datetime(2004, 2, 28), datetime(2011, 10, 9)  # what is missing in a text differs between these
_YEAR_FIRST = re.compile(r"\d{4}\D?\d\d")  # as ISO 8601 has it: then there is one order only
_ORDERS = {"dayfirst": False}, {"dayfirst": True}, {"yearfirst": True}


def timestamp_in(folder: Path, trusted: Path, timezone: str) -> datetime | None:
    """What the `timestamp.txt` of a submission's folder says, as `read_timestamp` does. trusted: as in `tree.read`.

    Errors: UnsafeError, too.
    """
    return read_timestamp(read(folder, TIMESTAMP, _LONGEST, trusted), timezone)


def read_timestamp(content: bytes, timezone: str = "UTC") -> datetime | None:
    """The moment in UTC, without a zone as nbgrader keeps it; None for an empty text.

    timezone: the course's, whose abbreviations are known beside UTC; a date without a zone is UTC.
    Errors: ValueError, with a sentence for people.
    """
    try:
        text = _decoded(content).strip()
    except UnicodeDecodeError:
        raise ValueError("it is no text in UTF-8 or UTF-16") from None
    if not text:
        return None
    if _SIGN_OF_TWO_MEANINGS.search(text):
        raise ValueError(
            f"{text[:80]!r} means one thing to people and another to POSIX; write +0200 or the like, or UTC"
        )
    regions = _REGION.findall(text)
    zones = _zones(regions[0] if regions else timezone, None if regions else UTC)
    plain = _REGION.sub("", text).strip()
    orders = _ORDERS[:1] if _YEAR_FIRST.match(plain) else _ORDERS
    found = {_parsed(plain, default, order, zones) for default in _DEFAULTS for order in orders}
    if len(found) > 1:
        raise ValueError(f"{text[:80]!r} can be read as several dates; write it as 2026-03-02 10:00:00 UTC")
    (moment,) = found
    try:
        return moment.astimezone(UTC).replace(tzinfo=None)
    except OverflowError:
        raise ValueError(f"{text[:80]!r} is no date; write it as 2026-03-02 10:00:00 UTC") from None


def _decoded(content: bytes) -> str:
    encoding = next((name for mark, name in _ENCODINGS.items() if content.startswith(mark)), "utf-8")
    return content.decode(encoding)


def _parsed(text: str, default: datetime, order: dict[str, bool], zones: Callable[..., tzinfo]) -> datetime:
    try:
        moment: datetime = parser.parse(text, default=default, tzinfos=zones, **order)
        return moment
    except (ValueError, OverflowError) as error:
        if isinstance(error, _UnknownZoneError):
            raise
        raise ValueError(f"{text[:80]!r} is no date; write it as 2026-03-02 10:00:00 UTC") from None


class _UnknownZoneError(ValueError):
    pass


def _zones(timezone: str, unsaid: tzinfo | None) -> Callable[[str | None, int | None], tzinfo]:
    """What dateutil asks for the zone of a name and an offset in seconds. unsaid: where the text has neither."""
    try:
        here = ZoneInfo(timezone)
    except (OSError, ValueError, KeyError):
        raise _UnknownZoneError(f"there is no time zone {timezone}") from None

    months = [datetime(2026, month, 1, tzinfo=here) for month in range(1, 13)]
    offsets = {month.tzname(): month.utcoffset() for month in months}

    def zone(name: str | None, offset: int | None) -> tzinfo:
        if offset is not None:
            return fixed(timedelta(seconds=offset))
        if name in ("UTC", "GMT", "Z"):
            return UTC
        if name is None:
            return unsaid or here
        if name in offsets:
            return fixed(offsets[name] or timedelta())
        raise _UnknownZoneError(f"the time zone {name} is not known; write +0200 or the like, or UTC")

    return zone
