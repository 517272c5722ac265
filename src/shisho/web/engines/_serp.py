"""A saved page as a result page: hits, "no results", a challenge, or an error with the reason."""

from __future__ import annotations

import re
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
from shisho.web.engines._shape import guess_hits
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
