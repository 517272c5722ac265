"""arXiv's Atom API, and the pages of its papers."""

from __future__ import annotations

import re
from html import escape

from shisho_box.engines.engine import (
    BoxEngine,
    SerpContent,
    SerpRequest,
    Tokens,
    parse_number,
    request_rows,
)
from shisho_box.message import BoxRequest, BoxResponse, xml
from shisho_box.world import BoxPage, World

_FIELD = re.compile(r"\b(?:all|ti|abs|submittedDate):|\[[^\]]*\]|\bAND\b|[()\"]")
_FEED = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"><title>ArXiv Query</title>
<opensearch:totalResults>{total}</opensearch:totalResults><opensearch:startIndex>{start}</opensearch:startIndex>
<opensearch:itemsPerPage>{size}</opensearch:itemsPerPage>{entries}</feed>"""
_ENTRY = "<entry><id>{id}</id><published>{day}T00:00:00Z</published><title>{title}</title><summary>{summary}</summary></entry>"


def read(request: BoxRequest, tokens: Tokens) -> SerpRequest | None:
    if request.path != "/api/query":
        return None
    words = " ".join(_FIELD.sub(" ", request.query.get("search_query", "")).split())
    return request_rows(
        words,
        parse_number(request.query, "start", 0),
        parse_number(request.query, "max_results", 10) or 10,
        1_000,
    )


def show(content: SerpContent) -> BoxResponse:
    entries = "".join(
        _ENTRY.format(id=escape(row.url), day=row.day, title=escape(row.title), summary=escape(row.snippet))
        for row in content.rows
    )
    return xml(
        _FEED.format(
            total=content.total, start=content.search.start, size=content.search.size, entries=entries
        )
    )


def _block(reason: str) -> BoxResponse:
    error = _ENTRY.format(
        id="http://arxiv.org/api/errors#box", day="2026-01-01", title="Error", summary=escape(reason)
    )
    return xml(_FEED.format(total=1, start=0, size=1, entries=error), 400)


def _serve_other(request: BoxRequest, world: World) -> BoxPage | None:
    match = re.fullmatch(r"/abs/2101\.(\d{5})(?:v1)?", request.path)
    return world.find_by_number(int(match[1])) if match else None


ENGINE = BoxEngine(
    "arxiv", "xml", ("export.arxiv.org", "arxiv.org"), read, show, _block,
    address=lambda page: f"http://arxiv.org/abs/2101.{page.number:05}v1", other=_serve_other,
)  # fmt: skip
