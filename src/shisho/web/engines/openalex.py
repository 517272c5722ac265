"""OpenAlex: works of all fields, with abstracts as inverted indexes."""

from __future__ import annotations

from collections.abc import Mapping
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
from shisho.web.engines._asking import Params, find_first_day, get, read_remembered

_WORDS = 300

ABOUT = EngineAbout(
    name="openalex",
    site="https://api.openalex.org",
    kind="json",
    tier=Tier.ACADEMIC,
    categories=("academic",),
    interval_s=0.33,
    parallel=2,
    pagination="cursor",
    time_ranges=(TimeRange.DAY, TimeRange.WEEK, TimeRange.MONTH, TimeRange.YEAR),
    credentials=(
        Credential("contact_email", param="mailto", interval_s=0.25),
        Credential("openalex_api_key", param="api_key"),
    ),
    verified=False,
)


def request(query: EngineQuery, page: int, state: State, about: EngineAbout = ABOUT) -> Request:
    first = find_first_day(query) if query.time_range in about.time_ranges else None
    dates = (
        f"from_publication_date:{first.isoformat()},to_publication_date:{query.today.isoformat()}"
        if first
        else None
    )
    params: Params = {
        "search": query.text, "filter": dates, "per-page": about.page_size,
        "cursor": "*" if page == 1 else read_remembered(about, state, "cursor"),
    }  # fmt: skip
    return get(about, query, page, "/works", params)


def parse(response: Response, about: EngineAbout = ABOUT) -> Serp:
    return read_json(about, response, lambda data: _read(about, data))


def _read(about: EngineAbout, data: Any) -> Serp:
    if "error" in data:
        raise make_refusal(about.name, data.get("message") or data["error"])
    hits = rank_hits([
        make_hit(
            _choose_url(work),
            work["display_name"],
            _join_abstract(work.get("abstract_inverted_index")),
            work.get("publication_date"),
        )
        for work in data["results"]
    ])  # fmt: skip
    cursor = data["meta"].get("next_cursor")
    return Serp(about.name, hits, {"cursor": cursor} if cursor and hits else None, no_results=not hits)


def _choose_url(work: Mapping[str, Any]) -> str:
    place = work.get("primary_location") or {}
    return str(place.get("landing_page_url") or work.get("doi") or work["id"])


def _join_abstract(index: Mapping[str, list[int]] | None) -> str:
    places = ((at, word) for word, positions in (index or {}).items() for at in positions)
    return " ".join(word for _, word in sorted(places)[:_WORDS])
