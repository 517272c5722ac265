"""Qwant, by its page in the browser or by the JSON of that page. It refuses requests from other countries."""

from __future__ import annotations

from itertools import chain
from typing import Any

from shisho.domain.web import (
    Challenge,
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
)
from shisho.web.engines._answer import make_hit, make_refusal, rank_hits, read_json
from shisho.web.engines._asking import Params, choose_region, get
from shisho.web.engines._serp import read_serp

ABOUT = EngineAbout(
    name="qwant",
    site="https://www.qwant.com",
    kind="html",
    tier=Tier.DEFAULT,
    categories=("general", "news"),
    interval_s=5,
    pagination="offset",
    max_pages=5,
    needs_browser=True,
    look=Look(
        layouts=(
            SerpLayout(
                "[data-testid=webResult]",
                "a.external, a[href^=http]",
                "[class*='__title']",
                "[class*='__descri']",
            ),
            SerpLayout("#contenerresults .result", ".title a", "", "p:not(.url)"),
        ),
        signs=(
            "[data-testid=mainSearchBar]",
            "[data-testid=webResult]",
            "#contenerresults",
            "script[src*='dd.qwant.com']",
        ),
        titles=("qwant search", "| qwant", "qwant"),
        next_link="[data-testid=buttonShowMore], [data-testid=pagination] a[rel=next], #contenerresults a[href*='p=']",
        pager="[data-testid=pagination]",
        nothing=("[data-testid=noResult]", "[data-testid=noResults]", "[class*='NoResult']"),
        no_result_phrases=("no results found", "aucun résultat", "keine ergebnisse"),
        shell=("#app:empty", "#root:empty"),
        markers={">Service unavailable</title>": ChallengeKind.BLOCKED},
    ),
)


def request(query: EngineQuery, page: int, state: State, about: EngineAbout = ABOUT) -> Request:
    country = choose_region(query)
    locale = f"{query.language}_{country.upper()}" if query.language and country else "en_US"
    params: Params = {
        "q": query.text,
        "t": "web",
        "offset": about.page_size * (page - 1),
        "locale": locale,
    }
    return get(about, query, page, "/", params)


def parse(response: Response, about: EngineAbout = ABOUT) -> Serp:
    if response.body.lstrip()[:1] == b"{":
        return read_json(about, response, lambda data: _read(about, data))
    return read_serp(about, response)


def _read(about: EngineAbout, data: Any) -> Serp:
    if data["status"] != "success":
        codes = data.get("data", {})
        if "captcha" in str(codes).lower() or codes.get("error_code") == 27:
            return Serp(about.name, challenge=Challenge(ChallengeKind.CAPTCHA, "error_code 27"))
        raise make_refusal(about.name, str(codes.get("message", "")))
    rows = data["data"]["result"]["items"]["mainline"]
    items = chain.from_iterable(row["items"] for row in rows if row.get("type") == "web")
    hits = rank_hits([make_hit(item["url"], item["title"], item.get("desc")) for item in items])
    return Serp(about.name, hits, {} if len(hits) >= about.page_size else None, no_results=not hits)
