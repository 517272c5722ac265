"""Lay out lines, tables and file names in the shell."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from rich.cells import cell_len

from shisho.language.display import display_name
from shisho.language.normalise import strip_unseen
from shisho.settings import expand_user

if TYPE_CHECKING:
    from rich.console import Console

GAP = "  "
# A space, or a word or a character of a script without spaces, with the brackets and the marks around it that
# must not end or begin a line.
_PIECES = re.compile(
    r"\s+"
    r"|[(（「『【〔]*(?:[!-\x27)-~]+|[^\s!-~])[、。，．)）」』】〕・：；！？ー…々ぁぃぅぇぉっゃゅょァィゥェォッャュョ]*"
    r"|[(（「『【〔]+"
)


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


def wrap(text: str, width: int, margin: str = "") -> Iterator[str]:
    """Break a text into lines of at most `width` cells; only a longer word exceeds them.

    `margin`: before every line but the first.
    """
    line = ""
    for piece in _PIECES.findall(text):
        if cell_len(line + piece.rstrip()) > width and line.strip():
            yield line.rstrip()
            line = margin
        if line.strip() or not line or line != margin or piece.strip():
            line += piece
    yield line.rstrip()


def list_names_below(paths: Sequence[Path]) -> Callable[[str], str]:
    """Return a function that names files relative to the paths of a command.

    With one path the name starts at its folder, with several it starts as typed. Files elsewhere (behind a
    link) keep their full path.
    """
    folders = [(typed, str(expand_user(typed).resolve())) for typed in paths]
    alone = len(folders) == 1

    def make_name(source: str) -> str:
        for typed, folder in folders:
            if source == folder:
                return display_name(typed.name if alone else str(typed))
            if source.startswith(folder.rstrip("/\\") + "/") or source.startswith(folder + "\\"):
                rest = PurePath(source).relative_to(folder)
                return display_name(str(rest if alone else typed / rest))
        return display_name(source)

    return make_name


def make_names_distinct(sources: Iterable[str]) -> Mapping[str, str]:
    """Map each path to its file name, with as many parent folders as make it unique."""
    names: dict[str, str] = {}
    depths = dict.fromkeys(sources, 1)
    while depths:
        groups: dict[str, list[str]] = defaultdict(list)
        for source, length in depths.items():
            groups[_take_tail(source, length)].append(source)
        names |= {group[0]: display_name(tail) for tail, group in groups.items() if len(group) == 1}
        clashing = list(chain.from_iterable(group for group in groups.values() if len(group) > 1))
        names |= {
            source: display_name(source)
            for source in clashing
            if depths[source] >= len(PurePath(source).parts)
        }
        depths = {source: depths[source] + 1 for source in clashing if source not in names}
    return names


def _take_tail(source: str, length: int) -> str:
    return str(PurePath(*PurePath(source).parts[-length:]))
