"""Marginalia's API: a key in the header, pages from 1."""

from __future__ import annotations

import json

from shisho_box.engines.engine import (
    BoxEngine,
    SerpContent,
    SerpRequest,
    Tokens,
    WrongRequest,
    parse_number,
    request_rows,
)
from shisho_box.message import BoxRequest, BoxResponse, json_


def read(request: BoxRequest, tokens: Tokens) -> SerpRequest | None:
    if request.path != "/search":
        return None
    if not request.headers.get("api-key"):
        raise WrongRequest("no API-Key")
    size = parse_number(request.query, "count", 20)
    number = parse_number(request.query, "page", 1)
    if not 1 <= size <= 100 or not number:
        raise WrongRequest(f"count={size} page={number}")
    return request_rows(request.query.get("query"), size * (number - 1), size, 10)


def show(content: SerpContent) -> BoxResponse:
    rows = [
        {"url": row.url, "title": row.title, "description": row.snippet, "quality": 3.0}
        for row in content.rows
    ]
    answer = {
        "license": "CC-BY-NC-SA 4.0",
        "query": content.search.text,
        "page": content.search.page,
        "results": rows,
    }
    return json_(json.dumps(answer, ensure_ascii=False))


def _block(reason: str) -> BoxResponse:
    return json_(json.dumps({"error": reason}), 401 if "API-Key" in reason else 400)


ENGINE = BoxEngine("marginalia", "json", ("api2.marginalia-search.com",), read, show, _block)
