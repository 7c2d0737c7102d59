"""A time that can be read in one way is read; any other is a refusal in words, and never another time."""

from __future__ import annotations

import warnings
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autograder.submission.timestamp import read_timestamp

TEN = datetime(2026, 3, 2, 10)


@pytest.fixture(autouse=True)
def _no_warnings() -> None:
    warnings.simplefilter("error")  # dateutil warns where it takes an unknown zone for UTC


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-02 10:00:00 UTC", TEN),
        ("2026-03-02 10:00:00.000000 UTC", TEN),
        ("2026-03-02T10:00:00Z", TEN),
        ("20260302T100000Z", TEN),
        ("2026-03-02 10:00 GMT", TEN),
        ("2026-03-02 10:00:00", TEN),
        ("2026-03-02 12:00:00 +0200", TEN),
        ("2026-03-02T12:00:00+02:00", TEN),
        ("2026-03-02 11:00 Europe/Berlin", TEN),
        ("Mon Mar  2 10:00:00 UTC 2026", TEN),
        ("March 2 2026 10:00 UTC", TEN),
        ("13.03.2026 10:00", datetime(2026, 3, 13, 10)),
        ("2026-03-02", datetime(2026, 3, 2)),
        ("", None),
        (" \n", None),
    ],
)
def test_a_clear_time_is_read(text: str, moment: datetime | None) -> None:
    assert read_timestamp(text.encode()) == moment


@pytest.mark.parametrize(
    "text",
    "03/04/2026 10:00|04.03.2026|10/12/13|10:00|2026|Monday|yesterday|1740909600|2026-13-45|2026-03-02 25:00|"
    "2026-03-02 10:00 CEST|2026-03-02 10:00 EST|2026-03-02 10:00 UCT|2026-03-02 10:00 Europe/Nowhere|"
    "2026-03-02 10:00 UTC+2|2026-03-02 10:00 GMT-5|99999-01-01|9999-12-31 23:59 -1400|0001-01-01 00:00 +1400".split(
        "|"
    ),
)
def test_any_other_is_a_refusal(text: str) -> None:
    with pytest.raises(ValueError, match=r"write|time zone|no date"):
        read_timestamp(text.encode())


def test_the_abbreviations_of_the_courses_own_zone_are_known() -> None:
    assert read_timestamp(b"2026-07-02 12:00:00 CEST", "Europe/Berlin") == datetime(2026, 7, 2, 10)
    assert read_timestamp(b"2026-10-25 02:30:00 CEST", "Europe/Berlin") == datetime(2026, 10, 25, 0, 30)
    assert read_timestamp(b"2026-10-25 02:30:00 CET", "Europe/Berlin") == datetime(2026, 10, 25, 1, 30)


def test_without_a_zone_it_is_utc_whatever_the_courses_zone() -> None:
    assert read_timestamp(b"2026-07-02 12:00:00", "Europe/Berlin") == datetime(2026, 7, 2, 12)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_every_usual_encoding_is_read(encoding: str) -> None:
    assert read_timestamp("2026-03-02 10:00:00 UTC".encode(encoding)) == TEN


@pytest.mark.parametrize("content", [b"\xff\xff", b"\xff\xfe\x00", b"\x80 2026-03-02"])
def test_what_is_no_text_is_a_refusal(content: bytes) -> None:
    with pytest.raises(ValueError, match="no text"):
        read_timestamp(content)


@given(st.binary(max_size=200))
@example(b"5" * 4000)
@example(b"1" * 15)
@example(b"00000")
def test_any_bytes_are_a_moment_nothing_or_a_refusal(content: bytes) -> None:
    try:
        moment = read_timestamp(content)
    except ValueError:
        return
    assert moment is None or moment.tzinfo is None


ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=ZONES | st.just(UTC))


@given(MOMENTS, st.sampled_from(["%Y-%m-%d %H:%M:%S.%f %z", "%Y-%m-%dT%H:%M:%S.%f%z", "%d %B %Y %H:%M:%S.%f %z"]))
def test_every_moment_comes_back_as_it_was(moment: datetime, form: str) -> None:
    expected = moment.astimezone(UTC).replace(tzinfo=None)
    assert read_timestamp(moment.strftime(form).encode()) == expected


@given(st.datetimes(datetime(1990, 1, 1), datetime(2036, 1, 1), timezones=st.just(ZoneInfo("Europe/Berlin"))))
def test_what_nbgraders_exchange_writes_comes_back(moment: datetime) -> None:
    if moment.astimezone(UTC).astimezone(moment.tzinfo).replace(tzinfo=None) != moment.replace(tzinfo=None):
        return  # an hour that was left out
    written = moment.strftime("%Y-%m-%d %H:%M:%S.%f %Z").encode()
    assert read_timestamp(written, "Europe/Berlin") == moment.astimezone(UTC).replace(tzinfo=None)
