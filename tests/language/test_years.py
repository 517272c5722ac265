"""Years as people write them where a work is described."""

from __future__ import annotations

from shisho.language.dates import find_date, find_year
from shisho.language.numbers import Date
from tests.tables import each_row


@each_row(
    ("written", "year"),
    [
        ("2024", "2024"),
        ("２０２４", "2024"),
        ("西暦2024年", "2024"),
        ("2024年度", "2024"),
        ("２０２４年３月", "2024"),
        ("c. 1985", "1985"),
        ("1998-2001", "1998"),
        ("20240401", "2024"),
        ("Spring 2019", "2019"),
        ("2024a", "2024"),
        ("令和6年", "2024"),
        ("令和６年度", "2024"),
        ("令和元年5月1日", "2019"),
        ("令和6", "2024"),
        ("平成 31 年", "2019"),
        ("昭和50年", "1975"),
        ("昭和五十年", "1975"),
        ("大正12", "1923"),
        ("一九九五年", "1995"),
        ("昭和50(1975)年", "1975"),
        ("平成2〔1990〕", "1990"),
        ("", ""),
        ("刊行年不明", ""),
        ("第2版", ""),
        ("120241", ""),
        ("昭和", ""),
        ("0101-01-01T00:00:00+00:00", ""),
    ],
)
def test_year_is_found_in_any_calendar_and_script(written: str, year: str) -> None:
    assert find_year(written) == year


@each_row(
    ("written", "date"),
    [
        ("2026年11月3日", Date(2026, 11, 3)),
        ("２０２６．１１．３", Date(2026, 11, 3)),
        ("2026-11", Date(2026, 11)),
        ("20261103", Date(2026, 11, 3)),
        ("令和8年11月3日", Date(2026, 11, 3)),
        ("昨日", Date(None)),
    ],
)
def test_date_has_its_parts(written: str, date: Date) -> None:
    assert find_date(written) == date
