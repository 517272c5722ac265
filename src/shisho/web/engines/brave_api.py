"""Brave's Search API, with a key of your own. Like its page, `offset` counts pages."""

from __future__ import annotations

from typing import Any

from shisho.domain.web import (
    Credential,
    EngineAbout,
    EngineQuery,
    Request,
    Response,
    Serp,
    State,
    Tier,
    TimeRange,
)
from shisho.web.engines._answer import make_hit, make_refusal, rank_hits, read_json
from shisho.web.engines._asking import Params, choose_range_code, choose_region, get

_RANGES = {TimeRange.DAY: "pd", TimeRange.WEEK: "pw", TimeRange.MONTH: "pm", TimeRange.YEAR: "py"}
_LANGUAGES = {"ja": "jp", "zh": "zh-hans", "pt": "pt-br"}

ABOUT = EngineAbout(
    name="brave_api",
    site="https://api.search.brave.com",
    kind="json",
    tier=Tier.YOURS,
    categories=("general", "technical", "news", "government"),
    interval_s=1,
    pagination="offset",
    page_size=20,
    time_ranges=tuple(_RANGES),
    query_limit=400,
    credentials=(Credential("brave_api_key", header="X-Subscription-Token", required=True),),
    verified=False,
)


def request(query: EngineQuery, page: int, state: State, about: EngineAbout = ABOUT) -> Request:
    params: Params = {
        "q": query.text, "count": about.page_size, "offset": page - 1,
        "country": choose_region(query).upper() or None, "search_lang": _LANGUAGES.get(query.language, query.language) or None,
        "freshness": choose_range_code(about, query, _RANGES), "text_decorations": "false",
    }  # fmt: skip
    return get(about, query, page, "/res/v1/web/search", params)


def parse(response: Response, about: EngineAbout = ABOUT) -> Serp:
    return read_json(about, response, lambda data: _read(about, data))


def _read(about: EngineAbout, data: Any) -> Serp:
    if data.get("type") == "ErrorResponse" or "error" in data:
        raise make_refusal(about.name, data["error"].get("detail") or data["error"].get("code"))
    rows = data["web"]["results"] if "web" in data else []
    if not rows and "query" not in data:
        raise KeyError("query")
    hits = rank_hits(
        [
            make_hit(row["url"], row["title"], row.get("description"), (row.get("page_age") or "")[:10])
            for row in rows
        ]
    )
    more = data.get("query", {}).get("more_results_available", False)
    return Serp(about.name, hits, {} if more and hits else None, no_results=not hits)
