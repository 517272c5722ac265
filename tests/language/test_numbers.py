"""Numbers and dates are read as they are meant, and what differs stays apart."""

import time
from decimal import Decimal

import pytest

from shisho.language.numbers import Date, Measure, TextFigures, find_figures, fold_figures, parse_kanji
from tests.machine import grows_in_line
from tests.tables import each_row


@each_row(
    ("text", "date"),
    [
        ("2024年", Date(2024)),
        ("２０２４年５月", Date(2024, 5)),
        ("令和6年5月3日", Date(2024, 5, 3)),
        ("平成元年", Date(1989)),
        ("昭和二十年八月十五日", Date(1945, 8, 15)),
        ("二〇二四年十二月", Date(2024, 12)),
        ("9月11日", Date(None, 9, 11)),
        ("2024-05-03", Date(2024, 5, 3)),
        ("May 3, 2024", Date(2024, 5, 3)),
        ("3 May 2024", Date(2024, 5, 3)),
        ("Dec-2015", Date(2015, 12)),
        ("it was built in 1998 by the city", Date(1998)),
        ("Report of 2010", Date(2010)),
        ("to be paid by 2026-12-10.", Date(2026, 12, 10)),
    ],
)
def test_dates_of_every_writing(text: str, date: Date) -> None:
    assert find_figures(text).dates == (date,)


@each_row(
    ("text", "measure"),
    [
        ("1,500万円", Measure(Decimal(15_000_000), "円")),
        ("3億2000万円", Measure(Decimal(320_000_000), "円")),
        ("2万5千人", Measure(Decimal(25_000), "人")),
        ("三千二百人", Measure(Decimal(3200), "人")),
        ("５０パーセント", Measure(Decimal(50), "%")),
        ("50%", Measure(Decimal(50), "%")),
        ("12㎞", Measure(Decimal(12), "km")),
        ("12キロメートル", Measure(Decimal(12), "km")),
        ("three years", Measure(Decimal(3), "年")),
        ("5年間", Measure(Decimal(5), "年")),
        ("①", Measure(Decimal(1))),
        ("½", Measure(Decimal("0.5"))),
        ("3.14", Measure(Decimal("3.14"))),
        ("10²", Measure(Decimal(10), "", "^2")),
        ("2,303", Measure(Decimal(2303))),
    ],
)
def test_measures_of_every_writing(text: str, measure: Measure) -> None:
    assert find_figures(text) == TextFigures((), (measure,), frozenset())


@each_row("text", ["千葉県", "二酸化炭素", "十分に", "四国と九州", "a may be b", "万葉集"])
def test_words_with_numerals_are_not_numbers(text: str) -> None:
    assert find_figures(text) == TextFigures((), (), frozenset())


def test_raised_figures_are_kept_apart() -> None:
    assert find_figures("R²").symbols != find_figures("R2").symbols
    assert find_figures("10²").measures != find_figures("102").measures
    assert fold_figures("H₂O と ½") == "h_2o と 1/2"


@each_row(
    ("fuller", "barer", "expected"),
    [
        (Date(2024, 5, 3), Date(2024), True),
        (Date(2024, 5, 3), Date(None, 5, 3), True),
        (Date(2024), Date(2024, 5), False),
        (Date(2023, 5), Date(2024, 5), False),
        (Measure(Decimal(5), "km"), Measure(Decimal(5)), True),
        (Measure(Decimal(5)), Measure(Decimal(5), "km"), False),
        (Measure(Decimal(5), "km"), Measure(Decimal(5), "kg"), False),
    ],
)
def test_what_one_figure_says_of_another(
    fuller: Date | Measure, barer: Date | Measure, expected: bool
) -> None:
    assert fuller.can_support(barer) is expected  # type: ignore[arg-type]


@each_row(
    ("text", "value"),
    [("三千二百", 3200), ("十五", 15), ("二〇二四", 2024), ("百万", 1_000_000), ("3億2", 300_000_002)],
)
def test_kanji_numbers(text: str, value: int) -> None:
    assert parse_kanji(text) == value


@pytest.mark.parametrize(
    "text", ["1" * 50_000, "千" * 50_000, "1" + "千" * 50_000 + "木", "1,000" * 10_000, "1年" * 20_000]
)
def test_hostile_lengths_end_soon(text: str) -> None:
    started = time.process_time()
    find_figures(text)
    assert time.process_time() - started < 2


@pytest.mark.parametrize("unit", ["a", "1", "a^", "1,", "万", "一", "年1"])
def test_figures_of_a_text_without_end_are_found_in_linear_time(unit: str) -> None:
    assert grows_in_line(find_figures.__wrapped__, lambda size: unit * (size // len(unit)) + "x", 2_500)
