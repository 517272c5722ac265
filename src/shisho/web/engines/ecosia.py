"""Ecosia: other indexes' results, behind Cloudflare, so through the browser."""

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
from shisho.web.engines._asking import Params, choose_range_code, get
from shisho.web.engines._serp import read_serp

_RANGES = {TimeRange.DAY: "d", TimeRange.WEEK: "w", TimeRange.MONTH: "m"}

ABOUT = EngineAbout(
    name="ecosia",
    site="https://www.ecosia.org",
    kind="html",
    tier=Tier.DEFAULT,
    categories=("general", "news"),
    interval_s=3,
    pagination="p",
    needs_browser=True,
    time_ranges=tuple(_RANGES),
    look=Look(
        layouts=(
            SerpLayout(
                "article.web-result",
                ".result__title a, .result-title a",
                "",
                ".web-result__description, .result__description",
            ),
            SerpLayout(".card-web .result", "a.result-title", "", ".result-snippet"),
            SerpLayout(
                ".mainline .result, .results .result",
                "a.result-title",
                "",
                ".result-snippet",
                skip=".card-ad .result, .ad-result",
            ),
        ),
        signs=(
            "form[action='/search'].search-form",
            "article.web-result",
            ".mainline-results",
            "#vike_pageContext",
        ),
        titles=("- ecosia", "ecosia:", "ecosia"),
        next_link="[data-test-id=next-button], .pagination a[href*='p='], [data-test-id=web-pagination] a",
        pager="[data-test-id=web-pagination], .simplified-pagination, .pagination",
        nothing=(".empty-result", ".no-results", "[data-test-id=web-no-results]"),
        no_result_phrases=("no results found", "find any results for"),
        shell=("#app:empty",),
    ),
)


def request(query: EngineQuery, page: int, state: State, about: EngineAbout = ABOUT) -> Request:
    params: Params = {"q": query.text, "p": page - 1, "tt": choose_range_code(about, query, _RANGES)}
    return get(about, query, page, "/search", params)


def parse(response: Response, about: EngineAbout = ABOUT) -> Serp:
    return read_serp(about, response)
