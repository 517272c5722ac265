"""Two quotations about one thing disagree, or do not."""

import pytest

from shisho.librarian.contradictions import contradiction


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("東京の人口は1400万人である。", "東京の人口は1300万人である。", "number"),
        ("東京の人口は1400万人である。", "東京の人口は14,000,000人だ。", ""),
        ("開業は1998年である。", "開業は2001年である。", "date"),
        ("開業は1998年である。", "開業は平成10年である。", ""),
        ("この薬は有効である。", "この薬は有効でない。", "negation"),
        ("鏡ヶ淵湖の最大水深は45メートルである。", "鏡ヶ淵湖の湖面の標高は727メートルである。", ""),
        ("富士山は3776mである。", "富士山の高さは3774mである。", "number"),
        ("富士山の高さは3776mである。", "東京の人口は1400万人である。", ""),
        ("The bridge opened in 1998.", "The bridge opened in 2001.", "date"),
    ],
)
def test_contradictions(one: str, other: str, expected: str) -> None:
    assert contradiction(one, other) == expected == contradiction(other, one)
