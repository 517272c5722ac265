"""Text of a page that a reader cannot see: no browser shows it, so it is none of the page's, and nobody may
quote it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lxml.etree import XPath  # type: ignore[import-untyped]

# What the browser paints below, when nothing on the page says otherwise.
_PAPER = "#ffffff"
_SEEN_ANYWAY = frozenset(("html", "body"))  # hidden until a script has run: what is in them is the page
_DECLARATION = re.compile(r"([\w-]+)\s*:\s*([^;]+)")
_ZERO = re.compile(r"[+-]?0*\.?0+(?:px|pt|em|rem|%|vh|vw|ex|ch)?")
_FAR = re.compile(r"-\d{4,}(?:\.\d+)?(?:px|pt|em|rem|%|vh|vw)?|-\d{3}(?:\.\d+)?(?:em|rem|%|vh|vw)")
_CLIPPED = re.compile(r"rect\(\s*(?:[01](?:px)?[\s,]+){3}[01](?:px)?\s*\)|inset\(\s*(?:50|100)%.*\)")
_RGB = re.compile(r"rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)(?:[\s,/]+([\d.]+%?))?\s*\)")
_NAMED = {"white": _PAPER, "black": "#000000"}
_EDGES = ("left", "right", "top", "bottom", "margin-left", "margin-top", "text-indent")
_MARKED = XPath("//*[@style or @hidden or self::dialog or self::font[@color]]")
_STYLED = XPath(
    "boolean(//style | //link[contains(concat(' ', normalize-space(@rel), ' '), ' stylesheet ')])"
)


def drop_hidden(tree: Any) -> None:
    """Take out of an lxml tree what its own attributes hide: `hidden`, a closed dialog, and by inline style
    no display, no visibility, no opacity, letters of no size, a place off the screen, or the colour of what
    is behind it.

    What only a style sheet or a script hides stays. Text after a dropped element stays as well."""
    for element in _MARKED(tree):
        if element.tag in _SEEN_ANYWAY or element.getparent() is None:
            continue
        style = style_of(element)
        if _by_attribute(element) or _by_style(style) or _by_colour(element, style):
            element.drop_tree()


def style_of(element: Any) -> Mapping[str, str]:
    """The declarations of its inline style, in small letters, without `!important`."""
    written = (element.get("style") or "").lower().replace("!important", "")
    return {name: value.strip() for name, value in _DECLARATION.findall(written)}


def _by_attribute(element: Any) -> bool:
    if element.get("hidden") is not None:
        return str(element.get("hidden")).lower() != "until-found"
    return element.tag == "dialog" and element.get("open") is None


def _by_style(style: Mapping[str, str]) -> bool:
    if not style:
        return False
    return (
        style.get("display") == "none"
        or style.get("visibility") in ("hidden", "collapse")
        or _is_zero(style.get("opacity"))
        or _is_zero(style.get("font-size"))
        or _is_off_screen(style)
        or _has_no_room(style)
    )


def _is_zero(value: str | None) -> bool:
    return value is not None and _ZERO.fullmatch(value) is not None


def _is_off_screen(style: Mapping[str, str]) -> bool:
    placed = style.get("position") in ("absolute", "fixed")
    if placed and _CLIPPED.fullmatch(style.get("clip", style.get("clip-path", ""))):
        return True
    edges = _EDGES if placed else ("margin-left", "text-indent")
    return any(_FAR.fullmatch(style.get(edge, "")) for edge in edges)


def _has_no_room(style: Mapping[str, str]) -> bool:
    if style.get("overflow") not in ("hidden", "clip"):
        return False
    # A part that is only folded has a greatest height of 0, and opens when it is clicked.
    return any(size == "1px" or _is_zero(size) for size in (style.get("height"), style.get("width")))


def _by_colour(element: Any, style: Mapping[str, str]) -> bool:
    letters = _colour(style.get("color") or (element.get("color") if element.tag == "font" else None))
    return letters == "none" or (letters != "" and letters == _behind(element))


def _behind(element: Any) -> str:
    """The background that its own or an outer element declares; paper where no style sheet could say
    otherwise."""
    for place in (element, *element.iterancestors()):
        style = style_of(place)
        declared = style.get("background-color") or style.get("background") or place.get("bgcolor")
        if declared:
            return _colour(declared)
    return "" if _STYLED(element.getroottree()) else _PAPER


def _colour(value: str | None) -> str:
    """As #rrggbb; "none" where it is fully transparent, "" where it cannot be told."""
    word = (value or "").strip().lower()
    if word == "transparent":
        return "none"
    if re.fullmatch("#[0-9a-f]{3}", word):
        return "#" + "".join(2 * digit for digit in word[1:])
    if re.fullmatch("#[0-9a-f]{6}", word):
        return word
    parts = _RGB.fullmatch(word)
    if parts is None:
        return _NAMED.get(word, "")
    if parts[4] is not None and float(parts[4].rstrip("%")) == 0:
        return "none"
    return "#" + "".join(f"{min(255, int(part)):02x}" for part in parts.groups()[:3])
