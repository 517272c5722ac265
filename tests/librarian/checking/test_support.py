"""Sentences with the words of their quotation in other roles are never supported by code alone."""

from __future__ import annotations

import json
from pathlib import Path

from shisho.domain.inquiry import SupportOutcome
from shisho.librarian.checking.support import load_support_weights, measure_support
from tests.librarian.checking.material import make_claim
from tests.tables import each_row

MATERIAL = Path(__file__).parents[3] / "eval" / "support_material"


def is_supported(sentence: str, quotation: str, question: str = "") -> bool:
    features = measure_support(sentence, [quotation], [question] if question else [])
    return load_support_weights().is_supported(features)


@each_row(
    ("quotation", "sentence", "question"),
    [
        ("田中は佐藤に勝った。", "佐藤は田中に勝った。", ""),
        ("甲社が乙社を買収した。", "乙社が甲社を買収した。", ""),
        ("犬が猫を追いかけた。", "猫が犬を追いかけた。", ""),
        ("東京は大阪より大きい。", "大阪は東京より大きい。", ""),
        ("甲は乙に損害を賠償する義務を負う。", "乙は甲に損害を賠償する義務を負う。", ""),
        (
            "2023年度の売上高は前年度より5%増加した。",
            "2023年度の売上高は前年度より5%減少した。",
            "売上高は増加したか減少したか",
        ),
        (
            "この計画は2023年の委員会で賛成された。",
            "この計画は2023年の委員会で反対された。",
            "この計画に反対されたのはなぜか",
        ),
        (
            "適合率とは、検索された文書のうち、適合している文書の割合である。"
            "再現率とは、適合している文書のうち、検索された文書の割合である。",
            "再現率とは、検索された文書のうち、適合している文書の割合である。",
            "",
        ),
        (
            "Some members use the gym for free on Mondays at 10:00.",
            "Members use the gym for free on Mondays at 10:00.",
            "",
        ),
        (
            "The 2023 meeting was approved by the board.",
            "The 2023 meeting was rejected by the board.",
            "Was the meeting rejected?",
        ),
    ],
)
def test_swapped_and_opposite_words_are_not_supported(quotation: str, sentence: str, question: str) -> None:
    assert not is_supported(sentence, quotation, question)
    assert is_supported(quotation.rsplit("。", 2)[0] + "。" if "とは" in quotation else quotation, quotation)


@each_row("half", ["seen", "unseen"])
def test_what_is_false_by_a_swap_is_not_supported_and_nothing_true_is_contradicted(half: str) -> None:
    rows = [json.loads(line) for line in (MATERIAL / "swapped.jsonl").read_text("utf-8").splitlines()]
    outcomes: dict[str, list[SupportOutcome | None]] = {"true": [], "false": []}
    for row in rows:
        if row["half"] == half:
            claim = make_claim(
                row["text"], row["label"], row["quotation"], row["heading"], row.get("question", "")
            )
            outcomes[row["label"]].append(claim.check(judged=False).support)
    assert SupportOutcome.CONTRADICTED not in outcomes["true"]
    assert SupportOutcome.SUPPORTED not in outcomes["false"]
    assert outcomes["true"].count(SupportOutcome.SUPPORTED) >= 0.5 * len(outcomes["true"])


@each_row(
    ("quotation", "sentence", "swapped"),
    [
        ("開館は9時で閉館は17時である。", "開館は17時で閉館は9時である。", 1),
        ("開館は9時で閉館は17時である。", "閉館は17時で開館は9時である。", 0),
        ("稼働率を80%から60%へ引き下げた。", "稼働率を60%から80%へ引き下げた。", 1),
        ("第一室は30名で第二室は20名である。", "第二室は30名で第一室は20名である。", 1),
        ("Hall A has 120 seats and Hall B 80 seats.", "Hall B has 80 seats and Hall A 120 seats.", 0),
        ("The fee rose from 300 yen to 450 yen.", "The fee rose from 450 yen to 300 yen.", 1),
        ("甲は3名で乙は3名で丙は5名である。", "丙は5名で甲は3名である。", 0),
    ],
)
def test_figures_change_places_with_their_labels_or_are_swapped(
    quotation: str, sentence: str, swapped: int
) -> None:
    assert measure_support(sentence, [quotation]).swapped == swapped


def test_a_figure_under_a_word_of_another_clause_is_crossed_if_its_own_word_is_left_out() -> None:
    quotation = "総会の議決は出席者の多数による。規約の変更は会員の3分の2の賛成を要する。"
    assert measure_support("総会の議決は会員の3分の2の賛成を要する。", [quotation]).crossed
    assert not measure_support("規約の変更は会員の3分の2の賛成を要する。", [quotation]).crossed


def test_a_word_that_only_the_question_has_is_unknown() -> None:
    claim = make_claim(
        "東京支社の電話番号は0120-111-222です。",
        "false",
        "大阪支社の電話番号は0120-111-222です。",
        "連絡先",
        "東京支社の電話番号は何番ですか",
    )
    assert claim.check(judged=False).support is SupportOutcome.UNVERIFIED
