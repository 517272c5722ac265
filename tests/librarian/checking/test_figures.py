"""Figures of a sentence are known from its sources, computed from two of them, counted, or foreign."""

from __future__ import annotations

from shisho.domain.inquiry import EvidenceRef
from shisho.librarian.checking.check import AnswerUnit, read_units
from shisho.librarian.checking.figures import (
    KnownFigures,
    list_foreign_addresses,
    list_foreign_figures,
    list_misplaced,
    strip_counters,
    unwrap,
)
from tests.tables import each_row

ELEVEN = "赤、青、緑、黄、紫、茶、黒、白、橙、桃、灰の紙がある。"
FORTY = "、".join(f"{number * number + 1000}円" for number in range(1, 40))


@each_row(
    ("quotations", "sentence", "foreign"),
    [
        ("定員は30人である。", "定員は30人である。", ()),
        ("定員は30人である。", "定員は31人である。", ("31人",)),
        ("定員は30である。", "定員は30人である。", ()),
        ("幅は2mである。", "幅は200cmである。", ()),
        ("幅は2mである。", "幅は210cmである。", ("210cm",)),
        # Sums and differences of two figures of one unit, and of all of them.
        ("甲は30人、乙は20人。", "計50人、差は10人。", ()),
        ("甲は30人、乙は20人。", "計600人。", ("600人",)),
        ("甲は30人、乙は20円。", "計50人。", ("50人",)),
        ("甲は30人、乙は20人、丙は5人。", "計55人。", ()),
        (f"{FORTY}、7円。", "差は994円。", ()),
        (f"{FORTY}、8円、7円。", "差は994円。", ("994円",)),
        # Years between two dates, and their parts.
        ("1990年に始まり、2004年に終わった。", "14年続いた。", ()),
        ("1990年に始まり、2004年に終わった。", "15年続いた。", ("15年",)),
        ("990年に始まり、2004年に終わった。", "1014年続いた。", ("1014年",)),
        ("2024年5月3日に始まる。", "5月3日に始まる。", ()),
        ("2024年5月3日に始まる。", "2024年に始まる。", ()),
        ("2024年5月3日に始まる。", "2024年5月4日に始まる。", ("2024年5月4日",)),
        ("2024年5月3日に始まり、同年10月に終わる。", "2024年10月に終わる。", ()),
        ("2024年5月3日に始まり、2025年10月に終わる。", "2024年10月に終わる。", ("2024年10月",)),
        # Up to ten things of a list are counted.
        (ELEVEN, "10種の紙がある。", ()),
        (ELEVEN, "11種の紙がある。", ("11種",)),
        ("赤、青の紙がある。", "2つある。", ()),
        ("赤、青の紙がある。", "3つある。", ("3つ",)),
        ("赤、青の紙がある。", "2人いる。", ("2人",)),
        ("赤と青の紙がある。", "黒、白、橙の3つがある。", ()),
        # A minus, and units of rows and columns.
        ("最低気温は-5度である。", "最低気温は-5度である。", ()),
        ("最低気温は5度である。", "最低気温は-5度である。", ("-5",)),
        ("年\t実績（万枚）\n2021\t2,693", "2,693万枚である。", ()),
        ("年\t実績\n2021\t2,693", "2,693億枚である。", ("2,693億枚",)),
    ],
)
def test_a_figure_is_known_computed_counted_or_foreign(
    quotations: str, sentence: str, foreign: tuple[str, ...]
) -> None:
    assert list_foreign_figures(sentence, KnownFigures(quotations), ()) == foreign


@each_row(
    ("sentence", "foreign"),
    [
        ("See https://a.example/x.", []),
        ("See https://b.example/x.", ["https://b.example/x"]),
        ("Mail to me@a.example.", ["me@a.example"]),
        ("See a.example/x", []),
        ("See b.com", ["b.com"]),
        ("See www.b.org/y", ["www.b.org/y"]),
        ("No address.", []),
    ],
)
def test_an_address_that_no_source_has_is_foreign(sentence: str, foreign: list[str]) -> None:
    assert list_foreign_addresses(sentence, "It is at https://a.example/x.") == foreign


@each_row(
    ("written", "plain"),
    [
        ("① 棚", "  棚"),
        ("(2) 棚", "棚"),
        ("3. 棚", "棚"),
        ("棚の一つは白い。", "棚の は白い。"),
        ("one of the shelves", "  the shelves"),
        ("one and the same", "  the same"),
        ("1 億 2,000 万円", "1億2,000万円"),
        ("2024 年 5 月 3 日", "2024年5月3日"),
        ("3 つの棚", "3 つの棚"),
    ],
)
def test_counters_and_spaces_in_numbers_are_stripped(written: str, plain: str) -> None:
    assert strip_counters(written) == plain


def test_a_quotation_is_unwrapped_but_a_table_is_not() -> None:
    assert unwrap("定員は30\n人である。雨が降る。") == "定員は30人である。\n雨が降る。"
    assert unwrap("年\t人\n2021\t30") == "年\t人\n2021\t30"


ROOMS = "本館の定員は300人、別館の定員は120人。"


@each_row(
    ("quotation", "sentence", "excused", "misplaced"),
    [
        (ROOMS, "別館の定員は300人。", "", ("300人",)),
        (ROOMS, "別館の定員は120人。", "", ()),
        (ROOMS, "別館の定員は300人。", "300人", ()),
        (ROOMS, "新館の定員は300人。", "", ()),
        (ROOMS, "定員は300人。", "", ()),
        (ROOMS, "本館と別館の定員は300人。", "", ()),
        ("定員は300人、会費は200円。", "定員は300円。", "", ("300円",)),
        ("定員は300人。", "定員は300円。", "", ()),
        ("定員は300人、会費は200円。", "定員は400円。", "", ()),
    ],
)
def test_a_figure_of_another_thing_is_misplaced(
    quotation: str, sentence: str, excused: str, misplaced: tuple[str, ...]
) -> None:
    assert list_misplaced(sentence, [quotation], [], excused) == misplaced


@each_row(("place", "suspect"), [(0, ()), (2, ()), (3, ("420人",))])
def test_figures_of_the_units_beside_a_unit_may_be_its_parts(place: int, suspect: tuple[str, ...]) -> None:
    texts = ["雨は降る。", "甲室は300人です。", "雪は降る。", "霜は降る。"]
    refs = [EvidenceRef(number, "G1", text, "", 1.0, 1) for number, text in enumerate(texts, 1)]
    refs[place] = EvidenceRef(place + 1, "G1", "乙室は120人です。", "", 1.0, 1)
    units = [AnswerUnit(text, (number,)) for number, text in enumerate(texts, 1)]
    units[1] = AnswerUnit("合わせて420人です。", (2,))
    assert [*read_units(units, refs, "")][1].suspect == suspect


@each_row(
    ("words", "is_foreign"), [("棚、茶、米、塩、魚、豆。", False), ("棚、茶、米、塩、魚、豆、肉。", True)]
)
def test_a_unit_with_next_to_no_word_of_its_sources_is_foreign(words: str, is_foreign: bool) -> None:
    ref = EvidenceRef(1, "G1", "棚は広い。", "", 1.0, 1)
    (unit,) = read_units([AnswerUnit(words, (1,))], [ref], "")
    assert unit.is_foreign is is_foreign
