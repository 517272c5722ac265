"""A sentence of an answer beside what it cites: calculations, figures of the question, headers of tables."""

from __future__ import annotations

import pytest

from shisho.domain.inquiry import EvidenceRef, SupportOutcome
from shisho.librarian.cited_support import check_cited
from shisho.librarian.header_units import spell_out_units
from shisho.librarian.support import check

SUPPORTED, UNVERIFIED, ALTERED = (SupportOutcome(name) for name in ("supported", "unverified", "altered"))
PRICE = "「スタンダードプラン」は月額980円（税込）です。ただし、学生の方は学割で二割引となります。"
POWER = "発電方法,発電量,割合(%)\n石炭,220,22.0\n石油,20,2.0\n天然ガス,320,32.0"
TERMS = "過去10年以内に国家プロジェクト提案を10件以上主導した実績を有すること。"


def ref(snippet: str, heading: str = "", context: str = "") -> EvidenceRef:
    return EvidenceRef(1, "G1", snippet, heading, 0.9, 1, context=context)


@pytest.mark.parametrize(
    ("sentence", "snippet", "outcome"),
    [
        ("スタンダードプランの料金は 980円 × (1 − 0.2) = 784円です。", PRICE, SUPPORTED),
        ("スタンダードプランの料金は 980円 × (1 − 0.2) = 794円です。", PRICE, ALTERED),
        ("スタンダードプランの料金は 980円 × (1 − 0.3) = 686円です。", PRICE, ALTERED),
        ("プレミアムプランの料金は 980円 × (1 − 0.2) = 784円です。", PRICE, UNVERIFIED),
        ("石炭、石油、天然ガスの割合の合計は 22.0% + 2.0% + 32.0% = 56% です。", POWER, SUPPORTED),
        ("石炭、石油、天然ガスの割合の合計は 22.0% + 2.0% + 32.0% = 57% です。", POWER, ALTERED),
    ],
)
def test_a_computed_figure_is_carried_where_it_comes_out(
    sentence: str, snippet: str, outcome: SupportOutcome
) -> None:
    text, support = check_cited(sentence, [ref(snippet)], "高校生の場合、料金はいくらですか")
    assert (text, support.outcome) == (sentence, outcome), support.missing


def test_the_answer_shows_a_calculation_that_is_only_given_by_its_result() -> None:
    text, support = check_cited(
        "石炭、石油、天然ガスの割合の合計は56%です。", [ref(POWER)], "合計は何%ですか"
    )
    assert text == "石炭、石油、天然ガスの割合の合計は56%です (22% + 2% + 32% = 56%)。"
    assert support.outcome is SUPPORTED


def test_figures_of_the_question_are_known_and_no_evidence() -> None:
    sentence = "提案は8件で、10件以上主導した実績という条件に足りません。"
    question = "8件の国家プロジェクト提案を主導した佐藤は参加できますか"
    assert check(sentence, [TERMS]).outcome is ALTERED
    assert check_cited(sentence, [ref(TERMS)], question)[1].outcome is not ALTERED
    assert check_cited(sentence.replace("8件", "9件"), [ref(TERMS)], question)[1].outcome is ALTERED
    assert (
        check_cited("佐藤は8件です。", [ref("参加の条件は年齢である。")], question)[1].outcome
        is not SUPPORTED
    )


@pytest.mark.parametrize(
    ("text", "header", "spelt"),
    [
        (POWER, "", "石油\t20\t2.0%"),
        ("鳥東県\t259,122\t74%", "都道府県 | 森林面積 (ha) | 森林率", "鳥東県\t259,122ha\t74%"),
        ("材料\t単価（円）\nパスタ\t5", "", "パスタ\t5円"),
        ("時間(分)は30、回数(回)は5。", "", "時間(分)は30、回数(回)は5。"),
        ("名前,備考(重要)\nA,5", "", "A,5"),
    ],
)
def test_the_unit_of_a_header_cell_belongs_to_the_cells_below(text: str, header: str, spelt: str) -> None:
    assert spelt in spell_out_units(text, header).splitlines()


def test_a_cell_is_quoted_with_the_unit_of_its_header() -> None:
    row = ref("鳥東県\t259,122\t140,109", context="都道府県 | 森林面積 (ha) | 人工林面積 (ha)")
    assert check_cited("鳥東県の森林面積は259,122haです。", [row], "")[1].outcome is not ALTERED
    assert check_cited("鳥東県の森林面積は259,122km²です。", [row], "")[1].outcome is ALTERED


def test_a_conclusion_from_the_case_of_the_question_is_left_to_a_judge() -> None:
    question = "27歳で8件の国家プロジェクト提案を主導した佐藤は参加資格を満たしますか"
    sentence = "8件は10件以上という要件に足りないため、参加資格を満たしません。"
    terms = "参加資格は、国家プロジェクト提案を10件以上主導した実績を有することである。"
    assert check_cited(sentence, [ref(terms)], question)[1].outcome is UNVERIFIED
    assert check_cited(sentence.replace("10件", "12件"), [ref(terms)], question)[1].outcome is ALTERED


def test_a_duty_is_quoted_where_the_word_stands_again() -> None:
    quotation = (
        "労働条件を明示するに当たり、次の事項については書面で明示しなければならない。（１）賃金に関する事項"
    )
    assert check("賃金に関する事項は書面で明示しなければならない。", [quotation]).outcome is not ALTERED


def test_a_number_of_another_row_is_no_operand() -> None:
    rows = "名前\t値(円)\t年\n甲\t10\t2020\n乙\t20\t2021\n丙\t30\t2022"
    right, wrong = (
        "甲と乙の値の合計は 10円 + 20円 = 30円です。",
        "甲と乙の値の合計は 10円 + 30円 = 40円です。",
    )
    assert check_cited(right, [ref(rows)], "甲と乙の値の合計は何円か")[1].outcome is SUPPORTED
    assert check_cited(wrong, [ref(rows)], "甲と乙の値の合計は何円か")[1].outcome is not SUPPORTED


@pytest.mark.parametrize("title", ["回帰分析", "統計学入門", "回帰分析である。"])
def test_a_title_that_no_quotation_has_is_no_statement(title: str) -> None:
    carried = "決定係数が0に近いとき、説明変数は変動をほとんど説明しない。"
    heading = "統計学入門 > 回帰分析"
    assert check_cited(title, [ref(carried, heading)], "何を意味するか")[1].outcome is UNVERIFIED
    assert check_cited(title, [ref(heading, heading)], "何の本か")[1].outcome is SUPPORTED
