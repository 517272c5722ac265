"""Transfer of a reading from the child process: as rows, validated on arrival.

A long PDF has a hundred thousand lines, for which these rows take a third of the time of `domain.codec`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from shisho.domain.corpus import Block, BlockKind, PrintedLine, Reading
from shisho.messages import pack as pack_message
from shisho.messages import unpack as unpack_message

PART = 2_000_000  # characters; a line with its box counts as LINE of them
LINE = 60


def pack(reading: Reading) -> Iterator[Any]:
    """Yield a reading in parts, so that no process holds a long one twice; others are one part."""
    warnings = list(map(pack_message, reading.warnings))
    facts = [
        reading.title,
        reading.page_count,
        reading.needs_ocr,
        warnings,
        dict(reading.description),
    ]
    rows: list[Any] = []
    size = 0
    for block in reading.blocks:
        if size > PART:
            yield {"facts": facts, "blocks": rows}
            rows = []
            size = 0
        rows.append(_pack_row(block))
        size += len(block.text) + LINE * len(block.lines)
    yield {"facts": facts, "blocks": rows}


def _pack_row(block: Block) -> list[Any]:
    lines = [[line.start, line.end, line.page, line.box] for line in block.lines]
    return [block.text, block.kind, block.page, block.headings, lines, block.place, block.ocr]


def join_readings(parts: Sequence[Reading]) -> Reading:
    """Return the whole reading from its parts."""
    return replace(parts[0], blocks=tuple(chain.from_iterable(part.blocks for part in parts)))


def unpack(packed: Any) -> Reading:
    """Return the reading. Raises ValueError, TypeError or KeyError for invalid data."""
    title, page_count, needs_ocr, warnings, description = packed["facts"]
    return Reading(
        blocks=tuple(_block(row) for row in packed["blocks"]),
        title=_expect_text(title),
        page_count=None if page_count is None else _expect_whole(page_count),
        needs_ocr=tuple(map(_expect_whole, needs_ocr)),
        warnings=tuple(map(unpack_message, warnings)),
        description={_expect_text(name): _expect_text(value) for name, value in description.items()},
    )


def _block(row: Any) -> Block:
    text, kind, page, headings, lines, place, ocr = row
    size = len(_expect_text(text))
    return Block(
        text=text,
        kind=BlockKind(kind),
        page=None if page is None else _expect_whole(page),
        headings=tuple(map(_expect_text, headings)),
        lines=tuple(_unpack_line(line, size) for line in lines),
        place=_expect_text(place),
        ocr=ocr is True,
    )


def _unpack_line(row: Any, size: int) -> PrintedLine:
    start, end, page, box = row
    left, top, right, bottom = box
    if not 0 <= _expect_whole(start) <= _expect_whole(end) <= size:
        raise ValueError("a line outside its block")
    return PrintedLine(
        start, end, _expect_whole(page), (float(left), float(top), float(right), float(bottom))
    )


def _expect_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _expect_whole(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise TypeError(value)
    return value
