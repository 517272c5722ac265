"""Crossref's works, by a cursor; doi.org leads from a DOI to the page."""

from __future__ import annotations

import json
import re

from shisho.testing.box.engines.engine import BoxEngine, SerpContent, SerpRequest, Tokens, paged, whole
from shisho.testing.box.message import BoxRequest, BoxResponse, json_, redirect
from shisho.testing.box.world import BoxPage, World

_NAME = "crossref"
_DOI = "10.5555/box."  # the prefix that Crossref keeps for tests


def read(asked: BoxRequest, tokens: Tokens) -> SerpRequest | None:
    if asked.path != "/works":
        return None
    text = asked.query.get("query", "").strip()
    cursor = asked.query.get("cursor", "*")
    start = 0 if cursor == "*" else tokens.start(_NAME, text, cursor)
    return paged(text, start, whole(asked.query, "rows", 20) or 20, 1_000)


def show(shown: SerpContent) -> BoxResponse:
    items = [
        {"DOI": f"{_DOI}{row.number}", "URL": row.url, "title": [row.title], "abstract": f"<jats:p>{row.snippet}</jats:p>",
         "issued": {"date-parts": [[row.day.year, row.day.month, row.day.day]]}}
        for row in shown.rows
    ]  # fmt: skip
    # It names a next cursor on the last page too.
    message = {"total-results": shown.total, "items-per-page": shown.search.size, "items": items, "next-cursor": shown.token}
    answer = {"status": "ok", "message-type": "work-list", "message-version": "1.0.0", "message": message}
    return json_(json.dumps(answer, ensure_ascii=False))


def _block(reason: str) -> BoxResponse:
    fault = [{"type": "cursor-not-valid", "value": reason, "message": f"Not valid: {reason}"}]
    return json_(json.dumps({"status": "failed", "message-type": "validation-failure", "message": fault}), 400)


def _other(asked: BoxRequest, world: World) -> BoxResponse | None:
    found = re.fullmatch(rf"/{re.escape(_DOI)}(\d+)", asked.path)
    page = world.numbered(int(found[1])) if found else None
    return redirect(page.url) if page else None


def _address(page: BoxPage) -> str:
    return f"https://doi.org/{_DOI}{page.number}"


ENGINE = BoxEngine(_NAME, "json", ("api.crossref.org", "doi.org"), read, show, _block, address=_address, other=_other)
