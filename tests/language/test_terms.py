"""Index terms: what is the same word must give the same term, in a passage and in a query."""

import gzip
import json
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sudachipy import Dictionary, SplitMode

from shisho.language.sentences import split_sentences
from shisho.language.terms import (
    _list_recent_terms,
    analyse,
    fold,
    make_query,
    split_foreign_terms,
    split_terms,
    squeeze,
)
from tests.machine import cpu_seconds
from tests.shared import shared
from tests.tables import each_row


def hits(asked: str, text: str) -> bool:
    """Every term of the query stands in the text."""
    wanted = make_query([asked]).terms
    return bool(wanted) and set(wanted) <= set(analyse([text]).terms.split())


@each_row(
    ("asked", "text"),
    [
        ("分析", "データを分析する。"),
        ("決定 係数", "決定係数は0から1の値をとる。"),
        ("決定係数", "決定 係数は0から1の値をとる。"),
        ("売上", "売り上げが伸びた。"),
        ("売り上げ", "売上が伸びた。"),
        ("サーバ", "サーバーを立てる。"),
        ("サーバー", "サーバを立てる。"),
        ("ライブラリー", "標準ライブラリを使う。"),
        ("ｶﾀｶﾅ", "カタカナで書く。"),
        ("カタカナ", "ｶﾀｶﾅで書く。"),
        ("1", "①を選ぶ。"),
        ("①", "1を選ぶ。"),
        ("空港", "関西国際空港に着く。"),
        ("モデル", "モデルの評価。"),
        ("モデルの", "回帰モデルを作る。"),
        ("2024年", "二〇二四年の統計。"),
        ("一", "1位になった。"),
        ("1200人", "千二百人が1,200人と書かれた。"),
        ("見つける", "本を見付けた。"),
        ("pandas", "PythonのPandasライブラリを使う。"),
        ("ライブラリ", "PythonのPandasライブラリを使う。"),
        ("R²", "決定係数R2を求める。"),
        ("C++", "C++で書かれた。"),
        ("ＡＢＳ", "ABSとは、アンチロック・ブレーキのことである。"),
        ("Schrödinger", "the schrodinger equation"),
        ("running models", "The model was run and models are running."),
        ("it業界", "IT業界の動向"),
        ("𩸽", "𠮷野家の𩸽定食は八百円である。"),
        ("𩸽 定食", "𠮷野家の𩸽定食は八百円である。"),
        ("주소", "회사의 주소는 서울이다."),
        ("한국어", "한국어는 朝鮮半島の言語である。"),
        ("한국 English", "한국어English를 배운다."),
        ("الشركة", "عنوان الشركة، هو دبي."),
        ("राजधानी", "भारत की राजधानी।"),
        ("می\u200cشود", "می\u200cشود که"),
        ("เมืองหลวง", "กรุงเทพมหานครเป็นเมืองหลวง"),
        ("компании", "Адрес компании Москва."),
    ],
)
def test_what_is_asked_is_found(asked: str, text: str) -> None:
    assert hits(asked, text)


@each_row(
    ("asked", "text"),
    [
        ("C++", "C言語で書かれた。"),
        ("決定係数", "相関係数を求める。"),
        ("空港", "空気と港"),
        ("𩸽", "𠮷野家の鯵定食"),
        ("주소", "주인과 장소"),
        ("الشركة", "الشر كة"),
    ],
)
def test_other_words_are_not_found(asked: str, text: str) -> None:
    assert not hits(asked, text)


def test_one_line_for_each_sentence_in_the_order_of_the_text() -> None:
    found = analyse(["売上はPythonで\n分析する。", "の。", "R²を見る。"])
    assert found.terms.split("\n") == ["売り上げ python 分析", "", "r2 見る"]


def test_pairs_then_single_kanji_of_kanji_and_katakana_runs() -> None:
    assert analyse(["音速はデータ。"]).bigrams.split() == ["音速", "デー", "ータ", "音", "速"]


def test_hangul_and_rare_kanji_are_paired_as_kanji_are() -> None:
    assert analyse(["주소는 𩸽定食"]).bigrams.split() == [
        *("주소", "소는", "𩸽定", "定食"),
        *("주", "소", "는", "𩸽", "定", "食"),
    ]


def test_letters_that_the_dictionary_does_not_know_are_words_between_blanks_or_pairs() -> None:
    assert split_terms("भारत की राजधानी।") == ["भारत", "की", "राजधानी"]
    assert split_terms("주소는 2024년") == ["주소", "소는", "2024"]
    assert split_terms("เมือง") == ["เม", "มื", "ือ", "อง"]
    assert split_terms("한국english국어c++") == ["한국", "english", "국어", "c++"]


@each_row("text", ["ɕiɕoː", "é̈ x̂", "→☑️🎉𝕏①℃", "〻々ゝ〱", "ᴀꜧꭓ", "҉"])
def test_phonetic_signs_marks_and_pictures_are_no_words_of_another_script(text: str) -> None:
    assert not list(split_foreign_terms(fold(text)))


def test_english_is_stemmed_and_its_stop_words_left_out() -> None:
    assert (
        analyse(["What are the Boundary-Layer effects at 1,200.5 m ?"]).terms
        == "boundari layer effect 1200.5 m"
    )


