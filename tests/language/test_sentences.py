"""Sentence spans: where they break, where they must not, and that no text makes them slow."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shisho.language.sentences import split_sentences
from tests.tables import each_row


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@each_row(
    ("text", "expected"),
    [
        ("決定係数は指標である。0に近い！なぜか？", ["決定係数は指標である。", "0に近い！", "なぜか？"]),
        ("彼は「行く。帰る。」と言った。次。", ["彼は「行く。帰る。」と言った。", "次。"]),
        ("図（注：あ。い。）を見よ。次。", ["図（注：あ。い。）を見よ。", "次。"]),
        ("酵素である︒次︒", ["酵素である︒", "次︒"]),
        ("値は３．１４である．次の文．", ["値は３．１４である．", "次の文．"]),
        ("Yahoo!ニュースを見た。", ["Yahoo!ニュースを見た。"]),
        ("See Fig. 3. It is 3.14. J. Smith agrees.", ["See Fig. 3.", "It is 3.14.", "J. Smith agrees."]),
        ('He said "yes." Then he left.', ['He said "yes."', "Then he left."]),
        ("e.g. this, i.e. that. Next one.", ["e.g. this, i.e. that.", "Next one."]),
        (
            "On sale at 10 a.m. Friday, Dec. 6. More soon.",
            ["On sale at 10 a.m. Friday, Dec. 6.", "More soon."],
        ),
        ("It opens at 10 a.m. The band plays.", ["It opens at 10 a.m.", "The band plays."]),
        ("1. Introduction is here.", ["1. Introduction is here."]),
        ("決定\n係数は高い。", ["決定\n係数は高い。"]),
        (
            "Ledger tax\n: A sum that each keeper pays.",
            ["Ledger tax\n: A sum that each keeper pays."],
        ),
        ("Keepers\n\n: A sum that each keeper pays.", ["Keepers", ": A sum that each keeper pays."]),
        ("見出し\n\n本文。", ["見出し", "本文。"]),
        ("幅優先探索（ビタビ、ビー\nム）と比べる。", ["幅優先探索（ビタビ、ビー\nム）と比べる。"]),
        ("減給は限られる（労基法\n第９１条）。", ["減給は限られる（労基法\n第９１条）。"]),
        ("提出物（写し可）\n１）申請書\n２）同意書", ["提出物（写し可）", "１）申請書", "２）同意書"]),
        ("（書類は次の通り\n（1）申請書）", ["（書類は次の通り", "（1）申請書）"]),
        ("次の通り\n・平均\n・分散", ["次の通り", "・平均", "・分散"]),
        (
            "第1章 総則\nこの規則は労働者の就業に関する事項を定めるものである。",
            ["第1章 総則", "この規則は労働者の就業に関する事項を定めるものである。"],
        ),
        ("  前後の空白。　", ["前後の空白。"]),
        ("", []),
        (" \n\u3000\n ", []),
    ],
)
def test_table(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_a_line_of_a_page_does_not_end_a_sentence() -> None:
    text = "労働者が安心して働ける明るい職場を作ることは、事業規模や業種を問わず、すべての\n事業場にとって重要なことです。"
    assert cut(text) == [text]


def test_an_unclosed_bracket_is_given_up() -> None:
    text = "彼は「こう言った。" + "そして次の文が続く。" * 60
    assert len(split_sentences(text)) > 25


@given(st.text(alphabet=st.sampled_from("あ決。．.!?！ \n\u3000「」（）()\"'aB1・-"), max_size=300))
def test_spans_cover_all_but_white_space(text: str) -> None:
    at = 0
    for start, end in split_sentences(text):
        assert at <= start < end
        assert not text[at:start].strip()
        assert text[start:end] == text[start:end].strip()
        at = end
    assert not text[at:].strip()


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["「", "（「", "。", ". ", "\n", "あ\n", "（あ。", "A.", "1.1.", "あ", " "])
def test_time_grows_with_length_only(unit: str) -> None:
    def seconds(times: int) -> float:
        text = unit * times
        began = time.process_time()
        split_sentences(text)
        return time.process_time() - began

    # A quadratic rule would take 64 times as long for 8 times the text.
    assert seconds(160_000) < 0.05 + 24 * seconds(20_000)


def test_a_row_of_a_table_ends_with_its_line() -> None:
    text = "県\t森林面積\t森林率\n北界県\t5,536,144\t71%\n以上は推計である。"
    assert [text[start:end] for start, end in split_sentences(text)] == text.split("\n")
    item = "\uf0b7\t残差とは、観測値と予\n測値の差である。"
    assert split_sentences(item) == [(0, len(item))]


def test_the_title_of_a_person_or_firm_ends_no_sentence() -> None:
    text = "New Jersey Sen. Cory Booker and Acme Inc. Tokyo met."
    assert [text[start:end] for start, end in split_sentences(text)] == [text]
