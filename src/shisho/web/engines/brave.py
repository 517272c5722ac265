"""Brave Search's page, last mile: few requests, slowly. Its `offset` counts pages, not results."""

from __future__ import annotations

from shisho.domain.web import (
    ChallengeKind,
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
from shisho.web.engines._asking import Params, choose_range_code, choose_region, get
from shisho.web.engines._serp import read_serp

_RANGES = {TimeRange.DAY: "pd", TimeRange.WEEK: "pw", TimeRange.MONTH: "pm", TimeRange.YEAR: "py"}

ABOUT = EngineAbout(
    name="brave",
    site="https://search.brave.com",
    kind="html",
    tier=Tier.LAST_MILE,
    categories=("general", "technical", "news"),
    interval_s=10,
    per_day=50,
    pagination="offset",
    page_size=20,
    # Beyond its tenth page Brave takes the client for a robot.
    max_pages=10,
    pagination_enabled=False,
    needs_browser=True,
    time_ranges=tuple(_RANGES),
    look=Look(
        layouts=(
            SerpLayout(
                "#results .snippet", "a.result-header", ".snippet-title", ".snippet-description", ".age", "[data-type=ad]"
            ),
            SerpLayout(
                "#results .snippet[data-type=web], #results .snippet[data-type=web] .result-cluster .snippet",
                "a[href^=http]", ".title", ".generic-snippet, .snippet-description, .description", ".t-secondary.age, .age",
            ),
        ),
        signs=("#results .snippet", "link[href*='cdn.search.brave.com']", "script[src*='cdn.search.brave.com']"),
        titles=("brave search",),
        next_link="#pagination a[href], .pagination a[href]",
        pager="#pagination, .pagination",
        nothing=("#results .no-results", ".noresults", "#no-results", ".empty-results"),
        no_result_phrases=("no results found", "not many great matches came back", "too few matches were found"),
        changed=("#search-refine .altered-query", ".altered-query"),
        shell=("#app:empty", "#root:empty"),
        markers={"captcha-challenge": ChallengeKind.CAPTCHA, "captcha-iframe": ChallengeKind.CAPTCHA},
    ),
)  # fmt: skip


def request(query: EngineQuery, page: int, state: State, about: EngineAbout = ABOUT) -> Request:
    country = choose_region(query)
    params: Params = {"q": query.text, "offset": page - 1, "tf": choose_range_code(about, query, _RANGES)}
    locale = f"{query.language}-{country}" if query.language and country else "en-us"
    return get(
        about,
        query,
        page,
        "/search",
        params,
        {"country": country or "all", "ui_lang": locale, "useLocation": "0"},
    )


def parse(response: Response, about: EngineAbout = ABOUT) -> Serp:
    return read_serp(about, response)
