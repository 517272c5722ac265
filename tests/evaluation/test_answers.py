"""What the quotations of an answer must hold, read off the gold answer and its reasoning."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from shisho.domain.inquiry import AnswerLevel
from shisho.errors import InvalidParams
from shisho.evaluation.answers import (
    AnswerItem,
    AnswerResult,
    Requirement,
    find_held_needs,
    find_needs,
    load_items,
    split_lines,
    summarise,
)

STOCK = "<table><tr><th>商品名</th><th>在庫数</th></tr><tr><td>電子レンジ</td>\n<td>40</td></tr></table>"
FARES = "氏名,到着,料金\n村上涼子,2023/09/28,27000\n伊藤幸子,2023/09/22,18000"


def item(
    question: str, answer: str, *passages: str, reasoning: str = "", kinds: tuple[str, ...] = ("L_synonym",)
) -> AnswerItem:
    return AnswerItem("item", kinds, question, answer, reasoning, passages, ())


def texts(*needs: Requirement) -> list[str]:
    return [need.text for need in needs]


@pytest.mark.parametrize(
    ("asked", "needed"),
    [
        (item("在庫数は?", "電子レンジの在庫数は40です。", STOCK), ["40"]),
        (item("どこで動いていますか。", "Loco AIはNimbus Cloudで動く。", "安全なNimbus Cloudで動く。"), ["Nimbus", "Cloud"]),
        # What the question names itself is no answer, and what stands nowhere cannot be quoted.
        (item("40個か50個か。", "40個です。", "在庫は40個。"), []),
        (item("色は?", "群青色です。", "青い。"), []),
        # Worked out: the figures of the reasoning, but no result of it, and no year by itself.
        (
            item(
                "資金の総額はいくらですか?",
                "7億円",
                "2024年度に総額5億円の投資が決まった。追加の予算は2億円である。会費は7,000円。",
                reasoning="2024年度に5億円の投資と2億円の予算がある。5億円＋2億円＝7億円となる。会議は3回。",
            ),
            ["5億円", "2億円"],
        ),
        # Reasoning is asked for though the answer stands there.
        (
            item(
                "AlphaとBetaの早いのはどちらですか?",
                "Alpha",
                "製品Alphaの公開は4月15日。\n製品Betaの公開は6月20日。",
                reasoning="Alphaの公開は4月15日、Betaの公開は6月20日なので早いのはAlphaである。",
                kinds=("R_multihop",),
            ),
            ["4月15日", "6月20日"],
        ),
        # A figure that stands in a line with no word of the sentence stands there by chance.
        (
            item(
                "料金の平均は?",
                "9,000円",
                FARES,
                reasoning="村上涼子の料金は27,000円、泊数は3泊。鉄道の運賃は18,000円。",
            ),
            ["27,000円"],
        ),
        (item("色は?", "答えられない。", "青い色。", kinds=("A_conflicted",)), []),
    ],
)  # fmt: skip
def test_what_quotations_must_hold_is_what_the_gold_says_and_a_passage_says(
    asked: AnswerItem, needed: list[str]
) -> None:
    assert texts(*find_needs(asked)) == needed


@pytest.mark.parametrize(
    ("quotation", "is_held"),
    [
        ("電子レンジ 30000 40 家電", True),
        ("商品名: 電子レンジ、在庫数: ４０", True),
        ("商品番号 40 は廃番", False),
        ("電子レンジ 400", False),
        ("電子レンジは人気です。", False),
    ],
)
def test_a_figure_is_held_with_a_word_that_says_of_what_it_is(quotation: str, is_held: bool) -> None:
    (need,) = find_needs(item("在庫数は?", "電子レンジの在庫数は40です。", STOCK))
    assert (find_held_needs([need], [quotation]) == (need,)) is is_held


def test_one_quotation_must_hold_the_figure_and_its_word() -> None:
    (need,) = find_needs(item("在庫は?", "電子レンジは40台です。", STOCK))
    assert find_held_needs([need], ["電子レンジの写真", "残り40台"]) == ()


@pytest.mark.parametrize(
    ("quotations", "held"),
    [
        (["東京都で行う。", "費用は無料。"], 2),
        (["Tokyoで行う。費用は0円。"], 2),
        (["東京都で、Tokyoで。"], 1),
        (["費用は10円。"], 0),
        ([], 0),
    ],
)
def test_of_each_need_that_an_item_lists_one_alternative_must_stand(quotations: list[str], held: int) -> None:
    listed = replace(
        item("どこで、いくらで?", "東京都、無料", "東京都で行う。"),
        needs=(("東京都", "Tokyo"), ("無料", "0円")),
    )
    needs = find_needs(listed)
    assert len(needs) == 2
    assert len(find_held_needs(needs, quotations)) == held


def test_rows_of_tables_are_lines_whatever_they_are_drawn_with() -> None:
    assert list(split_lines(STOCK)) == ["商品名 在庫数", "電子レンジ 40"]
    assert list(split_lines("| 県 | 面積 |/n| 鳥東 | 259 |")) == ["| 県 | 面積 |", "| 鳥東 | 259 |"]
    assert list(split_lines("<p>一文。二文</p>\n村上,9/28")) == ["一文", "二文", "村上,9/28"]


def test_an_item_counts_under_each_of_its_kinds_and_abstentions_by_sub_kind() -> None:
    need = Requirement("40")
    answered = AnswerResult(
        item("?", "40", kinds=("R_calculate", "T_csv")), AnswerLevel.ANSWERED, (need,), (need,), 80, False
    )
    near = replace(answered, level=AnswerLevel.RELATED, held=(), is_explained=True)
    silent = AnswerResult(item("?", "–", kinds=("A_negative_only",)), AnswerLevel.NOTHING, (), (), 0, True)
    rows = summarise([answered, near, silent])
    assert list(rows) == [
        "R reasoning",
        "T tables",
        "all to answer",
        "A_negative_only",
        "all to abstain from",
    ]
    assert rows["T tables"]["items"] == 2
    assert rows["T tables"]["answered and holds all"] == rows["R reasoning"]["related"] == 1
    assert rows["all to answer"]["share of needs held"] == 0.5
    assert (
        rows["A_negative_only"]["abstained, says what is missing"] == rows["A_negative_only"]["nothing"] == 1
    )


def test_a_line_that_is_no_item_is_named(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl.gz"
    row = {
        "id": "1",
        "qa_type": ["A_negative_only"],
        "question": "?",
        "answer": "–",
        "reasoning_content": "–",
    }
    row |= {"positive_chunk_list": [], "negative_chunk_list": ["文。"]}
    path.write_bytes(gzip.compress(f"{json.dumps(row)}\n{{}}\n".encode()))
    with pytest.raises(InvalidParams, match=r"items\.jsonl\.gz, line 2"):
        load_items(path)
    path.write_bytes(gzip.compress(json.dumps(row).encode()))
    assert load_items(path)[0].negative == ("文。",) and load_items(path)[0].needs == ()
    path.write_bytes(gzip.compress(json.dumps(row | {"needs": [["東京", "Tokyo"], ["無料"]]}).encode()))
    assert load_items(path)[0].needs == (("東京", "Tokyo"), ("無料",))
    path.write_bytes(gzip.compress(json.dumps(row | {"needs": [["東京"], []]}).encode()))
    with pytest.raises(InvalidParams, match=r"items\.jsonl\.gz, line 1"):
        load_items(path)
