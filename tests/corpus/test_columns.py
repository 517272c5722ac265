"""The labels of a table's columns, by the form of its rows."""

import pytest

from shisho.corpus.chunk import find_column_labels


@pytest.mark.parametrize(
    ("rows", "labels"),
    [
        (("県\t面積\t率", "北界県\t5,536\t71%"), "県 · 面積 · 率"),
        (("区分\t2019\t2020", "総数\t2,003\t368"), "区分 · 2019 · 2020"),
        (("勤続年数\t支給率", "5年未満\t1.0", "5年以上\t3.0"), "勤続年数 · 支給率"),
        (("料金表", "区分\t市民\t市民以外", "大人\t400円\t600円"), "料金表 · 区分 · 市民 · 市民以外"),
        (("\tL1\tL2", "5.1\t✓\t✓"), "L1 · L2"),
        # No labels: pairs of a name and what it is, figures from the first row on, sentences, a single row.
        (("名称\t司書", "著者\t山田花子"), ""),
        (("北界県\t5,536\t71%", "蒼野県\t633\t66%"), ""),
        (("項目\t会社は書面を渡す。\t必須", "一\t二\t三"), ""),
        (("県\t面積\t率",), ""),
        (("料金表",), ""),
    ],
)
def test_labels(rows: tuple[str, ...], labels: str) -> None:
    assert find_column_labels("\n".join(rows)) == labels
