"""SearXNG: your own instance, with `json` among its `search.formats`."""

from __future__ import annotations

from typing import Any

from shisho.domain.web import (
    EngineAbout,
    EngineQuery,
    Look,
    Request,
    Response,
    Serp,
    State,
    Tier,
    TimeRange,
)
from shisho.web.engines._answer import make_hit, rank_hits, read_json
from shisho.web.engines._asking import Params, choose_range_code, get

_RANGES = {
    TimeRange.DAY: "day",
    TimeRange.WEEK: "week",
    TimeRange.MONTH: "month",
    TimeRange.YEAR: "year",
}

ABOUT = EngineAbout(
    name="searxng",
    site="http://127.0.0.1:8080",
    kind="json",
    tier=Tier.YOURS,
    categories=("general", "technical", "news", "government", "academic"),
    interval_s=1,
    pagination="pageno",
    enabled=False,
    reason="engine.searxng_instance",
    time_ranges=tuple(_RANGES),
    verified=False,
    look=Look(signs=("link[href*='searxng']", "meta[name=generator][content*='searx']"), titles=("searx",)),
)


def request(query: EngineQuery, page: int, state: State, about: EngineAbout = ABOUT) -> Request:
    params: Params = {
        "q": query.text, "format": "json", "pageno": page, "language": query.language or "all",
        "time_range": choose_range_code(about, query, _RANGES),
    }  # fmt: skip
    return get(about, query, page, "/search", params)


def parse(response: Response, about: EngineAbout = ABOUT) -> Serp:
    return read_json(about, response, lambda data: _read(about, data))


def _read(about: EngineAbout, data: Any) -> Serp:
    rows = data["results"]
    hits = rank_hits(
        [
            make_hit(
                row["url"],
                row.get("title"),
                row.get("content"),
                (row.get("publishedDate") or "")[:10],
            )
            for row in rows
        ]
    )
    return Serp(about.name, hits, {} if hits else None, no_results=not hits)
