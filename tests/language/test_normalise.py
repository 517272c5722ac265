"""The view for matching: what it folds, and that every character still knows where it came from."""

import re
import unicodedata
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shisho.language import normalise
from shisho.language.normalise import fold_with_map
from tests.machine import cpu_seconds
from tests.tables import each_row


@each_row(
    ("text", "needle", "original"),
    [
        ("指標は10²である", "102", "10²"),
        ("指標はR²である", "R2", "R²"),
        ("残り½である", "1/2", "½"),
        ("㈱司書", "(株)司書", "㈱司書"),
        ("㈱司書", "株", "㈱"),
        ("半角ｶﾞｲﾄﾞだ", "ガイド", "ｶﾞｲﾄﾞ"),
        ("半角ｶﾞｲﾄﾞだ", "ガ", "ｶﾞ"),
        ("か\u3099くせい", "がくせい", "か\u3099くせい"),
        ("決定\n係数は", "決定係数", "決定\n係数"),
        ("決定\n係数は", "決定", "決定"),
        ("決定 \n　係数は", "決定係数", "決定 \n　係数"),
        ("決 定 係 数 とは", "決定係数", "決 定 係 数"),
        ("決定 係数", "決定 係数", "決定 係数"),
        ("linear\nregression", "linear regression", "linear\nregression"),
        ("regres-\nsion line", "regression", "regres-\nsion"),
        ("X-\nRay", "X-Ray", "X-\nRay"),
        ("soft\u00adhyphen", "softhyphen", "soft\u00adhyphen"),
        ("⽂字と⻑さ", "文字と長さ", "⽂字と⻑さ"),
        ("辻\U000e0100さん", "辻さん", "辻\U000e0100さん"),
        ("辻\U000e0100さん", "辻", "辻\U000e0100"),
        ("cafe\u0301", "café", "cafe\u0301"),
        ("東京〜大阪", "東京~大阪", "東京〜大阪"),
        ("司書（ししょ）", "司書(ししょ)", "司書（ししょ）"),
        ("ＡＢＣ１２３", "ABC123", "ＡＢＣ１２３"),
        ("令和㋿①", "1", "①"),
    ],
)
def test_found_through_the_view_and_quoted_as_it_stands(text: str, needle: str, original: str) -> None:
    view = fold_with_map(text)
    at = view.text.find(needle)
    assert at >= 0, view.text
    start, end = view.locate_original(at, at + len(needle))
    assert text[start:end] == original


@each_row(("text", "marked"), [("10²", "2"), ("H₂O", "2"), ("3½", "1/2"), ("102", ""), ("①", "")])
def test_marks_tell_raised_digits_from_plain_ones(text: str, marked: str) -> None:
    view = fold_with_map(text)
    assert "".join(view.text[place] for place in view.marks) == marked


def test_paragraphs_stay_apart() -> None:
    assert fold_with_map("一\n\n\n二\n三").text == "一\n二三"


def test_an_empty_span_stands_somewhere() -> None:
    assert fold_with_map("㈱").locate_original(0, 0) == (0, 0)
    assert fold_with_map("").locate_original(0, 0) == (0, 0)


def test_what_is_copied_unseen_is_in_normal_form() -> None:
    safe = re.compile(f"[{normalise._SAFE}]")
    assert [
        char
        for char in map(chr, range(0x110000))
        if safe.match(char) and unicodedata.normalize("NFKC", char) != char
    ] == []


@given(
    st.text(
        alphabet=st.sampled_from("決定係数がｶﾞﾞ\u3099e\u0301²½㈱①⻑ \n\u3000-aB1（）\u00ad辻\U000e0100"),
        max_size=120,
    )
)
def test_origins_are_in_order_and_spans_hold_their_characters(text: str) -> None:
    view = fold_with_map(text)
    assert len(view.origins) == len(view.text) + 1
    assert list(view.origins) == sorted(view.origins)
    assert view.origins[-1] == len(text)
    for at, char in enumerate(view.text):
        start, end = view.locate_original(at, at + 1)
        assert 0 <= start < end <= len(text)
        if not char.isspace():
            assert char in fold_with_map(text[start:end]).text


@given(st.text(max_size=200))
def test_any_text_folds(text: str) -> None:
    view = fold_with_map(text)
    assert view.locate_original(0, len(view.text))[1] <= len(text)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["「", "\n", "あ\n", "あ ", "\u3099", "ｶﾞ", "a-\n", "  ", "²", "\ufffd"])
def test_time_grows_with_length_only(unit: str) -> None:
    def seconds(times: int) -> float:
        return cpu_seconds(partial(fold_with_map, unit * times))

    assert seconds(160_000) < 0.05 + 24 * seconds(20_000)
