"""Text that only marks of letters part, bold or a colour, made one piece where a paragraph has very many of
them.

trafilatura takes such marks off. For each piece of text lxml then goes past all pieces before it, to the
element that they stand in: the square of their number."""

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
    """Take the marks out of paragraphs that have very many of them, and leave their text."""
    for paragraph in _CROWDED(tree):
        etree.strip_tags(paragraph, *_MARKS)
        for element in paragraph.iter():
            element.text = element.text  # read as one, it is written as one
            if element is not paragraph:
                element.tail = element.tail
