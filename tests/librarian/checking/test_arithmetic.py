"""What a sentence works out is worked out again."""

from __future__ import annotations

from decimal import Decimal

from shisho.language.numbers import Measure
from shisho.librarian.checking.arithmetic import convert, work_out
from tests.tables import each_row

BIKES = "最初の30分165円/回、以後165円/30分\n4時間利用した場合、料金は何円になりますか"
RATE = "月額980円（税込）です。学生の方は学割で二割引となります。"
STAY = "R018,村上涼子,2023/09/28,2023/10/02,ツイン\nR018,27000,2700,3700"
RECIPE = "2人前 パスタ：200g\nバジル：5g\nパスタ 1g 5円\nバジル 1g 100円\n4人前つくるのにいくらですか"


@each_row(
    ("sentence", "known", "outcomes"),
    [
        ("料金は4時間で 240分 ÷ 30分 = 8回 なので 165円×8＝1,320円です。", BIKES, [True, True]),
        ("料金は 165円 × 8 = 1,320円です。", BIKES, []),  # 8 stands nowhere and is not worked out
        ("240分 ÷ 30分 = 8回、165円 × 8 = 1,330円です。", BIKES, [True, False]),
        ("980円 × (1 − 0.2) = 784円", RATE, [True]),
        ("980円 × 0.8 = 784円", RATE, [True]),
        ("980円 × (100% − 20%) = 784円", RATE, [True]),
        ("980円 × 20% = 196円", RATE, [True]),
        ("980円 × 0.7 = 686円", RATE, []),
        ("（27000＋2700＋3700）÷3＝11133.3円", STAY, [True]),  # the mean of three, rounded
        ("(27000 + 2700 + 3700) ÷ 5 = 6,680円", STAY, []),
        ("5円 (+ 3円) = 8円", "5円 3円", []),
        ("２ + ３ = 5 = 6", "2 3", [True, False]),
        ("10 - 4 - 3 = 3", "10 4 3", [True]),
        ("10 - (4 - 3) = 9", "10 4 3", [True]),
        ("12 ÷ 3 × 2 = 8", "12 3 2", [True]),
        ("max 5 x 3 = 15", "5 3", [True]),
        ("30分 + 1時間 = 90分", "30分 1時間", [True]),
        ("(200 × 5円 + 5 × 100円) × 4 ÷ 2 = 3,000円", RECIPE, [True]),
        ("200 × 5円 + 5 × 100円 × 4 ÷ 2 = 3,000円", RECIPE, [False]),
        ("22.0% + 2.0% + 32.0% = 56%", "22.0% 2.0% 32.0%", [True]),
        ("28位 + 1 = 29位", "前年から1つ順位を上げた。28位", [True]),
        ("259,122ha ÷ 100 = 2,591.22平方キロメートル", "森林面積 259,122ha", [True]),
        ("259,122ha = 25.91平方キロメートル", "森林面積 259,122ha", [False]),
        ("1000ppm ÷ 10000 = 0.1%", "CO₂：1000ppm以下", [True]),
        ("1,560 - 1,200 = 360, so it grew.", "from 1,200 to 1,560", [True]),
        ("100円 + 3人 = 103円", "100円 3人", []),
        ("1kg + 500g = 501kg", "1kg 500g", [False]),
        ("1時間 + 30分 = 31分", "1時間 30分", [False]),
        ("5円 ÷ 0 = 5円", "5円 0", []),
        ("(((5円 + 3円 = 8円", "5円 3円", [True]),
        ("5円 + 3円) = 8円", "5円 3円", []),
        ("2024-05-03 = 2016", "2024-05-03", []),
        ("1,375件 ÷ 1,463件 × 100 = 94.0％", "1,375件 1,463件", [True]),  # to the tenth, as it is written
        ("1,375件 ÷ 1,463件 = 94.00％", "1,375件 1,463件", [False]),
        ("1,375件 ÷ 1,463件 = 94％", "1,375件 1,463件", [False]),
        ("1,375件 ÷ 1,463件 ≒ 94％", "1,375件 1,463件", [True]),
        ("1,375件 ÷ 1,463件 ≈ 93％", "1,375件 1,463件", [False]),
        ("1 ÷ 3 ≒ 0", "1 3", [True]),
        ("2 + 3 ≒ 10", "2 3", [False]),
        ("800 × 1.5 ≒ 1000", "800 1.5", [False]),
        ("800 × 1.5 ≒ 1200", "800 1.5", [True]),
        ("6.2 × 3 ≒ 20", "6.2 3", [True]),
        ("1 ÷ 3 ≒ 0.0", "1 3", [False]),
        ("1 ÷ 30 ≒ 0.0", "1 30", [True]),
        ("1 ÷ 30 ≒ 0.00", "1 30", [False]),
        # The unit of a result is one of the operands', another of its kind, a share, or a count of a ratio.
        ("165円 × 8回 = 1,320円", "165円 8回", [True]),
        ("165円 × 8回 = 1,320人", "165円 8回", [False]),
        ("165円 × 8 = 1,320人", "165円 8", [False]),
        ("2 × 30分 = 1時間", "2 30分", [True]),
        ("30分 × 4回 = 2時間", "30分 4回", [True]),
        ("5円 ÷ 20円 × 100 = 25%", "5円 20円", [True]),
        ("50円 ÷ 200円 = 25%", "50円 200円", [True]),
        ("50円 ÷ 200円 = 0.25", "50円 200円", [True]),
        ("240分 ÷ 30分 = 8円", "240分 30分", [False]),
        ("5円 + 3円 = 8回", "5円 3円", [False]),
        # Only what does not end in decimals may be rounded without saying so, to decimals and to the nearest.
        ("2 ÷ 3 = 0.7", "2 3", [True]),
        ("2 ÷ 3 = 0.6", "2 3", [False]),
        ("1 ÷ 4 = 0.3", "1 4", [False]),
        ("1 ÷ 4 = 0.3ほど", "1 4", [True]),
        ("10 ÷ 3 = 3", "10 3", [False]),
        ("1 ÷ 32,768 = 0.00003", "1 32,768", [False]),
        ("1 ÷ 3,000,000,000 = 0.0000000003", "1 3,000,000,000", [True]),
        (f"{' + '.join(['5円'] * 60)} = 300円", "5円", [True]),
        (f"{' + '.join(['5円'] * 61)} = 305円", "5円", []),
    ],
)
def test_written_calculations_are_done_again_from_known_figures(
    sentence: str, known: str, outcomes: list[bool]
) -> None:
    assert [calculation.is_right for calculation in work_out(sentence, known)] == outcomes


@each_row(
    ("value", "unit", "converted", "other"),
    [
        ("1", "分", 60, "秒"),
        ("4", "時間", 240, "分"),
        ("1", "日", 24, "時間"),
        ("1", "週", 7, "日"),
        ("1", "年", 12, "月"),
        ("1", "cm", 10, "mm"),
        ("1", "m", 100, "cm"),
        ("1", "km", 1_000, "m"),
        ("1", "mg", 1_000, "μg"),
        ("1", "g", 1_000, "mg"),
        ("1", "kg", 1_000, "g"),
        ("1", "t", 1_000, "kg"),
        ("1", "l", 1_000, "ml"),
        ("1", "m^3", 1_000, "l"),
        ("1", "ha", 10_000, "m^2"),
        ("1", "km^2", 100, "ha"),
        ("0.1", "%", 1_000, "ppm"),
        ("1", "割", 10, "%"),
        ("4", "円", 4, "円"),
        ("4", "時間", None, "円"),
        ("4", "時間", None, "km"),
        ("4", "", None, "円"),
    ],
)
def test_units_of_one_kind_are_converted_and_others_are_not(
    value: str, unit: str, converted: int | None, other: str
) -> None:
    assert convert(Measure(Decimal(value), unit), other) == converted
