"""Sentences with the words of their quotation in other roles are never supported by code alone."""

from __future__ import annotations

import pytest

from shisho.librarian.checking.support import load_support_weights, measure_support


def is_supported(sentence: str, quotation: str, question: str = "") -> bool:
    features = measure_support(sentence, [quotation], [question] if question else [])
    return load_support_weights().is_supported(features)


@pytest.mark.parametrize(
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
