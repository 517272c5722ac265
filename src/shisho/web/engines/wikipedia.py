"""Wikipedia through the MediaWiki search API; its own search page, saved, is read too."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote, urlsplit

from shisho.domain.web import EngineAbout, EngineQuery, Look, Request, Response, Serp, SerpLayout, State, Tier
from shisho.web.engines._answer import make_hit, make_refusal, rank_hits, read_json
from shisho.web.engines._asking import Params, get
from shisho.web.engines._serp import read_serp

# The search page of every MediaWiki, for saved pages; requests go to its API.
LOOK = Look(
    layouts=(SerpLayout("li.mw-search-result", ".mw-search-result-heading a", "", ".searchresult"),),
    signs=(
        ".searchresults .mw-search-results",
        ".mw-search-nonefound",
        "form#search[action='/w/index.php']",
    ),
    titles=("wikipedia", "wikimedia"),
    next_link="a.mw-nextlink",
    pager=".mw-search-pager-bottom",
    nothing=(".mw-search-nonefound",),
)

ABOUT = EngineAbout(
    name="wikipedia",
    # The language is the host: `xx` is replaced by the query's.
    site="https://xx.wikipedia.org",
    kind="json",
    tier=Tier.KNOWLEDGE,
    categories=("general", "technical", "academic"),
    interval_s=1,
    pagination="sroffset",
    look=LOOK,
)

# Nothing else may choose the host that receives the query.
_LANGUAGE = re.compile("[a-z]{2,3}")


def request(query: EngineQuery, page: int, state: State, about: EngineAbout = ABOUT) -> Request:
    params: Params = {
        "action": "query", "format": "json", "formatversion": 2, "list": "search", "srsearch": query.text,
        "srlimit": about.page_size, "sroffset": about.page_size * (page - 1), "srprop": "snippet|timestamp", "maxlag": 5,
    }  # fmt: skip
    asked_request = get(about, query, page, "/w/api.php", params)
    language = query.language if _LANGUAGE.fullmatch(query.language) else "en"
    host = about.site.replace("//xx.", f"//{language}.")
    return Request(
        asked_request.url.replace(about.site, host, 1),
        headers=asked_request.headers,
        warnings=asked_request.warnings,
    )


def parse(response: Response, about: EngineAbout = ABOUT) -> Serp:
    if response.body.lstrip()[:1] == b"<":
        return read_serp(about, response)
    host = urlsplit(response.url).hostname or urlsplit(about.site.replace("//xx.", "//en.")).hostname
    return read_json(about, response, lambda data: _read(about, f"https://{host}/wiki/", data))


def _read(about: EngineAbout, wiki: str, data: Any) -> Serp:
    if "error" in data:
        raise make_refusal(about.name, data["error"].get("info"))
    entries = data["query"]["search"]
    hits = rank_hits(
        [
            make_hit(wiki + quote(row["title"].replace(" ", "_")), row["title"], row.get("snippet"))
            for row in entries
        ]
    )
    following: State | None = {} if "sroffset" in data.get("continue", {}) else None
    return Serp(about.name, hits, following, no_results=not hits)
