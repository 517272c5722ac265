"""HTML: the main text under its headings, or all text of the body if none is found."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import dropwhile
from typing import Any

import lxml.html  # type: ignore[import-untyped]
from lxml import etree

from shisho.corpus.readers.css import parse_style
from shisho.corpus.readers.described import describe_page
from shisho.corpus.readers.headings import Headings
from shisho.corpus.readers.hidden import drop_elements, drop_hidden, drop_struck
from shisho.corpus.readers.maintext import (
    FITTED,
    FallbackExtraction,
    clear_surroundings,
    count_letters,
    find_main_text,
    find_menus,
)
from shisho.corpus.readers.symbols import write_lowered, write_raised, write_symbols
from shisho.corpus.readers.text import decode, strip_controls
from shisho.corpus.readers.walking import TreeWalk
from shisho.domain.corpus import Block, Reading
from shisho.errors import DocumentUnreadable, TooLarge
from shisho.isolation.prescan import MAX_BYTES, check

_TAGS = {"super": "sup", "sub": "sub"}
_LONGEST = 20  # raised letters: icons and whole lines are moved for other reasons


def spell_out_lettering(tree: Any) -> None:
    """Write picture characters as letters, and raised letters as elements."""
    for element in tree.iter("span", "font"):
        style = parse_style(element.get("style") or "")
        font = style.get("font-family") or element.get("face") or ""
        _write_pictures(element, font.partition(",")[0].strip(" \"'"))
        tag = _TAGS.get(style.get("vertical-align", ""))
        if tag and len("".join(element.itertext())) <= _LONGEST:
            element.tag = tag


def _write_pictures(element: Any, font: str) -> None:
    """Write the picture characters directly in the element; inner elements have their own font."""
    element.text = write_symbols(element.text or "", font)
    for child in element:
        child.tail = write_symbols(child.tail or "", font)


MANY = 1_000  # pieces in a paragraph: the square of that costs next to nothing
_MARKS = (
    *(
        "a",
        "abbr",
        "acronym",
        "b",
        "bdi",
        "bdo",
        "big",
        "cite",
        "data",
        "dfn",
        "em",
        "font",
        "i",
        "img",
        "ins",
    ),
    *("kbd", "label", "mark", "s", "samp", "small", "span", "strong", "time", "tt", "u", "var", "wbr"),
)
_CROWDED = etree.XPath(f"//p[count(.//text()) > {MANY}]")


def join_pieces(tree: Any) -> None:
    """Strip inline marks from paragraphs that have very many of them, and keep the text."""
    for paragraph in _CROWDED(tree):
        etree.strip_tags(paragraph, *_MARKS)
        for element in paragraph.iter():
            element.text = element.text  # reading joins the text, and writing stores it as one piece
            if element is not paragraph:
                element.tail = element.tail


# trafilatura returns a page with little text as one paragraph without headings, or misses most of it. Sizes
# count all letters.
SHORT = 1_000
FRAGMENT = 100
# On news pages of 600 to 1,000 letters the rest of the page is 1.5 to 10 times as long and is not the article
# (measured).
LITTLE_ELSE = 1.5
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.I)
_SCRIPTS = {"msup": "sup", "msub": "sub"}
# The number of a note in the middle of a sentence of a book.
_NOTE_REFERENCES = "//a[@role='doc-noteref' or @*[name()='epub:type']='noteref']"
_HEAD_TAGS = frozenset(("title", "meta", "link", "base", "script", "style", "noscript", "template"))


def read(data: bytes, charset: str | None = None, opinion: FallbackExtraction = FITTED) -> Reading:
    """Read a page.

    Blocks are headings, paragraphs, list items and tables (a row per line, cells separated by tabs).
    `charset`: the encoding that the server named. `opinion`: when readability extracts the main text.
    """
    if len(data) > MAX_BYTES:
        raise TooLarge("reader.html.too_large", megabytes=MAX_BYTES // 2**20)
    match = _CHARSET.search(data, 0, 8192)
    html = strip_controls(decode(data, charset, match[1].decode("ascii", "ignore") if match else None))
    check(html)
    tree = _parse_tree(html)
    blocks: list[Block] = []
    title = ""
    description: dict[str, str] = {}
    if tree is not None:
        description = describe_page(tree)
        title = " ".join((tree.findtext(".//head/title") or "").split())
        drop_hidden(tree)
        drop_struck(tree)
        _spell_out(tree)
        join_pieces(tree)
        blocks = find_main_text(tree, opinion)
        if count_letters(blocks) < SHORT and _is_shorter(blocks, _read_everything(tree)):
            blocks = _drop_menus(tree)
    if not blocks:
        raise DocumentUnreadable("reader.html.no_text")
    return Reading(tuple(blocks), title=title, description=description)


def read_whole_blocks(html: str, headings: Headings | None = None) -> list[Block]:
    """Return everything that a document other than a web page shows, such as a mail message.

    `headings`: those that are open already.

    Raises:
        TooLarge: The document is too large or too deep.
    """
    return [block for _, blocks in read_parts(html, (), headings) for block in blocks]


def read_parts(
    html: str, anchors: Collection[str], headings: Headings | None = None
) -> list[tuple[str, list[Block]]]:
    """Return the same for a chapter of a book, in parts.

    Each anchor of the page begins one; the first part, before all anchors, has no name.

    Raises:
        TooLarge: The chapter is too large or too deep.
    """
    if len(html) > MAX_BYTES:
        raise TooLarge("reader.part_too_large", megabytes=MAX_BYTES // 2**20)
    check(html)
    tree = _parse_tree(html)
    if tree is None:
        return []
    drop_hidden(tree)
    drop_struck(tree)
    drop_elements(tree, tree.xpath(_NOTE_REFERENCES))
    _spell_out(tree)
    clear_surroundings(tree)
    return TreeWalk(anchors, headings).collect_parts(tree)


def _parse_tree(html: str) -> Any:
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        tree = lxml.html.document_fromstring(html.encode("utf-8", "replace"), parser=parser)
    except etree.ParserError:  # such as a page with only comments
        return None
    _begin_body(tree)
    return tree


def _begin_body(tree: Any) -> None:
    """Move elements from the head to the body.

    If <body> is omitted, which is allowed, libxml2 leaves the elements it does not know in the head: article,
    main …
    """
    head = tree.find("head")
    strays = [] if head is None else list(dropwhile(lambda element: element.tag in _HEAD_TAGS, head))
    if strays:
        body = tree.find("body")
        body = etree.SubElement(tree, "body") if body is None else body
        body[:0] = strays


def _is_shorter(main: list[Block], whole: list[Block]) -> bool:
    """Return whether to use the whole page instead of the main text.

    The main text is a fragment, or the page contains little else.
    """
    if count_letters(main) < FRAGMENT:
        return not main or count_letters(whole) < SHORT
    return count_letters(whole) <= LITTLE_ELSE * count_letters(main)


def _spell_out(tree: Any) -> None:
    """Write information of the markup into the text.

    10<sup>2</sup> is not 102, and ruby is in parentheses.
    """
    spell_out_lettering(tree)
    for formula in list(tree.iter("math")):
        _write_formula(formula)
    for element in list(tree.iter("sup", "sub")):
        text = "".join(element.itertext())
        element[:] = []
        element.text = write_raised(text) if element.tag == "sup" else write_lowered(text)
    for element in list(tree.iter("rp")):
        element.text = None
    for element in list(tree.iter("rt")):
        element.text = f"({''.join(element.itertext())})"
        element[:] = []
        element.tag = "span"
    etree.strip_tags(tree, "sup", "sub", "ruby", "rb", "rp")
    write_out_spans(tree)


def _write_formula(formula: Any) -> None:
    """Write MathML as one line of text, without its annotations in another language."""
    etree.strip_elements(formula, "annotation", "annotation-xml", with_tail=False)
    for element in list(formula.iter("msup", "msub", "mfrac", "msqrt")):
        parts = list(element)
        if element.tag in _SCRIPTS and len(parts) == 2:
            parts[1].tag = _SCRIPTS[element.tag]
        elif element.tag == "mfrac" and len(parts) == 2:
            parts[0].tail = "/"
            for part in parts:
                if len("".join(part.itertext()).split()) > 1 or len(part) > 1:
                    part.text = f"({part.text or ''}"
                    part.append(part.makeelement("mo"))
                    part[-1].text = ")"
        elif element.tag == "msqrt":
            element.text = f"√{element.text or ''}"
    for script in list(formula.iter("sup", "sub")):
        text = "".join("".join(script.itertext()).split())
        script[:] = []
        script.text = write_raised(text) if script.tag == "sup" else write_lowered(text)
    text = "".join("".join(formula.itertext()).split())
    formula[:] = []
    formula.attrib.clear()
    formula.tag = "span"
    formula.text = text


def _read_everything(tree: Any) -> list[Block]:
    clear_surroundings(tree)
    return TreeWalk().collect_blocks(tree)


def _drop_menus(tree: Any) -> list[Block]:
    drop_elements(tree, find_menus(tree))
    return TreeWalk().collect_blocks(tree)


MAX_COLUMNS = 50  # of one cell's span
MAX_ADDED = 20_000  # cells on a page: a few letters can ask for millions
LABEL = 100  # letters: a longer text is not a label, and is not repeated


def write_out_spans(tree: Any) -> None:
    """Expand the spanning cells of all tables below."""
    room = MAX_ADDED
    for caption in list(tree.iter("caption")):
        _move_out(caption)
    for table in list(tree.iter("table")):
        rows = [row for row in table.iter("tr") if next(row.iterancestors("table")) is table]
        if any(cell.get("rowspan") or cell.get("colspan") for row in rows for cell in row):
            room = _write_out(rows, room)


def _move_out(caption: Any) -> None:
    """Move a caption before its table: inside, it would be part of the first cell."""
    table = next(caption.iterancestors("table"), None)
    if table is not None and table.getparent() is not None:
        caption.tag = "p"
        caption.tail = None
        table.addprevious(caption)


def _write_out(rows: list[Any], room: int) -> int:
    """Expand the spans of a table. Return how many cells may still be added."""
    hanging: dict[int, tuple[int, Any]] = {}  # by column: remaining rows, and the cell that extends into them
    for place, row in enumerate(rows):
        placed: list[Any] = []
        for cell in [cell for cell in row if cell.tag in ("td", "th")]:
            _insert_spanning_cells(placed, hanging)
            wide = _span(cell, "colspan", MAX_COLUMNS)
            deep = _span(cell, "rowspan", len(rows) - place)
            room -= wide * deep
            if room < 0:
                return 0
            # A header is repeated over each of its columns; data appear once in their row.
            parts = [cell, *(_copy(cell, says=cell.tag == "th") for _ in range(wide - 1))]
            for part in parts:
                if deep > 1:
                    hanging[len(placed)] = (deep - 1, part)
                placed.append(part)
        _insert_spanning_cells(placed, hanging)
        row[:] = placed
    return room


def _insert_spanning_cells(placed: list[Any], hanging: dict[int, tuple[int, Any]]) -> None:
    """Insert the cells that extend into the next columns from above."""
    while len(placed) in hanging:
        deep, cell = hanging.pop(len(placed))
        if deep > 1:
            hanging[len(placed)] = (deep - 1, cell)
        placed.append(_copy(cell, says=True))


def _span(cell: Any, name: str, most: int) -> int:
    """Return the span of a cell, and remove the attribute.

    As in browsers, 0 rows are all that follow.
    """
    value = str(cell.attrib.pop(name, "1")).strip()
    asked = int(value[:9]) if value.isascii() and value.isdigit() else 1
    return max(1, most if name == "rowspan" and asked == 0 else min(asked, most))


def _copy(cell: Any, *, says: bool) -> Any:
    text = " ".join("".join(cell.itertext()).split())
    copy = cell.makeelement(cell.tag)
    copy.text = text if says and len(text) <= LABEL else ""
    return copy
