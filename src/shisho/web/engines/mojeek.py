"""Mojeek: an index of its own, plain HTML."""

from __future__ import annotations

from shisho.domain.web import (
    EngineAbout,
    EngineQuery,
    Look,
    Request,
    Response,
    Serp,
    SerpLayout,
    State,
    Tier,
    TimeRange,
)
from shisho.web.engines._asking import Params, find_first_day, get
from shisho.web.engines._serp import read_serp

ABOUT = EngineAbout(
    name="mojeek",
    site="https://www.mojeek.com",
    kind="html",
    tier=Tier.DEFAULT,
    categories=("general", "technical", "news"),
    interval_s=4,
    pagination="s",
    time_ranges=(TimeRange.DAY, TimeRange.WEEK, TimeRange.MONTH, TimeRange.YEAR),
    look=Look(
        layouts=(SerpLayout("ul.results-standard > li", "h2 a", snippet="p.s", date=".date"),),
        signs=(
            "ul.results-standard",
            "form[name=sf1][action='/search']",
            "a[href*='mojeek.com/about']",
        ),
        titles=("mojeek",),
        next_link=".pagination a[href*='s=']",
        pager=".pagination",
        nothing=(".no-results", "p.no-results"),
        no_result_phrases=("no pages found", "no results found", "did not match any"),
    ),
)


def request(query: EngineQuery, page: int, state: State, about: EngineAbout = ABOUT) -> Request:
    first_day = find_first_day(query) if query.time_range in about.time_ranges else None
    params: Params = {
        "q": query.text,
        # `s=0` on the first page trips the rate limit.
        "s": about.page_size * (page - 1) if page > 1 else None,
        "since": first_day.strftime("%Y%m%d") if first_day else None,
    }
    cookies = {
        "lb": query.language,
        "arc": (query.region or "none").upper() if query.region else "none",
    }
    return get(
        about,
        query,
        page,
        "/search",
        params,
        {name: value for name, value in cookies.items() if value},
    )


def parse(response: Response, about: EngineAbout = ABOUT) -> Serp:
    return read_serp(about, response)
