"""Semantic Scholar's Graph API. Without a key the pace is shared with everyone."""

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
from shisho.web.engines._asking import Params, find_first_day, get

ABOUT = EngineAbout(
    name="semantic_scholar",
    site="https://api.semanticscholar.org",
    kind="json",
    tier=Tier.ACADEMIC,
    categories=("academic",),
    interval_s=3.0,
    pagination="offset",
    time_ranges=(TimeRange.DAY, TimeRange.WEEK, TimeRange.MONTH, TimeRange.YEAR),
    credentials=(Credential("semantic_scholar_key", header="x-api-key", interval_s=1.1),),
)


def request(query: EngineQuery, page: int, state: State, about: EngineAbout = ABOUT) -> Request:
    first = find_first_day(query) if query.time_range in about.time_ranges else None
    params: Params = {
        "query": query.text, "offset": about.page_size * (page - 1), "limit": about.page_size,
        "fields": "title,url,abstract,publicationDate,year",
        # The filter only supports whole years: a day's range begins with its year.
        "year": f"{first.year}-" if first else None,
    }  # fmt: skip
    return get(about, query, page, "/graph/v1/paper/search", params)


def parse(response: Response, about: EngineAbout = ABOUT) -> Serp:
    return read_json(about, response, lambda data: _read(about, data))


def _read(about: EngineAbout, data: Any) -> Serp:
    if "data" not in data and "total" not in data:
        raise make_refusal(about.name, data.get("message") or data.get("error"))
    hits = rank_hits([
        make_hit(
            paper.get("url") or f"https://www.semanticscholar.org/paper/{paper['paperId']}", paper.get("title"),
            paper.get("abstract"), paper.get("publicationDate") or (str(paper["year"]) if paper.get("year") else None),
        )
        for paper in data.get("data", [])
    ])  # fmt: skip
    return Serp(about.name, hits, {} if data.get("next") else None, no_results=not hits)
