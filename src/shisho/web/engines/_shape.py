"""Hits by shape, for pages without usable class names.

A heading and an outgoing link, one inside the other, each in the largest box without a second such pair.
Linear in the page: every walk upward is bounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from shisho.domain.web import SerpHit
from shisho.web.engines._dates import parse_date
from shisho.web.engines._markup import Node, ResultMarkup, attribute, extract_text, rank_hits

_DEPTH = 12
_REACH = 4
_ENOUGH = 3
_MAX_HEADINGS = 300

_Pair = tuple[Node, Node]


def read_shape(page: ResultMarkup, headings: str, ads: str = "", snippet: str = "") -> tuple[SerpHit, ...]:
    """Return every pair outside `ads` as a hit.

    Its words are those of `snippet` in its box, else the box's without the link.
    """
    return _make_hits(page, _find_pairs(page, headings, ads), snippet)


def guess_hits(page: ResultMarkup) -> tuple[SerpHit, ...]:
    """Guess the hits of a page of unknown layout.

    They are pairs with similar headings, if there are at least three.
    """
    pairs = _find_pairs(page, "h2, h3", "")
    looks = Counter(_look(heading) for heading, _ in pairs)
    alike, number = looks.most_common(1)[0] if looks else ("", 0)
    chosen_pairs = [pair for pair in pairs if _look(pair[0]) == alike]
    return (
        _make_hits(page, chosen_pairs, "")
        if number >= _ENOUGH and len({page.resolve_link(link) for _, link in chosen_pairs}) >= _ENOUGH
        else ()
    )


def _look(heading: Node) -> str:
    return f"{heading.tag} {attribute(heading, 'class')}"


def _make_hits(page: ResultMarkup, pairs: list[_Pair], snippet: str) -> tuple[SerpHit, ...]:
    crowd = Counter(node.mem_id for _, link in pairs for node in _list_ancestors(link))
    hits = (_make_hit(page, heading, link, _find_box(link, crowd), snippet) for heading, link in pairs)
    return rank_hits(hit for hit in hits if hit.title)


def _make_hit(page: ResultMarkup, heading: Node, link: Node, box: Node, snippet: str) -> SerpHit:
    node = box.css_first(snippet) if snippet else None
    if node is not None and node.mem_id not in {node.mem_id for node in _list_ancestors(link)}:
        words = extract_text(node)
    else:
        words = extract_text(box, frozenset({link.mem_id, heading.mem_id}))
    return SerpHit(
        0, page.resolve_link(link), extract_text(heading), words, parse_date(words, page.response.today)
    )


def _find_pairs(page: ResultMarkup, headings: str, ads: str) -> list[_Pair]:
    adverts = {node.mem_id for node in page.select_all(ads)}
    pairs: dict[int, _Pair] = {}
    for heading in page.select_all(headings)[:_MAX_HEADINGS]:
        link = _link_of(heading)
        if (
            link
            and page.resolve_link(link)
            and not any(node.mem_id in adverts for node in _list_ancestors(link))
        ):
            pairs.setdefault(link.mem_id, (heading, link))
    return list(pairs.values())


def _link_of(heading: Node) -> Node | None:
    """Return the link around the heading, or the first one inside it."""
    at = heading.parent
    for _ in range(_REACH):
        if at is None:
            break
        if at.tag == "a":
            return at
        at = at.parent
    return heading.css_first("a")


def _list_ancestors(node: Node) -> Iterator[Node]:
    at = node.parent
    for _ in range(_DEPTH):
        if at is None or at.tag == "body":
            return
        yield at
        at = at.parent


def _find_box(link: Node, crowd: Counter[int]) -> Node:
    box = link
    for node in _list_ancestors(link):
        if crowd[node.mem_id] > 1:
            break
        box = node
    return box
