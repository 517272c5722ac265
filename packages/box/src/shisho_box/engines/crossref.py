"""Crossref's works, by a cursor; doi.org redirects from a DOI to the page."""

from __future__ import annotations

import json
import re
from urllib.parse import unquote

from shisho_box.engines.engine import (
    BoxEngine,
    SerpContent,
    SerpRequest,
    Tokens,
    parse_number,
    request_rows,
)
from shisho_box.message import BoxRequest, BoxResponse, json_, redirect
from shisho_box.world import BoxPage, World

_NAME = "crossref"
_DOI = "10.5555/box."  # the prefix that Crossref reserves for tests


def read(request: BoxRequest, tokens: Tokens) -> SerpRequest | None:
    if request.path != "/works":
        return None
    text = request.query.get("query", "").strip()
    cursor = request.query.get("cursor", "*")
    start = 0 if cursor == "*" else tokens.start(_NAME, text, cursor)
    return request_rows(text, start, parse_number(request.query, "rows", 20) or 20, 1_000)


def show(content: SerpContent) -> BoxResponse:
    items = [
        {"DOI": f"{_DOI}{row.number}", "URL": row.url, "title": [row.title], "abstract": f"<jats:p>{row.snippet}</jats:p>",
         "issued": {"date-parts": [[row.day.year, row.day.month, row.day.day]]}}
        for row in content.rows
    ]  # fmt: skip
    # Crossref also returns a next cursor on the last page.
    message = {
        "total-results": content.total,
        "items-per-page": content.search.size,
        "items": items,
        "next-cursor": content.token,
    }
    answer = {
        "status": "ok",
        "message-type": "work-list",
        "message-version": "1.0.0",
        "message": message,
    }
    return json_(json.dumps(answer, ensure_ascii=False))


def _block(reason: str) -> BoxResponse:
    fault = [{"type": "cursor-not-valid", "value": reason, "message": f"Not valid: {reason}"}]
    return json_(
        json.dumps({"status": "failed", "message-type": "validation-failure", "message": fault}), 400
    )


def _serve_other(request: BoxRequest, world: World) -> BoxResponse | None:
    match = re.fullmatch(rf"(/works)?/{re.escape(_DOI)}(\d+)", unquote(request.path))
    page = world.find_by_number(int(match[2])) if match else None
    if match and match[1]:
        return _serve_work(page) if page else BoxResponse(b"Resource not found.", 404)
    return redirect(page.url) if page else None


def _serve_work(page: BoxPage) -> BoxResponse:
    work = {
        "DOI": f"{_DOI}{page.number}",
        "type": "journal-article",
        "title": [page.title],
        "author": [
            {"given": "Hanako", "family": "Hako", "sequence": "first"},
            {"name": "Institute of Boxes"},
        ],
        "container-title": ["Journal of Boxes"],
        "issued": {"date-parts": [[page.day.year, page.day.month, page.day.day]]},
        "volume": str(page.number),
        "URL": page.url,
    }
    answer = {"status": "ok", "message-type": "work", "message-version": "1.0.0", "message": work}
    return json_(json.dumps(answer, ensure_ascii=False))


def _make_address(page: BoxPage) -> str:
    return f"https://doi.org/{_DOI}{page.number}"


ENGINE = BoxEngine(
    _NAME,
    "json",
    ("api.crossref.org", "doi.org"),
    read,
    show,
    _block,
    address=_make_address,
    other=_serve_other,
)
