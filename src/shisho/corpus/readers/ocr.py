"""OCR of pictures and scanned pages by rapidocr, whose models are in its wheel.

Lines with their boxes are combined into blocks like those of a PDF. Each block is marked as recognised.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np
import pypdfium2
from PIL import ImageSequence

from shisho.corpus.readers import paragraphs
from shisho.corpus.readers.drawing import DPI, POINTS, measure_pixel, open_picture, turn_upright
from shisho.corpus.readers.pdffonts import open_document
from shisho.corpus.readers.pdfpage import GAP, SHORT, PdfLine, PdfPage, Typeface
from shisho.corpus.readers.text import strip_controls
from shisho.domain.corpus import Block, BlockKind, Reading
from shisho.isolation.wire import Tell, discard_progress
from shisho.records import dataclass

MAX_PIXELS = 2_600  # of the longer side: an A4 page at 200 dpi has 2,339
MIN_SURE = 0.5
TYPE = 0.8  # of the height of a box: its font size
SAME_TYPE = 1.18  # sizes this near are equal: a box is as high as its highest letter
COLUMN = 8  # times the font size: narrower columns are those of a table
# The models know Chinese too: forms that no Japanese character set has, and the printed ones.
_CHINESE = (
    "查净别强户步每说产卽戶黃值删启图圆场块处备复头实审对导层应开张录总战报择时显术权极标样检济"
    "热环现电监确种类级约细终组经结给统继续维编职联节药营补规觉观认议记设证评试话该语请课调负财"
    "责货质费资车转输边达过运还进连选释错长门问间阅队阶际陆险难页项须预领题额风饮馆验"
)
_JAPANESE = (
    "査浄別強戸歩毎説産即戸黄値削啓図円場塊処備復頭実審対導層応開張録総戦報択時顕術権極標様検済"
    "熱環現電監確種類級約細終組経結給統継続維編職連節薬営補規覚観認議記設証評試話該語請課調負財"
    "責貨質費資車転輸辺達過運還進連選釈錯長門問間閲隊階際陸険難頁項須預領題額風飲館験"
)
_FORMS = str.maketrans(_CHINESE, _JAPANESE)
# A long vowel before a kanji follows katakana: elsewhere it is the figure, 「水はー人ー日」.
_ONE = re.compile(r"(?<![ァ-ヶー])ー(?=[一-鿿])")
# In pixels of 200 dpi and shades of grey:
INK = 200
SPECKS = 2  # of ink in a row that is not printed
WHITE = 200
MARGIN = 40
MIN_SIDE = 400


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Letters recognised together, with the edges of their box in points."""

    left: float
    top: float
    right: float
    bottom: float
    text: str


def read_pdf(
    data: bytes, pages: Sequence[int], password: str | None = None, tell: Tell = discard_progress
) -> Reading:
    """Read pages of a PDF (from 1; none named: all). `tell` is called for each."""
    with closing(open_document(data, password)) as document:
        numbers = list(pages) or range(1, len(document) + 1)
        drawn = ((number, *_draw_page(document, number)) for number in numbers)
        return _make_reading(_recognise_pages(drawn, len(numbers), tell), len(document))


def read_picture(data: bytes, tell: Tell = discard_progress) -> Reading:
    """Read a PNG, JPEG or TIFF, whose pictures are its pages. `tell` is called for each."""
    with open_picture(data) as picture:
        count = getattr(picture, "n_frames", 1)
        frames = enumerate(ImageSequence.Iterator(picture), start=1)
        scaled = ((number, *_scale_frame(frame)) for number, frame in frames)
        return _make_reading(_recognise_pages(scaled, count, tell), count)


def _recognise_pages(pictures: Iterable[tuple[int, Any, float]], count: int, tell: Tell) -> list[PdfPage]:
    """Return the recognised pages.

    `pictures`: the number of each page, its pixels (rows of blue, green and red) and points per pixel.
    """
    pages: list[PdfPage] = []
    for number, picture, scale in pictures:
        height, width = picture.shape[:2]
        lines = tuple(_make_lines(_recognise_pieces(picture, scale), number))
        pages.append(PdfPage(lines, width * scale, height * scale))
        tell(len(pages), count)
    return pages


