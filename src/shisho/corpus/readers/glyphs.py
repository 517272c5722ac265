"""Positions of quoted characters on a page of a PDF: exact ones, or none.

The page's text is read as it was during ingest, each quoted character must be found in it, and no other
character may be inside the resulting boxes.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from shisho.corpus.readers.pdffonts import install_substitutes, open_document
from shisho.corpus.readers.pdfpage import HYPHEN, PageTransform, clean_line, read_line, read_lines
from shisho.domain.viewing import Box, BoxDoubt, CharacterBoxes
from shisho.errors import DocumentUnreadable
from shisho.records import dataclass

SAME_PLACE = 0.3  # points between the stored box of a line and that of the line found
GAP = 1.6  # times the size of the characters: the largest distance of neighbours
STRAIGHT = 2.2  # times the size of the characters: a thicker line is slanted, or two lines
OVERLAP = 0.3  # of the smaller character: the overlap of neighbours across such a line
TWICE = 0.4  # times its size: the same character this near is printed twice, for bold type
MAX_OTHERS = 0.02  # other characters allowed in the boxes, as a share of the quoted ones
# Codes behind PDFium's mark for a hyphen; 0 is a glyph that the file does not name.
HYPHENS = (0x0, 0x2, 0x2D, 0xAD, 0xFFFE)
LOW_SURROGATES = range(0xDC00, 0xE000)


@dataclass(frozen=True, slots=True)
class Glyph:
    """A character of a page; `index` is PDFium's."""

    letter: str
    index: int
    box: Box


class _UncertainBoxes(Exception):
    def __init__(self, doubt: BoxDoubt) -> None:
        self.doubt = doubt


def locate(data: bytes, page: int, lines: Sequence[tuple[str, Box, int, int]]) -> CharacterBoxes:
    """Return the positions of quoted characters.

    `lines`: the text of each stored line, its box, and the start and end of its quoted part.

    Raises:
        DocumentUnreadable: The page is damaged. `open_document` may raise other errors.
    """
    fonts = install_substitutes()
    fonts.begin()
    with closing(open_document(data)) as document:
        placement = _place_on_page(document, page, lines)
        if placement.doubt and not fonts.uncertain:
            return _place_on_page(document, page, lines, anywhere=True)
    if not placement.doubt:
        return placement
    # As in reading: a page is read again if PDFium used its own font for an unknown one.
    fonts.begin(everywhere=True)
    with closing(open_document(data)) as document:
        placement = _place_on_page(document, page, lines)
        return _place_on_page(document, page, lines, anywhere=True) if placement.doubt else placement


def pack(placement: CharacterBoxes) -> Any:
    return {"boxes": placement.boxes, "doubt": placement.doubt}


def unpack(packed: Any) -> CharacterBoxes:
    """Return the placement. Raises ValueError, TypeError or KeyError for invalid data."""
    boxes = []
    for left, top, right, bottom in packed["boxes"]:
        box = (float(left), float(top), float(right), float(bottom))
        if not all(map(math.isfinite, box)):
            raise ValueError("a box without bounds")
        boxes.append(box)
    return CharacterBoxes(tuple(boxes), BoxDoubt(packed["doubt"]))


def _place_on_page(
    document: Any, number: int, lines: Sequence[tuple[str, Box, int, int]], *, anywhere: bool = False
) -> CharacterBoxes:
    """Return the positions on a page.

    `anywhere`: a line may have moved from its stored position if the page contains it once. Another version
    of PDFium may have measured it slightly differently.
    """
    try:
        page = document[number - 1]
        textpage = page.get_textpage()
    except (pypdfium2.PdfiumError, IndexError) as damage:
        raise DocumentUnreadable("reader.page_damaged", page=number) from damage
    try:
        sheet = _Sheet(page, textpage, number, anywhere)
        runs = [run for line in lines for run in sheet.split_runs(*line)]
        return CharacterBoxes(tuple(_round_outward(box) for box in sheet.find_boxes(runs)))
    except _UncertainBoxes as doubt:
        return CharacterBoxes((), doubt.doubt)
    finally:
        textpage.close()
        page.close()


