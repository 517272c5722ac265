"""The inline style of an element: its declarations, and lengths in pixels.

Linear, whatever a page contains.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

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
