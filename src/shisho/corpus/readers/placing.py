"""Positions set by an inline style.

Off the screen, in a shape without room, or shrunk to zero.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shisho.corpus.readers.css import Style, find_sides, measure, parse_style, spread_sides

# Pixels. Nobody scrolls to the left of a page or above it. A page may extend to the right and below, but not
# this far.
FAR = 900.0
RIGHT = 5_000.0
BELOW = 9_000.0
# An element this near to its neighbour is one of a row: slides, or lines placed by a program.
NEIGHBOUR = 3_000.0
SMALLEST = 0.05  # of its size: too small to read
NO_ROOM = 1.0
_PLACED = ("absolute", "fixed", "relative")
_ON_THE_SCREEN: Mapping[str, tuple[float, float]] = dict.fromkeys(
    ("left", "right", "top", "bottom"), (FAR, RIGHT)
)
_ON_THE_PAGE: Mapping[str, tuple[float, float]] = {
    "left": (FAR, RIGHT),
    "right": (FAR, RIGHT),
    "top": (FAR, BELOW),
    "bottom": (RIGHT, BELOW),
}
# A column that is floated to its place has a margin of -100 %.
_OF_A_MARGIN = 1.8
# Slides are moved by a hundred per cent each.
_OF_A_SHIFT = 0.9
_WHOLE = 1_000.0  # 100 %
_MOVING = frozenset(
    (
        *("position", "text-indent", "translate", "scale"),
        *("transform", "-webkit-transform", "-ms-transform"),
        *("clip-path", "-webkit-clip-path"),
        *("margin", "margin-left", "margin-top", "margin-inline-start", "margin-block-start"),
        *("padding", "padding-left", "padding-inline-start"),
    )
)
_FUNCTION = re.compile(r"(?<![\w-])([\w-]++)\(([^()]*+)\)")
_SEPARATORS = re.compile(r"[\s,]+")
_ON_EDGE = re.compile(r"rotate[xy]\(\s*-?(?:90|270)deg\s*\)")


def is_out_of_sight(element: Any, style: Style) -> bool:
    """Return whether the style moves its element off the screen, or shrinks it to nothing."""
    if _MOVING.isdisjoint(style):
        return False
    if is_clipped(style) or _is_shrunk(style):
        return True
    fixed = style.get("position") == "fixed"
    limits = _ON_THE_SCREEN if fixed else _ON_THE_PAGE
    return any(
        (pixels <= -limits[side][0] or pixels >= limits[side][1])
        and not _has_moved_neighbour(element, side, pixels)
        and not (pixels < 0 and _is_track(element, style, pixels))
        for side, pixels in _read_shifts(style)
    )


def is_clipped(style: Style) -> bool:
    """Return whether the visible rest of the element has no room for a letter."""
    shapes = style.get("clip-path") or style.get("-webkit-clip-path") or ""
    if style.get("position") in ("absolute", "fixed"):
        shapes += style.get("clip", "")
    return any(_is_empty(name, inside) for name, inside in _FUNCTION.findall(shapes))


def _is_empty(name: str, inside: str) -> bool:
    if name == "polygon":
        corners = {" ".join(corner.split()) for corner in inside.split(",")}
        return len(corners - {"nonzero", "evenodd"}) < 3
    words = [word for word in _SEPARATORS.split(inside.partition("round")[0]) if word]
    lengths = [measure(word) for word in words]
    if name == "inset" and words:
        taken = {side: measure(word) or 0.0 for side, word in spread_sides(words).items()}
        return max(taken["top"] + taken["bottom"], taken["left"] + taken["right"]) >= _WHOLE
    if name == "rect" and len(lengths) == 4:
        return _is_narrow(lengths[0], lengths[2]) or _is_narrow(lengths[3], lengths[1])
    sizes = {"circle": lengths[:1], "ellipse": lengths[:2], "xywh": lengths[2:4]}.get(name, ())
    return any(size is not None and size <= NO_ROOM for size in sizes)


def _is_narrow(begin: float | None, end: float | None) -> bool:
    return begin is not None and end is not None and end - begin <= NO_ROOM


def _read_shifts(style: Style) -> Iterator[tuple[str, float]]:
    """Yield the sides from which the element is moved, and by how many pixels."""
    if style.get("position") in _PLACED:
        yield from _measure_sides(find_sides(style, "inset"), 10.0).items()
    margins = _measure_sides(find_sides(style, "margin"), _OF_A_MARGIN)
    padding = _measure_sides(find_sides(style, "padding"), _OF_A_MARGIN)
    indent = measure(style.get("text-indent", ""), _OF_A_MARGIN) or 0.0
    # A coloured band over the whole screen has a margin of -9999px, and as much padding.
    yield "left", margins.get("left", 0.0) + padding.get("left", 0.0) + indent
    yield "top", margins.get("top", 0.0) + padding.get("top", 0.0)
    right, down = _sum_translations(style)
    yield "left", right
    yield "top", down


def _measure_sides(sides: Mapping[str, str], percent: float) -> dict[str, float]:
    lengths = {side: measure(value, percent) for side, value in sides.items()}
    return {side: length for side, length in lengths.items() if length is not None}


def _sum_translations(style: Style) -> tuple[float, float]:
    """Return the pixels by which `transform` and `translate` move an element right and down."""
    right = down = 0.0
    for name, arguments in _read_transforms(style):
        lengths = [measure(argument, _OF_A_SHIFT) or 0.0 for argument in arguments]
        if name in ("translate", "translate3d", "translatex"):
            right += lengths[0]
            down += lengths[1] if len(lengths) > 1 else 0.0
        elif name == "translatey":
            down += lengths[0]
        elif name == "matrix" and len(lengths) == 6:
            right += lengths[4]
            down += lengths[5]
        elif name == "matrix3d" and len(lengths) == 16:
            right += lengths[12]
            down += lengths[13]
    return right, down


def _read_transforms(style: Style) -> Iterator[tuple[str, Sequence[str]]]:
    written = style.get("transform") or style.get("-webkit-transform") or style.get("-ms-transform") or ""
    for name, inside in _FUNCTION.findall(written):
        if arguments := [word for word in _SEPARATORS.split(inside) if word]:
            yield name, arguments
    for name in ("translate", "scale"):
        if arguments := style.get(name, "").split():
            yield name, arguments


def _is_shrunk(style: Style) -> bool:
    across = along = 1.0
    for name, arguments in _read_transforms(style):
        factors = [_parse_factor(argument) for argument in arguments]
        if name in ("scale", "scale3d"):
            across *= factors[0]
            along *= factors[1] if len(factors) > 1 else factors[0]
        elif name == "scalex":
            across *= factors[0]
        elif name == "scaley":
            along *= factors[0]
        elif name == "matrix" and len(factors) == 6:
            across *= math.hypot(factors[0], factors[1])
            along *= math.hypot(factors[2], factors[3])
        elif name == "matrix3d" and len(factors) == 16:
            across *= math.hypot(*factors[:3])
            along *= math.hypot(*factors[4:7])
    return min(abs(across), abs(along)) <= SMALLEST or bool(_ON_EDGE.search(style.get("transform", "")))


def _parse_factor(word: str) -> float:
    number = measure(word, percent=0.01)
    return 1.0 if number is None else number


def _has_moved_neighbour(element: Any, side: str, pixels: float) -> bool:
    """Return whether a neighbour is moved in the same way, and nearly as far."""
    for neighbour in (element.getprevious(), element.getnext()):
        if neighbour is None or not isinstance(neighbour.tag, str):
            continue
        for its_side, its_pixels in _read_shifts(parse_style(neighbour.get("style") or "")):
            gap = abs(its_pixels - pixels)
            if its_side == side and 0 < gap <= min(NEIGHBOUR, abs(pixels) / 2):
                return True
    return False


def _is_track(element: Any, style: Style, pixels: float) -> bool:
    """Return whether an element is a long row of slides that moves under its window.

    It is wider than its shift, or each slide has a width.
    """
    width = style.get("width", "")
    length = measure(width) or 0.0
    if length > _WHOLE if width.endswith("%") else length >= -pixels:
        return True
    slides = [child for child in element if isinstance(child.tag, str)]
    return len(slides) > 1 and all("width" in parse_style(slide.get("style") or "") for slide in slides)
