"""What a model writes into a sentence beside its words: marks of what it cites, signs that nobody sees."""

from __future__ import annotations

import pytest

from shisho.domain.inquiry import EvidenceRef, SupportOutcome
from shisho.domain.session import SentenceRevision
from shisho.librarian.checking.check import AnswerUnit, check_units
from shisho.librarian.checking.unit_text import frame, list_cited_numbers
from tests.tables import each_row

FOUNDED = "The Wine Institute was founded in 1987 with 12 members."
STRENGTH = "決定係数は、回帰モデルの当てはまりのよさを表す指標である。"
REFS = [
    EvidenceRef(number=number, goal_id="G1", snippet=text, heading="", score=0.9, round=1)
    for number, text in enumerate((FOUNDED, STRENGTH), 1)
]


def check(text: str, *cites: int) -> SentenceRevision:
    (revision,) = check_units([AnswerUnit(text, cites)], REFS, "")
    return revision


@pytest.mark.parametrize(
    ("mark", "numbers"),
    [
        (" [1]", (1,)),
        (" [1, 2]", (1, 2)),
        (" [1][2]", (1, 2)),
        ("［１］", (1,)),
        ("【1】", (1,)),
        ("【1†source】", (1,)),
        ("[^1]", (1,)),
        (" [quotation 1]", (1,)),
        (" (quotation 1)", (1,)),
        (" (Quotations 1 and 2)", (1, 2)),
        ("（引用1）", (1,)),
        ("(引用1、2)", (1, 2)),
        (" [1-2]", (1, 2)),
        ("［1〜2］", (1, 2)),
    ],
)
@pytest.mark.parametrize("cites", [(), (1,)], ids=["in the words alone", "said beside"])
def test_a_mark_is_read_and_taken_out(mark: str, numbers: tuple[int, ...], cites: tuple[int, ...]) -> None:
    text = f"{FOUNDED.removesuffix('.')}{mark}."
    assert list_cited_numbers(text) == numbers
    revision = check(text, *cites)
    assert (revision.text, revision.evidence) == (FOUNDED, numbers)
    assert (revision.support, revision.unknown) == (SupportOutcome.SUPPORTED, ())


@each_row(
    "text",
    [
        "図 (1) のとおりである。",
        "x[i] is read.",
        "(1987)",
        "[citation needed]",
        "(source)",
        "[0-9]",
        "[2019-2021]年",
    ],
)
def test_what_is_no_mark_stays(text: str) -> None:
    assert list_cited_numbers(text) == ()


def test_a_long_range_is_two_numbers() -> None:
    assert list_cited_numbers(f"{FOUNDED} [1-900]") == (1, 900)
    assert list_cited_numbers(f"{FOUNDED} [3-1]") == (3, 1)
    assert list_cited_numbers(f"{FOUNDED} [1-40]") == tuple(range(1, 41))
    assert list_cited_numbers(f"{FOUNDED} [1-41]") == (1, 41)


@each_row(
    ("written", "plain"),
    [
        ("**決定係数**は、回帰モデルの当てはまりのよさを表す指標である。", STRENGTH),
        ("- 決定係数は、回帰モデルの**当てはまりのよさ**を表す指標である。", STRENGTH),
        ("x**2 + y**2", "x**2 + y**2"),
        ("-5度である。", "-5度である。"),
        ("- 40℃まで使用できる。", "- 40℃まで使用できる。"),
        ("* 印は必須項目を示す。", "* 印は必須項目を示す。"),
        ("関数は**kwargsと**optsを受け取る。", "関数は**kwargsと**optsを受け取る。"),
        ("「**」は累乗、二項の「**」も累乗。", "「**」は累乗、二項の「**」も累乗。"),
    ],
)
def test_no_markdown_is_left(written: str, plain: str) -> None:
    assert check(written, 2).text == plain


@each_row("signs", ["\u202e", "\u200b", "\x00", "\x07", "\u2066"])
def test_signs_that_nobody_sees_are_in_no_sentence(signs: str) -> None:
    assert check(f"決定係数は、{signs}回帰モデルの当てはまりのよさを表す指標である。", 2).text == STRENGTH


@each_row(
    ("sentence", "is_frame"),
    [
        ("結論", True),
        ("■ 結論:", True),
        ("### Short answer", True),
        ("IN SUMMARY,", True),
        ("以下の通りです。", True),
        ("以下に結論を述べます。", True),
        ("資料には次のように書かれています。", True),
        ("The main points are as follows:", True),
        ("The document says:", True),
        ("Here is a short answer:", True),
        ("According to the sources,", True),
        ("決定係数", False),
        ("結論は雨である。", False),
        ("以下に決定係数を述べます。", False),
        ("The document says that it rains.", False),
    ],
)
def test_a_frame_is_words_for_parts_of_an_answer_alone(sentence: str, is_frame: bool) -> None:
    assert frame(sentence) is is_frame
