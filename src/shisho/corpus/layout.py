"""The layout of a reading as one text: verbatim blocks separated by blank lines."""

from __future__ import annotations

from dataclasses import replace

from shisho.domain.corpus import BlockKind, PrintedLine, Reading
from shisho.records import dataclass

SEPARATOR = "\n\n"
UNDER = " › "  # between the headings of a path
HEADING_CHARS = 300  # of a heading in the path of its passages; its own block has it whole


def label_heading(text: str) -> str:
    """Return a heading as named in the paths of other blocks: on one line, limited in length."""
    return " ".join(text[: 4 * HEADING_CHARS].split())[:HEADING_CHARS]


@dataclass(frozen=True, slots=True)
class BlockSpan:
    """A block in the document: `text[start:end]`.

    `heading` is the path of its headings; `place` and `ocr` are those of a `Block`.
    """

    start: int
    end: int
    page: int | None
    kind: BlockKind
    heading: str
    place: str = ""
    ocr: bool = False


@dataclass(frozen=True, slots=True)
class DocumentLayout:
    """The document's original text, its blocks in order, and its printed lines with offsets."""

    text: str
    blocks: tuple[BlockSpan, ...]
    lines: tuple[PrintedLine, ...]


def lay_out(reading: Reading) -> DocumentLayout:
    """Lay out a reading. Blocks with only white space are skipped."""
    texts: list[str] = []
    blocks: list[BlockSpan] = []
    lines: list[PrintedLine] = []
    at = 0
    for block in reading.blocks:
        if not block.text.strip():
            continue
        blocks.append(
            BlockSpan(
                start=at,
                end=at + len(block.text),
                page=block.page,
                kind=block.kind,
                heading=UNDER.join(block.headings),
                place=block.place,
                ocr=block.ocr,
            )
        )
        lines.extend(replace(line, start=at + line.start, end=at + line.end) for line in block.lines)
        texts.append(block.text)
        at += len(block.text) + len(SEPARATOR)
    return DocumentLayout(SEPARATOR.join(texts), tuple(blocks), tuple(lines))
