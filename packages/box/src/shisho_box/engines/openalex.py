"""OpenAlex's works, by a cursor, with abstracts as an inverted index."""

from __future__ import annotations

import json

from shisho_box.engines.engine import (
    BoxEngine,
    SerpContent,
    SerpRequest,
    Tokens,
    parse_number,
    request_rows,
)
from shisho_box.message import BoxRequest, BoxResponse, json_

_NAME = "openalex"


def read(request: BoxRequest, tokens: Tokens) -> SerpRequest | None:
    if request.path != "/works":
        return None
    text = request.query.get("search", "").strip()
    cursor = request.query.get("cursor", "*")
    start = 0 if cursor == "*" else tokens.start(_NAME, text, cursor)
    return request_rows(text, start, parse_number(request.query, "per-page", 25) or 25, 1_000)


def show(content: SerpContent) -> BoxResponse:
    works = [
        {"id": f"https://openalex.org/W{row.number}", "doi": None, "display_name": row.title,
         "publication_date": row.day.isoformat(), "primary_location": {"landing_page_url": row.url},
         "abstract_inverted_index": _invert_text(row.snippet)}
        for row in content.rows
    ]  # fmt: skip
    meta = {
        "count": content.total,
        "per_page": content.search.size,
        "next_cursor": content.token if content.more else None,
    }
    return json_(json.dumps({"meta": meta, "results": works}, ensure_ascii=False))


def _invert_text(text: str) -> dict[str, list[int]]:
    index: dict[str, list[int]] = {}
    for at, word in enumerate(text.split()):
        index.setdefault(word, []).append(at)
    return index


def _block(reason: str) -> BoxResponse:
    return json_(json.dumps({"error": "Invalid query parameters error.", "message": reason}), 400)


ENGINE = BoxEngine(_NAME, "json", ("api.openalex.org",), read, show, _block)
