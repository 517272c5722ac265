"""Inline styles: declarations, lengths in pixels, colours and backgrounds.

Colours can be names, hexadecimal numbers, rgb, hsl and hwb. Others (lab, variables) are unknown. Every
pattern is linear.
"""

from __future__ import annotations

import colorsys
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

Style = Mapping[str, str]

# A semicolon in parentheses or quotation marks is not a separator: `url(data:image/png;base64,…)`.
_PART = re.compile(r"""(?:[^;"'(]++|\([^()]*+\)|"[^"]*+"|'[^']*+'|["'(])++""")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.S)
_ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))", re.S)
_MAX_LETTERS = 0x10FFFF
_LENGTH = re.compile(r"(?:calc\(\s*+)?([+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:e[+-]?\d++)?)([a-z%]*+)\s*+\)?")
# Letters count as 16 pixels, the screen as 1,000. Numbers without a unit are pixels, as in old pages.
_PIXELS: Mapping[str, float] = {
    **dict.fromkeys(("", "px"), 1.0),
    **dict.fromkeys(("em", "rem", "pc", "ic"), 16.0),
    **dict.fromkeys(("ex", "ch", "cap"), 8.0),
    **dict.fromkeys(("lh", "rlh"), 20.0),
    **dict.fromkeys(("vw", "vh", "vi", "vb", "vmin", "vmax", "svw", "svh", "lvw", "lvh", "dvw", "dvh"), 10.0),
    "pt": 4 / 3,
    "in": 96.0,
    "cm": 37.8,
    "mm": 3.78,
    "q": 0.945,
}
_LOGICAL = {"block-start": "top", "inline-end": "right", "block-end": "bottom", "inline-start": "left"}


def parse_style(written: str) -> Style:
    """Parse a style to lower-case declarations in order of precedence.

    Of two with one name the later wins, unless the earlier is important.
    """
    style: dict[str, str] = {}
    important = set()
    for part in _PART.findall(_COMMENT.sub(" ", written.lower())):
        name, _, value = (_ESCAPE.sub(_unescape, part) if "\\" in part else part).partition(":")
        name = name.strip()
        before, _, word = value.rpartition("!")
        is_important = word.strip() == "important"
        value = (before if is_important else value).strip()
        if not value or (name in important and not is_important):
            continue
        if is_important:
            important.add(name)
        style.pop(name, None)
        style[name] = value
    return style


def _unescape(match: re.Match[str]) -> str:
    if match[1] is None:
        return match[2]
    number = int(match[1], 16)
    return chr(number).lower() if 0 < number <= _MAX_LETTERS else "\ufffd"


def measure(value: str, percent: float = 10.0) -> float | None:
    """Return a length in pixels (`percent` pixels per cent); None if it is not a length."""
    length = _LENGTH.fullmatch(value.strip())
    if length is None:
        return None
    pixels = percent if length[2] == "%" else _PIXELS.get(length[2])
    return None if pixels is None else float(length[1]) * pixels


def find_sides(style: Style, name: str) -> dict[str, str]:
    """Return the values of `margin`, `padding` or `inset` for each side, including longhands."""
    own_names = {f"{name}-{logical}": side for logical, side in _LOGICAL.items()}
    own_names |= {side if name == "inset" else f"{name}-{side}": side for side in _LOGICAL.values()}
    sides: dict[str, str] = {}
    for declared, value in style.items():
        if declared == name:
            sides = spread_sides(value.split())
        elif declared in own_names:
            sides[own_names[declared]] = value
    return sides


def spread_sides(words: Sequence[str]) -> dict[str, str]:
    """Return the sides of one to four words, as in CSS."""
    top = words[0]
    right = words[1] if len(words) > 1 else top
    bottom = words[2] if len(words) > 2 else top
    return {"top": top, "right": right, "bottom": bottom, "left": words[3] if len(words) > 3 else right}


# Letters of this opacity, or with no larger difference from their ground in any channel, are unreadable: on
# white, #f2f2f2.
FAINT = 0.05
_SYSTEM_COLOURS = {"canvas": "ffffff", "canvastext": "000000", "transparent": "00000000"}
_HEXADECIMAL = re.compile("[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8}")
_FUNCTION = re.compile(r"(rgb|hsl|hwb)a?\(([^()]{1,100})\)")
_NUMBER = re.compile(r"([+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:e[+-]?\d++)?)(%|deg|rad|grad|turn)?")
_TURNS = {"deg": 360.0, "grad": 400.0, "turn": 1.0, "rad": 2 * math.pi}


class Colour(NamedTuple):
    """A colour with its channels and opacity, each from 0 to 1."""

    red: float
    green: float
    blue: float
    strength: float = 1.0


WHITE = Colour(1.0, 1.0, 1.0)
BLACK = Colour(0.0, 0.0, 0.0)


def parse_colour(word: str) -> Colour | None:
    """Parse a colour in CSS syntax and lower case; None if it is unknown."""
    from PIL import ImageColor  # here: most pages have no colours

    if word in ImageColor.colormap:
        return Colour(*(channel / 255 for channel in ImageColor.getrgb(word)))
    digits = _SYSTEM_COLOURS.get(word) or (word[1:] if word.startswith("#") else "")
    if _HEXADECIMAL.fullmatch(digits):
        return _parse_digits(digits)
    function = _FUNCTION.fullmatch(word)
    return (
        None if function is None else _parse_function(function[1], re.split(r"[\s,/]+", function[2].strip()))
    )


