"""Which engine a saved page is of, by what the page says of itself: its addresses, its own marks, its title."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

from shisho.domain.web import EngineAbout, Response
from shisho.web.engines._answer import decode
from shisho.web.engines._markup import Page, attribute

_ADDRESSES = (
    ("link[rel=canonical]", "href"), ("meta[property='og:url']", "content"), ("link[rel=search]", "href"),
    ("link[rel=EditURI]", "href"), ("form[action^=http]", "action"), ("form[action^='//']", "action"), ("base", "href"),
)  # fmt: skip
_TITLE_END = re.compile(r"\s[-–—|]\s|: ")

_JSON: tuple[tuple[str, Callable[[Any], bool]], ...] = (
    ("crossref", lambda d: "message-type" in d),
    ("openalex", lambda d: "meta" in d and "results" in d),
    ("wikipedia", lambda d: "search" in d.get("query", {})),
    ("wikidata", lambda d: "search" in d and "searchinfo" in d),
    ("brave_api", lambda d: d.get("type") == "search" and "query" in d),
    ("semantic_scholar", lambda d: "data" in d and isinstance(d["data"], list) and "total" in d),
    ("qwant", lambda d: "status" in d and "data" in d),
    ("marginalia", lambda d: "license" in d and "results" in d),
    ("searxng", lambda d: "results" in d and "query" in d),
)
_XML = (("http://www.w3.org/2005/Atom", "arxiv"), ("<eSearchResult", "pubmed"), ("<PubmedArticleSet", "pubmed"))


def detect_engine(response: Response, abouts: Iterable[EngineAbout]) -> str | None:
    """The engine's name, or None where nothing on the page speaks for one."""
    start = response.body.lstrip()[:1]
    if start in (b"{", b"["):
        return _of_json(response)
    head = decode(response)[:4000]
    if "<html" not in head.lower():
        for mark, name in _XML:
            if mark in head:
                return name
    return _of_html(Page(response, ""), abouts)


def _of_json(response: Response) -> str | None:
    try:
        data = json.loads(decode(response))
        return next((name for name, fits in _JSON if fits(data)), None)
    except (ValueError, RecursionError, AttributeError, TypeError):
        return None


def _of_html(page: Page, abouts: Iterable[EngineAbout]) -> str | None:
    hosts = [_host(page.response.url), *(_host(attribute(page.first(selector), name)) for selector, name in _ADDRESSES)]
    ending = _TITLE_END.split(page.title.lower())[-1]
    start = page.title.lower()
    best, name = 0, None
    for about in abouts:
        domain = _domain(_host(about.site))
        score = 4 * any(domain and f".{host}.".find(f".{domain}.") >= 0 for host in hosts)
        score += 2 * sum(page.has(sign) for sign in about.look.signs)
        score += any(title in ending or start.startswith(title) for title in about.look.titles)
        if score > best:
            best, name = score, about.name
    return name


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def _domain(host: str) -> str:
    """The name without its top level, for google.de is google; none for an address."""
    labels = host.split(".")
    return labels[-2] if len(labels) > 1 and not labels[-1].isdigit() else ""
