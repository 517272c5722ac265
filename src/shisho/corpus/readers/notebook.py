"""Notebooks (IPYNB): prose, code and its output, under the headings of the prose.

The place is the cell.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from shisho.corpus.readers.headings import Headings
from shisho.corpus.readers.html import read_whole_blocks
from shisho.corpus.readers.markdown import read_marked_blocks
from shisho.corpus.readers.text import decode, strip_controls
from shisho.domain.corpus import Block, BlockKind, Reading
from shisho.domain.place import format_notebook_cell
from shisho.errors import DocumentUnreadable
from shisho.messages import Message

OUTPUT = 5_000  # characters of a cell's output
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# Python's text for an object without its own; only its HTML or Markdown has content.
_OBJECT = re.compile(r"<[\w.]+ object(?: at 0x[0-9a-f]+)?>")


def read(data: bytes) -> Reading:
    """Read a notebook. Cells count from 1 in the order of the file; pictures are left out."""
    book = json.loads(decode(data))
    headings = Headings()
    blocks = []
    for number, cell in enumerate(_list_cells(book), start=1):
        written = [block for block in _make_blocks(cell, headings) if block.text.strip()]
        blocks += [replace(block, place=format_notebook_cell(number)) for block in written]
    if not blocks:
        raise DocumentUnreadable("reader.empty_text")
    long = sorted(
        {block.place for block in blocks if block.kind is BlockKind.NOTE and len(block.text) > OUTPUT}
    )
    blocks = [_truncate_output(block) for block in blocks]
    named = book.get("metadata", {}).get("title", "")
    first = next((block.text for block in blocks if block.kind is BlockKind.HEADING), "")
    title = strip_controls(named) if isinstance(named, str) and named else first
    cells = ", ".join(long[:20])
    cut = Message("reader.notebook.output_cut", most=OUTPUT, cells=cells)
    return Reading(tuple(blocks), title=title, warnings=(cut,) if long else ())


def _truncate_output(block: Block) -> Block:
    return replace(block, text=block.text[:OUTPUT]) if block.kind is BlockKind.NOTE else block


def _list_cells(book: Any) -> list[Any]:
    """Return the cells; those of version 3 are in worksheets."""
    sheets = book.get("worksheets")
    return [cell for sheet in sheets for cell in sheet["cells"]] if sheets else list(book["cells"])


def _make_blocks(cell: Mapping[str, Any], headings: Headings) -> Iterator[Block]:
    text = _join_text(cell.get("source", cell.get("input", "")))
    kind = cell.get("cell_type")
    if kind == "markdown":
        yield from read_marked_blocks(text, headings)
    elif kind == "heading":
        yield Block(text, BlockKind.HEADING, headings=headings.open(text, int(cell.get("level", 1))))
    else:
        code = BlockKind.CODE if kind == "code" else BlockKind.PARAGRAPH
        yield Block(text.strip("\n"), code, headings=headings.path)
        for output in cell.get("outputs", ()):
            yield from _read_results(output, copy.deepcopy(headings))


def _read_results(output: Mapping[str, Any], headings: Headings) -> Iterator[Block]:
    """Yield the displayed text of a result. Headings inside do not apply to later cells."""
    data = output.get("data", {})
    plain = output.get("text") or data.get("text/plain", "")
    has_words = bool(plain) and not _OBJECT.fullmatch(_join_text(plain).strip())
    if "text/markdown" in data:
        yield from read_marked_blocks(_join_text(data["text/markdown"]), headings)
    elif "text/html" in data and not has_words:
        yield from read_whole_blocks(_join_text(data["text/html"]), headings)
    elif output.get("output_type") in ("error", "pyerr"):
        failure = f"{_join_text(output.get('ename', ''))}: {_join_text(output.get('evalue', ''))}"
        yield Block(failure.strip(": "), BlockKind.NOTE, headings=headings.path)
    else:
        yield Block(_join_text(plain).strip("\n"), BlockKind.NOTE, headings=headings.path)


def _join_text(source: Any) -> str:
    """Return the text of a cell, which may be a list of lines."""
    text = "".join(source) if isinstance(source, list) else str(source)
    return strip_controls(_COLOURS.sub("", text))
