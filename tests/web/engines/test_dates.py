"""Dates beside hits."""

from __future__ import annotations

from datetime import date

import pytest

from shisho.web.engines._dates import parse_date

TODAY = date(2026, 3, 31)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Jul 16, 2025 · Drinking caffeine", "2025-07-16"),
        ("July 10, 2020 11:05 AM", "2020-07-10"),
        ("3 March 2019 — text", "2019-03-03"),
        ("20.08.2025 — Mit der Fetch API", "2025-08-20"),
        ("2020年12月17日 — 歯の", "2020-12-17"),
        ("2020/12/17 · 歯の", "2020-12-17"),
        ("2024-02-03", "2024-02-03"),
        ("· 2024-02-03", "2024-02-03"),
        ("3日前 — 歯の", "2026-03-28"),
        ("5 hours ago", "2026-03-31"),
        ("2 weeks ago", "2026-03-17"),
        ("1 か月前", "2026-03-01"),
        ("In July 2025 it was", None),
        ("31.02.2025", None),
        ("99999 days ago", None),
        ("", None),
    ],
)
def test_the_date_at_the_beginning(text: str, expected: str | None) -> None:
    assert parse_date(text, TODAY) == expected


def test_a_relative_date_needs_today() -> None:
    assert parse_date("3 days ago") is None
