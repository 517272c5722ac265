from __future__ import annotations

import pytest

from shisho.language.terms import fold
from shisho.librarian.designations import find_begun, find_designations, names_another
from shisho.librarian.reading import read as read_passage


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("品番101の部品の重さは", {("品番", "101")}),
        ("部屋番号: 101\t定員: 12", {("部屋番号", "101"), ("定員", "12")}),
        ("エラーコードE101は", {("e", "101")}),
        ("EX-200Aの消費電力", {("ex", "200a")}),
        ("203号室は2階にある", {("号室", "203")}),
        ("検証レベル1とは", {("レベル", "1")}),
        ("第二種と第１種", {("種", "2"), ("種", "1")}),
        ("例3と問1-2", {("例", "3"), ("問", "1-2")}),
        ("図3と表1、Table 2", set()),
        ("What does error 404 mean?", {("error", "404")}),
        ("order no. 1004", {("order", "1004")}),
        ("Windows 10 and Python 3.11", {("windows", "10"), ("python", "3.11")}),
        ("北方領土4島", set()),
        ("標高3776メートル、人口10万人、面積100 km2", set()),
        ("昭和20年8月15日", set()),
        ("会議3月5日", set()),
        ("炭素数5 - 7のナフサ", set()),
        ("規約第20条", set()),
        ("in 1998, over 300, May 3", set()),
    ],
)
def test_what_a_number_tells_apart_is_named_by_its_kind_and_number(
    text: str, things: set[tuple[str, str]]
) -> None:
    assert find_designations(fold(text)) == things


@pytest.mark.parametrize(
    ("asked", "said", "another"),
    [
        ("品番101の部品の重さは", "文書101の第1段落では、品番10101の部品の重さは108グラムである。", True),
        ("品番101の部品の重さは", "品番101の部品の重さは8グラムである。", False),
        ("EX-200の重さは", "EX-2000は重い。", True),
        ("EX-200の重さは", "重さは3kgである。", False),
        ("ASVSのレベル2で想定している攻撃者は", "レベル 1 管理策は", True),
        ("レベル1とレベル2の違い", "レベル 1 管理策は", False),
        ("レベル2とは", "フェーズ1では", False),
        ("第二種の過誤とは", "第一種の過誤は", True),
        ("第2条とは", "第1条は", False),
        ("バージョン3とは", "バージョン 3.1 では", False),
        ("How do I install it on Python 3?", "Python 3.11 is needed.", False),
        ("EX-200Aの重さは", "EX-200は軽い。", False),
        ("What does error 404 mean?", "Error 4041 means that the disk is full.", True),
    ],
)
def test_a_line_of_another_number_is_of_another_thing(asked: str, said: str, another: bool) -> None:
    assert names_another(find_designations(fold(asked)), find_designations(fold(said))) is another


def test_what_follows_is_about_what_a_line_begins_with() -> None:
    assert find_begun("・品番101の部品は、品番205と組で使う。") == {("品番", "101")}


def test_each_column_of_a_table_may_be_of_another_model() -> None:
    rows = "項目\tUK-300\tUK-500\n質量\t6.4kg\t8.9kg\n運転音\t19dB\t18dB"
    heading = "仕様 › 項目 · UK-300 · UK-500"
    of_all = {("uk", "300"), ("uk", "500")}
    assert [set(line.designations) for line in read_passage(rows, heading).lines] == [of_all] * 3
    codes = read_passage("表示\t対処\nE103\t3分待つ\nその他\t店に聞く", "故障 › 表示 · 対処")
    assert [set(line.designations) for line in codes.lines] == [set(), {("e", "103")}, set()]
