"""Startpage: another index's results over a form. A later page needs the session's `sc` token."""

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
from shisho.web.engines._asking import choose_range_code, post, read_remembered
from shisho.web.engines._markup import ResultMarkup
from shisho.web.engines._serp import read_form, read_serp

_RANGES = {TimeRange.DAY: "d", TimeRange.WEEK: "w", TimeRange.MONTH: "m", TimeRange.YEAR: "y"}
_LANGUAGES = {
    "ja": "nihongo", "en": "english", "de": "deutsch", "fr": "francais", "es": "espanol", "it": "italiano",
    "pt": "portugues", "ko": "hangul", "zh": "jiantizhongwen",
}  # fmt: skip

ABOUT = EngineAbout(
    name="startpage",
    site="https://www.startpage.com",
    kind="html",
    tier=Tier.DEFAULT,
    categories=("general", "news"),
    interval_s=5,
    pagination="page",
    time_ranges=tuple(_RANGES),
    languages=tuple(_LANGUAGES),
    look=Look(
        layouts=(
            SerpLayout(
                ".result",
                "a.result-title, a.result-link",
                "h2, h3",
                "p.description",
                skip=".sponsored .result",
            ),
            SerpLayout(".w-gl__result", "a.w-gl__result-title", "h3", ".w-gl__description"),
        ),
        signs=("form[action='/sp/search']", "input[name=sc]", ".w-gl"),
        titles=("startpage",),
        nothing=(".no-results", ".mw-no-results", "[class*='no-results']"),
        no_result_phrases=("did not find any results", "no web results", "sorry, there are no results"),
        shell=("#root:empty", "#app:empty"),
    ),
)


def request(query: EngineQuery, page: int, state: State, about: EngineAbout = ABOUT) -> Request:
    language = _LANGUAGES.get(query.language)
    form: dict[str, str | int | None] = {
        "query": query.text, "cat": "web", "t": "device", "language": language, "lui": language,
        "with_date": choose_range_code(about, query, _RANGES),
    }  # fmt: skip
    if page > 1:
        form |= {"page": page, "sc": read_remembered(about, state, "sc")}
    return post(about, query, page, "/sp/search", form)


def parse(response: Response, about: EngineAbout = ABOUT) -> Serp:
    return read_serp(about, response, state=_find_next)


def _find_next(page: ResultMarkup) -> State | None:
    sc = read_form(page, "input[name=sc]").get("sc")
    return (
        {"sc": sc} if sc and page.has(".pagination form, .pagination-form, .w-gl__pagination form") else None
    )
