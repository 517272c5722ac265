"""Bing's page, last mile and off until the user turns it on. Past the end it repeats page 1."""

from __future__ import annotations

from datetime import date, timedelta

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
from shisho.web.engines._asking import get
from shisho.web.engines._serp import read_serp

_RANGES = {TimeRange.DAY: "ez1", TimeRange.WEEK: "ez2", TimeRange.MONTH: "ez3"}
_SNIPPET = ".b_caption p, .b_lineclamp2, .b_lineclamp3, .b_lineclamp4, .b_algoSlug, .b_snippet, .b_paractl, .b_mText p"

ABOUT = EngineAbout(
    name="bing",
    site="https://www.bing.com",
    kind="html",
    tier=Tier.LAST_MILE,
    categories=("general", "technical", "news"),
    interval_s=20,
    per_day=10,
    pagination="first",
    pagination_enabled=False,
    enabled=False,
    reason="engine.bing_terms",
    needs_browser=True,
    time_ranges=(*_RANGES, TimeRange.YEAR),
    # of sixteen saved pages without results, fourteen were for queries that plainly have some
    blocks_in_silence=True,
    look=Look(
        layouts=(
            SerpLayout("#b_results li.b_algo", "h2 a", "", _SNIPPET, ".news_dt"),
            SerpLayout("#results li.sa_wr", ".sb_tlst h3 a", "", "p", ".news_dt"),
            SerpLayout("#results .sb_results > li", "h3 a", "", "p"),
            SerpLayout(".imgpt", ".lnkw a"),
            SerpLayout(".item", ".meta a.tit", "", ".des"),
        ),
        signs=("#b_results", "#sb_form", "#b_header"),
        titles=("- bing", "bing"),
        next_link="a.sb_pagN[href]",
        pager=".sb_pagF, .b_pag, .sb_pag",
        nothing=("#b_results .b_no", ".b_no", "#no_results", "#sp_noresults"),
        changed=("#sp_requery", "#sp_recourse"),
        shell=("#app:empty", "#root:empty"),
    ),
)


def request(query: EngineQuery, page: int, state: State, about: EngineAbout = ABOUT) -> Request:
    params: dict[str, str | int | None] = {
        "q": query.text,
        "setlang": query.language or None,
        "filters": _make_filters(about, query),
    }
    if page > 1:
        params |= {
            "first": about.page_size * (page - 1) + 1,
            "FORM": f"PERE{page - 2}" if page > 2 else "PERE",
        }
    return get(about, query, page, "/search", params)


def _make_filters(about: EngineAbout, query: EngineQuery) -> str | None:
    if query.time_range not in about.time_ranges:
        return None
    if query.time_range is TimeRange.YEAR:
        last = (query.today - date(1970, 1, 1)) // timedelta(days=1)
        return f'ex1:"ez5_{last - 365}_{last}"'
    return f'ex1:"{_RANGES[query.time_range]}"'


def parse(response: Response, about: EngineAbout = ABOUT) -> Serp:
    return read_serp(about, response)