def _make_reading(pages: Sequence[PdfPage], count: int) -> Reading:
    blocks = paragraphs.build_blocks(_equalise_sizes(pages))
    return Reading(tuple(replace(block, ocr=True) for block in blocks), _title(blocks), count)


def _title(blocks: Sequence[Block]) -> str:
    return next((block.text for block in blocks if block.kind is BlockKind.HEADING and block.page == 1), "")


def _draw_page(document: Any, number: int) -> tuple[Any, float]:
    page = document[number - 1]
    try:
        scale = min(DPI / POINTS, MAX_PIXELS / max(*page.get_size(), 1.0))
        return np.ascontiguousarray(page.render(scale=scale).to_numpy()[:, :, :3]), 1 / scale
    except pypdfium2.PdfiumError:  # a damaged page counts as empty
        return np.full((64, 64, 3), 255, np.uint8), 1.0
    finally:
        page.close()


def _scale_frame(frame: Any) -> tuple[Any, float]:
    """Return a frame upright, on white, and no larger than a page needs."""
    points = measure_pixel(frame)
    picture = turn_upright(frame)
    longer = max(picture.size)
    if longer > MAX_PIXELS:
        picture.thumbnail((MAX_PIXELS, MAX_PIXELS))
        points *= longer / max(picture.size)
    return np.ascontiguousarray(np.asarray(picture)[:, :, ::-1]), points


@lru_cache(maxsize=1)
def _load_engine() -> Any:
    import cv2
    from rapidocr import RapidOCR

    cv2.setNumThreads(1)
    # One thread: the limit is CPU time, and other children run in parallel. The orientation of lines is not
    # detected: its model reversed good lines (one of 14 in Mincho).
    threads = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}
    return RapidOCR(
        params={
            **threads,
            "Global.log_level": "critical",
            "Global.max_side_len": MAX_PIXELS,
            "Global.use_cls": False,
        }
    )


def _recognise_pieces(picture: Any, scale: float) -> list[TextPiece]:
    """Return the pieces of the printed area, without surrounding white.

    The detector misses a short line on an empty page.
    """
    return [
        piece
        for top, bottom, first, last in _find_bands(picture)
        for piece in _recognise_band(_pad_picture(picture[top:bottom, first:last]), first, top, scale)
    ]


def _find_bands(picture: Any) -> Iterator[tuple[int, int, int, int]]:
    """Yield top, bottom, left and right of printed areas, split at wide white gaps."""
    ink = picture.min(axis=2) < INK
    rows = np.flatnonzero(ink.sum(axis=1) >= SPECKS)
    if not len(rows):
        return
    for part in np.split(rows, np.flatnonzero(np.diff(rows) > WHITE) + 1):
        top = max(0, int(part[0]) - MARGIN)
        bottom = int(part[-1]) + MARGIN
        columns = np.flatnonzero(ink[top:bottom].any(axis=0))
        yield top, bottom, max(0, int(columns[0]) - MARGIN), int(columns[-1]) + MARGIN


def _pad_picture(picture: Any) -> Any:
    """Pad a picture to the detector's minimum size, with white to the right and below."""
    height, width = picture.shape[:2]
    more = ((0, max(0, MIN_SIDE - height)), (0, max(0, MIN_SIDE - width)), (0, 0))
    return np.ascontiguousarray(np.pad(picture, more, constant_values=255))


def _recognise_band(picture: Any, left_edge: int, top_edge: int, scale: float) -> list[TextPiece]:
    output = _load_engine()(picture)
    if output.boxes is None:
        return []
    pieces = []
    for box, text, score in zip(output.boxes, output.txts, output.scores, strict=True):
        words = fix_letters(strip_controls(str(text)).strip())
        if words and score >= MIN_SURE:
            shifted = (np.asarray(box) + np.array([left_edge, top_edge])) * scale
            x0, y0 = map(float, shifted.min(axis=0))
            x1, y1 = map(float, shifted.max(axis=0))
            pieces.append(TextPiece(x0, y0, x1, y1, words))
    return pieces


