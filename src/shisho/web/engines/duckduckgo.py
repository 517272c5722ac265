"""DuckDuckGo's HTML endpoint, which works without JavaScript. A later page needs the `vqd` of the first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shisho.domain.web import (
    EngineAbout,
    EngineQuery,
    Look,
    Request,
    Response,
    Serp,
    SerpHit,
    SerpLayout,
    State,
    Tier,
    TimeRange,
)
from shisho.web.engines._asking import choose_range_code, choose_region, post, read_remembered
from shisho.web.engines._markup import Node, ResultMarkup, extract_text, rank_hits
from shisho.web.engines._serp import read_form, read_hits, read_serp

_RANGES = {TimeRange.DAY: "d", TimeRange.WEEK: "w", TimeRange.MONTH: "m", TimeRange.YEAR: "y"}
# The values of the form's region list, `country-language`.
_REGIONS = (
    "ar-es au-en at-de be-fr be-nl br-pt bg-bg ca-en ca-fr cl-es cn-zh co-es hr-hr cz-cs dk-da ee-et fi-fi fr-fr de- "
    "de gr-el hk-tzh hu-hu is-is in-en id-en ie-en il-en it-it jp-jp kr-kr lv-lv lt-lt my-en mx-es nl-nl nz-en no-no "
    "pk-en pe-es ph-en pl-pl pt-pt ro-ro ru-ru xa-ar sg-en sk-sk sl-sl za-en es-es es-ca se-sv ch-de ch-fr tw-tzh th- "
    "en tr-tr us-en us-es ua-uk uk-en vn-en"
)

ABOUT = EngineAbout(
    name="duckduckgo",
    site="https://html.duckduckgo.com",
    kind="html",
    tier=Tier.DEFAULT,
    categories=("general", "technical", "news", "government"),
    interval_s=5,
    pagination="s",
    time_ranges=tuple(_RANGES),
    query_limit=499,
    look=Look(
        layouts=(
            SerpLayout(
                "article[data-testid=result]",
                "a[data-testid=result-title-a]",
                snippet="[data-result=snippet]",
            ),
            SerpLayout(
                "article.result--news",
                "a.result__a",
                ".result__title",
                ".result__snippet",
                ".result__timestamp",
            ),
            SerpLayout(
                ".result",
                "a.result__a, .result__title a",
                "",
                ".result__snippet",
                ".result__date",
                ".result--ad, .result--more",
            ),
            SerpLayout(".web-result, .results_links", "a.large", "", ".snippet", skip=".highlight_sponsored"),
            SerpLayout("[data-react-module-id=news] > div", "a"),
        ),
        signs=(
            "#links_wrapper",
            "a.result__a",
            "#search_form_input_homepage",
            "form[action='/lite/']",
            "[class*='anomaly-modal']",
        ),
        titles=("at duckduckgo", "duckduckgo"),
        nothing=(".no-results", "[class*='no-results__']"),
        no_result_phrases=("no results found for", "no more results", "no results."),
        shell=("#links_wrapper", "#react-layout", ".msg--noscript"),
    ),
)


def request(query: EngineQuery, page: int, state: State, about: EngineAbout = ABOUT) -> Request:
    form: dict[str, str | int | None] = {"q": query.text}
    if page == 1:
        form["b"] = ""
    else:
        offset = 10 + 15 * (page - 2)
        form |= {
            "s": offset,
            "nextParams": "",
            "v": "l",
            "o": "json",
            "dc": offset + 1,
            "api": "d.js",
        }
        form["vqd"] = read_remembered(about, state, "vqd")
    form |= {"kl": _choose_region(query), "df": choose_range_code(about, query, _RANGES)}
    return post(about, query, page, "/html/", form)


def _choose_region(query: EngineQuery) -> str:
    """Return the list's entry for the country; wt-wt is "all regions".

    In the query's language if possible.
    """
    country = {"gb": "uk"}.get(choose_region(query), choose_region(query))
    entries = re.findall(rf"\b{country}-\w+", _REGIONS) if country.isalpha() else []
    return next(
        (entry for entry in entries if entry.endswith(f"-{query.language}")),
        entries[0] if entries else "wt-wt",
    )


def parse(response: Response, about: EngineAbout = ABOUT) -> Serp:
    return read_serp(
        about,
        response,
        lambda page: read_hits(page, about.look.layouts) or rank_hits(_read_lite(page)),
        _find_next,
    )


def _read_lite(page: ResultMarkup) -> Iterator[SerpHit]:
    """Yield the hits of the lite page.

    It has no box for a hit: snippets are in later rows of one table.
    """
    for link in page.select_all("a.result-link"):
        url = page.resolve_link(link)
        row = _find_row(link)
        if url and row is not None and "result-sponsored" not in (row.attributes.get("class") or ""):
            yield SerpHit(0, url, extract_text(link) or url, extract_text(_find_snippet_after(row)))


def _find_row(node: Node) -> Node | None:
    at: Node | None = node
    while at is not None and at.tag != "tr":
        at = at.parent
    return at


def _find_snippet_after(row: Node) -> Node | None:
    at = row.next
    for _ in range(6):
        if at is None:
            return None
        if at.tag == "tr":
            return at.css_first("td.result-snippet")
        at = at.next
    return None


def _find_next(page: ResultMarkup) -> State | None:
    vqd = read_form(page, "form input[name=vqd]").get("vqd")
    return {"vqd": vqd} if vqd else None
