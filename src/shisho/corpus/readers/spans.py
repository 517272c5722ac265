"""Expansion of spanning cells in HTML tables.

Afterwards every row has a cell for every column. Cells below 「売上」 stay below it, and a row includes its
own labels.
"""

from __future__ import annotations

from typing import Any

MAX_COLUMNS = 50  # of one cell's span
MAX_ADDED = 20_000  # cells on a page: a few letters can ask for millions
LABEL = 100  # letters: a longer text is not a label, and is not repeated


def write_out_spans(tree: Any) -> None:
    """Expand the spanning cells of all tables below."""
    room = MAX_ADDED
    for caption in list(tree.iter("caption")):
        _move_out(caption)
    for table in list(tree.iter("table")):
        rows = [row for row in table.iter("tr") if next(row.iterancestors("table")) is table]
        if any(cell.get("rowspan") or cell.get("colspan") for row in rows for cell in row):
            room = _write_out(rows, room)


def _move_out(caption: Any) -> None:
    """Move a caption before its table: inside, it would be part of the first cell."""
    table = next(caption.iterancestors("table"), None)
    if table is not None and table.getparent() is not None:
        caption.tag = "p"
        caption.tail = None
        table.addprevious(caption)


def _write_out(rows: list[Any], room: int) -> int:
    """Expand the spans of a table. Return how many cells may still be added."""
    hanging: dict[int, tuple[int, Any]] = {}  # by column: remaining rows, and the cell that extends into them
    for place, row in enumerate(rows):
        placed: list[Any] = []
        for cell in [cell for cell in row if cell.tag in ("td", "th")]:
            _hang(placed, hanging)
            wide = _span(cell, "colspan", MAX_COLUMNS)
            deep = _span(cell, "rowspan", len(rows) - place)
            room -= wide * deep
            if room < 0:
                return 0
            # A header is repeated over each of its columns; data appear once in their row.
            parts = [cell, *(_copy(cell, says=cell.tag == "th") for _ in range(wide - 1))]
            for part in parts:
                if deep > 1:
                    hanging[len(placed)] = (deep - 1, part)
                placed.append(part)
        _hang(placed, hanging)
        row[:] = placed
    return room


def _hang(placed: list[Any], hanging: dict[int, tuple[int, Any]]) -> None:
    """Insert the cells that extend into the next columns from above."""
    while len(placed) in hanging:
        deep, cell = hanging.pop(len(placed))
        if deep > 1:
            hanging[len(placed)] = (deep - 1, cell)
        placed.append(_copy(cell, says=True))


def _span(cell: Any, name: str, most: int) -> int:
    """Return the span of a cell, and remove the attribute.

    As in browsers, 0 rows are all that follow.
    """
    value = str(cell.attrib.pop(name, "1")).strip()
    asked = int(value[:9]) if value.isascii() and value.isdigit() else 1
    return max(1, most if name == "rowspan" and asked == 0 else min(asked, most))


def _copy(cell: Any, *, says: bool) -> Any:
    text = " ".join("".join(cell.itertext()).split())
    copy = cell.makeelement(cell.tag)
    copy.text = text if says and len(text) <= LABEL else ""
    return copy
