"""arXiv's Atom API, and the pages of its papers."""

from __future__ import annotations

import re
from html import escape

from shisho.testing.box.engines.engine import BoxEngine, SerpContent, SerpRequest, Tokens, paged, whole
from shisho.testing.box.message import BoxRequest, BoxResponse, xml
from shisho.testing.box.world import BoxPage, World

_FIELD = re.compile(r"\b(?:all|ti|abs|submittedDate):|\[[^\]]*\]|\bAND\b|[()\"]")
_FEED = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"><title>ArXiv Query</title>
<opensearch:totalResults>{total}</opensearch:totalResults><opensearch:startIndex>{start}</opensearch:startIndex>
<opensearch:itemsPerPage>{size}</opensearch:itemsPerPage>{entries}</feed>"""
_ENTRY = "<entry><id>{id}</id><published>{day}T00:00:00Z</published><title>{title}</title><summary>{summary}</summary></entry>"


def read(asked: BoxRequest, tokens: Tokens) -> SerpRequest | None:
    if asked.path != "/api/query":
        return None
    words = " ".join(_FIELD.sub(" ", asked.query.get("search_query", "")).split())
    return paged(words, whole(asked.query, "start", 0), whole(asked.query, "max_results", 10) or 10, 1_000)


def show(shown: SerpContent) -> BoxResponse:
    entries = "".join(
        _ENTRY.format(id=escape(row.url), day=row.day, title=escape(row.title), summary=escape(row.snippet))
        for row in shown.rows
    )
    return xml(_FEED.format(total=shown.total, start=shown.search.start, size=shown.search.size, entries=entries))


def _block(reason: str) -> BoxResponse:
    error = _ENTRY.format(id="http://arxiv.org/api/errors#box", day="2026-01-01", title="Error", summary=escape(reason))
    return xml(_FEED.format(total=1, start=0, size=1, entries=error), 400)


def _other(asked: BoxRequest, world: World) -> BoxPage | None:
    found = re.fullmatch(r"/abs/2101\.(\d{5})(?:v1)?", asked.path)
    return world.numbered(int(found[1])) if found else None


ENGINE = BoxEngine(
    "arxiv", "xml", ("export.arxiv.org", "arxiv.org"), read, show, _block,
    address=lambda page: f"http://arxiv.org/abs/2101.{page.number:05}v1", other=_other,
)  # fmt: skip
