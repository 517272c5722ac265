"""Evidence is a slice of the stored text, or nothing."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shisho.domain.corpus import Citation, DocumentId, NumberedPassage, PassageId
from shisho.domain.inquiry import EvidenceRef, Finding
from shisho.librarian.checking.check import AnswerUnit, check_units
from shisho.librarian.evidence import is_near_duplicate, verify, with_table_header
from shisho.librarian.prompting import fence_evidence
from tests.tables import each_row

TEXT = "決定係数 R² は、1に近いほど\n当てはまりが良い。ガｶﾞﾎﾞを10²個並べ、その平均を求めてから全体の傾向を読み取る。"
SHOWN = [NumberedPassage(3, TEXT, "", 1.0)]


@each_row(
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


@each_row(
    ("index", "snippet"),
    [
        (3, "相関係数は0に近いほど当てはまりが悪い。"),
        (3, ""),
        (3, " \n"),
        (4, "R² は"),
        (3, "並べ方"),
        (3, "。"),
        (3, "は"),
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
    is_near_duplicate(snippet, text[:2_000])
    assert time.process_time() - started < 3


@each_row(
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
    assert is_near_duplicate(one, other) is expected is is_near_duplicate(other, one)


HEADER = (
    "A社料金表\tA社料金表\tA社料金表\n時間帯\t料金(円)\t料金(円)\n時間帯\t1時間あたり(円)\t4時間パック(円)"
)
ROW = "午前\t3000\t10000"


def row_of_a_table(header: str = HEADER, place: str = "", heading: str = "") -> EvidenceRef:
    citation = Citation(
        DocumentId("d"), "", "", None, 0, len(ROW), ROW, "", PassageId("p"), "", place=place, header=header
    )
    return with_table_header(EvidenceRef(1, "G1", ROW, heading, 0.9, 1), citation, "午前は何円か")


def test_a_model_is_shown_every_row_of_the_header_before_the_quotation() -> None:
    shown = fence_evidence([row_of_a_table()], "⟦0", 1_000)
    assert shown.index("A社料金表") < shown.index("4時間パック") < shown.index("午前")
    assert shown.count(ROW) == 1


def test_the_check_knows_the_header_and_its_units() -> None:
    unit = AnswerUnit("午前の4時間パックは10,000円である。", (1,))
    lacking = [
        next(check_units([unit], [ref], "料金は")).lacking for ref in (row_of_a_table(), row_of_a_table(""))
    ]
    assert not lacking[0] or lacking[0] == ("words",)
    assert "4時間" in lacking[1] or "10,000円" in lacking[1]


def test_a_header_that_the_heading_has_is_not_told_twice() -> None:
    assert row_of_a_table("品目\t数", heading="売上 › 品目 · 数").table_header == ""
    assert row_of_a_table("品目\t数", heading="売上").table_header == "表の見出し: 品目 · 数"
    assert row_of_a_table("品目\t数", place="売上!A5:D9").table_header == ""
