"""Crossref: the registry of DOIs. A contact address selects its polite pool."""

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

ABOUT = EngineAbout(
    name="crossref",
    site="https://api.crossref.org",
    kind="json",
    tier=Tier.ACADEMIC,
    categories=("academic",),
    interval_s=0.33,
    pagination="cursor",
    time_ranges=(TimeRange.DAY, TimeRange.WEEK, TimeRange.MONTH, TimeRange.YEAR),
    credentials=(Credential("contact_email", param="mailto"),),
)


def request(query: EngineQuery, page: int, state: State, about: EngineAbout = ABOUT) -> Request:
    first = find_first_day(query) if query.time_range in about.time_ranges else None
    params: Params = {
        "query": query.text, "rows": about.page_size,
        "cursor": "*" if page == 1 else read_remembered(about, state, "cursor"),
        "filter": f"from-pub-date:{first.isoformat()},until-pub-date:{query.today.isoformat()}" if first else None,
    }  # fmt: skip
    return get(about, query, page, "/works", params)


def parse(response: Response, about: EngineAbout = ABOUT) -> Serp:
    return read_json(about, response, lambda data: _read(about, data))


def _read(about: EngineAbout, data: Any) -> Serp:
    message = data["message"]
    if data["status"] != "ok":
        raise make_refusal(about.name, message[0]["message"])
    # A lookup of a single DOI returns one work.
    works = [message] if data["message-type"] == "work" else message["items"]
    if data["message-type"] not in ("work", "work-list"):
        raise ValueError(data["message-type"])
    hits = rank_hits(
        [
            make_hit(
                work["URL"],
                next(iter(work.get("title") or []), None),
                work.get("abstract"),
                _read_day(work),
            )
            for work in works
        ]
    )
    cursor = message.get("next-cursor")
    more = cursor and len(works) >= message.get("items-per-page", about.page_size)
    return Serp(about.name, hits, {"cursor": cursor} if more else None, no_results=not hits)


def _read_day(work: Mapping[str, Any]) -> str | None:
    """Return the date of issue as far as it is known: year, year-month or year-month-day."""
    parts = (work.get("issued") or {}).get("date-parts") or [[]]
    return "-".join(f"{part:02}" for part in parts[0] if part) or None
