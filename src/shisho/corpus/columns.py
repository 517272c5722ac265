"""Column labels of a table, from the form of its rows.

Each row is a line with tabs between its cells. Pure.
"""

from __future__ import annotations

from shisho.language.table_headers import BETWEEN_LABELS, LONGEST_LABEL, is_figure, may_name

SHOWN = 120  # characters of the labels shown above a part of a table
READ_ROWS = 40  # rows that are read to classify the columns
FEWEST = 3  # columns of a table whose first row counts as labels even if all rows are words


def column_labels(table: str) -> str:
    """Return the labels of the columns, or "".

    They are the first row, if it contains no figure and either the rows below do or there are three or more
    columns. A row of one cell above is the table's title, and comes first.
    """
    rows = [row.split("\t") for row in table.split("\n", READ_ROWS)[:READ_ROWS]]
    title = ""
    if len(rows[0]) == 1 and len(rows) > 1:
        title = " ".join(rows.pop(0)[0].split())[:LONGEST_LABEL]
    first, *below = rows
    labels = [" ".join(cell.split()) for cell in first]
    filled = [label for label in labels if label]
    if not below or len(filled) < 2 or not all(map(may_name, filled)):
        return ""
    figures = sum(is_figure(cell) for row in below for cell in row[1:])
    if len(labels) < FEWEST and 2 * figures < len(below):
        return ""
    return BETWEEN_LABELS.join(filter(None, (title, *filled)))[:SHOWN]
