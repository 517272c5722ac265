"""Units of an answer against their quotations: by code alone, and with the recorded verdicts of a judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from shisho.domain.inquiry import EvidenceRef
from shisho.domain.session import SentenceRevision
from shisho.librarian.answer_blocks import build_flat
from shisho.librarian.checking.check import AnswerUnit, check_units, decide, read_units, summarise_support
from shisho.librarian.checking.contradictions import contradiction
from shisho.rendering.answer_text import write_text
from tests.librarian.checking.material import (
    Claim,
    read_claims,
    read_pairs,
    read_paraphrases,
    read_shared_claims,
    read_written,
)
from tests.tables import each_row

TABLE = EvidenceRef(
    1, "G1", "通勤\t8,400円\t23,940円", "運賃表 › 定期券", 1.0, 1, context="区分 | 1か月 | 3か月"
)
HALLS = EvidenceRef(2, "G1", "Hall A seats 300 people. Hall B seats 120 people.", "Halls", 1.0, 1)
REQUESTS = EvidenceRef(
    5,
    "G1",
    "申込みは 48,200 件（前年\n対比約 10.4 万件の増加）、予算は 3 億 2,000 万円、期限は 2024 年 5 月 3 日。",
    "",
    1.0,
    1,
)
ROWS = EvidenceRef(
    6, "G1", "年\t2021\t2022\n目標（万枚）\t2,693\t2,157\n実績（万枚） 2,718\t2,359", "", 1.0, 1
)
COLUMNS = EvidenceRef(
    7, "G1", "2022年\t2,157\t35\n2023年\t1,621\t40", "", 1.0, 1, context="年\t目標（百万円）\t人数"
)
REPORT = EvidenceRef(3, "G1", "2022年度の不良率は0.8%、2021年度は1.2%であった。", "品質報告", 1.0, 1)


def share(claims: Sequence[Claim], label: str, outcome: str, *, judged: bool) -> float:
    supports = [claim.check(judged=judged).support for claim in claims if claim.label == label]
    return sum(support == outcome for support in supports) / len(supports)


def check(text: str, *refs: EvidenceRef, question: str = "", context: str = "") -> SentenceRevision:
    unit = AnswerUnit(text, tuple(ref.number for ref in refs), context)
    (revision,) = check_units([unit], refs, question)
    return revision


@each_row("half", ["seen", "unseen"])
def test_with_a_judge_no_true_sentence_is_lost_and_no_false_one_supported(half: str) -> None:
    claims = read_claims(half)
    assert Counter(claim.label for claim in claims).most_common()[-1][1] >= 50
    assert share(claims, "true", "contradicted", judged=True) <= 0.01
    assert share(claims, "true", "supported", judged=True) >= 0.95
    assert share(claims, "false", "supported", judged=True) <= 0.03
    assert share(claims, "absent", "supported", judged=True) <= 0.03


@each_row("half", ["seen", "unseen"])
def test_code_alone_contradicts_no_true_sentence_and_supports_no_false_one(half: str) -> None:
    claims = read_claims(half)
    assert share(claims, "true", "contradicted", judged=False) <= 0.01
    assert share(claims, "true", "supported", judged=False) >= 0.23
    assert share(claims, "false", "contradicted", judged=False) >= 0.15
    assert share(claims, "absent", "supported", judged=False) == 0
    assert share(claims, "false", "supported", judged=False) == 0


def test_sentences_of_a_strong_model_stay() -> None:
    claims = read_shared_claims()
    assert share(claims, "true", "contradicted", judged=False) <= 0.01
    assert share(claims, "true", "supported", judged=True) >= 0.95
    assert share(claims, "false", "supported", judged=False) <= 0.03


@each_row("name", ["paraphrases", "further_paraphrases", "blind_paraphrases"])
def test_no_honest_paraphrase_is_contradicted(name: str) -> None:
    claims = read_paraphrases(name)
    assert len(claims) >= 48 and share(claims, name, "contradicted", judged=False) <= 0.01


def test_paraphrases_made_false_are_not_supported() -> None:
    claims = read_paraphrases("altered_paraphrases")
    assert share(claims, "altered_paraphrases", "supported", judged=False) <= 0.03


@each_row("half", ["seen", "unseen"])
def test_of_the_contradictions_shown_nine_of_ten_are_real(half: str) -> None:
    shown = [
        (disagree, contradiction(one[1], other[1], one[0], other[0]))
        for disagree, one, other in read_pairs(half)
    ]
    right = sum(disagree for disagree, kind in shown if kind)
    assert right >= 0.9 * sum(bool(kind) for _, kind in shown) and right >= 0.5 * len(shown) / 2


@each_row(
    ("text", "ref", "lacking"),
    [
        ("通勤の3か月は23,940円です。", TABLE, False),
        ("通勤の3か月は24,940円です。", TABLE, True),
        ("通勤は1か月と3か月の二つがあります。", TABLE, False),
        ("① 通勤は1か月で8,400円です。", TABLE, False),
        ("(2) 通勤は1か月で8,400円です。", TABLE, False),
        ("運賃の一つとして、通勤は8,400円です。", TABLE, False),
        ("Hall B seats 120 people.", HALLS, False),
        ("Hall C seats 120 people.", HALLS, True),
        ("One of the halls seats 300 people.", HALLS, False),
        ("Together the halls seat 420 people.", HALLS, False),
        ("2022年度は0.8%です。", REPORT, False),
        ("2020年度は0.8%です。", REPORT, True),
        ("0.4ポイント下がりました。", REPORT, True),
        ("1.2% − 0.8% = 0.4%下がりました。", REPORT, False),
        ("1.2% − 0.8% = 0.5%下がりました。", REPORT, True),
        ("前年より約10.4万件増えました。", REQUESTS, False),
        ("前年より約 10.4 万件増えました。", REQUESTS, False),
        ("前年より約14.4万件増えました。", REQUESTS, True),
        ("予算は3億2,000万円、期限は2024年5月3日です。", REQUESTS, False),
        ("予算は2億3,000万円です。", REQUESTS, True),
        ("2022年の実績は2,359万枚です。", ROWS, False),
        ("2022年は2,359です。", ROWS, False),
        ("2022年の実績は2,359億枚です。", ROWS, True),
        ("2022年の実績は2,395万枚です。", ROWS, True),
        ("2,359万枚 − 2,157万枚 = 202万枚上回りました。", ROWS, False),
        ("目標の109.4%でした（2,359万枚 ÷ 2,157万枚 × 100 = 109.4%）。", ROWS, False),
        ("100か所で、目標の109.4%でした（2,359万枚 ÷ 2,157万枚 × 100 = 109.4%）。", ROWS, True),
        ("5km（5km = 5,000m）で、2,359万枚です。", ROWS, True),
        ("2022年の目標は2,157百万円です。", COLUMNS, False),
        ("2022年の人数は35百万円です。", COLUMNS, True),
    ],
)
def test_figures_are_quoted_named_around_it_counted_or_computed(
    text: str, ref: EvidenceRef, lacking: bool
) -> None:
    (unit,) = read_units([AnswerUnit(text, (ref.number,))], [ref], "")
    assert bool(unit.suspect) is lacking, unit.suspect


def test_a_figure_may_be_computed_in_a_neighbouring_sentence() -> None:
    rate = EvidenceRef(1, "G1", "支給率は15.0とする。", "", 1.0, 1)
    units = [AnswerUnit("退職金は450万円です。", (1,)), AnswerUnit("30万円 × 15.0 = 450万円です。", (1,))]
    assert [unit.suspect for unit in read_units(units, [rate], "基本給30万円の退職金は")] == [(), ()]
    assert next(read_units(units[:1], [rate], "基本給30万円の退職金は")).suspect == ("450万円",)


def test_only_a_figure_of_another_thing_is_contradicted_without_a_judge() -> None:
    assert check("Hall B seats 300 people.", HALLS).became == "contradicted"
    assert check("Hall B seats 310 people.", HALLS).support == "unverified"
    assert check("Hall B seats 120 people.", HALLS).by == "quotation"
    assert check("Seats for 120 people are in Hall B.", HALLS).support != "contradicted"


@each_row("half", ["seen", "unseen"])
def test_code_alone_supports_sentences_about_lectures(half: str) -> None:
    claims = read_written("lectures", half)
    assert share(claims, "true", "supported", judged=False) >= 0.23
    assert share(claims, "true", "contradicted", judged=False) <= 0.01
    assert share(claims, "false", "supported", judged=False) <= 0.04


def test_code_alone_supports_no_crossed_denied_or_narrowed_statement() -> None:
    claims = read_written("crossed")
    assert share(claims, "true", "supported", judged=False) >= 0.9
    assert share(claims, "false", "supported", judged=False) == 0


@each_row(
    ("quotation", "sentence"),
    [
        (
            "Revenue was $30 million in 2019 and $45 million in 2020.",
            "Revenue was $45 million in 2020.",
        ),
        ("人口は2010年に30万人、2020年に45万人である。", "2020年の人口は45万人である。"),
    ],
)
def test_a_figure_beside_its_own_year_is_not_misplaced(quotation: str, sentence: str) -> None:
    assert check(sentence, EvidenceRef(1, "G1", quotation, "", 1.0, 1)).support != "contradicted"


def test_code_alone_supports_no_cell() -> None:
    ref = EvidenceRef(1, "G1", "東京都の担当は田中太郎である。", "", 1.0, 1)
    assert check("担当は田中太郎", ref, context="大阪府 · 担当").support == "unverified"


@each_row(
    ("text", "verdict", "became", "support", "by"),
    [
        ("Hall A is full with 300 people.", "supported", "kept", "supported", "judge"),
        ("Hall A is full with 300 people.", "partly", "kept", "unverified", None),
        ("Hall A is full with 300 people.", "not in the quotation", "kept", "unverified", None),
        ("Hall A is full with 300 people.", "contradicted", "contradicted", "contradicted", None),
        ("Hall A is full with 310 people.", "supported", "kept", "unverified", None),
        ("Hall A is full with 310 people.", "partly", "contradicted", "contradicted", None),
        ("Hall A seats 300 people.", "contradicted", "kept", "supported", "quotation"),
        ("See https://evil.example/ for Hall A.", "supported", "removed", None, None),
    ],
)
def test_outcomes_follow_from_code_and_verdict(
    text: str, verdict: str, became: str, support: str | None, by: str | None
) -> None:
    (unit,) = read_units([AnswerUnit(text, (2,))], [HALLS], "")
    revision = decide(unit, verdict)
    assert (revision.became, revision.support, revision.by) == (became, support, by)


@each_row(
    ("text", "question", "by"),
    [
        (
            "Hall A ist voll: 300 Leute, und jeder soll sofort die Rechnung bezahlen.",
            "ホールAの定員は？",
            None,
        ),
        ("ホールAは300人で満員です。", "How many people does Hall A seat?", None),
        ("ホールAは300人で満員です。", "ホールAの定員は？", "judge"),
        ("ホールAは300人で満員です。", "How many people does Hall A seat? Answer in Japanese.", "judge"),
    ],
)
def test_a_judge_is_not_believed_about_a_sentence_in_another_language_than_the_answer(
    text: str, question: str, by: str | None
) -> None:
    (unit,) = read_units([AnswerUnit(text, (2,))], [HALLS], question)
    revision = decide(unit, "supported")
    assert (revision.became, revision.by) == ("kept", by)


@each_row(
    ("cell", "support"), [("している", "supported"), ("していない", "supported"), ("転職", "unverified")]
)
def test_a_judge_is_believed_about_a_cell_without_a_word_that_sources_could_have(
    cell: str, support: str
) -> None:
    ref = EvidenceRef(1, "G1", "AIの利用\nしている\n16.2%\nしていない\n77.4%", "", 1.0, 1)
    (unit,) = read_units([AnswerUnit(cell, (1,), "AIの業務利用")], [ref], "AIを業務で使っていますか")
    assert decide(unit, "supported").support == support


@each_row(
    ("quotation", "sentence"),
    [
        ("届出には証明書が必要です。", "届出には証明書が必要になります。"),
        ("届出には証明書が必要です。", "まず、届出には証明書が必要です。"),
        ("届出には証明書が必要です。", "① 届出には証明書が必要です。"),
        ("The form needs a signature.", "(1) The form needs a signature."),
    ],
)
def test_code_sees_through_plain_turns_of_phrase(quotation: str, sentence: str) -> None:
    assert check(sentence, EvidenceRef(1, "G1", quotation, "", 1.0, 1)).support == "supported"


def test_a_cell_is_read_with_its_heads_and_is_no_quotation_by_itself() -> None:
    (unit,) = read_units([AnswerUnit("120", (2,), "Hall B | seats")], [HALLS], "")
    assert unit.needs_judge and not unit.suspect
    (unit,) = read_units([AnswerUnit("120", (2,), "Hall C | seats")], [HALLS], "")
    assert unit.needs_judge


def test_what_is_contradicted_is_listed_with_its_quotation_and_nothing_is_replaced() -> None:
    units = [AnswerUnit("Hall A seats 300 people.", (2,)), AnswerUnit("Hall B seats 300 people.", (2,))]
    revisions = [*check_units([*units, AnswerUnit("Cats sleep.")], [HALLS], "How many seats?")]
    assert [revision.became for revision in revisions] == ["kept", "contradicted", "removed"]
    text = write_text(build_flat(revisions), {2: HALLS.snippet}, "en")
    head, listed = text.split("Left out, because the quotations contradict it:")
    assert "Hall A" in head and "Hall B" not in head
    assert "- Hall B seats 300 people. [2]" in listed and "Hall B seats 120 people." in listed
    assert "1 contradicted" in summarise_support(revisions, "How many seats?")


@each_row(("length", "became"), [(1_000, "kept"), (1_001, "removed")])
def test_what_is_longer_than_a_sentence_can_be_is_left_out(length: int, became: str) -> None:
    ref = EvidenceRef(1, "G1", "棚は白い。", "", 1.0, 1)
    (revision,) = check_units([AnswerUnit("棚" * length, (1,))], [ref], "")
    assert revision.became == became


@each_row(
    ("bounded", "plain"),
    [
        ("従業員50人以下の企業が対象である。", "従業員50人の企業が対象である。"),
        ("倉庫の温度は5度以下に保つ。", "倉庫の温度は5度に保つ。"),
        ("会費は500円以下、期間は3日である。", "会費は500円、期間は3日である。"),
    ],
)
def test_code_does_not_take_a_bound_for_the_figure_itself(bounded: str, plain: str) -> None:
    for text, quotation in ((bounded, plain), (plain, bounded)):
        assert check(text, EvidenceRef(1, "G1", quotation, "", 1.0, 1)).support == "unverified"
