"""Cutting of documents into passages.

Passages are whole sentences up to a size. Neighbours overlap, and none crosses a heading, a table or a page.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from shisho.corpus.layout import UNDER, BlockSpan, DocumentLayout, label_heading
from shisho.domain.corpus import BlockKind
from shisho.domain.place import select_rows, split_cells
from shisho.errors import ExtraMissing
from shisho.language.sentences import split_sentences
from shisho.language.table_headers import BETWEEN_LABELS, LONGEST_LABEL, is_figure, may_be_label
from shisho.records import dataclass

MAX_LABEL_CHARS = 120  # characters of the labels shown above a part of a table
READ_ROWS = 40  # rows that are read to classify the columns
FEWEST = 3  # columns of a table whose first row counts as labels even if all rows are words


def find_column_labels(table: str) -> str:
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
    if not below or len(filled) < 2 or not all(map(may_be_label, filled)):
        return ""
    figures = sum(is_figure(cell) for row in below for cell in row[1:])
    if len(labels) < FEWEST and 2 * figures < len(below):
        return ""
    return BETWEEN_LABELS.join(filter(None, (title, *filled)))[:MAX_LABEL_CHARS]


Span = tuple[int, int]
Prose = Callable[[str, int, int, int, int], Sequence[Span]]  # text, start, end, size, overlap

_FLOWING = frozenset((BlockKind.PARAGRAPH, BlockKind.LIST))
_PAUSES = "、，,;；:：）)」』 \u3000\n"
_ROW = re.compile(r"\S(?:[^\n]*\S)?")
_CELL = re.compile(r"\S(?:[^\t]*\S)?")
_LINE = re.compile(r"[^\n]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """The span of a future passage: `text[start:end]` of the document.

    `heading` is the path of its headings; for a part of a table, followed by the column labels. `place` and
    `ocr` are those of a `Block`.
    """

    start: int
    end: int
    page: int | None
    heading: str
    kind: BlockKind
    place: str = ""
    ocr: bool = False


def cut(
    layout: DocumentLayout, size: int = 500, overlap: int = 100, prose: Prose | None = None
) -> list[Piece]:
    """Return pieces in order, at most `size` characters each.

    Neighbours of one run share at most `overlap`. `prose` is another function for cutting running text; it
    does not affect tables, code, captions and notes.
    """
    pieces: list[Piece] = []
    for run in _group_blocks(layout):
        if prose is not None and run[0].kind in _FLOWING:
            spans = prose(layout.text, run[0].start, run[-1].end, size, overlap)
        else:
            spans = _cut_run(layout.text, run, size, overlap)
        pieces.extend(_cut_pieces(layout.text, run, spans))
    return pieces


def _group_blocks(layout: DocumentLayout) -> list[list[BlockSpan]]:
    """Return groups of blocks that may share passages.

    Paragraphs and lists of one page under one heading are a group; a bare heading is a group of its own.
    """
    bare = _find_bare_headings(layout)
    runs: list[list[BlockSpan]] = []
    open_run = False
    for block in layout.blocks:
        flows = block.kind in _FLOWING
        if flows and open_run and _is_same_run(runs[-1][0], block):
            runs[-1].append(block)
        elif block.kind is not BlockKind.HEADING or block in bare:
            runs.append([block])
        open_run = flows
    return runs


def _is_same_run(first: BlockSpan, block: BlockSpan) -> bool:
    return (first.page, first.place, first.ocr) == (block.page, block.place, block.ocr)


def _find_bare_headings(layout: DocumentLayout) -> set[BlockSpan]:
    """Return headings with nothing under them: no passage has their words in its path."""
    paths = {block.heading for block in layout.blocks if block.kind is not BlockKind.HEADING}
    carried = {
        UNDER.join(steps[: depth + 1])
        for path in paths
        for steps in [path.split(UNDER)]
        for depth in range(len(steps))
    }
    return {
        block
        for block in layout.blocks
        if block.kind is BlockKind.HEADING and _find_path(block, layout.text) not in carried
    }


def _find_path(block: BlockSpan, text: str) -> str:
    own_text = label_heading(text[block.start : block.end])
    return UNDER.join(filter(None, (block.heading, own_text)))


def _cut_run(text: str, run: Sequence[BlockSpan], size: int, overlap: int) -> list[Span]:
    first = run[0]
    if first.kind is BlockKind.TABLE:
        units = [match.span() for match in _ROW.finditer(text, first.start, first.end)]
    elif first.kind is BlockKind.CODE:
        # With the indentation, which carries meaning.
        lines = [match for match in _LINE.finditer(text, first.start, first.end) if match[0].strip()]
        units = [(line.start(), line.start() + len(line[0].rstrip())) for line in lines]
    else:
        units = [
            (block.start + start, block.start + end)
            for block in run
            for start, end in split_sentences(text[block.start : block.end])
        ]
    if any(end - start > size for start, end in units):
        split = _split_row if first.kind is BlockKind.TABLE else split_long
        units = [part for unit in units for part in split(text, unit, size)]
    return pack(units, size, overlap)


def _find_heading(text: str, first: BlockSpan) -> str:
    """Return the heading path of a run; for parts of a table, followed by the column labels."""
    # Rows of a sheet include the labels of their columns.
    if first.kind is not BlockKind.TABLE or split_cells(first.place) is not None:
        return first.heading
    # A row is meaningless without these labels, and only the first part contains them.
    return UNDER.join(filter(None, (first.heading, find_column_labels(text[first.start : first.end]))))


def _cut_pieces(text: str, run: Sequence[BlockSpan], spans: Sequence[Span]) -> Iterator[Piece]:
    kind = BlockKind.PARAGRAPH if any(block.kind is BlockKind.PARAGRAPH for block in run) else run[0].kind
    first = run[0]
    heading = _find_heading(text, first)
    row = 0
    at = first.start
    for start, end in spans:
        place = first.place
        if place:  # most runs have none, and those are as long as the document
            row += text.count("\n", at, start)
            at = start
            place = select_rows(place, row, row + text[start:end].rstrip().count("\n"))
        yield Piece(start, end, first.page, heading, kind, place, first.ocr)


def _split_row(text: str, unit: Span, size: int) -> list[Span]:
    """Split a row longer than a passage.

    As many cells as fit stay together, because a label precedes its value. A longer cell is split like a
    sentence.
    """
    start, end = unit
    if end - start <= size:
        return [unit]
    cells = [match.span() for match in _CELL.finditer(text, start, end)]
    parts: list[Span] = []
    for cell in pack(cells, size, 0):
        parts.extend(split_long(text, cell, size))
    return parts


def split_long(text: str, unit: Span, size: int) -> list[Span]:
    """Split a sentence longer than a passage at the last pause that fits, else at the limit."""
    start, end = unit
    parts: list[Span] = []
    while end - start > size:
        pause = max(text.rfind(mark, start + size // 2, start + size) for mark in _PAUSES)
        stop = pause + 1 if pause >= 0 else start + size
        if words := text[start:stop].rstrip():
            parts.append((start, start + len(words)))
        start = stop
        while start < end and text[start].isspace():
            start += 1
    return [*parts, (start, end)] if start < end else parts


def pack(units: Sequence[Span], size: int, overlap: int) -> list[Span]:
    """Pack units greedily; the next span starts with the last units that fit into `overlap`."""
    packed: list[Span] = []
    first = 0
    while first < len(units):
        last = first
        while last + 1 < len(units) and units[last + 1][1] - units[first][0] <= size:
            last += 1
        packed.append((units[first][0], units[last][1]))
        if last + 1 == len(units):
            break
        first = _resume(units, first, last, size, overlap)
    return packed


def _resume(units: Sequence[Span], first: int, last: int, size: int, overlap: int) -> int:
    """Return the first unit of the next passage.

    It is as far back as the overlap allows while the first new unit still fits.
    """
    back = last + 1
    while (
        back - 1 > first
        and units[last][1] - units[back - 1][0] <= overlap
        and units[last + 1][1] - units[back - 1][0] <= size
    ):
        back -= 1
    return back


MAX_BYTES = 40_000  # Sudachi raises above 49,149
SHARED_CHARS = 100
_alone = threading.Lock()  # its tokenizer is not thread-safe


def cut_ginza(layout: DocumentLayout, size: int = 500, overlap: int = 100) -> list[Piece]:
    """Cut like `cut`, with prose cut by LangChain's SpacyTextSplitter over GiNZA.

    It is some thousand times slower. Its chunks are mapped to spans of the text.

    Raises:
        ExtraMissing: The extra is not installed.
    """
    return cut(layout, size, overlap, prose=cut_spans)


def cut_spans(text: str, start: int, end: int, size: int, overlap: int) -> list[Span]:
    """Return chunks of `text[start:end]` as spans of `text`, in order, up to `size` long."""
    found_spans: list[Span] = []
    for first, last in cut_blocks(text, start, end):
        with _alone:
            chunks = _make_splitter(size, overlap).split_text(text[first:last])
        for span in align(text, first, last, chunks, overlap):
            for part in split_long(text, span, size):
                # Text carried over from the previous block may be a chunk that exists already.
                if not found_spans or (part[1] > found_spans[-1][1] and part[0] > found_spans[-1][0]):
                    found_spans.append(part)
    return found_spans


@lru_cache(maxsize=1)
def _make_splitter(size: int, overlap: int) -> Any:
    try:
        from langchain_text_splitters import SpacyTextSplitter

        return SpacyTextSplitter(separator="", pipeline="ja_ginza", chunk_size=size, chunk_overlap=overlap)
    except (
        ImportError,
        OSError,
    ) as missing:  # spaCy raises OSError for a pipeline that is not installed
        raise ExtraMissing("blobs.extra_missing", setting="splitter", extra="ginza") from missing


def cut_blocks(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield spans of at most MAX_BYTES each, cut after a sentence, else after a character.

    SHARED_CHARS characters are in both neighbours.
    """
    while len(ahead := text[start : min(end, start + MAX_BYTES + 1)].encode()) > MAX_BYTES:
        fits = start + len(ahead[:MAX_BYTES].decode("utf-8", "ignore"))
        ends = [start + stop for _, stop in split_sentences(text[start:fits])[:-1]]
        stop = ends[-1] if ends and ends[-1] - start > 2 * SHARED_CHARS else fits
        yield start, stop
        start = stop - SHARED_CHARS
    yield start, end


def align(text: str, start: int, end: int, chunks: list[str], overlap: int) -> Iterator[Span]:
    """Yield the span of each chunk.

    White space, which the splitter strips or changes, is ignored. Text that no chunk covers is yielded
    between them (repeated text cannot be told apart any further).
    """
    solid = [place for place in range(start, end) if not text[place].isspace()]
    packed = "".join(text[place] for place in solid)
    cursor = 0
    done = 0
    for chunk in chunks:
        bare = "".join(chunk.split())
        at = packed.find(bare, max(cursor, done - overlap))
        if not bare or at < 0:
            continue
        if at > done:
            yield solid[done], solid[at - 1] + 1
        yield solid[at], solid[at + len(bare) - 1] + 1
        cursor = at + 1
        done = max(done, at + len(bare))
    if done < len(solid):
        yield solid[done], solid[-1] + 1
