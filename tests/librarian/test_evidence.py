"""Evidence is a slice of the stored text, or nothing."""

import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shisho.domain.corpus import Citation, DocumentId, NumberedPassage, PassageId
from shisho.domain.inquiry import EvidenceRef, Finding, Stance
from shisho.librarian.checking.check import AnswerUnit, check_units
from shisho.librarian.evidence import (
    context_of,
    is_by_rules,
    is_near_duplicate,
    select_answering,
    stance_of,
    verify,
    with_table_header,
)
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


def find_kept(snippet: str, text: str, **more: Any) -> str | None:
    verified = verify(Finding(1, "G1", snippet, 0.9), [NumberedPassage(1, text, "", 1.0, **more)])
    return verified and verified.snippet


@each_row(
    ("snippet", "text", "kept"),
    [
        ("あいうえおかきくけこ", "あいうえおかきくけん", "あいうえおかきくけ"),
        ("あいうえおかきくけ", "あいうえおかきくん", None),
        ("あいうえおかきくけこさしすせそたちつて", "あいうえおかきくけんさしすせそたちつん", None),
        ("あいうえおかきくけこさしすせそたちつてと", "あいうえおんきくけこさしすせんたちつてと",
         "あいうえおんきくけこさしすせんたちつてと"),
        ("あいうえおかきくけこ", "", None),
        ("THE ROOF LEAKS", "so the roof leaks.", "the roof leaks"),
        ("İSTANBUL IS LARGE", "In İstanbul is large.", "İstanbul is large"),
    ],
)  # fmt: skip
def test_one_character_in_ten_may_differ(snippet: str, text: str, kept: str | None) -> None:
    assert find_kept(snippet, text) == kept


def test_limits_of_a_quotation_and_of_the_text_that_is_aligned() -> None:
    assert find_kept("棚" * 2_000, "棚" * 3_000) == "棚" * 2_000
    assert find_kept("棚" * 2_001, "棚" * 3_000) is None
    stored = "棚の幅は三メートルである。"
    for before, is_found in ((9_900, True), (9_995, False)):
        kept = find_kept("棚の幅は、三メートルである。", "机" * before + stored)
        assert (kept is not None and kept.endswith("三メートルである。")) is is_found


@each_row(
    ("snippet", "place"),
    [
        ("棚の幅", 0),
        ("狭い。", 7),
        ("狭い。\ncode(1)", 7),
        ("code(1)", 11),
        ("机の色", 22),
        ("次の行", None),
        ("次の行机の色", None),
        ("無い文字", None),
    ],
)
def test_quotation_may_begin_in_the_passage_its_code_or_overleaf(snippet: str, place: int | None) -> None:
    after, code = "\ncode(1)\n次の行", "code(1)"
    passage = NumberedPassage(
        1, "棚の幅は広い。狭い。", "", 1.0, after=after, overleaf="机の色", code_after=code
    )
    verified = verify(Finding(1, "G1", snippet, 0.9), [passage])
    assert (verified and verified.start) == place


@each_row(
    ("before", "line", "context"),
    [
        ("", "狭い。", ""),
        ("\n ", "狭い。", ""),
        ("幅は三。奥行きは五。", "狭い。", "奥行きは五。"),
        ("奥行きは五。A4. ", "狭い。", "奥行きは五。"),
        ("奥行きは五。A4. B5. ", "狭い。", "奥行きは五。"),
        ("奥行きは五。A4. B5. C6. ", "狭い。", ""),
        ("奥行きは五。奥行き。", "狭い。", "奥行きは五。"),
        ("奥行きは五。奥行きだ。", "狭い。", "奥行きだ。"),
        ("棚。" + "奥" * 200 + "行。", "狭い。", "奥" * 158 + "行。"),
        ("表。\n品目|幅|色\n机|3|青\n", "棚|5|赤", "品目|幅|色"),
        ("品目\t幅\t色\n机\t3\t青\n", "棚\t5\t赤", "品目 | 幅 | 色"),
        ("item,width,colour\n", "shelf,5,red", "item,width,colour"),
        ("品目|" + "幅" * 200 + "|色\n", "棚|5|赤", "品目|" + "幅" * 157),
        ("品目|幅\n机|3。\n\n机は青い。\n", "棚|5", "机は青い。"),
        ("品目|幅|色\n\n机は青い。\n", "棚|5|赤", "机は青い。"),
        ("品目|幅|色\n\n机の種類|幅\n", "棚|5|赤", "机の種類|幅"),
        ("机は青い|赤い|白い。床は白い。", "棚は赤い。", "床は白い。"),
    ],
)
def test_context_is_the_header_of_a_table_or_the_sentence_before(
    before: str, line: str, context: str
) -> None:
    assert context_of(before + line + "\n次の|行|は|別。", len(before)) == context


ANSWERS, UNKNOWN, CONFLICTS = Stance.ANSWERS, Stance.UNKNOWN, Stance.CONFLICTS


@each_row(
    ("stances", "combined", "answering"),
    [
        ((), ANSWERS, 0),
        ((ANSWERS,), ANSWERS, 1),
        ((UNKNOWN,), UNKNOWN, 0),
        ((ANSWERS, UNKNOWN), ANSWERS, 1),
        ((CONFLICTS,), CONFLICTS, 0),
        ((ANSWERS, CONFLICTS), CONFLICTS, 0),
        ((ANSWERS, UNKNOWN, CONFLICTS), CONFLICTS, 0),
    ],
)
def test_stances_of_answering_evidence_are_combined(
    stances: tuple[Stance, ...], combined: Stance, answering: int
) -> None:
    refs = [EvidenceRef(1, "G1", ROW, "", 0.5, 1, stance=stance) for stance in stances]
    assert stance_of(refs) is combined
    assert len(select_answering(refs)) == answering
    assert stance_of([replace(ref, score=0.49) for ref in refs]) is ANSWERS


@each_row(
    ("score", "rule_score", "is_theirs"),
    [(0.9, None, False), (0.9, 0.9, True), (0.9, 0.4, False), (0.0, 0.0, False)],
)
def test_evidence_is_of_the_rules_if_a_model_did_not_change_its_score(
    score: float, rule_score: float | None, is_theirs: bool
) -> None:
    assert is_by_rules(EvidenceRef(1, "G1", ROW, "", score, 1, rule_score=rule_score)) is is_theirs
