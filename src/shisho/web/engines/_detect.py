"""Detection of the engine of a saved page or response."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from shisho.domain.web import EngineAbout, Response
from shisho.web.engines._answer import decode
from shisho.web.engines._markup import ResultMarkup, score_affinity

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
_XML = (
    ("http://www.w3.org/2005/Atom", "arxiv"),
    ("<eSearchResult", "pubmed"),
    ("<PubmedArticleSet", "pubmed"),
)


def detect_engine(response: Response, abouts: Iterable[EngineAbout]) -> str | None:
    """Return the engine's name, or None if nothing on the page indicates one."""
    start = response.body.lstrip()[:1]
    if start in (b"{", b"["):
        return _detect_in_json(response)
    head = decode(response)[:4000]
    if "<html" not in head.lower():
        for mark, name in _XML:
            if mark in head:
                return name
    return _detect_in_html(ResultMarkup(response, ""), abouts)


def _detect_in_json(response: Response) -> str | None:
    try:
        data = json.loads(decode(response))
        return next((name for name, fits in _JSON if fits(data)), None)
    except (ValueError, RecursionError, AttributeError, TypeError):
        return None


def _detect_in_html(page: ResultMarkup, abouts: Iterable[EngineAbout]) -> str | None:
    best = max(abouts, key=lambda about: score_affinity(page, about))
    return best.name if score_affinity(page, best) else None
