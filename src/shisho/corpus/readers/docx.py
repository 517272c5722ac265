"""DOCX by python-docx, in document order.

Headings by style, paragraphs, lists and tables, then foot- and endnotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any

import docx
from docx.oxml import parse_xml
from docx.oxml.ns import qn
from docx.parts.numbering import NumberingPart
from docx.table import Table
from docx.text.paragraph import Paragraph

from shisho.corpus.readers.described import describe_properties
from shisho.corpus.readers.fields import Fields
from shisho.corpus.readers.formulas import MATH, write_formula
from shisho.corpus.readers.headings import Headings, title_of
from shisho.corpus.readers.hidden import drop_elements
from shisho.corpus.readers.numbering import ParagraphCounter
from shisho.corpus.readers.office import format_table, open_package, read_drawings
from shisho.corpus.readers.symbols import write_placed, write_symbol, write_symbols
from shisho.corpus.readers.text import strip_controls
from shisho.corpus.readers.walking import mark_item
from shisho.domain.corpus import Block, BlockKind, Reading
from shisho.errors import DocumentUnreadable

_OFF = frozenset(("0", "false", "off"))
_VALUE = qn("w:val")
_RUNS = (qn("w:r"), f"{MATH}r")
_MOVED = qn("w:moveFrom")
_VANISH = f"{qn('w:rPr')}/{qn('w:vanish')}"
_RUN_STYLE = f"{qn('w:rPr')}/{qn('w:rStyle')}"
_PARAGRAPH_STYLE = f"{qn('w:pPr')}/{qn('w:pStyle')}"


def find_hiding_styles(styles: Any) -> frozenset[str]:
    """Return the ids of styles that hide their text, directly or through their base style."""
    elements = {style.get(qn("w:styleId")): style for style in styles.iter(qn("w:style"))}
    hides: dict[str | None, bool] = {}
    for name in elements:
        # Not by recursion: a file may have an arbitrarily long chain of styles, or a circle.
        path = []
        step = name
        while step in elements and step not in hides:
            hides[step] = False
            path.append(step)
            mark = elements[step].find(_VANISH)
            if mark is not None:
                hides[step] = _is_on(mark)
                break
            step = _read_value(elements[step].find(qn("w:basedOn")))
        hides.update(dict.fromkeys(path, hides.get(step, False)))
    return frozenset(name for name, is_hiding in hides.items() if name is not None and is_hiding)


def drop_vanished(tree: Any, hiding: frozenset[str]) -> None:
    """Remove hidden runs from the tree of a document or of its notes.

    `hiding`: the styles that hide.
    """
    runs = [run for run in tree.iter(*_RUNS) if _is_vanished(run, hiding)]
    drop_elements(tree, [*runs, *tree.iter(_MOVED)])


def _is_vanished(run: Any, hiding: frozenset[str]) -> bool:
    mark = run.find(_VANISH)
    if mark is not None:
        return _is_on(mark)
    if not hiding:
        return False
    paragraph = next(run.iterancestors(_PARAGRAPH), None)
    by_paragraph = paragraph is not None and _read_value(paragraph.find(_PARAGRAPH_STYLE)) in hiding
    # If both hide, they cancel each other.
    return by_paragraph != (_read_value(run.find(_RUN_STYLE)) in hiding)


def _is_on(mark: Any) -> bool:
    return mark.get(_VALUE) not in _OFF


def _read_value(element: Any) -> str | None:
    return None if element is None else element.get(_VALUE)


_LEVEL = re.compile(r"(?:heading|見出し)\s*([1-9])", re.I)
# The styles of pandoc, Word and LibreOffice.
_CODE_STYLES = ("Source Code", "HTML Preformatted", "Preformatted Text")
_NOTES = ("/footnotes", "/endnotes")
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_PARAGRAPH = qn("w:p")
_TABLE = qn("w:tbl")
_BOX = qn("w:txbxContent")
_RUN = qn("w:r")
_FORMULA = f"{MATH}oMath"
_ROW = qn("w:tr")
_CELL = qn("w:tc")
_SAID = frozenset(map(qn, ("w:t", "w:sym", "w:tab", "w:ptab", "w:br", "w:cr", "w:noBreakHyphen")))
_MAX_STYLES = 20  # of a chain of base styles
_VERTICAL = f"{qn('w:rPr')}/{qn('w:vertAlign')}"
_FONTS = f"{qn('w:rPr')}/{qn('w:rFonts')}"
_SYMBOL = qn("w:sym")


def read(data: bytes) -> Reading:
    """Read a document. It has no pages, because the printing program decides where they end."""
    document = docx.Document(open_package(data))
    hiding = find_hiding_styles(document.styles.element)
    drop_vanished(document.element.body, hiding)
    headings = Headings()
    counter = ParagraphCounter(_find_numbering(document))
    items = _iterate_items(document.element.body, document)
    blocks = list(
        _with_whole_code(block for item in items for block in _make_blocks(item, headings, counter))
    )
    blocks.extend(_read_notes(document, hiding))
    if not blocks:
        raise DocumentUnreadable("reader.empty_text")
    core = document.core_properties
    title = title_of(strip_controls(core.title or ""), blocks)
    return Reading(tuple(blocks), title, description=describe_properties(core))


def _iterate_items(parent: Any, document: Any) -> Iterator[Any]:
    """Yield paragraphs and tables in order.

    Those inside content controls and text boxes are included, unlike in python-docx.
    """
    for element in parent:
        if element.tag == _PARAGRAPH:
            yield Paragraph(element, document._body)
            for box in element.iter(_BOX):
                if not _is_inside(box, element, _FALLBACK, _BOX):
                    yield from _iterate_items(box, document)
        elif element.tag == _TABLE:
            yield Table(element, document._body)
        elif element.tag != _FALLBACK:
            yield from _iterate_items(element, document)


def _find_numbering(document: Any) -> Any | None:
    """Return the numbering part, or None; python-docx would create a missing one."""
    parts = (relation.target_part for relation in document.part.rels.values() if not relation.is_external)
    return next((part._element for part in parts if isinstance(part, NumberingPart)), None)


def _number(paragraph: Any, counter: ParagraphCounter) -> str | None:
    """Return the automatic number of a paragraph, from its own rules or its style.

    "" for a bullet, None for neither.
    """
    style = paragraph.style
    properties = [paragraph._p.pPr]
    while style is not None and len(properties) <= _MAX_STYLES:
        properties.append(style.element.pPr)
        style = style.base_style
    rules = [rules.numPr for rules in properties if rules is not None and rules.numPr is not None]
    list_id = next((rule.numId.val for rule in rules if rule.numId is not None), None)
    level = next((rule.ilvl.val for rule in rules if rule.ilvl is not None), None)
    style_id = paragraph.style.style_id if paragraph.style is not None else ""
    return None if list_id is None else counter.count(str(list_id), level, style_id)


def _make_blocks(item: Any, headings: Headings, counter: ParagraphCounter) -> Iterator[Block]:
    if isinstance(item, Table):
        if text := format_table(_read_rows(item._tbl)):
            yield Block(text, BlockKind.TABLE, headings=headings.path)
        return
    parts = item.part.related_parts
    for kind, drawn in read_drawings(item._p, lambda name: parts[name].blob):
        yield Block(drawn, kind, headings=headings.path)
    text = _read_text(item._p).strip("\n")
    if not text.strip():
        return
    style = (item.style.name if item.style is not None else "") or ""  # a style may have no name
    number = _number(item, counter)
    level = 1 if style == "Title" else int(match[1]) if (match := _LEVEL.match(style)) else 0
    if number and not text.startswith(number):
        text = f"{number} {text}"
    if level:
        yield Block(text, BlockKind.HEADING, headings=headings.open(text, level))
    elif style in _CODE_STYLES:
        yield Block(text, BlockKind.CODE, headings=headings.path)
    elif number is not None:
        yield Block(text if number else mark_item(text), BlockKind.LIST, headings=headings.path)
    else:
        yield Block(text, BlockKind.PARAGRAPH, headings=headings.path)


def _with_whole_code(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks with adjacent code joined: Word has a paragraph for each line of code."""
    for is_code, run in groupby(blocks, key=lambda block: block.kind is BlockKind.CODE):
        if is_code:
            first, *others = run
            yield replace(first, text="\n".join([first.text, *(block.text for block in others)]))
        else:
            yield from run


