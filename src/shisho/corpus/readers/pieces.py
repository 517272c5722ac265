"""Joining of text pieces in paragraphs with very many inline marks.

Such marks are bold or a colour. trafilatura strips them. For each piece of text lxml then walks all preceding
pieces up to their parent, which is quadratic.
"""

from __future__ import annotations

from typing import Any

from lxml import etree  # type: ignore[import-untyped]

MANY = 1_000  # pieces in a paragraph: the square of that costs next to nothing
_MARKS = (
    *(
        "a",
        "abbr",
        "acronym",
        "b",
        "bdi",
        "bdo",
        "big",
        "cite",
        "data",
        "dfn",
        "em",
        "font",
        "i",
        "img",
        "ins",
    ),
    *("kbd", "label", "mark", "s", "samp", "small", "span", "strong", "time", "tt", "u", "var", "wbr"),
)
_CROWDED = etree.XPath(f"//p[count(.//text()) > {MANY}]")


def join_pieces(tree: Any) -> None:
    """Strip inline marks from paragraphs that have very many of them, and keep the text."""
    for paragraph in _CROWDED(tree):
        etree.strip_tags(paragraph, *_MARKS)
        for element in paragraph.iter():
            element.text = element.text  # reading joins the text, and writing stores it as one piece
            if element is not paragraph:
                element.tail = element.tail
