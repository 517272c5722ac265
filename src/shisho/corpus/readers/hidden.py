"""Hidden text of a page. No browser shows it, so it must not be quoted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from lxml import etree  # type: ignore[import-untyped]

from shisho.corpus.readers.appearance import ALWAYS_VISIBLE, Appearance
from shisho.corpus.readers.css import FAINT, Style, measure
from shisho.corpus.readers.placing import NO_ROOM, is_out_of_sight

_GONE = "GONE"  # not a tag of a page: its parser only knows lower case
# Their text is for browsers without support; that of a data list is for a field.
_FALLBACKS = frozenset(("audio", "canvas", "datalist", "meter", "noembed", "progress", "video"))
_MARKED = etree.XPath("//*[@style or @hidden or @bgcolor or self::dialog or self::font[@color]]")
_STRUCK_TAGS = frozenset(("del", "s", "strike"))
_STRUCK = etree.XPath("//del | //s | //strike | //*[contains(@style, 'line-through')]")
_LONGEST_STRUCK = 1_000  # characters; a longer one was left open by mistake
_TEXT = etree.XPath("string()")
_SHARE = re.compile(r"([+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:e[+-]?\d++)?)(%?)")
_FILTERED = re.compile(r"opacity\(\s*+([^\s()]++)\s*+\)")


def drop_hidden(tree: Any) -> None:
    """Remove elements from an lxml tree that no browser shows.

    Fallback text for unsupported elements; `hidden` elements and closed dialogs; and by inline style,
    elements without display, visibility or opacity, with letters of zero size, positioned off the screen,
    without room, or in the colour of their background.

    Text hidden only by a style sheet or a script is kept, and so is text with new values inside: letters of
    13 pixels in a cell of 0. Text after a removed element is kept as well.
    """
    page = Appearance(tree)
    gone = list(tree.iter(*_FALLBACKS))
    cleared: set[Any] = set()
    for element in _MARKED(tree):
        if element.tag in ALWAYS_VISIBLE:
            continue
        style = page.compute_style(element)
        if _is_by_attribute(element, style) or _is_by_style(element, style):
            gone.append(element)
        elif element not in cleared and page.has_own_style(element) and page.find_look(element).is_unseen:
            gone += _clear(element, page, cleared)
    drop_elements(tree, gone)


def drop_struck(tree: Any) -> None:
    """Remove struck-through text.

    It is deleted text, and its replacement would be glued to it (八百円千円).
    """
    struck = (
        element
        for element in _STRUCK(tree)
        if element.tag in _STRUCK_TAGS or "line-through" in _read_decoration(element.get("style"))
    )
    drop_elements(tree, [element for element in struck if len(_TEXT(element)) <= _LONGEST_STRUCK])


def _read_decoration(style: str) -> str:
    rules = (rule.partition(":") for rule in style.lower().split(";"))
    return " ".join(value for name, _, value in rules if name.strip().startswith("text-decoration"))


def drop_elements(tree: Any, elements: Iterable[Any]) -> None:
    """Remove elements from their tree, but keep the text after each.

    lxml's own `drop_tree` copies that text each time, which is quadratic.
    """
    for element in elements:
        element.tag = _GONE
    etree.strip_elements(tree, _GONE, with_tail=False)


def _is_by_attribute(element: Any, style: Style) -> bool:
    if style.get("display", "none") != "none":
        return False
    if element.get("hidden") is not None:
        return str(element.get("hidden")).lower() != "until-found"
    return element.tag == "dialog" and element.get("open") is None


def _is_by_style(element: Any, style: Style) -> bool:
    """Return whether an element is hidden by styles that nothing inside can override."""
    return bool(style) and (
        style.get("display") == "none"
        or style.get("content-visibility") == "hidden"
        or _is_transparent(style)
        or _has_no_room(style)
        or is_out_of_sight(element, style)
    )


def _is_transparent(style: Style) -> bool:
    filters = style.get("filter") or style.get("-webkit-filter") or ""
    strengths = [style.get("opacity", ""), *_FILTERED.findall(filters)]
    shares = [_SHARE.fullmatch(strength) for strength in strengths]
    return any(float(share[1]) <= (100 if share[2] else 1) * FAINT for share in shares if share is not None)


def _has_no_room(style: Style) -> bool:
    overflow = " ".join(style.get(name, "") for name in ("overflow", "overflow-x", "overflow-y")).split()
    if not {"hidden", "clip"}.intersection(overflow):
        return False
    # A collapsed part has a maximum height of 0, and opens when it is clicked.
    sizes = [measure(style.get(name, "")) for name in ("height", "width")]
    return any(size is not None and size <= NO_ROOM for size in sizes)


def _clear(top: Any, page: Appearance, cleared: set[Any]) -> list[Any]:
    """Remove the invisible text from an element that may contain visible text.

    Returns the elements that contain nothing else.
    """
    within = [element for element in top.iter() if isinstance(element.tag, str)]
    cleared.update(within)
    unseen = {element for element in within if page.find_look(element).is_unseen}
    kept: set[Any] = set()
    for element in within:
        if element in unseen:
            continue
        kept.add(element)
        above = element
        while above is not top and (above := above.getparent()) not in kept:
            kept.add(above)
    if not kept:
        return [top]
    for element in unseen:
        element.text = None
        for child in element:
            child.tail = None
    return [element for element in within if element not in kept and element.getparent() in kept]
