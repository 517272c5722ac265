"""The support check and what nobody quotes: addresses, and letters that are no words."""

from __future__ import annotations

import pytest

from shisho.domain.inquiry import SupportOutcome
from shisho.librarian.support import check

QUOTATION = (
    "詳しい資料は https://stat.example/r2 と support@stat.example にある。決定係数は当てはまりを表す。"
)


def test_degrees_belong_to_their_side() -> None:
    quotation = "マンスフィールドは北緯40度45分17秒西経82度31分22秒に位置している。"
    assert check(quotation, [quotation]).outcome is SupportOutcome.SUPPORTED
    altered = "マンスフィールドは北緯82度45分17秒西経40度31分22秒に位置している。"
    assert check(altered, [quotation]).outcome is SupportOutcome.ALTERED


@pytest.mark.parametrize(
    "sentence",
    [
        "詳しい資料は https://evil.example/r2 にある。",
        "詳しい資料は www.evil.example にある。",
        "詳しい資料は evil.com/stat にある。",
        "詳しい資料は help@evil.example にある。",
        "詳しい資料は ｈｔｔｐｓ://evil.example にある。",
    ],
)
def test_an_address_that_no_quotation_has_is_altered(sentence: str) -> None:
    assert check(sentence, [QUOTATION]).outcome is SupportOutcome.ALTERED


@pytest.mark.parametrize(
    "sentence",
    ["詳しい資料は https://stat.example/r2 にある。", "詳しい資料は support@stat.example にある。"],
)
def test_an_address_that_is_quoted_is_not(sentence: str) -> None:
    assert check(sentence, [QUOTATION]).outcome is not SupportOutcome.ALTERED


@pytest.mark.parametrize("sentence", ["……", "ーーー", "\u200b", "あ" * 200, "あー", "ええと", "ははは"])
def test_letters_that_are_no_words_and_interjections_are_not_supported(sentence: str) -> None:
    assert check(sentence, [QUOTATION]).outcome is not SupportOutcome.SUPPORTED
