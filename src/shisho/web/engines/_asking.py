"""Shared parts of all engines' requests: limits, parameters, time ranges as days."""

from __future__ import annotations

import calendar
from collections.abc import Mapping
from datetime import date, timedelta
from urllib.parse import urlencode

from shisho.domain.web import EngineAbout, EngineQuery, Request, State, TimeRange
from shisho.errors import InvalidParams

REGION_OF = {
    "ja": "jp",
    "en": "us",
    "zh": "cn",
    "ko": "kr",
    "de": "de",
    "fr": "fr",
    "es": "es",
    "it": "it",
    "pt": "br",
}
"""The default country of a language without a region."""

DAYS = {TimeRange.DAY: 1, TimeRange.WEEK: 7, TimeRange.MONTH: 30, TimeRange.YEAR: 365}

Params = Mapping[str, str | int | None]


def choose_region(query: EngineQuery) -> str:
    """Return two lower-case letters, or "" if neither region nor language implies one."""
    return (query.region or REGION_OF.get(query.language, "")).lower()


def find_first_day(query: EngineQuery) -> date | None:
    """Return the first day of the time range: a calendar month or year back, not 30 or 365 days."""
    today = query.today
    match query.time_range:
        case TimeRange.ALL:
            return None
        case TimeRange.MONTH:
            year, month = (today.year, today.month - 1) if today.month > 1 else (today.year - 1, 12)
        case TimeRange.YEAR:
            year = today.year - 1
            month = today.month
        case _:
            return today - timedelta(days=DAYS[query.time_range])
    return date(year, month, min(today.day, calendar.monthrange(year, month)[1]))


def check(about: EngineAbout, query: EngineQuery, page: int) -> tuple[str, ...]:
    """Return warnings for unsupported filters. Raises InvalidParams for a request that must not be sent."""
    if not query.text.strip():
        raise InvalidParams("engine.blank_query", engine=about.name)
    if not 1 <= page <= about.max_pages:
        raise InvalidParams(
            "engine.page_out_of_range",
            max_pages=about.max_pages,
            engine=about.name,
            page=page,
        )
    if about.query_limit and len(query.text) > about.query_limit:
        raise InvalidParams(
            "engine.query_too_long",
            limit=about.query_limit,
            engine=about.name,
        )
    ranged = query.time_range is not TimeRange.ALL
    return ("time_range_ignored",) if ranged and query.time_range not in about.time_ranges else ()


def choose_range_code(about: EngineAbout, query: EngineQuery, codes: Mapping[TimeRange, str]) -> str | None:
    """Return the engine's code for the time range; None if it has none or the user switched it off."""
    return codes.get(query.time_range) if query.time_range in about.time_ranges else None


def read_remembered(about: EngineAbout, state: State, key: str) -> str:
    """Return a value that page 1 provided.

    Raises InvalidParams if it is missing: such an engine takes a request for a later page without it for a
    robot's.
    """
    if not state.get(key):
        raise InvalidParams(
            "engine.first_page_needed",
            engine=about.name,
            missing=key,
        )
    return state[key]


def get(
    about: EngineAbout,
    query: EngineQuery,
    page: int,
    path: str,
    params: Params,
    cookies: Mapping[str, str] | None = None,
) -> Request:
    """Return a GET of `path` on the engine's site, without empty parameters."""
    warnings = check(about, query, page)
    url = f"{about.site.rstrip('/')}{path}?{urlencode(_drop_empty(params))}"
    return Request(url, headers=choose_language_header(query), cookies=cookies or {}, warnings=warnings)


def post(
    about: EngineAbout,
    query: EngineQuery,
    page: int,
    path: str,
    form: Params,
    cookies: Mapping[str, str] | None = None,
) -> Request:
    """Return a POST of a form to `path` on the engine's site, with that site as referrer."""
    warnings = check(about, query, page)
    site = about.site.rstrip("/")
    headers = {**choose_language_header(query), "Referer": f"{site}/"}
    return Request(f"{site}{path}", "POST", _drop_empty(form), headers, cookies or {}, warnings)


def _drop_empty(params: Params) -> dict[str, str]:
    return {name: str(value) for name, value in params.items() if value is not None}


def choose_language_header(query: EngineQuery) -> dict[str, str]:
    if not query.language or query.language == "en":
        return {"Accept-Language": "en"}
    return {"Accept-Language": f"{query.language},en;q=0.5"}