def _read_rows(grid: Any) -> Iterator[list[str]]:
    """Yield the rows of a table.

    A cell over several columns appears once; one over several rows in each of them. python-docx's own walk
    climbs from every row to the first, which is cubic, and ends at Python's stack.
    """
    above: dict[int, str] = {}
    for row in _find_own(grid, _ROW, _TABLE):
        texts: list[str] = []
        column = row.grid_before
        for cell in _find_own(row, _CELL, _ROW):
            if cell.vMerge != "continue":
                inner = (
                    paragraph
                    for paragraph in cell.iter(_PARAGRAPH)
                    if not _is_inside(paragraph, cell, _FALLBACK)
                )
                above[column] = "\n".join(map(_read_text, inner))
            texts.append(above.get(column, ""))
            column += cell.grid_span
        yield texts


def _find_own(parent: Any, tag: str, nested: str) -> Iterator[Any]:
    """Return the direct rows of a table, or cells of a row, without nested tables.

    Those in content controls are included.
    """
    return (element for element in parent.iter(tag) if next(element.iterancestors(nested)) is parent)


def _read_notes(document: Any, hiding: frozenset[str]) -> Iterator[Block]:
    for relation in document.part.rels.values():
        if relation.reltype.endswith(_NOTES) and not relation.is_external:
            notes = parse_xml(relation.target_part.blob)
            drop_vanished(notes, hiding)
            for note in notes:
                text = "\n".join(_read_text(paragraph) for paragraph in note.iter(_PARAGRAPH)).strip()
                # Notes with a type are the rules drawn between text and notes.
                if text and note.get(qn("w:type")) is None:
                    yield Block(text, BlockKind.NOTE)


