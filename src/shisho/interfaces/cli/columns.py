"""Print rows as a table if it fits, else each row as several lines.

Ids and addresses are never broken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console

from shisho.language.unseen import strip_unseen

GAP = "  "


def format_columns(
    heads: Sequence[str], rows: Sequence[Sequence[object]], width: int | None
) -> Iterator[str]:
    """Return the lines of a table, one for each row, whatever its cells contain.

    `width` in terminal cells (two for a Japanese character); None: unlimited, as for a pipe.
    """
    cells = [[strip_unseen(str(cell)) for cell in row] for row in rows]
    widths = [max(cell_len(row[place]) for row in [heads, *cells]) for place in range(len(heads))]
    if width is None or sum(widths) + len(GAP) * (len(widths) - 1) <= width:
        yield from (_align(row, widths) for row in [heads, *cells])
    else:
        for row in cells:
            yield from _list_fields(heads, row)


def print_columns(console: Console, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print the table at the width of the console."""
    for line in format_columns(heads, rows, console.width if console.is_terminal else None):
        console.print(line, soft_wrap=True)


def _align(row: Sequence[str], widths: Sequence[int]) -> str:
    return GAP.join(
        cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)
    ).rstrip()


def _list_fields(heads: Sequence[str], row: Sequence[str]) -> Iterator[str]:
    cells = [(head, cell) for head, cell in zip(heads, row, strict=True) if cell]
    marks = [cell for head, cell in cells if not head]
    headed_cells = [(head, cell) for head, cell in cells if head]
    yield " ".join([*marks, *(cell for _, cell in headed_cells[:1])])
    yield from (f"{GAP}{head}: {cell}" for head, cell in headed_cells[1:])
