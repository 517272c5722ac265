"""A passage on another thing, another period or the opposite is no answer; in other words it may be one."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from shisho.language.dates import find_periods
from shisho.language.designations import find_designations
from shisho.language.terms import fold, split_terms
from shisho.librarian.selection.gates import (
    GATES,
    Gate,
    GateSource,
    find_closed_gate,
    find_denied_terms,
    read_opposites,
)
from tests.tables import each_row

HERE = Path(__file__).parent
READING = HERE.parents[2] / "eval" / "reading"
MAX_FALSE_CLOSINGS = 0.01  # of real answers, without their headings


def load(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def words(*lines: str) -> list[str]:
    return [word for line in lines for word in line.split()]


CASES = load(HERE / "gate_cases.jsonl")


def find(question: str, *sentences: str, heading: str = "", title: str = "", beside: str = "") -> Gate | None:
    return find_closed_gate(question, GateSource(beside + "\n".join(sentences), heading, title, sentences))


@each_row("case", CASES)
def test_a_gate_closes_on_another_thing_and_stays_open_for_other_words(case: dict[str, Any]) -> None:
    source = GateSource(
        case.get("beside", "") + case["sentence"],
        case.get("heading", ""),
        case.get("title", ""),
        (case["sentence"],),
    )
    short_names = {name: frozenset(others) for name, others in case.get("short_names", {}).items()}
    assert find_closed_gate(case["question"], source, short_names) == case["closes"]


def test_few_gates_close_on_real_answers() -> None:
    rows = [row for path in sorted(READING.glob("*.jsonl")) for row in load(path) if row["gold"]]
    answers = [(row["question"], [span["text"] for span in row["gold"]]) for row in rows]
    closed = [question for question, texts in answers if find(question, *texts)]
    assert len(rows) > 500
    assert len(closed) <= MAX_FALSE_CLOSINGS * len(rows), closed


def test_every_gate_stands_once_in_the_table_with_its_reason() -> None:
    assert [gate for gate, _, _ in GATES] == list(Gate)
    assert all(reason.endswith(".") for _, _, reason in GATES)


OPPOSITES = files("shisho.librarian.selection").joinpath("opposites.txt").read_text("utf-8").splitlines()[1:]


@each_row("line", OPPOSITES)
def test_each_word_of_a_pair_is_one_term_that_the_other_side_does_not_answer(line: str) -> None:
    one, other = (side.split() for side in line.split("|"))
    found = [[split_terms(fold(word)) for word in side] for side in (one, other)]
    assert all(len(word) == 1 for side in found for word in side)
    for asked, stated in ((one[0], other[0]), (other[0], one[0])):
        question, answer = f"Where is the {asked} thing?", f"The {stated} thing is green."
        if not line.isascii():
            question, answer = f"{asked}の場所は", f"{stated}の場所は緑である。"
        assert find(question, answer) is Gate.OPPOSITE
        assert find(question, answer, heading=asked) is None


def test_no_word_is_its_own_opposite() -> None:
    assert len(OPPOSITES) <= 200
    assert all(one.isdisjoint(other) for one, other in read_opposites())


@each_row(
    ("text", "things"),
    [
        ("第12条の2第3項", {"条 12の2", "項 3"}),
        ("第十二条", {"条 12"}),
        ("第5回調査", {"回 5", "回調査 5"}),
        ("第三四半期", {"quarter 3"}),
        ("昨年第3四半期の売上", {"quarter 3"}),
        ("3級、2年生、第2学年、4組、203号室", {"級 3", "年生 2", "組 4", "号室 203"}),
        (
            "4番線、5番出口、6番ホーム、7丁目、8期生、9便",
            {"番線 4", "番出口 5", "番ホーム 6", "丁目 7", "期生 8", "便 9"},
        ),
        ("1号車、2号機、3号線、4号館、5号棟", {"号車 1", "号機 2", "号線 3", "号館 4", "号棟 5"}),
        ("二人組合い、3組織", set()),
        ("会議室A、別表第1、レベル: 3、部屋番号 101", {"会議室 a", "別表 1", "レベル 3", "部屋番号 101"}),
        ("標高3776メートル、人口10万人、約200", set()),
        ("レベル1〜3", set()),
        ("Ward J and K; Rooms 7, 8 or 9", {"ward j", "ward k", "room 7", "room 8", "room 9"}),
        ("Room No. 12, Gate #4, error code 404", {"room 12", "gate 4", "error 404"}),
        ("at least 5, in May 3, over 40%", set()),
        ("Level 3 (a), Rule 4(b), 6.1 (ii)", {"() 4b", "() 3a", "() 6.1ii"}),
        ("the twenty-first, the third pier, 21st meeting", {"pier 3", "meet 21"}),
        ("the 2nd and 3rd primary school", {"primari 3", "school 3"}),
        ("EX-200, EX200A, R-17, A350s, v2.1", {"ex 200", "ex 200a", "r 17", "a 350", "version 2.1"}),
        ("FY2021 and fiscal 2021", set()),
        ("Q3, 3rd quarter, 3rd edition, 第三版", {"quarter 3", "版 3"}),
        ("甲は、乙種と丙型に丁を", {"甲乙 甲", "甲乙 乙", "甲乙 丙", "甲乙 丁"}),
        ("北口と別館と旧校舎、西棟", {"口 北", "館 別", "校舎 旧", "棟 西"}),
        ("長野・松本営業所", {"営業所 長野", "営業所 松本"}),
        ("Our branch, the Kita branch and The Gold plan", {"branch kita", "plan gold"}),
    ],
)
def test_designations_are_read_with_their_kind(text: str, things: set[str]) -> None:
    assert {f"{kind} {one.value}" for one in find_designations(text) for kind in one.kinds} == things


@each_row(
    ("asked", "stated", "is_closed"),
    [
        ("レベル3の対策は", "レベル1〜4の対策は同じ。", False),
        ("第3条の対象は", "第2条から第5条までの対象は同じ。", False),
        ("第6条の対象は", "第2条から第5条までの対象は同じ。", True),
        ("第3条の対象は", "第2条と第5条の対象は同じ。", True),
        ("What is kept in room 3?", "Rooms 2 to 5: paper is kept in room 2 to room 5.", False),
        ("レベル1とレベル2の違いは", "レベル1は易しい。", False),
        ("Halls A and B are how big?", "Halls C and D are big.", True),
        ("What does Python 3.12 need?", "Python 3 needs a compiler.", False),
        ("How big is an A350?", "The A350-900 is big.", False),
        ("How big is an A350-900?", "The A350 is big.", False),
        ("EX-200Aの重さは", "EX-200Bは軽い。", True),
        ("札幌支店の場所は", "株式会社丸山札幌支店は駅前にある。", False),
        ("小学校の第3体育館の鍵は", "第1体育館の鍵は棚にある。", True),
        ("警戒レベル3では", "レベル2では避難する。", True),
        ("レベル3では", "警戒レベル2では避難する。", True),
    ],
)
def test_ranges_lists_and_parts_name_what_they_hold(asked: str, stated: str, is_closed: bool) -> None:
    assert (find(asked, stated) is Gate.DESIGNATION) is is_closed


def test_an_article_that_the_passage_is_about_may_mention_another_one() -> None:
    article = "第3条\n"
    assert find("第3条の期限は", "第2条の届出は三日以内とする。", beside=article) is None
    assert find("第3体育館の鍵は", "第2体育館の鍵は棚にある。", beside="第3体育館\n") is Gate.DESIGNATION
    assert find("第3体育館の鍵は", "鍵は棚にある。", heading="第2体育館", beside="第3体育館の床。") is None
    assert find("第3体育館の鍵は", "鍵は棚にある。", heading="第2体育館") is Gate.DESIGNATION


@each_row(
    ("text", "years", "dates"),
    [
        ("令和元年度と平成三十年度", {2019, 2018}, 0),
        ("二〇二二年度、2023 年度", {2022, 2023}, 0),
        ("FY21, FY 2022/23, fiscal 2019 and fiscal year 2020", {2021, 2022, 2019, 2020}, 0),
        ("2022年3月期", {2021}, 0),
        ("2022年3月31日, in December", set(), 2),
        ("of May, for June, during July", set(), 3),
    ],
)
def test_fiscal_years_are_no_dates(text: str, years: set[int], dates: int) -> None:
    found = find_periods(text)
    assert (found.fiscal_years, len(found.dates)) == (years, dates)


@each_row(
    ("asked", "stated", "heading", "is_closed"),
    [
        ("2021年度の会費は", "会費は千円。", "2022年4月1日から2023年3月31日", True),
        ("2021年度の会費は", "会費は千円。", "2022年3月31日現在", False),
        ("2022年度の会費は", "2021年度の会費は千円。", "", True),
        ("2022年度の会費は", "2021年度の会費は千円。", "2022年度", False),
        ("2015年以降の会費は", "2018年の会費は千円。", "", False),
        ("2015年から2019年の会費は", "2018年の会費は千円。", "", False),
        ("2015年の会費は", "2014年から2016年の会費は千円。", "", False),
        ("What was built between 2010 and 2020?", "In 2014 a bridge was built.", "", False),
        ("What was built since 2010?", "In 2014 a bridge was built.", "", False),
        ("What was built in 2010?", "In 2014 a bridge was built.", "", True),
        ("What was built in 2010?", "In 2014 a bridge was built.", "Report of 2010", False),
        ("On which date was the fair of 2010?", "The fair was on May 3, 2011.", "", False),
        ("2010年の市は何日でしたか", "市は2011年5月3日だった。", "", False),
        ("5月3日の天気は", "5月4日は雨。", "", True),
        ("2020年5月の天気は", "5月4日は雨。", "", False),
        ("2020年5月の天気は", "2020年は雨が多かった。", "", False),
        ("2020年の天気は", "雨が多かった。", "", False),
        ("2020年の天気は", "雨が多かった。", "2020 Weather", False),
        ("What was the rain in 2020?", "It was heavy.", "Weather 2019", True),
        ("What was the rain in 2020?", "In 1998 and 2020 it was heavy.", "", False),
    ],
)
def test_a_period_is_compared_as_far_as_both_are_stated(
    asked: str, stated: str, heading: str, is_closed: bool
) -> None:
    assert (find(asked, stated, heading=heading) is Gate.PERIOD) is is_closed


def test_a_period_beside_the_marked_sentence_counts_if_the_sentence_has_none() -> None:
    assert find("2022年度の会費は", "会費は千円。", heading="2021年度", beside="2022年度から新しい。") is None
    assert find("2022年の会費は", "会費は千円。", heading="2021年", beside="2022年の会費。") is None
    assert find("2022年の会費は", "2021年の会費は千円。", beside="2022年は休み。") is Gate.PERIOD
    assert find("2022年度の会費は", "2021年度の会費は千円。", beside="2022年度は休み。") is Gate.PERIOD


@each_row(
    ("asked", "stated", "is_closed"),
    [
        ("Who leads the Tidal Office?", "The Lunar Office is led by Mr Hara.", True),
        ("Who leads the Kelp Office?", "Mr Hara leads the office.", False),
        ("Which Tidal offices are closed?", "Lunar offices are small.", False),
        ("How many cores did Titan need?", "It has 16 cores of Hazel make.", False),
        ("Which judges did Mori dance for?", "She danced for judges Len Goodman and Tonioli.", False),
        ("Where is the bridge of Gifu?", "The bridge of Toyama is long.", True),
        ("Where is the bridge of Gifu?", "The bridge is long, says Toyama.", False),
        ("Where is the bridge of Gifu?", "The bridge of August is long.", False),
        ("Where is the bridge of Gifu?", "岐阜の橋は長い。", False),
        ("岐阜の橋はどこか", "The bridge of Toyama is long.", False),
        ("宮沢さんの本は", "宮澤の本は青い。", False),
        ("ヴェネツィアの橋は", "ベネツィアの橋は長い。", False),
        ("宮沢さんの本は", "高橋先生の本は青い。", True),
        ("日本の橋は", "中国の橋は長い。", False),
        ("ABXの重さは", "KTWの重さは三キロ。", True),
        ("AXの重さは", "KTの重さは三キロ。", False),
        ("リンゴの重さは", "バナナの重さは三キロ。", False),
    ],
)
def test_another_name_closes_only_in_the_place_of_the_one_in_question(
    asked: str, stated: str, is_closed: bool
) -> None:
    assert (find(asked, stated) is Gate.NAME) is is_closed


@each_row(
    ("asked", "stated", "is_closed"),
    [
        ("How do I delete the files that I deployed?", "To deploy the files, press D.", True),
        ("How do I delete the files I deployed?", "To deploy the files, press D.", True),
        ("How do I delete the files I deployed?", "To delete the files, press X.", False),
        ("How do I import and export files?", "To import files, press I.", False),
        ("作成したファイルを削除する手順は", "ファイルを作成する手順は三つ。", True),
        ("作成や削除の手順は", "作成の手順は三つ。", False),
        ("何も作成されませんか？", "すべて削除される。", False),
        ("なぜ作成されるのですか", "すべて削除される。", True),
        ("Would the gate open at nine?", "The gate closes at nine.", False),
    ],
)
def test_of_two_opposites_the_one_that_is_asked_for_counts(asked: str, stated: str, is_closed: bool) -> None:
    assert (find(asked, stated) is Gate.OPPOSITE) is is_closed


@each_row(
    ("clause", "denied"),
    [
        ("学生は会費を払わない", {"払う"}),
        ("商品は返品できません", {"返品"}),
        ("会費を払わなければならない", set()),
        ("会費を払わないといけない", set()),
        ("本は一冊しか借りられない", set()),
        ("学生は会費を払う", set()),
        ("the dishes contain no nuts", {"nut"}),
        ("guests may not enter", {"enter"}),
        ("guests don't smoke", {"smoke"}),
        ("guests never pay", {"pay"}),
        ("guests cannot pay", {"pay"}),
        ("guests enter without cards", {"card"}),
    ],
)
def test_a_denied_word_is_the_one_beside_the_negation(clause: str, denied: set[str]) -> None:
    assert find_denied_terms(clause) == denied


@each_row(
    ("asked", "stated", "is_closed"),
    [
        ("Whom do guests not pay?", "Guests pay the cook.", True),
        ("Which guests pay the cook?", "Guests don’t pay the cook.", True),
        ("Which guests pay the cook?", "Members pay the cook, but guests do not pay the cook.", False),
        ("Which guests pay the cook?", "Nobody can not pay.", False),
        ("Why do some who are guests not pay the cook?", "Guests pay the cook.", False),
        ("どの学生が会費を払わないか", "学生は会費を払う。", True),
        ("学生が会費を払わないのはどんな理由か", "学生は会費を払う。", False),
        ("学生は何が不足すれば会費を払わないか", "学生は会費を払う。", False),
        ("学生はどれくらい会費を払わないか", "学生は会費を払う。", False),
        ("会費を払うのはだれか", "学生は会費を払わない。", True),
        ("会費を払う学生はどちらか", "学生は会費を払わない。", True),
        ("会費を払う人は何ですか", "学生は会費を払わない。", True),
    ],
)
def test_a_question_for_some_things_is_not_answered_by_the_others(
    asked: str, stated: str, is_closed: bool
) -> None:
    assert (find(asked, stated) is Gate.NEGATION) is is_closed


@each_row(
    "word",
    words("何 誰 だれ どこ いつ どれ どの どう どんな どちら なぜ いくら いくつ なに なん"),
)
def test_a_question_with_an_asking_word_wants_more_than_yes_or_no(word: str) -> None:
    assert find(f"{word}が作成されますか", "すべて削除される。") is Gate.OPPOSITE


@each_row("end", ["か", "か？", "か。", "か\n"])
def test_a_japanese_question_for_yes_or_no_is_answered_by_the_opposite(end: str) -> None:
    assert find(f"作成されます{end}", "すべて削除される。") is None
    assert find(f"誰でも何も作成されません{end}", "すべて削除される。") is None
    assert find(f"作成されます{end}を教えて", "すべて削除される。") is Gate.OPPOSITE


@each_row(
    "word",
    words("is are was were am do does did can could may might must should shall will would has have", "had"),
)
def test_an_english_question_for_yes_or_no_is_answered_by_the_opposite(word: str) -> None:
    assert find(f"{word} the gate open at nine?", "The gate closes at nine.") is None
    assert find(f"When {word} the gate open?", "The gate closes at nine.") is Gate.OPPOSITE


@each_row("word", words("誰 だれ どの どれ どんな どちら 何です 何が 何か"))
def test_a_question_for_some_things_is_known_by_its_words(word: str) -> None:
    assert find(f"会費を払う学生は{word}", "学生は会費を払わない。") is Gate.NEGATION
    assert find("会費を払う学生は", "学生は会費を払わない。") is None


@each_row("word", words("理由 なぜ 何故 どうして 原因 すれば どれくらい どれほど どれだけ"))
def test_a_reason_or_an_amount_is_no_choice(word: str) -> None:
    choice = "" if word.startswith("どれ") else "誰"
    assert find(f"{word} 会費を払う学生は{choice}", "学生は会費を払わない。") is None


@each_row("word", ["which", "who", "whom"])
def test_an_english_question_for_some_things_is_known_by_its_words(word: str) -> None:
    assert find(f"Say {word} of the guests pay the cook", "Guests never pay the cook.") is Gate.NEGATION
    assert find(f"Why do guests {word} pay the cook?", "Guests never pay the cook.") is None


@each_row(
    "question",
    [
        *(f"作成{end}ファイルを削除する手順は" for end in ("した", "している", "してある", "される")),
        *(
            f"How do I delete files {end}?"
            for end in ("that they deployed", "I deployed", "we have deployed", "you deployed")
        ),
    ],
)
def test_an_attribute_is_not_what_is_asked_for(question: str) -> None:
    stated = "ファイルを作成する手順は三つ。" if not question.isascii() else "To deploy files press D."
    own = "ファイルを削除する手順は三つ。" if not question.isascii() else "To delete files press X."
    assert find(question, stated) is Gate.OPPOSITE
    assert find(question, own) is None


@each_row(
    "kind",
    words("支店 支社 支部 支所 営業所 出張所 工場 分校 キャンパス 会員 プラン コース"),
)
def test_a_japanese_branch_is_told_apart_by_its_name(kind: str) -> None:
    assert find(f"長野{kind}の料金は", f"松本{kind}の料金は千円。") is Gate.DESIGNATION
    assert find(f"長野{kind}の料金は", f"長野と松本{kind}の料金は千円。") is None
    assert find(f"長野{kind}の料金は", "料金は千円。") is None


@each_row(
    "kind",
    words("branch office campus plant store plan membership course wing station"),
)
def test_an_english_branch_is_told_apart_by_its_name(kind: str) -> None:
    assert find(f"How big is the Kita {kind}?", f"The Nishi {kind} has ten seats.") is Gate.DESIGNATION
    assert find(f"How big is the Kita {kind}?", f"The Kita {kind} has ten seats.") is None


@pytest.mark.parametrize("kind", words("館 口 棟 門 校舎 支部 ホール"))
@pytest.mark.parametrize("side", "東西南北本新旧別")
def test_a_side_tells_buildings_apart(kind: str, side: str) -> None:
    other = "東" if side != "東" else "西"
    assert find(f"{side}{kind}の鍵は", f"{other}{kind}の鍵は棚にある。") is Gate.DESIGNATION


@each_row("after", [*"種型類はがのをにと、及"])
def test_a_party_is_told_apart_by_its_stem(after: str) -> None:
    assert find("丁の義務は", f"甲{after}……") is Gate.DESIGNATION
    assert find("丁の義務は", "甲府の義務は重い。") is None


@each_row("between", ["から", "~", "〜", "–", "ないし"])
def test_a_range_holds_what_lies_between_its_ends(between: str) -> None:
    assert find("レベル3の対策は", f"レベル1{between}はレベル4の対策は同じ。") is None
    assert find("レベル4の対策は", f"レベル1{between}はレベル4の対策は同じ。") is None
    assert find("レベル5の対策は", f"レベル1{between}はレベル4の対策は同じ。") is Gate.DESIGNATION


@each_row("between", ["to", "through"])
def test_an_english_range_holds_what_lies_between_its_ends(between: str) -> None:
    assert find("How big is room 3?", f"From room 1 {between} room 4 all are big.") is None
    assert find("How big is room 5?", f"From room 1 {between} room 4 all are big.") is Gate.DESIGNATION


@each_row(
    "question",
    [
        *(
            f"2015年{end}の会費は"
            for end in words("から まで 以降 以前 以後 以来 より前 より後 ~ 〜 の間 現在")
        ),
        *(
            f"What was built {word} May 3, 2010?"
            for word in words("since until between before after by from")
        ),
    ],
)
def test_an_open_period_is_not_compared(question: str) -> None:
    assert (
        find(question, "2018年の会費は千円。" if not question.isascii() else "On May 5, 2018 it was built.")
        is None
    )


@each_row(
    "question",
    [
        *(f"2015年の会は{word}か" for word in ("いつ", "何年", "何月", "何日")),
        *(
            f"{asking} was the fair of 2010 held?"
            for asking in ("When", "What date", "Which day", "What year", "Which month")
        ),
    ],
)
def test_a_date_that_is_asked_for_is_not_compared(question: str) -> None:
    assert (
        find(question, "会は2016年5月に。" if not question.isascii() else "The fair was on May 3, 2011.")
        is None
    )


@each_row(("era", "year"), [("明治", 1869), ("大正", 1913), ("昭和", 1927), ("平成", 1990), ("令和", 2020)])
def test_an_era_gives_a_fiscal_year(era: str, year: int) -> None:
    assert find_periods(f"{era}2年度").fiscal_years == {year}


@each_row(
    "month",
    words("January February March April May June July August September October November December"),
)
def test_a_month_is_compared_without_its_year(month: str) -> None:
    other = "May" if month != "May" else "June"
    assert find(f"What is cooked in {month}?", f"Soup is cooked in {other}.") is Gate.PERIOD
    assert find(f"What is cooked in {month}?", f"Soup is cooked in {month} and in {other}.") is None


def test_one_of_the_things_in_question_is_enough() -> None:
    assert find("レベル1とレベル2の違いは", "レベル3とは違う。", heading="レベル1") is None
    assert find("レベル1とレベル2の違いは", "レベル3とは違う。", heading="対策") is Gate.DESIGNATION


def test_only_the_short_names_of_things_that_are_named_count() -> None:
    source = GateSource("富山の橋は長い。", "", "", ("富山の橋は長い。",))
    assert find_closed_gate("岐阜の橋は", source, {"岐阜": frozenset({"ギフ"})}) is Gate.NAME
    assert find_closed_gate("岐阜の橋は", source, {"岐阜": frozenset({"富山"})}) is None


@each_row(
    ("asked", "stated", "is_closed"),
    [
        ("How big is the Tidal Office?", "The Lunar Office measures nine metres.", True),
        ("How big is the Tidal Dome?", "The Tidal Tower of Lunar Dome is tall.", False),
        ("How big is the roof of Titan?", "The roof of the Saturn is big.", True),
        ("Who leads the Kappa?", "The Sigma is led by Ms Endo.", True),
        ("Who leads the Kappa?", "Mori is leading the cat of Ms Endo.", False),
        ("By whom is the Kappa led?", "Ms Endo led the Sigma.", True),
        ("Does Kappa lead the cat?", "The cat was led by Sigma.", True),
        ("Does Kappa lead the cat?", "The cat was led with Sigma.", False),
        ("How much of a Kappa is led?", "A Sigma of X is led.", True),
    ],
)
def test_the_place_of_a_name_is_the_word_beside_it(asked: str, stated: str, is_closed: bool) -> None:
    assert (find(asked, stated) is Gate.NAME) is is_closed


def test_a_clause_of_other_things_denies_nothing() -> None:
    assert find("どの学生が会費を払いますか", "猫は払わない。") is None
    assert find("どの学生が会費を払いますか", "学生は会費を払わない。猫は払う。") is None
    assert find("どの学生が会費を払わないか", "学生は会費を払う。学生は会費を払わない。") is None
