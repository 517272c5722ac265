"""A saved page as a result page: hits, "no results", a challenge, or an error with the reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from shisho.domain.web import EngineAbout, Response, Serp, SerpHit, SerpLayout, State
from shisho.errors import EngineUnavailable
from shisho.web.engines._answer import explain_unreadable
from shisho.web.engines._dates import parse_date
from shisho.web.engines._markup import (
    Node,
    ResultMarkup,
    attribute,
    extract_text,
    list_foreign_hosts,
    rank_hits,
    score_affinity,
)
from shisho.web.http.challenge import detect

_MAX_HITS = 200
_NESTED = 2
# "No results for …" appears on pages with other results too. A page with links to this many other sites has
# hits that the parser missed.
_MANY = 6


def read_serp(
    about: EngineAbout,
    response: Response,
    hits: Callable[[ResultMarkup], tuple[SerpHit, ...]] | None = None,
    state: Callable[[ResultMarkup], State | None] | None = None,
) -> Serp:
    """Parse a page of results, a challenge, or "no results".

    `hits` and `state` replace parsing by `about.look`. Raises EngineUnavailable for a page that needs
    JavaScript, ParserFailed for a layout that is neither known nor guessable.
    """
    page = ResultMarkup(response, about.site)
    look = about.look
    found_hits = hits(page) if hits else read_hits(page, look.layouts)
    if found_hits:
        warnings = ("query_changed",) if page.has(*look.changed) else ()
        following = state(page) if state else find_next_page(page, about, len(found_hits))
        return Serp(about.name, found_hits, following, warnings=warnings)
    challenge = detect(page.source, response.url, response.status, look.markers)
    if challenge:
        return Serp(about.name, challenge=challenge)
    if page.has(*look.nothing) or (
        _has_phrase(page, look.no_result_phrases) and len(list_foreign_hosts(page, about)) < _MANY
    ):
        return Serp(about.name, no_results=True)
    guessed = guess_hits(page) if score_affinity(page, about) else ()
    if guessed:
        return Serp(
            about.name, guessed, find_next_page(page, about, len(guessed)), warnings=("layout_guessed",)
        )
    if page.has(*look.shell):
        raise EngineUnavailable(
            "engine.browser_only_page",
            engine=about.name,
        )
    raise explain_unreadable(about.name, response)


def read_hits(page: ResultMarkup, layouts: tuple[SerpLayout, ...]) -> tuple[SerpHit, ...]:
    """Return the hits by the first layout that yields any."""
    for layout in layouts:
        hits = rank_hits(_read_hits(page, layout))
        if hits:
            return hits
    return ()


def _read_hits(page: ResultMarkup, layout: SerpLayout) -> Iterator[SerpHit]:
    skipped = {node.mem_id for node in page.select_all(layout.skip)}
    for box in _find_boxes(page, layout):
        link = box.css_first(layout.link) if layout.link else box
        url = page.resolve_link(link)
        if not url or link is None or box.mem_id in skipped or link.mem_id in skipped:
            continue
        title = (extract_text(box.css_first(layout.title)) if layout.title else "") or extract_text(link)
        snippet = extract_text(box.css_first(layout.snippet)) if layout.snippet else ""
        dated = extract_text(box.css_first(layout.date)) if layout.date else ""
        yield SerpHit(0, url, title or url, snippet, parse_date(dated or snippet, page.response.today))


def _find_boxes(page: ResultMarkup, layout: SerpLayout) -> Iterator[Node]:
    """Yield the hits' boxes and boxes inside them, no deeper.

    Each box is searched completely, and a page could nest thousands.
    """
    boxes = page.select_all(layout.hit)[:_MAX_HITS]
    ids = {box.mem_id for box in boxes}
    for box in boxes:
        around = 0
        at = box.parent
        while at is not None and around < _NESTED:
            around += at.mem_id in ids
            at = at.parent
        if around < _NESTED:
            yield box


def _has_phrase(page: ResultMarkup, phrases: tuple[str, ...]) -> bool:
    if not phrases:
        return False
    text = page.text.lower()
    return any(phrase in text for phrase in phrases)


def find_next_page(page: ResultMarkup, about: EngineAbout, found_count: int) -> State | None:
    """Return {} if the page links to a later one, or has no pager and is at least half full; else None."""
    current = _number(page.response.url, about.pagination) or 0
    links = [
        _number(attribute(link, "href"), about.pagination) for link in page.select_all(about.look.next_link)
    ]
    if links:
        return {} if any(number is None or number > current for number in links) else None
    return {} if 2 * found_count >= about.page_size and not page.has(about.look.pager) else None


def _number(url: str, name: str) -> int | None:
    match = re.search(rf"[?&;]{re.escape(name)}=(\d{{1,6}})(?!\d)", url)
    return int(match.group(1)) if match else None


def read_form(page: ResultMarkup, selector: str) -> dict[str, str]:
    """Return the named inputs of the first form (or its field) that `selector` matches."""
    node = page.select_first(selector)
    while node is not None and node.tag != "form":
        node = node.parent
    if node is None:
        return {}
    return {
        name: attribute(field, "value") for field in node.css("input") if (name := attribute(field, "name"))
    }


_DEPTH = 12
_REACH = 4
_MIN_HITS = 3
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
        if number >= _MIN_HITS and len({page.resolve_link(link) for _, link in chosen_pairs}) >= _MIN_HITS
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