def parse_attribute(value: str) -> Colour | None:
    """Parse a colour as in `bgcolor` and <font>, where the # may be missing."""
    word = value.strip().lower()
    return parse_colour(word) or parse_colour(f"#{word}")


def blend(colour: Colour, ground: Colour) -> Colour:
    """Return the visible colour over an opaque background."""
    mixed = (
        above * colour.strength + below * (1 - colour.strength)
        for above, below in zip(colour[:3], ground[:3], strict=True)
    )
    return Colour(*mixed)


def is_faint(colour: Colour) -> bool:
    return colour.strength <= FAINT


def is_invisible_on(letters: Colour, ground: Colour) -> bool:
    """Return whether letters are indistinguishable from their background."""
    drawn = blend(letters, ground)
    return all(abs(above - below) <= FAINT for above, below in zip(drawn[:3], ground[:3], strict=True))


def _parse_digits(digits: str) -> Colour:
    if len(digits) <= 4:
        digits = "".join(2 * digit for digit in digits)
    return Colour(*(int(digits[at : at + 2], 16) / 255 for at in range(0, len(digits), 2)))


def _parse_function(name: str, words: Sequence[str]) -> Colour | None:
    if len(words) not in (3, 4):
        return None
    numbers = [_NUMBER.fullmatch("0" if word == "none" else word) for word in words]
    if not all(numbers):
        return None
    parts = [(float(number[1]), number[2] or "") for number in numbers if number is not None]
    strength = _share(parts[3], 1.0) if len(parts) == 4 else 1.0
    red, green, blue = _CHANNELS[name](parts[:3])
    return Colour(red, green, blue, strength)


def _share(part: tuple[float, str], whole: float) -> float:
    number, unit = part
    return min(1.0, max(0.0, number / (100.0 if unit == "%" else whole)))


def _parse_hue(part: tuple[float, str]) -> float:
    number, unit = part
    return (number / _TURNS.get(unit, 360.0)) % 1.0 if math.isfinite(number) else 0.0


def _parse_rgb(parts: Sequence[tuple[float, str]]) -> tuple[float, ...]:
    return tuple(_share(part, 255.0) for part in parts)


def _parse_hsl(parts: Sequence[tuple[float, str]]) -> tuple[float, ...]:
    return colorsys.hls_to_rgb(_parse_hue(parts[0]), _share(parts[2], 100.0), _share(parts[1], 100.0))


def _parse_hwb(parts: Sequence[tuple[float, str]]) -> tuple[float, ...]:
    white = _share(parts[1], 100.0)
    black = _share(parts[2], 100.0)
    if white + black >= 1:
        return (white / (white + black),) * 3
    pure = colorsys.hls_to_rgb(_parse_hue(parts[0]), 0.5, 1.0)
    return tuple(channel * (1 - white - black) + white for channel in pure)


_CHANNELS: Mapping[str, Callable[[Sequence[tuple[float, str]]], tuple[float, ...]]] = {
    "rgb": _parse_rgb,
    "hsl": _parse_hsl,
    "hwb": _parse_hwb,
}


# A word, or a function with at most one nested function.
_WORD = re.compile(r"[\w-]++\((?:[^()]|\([^()]*+\))*+\)|[^\s,/()]++")
_PICTURE = re.compile(r"(?:-webkit-)?(?:url|src|element|paint|image|image-set|cross-fade)\(")
_GRADIENT = re.compile(r"[\w-]*gradient\(")
_COVERING = frozenset(("cover", "contain", "100%"))


class Paint(NamedTuple):
    """A background: its colour, None if unknown. `is_pictured`: a picture is on it."""

    colour: Colour | None
    is_pictured: bool = False


UNKNOWN_PAINT = Paint(None)


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
    return UNKNOWN_PAINT if any("(" in word for word in words) else None  # such as var(--ground)


def _find_paint_below(pictures: Sequence[str], ground: Paint | None, *, covers: bool) -> Paint | None:
    is_pictured = False
    for picture in pictures:  # the first is on top
        if _GRADIENT.match(picture):
            even = _find_even_colour(picture)
            if even is None or not is_faint(even):
                return Paint(even, is_pictured)
        elif covers:
            return UNKNOWN_PAINT
        else:
            is_pictured = True
    if not is_pictured:
        return ground
    return UNKNOWN_PAINT if ground is None else Paint(ground.colour, is_pictured=True)


def _find_even_colour(gradient: str) -> Colour | None:
    """Return the colour of a gradient that begins and ends alike; None for others."""
    words = split_words(gradient[gradient.index("(") + 1 : -1])
    stops = [colour for word in words if (colour := parse_colour(word)) is not None]
    if not stops or any("(" in word and parse_colour(word) is None for word in words):
        return None
    first = stops[0]
    if all(map(is_faint, stops)):
        return first
    alike = all(is_invisible_on(stop, first) and stop.strength == first.strength for stop in stops)
    return first if alike and first.strength == 1 else None
