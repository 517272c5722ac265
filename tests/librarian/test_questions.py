"""What a question asks for, in both languages."""

import pytest

from shisho.language.terms import fold
from shisho.librarian.questions import AnswerKind, answers, read


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("『文明論之概略』の著者は誰ですか?", AnswerKind.PERSON),
        ("Who discovered penicillin?", AnswerKind.PERSON),
        ("ラオスが独立を宣言したのはいつ", AnswerKind.TIME),
        ("サターンIの最初の試験発射は何年にありましたか?", AnswerKind.TIME),
        ("In what year was the wing tested?", AnswerKind.TIME),
        ("ナポリ王国があった場所は？", AnswerKind.PLACE),
        ("栗山川は何県の川ですか？", AnswerKind.PLACE),
        ("where is the shock formed", AnswerKind.PLACE),
        ("一升は何リットルあるの？", AnswerKind.AMOUNT),
        ("梅雨の期間はどれくらいか", AnswerKind.AMOUNT),
        ("how many panels were tested?", AnswerKind.AMOUNT),
        ("標本を無作為に選ぶのはなぜか", AnswerKind.REASON),
        ("why does the layer separate", AnswerKind.REASON),
        ("決定係数とは何か", AnswerKind.DEFINITION),
        ("What is a boundary layer?", AnswerKind.DEFINITION),
        ("埋蔵量は採掘を続けると何年分か", AnswerKind.AMOUNT),
        ("この説が定義に合わない理由は、膜と何を有しない点か", AnswerKind.THING),
        ("大菩提寺を何という？", AnswerKind.NAME),
        ("オランダ最大の通信事業者は何ですか。", AnswerKind.THING),
    ],
)
def test_kind(question: str, kind: AnswerKind) -> None:
    assert read(question).kind is kind


@pytest.mark.parametrize(
    ("question", "sentence", "expected"),
    [
        ("開業はいつか", "駅は平成10年に開業した。", True),
        ("1998年に開業した駅はいつ廃止されたか", "1998年に開業した。", False),
        ("印刷が広まったのは何世紀か", "16世紀に広まった。", True),
        ("参加者は何人か", "参加者は三百人だった。", True),
        ("参加者は何人か", "参加者は多かった。", False),
        ("なぜ標本を無作為に選ぶのか", "偏りを避けるためである。", True),
        ("なぜ標本を無作為に選ぶのか", "標本は無作為に選ぶ。", False),
        ("How many panels were tested?", "Twelve of 14 panels were tested.", True),
        ("why does it separate", "it separates because the pressure rises.", True),
        ("why does it separate", "it separates at the edge.", False),
    ],
)
def test_a_sentence_must_bring_what_is_asked(question: str, sentence: str, expected: bool) -> None:
    assert answers(read(question), fold(sentence)) is expected


def test_words_that_only_ask_are_no_terms() -> None:
    assert set(read("決定係数とは何ですか").terms) == {"決定", "係数"}
    assert read("一升は何リットルあるの？").unit == "リットル"
    assert read("令和6年に「罪と罰」を訳した人は").quoted == ("罪と罰",)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("アルゴンは空気の何パーセントを占めるか", {"アルゴン"}),
        ("マドリードの首都圏の人口は", {"マドリード"}),
    ],
)
def test_a_unit_is_no_name(question: str, names: set[str]) -> None:
    assert set(read(question).names) == names


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("クラウドの可用性とは何か", True),
        ("生きる力とは何ですか", True),
        ("19世紀のイギリスで導入された主義とは何か", False),
    ],
)
def test_a_thing_told_from_others_is_asked_for_not_defined(question: str, expected: bool) -> None:
    assert read(question).asks_what_is is expected
