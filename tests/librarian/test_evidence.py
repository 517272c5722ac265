"""Evidence is a slice of the stored text, or nothing."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import Finding
from shisho.librarian.evidence import double, verify

TEXT = "決定係数 R² は、1に近いほど\n当てはまりが良い。ガｶﾞﾎﾞを10²個並べ、その平均を求めてから全体の傾向を読み取る。"
SHOWN = [NumberedPassage(3, TEXT, "", 1.0)]


@pytest.mark.parametrize(
    ("snippet", "kept", "replaced"),
    [
        ("R² は、1に近い", "R² は、1に近い", False),
        ("R2は、1に近い", "R² は、1に近い", True),
        ("1に近いほど当てはまりが良い。", "1に近いほど\n当てはまりが良い。", True),
        ("ガガボ", "ガｶﾞﾎﾞ", True),
        ("その平均を求めて、全体の傾向を読み取る。", "その平均を求めてから全体の傾向を読み取る。", True),
        ("その平均を求めてから全体の傾向を読取る", "その平均を求めてから全体の傾向を読み取る", True),
    ],
)
def test_found_as_stored(snippet: str, kept: str, replaced: bool) -> None:
    verified = verify(Finding(3, "G1", snippet, 0.9), SHOWN)
    assert verified is not None
    assert (verified.snippet, verified.replaced) == (kept, replaced)
    assert TEXT[verified.start : verified.end] == kept


@pytest.mark.parametrize(
    ("index", "snippet"),
    [
        (3, "相関係数は0に近いほど当てはまりが悪い。"),
        (3, ""),
        (3, " \n"),
        (4, "R² は"),
        (3, "並べ方"),
        (3, "あ" * 5_000),
    ],
)
def test_dropped(index: int, snippet: str) -> None:
    assert verify(Finding(index, "G1", snippet, 0.9), SHOWN) is None


@given(st.text(max_size=60), st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_what_is_kept_is_always_a_slice(snippet: str, text: str) -> None:
    for shown in (text, text + snippet, snippet[: len(snippet) // 2] + "、" + snippet[len(snippet) // 2 :]):
        verified = verify(Finding(1, "G1", snippet, 1.0), [NumberedPassage(1, shown, "", 1.0)])
        if verified is not None:
            assert shown[verified.start : verified.end] == verified.snippet != ""


@pytest.mark.parametrize(
    ("snippet", "text"),
    [
        ("あ" * 1_999 + "ん", "い" * 300_000),
        ("あい" * 1_000, "いあ" * 100_000),
        ("a" * 999 + "b", "a" * 99_999),
    ],
)
def test_hostile_lengths_end_soon(snippet: str, text: str) -> None:
    started = time.process_time()
    verify(Finding(1, "G1", snippet, 1.0), [NumberedPassage(1, text, "", 1.0)])
    double(snippet, text[:2_000])
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("標本の平均は母集団の平均に近づく。", "標本の平均は、母集団の平均に近づく。", False),
        ("標本の平均は母集団の平均に近づく。", "標本の 平均は母集団の平均に近づく", True),
        (
            "豊橋駅は東海道本線の駅として町の人々に長く親しまれてきたと伝えられている。",
            "豊橋駅は東海道本線の駅として町の人々に永く親しまれてきたと伝えられている。",
            True,
        ),
        (
            "この駅は東海道本線の駅として1988年に町の人々の手で開業したと伝えられている。",
            "この駅は東海道本線の駅として1989年に町の人々の手で開業したと伝えられている。",
            False,
        ),
        ("", "何か", False),
    ],
)
def test_doubles(one: str, other: str, expected: bool) -> None:
    assert double(one, other) is expected is double(other, one)
