"""A linear scan of HTML before parsing: 100k nested tags occupy a C parser for ten seconds."""

from __future__ import annotations

import re
from collections import defaultdict

from shisho.errors import TooLarge

MAX_BYTES = 5 * 1024 * 1024
MAX_DEPTH = 2_000
MAX_ATTRIBUTES = 500

# Possessive throughout: every character is visited a bounded number of times, whatever the page contains.
_ATTRIBUTE = re.compile(r"""[^\s/>=][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>]*+))?+""")
_TAG = re.compile(
    r"<!--(?:-?>|.*?--!?>|.*)"
    r"|<(script|style|textarea|title|xmp|iframe|noembed|noframes)\b[^>]*+>?(?:.*?</\1|.*)"
    rf"|<(/?)([a-z][^\s/>]*+)((?:[\s/=]++|{_ATTRIBUTE.pattern})*+)",
    re.I | re.S,
)
# Elements without an end tag, and those that parsers close automatically: pages that never close them are not
# deep.
_ENDLESS = (
    "area",
    "base",
    "br",
    "col",
    "embed",
    "hr",
    "img",
    "input",
    "link",
    "meta",
    "param",
    "source",
    "track",
    "wbr",
)
_TABLE = ("colgroup", "thead", "tbody", "tfoot", "tr", "td", "th")
_SELF_CLOSING = (*_TABLE, "p", "li", "dt", "dd", "option", "optgroup", "rp", "rt")
OPTIONAL_END_TAGS = frozenset((*_ENDLESS, *_SELF_CLOSING))
_NOT_COUNTED = OPTIONAL_END_TAGS | {"", "body", "html", "head"}


def check(html: str) -> None:
    """Check the nesting depth and the attributes of a page. Callers enforce MAX_BYTES.

    Raises:
        TooLarge: Over MAX_DEPTH nested elements, or MAX_ATTRIBUTES in one tag.
    """
    opened: list[str] = []
    counts: defaultdict[str, int] = defaultdict(int)
    for _, slash, name, attributes in _TAG.findall(html):
        tag = name.lower()
        if tag in _NOT_COUNTED:
            pass
        elif not slash:
            opened.append(tag)
            counts[tag] += 1
            if len(opened) > MAX_DEPTH:
                raise TooLarge(
                    "reader.html.too_deep",
                    max_depth=MAX_DEPTH,
                )
        elif counts[tag]:
            _close(tag, opened, counts)
        if len(attributes) > 2 * MAX_ATTRIBUTES and _has_many(attributes):
            raise TooLarge(
                "reader.html.too_many_attributes",
                max_attributes=MAX_ATTRIBUTES,
            )


def _close(tag: str, opened: list[str], counts: defaultdict[str, int]) -> None:
    while opened:
        last = opened.pop()
        counts[last] -= 1
        if last == tag:
            return


def _has_many(attributes: str) -> bool:
    return sum(1 for _ in _ATTRIBUTE.finditer(attributes)) > MAX_ATTRIBUTES
