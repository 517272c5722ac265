"""Pictures as pages: upright, on white, with their size in points."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from PIL import Image, ImageOps

from shisho.errors import DocumentUnreadable, TooLarge

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
