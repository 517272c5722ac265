"""What stands around the text of a page: parts that nobody reads, tables that lay it out, menus."""

from __future__ import annotations

from typing import Any

from lxml import etree  # type: ignore[import-untyped]

MENU = 3  # links
# A cell with one of these lays out a page and holds no datum.
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
    """Take out of it what is around the text, and tables that lay out the page."""
    etree.strip_elements(tree, *_UNREAD, with_tail=False)
    for table in tree.xpath(_LAYING_OUT):
        for part in [
            part for part in table.iter("tr", "td", "th") if next(part.iterancestors("table")) is table
        ]:
            part.tag = "div"
        table.tag = "div"


def find_menus(tree: Any) -> list[Any]:
    """Parts that are links and nothing else, and several: in a small page they would be passages under its
    title. None where the whole page is links."""
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
