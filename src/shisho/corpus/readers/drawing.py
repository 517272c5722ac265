"""Pages drawn as pictures, and how large they are. Drawn with the fonts of this machine, which reading never
uses: what reads (`pdffonts`) is not imported in the process that draws."""

from __future__ import annotations

import base64
import binascii
import io
import math
from collections.abc import Sequence
from contextlib import closing, suppress
from typing import Any

import PIL.Image
import pypdfium2
from PIL import ImageSequence

from shisho.corpus.readers.pdffile import open_document
from shisho.corpus.readers.pictures import open_picture, points_of_pixel, turn_upright
from shisho.domain.viewing import PageStrip
from shisho.errors import DocumentUnreadable

MOST_PIXELS = 20_000_000
MOST_SIDE = 16_000  # a WebP picture has no longer one
QUALITY = 88
SHADES = 64  # colours of a strip: print needs no more, and it is a third as large
PNG = b"\x89PNG\r\n\x1a\n"
DARK = 128  # of 256 shades
LEAST_INK = 40  # pixels: a sentence has hundreds, what a drawer leaves in place of missing letters a few
EFFORT = 2  # of 6: the others take up to four times as long and save a tenth
Image = Any


def pdf_sizes(data: bytes) -> list[tuple[float, float]]:
    """Width and height of each shown page in points; of a damaged page zeros. Raises as `open_document`."""
    with closing(open_document(data)) as document:
        return [_size(document, index) for index in range(len(document))]


def picture_sizes(data: bytes) -> list[tuple[float, float]]:
    """The same of each picture in a file. Raises TooLarge, DocumentUnreadable."""
    sizes = []
    with open_picture(data) as picture:
        for frame in ImageSequence.Iterator(picture):
            points = points_of_pixel(frame)
            width, height = turn_upright(frame).size
            sizes.append((width * points, height * points))
    return sizes


def draw_pdf(data: bytes, page: int, width: int) -> bytes:
    """Page `page` (from 1) as a WebP picture. Raises DocumentUnreadable where it is damaged."""
    with closing(open_document(data)) as document:
        # What was filled into a form is drawn too; a damaged form is left out.
        with suppress(pypdfium2.PdfiumError):
            document.init_forms()
        try:
            with closing(document[page - 1]) as sheet:
                scale = _scale(sheet.get_size(), width)
                with closing(sheet.render(scale=scale, rev_byteorder=True)) as bitmap:
                    return _encoded(bitmap.to_pil().convert("RGB"))
        except (pypdfium2.PdfiumError, IndexError) as damage:
            raise DocumentUnreadable("reader.page_damaged", page=page) from damage


def draw_picture(data: bytes, page: int, width: int) -> bytes:
    """The same of a picture, never larger than it is. Raises as `picture_sizes`."""
    with open_picture(data) as picture:
        try:
            picture.seek(page - 1)
        except EOFError as end:
            raise DocumentUnreadable("reader.page_damaged", page=page) from end
        drawn = turn_upright(picture)
        scale = min(1.0, _scale(drawn.size, width))
        if scale < 1:
            drawn = drawn.resize([max(1, round(scale * side)) for side in drawn.size], reducing_gap=2.0)
        return _encoded(drawn)


def has_ink(image: bytes, box: tuple[float, float, float, float]) -> bool:
    """True where something is printed between left, top, right and bottom, shares of a picture that was drawn
    here."""
    with PIL.Image.open(io.BytesIO(image), formats=("WEBP",)) as picture:
        left, top, right, bottom = box
        width, height = picture.size
        edges = (round(left * width), round(top * height), round(right * width), round(bottom * height))
        shades = picture.convert("L").crop(edges).histogram()
    return sum(shades[:DARK]) >= LEAST_INK


def crop_image(data: bytes, top: float, bottom: float) -> bytes:
    """The strip of a WebP picture between `top` and `bottom`, shares of its height, as a PNG picture. Raises
    DocumentUnreadable."""
    try:
        with PIL.Image.open(io.BytesIO(data), formats=("WEBP",)) as picture:
            upper = min(max(0, math.floor(top * picture.height)), picture.height - 1)
            lower = max(upper + 1, min(picture.height, math.ceil(bottom * picture.height)))
            strip = picture.convert("RGB").crop((0, upper, picture.width, lower)).quantize(SHADES)
    except (OSError, ValueError) as failure:
        raise DocumentUnreadable("reader.page_picture_damaged") from failure
    target = io.BytesIO()
    strip.save(target, "PNG", optimize=True)
    return target.getvalue()


def pack_sizes(sizes: Sequence[tuple[float, float]]) -> Any:
    return sizes


def unpack_sizes(packed: Any) -> tuple[tuple[float, float], ...]:
    """Raises ValueError or TypeError for anything else."""
    sizes = tuple((float(width), float(height)) for width, height in packed)
    if not all(0 <= side < math.inf for size in sizes for side in size):
        raise ValueError("a page without bounds")
    return sizes


def pack_image(image: bytes) -> Any:
    return base64.b64encode(image).decode()


def unpack_image(packed: Any) -> bytes:
    """Raises ValueError for anything else."""
    try:
        image = base64.b64decode(packed, validate=True)
    except binascii.Error as nonsense:
        raise ValueError("no picture") from nonsense
    if image[:4] != b"RIFF" or image[8:12] != b"WEBP":
        raise ValueError("no picture")
    return image


def unpack_strip(packed: Any) -> PageStrip:
    """Raises ValueError or TypeError for anything else."""
    try:
        png = base64.b64decode(packed, validate=True)
    except binascii.Error as nonsense:
        raise ValueError("no picture") from nonsense
    if not png.startswith(PNG) or len(png) < 24:
        raise ValueError("no picture")
    return PageStrip(png, int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big"))


def _size(document: Any, index: int) -> tuple[float, float]:
    try:
        width, height = document.get_page_size(index)
    except pypdfium2.PdfiumError:
        return 0.0, 0.0
    return round(width, 2), round(height, 2)


def _scale(size: tuple[float, float], pixels: int) -> float:
    """From points, or pixels of a picture, to pixels: `pixels` wide, or what the limits leave of that."""
    width, height = size
    if not (width > 0 and height > 0):
        raise DocumentUnreadable("reader.page_without_size")
    return min(pixels / width, MOST_SIDE / max(width, height), math.sqrt(MOST_PIXELS / (width * height)))


def _encoded(picture: Image) -> bytes:
    target = io.BytesIO()
    picture.save(target, "WEBP", quality=QUALITY, method=EFFORT)
    return target.getvalue()
