"""Rendering of pages as pictures, and their sizes.

Uses the fonts of this machine, which reading never does: `pdffonts.install_substitutes` isn't called in the
rendering process.
"""

from __future__ import annotations

import base64
import binascii
import io
import math
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from typing import Any

import pypdfium2
from PIL import Image, ImageOps, ImageSequence

from shisho.corpus.readers.pdffonts import open_document
from shisho.domain.viewing import PageStrip
from shisho.errors import DocumentUnreadable, TooLarge

MAX_PIXELS = 20_000_000
MAX_SIDE = 16_000  # the limit of a WebP picture
QUALITY = 88
SHADES = 64  # colours of a strip: print needs no more, and it is a third as large
PNG = b"\x89PNG\r\n\x1a\n"
DARK = 128  # of 256 shades
MIN_INK = 40  # pixels: a sentence has hundreds, a renderer's replacement for missing letters a few
EFFORT = 2  # of 6: the others take up to four times as long and save a tenth


def measure_pdf(data: bytes) -> list[tuple[float, float]]:
    """Return width and height of each displayed page in points; zeros for a damaged page.

    Raises as `open_document` does.
    """
    with closing(open_document(data)) as document:
        return [_measure_page(document, index) for index in range(len(document))]


def measure_pictures(data: bytes) -> list[tuple[float, float]]:
    """Return the same for each picture in a file.

    Raises:
        TooLarge, DocumentUnreadable: See `open_picture`.
    """
    sizes = []
    with open_picture(data) as picture:
        for frame in ImageSequence.Iterator(picture):
            points = measure_pixel(frame)
            width, height = turn_upright(frame).size
            sizes.append((width * points, height * points))
    return sizes


def draw_pdf(data: bytes, page: int, width: int) -> bytes:
    """Return page `page` (from 1) as a WebP picture.

    Raises:
        DocumentUnreadable: The page is damaged.
    """
    with closing(open_document(data)) as document:
        # Filled-in form fields are rendered too; a damaged form is left out.
        with suppress(pypdfium2.PdfiumError):
            document.init_forms()
        try:
            with closing(document[page - 1]) as sheet:
                scale = _scale(sheet.get_size(), width)
                with closing(sheet.render(scale=scale, rev_byteorder=True)) as bitmap:
                    return _encode_picture(bitmap.to_pil().convert("RGB"))
        except (pypdfium2.PdfiumError, IndexError) as damage:
            raise DocumentUnreadable("reader.page_damaged", page=page) from damage


def draw_picture(data: bytes, page: int, width: int) -> bytes:
    """Return a picture as WebP, never enlarged. Raises as `measure_pictures` does."""
    with open_picture(data) as picture:
        try:
            picture.seek(page - 1)
        except EOFError as end:
            raise DocumentUnreadable("reader.page_damaged", page=page) from end
        drawn = turn_upright(picture)
        scale = min(1.0, _scale(drawn.size, width))
        if scale < 1:
            drawn = drawn.resize([max(1, round(scale * side)) for side in drawn.size], reducing_gap=2.0)
        return _encode_picture(drawn)


def has_ink(image: bytes, box: tuple[float, float, float, float]) -> bool:
    """Return whether something is printed in a box of a rendered page.

    The box is left, top, right and bottom as fractions of the picture.
    """
    with Image.open(io.BytesIO(image), formats=("WEBP",)) as picture:
        left, top, right, bottom = box
        width, height = picture.size
        edges = (round(left * width), round(top * height), round(right * width), round(bottom * height))
        shades = picture.convert("L").crop(edges).histogram()
    return sum(shades[:DARK]) >= MIN_INK


def crop_image(data: bytes, top: float, bottom: float) -> bytes:
    """Return the strip of a WebP picture between two fractions of its height, as a PNG picture.

    Raises:
        DocumentUnreadable: The picture is damaged.
    """
    try:
        with Image.open(io.BytesIO(data), formats=("WEBP",)) as picture:
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
    """Return the sizes. Raises ValueError or TypeError for invalid data."""
    sizes = tuple((float(width), float(height)) for width, height in packed)
    if not all(0 <= side < math.inf for size in sizes for side in size):
        raise ValueError("a page without bounds")
    return sizes


def pack_image(image: bytes) -> Any:
    return base64.b64encode(image).decode()


def unpack_image(packed: Any) -> bytes:
    """Return the picture. Raises ValueError for invalid data."""
    try:
        image = base64.b64decode(packed, validate=True)
    except binascii.Error as nonsense:
        raise ValueError("no picture") from nonsense
    if image[:4] != b"RIFF" or image[8:12] != b"WEBP":
        raise ValueError("no picture")
    return image


def unpack_strip(packed: Any) -> PageStrip:
    """Return the strip. Raises ValueError or TypeError for invalid data."""
    try:
        png = base64.b64decode(packed, validate=True)
    except binascii.Error as nonsense:
        raise ValueError("no picture") from nonsense
    if not png.startswith(PNG) or len(png) < 24:
        raise ValueError("no picture")
    return PageStrip(png, int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big"))


def _measure_page(document: Any, index: int) -> tuple[float, float]:
    try:
        width, height = document.get_page_size(index)
    except pypdfium2.PdfiumError:
        return 0.0, 0.0
    return round(width, 2), round(height, 2)


def _scale(size: tuple[float, float], pixels: int) -> float:
    """Return the scale to `pixels` in width, or to the largest size within the limits.

    `size` is in points, or in pixels of a picture.
    """
    width, height = size
    if not (width > 0 and height > 0):
        raise DocumentUnreadable("reader.page_without_size")
    return min(pixels / width, MAX_SIDE / max(width, height), math.sqrt(MAX_PIXELS / (width * height)))


def _encode_picture(picture: Image.Image) -> bytes:
    target = io.BytesIO()
    picture.save(target, "WEBP", quality=QUALITY, method=EFFORT)
    return target.getvalue()


DPI = 200  # of a picture without its own resolution
POINTS = 72
MAX_PICTURE = 100_000_000  # pixels
MAX_PICTURES = 1_000  # in one TIFF


@contextmanager
def open_picture(data: bytes) -> Iterator[Any]:
    """Open a PNG, JPEG or TIFF.

    Raises:
        TooLarge, DocumentUnreadable: Also for errors that occur while the picture is used.
    """
    Image.MAX_IMAGE_PIXELS = MAX_PICTURE // 2  # PIL refuses pictures of twice this size
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "TIFF")) as picture:
            count = getattr(picture, "n_frames", 1)
            if count > MAX_PICTURES or picture.width * picture.height > MAX_PICTURE:
                raise TooLarge("reader.picture.too_large")
            yield picture
    except Image.DecompressionBombError as bomb:
        raise TooLarge("reader.picture.too_large") from bomb
    except (OSError, SyntaxError, ValueError) as failure:
        raise DocumentUnreadable("reader.picture.damaged") from failure


def turn_upright(frame: Any) -> Any:
    """Return a picture in the camera's orientation, in colour, on white."""
    picture = ImageOps.exif_transpose(frame).convert("RGBA")
    ground = Image.new("RGBA", picture.size, "white")
    return Image.alpha_composite(ground, picture).convert("RGB")


def measure_pixel(frame: Any) -> float:
    """Return the number of points in a pixel of the picture."""
    dpi = float((frame.info.get("dpi") or (DPI, DPI))[0])
    return POINTS / (dpi if 50 <= dpi <= 2400 else DPI)
