"""One page of a PDF as printed lines.

The text is verbatim; boxes are in points from the top left of the displayed page.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import pypdfium2.raw as pdfium

from shisho.corpus.readers.pdffonts import read_unnamed_letters
from shisho.corpus.readers.text import strip_controls
from shisho.records import dataclass

Box = tuple[float, float, float, float]

HYPHEN = "\ufffe"  # PDFium's mark for a hyphen at the end of a line, which replaces the line break
_LINE = re.compile(f"[^\r\n{HYPHEN}]*{HYPHEN}?")
SHORT = 2  # characters that show no direction of writing
_BOLD = re.compile(rb"bold|heavy|black|-W[6-9]", re.I)
GAP = 1.3  # times the font size: wider than any word space or bracket
SAMPLES = 4
_SCALE = 100  # PDFium's conversion to display coordinates returns integers


@dataclass(frozen=True, slots=True)
class Typeface:
    """The type of a line.

    `base`: the distance of its baseline from the top of the page. `bold`: all of it is bold. `size` is in
    points.
    """

    size: float
    base: float
    bold: bool


@dataclass(frozen=True, slots=True)
class PdfLine:
    """A line of a page.

    `gaps`: white wider than any word space between its pieces, as (left, right). `cells`: the offsets in the
    text of the pieces after them, as far as known.
    """

    text: str
    page: int
    box: Box
    type: Typeface
    vertical: bool
    gaps: tuple[tuple[float, float], ...] = ()
    cells: tuple[int, ...] = ()

    @property
    def size(self) -> float:
        return self.type.size

    @property
    def begin(self) -> float:
        """The start of the line along its direction of writing."""
        return self.box[1] if self.vertical else self.box[0]

    @property
    def end(self) -> float:
        return self.box[3] if self.vertical else self.box[2]


@dataclass(frozen=True, slots=True)
class PdfPage:
    """A page: its lines in reading order, and its displayed size in points.

    `unnamed`: letters that the file does not identify.
    """

    lines: Sequence[PdfLine]
    width: float
    height: float
    unnamed: str = ""

    @property
    def is_slide(self) -> bool:
        return self.width > self.height


def read_page(document: Any, number: int) -> PdfPage:
    """Return page `number` (from 1). Raises PdfiumError if it is damaged."""
    page = document[number - 1]
    textpage = page.get_textpage()
    try:
        place = PageTransform(page)
        lines = []
        for words, start, end in read_lines(textpage):
            if line := read_line(textpage.raw, place, words, start, end, number):
                lines.append(line)
        width, height = page.get_size()
        return PdfPage(_sort_lines(lines), width, height, read_unnamed_letters(textpage.raw))
    finally:
        textpage.close()
        page.close()


def read_lines(textpage: Any) -> Iterator[tuple[str, int, int]]:
    """Yield each non-blank line of a page, with its start and end in PDFium's text."""
    wide = 0  # PDFium counts a character beyond U+FFFF (a letter of mathematics, a rare kanji) as two
    for match in _LINE.finditer(textpage.get_text_range()):
        start = match.start() + wide
        wide += sum(letter > "\uffff" for letter in match[0])
        if strip_controls(match[0]).strip():
            yield match[0], start, match.end() + wide


def clean_line(words: str) -> str:
    """Return a line of PDFium's text in its stored form."""
    return strip_controls(words.replace(HYPHEN, "-")).rstrip()


def read_line(
    textpage: Any, place: PageTransform, text: str, start: int, end: int, number: int
) -> PdfLine | None:
    """Return the line with its box and type; None if it has no box."""
    first = start + len(text) - len(text.lstrip())
    at = max(0, pdfium.FPDFText_GetCharIndexFromTextIndex(textpage, first))
    last = max(at, pdfium.FPDFText_GetCharIndexFromTextIndex(textpage, end - 1))
    boxes = place.read_boxes(textpage, at, last - at + 1)
    if not boxes:
        return None
    remaining = min(box[0] for box in boxes)
    top = min(box[1] for box in boxes)
    right = max(box[2] for box in boxes)
    bottom = max(box[3] for box in boxes)
    vertical = len("".join(text.split())) > SHORT and bottom - top > 2 * (right - remaining)
    height = right - remaining if vertical else bottom - top
    type_ = place.type(textpage, at, last) or Typeface(height, bottom, False)
    gaps = () if vertical else _find_gaps(boxes, GAP * type_.size)
    return PdfLine(
        text=clean_line(text),
        page=number,
        box=(round(remaining, 1), round(top, 1), round(right, 1), round(bottom, 1)),
        type=type_,
        vertical=vertical,
        gaps=gaps,
        cells=_find_cells(textpage, place, text, start, gaps) if gaps else (),
    )


def _find_cells(
    textpage: Any, place: PageTransform, text: str, start: int, gaps: tuple[tuple[float, float], ...]
) -> tuple[int, ...]:
    """Return the start of each cell: the first letter after a gap, by its box."""
    cells = []
    reached = -math.inf
    index = start
    for offset, letter in enumerate(text):
        if not letter.isspace():
            at = pdfium.FPDFText_GetCharIndexFromTextIndex(textpage, index)
            box = place.read_letter_box(textpage, at)
            if box is not None:
                # Words are separated by white space; a bracket has some of its own.
                apart = offset > 0 and text[offset - 1].isspace()
                if apart and any(reached <= left + 1 and box[0] >= right - 1 for left, right in gaps):
                    cells.append(offset)
                reached = box[2]
        index += 1 + (letter > "\uffff")
    return tuple(cells)


