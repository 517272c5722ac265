"""The surroundings of a page's text: unread parts, layout tables, menus."""

from __future__ import annotations

from typing import Any

from lxml import etree  # type: ignore[import-untyped]

MENU = 3  # links
# A cell with one of these is part of a layout and contains no data.
_LAYING_OUT = "//table[.//*[self::h1 or self::h2 or self::h3 or self::table or self::p[following-sibling::p]][ancestor::td]]"
_UNREAD = (
    "script",
    "style",
    "noscript",
    "template",
    "head",
    "nav",
    "footer",
    "svg",
    "math",
    "iframe",
    "select",
    "button",
)


def clear_surroundings(tree: Any) -> None:
    """Remove the surroundings of the text, and dissolve layout tables."""
    etree.strip_elements(tree, *_UNREAD, with_tail=False)
    for table in tree.xpath(_LAYING_OUT):
        for part in [
            part for part in table.iter("tr", "td", "th") if next(part.iterancestors("table")) is table
        ]:
            part.tag = "div"
        table.tag = "div"


def find_menus(tree: Any) -> list[Any]:
    """Return parts that consist of several links only, or nothing if the whole page does.

    In a small page they would be passages under its title.
    """
    letters: dict[Any, tuple[int, int, int]] = {}  # in all, in links, links
    elements = list(tree.iter(etree.Element))
    for element in reversed(elements):  # children before their parents
        below = [letters[child] for child in element if child in letters]
        loose = "".join((element.text or "", *(child.tail or "" for child in element)))
        own_letters = sum(map(str.isalnum, loose))
        whole, linked, links = (sum(column) for column in zip((own_letters, 0, 0), *below, strict=True))
        letters[element] = (whole, whole, 1) if element.tag == "a" else (whole, linked, links)
    whole, linked, _ = letters[elements[0]]
    menus = [
        element
        for element in elements
        if letters[element][2] >= MENU and letters[element][0] == letters[element][1]
    ]
    return menus if linked < whole else []
