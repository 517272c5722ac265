"""The look of an element's letters: colour, size and background.

Only attributes and inline styles are evaluated.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from shisho.corpus.readers.css import (
    BLACK,
    UNKNOWN_PAINT,
    WHITE,
    Colour,
    Paint,
    Style,
    blend,
    find_paint,
    is_faint,
    is_invisible_on,
    measure,
    parse_attribute,
    parse_colour,
    parse_style,
    split_words,
)

ALWAYS_VISIBLE = frozenset(("html", "body"))  # hidden until a script has run: their content is the page
_OWN_COLOURS = frozenset(("mark", "button", "input", "select", "textarea", "option"))
_CHANGING_TAGS = frozenset((*ALWAYS_VISIBLE, *_OWN_COLOURS, "a", "font"))
_NONE = Colour(0.0, 0.0, 0.0, 0.0)
_BROWSER_COLOUR = "linktext"  # a colour, but pages do not specify it
_ATTRIBUTES = {"font": "color", "body": "text"}
_LETTERS = ("-webkit-text-fill-color", "color")
_INHERITED = frozenset(("inherit", "currentcolor", "unset", "revert"))
# A sheet without any of these leaves the paper white; one that names no colour leaves the letters black.
_PAINTING = re.compile(r"background|color-scheme|@import")
_COLOURING = re.compile(r"color|@import")
_SHADING = ("text-shadow", "-webkit-text-stroke")
_CHANGING = frozenset(
    (
        *_LETTERS,
        *_SHADING,
        "background",
        "background-color",
        "background-image",
        "background-clip",
        "-webkit-background-clip",
        "font",
        "font-size",
        "visibility",
    )
)
_SIZES = frozenset(
    ("xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large", "initial")
)
_TINY = 1.0  # pixels
# In em, rem and per cent: a page for telephones may have letters of 100 pixels at its root.
_TINY_PART = 0.02


class LetterLook(NamedTuple):
    """The look that an element passes on to its children.

    `letters` and `ground`: None if unknown. `is_pictured`: a picture is on the ground. `is_shaded`: a shadow
    or an outline makes the letters visible.
    """

    letters: Colour | None
    ground: Colour | None
    is_pictured: bool = False
    is_shaded: bool = False
    is_tiny: bool = False
    is_invisible: bool = False

    @property
    def is_unseen(self) -> bool:
        if self.is_tiny or self.is_invisible:
            return True
        if self.is_shaded or self.letters is None:
            return False
        return is_faint(self.letters) or (
            self.ground is not None and is_invisible_on(self.letters, self.ground)
        )


class Appearance:
    """The looks of a page's elements, from the outermost inwards; each is computed once."""

    def __init__(self, tree: Any) -> None:
        self._styles: dict[str, Style] = {}
        self._looks: dict[Any, LetterLook] = {}
        sheets = _read_sheets(tree)
        self._has_coloured_letters = sheets is None or _COLOURING.search(sheets) is not None
        has_painted_paper = sheets is None or _PAINTING.search(sheets) is not None
        # The colours that a browser uses if the page specifies none.
        self._bare = LetterLook(
            None if self._has_coloured_letters else BLACK, None if has_painted_paper else WHITE
        )

    def compute_style(self, element: Any) -> Style:
        written = element.get("style") or ""
        style = self._styles.get(written)
        if style is None:
            style = self._styles[written] = parse_style(written)
        return style

    def has_own_style(self, element: Any) -> bool:
        """Return False if an element looks like its parent."""
        return (
            any(map(_CHANGING.__contains__, self.compute_style(element)))
            or element.tag in _CHANGING_TAGS
            or element.get("bgcolor") is not None
            or element.get("background") is not None
        )

    def find_look(self, element: Any) -> LetterLook:
        path = []
        while element is not None and element not in self._looks:
            path.append(element)
            element = element.getparent()
        look = self._bare if element is None else self._looks[element]
        for inner in reversed(path):
            look = self._looks[inner] = self._find_inside(look, inner)
        return look

    def _find_inside(self, outer: LetterLook, element: Any) -> LetterLook:
        if not self.has_own_style(element):
            return outer
        style = self.compute_style(element)
        look = _apply_size(_apply_shadow(self._apply_colour(outer, element, style), style), style)
        if element.tag not in ALWAYS_VISIBLE:
            return look
        look = look._replace(is_tiny=False, is_invisible=False)
        return look._replace(letters=None) if look.is_unseen else look

    def _apply_colour(self, outer: LetterLook, element: Any, style: Style) -> LetterLook:
        written = _read_colour(element, style)
        paint = _read_paint(element, style)
        look = outer if paint is None else _apply_paint(outer, paint)
        if style.get("background-clip", style.get("-webkit-background-clip")) == "text":
            return outer._replace(letters=None)
        if _has_background_colour(written, style):
            return look._replace(letters=_NONE, ground=None)
        if written:
            letters = outer.letters if written in _INHERITED else parse_colour(written)
            # The picture belongs to an outer element: letters with their own colour on it may be visible.
            on_picture = outer.is_pictured and paint is None
            return look._replace(letters=letters, ground=None if on_picture else look.ground)
        if look.ground != outer.ground and self._has_coloured_letters:
            return look._replace(letters=None)  # the sheet may have a colour for this ground
        return look