def test_a_query_leaves_out_words_that_only_ask_unless_there_are_no_others() -> None:
    assert make_query(["富士山の高さは何メートルですか。教えて下さい。"]).terms == (
        "富士",
        "山",
        "高い",
        "メートル",
    )
    assert make_query(["教えて下さい"]).terms == ("教える", "下さる")


def test_quoted_parts_become_phrases() -> None:
    assert make_query(['“決定係数” と "回帰モデル" の関係']).phrases == (("決定", "係数"), ("回帰", "モデル"))
    assert make_query(["「決定係数」とは"]).phrases == ()


@each_row(
    ("question", "numbers"),
    [
        ("第45回衆議院議員総選挙はいつか", [("第", "45", "回")]),
        ("３５議席獲得した選挙", [("35", "議席", "獲得")]),
        ("1,500人が10km走った", [("1500", "人"), ("10", "km")]),
        ("2019年3月20日", [("2019", "年"), ("3", "月"), ("20", "日")]),
        ("3.5の上昇と5つの要因", []),
        ("Windows 95 は", []),
        ("第二次世界大戦", []),  # in kanji mostly a part of a name, which is found by its words
    ],
)
def test_a_number_is_sought_with_what_it_counts(question: str, numbers: list[tuple[str, ...]]) -> None:
    assert list(make_query([question]).numbers) == numbers


def test_several_texts_make_one_query_with_each_term_once() -> None:
    assert make_query(["売上 分析", "分析 モデル"]).terms == ("売り上げ", "分析", "モデル")


def test_a_query_knows_which_terms_one_of_its_texts_repeats() -> None:
    texts = ["heat flow on a wing in a flow of heat, and heating", "heat in flows"]
    assert dict(make_query(texts).repeated) == {"heat": 3, "flow": 2}
    assert make_query(["heat flow", "flow of heat"]).repeated == ()


def test_a_word_broken_by_a_line_end_is_whole_when_squeezed() -> None:
    assert squeeze("決定\n係数（Ｒ２）　ﾃﾞｰﾀ") == "決定係数(R2)データ"


hostile = st.text(alphabet=st.sampled_from("漢かカーa1+#'.\ue000\x00\ud800　 \n🎉ﷺ한กि𩸽\u200c"), max_size=60)


@given(st.lists(hostile, max_size=4))
def test_any_text_is_taken(texts: list[str]) -> None:
    found = analyse(texts)
    assert len(found.terms.split("\n")) == max(1, len(texts))
    found.terms.encode()
    make_query(texts)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["あ", "漢a", "\x00", "ア", "\ud800", "9", "\ue000", "한", "ي", "𩸽", "ि"])
def test_a_million_characters_without_a_space(unit: str) -> None:
    found = analyse([unit * (1_000_000 // len(unit))])
    assert max(map(len, found.terms.split()), default=0) <= 64


def test_two_threads_at_once_find_what_one_finds() -> None:
    texts = ["関西国際空港の売上を分析する。"] * 300
    alone = analyse(texts)
    together = []
    threads = [threading.Thread(target=lambda: together.append(analyse(texts))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == [alone] * 4


def test_folding_is_nfkc_and_case() -> None:
    assert fold("ＡｂＣ①㈱ｶﾞ\ud800") == "abc1(株)ガ?"


@pytest.mark.slow
def test_terms_cost_little_more_than_what_the_dictionary_does() -> None:
    with gzip.open(shared("eval", "jsquad-valid", "corpus.jsonl.gz"), "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines][:600]
    cut = [[text[start:end] for start, end in split_sentences(text)] for text in texts]
    tokenizer = Dictionary(dict="core").create(mode=SplitMode.A)
    folded = [fold(sentence) for each in cut for sentence in each]

    def look_up() -> None:
        for sentence in folded:
            for morpheme in tokenizer.tokenize(sentence):
                morpheme.word_id()

    def make_terms() -> None:
        _list_recent_terms.cache_clear()
        for each in cut:
            analyse(each)

    make_terms()  # what is remembered by word is there then, as it is in a process that takes texts in
    bare = cpu_seconds(look_up)
    spent = cpu_seconds(make_terms)
    print(
        f"{sum(map(len, texts)) / spent:,.0f} characters a CPU second, {spent / bare:.2f} times the dictionary"
    )
    assert spent < 3 * bare


def test_a_sentence_that_two_passages_share_is_read_once() -> None:
    shared = "梅雨前線は六月の本州に停滞する。"
    first = analyse(["気圧の谷が近づく。", shared])
    before = _list_recent_terms.cache_info()
    second = analyse([shared, "台風は北上する。"])
    after = _list_recent_terms.cache_info()
    assert (after.hits - before.hits, after.misses - before.misses) == (1, 1)
    assert first.terms.split("\n")[1] == second.terms.split("\n")[0] == " ".join(split_terms(shared))


def test_words_that_share_an_id_in_the_dictionary_keep_their_own_terms() -> None:
    # Sudachi gives parts of longer words that have no row of their own one id; whichever came first named
    # all.
    assert [split_terms(word) for word in ("マルウェア", "ロジックボム", "マルウェア")] == [
        ["マルウェア"],
        ["ロジックボム"],
        ["マルウェア"],
    ]


def test_a_latin_word_that_the_dictionary_has_in_katakana_is_stemmed_as_well() -> None:
    assert split_terms(fold("グーグルとウィンドウズ")) == split_terms(fold("GoogleとWindows"))
