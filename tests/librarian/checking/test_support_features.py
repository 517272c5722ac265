"""What the score of support sees: signs of a sentence beside its quotation, and shares of its words."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from shisho.librarian.checking.clauses import read_clauses
from shisho.librarian.checking.support import (
    SupportFeatures,
    SupportWeights,
    match_tokens,
    match_words,
    measure_support,
)
from tests.tables import each_row

SHARES = {"coverage", "density", "pairs"}
HOURS = "開館は9時で閉館は17時である。"
ROOMS = "30名の会議室と20名の応接室がある。"
HALLS = "Hall A has 120 seats and Hall B 80 seats."
GOODS = "一郎は茶を買う。二郎は米を売る。三郎は塩を作る。四郎は魚を釣る。五郎は豆を煮る。"
VOTES = "総会の議決は出席者の多数による。規約の変更は会員の3分の2の賛成を要する。"


def list_signs(sentence: str, quotation: str, headings: Sequence[str] = ()) -> set[str]:
    features = measure_support(sentence, [quotation], headings)
    return {name for name, value in features._asdict().items() if value and name not in SHARES}


@each_row(
    ("quotation", "sentence", "signs"),
    [
        ("棚の幅は広い。", "棚の幅は広い。", "clean"),
        ("棚の幅は広い。", "棚の幅はとても広い。", "clean"),
        ("棚の幅は広い。", "庭の棚の幅は広い。", "unmatched"),
        ("棚の幅は広い。", "机の幅は広い。", "unmatched substituted"),
        ("棚の幅は広い。", "棚の机は広い。", "unmatched substituted"),
        ("棚の幅は広い。", "棚の幅の色。", "unmatched substituted"),
        ("棚の幅は広い。", "棚は棚の幅が広い。", "reused"),
        ("棚は棚の幅が広い。", "棚は棚の幅が広い。", "clean"),
        ("会議は長い。会社は短い。", "会社は長い。", "clean"),
        ("売上は増加した。", "売上は減少した。", "unmatched substituted opposites"),
        ("売上は増加し、費用は減少した。", "売上は減少した。", "clean"),
        ("会員は参加できる。", "会員は参加できない。", "negations misdenied"),
        ("会員は参加できない。", "会員は参加できない。", "clean"),
        ("会員は参加できない。", "会員は参加できる。", "negations"),
        ("会員は参加できない。", "学生の会員は参加できない。", "unmatched"),
        ("参加は自由、申込は不要で、見学はできない。", "見学は自由、参加はできない。", "misdenied"),
        ("会員は参加できるとされるが、そうではない。", "会員は参加できる。", "denied doubts"),
        ("会員は参加できるとされるが、雨ではない。", "会員は参加できる。", "doubts"),
        ("会員は参加できると見られたが、事実とは認められない。", "会員は参加できる。", "denied"),
        ("会員は参加できる、それは正しい。", "会員は参加できる。", "clean"),
        ("会員は参加できる。そうではない。", "会員は参加できる。", "clean"),
        ("本店は神戸から名古屋へ移転した。", "本店は名古屋から神戸へ移転した。", "directions"),
        ("本店は神戸から名古屋へ移転した。", "本店は名古屋へ神戸から移転した。", "clean"),
        ("甲社が乙社を買収した。", "乙社が甲社を買収した。", "subjects"),
        ("甲社が乙社を買収した。", "乙社を甲社が買収した。", "clean"),
        ("甲社は乙社を買収した。", "甲社を買収した。", "clean"),
        ("猫が肩に乗っている。", "肩が猫に乗っている。", "subjects"),
        ("少年が棒を持っている。", "棒を少年が持っている。", "clean"),
        ("彼が知識を独占した。", "知識が彼を独占した。", "subjects"),
        ("規則に従って会議が進む。", "規則で会議が進む。", "clean"),
        ("会員のうち学生は半数である。", "会員のうち学生は半数である。", "clean"),
        ("会員のうち学生は半数である。", "職員のうち学生は半数である。", "unmatched substituted shares"),
        (VOTES, "規約の変更は会員の3分の2の賛成を要する。", "figures clean"),
        (VOTES, "総会の議決は会員の3分の2の賛成を要する。", "figures crossed"),
        ("棚の幅は90cm、奥行は30cm。", "棚の奥行は90cm。", "figures crossed"),
        ("総会は東京で開く。会員は3人である。", "総会の会員は3人である。", "figures clean"),
        ("棚の幅は90cm、奥行は30cm。", "奥行は30cm。", "figures clean"),
        ("棚の幅は90cm、奥行は30cm。", "幅は90cm、奥行は30cm。", "figures clean"),
        (HOURS, "開館は17時で閉館は9時である。", "figures swapped"),
        (HOURS, "閉館は17時で開館は9時である。", "figures clean"),
        (HOURS, "閉館は9時で開館は17時である。", "figures swapped"),
        ("稼働率を80%から60%へ引き下げた。", "稼働率を60%から80%へ引き下げた。", "figures swapped"),
        (ROOMS, "20名の応接室と30名の会議室がある。", "figures clean"),
        (ROOMS, "20名の会議室と30名の応接室がある。", "figures swapped"),
        (ROOMS, "30名の応接室と20名の会議室がある。", "figures swapped"),
        ("甲は3名で乙は3名で丙は5名である。", "丙は5名で甲は3名である。", "figures clean"),
        ("甲は3名で乙は3名である。", "乙は3名で甲は3名である。", "figures clean"),
        ("3名と3名と5名の班がある。", "5名と3名と3名の班がある。", "figures crossed"),
        ("甲は3名で乙は5円で丙は7名である。", "丙は7名で乙は5円で甲は3名である。", "figures clean"),
        (HALLS, "Hall B has 80 seats and Hall A 120 seats.", "figures clean"),
        (HALLS, "Hall A has 80 seats and Hall B 120 seats.", "figures crossed"),
        ("The dog bit the man.", "The man bit the dog.", "moves clean"),
        ("The dog bit the man.", "The dog bit the man.", "clean"),
        ("犬が猫を追う。", "猫を犬が追う。", "clean"),
        ("福岡工場は車を作る。", "福岡工場は車を作る。", "clean"),
        ("福岡工場は車を作る。", "熊本工場は車を作る。", "unmatched substituted"),
        ("定員は30人以上である。", "定員は30人である。", "figures bounds"),
        ("会員だけ入れる。", "会員は入れる。", "limits"),
        ("会員は入れると言われる。", "会員は入れる。", "doubts"),
        ("最低気温は-5度である。", "最低気温は5度である。", "figures signs"),
        ("全ての会員が入れる。", "会員が入れる。", "parts"),
        ("現在の会員は多い。", "会員は多い。", "times"),
        ("棚。", "", "clean"),
        ("", "棚。", "unmatched"),
    ],
)
def test_signs_of_a_sentence_beside_its_quotation(quotation: str, sentence: str, signs: str) -> None:
    assert list_signs(sentence, quotation) == set(signs.split())


def test_a_word_of_a_heading_is_no_foreign_word() -> None:
    assert list_signs("庭の棚の幅は広い。", "棚の幅は広い。") == {"unmatched"}
    assert list_signs("庭の棚の幅は広い。", "棚の幅は広い。", ["庭"]) == {"clean"}
    assert list_signs("熊本工場は車を作る。", "福岡工場は車を作る。", ["熊本工場"]) == {"clean"}


@each_row(
    ("quotations", "sentence", "headings", "coverage", "density", "pairs"),
    [
        (["棚の幅は広い。"], "棚の幅は広い。", (), 1, 1, 1),
        (["棚の幅は広い。"], "庭の棚の幅は広い。", (), 3 / 4, 1, 2 / 3),
        (["棚の幅は広い。"], "庭の棚の幅は広い。", ["庭"], 3.5 / 4, 1, 2 / 3),
        (["棚の幅は広い。"], "棚の幅は広い。", ["棚"], 1, 1, 1),
        (["棚の幅は広い、色は白い。"], "棚は白い。", (), 1, 2 / 5, 0),
        (["棚の幅は広い、色は白い。"], "棚、白い。", (), 1, 2 / 5, 0),
        (["会議は長い。"], "会社は長い。", (), 1.4 / 2, 1 / 2, 0),
        (["茶は安い。", "米は安い。"], "茶と米は安い。", (), 1, 3 / 4, 1 / 2),
        (["棚は広い。", "雨が降る。"], "棚は広い。", (), 1, 1, 1),
        (["雨が降る。", "棚は広い。"], "棚は広い。", (), 1, 1, 1),
        # Up to four sentences, and one more only for more than 15% of the words.
        ([GOODS], "茶、米、塩、魚。", (), 1, 4 / 12, 0),
        ([GOODS], "茶、米、塩、魚、豆。", (), 4 / 5, 4 / 12, 0),
        (["茶、米、塩、魚、豆。酢は安い。"], "茶、米、塩、魚、豆、酢。", (), 1, 6 / 7, 0),
        (["茶、米、塩、魚、豆、肉、油。酢は安い。"], "茶、米、塩、魚、豆、肉、油、酢。", (), 7 / 8, 1, 0),
        ([], "棚。", (), 0, 0, 0),
        (["棚。"], "", (), 0, 0, 0),
    ],
)
def test_shares_of_words_that_are_said(
    quotations: list[str],
    sentence: str,
    headings: Sequence[str],
    coverage: float,
    density: float,
    pairs: float,
) -> None:
    features = measure_support(sentence, quotations, headings)
    assert (features.coverage, features.density, features.pairs) == pytest.approx((coverage, density, pairs))


@each_row(
    ("word", "other", "share"),
    [
        ("棚", "棚", 1.0),
        ("購入", "買う", 0.9),
        ("取り消し", "取消", 0.8),
        ("organiz", "organ", 0.7),
        ("plant", "plane", 0.0),
        ("cat", "cats", 0.0),
        ("会議", "会社", 0.4),
        ("会議", "meet", 0.0),
        ("サービス", "サーバ", 0.0),
        ("インターネット", "インターフェース", 0.0),
    ],
)
def test_words_say_the_same_more_or_less(word: str, other: str, share: float) -> None:
    assert match_words(word, other) == share == match_words(other, word)


@each_row(
    ("text", "other", "share"),
    [
        ("30人", "30人", 1.0),
        ("3割", "30%", 0.0),
        ("1,000人", "千人", 1.0),
        ("30人", "31人", 0.0),
        ("30人", "棚", 0.0),
        ("棚", "30人", 0.0),
        ("30人", "人数", 0.0),
        ("人数", "30人", 0.0),
        ("約30人", "30人", 1.0),
        ("30人", "約30人", 1.0),
        ("棚", "棚", 1.0),
    ],
)
def test_figures_match_by_value(text: str, other: str, share: float) -> None:
    first, second = (read_clauses(each)[0].tokens[-1] for each in (text, other))
    assert match_tokens(first, second) == share


@each_row(
    ("coverage", "signs", "is_supported"),
    [(1.0, {}, True), (0.9, {}, False), (1.0, {"reused": True}, False), (9.0, {"parts": True}, False)],
)
def test_a_score_below_the_threshold_or_a_sign_that_forbids_is_no_support(
    coverage: float, signs: dict[str, bool], is_supported: bool
) -> None:
    weights = SupportWeights({"coverage": 2.0, "reused": -0.5, "parts": -0.5}, 2.0, ["parts"])
    features = SupportFeatures(**{**dict.fromkeys(SupportFeatures._fields, False), "coverage": coverage})
    assert weights.is_supported(features._replace(**signs)) is is_supported
