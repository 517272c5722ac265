"""Which terms mean the same: what is said of Latin words and their readings."""

from shisho.language.meanings import mean_same
from shisho.language.terms import fold, split_terms
from tests.tables import each_row


@each_row(
    ("katakana", "latin", "expected"),
    [
        ("シルバー", "Silver", True),
        ("クッキー", "cookie", True),
        ("パスワード", "password", True),
        ("サーバー", "servers", True),
        ("シルバー", "solver", False),
        ("サーバー", "serve", False),
        ("ゴールド", "Silver", False),
    ],
)
def test_a_latin_word_is_its_reading(katakana: str, latin: str, expected: bool) -> None:
    (first,) = split_terms(fold(katakana))
    (other,) = split_terms(fold(latin))
    assert mean_same(first, other) is mean_same(other, first) is expected


def test_a_month_is_its_short_name() -> None:
    assert mean_same(*split_terms("december"), *split_terms("dec"))
    assert not mean_same(*split_terms("december"), *split_terms("november"))


def test_the_past_of_an_irregular_verb_means_the_same() -> None:
    assert mean_same(*split_terms("pays"), *split_terms("paid"))
    assert not mean_same(*split_terms("pays"), *split_terms("said"))


def test_no_negation_is_lost_from_a_listed_word() -> None:
    """ない is no term, so that 「燃えないごみ」 has the terms of 「燃えるごみ」: neither may be listed."""
    assert not mean_same("燃えるごみ", "可燃ごみ")


@each_row(
    ("verb", "noun", "expected"),
    [
        ("増える", "増加", True),
        ("建てる", "建設", True),
        ("雇う", "解雇", False),
        ("認める", "否認", False),
        ("話す", "電話", False),
    ],
)
def test_a_verb_means_the_noun_of_its_kanji_but_not_one_that_turns_it(
    verb: str, noun: str, expected: bool
) -> None:
    assert mean_same(verb, noun) is mean_same(noun, verb) is expected