def _find_gaps(boxes: list[Box], least: float) -> tuple[tuple[float, float], ...]:
    gaps = []
    end = min(box[0] for box in boxes)
    for remaining, _, right, _ in sorted(boxes):
        if remaining - end > least:
            gaps.append((end, remaining))
        end = max(end, right)
    return tuple(gaps)


class PageTransform:
    """The transformation from PDF space to the displayed page.

    PDF space is bottom up, unrotated and uncropped.
    """

    def __init__(self, page: Any) -> None:
        width, height = page.get_size()
        self._page = page
        self._extent = (0, 0, max(1, round(width * _SCALE)), max(1, round(height * _SCALE)), 0)
        x0, y0 = self._rotate_point(0, 0)
        (x1, y1) = self._rotate_point(1000, 0)
        (x2, y2) = self._rotate_point(0, 1000)
        self._matrix = (
            (x1 - x0) / 1000,
            (x2 - x0) / 1000,
            x0,
            (y1 - y0) / 1000,
            (y2 - y0) / 1000,
            y0,
        )

    def _rotate_point(self, x: float, y: float) -> tuple[float, float]:
        device_x = ctypes.c_int()
        device_y = ctypes.c_int()
        pdfium.FPDF_PageToDevice(
            self._page.raw, *self._extent, x, y, ctypes.byref(device_x), ctypes.byref(device_y)
        )
        return device_x.value / _SCALE, device_y.value / _SCALE

    def transform_box(self, remaining: float, bottom: float, right: float, top: float) -> Box:
        a, b, c, d, e, f = self._matrix
        x0 = a * remaining + b * bottom + c
        y0 = d * remaining + e * bottom + f
        x1 = a * right + b * top + c
        y1 = d * right + e * top + f
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)

    def read_boxes(self, textpage: Any, start: int, count: int) -> list[Box]:
        left, top, right, bottom = (ctypes.c_double() for _ in range(4))
        return [
            self.transform_box(left.value, bottom.value, right.value, top.value)
            for index in range(pdfium.FPDFText_CountRects(textpage, start, count))
            if pdfium.FPDFText_GetRect(textpage, index, left, top, right, bottom)
        ]

    def read_letter_box(self, textpage: Any, index: int) -> Box | None:
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        if not pdfium.FPDFText_GetCharBox(textpage, index, left, right, bottom, top):
            return None
        return self.transform_box(left.value, bottom.value, right.value, top.value)

    def type(self, textpage: Any, first: int, last: int) -> Typeface | None:
        """Return the type of a few sampled characters from `first` to `last`.

        The size is the most common one, the greater of two equally common ones.
        """
        glyphs = [
            (size, self._read_base(textpage, index), _is_bold(name))
            for index in sorted({first + (last - first) * part // SAMPLES for part in range(SAMPLES + 1)})
            # A space that PDFium inserted has no font, size or position.
            if (name := _read_font(textpage, index)) and (size := self._read_size(textpage, index)) > 1
        ]
        if not glyphs:
            return None
        sizes = [size for size, _, _ in glyphs]
        size = max(sizes, key=lambda size: (sizes.count(size), size))
        return Typeface(
            size,
            next(base for at, base, _ in glyphs if at == size),
            all(bold for _, _, bold in glyphs),
        )

    def _read_size(self, textpage: Any, index: int) -> float:
        # Many producers use size 1 and put the size into the text matrix.
        matrix = pdfium.FS_MATRIX()
        pdfium.FPDFText_GetMatrix(textpage, index, matrix)
        return float(round(pdfium.FPDFText_GetFontSize(textpage, index) * math.hypot(matrix.c, matrix.d), 1))

    def _read_base(self, textpage: Any, index: int) -> float:
        x = ctypes.c_double()
        y = ctypes.c_double()
        pdfium.FPDFText_GetCharOrigin(textpage, index, x, y)
        return self.transform_box(x.value, y.value, x.value, y.value)[1]


def _read_font(textpage: Any, index: int) -> bytes:
    name = ctypes.create_string_buffer(128)
    size = pdfium.FPDFText_GetFontInfo(textpage, index, name, len(name), ctypes.byref(ctypes.c_int()))
    return name.value if 0 < size <= len(name) else b""


@lru_cache(maxsize=256)
def _is_bold(font: bytes) -> bool:
    # PDFium reports weight 0 or 400 for most bold fonts; their names say more.
    return bool(_BOLD.search(font))


def _sort_lines(lines: list[PdfLine]) -> list[PdfLine]:
    """Return the lines in reading order.

    The drawing order keeps columns apart; but vertical lines go from right to left, in whatever order they
    were drawn.
    """
    upright: list[PdfLine] = []
    lying: list[PdfLine] = []
    for line in lines:
        (upright if line.vertical or len(line.text.strip()) <= SHORT else lying).append(line)
    if 2 * sum(len(line.text) for line in lines if line.vertical) <= sum(len(line.text) for line in lines):
        return lines
    tiers: list[list[PdfLine]] = []
    middle = 0.0  # of the longest line of the last tier
    length = 0.0
    for line in sorted(upright, key=lambda line: line.box[1]):
        if not tiers or line.box[1] >= middle:
            tiers.append([])
            length = -1.0
        tiers[-1].append(line)
        if line.box[3] - line.box[1] > length:
            length = line.box[3] - line.box[1]
            middle = (line.box[1] + line.box[3]) / 2
    ordered = [line for tier in tiers for line in sorted(tier, key=lambda line: -line.box[2])]
    return ordered + lying
