"""arXiv's Atom API. It asks for three seconds between requests."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from shisho.domain.web import (
    EngineAbout,
    EngineQuery,
    Request,
    Response,
    Serp,
    State,
    Tier,
    TimeRange,
)
from shisho.web.engines._answer import make_hit, make_refusal, rank_hits, read_xml, squeeze
from shisho.web.engines._asking import Params, find_first_day, get

_ATOM = "{http://www.w3.org/2005/Atom}"
_OPENSEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
_TERM = re.compile(r'"[^"]+"|[^\s"():]+')

ABOUT = EngineAbout(
    name="arxiv",
    site="https://export.arxiv.org",
    kind="xml",
    tier=Tier.ACADEMIC,
    categories=("academic",),
    interval_s=3,
    pagination="start",
    time_ranges=(TimeRange.DAY, TimeRange.WEEK, TimeRange.MONTH, TimeRange.YEAR),
)


def request(query: EngineQuery, page: int, state: State, about: EngineAbout = ABOUT) -> Request:
    params: Params = {
        "search_query": _search(about, query), "start": about.page_size * (page - 1), "max_results": about.page_size,
        "sortBy": "relevance", "sortOrder": "descending",
    }  # fmt: skip
    return get(about, query, page, "/api/query", params)


def _search(about: EngineAbout, query: EngineQuery) -> str:
    # Later words would be joined by OR.
    search = " AND ".join(f"all:{term}" for term in _TERM.findall(query.text))
    first = find_first_day(query) if query.time_range in about.time_ranges else None
    if first:
        search = f"({search}) AND submittedDate:[{first:%Y%m%d}0000 TO {query.today:%Y%m%d}2359]"
    return search


def parse(response: Response, about: EngineAbout = ABOUT) -> Serp:
    return read_xml(about, response, (f"{_ATOM}feed",), lambda feed: _read(about, feed))


def _read(about: EngineAbout, feed: Element) -> Serp:
    entries = feed.findall(f"{_ATOM}entry")
    if len(entries) == 1 and "/api/errors" in _read_text(entries[0], "id"):
        raise make_refusal(about.name, _read_text(entries[0], "summary"))
    hits = rank_hits([
        make_hit(_read_text(e, "id"), _read_text(e, "title"), _read_text(e, "summary"), _read_text(e, "published")[:10])
        for e in entries
    ])  # fmt: skip
    total, start = (
        int(feed.findtext(f"{_OPENSEARCH}{name}") or 0) for name in ("totalResults", "startIndex")
    )
    return Serp(about.name, hits, {} if hits and start + len(hits) < total else None, no_results=not hits)


def _read_text(entry: Element, name: str) -> str:
    return squeeze(entry.findtext(f"{_ATOM}{name}") or "")
