"""PPTX by python-pptx: a slide is a page.

The title is the heading; text, tables, diagrams and charts follow from top to bottom, and speaker notes last.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import pptx
from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.oxml.ns import qn
from pptx.util import Inches

from shisho.corpus.layout import label_heading
from shisho.corpus.readers.described import describe_properties
from shisho.corpus.readers.formulas import write_formula
from shisho.corpus.readers.headings import title_of
from shisho.corpus.readers.office import format_table, open_package, read_drawings
from shisho.corpus.readers.symbols import write_lowered, write_raised, write_symbols
from shisho.corpus.readers.text import strip_controls
from shisho.domain.corpus import Block, BlockKind, Reading
from shisho.errors import DocumentUnreadable

_ALTERNATIVES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_CHOICE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Choice"
_FORMULA = "{http://schemas.microsoft.com/office/drawing/2010/main}m"
# Placeholders at the edge of every slide.
_RUNNING = (
    PP_PLACEHOLDER.SLIDE_NUMBER,
    PP_PLACEHOLDER.FOOTER,
    PP_PLACEHOLDER.DATE,
    PP_PLACEHOLDER.HEADER,
)
_LEVEL = Inches(0.1)  # manual side-by-side placement is no more exact; a line of small print is higher
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
MAX_GROUPS = 20  # the depth to which groups of shapes are followed


def read(data: bytes) -> Reading:
    """Read a presentation. Slides count from 1, including hidden ones."""
    deck = pptx.Presentation(open_package(data))
    slides = list(deck.slides)
    blocks: list[Block] = []
    # A part is read once, however many entries of the presentation name it.
    read_parts = set()
    for number, slide in enumerate(slides, start=1):
        if slide.part.partname not in read_parts:
            read_parts.add(slide.part.partname)
            blocks.extend(_read_slide(slide, number))
    if not blocks:
        raise DocumentUnreadable("reader.pptx.no_text")
    core = deck.core_properties
    title = title_of(strip_controls(core.title or ""), blocks)
    return Reading(tuple(blocks), title, len(slides), description=describe_properties(core))


def _read_slide(slide: Any, number: int) -> Iterator[Block]:
    _unwrap(slide.shapes._spTree)
    title = slide.shapes.title
    heading = _read_text(title.text_frame) if title is not None and title.has_text_frame else ""
    path = (label_heading(heading),) if heading else ()
    if heading:
        yield Block(heading, BlockKind.HEADING, number)
    for shape in _iterate_shapes(slide.shapes, MAX_GROUPS):
        if _is_running(shape) or (title is not None and shape.shape_id == title.shape_id):
            continue
        if shape.has_text_frame and (text := _read_text(shape.text_frame)):
            yield Block(text, BlockKind.PARAGRAPH, number, path)
        elif getattr(shape, "has_table", False) and (text := format_table(_list_rows(shape.table))):
            yield Block(text, BlockKind.TABLE, number, path)
        for kind, text in read_drawings(shape._element, lambda name: slide.part.related_part(name).blob):
            yield Block(text, kind, number, path)
    if slide.has_notes_slide:
        frame = slide.notes_slide.notes_text_frame
        if frame is not None and (text := _read_text(frame)):
            yield Block(text, BlockKind.NOTE, number, path)


def _iterate_shapes(shapes: Any, depth: int) -> Iterator[Any]:
    for shape in _sort_shapes(shapes):
        if hasattr(shape, "shapes"):
            if depth:
                yield from _iterate_shapes(shape.shapes, depth - 1)
        else:
            yield shape


def _sort_shapes(shapes: Iterable[Any]) -> Iterator[Any]:
    """Yield shapes from top to bottom, and those side by side from left to right."""
    sides: list[Any] = []
    for shape in sorted(shapes, key=lambda shape: shape.top or 0):
        if sides and (shape.top or 0) - (sides[0].top or 0) > _LEVEL:
            yield from sorted(sides, key=lambda side: side.left or 0)
            sides = []
        sides.append(shape)
    yield from sorted(sides, key=lambda side: side.left or 0)


def _is_running(shape: Any) -> bool:
    return bool(shape.is_placeholder) and shape.placeholder_format.type in _RUNNING


def _list_rows(grid: Any) -> Iterator[list[str]]:
    """Yield the rows of a table.

    A cell over several columns appears once; one over several rows in each of them.
    """
    above: dict[int, str] = {}
    for row in grid.rows:
        for column, cell in enumerate(row.cells):
            if not cell._tc.vMerge:
                above[column] = "" if cell._tc.hMerge else _read_text(cell.text_frame)
        yield [above.get(column, "") for column in range(len(row.cells))]


def _unwrap(tree: Any) -> None:
    """Replace alternatives by the shapes for newer programs, such as those with formulas.

    Older programs show a picture; python-pptx skips both.
    """
    for alternatives in list(tree.iter(_ALTERNATIVES)):
        choice = next(alternatives.iterchildren(_CHOICE), None)
        parent = alternatives.getparent()
        if choice is not None and parent is not None:
            position = parent.index(alternatives)
            parent[position : position + 1] = list(choice)


def _read_text(frame: Any) -> str:
    lines = ("".join(_run(part) for part in paragraph._p) for paragraph in frame.paragraphs)
    return strip_controls("\n".join(line for line in lines if line.strip())).strip()


def _run(part: Any) -> str:
    if part.tag == qn("a:br"):
        return "\n"
    if part.tag == _FORMULA:
        return write_formula(part)
    if part.tag not in (qn("a:r"), qn("a:fld")):
        return ""
    if part.get("type") == "slidenum":
        return ""
    text = "".join(element.text or "" for element in part.iter(qn("a:t")))
    properties = part.find(qn("a:rPr"))
    if properties is not None and properties.get("strike", "noStrike") != "noStrike":
        return ""
    if properties is not None:
        text = _with_symbols(text, properties)
    lift = int(properties.get("baseline", "0").rstrip("%") or 0) if properties is not None else 0
    return write_raised(text) if lift > 0 else write_lowered(text) if lift < 0 else text


def _with_symbols(text: str, properties: Any) -> str:
    """Return the text with symbols.

    The symbol font draws non-ASCII letters: → is à in Wingdings.
    """
    latin, symbol = (
        None if (font := properties.find(qn(tag))) is None else font.get("typeface")
        for tag in ("a:latin", "a:sym")
    )
    return _BEYOND_ASCII.sub(lambda run: write_symbols(run[0], symbol), write_symbols(text, latin))
