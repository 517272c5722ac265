"""Wikidata: items by name or alias, with label and description in the query's language."""

from __future__ import annotations

from typing import Any

from shisho.domain.web import EngineAbout, EngineQuery, Request, Response, Serp, State, Tier
from shisho.web.engines._answer import make_hit, make_refusal, rank_hits, read_json
from shisho.web.engines._asking import Params, get
from shisho.web.engines._serp import read_serp
from shisho.web.engines.wikipedia import LOOK

ABOUT = EngineAbout(
    name="wikidata",
    site="https://www.wikidata.org",
    kind="json",
    tier=Tier.KNOWLEDGE,
    categories=("general", "academic"),
    interval_s=1,
    pagination="continue",
    verified=False,
    look=LOOK,
)


def request(query: EngineQuery, page: int, state: State, about: EngineAbout = ABOUT) -> Request:
    language = query.language or "en"
    params: Params = {
        "action": "wbsearchentities", "format": "json", "search": query.text, "language": language, "uselang": language,
        "type": "item", "limit": about.page_size, "continue": about.page_size * (page - 1), "maxlag": 5,
    }  # fmt: skip
    return get(about, query, page, "/w/api.php", params)


def parse(response: Response, about: EngineAbout = ABOUT) -> Serp:
    if response.body.lstrip()[:1] == b"<":
        return read_serp(about, response)
    return read_json(about, response, lambda data: _read(about, data))


def _read(about: EngineAbout, data: Any) -> Serp:
    if "error" in data:
        raise make_refusal(about.name, data["error"].get("info"))
    site = about.site
    hits = rank_hits(
        [
            make_hit(f"{site}/wiki/{row['id']}", row.get("label", row["id"]), row.get("description"))
            for row in data["search"]
        ]
    )
    return Serp(about.name, hits, {} if "search-continue" in data else None, no_results=not hits)