def _read_sheets(tree: Any) -> str | None:
    """Return the style sheets in a page; None if it links to others."""
    for link in tree.iter("link"):
        if "stylesheet" in (link.get("rel") or "").lower().split() or link.get("as") == "style":
            return None
    return "\n".join(sheet.text or "" for sheet in tree.iter("style")).lower()


def _read_colour(element: Any, style: Style) -> str:
    """Return the colour that an element specifies for its letters, or ""."""
    for name in _LETTERS:
        if word := style.get(name):
            return "canvastext" if word == "initial" else word
    attribute = _ATTRIBUTES.get(element.tag)
    if attribute and (value := element.get(attribute, "").strip().lower()):
        return value if parse_colour(value) else f"#{value}"
    has_own = element.tag in _OWN_COLOURS or (element.tag == "a" and element.get("href") is not None)
    return _BROWSER_COLOUR if has_own else ""


def _has_background_colour(colour: str, style: Style) -> bool:
    """Return whether letters and background have the same colour word, whatever colour it means."""
    words = split_words(style.get("background-color") or style.get("background") or "")
    return "currentcolor" in words or (parse_colour(colour) is None and colour in words)


def _read_paint(element: Any, style: Style) -> Paint | None:
    paint = find_paint(style)
    if paint is not None:
        return paint
    if element.get("background"):
        return UNKNOWN_PAINT
    value = (element.get("bgcolor") or "").strip().lower()
    return Paint(parse_attribute(value)) if value else None


def _apply_paint(outer: LetterLook, paint: Paint) -> LetterLook:
    ground = paint.colour
    if ground is not None and ground.strength < 1:
        ground = None if outer.ground is None else blend(ground, outer.ground)
    return outer._replace(ground=ground, is_pictured=paint.is_pictured)


def _apply_shadow(look: LetterLook, style: Style) -> LetterLook:
    shades = [style[name] for name in _SHADING if name in style]
    if not shades:
        return look
    return look._replace(is_shaded=any(_is_shadow_visible(shade, look.ground) for shade in shades))


def _is_shadow_visible(shadow: str, ground: Colour | None) -> bool:
    """Return whether a shadow is visible. Without its own colour it has that of the letters."""
    words = split_words(shadow)
    colours = [colour for word in words if (colour := parse_colour(word)) is not None]
    if not colours:
        return any("(" in word for word in words)
    return any(
        not is_faint(colour) and (ground is None or not is_invisible_on(colour, ground)) for colour in colours
    )


def _apply_size(look: LetterLook, style: Style) -> LetterLook:
    if (visibility := style.get("visibility")) in ("hidden", "collapse", "visible"):
        look = look._replace(is_invisible=visibility != "visible")
    is_tiny = look.is_tiny
    for name in style:
        if name == "font-size":
            is_tiny = _is_tiny(style[name], is_tiny)
        elif name == "font":
            is_tiny = _is_tiny(_find_size(style[name]), is_tiny)
    return look._replace(is_tiny=is_tiny)


def _find_size(font: str) -> str:
    """Return the size in `0/0 a` or `italic 400 12px/1.5 serif`.

    A weight has no unit, and is never 0.
    """
    words = [word.partition("/")[0] for word in font.split()]
    sizes = (word for word in words if word in _SIZES or word == "0" or _is_size(word))
    return next(sizes, font if font in _INHERITED else "medium")


def _is_size(word: str) -> bool:
    return not word[-1:].isdigit() and measure(word) is not None


def _is_tiny(size: str, is_tiny_outside: bool) -> bool:
    """Return whether letters are too small to read. Parts of a zero size are zero too."""
    pixels = measure(size, percent=0.16)
    if pixels is None:
        return is_tiny_outside and size in (*_INHERITED, "larger", "smaller")
    if size.endswith(("em", "ex", "ch", "%")):
        return (is_tiny_outside and not size.endswith("rem")) or pixels <= 16 * _TINY_PART
    return pixels <= _TINY
