"""The kinds of a question's words, and what the absence of one does to how sure an answer is."""

import pytest

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import Goal
from shisho.librarian.evaluate import select
from shisho.librarian.questions import read
from shisho.librarian.signs import find_rarest_name
from shisho.librarian.word_kinds import WordKind, find_word_kinds


def test_words_are_told_apart_by_kind() -> None:
    question = read("ドイツがロケットの開発を放棄したのはどの会議か")
    kinds = find_word_kinds(question.folded, question.terms)
    assert kinds[WordKind.NAME] == {"ドイツ"}
    assert {"開発", "放棄"} <= kinds[WordKind.ACTION]
    assert kinds[WordKind.KATAKANA] == {"ドイツ", "ロケット"}
    assert kinds[WordKind.LAST_NOUN] == {"会議"}


@pytest.mark.parametrize(
    ("question", "weights", "name"),
    [
        ("その小説のタイトルは", {"小説": 0.4, "タイトル": 0.6}, ""),
        ("マルウェアとは何か", {"マルウェア": 1.0}, "マルウェア"),
        ("スライドに出てくる検定の手順は", {"スライド": 0.6, "検定": 0.3, "手順": 0.1}, ""),
        ("ブランド品を人に売ってもよいか", {"ブランド": 0.7, "品": 0.1, "売る": 0.2}, ""),
        ("ブランドと商標の違いは", {"ブランド": 0.7, "商標": 0.2, "違い": 0.1}, "ブランド"),
        ("日本で鉄道が開業した年は", {"日本": 0.05, "鉄道": 0.4, "開業": 0.35, "年": 0.2}, ""),
        ("ラオスで鉄道が開業した年は", {"ラオス": 0.5, "鉄道": 0.2, "開業": 0.2, "年": 0.1}, "ラオス"),
    ],
)
def test_a_name_that_must_stand_there(question: str, weights: dict[str, float], name: str) -> None:
    assert find_rarest_name(read(question), weights) == name


def test_the_deed_that_is_asked_about_makes_an_answer_surer() -> None:
    def sure(text: str) -> float:
        passage = NumberedPassage(1, text, "中央鉄道", 0.8)
        goal = Goal("g1", "中央鉄道が1960年代に放棄した路線は何か")
        return max((finding.score for finding in select([passage], [goal], [], {})), default=0.0)

    assert sure("中央鉄道は1960年代に山側の路線を放棄した。") > sure(
        "中央鉄道は1960年代に山側の路線を開業した。"
    )
