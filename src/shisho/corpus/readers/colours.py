"""Colours of HTML and CSS as numbers, for comparing letters with their background.

Names, hexadecimal numbers, rgb, hsl and hwb are supported. Others (lab, variables) are unknown.
"""

from __future__ import annotations

import colorsys
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

# Letters of this opacity, or with no larger difference from their ground in any channel, are unreadable: on
# white, #f2f2f2.
FAINT = 0.05
_NAMES = """
aliceblue:f0f8ff antiquewhite:faebd7 aqua:00ffff aquamarine:7fffd4 azure:f0ffff beige:f5f5dc bisque:ffe4c4
black:000000 blanchedalmond:ffebcd blue:0000ff blueviolet:8a2be2 brown:a52a2a burlywood:deb887
cadetblue:5f9ea0 chartreuse:7fff00 chocolate:d2691e coral:ff7f50 cornflowerblue:6495ed cornsilk:fff8dc
crimson:dc143c cyan:00ffff darkblue:00008b darkcyan:008b8b darkgoldenrod:b8860b darkgray:a9a9a9
darkgreen:006400 darkgrey:a9a9a9 darkkhaki:bdb76b darkmagenta:8b008b darkolivegreen:556b2f darkorange:ff8c00
darkorchid:9932cc darkred:8b0000 darksalmon:e9967a darkseagreen:8fbc8f darkslateblue:483d8b
darkslategray:2f4f4f darkslategrey:2f4f4f darkturquoise:00ced1 darkviolet:9400d3 deeppink:ff1493
deepskyblue:00bfff dimgray:696969 dimgrey:696969 dodgerblue:1e90ff firebrick:b22222 floralwhite:fffaf0
forestgreen:228b22 fuchsia:ff00ff gainsboro:dcdcdc ghostwhite:f8f8ff gold:ffd700 goldenrod:daa520
gray:808080 green:008000 greenyellow:adff2f grey:808080 honeydew:f0fff0 hotpink:ff69b4 indianred:cd5c5c
indigo:4b0082 ivory:fffff0 khaki:f0e68c lavender:e6e6fa lavenderblush:fff0f5 lawngreen:7cfc00
lemonchiffon:fffacd lightblue:add8e6 lightcoral:f08080 lightcyan:e0ffff lightgoldenrodyellow:fafad2
lightgray:d3d3d3 lightgreen:90ee90 lightgrey:d3d3d3 lightpink:ffb6c1 lightsalmon:ffa07a lightseagreen:20b2aa
lightskyblue:87cefa lightslategray:778899 lightslategrey:778899 lightsteelblue:b0c4de lightyellow:ffffe0
lime:00ff00 limegreen:32cd32 linen:faf0e6 magenta:ff00ff maroon:800000 mediumaquamarine:66cdaa
mediumblue:0000cd mediumorchid:ba55d3 mediumpurple:9370db mediumseagreen:3cb371 mediumslateblue:7b68ee
mediumspringgreen:00fa9a mediumturquoise:48d1cc mediumvioletred:c71585 midnightblue:191970 mintcream:f5fffa
mistyrose:ffe4e1 moccasin:ffe4b5 navajowhite:ffdead navy:000080 oldlace:fdf5e6 olive:808000 olivedrab:6b8e23
orange:ffa500 orangered:ff4500 orchid:da70d6 palegoldenrod:eee8aa palegreen:98fb98 paleturquoise:afeeee
palevioletred:db7093 papayawhip:ffefd5 peachpuff:ffdab9 peru:cd853f pink:ffc0cb plum:dda0dd
powderblue:b0e0e6 purple:800080 rebeccapurple:663399 red:ff0000 rosybrown:bc8f8f royalblue:4169e1
saddlebrown:8b4513 salmon:fa8072 sandybrown:f4a460 seagreen:2e8b57 seashell:fff5ee sienna:a0522d
silver:c0c0c0 skyblue:87ceeb slateblue:6a5acd slategray:708090 slategrey:708090 snow:fffafa
springgreen:00ff7f steelblue:4682b4 tan:d2b48c teal:008080 thistle:d8bfd8 tomato:ff6347 turquoise:40e0d0
violet:ee82ee wheat:f5deb3 white:ffffff whitesmoke:f5f5f5 yellow:ffff00 yellowgreen:9acd32 canvas:ffffff
canvastext:000000 transparent:00000000
"""
_NAMED: Mapping[str, str] = dict(pair.split(":") for pair in _NAMES.split())
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
    digits = _NAMED.get(word) or (word[1:] if word.startswith("#") else "")
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


def is_lost_on(letters: Colour, ground: Colour) -> bool:
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
