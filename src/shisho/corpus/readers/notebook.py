"""Notebooks (IPYNB): prose, code and what it printed, each under the headings of the prose; the cell is the
place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from shisho.corpus.readers.headings import Headings
from shisho.corpus.readers.markdown import read_marked_blocks
from shisho.corpus.readers.text import decode, strip_controls
from shisho.domain.corpus import Block, BlockKind, Reading
from shisho.domain.place import notebook_cell
from shisho.errors import DocumentUnreadable

OUTPUT = 5_000  # characters of what a cell printed


def read(data: bytes) -> Reading:
    """Cells count from 1 in the order of the file. Pictures are left out."""
    book = json.loads(decode(data))
    headings = Headings()
    blocks = []
    for number, cell in enumerate(_cells(book), start=1):
        written = [block for block in _blocks(cell, headings) if block.text.strip()]
        blocks += [replace(block, place=notebook_cell(number)) for block in written]
    if not blocks:
        raise DocumentUnreadable("The file holds no text.")
    named = book.get("metadata", {}).get("title", "")
    first = next((block.text for block in blocks if block.kind is BlockKind.HEADING), "")
    return Reading(tuple(blocks), title=strip_controls(named) if isinstance(named, str) and named else first)


def _cells(book: Any) -> list[Any]:
    """Those of version 3 stood in worksheets."""
    sheets = book.get("worksheets")
    return [cell for sheet in sheets for cell in sheet["cells"]] if sheets else list(book["cells"])


def _blocks(cell: Mapping[str, Any], headings: Headings) -> Iterator[Block]:
    text = _text(cell.get("source", cell.get("input", "")))
    kind = cell.get("cell_type")
    if kind == "markdown":
        yield from read_marked_blocks(text, headings)
    elif kind == "heading":
        yield Block(text, BlockKind.HEADING, headings=headings.open(text, int(cell.get("level", 1))))
    else:
        code = BlockKind.CODE if kind == "code" else BlockKind.PARAGRAPH
        yield Block(text.strip("\n"), code, headings=headings.path)
        for output in cell.get("outputs", ()):
            yield Block(_printed(output)[:OUTPUT], BlockKind.NOTE, headings=headings.path)


def _printed(output: Mapping[str, Any]) -> str:
    return _text(output.get("text") or output.get("data", {}).get("text/plain", "")).strip("\n")


def _text(source: Any) -> str:
    """A cell is a text, or a list of its lines."""
    return strip_controls("".join(source) if isinstance(source, list) else str(source))