def _read_text(paragraph: Any) -> str:
    """Return the text of all runs, including tracked insertions, fields and formulas.

    Ruby is in parentheses after its base.
    """
    parts: list[str] = []
    ruby = ""
    fields = Fields()
    for run in paragraph.iter(_RUN, _FORMULA):
        if _is_inside(run, paragraph, _BOX, _FALLBACK, _FORMULA):
            continue
        text = write_formula(run) if run.tag == _FORMULA else _read_raised(run) + fields.read(run)
        if _is_inside(run, paragraph, qn("w:rt")):
            ruby += text
            continue
        parts.append(text)
        if ruby and _is_inside(run, paragraph, qn("w:rubyBase")):
            parts.append(f"({ruby})")
            ruby = ""
    return strip_controls("".join(parts))


def _is_struck(run: Any) -> bool:
    """Return whether a run is struck through, which means deleted, as under change tracking."""
    marks = (run.find(f"{qn('w:rPr')}/{qn(name)}") for name in ("w:strike", "w:dstrike"))
    return any(mark is not None and mark.get(qn("w:val"), "1") not in ("0", "false", "off") for mark in marks)


def _read_raised(run: Any) -> str:
    if _is_struck(run):
        return ""
    text = _read_run(run)
    mark = run.find(_VERTICAL)
    return write_placed(text, None if mark is None else mark.get(qn("w:val")))


def _read_run(run: Any) -> str:
    """Return the text of a run.

    Not `run.text`: its XPath of several names is quadratic in a run's breaks and tabs.
    """
    fonts = run.find(_FONTS)
    font = None if fonts is None else fonts.get(qn("w:ascii"))
    return "".join(
        write_symbol(part.get(qn("w:char"), ""), part.get(qn("w:font")))
        if part.tag == _SYMBOL
        else write_symbols(str(part), font)
        for part in run
        if part.tag in _SAID
    )


def _is_inside(element: Any, within: Any, *tags: str) -> bool:
    for above in element.iterancestors():
        if above is within:
            return False
        if above.tag in tags:
            return True
    return False
