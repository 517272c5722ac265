"""What says what a thing is, by its form."""

import pytest

from shisho.language.terms import fold
from shisho.librarian.definitions import defines, find_defined_thing, is_name_of


@pytest.mark.parametrize(
    ("thing", "line", "expected"),
    [
        (
            "雇止め",
            "雇止め（契約期間が満了し、契約が更新されないこと）をする場合は、30日前に予告する。",
            True,
        ),
        (
            "特定期間",
            "特定期間（前年の1月から6月までの期間をいう。以下同じ。）の売上高が1千万円を超えるとき",
            True,
        ),
        ("決定係数", "決定係数（R-squared）を求める。", False),
        ("雇止め", "雇止め（第20条を参照のこと。）", False),
        ("分散", "不偏分散（平均との差の二乗の和を自由度で割ったものをいう。）を用いる。", False),
        ("連数字", "これを出版の業界では連数字と言う.", True),
        ("連数字", "紙面では連数字と漢数字を使い分ける。", False),
        ("median", "The median is the value in the middle.", True),
        ("median", "The median of the sample was higher.", False),
        ("prerequisites", '"Prerequisites" lists the objects that are not included.', True),
        ("prerequisites", 'See "Prerequisites" and the objects that it lists.', False),
    ],
)
def test_a_definition_is_known_by_its_form(thing: str, line: str, expected: bool) -> None:
    assert defines(thing, fold(line)) is expected


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("multiselect", True),
        ("6.3.2 multiselect", True),
        ("「multiselect」", True),
        ("• multiselect", True),
        ("multiselect の例", False),
        ("select", False),
    ],
)
def test_a_heading_is_the_name_of_what_stands_under_it(heading: str, expected: bool) -> None:
    assert is_name_of("multiselect", fold(heading)) is expected


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("What is a chain of custody?", "chain of custody"),
        ("What do the authors of the study mean by light sleep?", "light sleep"),
        ("What are the parts the press is made of?", ""),
        ("What is the name the society was known by?", ""),
    ],
)
def test_a_clause_that_tells_it_from_others_makes_it_no_definition(question: str, thing: str) -> None:
    assert find_defined_thing(fold(question)) == thing
