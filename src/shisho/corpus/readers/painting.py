"""Backgrounds that an inline style paints behind the letters of its element."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from shisho.corpus.readers.colours import Colour, is_faint, is_lost_on, parse_colour
from shisho.corpus.readers.inlinestyle import Style

# A word, or a function with at most one nested function.
_WORD = re.compile(r"[\w-]++\((?:[^()]|\([^()]*+\))*+\)|[^\s,/()]++")
_PICTURE = re.compile(r"(?:-webkit-)?(?:url|src|element|paint|image|image-set|cross-fade)\(")
_GRADIENT = re.compile(r"[\w-]*gradient\(")
_COVERING = frozenset(("cover", "contain", "100%"))


class Paint(NamedTuple):
    """A background: its colour, None if unknown. `is_pictured`: a picture is on it."""

    colour: Colour | None
    is_pictured: bool = False


UNTOLD = Paint(None)


def find_paint(style: Style) -> Paint | None:
    """Return the background that a style paints; None if none.

    A picture that does not fill its element is decoration on the declared colour.
    """
    colours: list[str] = []
    pictures: list[str] = []
    covers = not _COVERING.isdisjoint(split_words(style.get("background-size", "")))
    for name in style:
        if name not in ("background", "background-color", "background-image"):
            continue
        words = split_words(style[name])
        images = [word for word in words if _PICTURE.match(word) or _GRADIENT.match(word)]
        if name != "background-image":
            colours = [word for word in words if word not in images]
        if name != "background-color":
            pictures = images
            covers = covers or not _COVERING.isdisjoint(words)
    return _find_paint_below(pictures, _parse_plain_colour(colours), covers=covers)


def split_words(value: str) -> list[str]:
    return _WORD.findall(value)


def _parse_plain_colour(words: Sequence[str]) -> Paint | None:
    colours = [colour for word in words if (colour := parse_colour(word)) is not None]
    if colours:
        return None if is_faint(colours[-1]) else Paint(colours[-1])
    return UNTOLD if any("(" in word for word in words) else None  # such as var(--ground)


def _find_paint_below(pictures: Sequence[str], ground: Paint | None, *, covers: bool) -> Paint | None:
    is_pictured = False
    for picture in pictures:  # the first is on top
        if _GRADIENT.match(picture):
            even = _find_even_colour(picture)
            if even is None or not is_faint(even):
                return Paint(even, is_pictured)
        elif covers:
            return UNTOLD
        else:
            is_pictured = True
    if not is_pictured:
        return ground
    return UNTOLD if ground is None else Paint(ground.colour, is_pictured=True)


def _find_even_colour(gradient: str) -> Colour | None:
    """Return the colour of a gradient that begins and ends alike; None for others."""
    words = split_words(gradient[gradient.index("(") + 1 : -1])
    stops = [colour for word in words if (colour := parse_colour(word)) is not None]
    if not stops or any("(" in word and parse_colour(word) is None for word in words):
        return None
    first = stops[0]
    if all(map(is_faint, stops)):
        return first
    alike = all(is_lost_on(stop, first) and stop.strength == first.strength for stop in stops)
    return first if alike and first.strength == 1 else None