class _Sheet:
    """A page, its stored lines, and its characters."""

    def __init__(self, page: Any, textpage: Any, number: int, anywhere: bool) -> None:
        self._textpage = textpage.raw
        self._number = number
        self._anywhere = anywhere
        self._transform = PageTransform(page)
        self._lines = list(read_lines(textpage))
        self._quoted: list[Glyph] = []

    def split_runs(self, text: str, box: Box, first: int, last: int) -> Iterator[list[Glyph]]:
        """Yield the quoted characters of a line, neighbours together."""
        printed = _find_printed(text)
        ranks = [rank for rank, place in enumerate(printed) if first <= place < last]
        if not ranks:
            return
        glyphs = self._match_glyphs(text, box)[ranks[0] : ranks[-1] + 1]
        self._quoted += glyphs
        yield from _group_neighbours(glyphs, box)

    def find_boxes(self, runs: Sequence[list[Glyph]]) -> list[Box]:
        """Return the box of each run; boxes that contain other characters are split.

        Raises:
            _UncertainBoxes: Splitting does not help.
        """
        indices = {glyph.index for glyph in self._quoted}
        bounds = [_join_run(run) for run in runs]
        others = [
            glyph
            for glyph in self._list_other_glyphs(indices)
            if any(_has_point(box, _find_middle(glyph.box)) for box in bounds)
            and not self._is_overprint(glyph)
        ]
        boxes: list[Box] = []
        for run, box in zip(runs, bounds, strict=True):
            inside = [other for other in others if _has_point(box, _find_middle(other.box))]
            boxes += _split_run(run, inside) if inside else [box]
        intruders = sum(any(_has_point(box, _find_middle(other.box)) for box in boxes) for other in others)
        if intruders > MAX_OTHERS * len(indices):
            raise _UncertainBoxes(BoxDoubt.OVERLAP)
        return boxes

    def _is_overprint(self, other: Glyph) -> bool:
        """Return whether a character is a second print of a quoted one, for bold type."""
        x, y = _find_middle(other.box)
        for glyph in self._quoted:
            if glyph.letter == other.letter:
                middle_x, middle_y = _find_middle(glyph.box)
                if max(abs(x - middle_x), abs(y - middle_y)) < TWICE * _measure_size(glyph.box):
                    return True
        return False

    def _match_glyphs(self, text: str, box: Box) -> list[Glyph]:
        """Return the glyphs of a stored line without white space. Raises _UncertainBoxes."""
        words, start = self._find_line(text, box)
        glyphs = []
        index = start
        for letter in words:
            if not _is_white(letter):
                glyphs.append(self._make_glyph(letter, index))
            index += 1 + (letter > "\uffff")
        return glyphs

    def _find_line(self, text: str, box: Box) -> tuple[str, int]:
        """Return the page's line that equals the stored one.

        Tables were stored with different white space between their cells.
        """
        squeezed = "".join(text.split())
        likely = []
        for words, start, end in self._lines:
            if "".join(clean_line(words).split()) == squeezed:
                line = read_line(self._textpage, self._transform, words, start, end, self._number)
                if line is not None:
                    likely.append((_measure_distance(line.box, box), words, start))
        if not likely:
            raise _UncertainBoxes(BoxDoubt.OTHER_TEXT)
        apart, words, start = min(likely)
        if apart > SAME_PLACE and not (self._anywhere and len(likely) == 1):
            raise _UncertainBoxes(BoxDoubt.OTHER_TEXT)
        return words, start

    def _make_glyph(self, letter: str, text_index: int) -> Glyph:
        index = pdfium.FPDFText_GetCharIndexFromTextIndex(self._textpage, text_index)
        code = pdfium.FPDFText_GetUnicode(self._textpage, index) if index >= 0 else -1
        if letter <= "\uffff" and code != ord(letter) and not (letter == HYPHEN and code in HYPHENS):
            raise _UncertainBoxes(BoxDoubt.OTHER_TEXT)
        box = self._find_box(index)
        if box is None:
            raise _UncertainBoxes(BoxDoubt.NO_BOX)
        return Glyph(letter, index, box)

    def _find_box(self, index: int) -> Box | None:
        """Return the outline of a character, or its font's box if it has none."""
        box = self._transform.read_letter_box(self._textpage, index)
        if box is not None and _measure_area(box) > 0:
            return box
        rectangle = pdfium.FS_RECTF()
        if not pdfium.FPDFText_GetLooseCharBox(self._textpage, index, ctypes.byref(rectangle)):
            return None
        box = self._transform.transform_box(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
        return box if _measure_area(box) > 0 else None

    def _list_other_glyphs(self, indices: set[int]) -> Iterator[Glyph]:
        for index in range(pdfium.FPDFText_CountChars(self._textpage)):
            if index in indices or pdfium.FPDFText_IsGenerated(self._textpage, index) == 1:
                continue
            code = pdfium.FPDFText_GetUnicode(self._textpage, index)
            if code in LOW_SURROGATES and index - 1 in indices:
                continue  # the second half of a quoted character
            letter = chr(code) if 0 < code <= 0x10FFFF else "\ufffd"
            if not _is_white(letter) and (box := self._find_box(index)) is not None:
                yield Glyph(letter, index, box)


def _group_neighbours(glyphs: Sequence[Glyph], line: Box) -> Iterator[list[Glyph]]:
    size = max(_measure_size(glyph.box) for glyph in glyphs)
    is_straight = min(line[2] - line[0], line[3] - line[1]) <= STRAIGHT * size
    run = [glyphs[0]]
    for before, glyph in pairwise(glyphs):
        near = _measure_gap(before.box, glyph.box) <= GAP * size
        if near and (is_straight or _is_beside(before.box, glyph.box)):
            run.append(glyph)
        else:
            yield run
            run = [glyph]
    yield run


def _split_run(run: Sequence[Glyph], others: Sequence[Glyph]) -> Iterator[Box]:
    """Yield the longest boxes that contain none of the others."""
    reach = run[0].box
    for glyph in run[1:]:
        longer = _join_boxes(reach, glyph.box)
        if any(_has_point(longer, _find_middle(other.box)) for other in others):
            yield reach
            reach = glyph.box
        else:
            reach = longer
    yield reach


def _find_printed(text: str) -> list[int]:
    """Return the places of the characters that are not white space."""
    return [place for place, letter in enumerate(text) if not letter.isspace()]


def _is_white(letter: str) -> bool:
    return not clean_line(letter).strip() if letter != HYPHEN else False


def _join_run(run: Iterable[Glyph]) -> Box:
    (first, *rest) = (glyph.box for glyph in run)
    for box in rest:
        first = _join_boxes(first, box)
    return first


def _join_boxes(box: Box, other: Box) -> Box:
    return (
        min(box[0], other[0]),
        min(box[1], other[1]),
        max(box[2], other[2]),
        max(box[3], other[3]),
    )


def _round_outward(box: Box) -> Box:
    left, top, right, bottom = box
    return (
        math.floor(left * 100) / 100,
        math.floor(top * 100) / 100,
        math.ceil(right * 100) / 100,
        math.ceil(bottom * 100) / 100,
    )


def _measure_gap(box: Box, other: Box) -> float:
    across = max(other[0] - box[2], box[0] - other[2])
    down = max(other[1] - box[3], box[1] - other[3])
    return max(across, down)


def _is_beside(box: Box, other: Box) -> bool:
    across = min(box[2], other[2]) - max(box[0], other[0])
    down = min(box[3], other[3]) - max(box[1], other[1])
    width = min(box[2] - box[0], other[2] - other[0])
    height = min(box[3] - box[1], other[3] - other[1])
    return across >= OVERLAP * width or down >= OVERLAP * height


def _find_middle(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _has_point(box: Box, point: tuple[float, float]) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def _measure_size(box: Box) -> float:
    return max(box[2] - box[0], box[3] - box[1])


def _measure_area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _measure_distance(box: Box, other: Box) -> float:
    return max(abs(edge - there) for edge, there in zip(box, other, strict=True))
