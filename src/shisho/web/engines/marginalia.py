"""Marginalia: the small, text-heavy web.

Its results are CC BY-NC-SA 4.0; all users share the public key.
"""

from __future__ import annotations

from dataclasses import replace
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
)
from shisho.web.engines._answer import make_hit, rank_hits, read_json
from shisho.web.engines._asking import Params, get

ABOUT = EngineAbout(
    name="marginalia",
    site="https://api2.marginalia-search.com",
    kind="json",
    tier=Tier.DEFAULT,
    categories=("general", "technical"),
    interval_s=2,
    pagination="page",
    page_size=20,
    credentials=(Credential("marginalia_key", header="API-Key"),),
    verified=False,
)


def request(query: EngineQuery, page: int, state: State, about: EngineAbout = ABOUT) -> Request:
    params: Params = {"query": query.text, "count": about.page_size, "page": page}
    asked_request = get(about, query, page, "/search", params)
    return replace(asked_request, headers={**asked_request.headers, "API-Key": "public"})


def parse(response: Response, about: EngineAbout = ABOUT) -> Serp:
    return read_json(about, response, lambda data: _read(about, data))


def _read(about: EngineAbout, data: Any) -> Serp:
    hits = rank_hits(
        [make_hit(row["url"], row.get("title"), row.get("description")) for row in data["results"]]
    )
    return Serp(about.name, hits, {} if len(hits) >= about.page_size else None, no_results=not hits)