def fix_letters(text: str) -> str:
    """Replace Chinese forms and misplaced long vowels by the characters that were printed."""
    return _ONE.sub("一", text.translate(_FORMS))


def _make_lines(pieces: Sequence[TextPiece], page: int) -> Iterator[PdfLine]:
    """Yield lines: adjacent pieces are one line, as in a PDF, and columns are in sequence."""
    for column in _split_columns(list(pieces)):
        rows: list[list[TextPiece]] = []
        for piece in sorted(column, key=lambda piece: piece.top + piece.bottom):
            middle = (piece.top + piece.bottom) / 2
            if rows and rows[-1][0].top < middle < rows[-1][0].bottom and not _is_upright(piece):
                rows[-1].append(piece)
            else:
                rows.append([piece])
        for row in rows:
            yield _make_line(sorted(row, key=lambda piece: piece.left), page)


def _split_columns(pieces: list[TextPiece]) -> list[list[TextPiece]]:
    """Split pieces into columns of text.

    They are cut at white over the full height between two columns, and above and below text over both.
    """
    if len(pieces) < 4:
        return [pieces] if pieces else []
    size = median(piece.bottom - piece.top for piece in pieces)
    for axis in (0, 1):
        parts = _split_pieces(pieces, axis, size if axis == 0 else 0.0)
        if len(parts) > 1 and (axis == 1 or all(_is_text(part, size) for part in parts)):
            columns = [column for part in parts for column in _split_columns(part)]
            # White between rows separates nothing if no part contains columns.
            return columns if axis == 0 or len(columns) > len(parts) else [pieces]
    return [pieces]


def _split_pieces(pieces: list[TextPiece], axis: int, least: float) -> list[list[TextPiece]]:
    """Return groups with more than `least` white between them."""
    parts: list[list[TextPiece]] = []
    end = 0.0
    for begin, until, piece in sorted(
        ((piece.top, piece.bottom, piece) if axis else (piece.left, piece.right, piece) for piece in pieces),
        key=lambda edges: edges[0],
    ):
        if not parts or begin > end + least:
            parts.append([])
        parts[-1].append(piece)
        end = max(end, until)
    return parts


def _is_text(part: Sequence[TextPiece], size: float) -> bool:
    return len(part) > 1 and median(piece.right - piece.left for piece in part) > COLUMN * size


def _is_upright(piece: TextPiece) -> bool:
    return len(piece.text) > SHORT and piece.bottom - piece.top > 2 * (piece.right - piece.left)


def _make_line(row: Sequence[TextPiece], page: int) -> PdfLine:
    left = row[0].left
    right = max(piece.right for piece in row)
    top = min(piece.top for piece in row)
    bottom = max(piece.bottom for piece in row)
    upright = len(row) == 1 and _is_upright(row[0])
    size = TYPE * (right - left if upright else median(piece.bottom - piece.top for piece in row))
    gaps = []
    cells = []
    text = row[0].text
    for before, piece in pairwise(row):
        white = piece.left - before.right
        if white > GAP * size:
            gaps.append((before.right, piece.left))
        text += " " if white > 0.5 * size else ""
        if white > GAP * size:
            cells.append(len(text))
        text += piece.text
    box = (round(left, 1), round(top, 1), round(right, 1), round(bottom, 1))
    return PdfLine(text, page, box, Typeface(size, bottom, False), upright, tuple(gaps), tuple(cells))


def _equalise_sizes(pages: Sequence[PdfPage]) -> list[PdfPage]:
    """Return pages with even font sizes: a line near the most common size gets that size.

    Boxes of one font size differ in height.
    """
    sizes = sorted(line.size for page in pages for line in page.lines for _ in line.text)
    if not sizes:
        return list(pages)
    usual = round(median(sizes), 1)

    def equalise_line(line: PdfLine) -> PdfLine:
        near = usual / SAME_TYPE < line.size < usual * SAME_TYPE
        return replace(line, type=replace(line.type, size=usual if near else round(line.size)))

    return [replace(page, lines=tuple(map(equalise_line, page.lines))) for page in pages]
