"""The labels of a table's columns, by the form of its rows. Each row is a line, its cells between tabs.
Pure."""

from __future__ import annotations

import re

SHOWN = 120  # characters of the labels that stand over a part of a table
READ_ROWS = 40  # of a table, to tell what its columns hold
LABEL = 30  # characters: a longer cell tells something and names no column
FEWEST = 3  # columns of a table whose first row is taken for labels though all below it is words too
JOINED = " · "
_FIGURE = re.compile(r"(?=.*\d)[\s\d.,:/%％¥￥$€円人件点\-+−~〜()（）]+")
_PERIOD = re.compile(r"\s*(?:(?:19|20)\d\d|(?:令和|平成|昭和)?\d{1,4}(?:年度?|月|日|年\d{1,2}月))\s*")


def column_labels(table: str) -> str:
    """The labels over the columns: the first row, where it holds no figure and the rows below do, or where
    there are three columns and more; else nothing. A row of one cell above it is the table's title, and comes
    first."""
    rows = [row.split("\t") for row in table.split("\n", READ_ROWS)[:READ_ROWS]]
    title = ""
    if len(rows[0]) == 1 and len(rows) > 1:
        title = " ".join(rows.pop(0)[0].split())[:LABEL]
    first, *below = rows
    labels = [" ".join(cell.split()) for cell in first]
    named = [label for label in labels if label]
    if not below or len(named) < 2 or not all(map(_may_name, named)):
        return ""
    figures = sum(_FIGURE.fullmatch(cell) is not None for row in below for cell in row[1:])
    if len(labels) < FEWEST and 2 * figures < len(below):
        return ""
    return JOINED.join(filter(None, (title, *named)))[:SHOWN]


def _may_name(label: str) -> bool:
    if len(label) > LABEL or label.endswith(("。", "．")):
        return False
    return _PERIOD.fullmatch(label) is not None or _FIGURE.fullmatch(label) is None
