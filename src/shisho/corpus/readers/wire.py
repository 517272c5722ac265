"""How a reading crosses from the child to its parent: JSON in frames with a length before them, checked on arrival.

Never pickle: a child that has parsed hostile bytes is not to be trusted."""

from __future__ import annotations

import json
import struct
from typing import Any

from shisho.domain.corpus import Block, BlockKind, Line, Reading
from shisho.errors import DocumentUnreadable, UnusableDocument, by_code

LENGTH = struct.Struct(">Q")
MISSING = b"missing "  # instead of `ready`, before the name of what is not installed
MAX_REPLY = 64 * 1024 * 1024


def frame(payload: bytes) -> bytes:
    return LENGTH.pack(len(payload)) + payload


def pack(reading: Reading) -> bytes:
    """Lone surrogates become question marks: no store takes them."""
    blocks = [
        [
            block.text,
            block.kind,
            block.page,
            block.headings,
            [[line.start, line.end, line.page, line.box] for line in block.lines],
        ]
        for block in reading.blocks
    ]
    facts = [reading.title, reading.page_count, reading.needs_ocr, reading.warnings]
    return json.dumps({"facts": facts, "blocks": blocks}, ensure_ascii=False).encode("utf-8", "replace")


def pack_error(error: UnusableDocument) -> bytes:
    failed = bool(error.details.get("parser_failed"))
    return json.dumps({"code": error.code, "message": error.message, "parser_failed": failed}).encode()


def unpack(payload: bytes) -> Reading | UnusableDocument:
    """What was sent, a reading or a reason. Raises DocumentUnreadable for anything else: never ask its sender again."""
    try:
        reply = json.loads(payload)
        if "code" in reply:
            return _error(reply)
        title, page_count, needs_ocr, warnings = reply["facts"]
        return Reading(
            blocks=tuple(_block(row) for row in reply["blocks"]),
            title=_text(title),
            page_count=None if page_count is None else _whole(page_count),
            needs_ocr=tuple(map(_whole, needs_ocr)),
            warnings=tuple(map(_text, warnings)),
        )
    except (ValueError, TypeError, KeyError, RecursionError) as broken:
        raise DocumentUnreadable("The file broke its reader: it is damaged.") from broken


def _error(reply: Any) -> UnusableDocument:
    cls = by_code().get(_text(reply["code"]), DocumentUnreadable)
    message = "".join(char for char in _text(reply["message"])[:500] if char.isprintable())
    known = cls if issubclass(cls, UnusableDocument) else DocumentUnreadable
    return known(message, parser_failed=True) if reply.get("parser_failed") is True else known(message)


def _block(row: Any) -> Block:
    text, kind, page, headings, lines = row
    size = len(_text(text))
    return Block(
        text=text,
        kind=BlockKind(kind),
        page=None if page is None else _whole(page),
        headings=tuple(map(_text, headings)),
        lines=tuple(_line(line, size) for line in lines),
    )


def _line(row: Any, size: int) -> Line:
    start, end, page, box = row
    left, top, right, bottom = box
    if not 0 <= _whole(start) <= _whole(end) <= size:
        raise ValueError("a line outside its block")
    return Line(start, end, _whole(page), (float(left), float(top), float(right), float(bottom)))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _whole(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise TypeError(value)
    return value
