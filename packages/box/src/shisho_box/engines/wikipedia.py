"""Wikipedia's search API, and its articles: the box's pages under their titles."""

from __future__ import annotations

import json
from html import escape
from urllib.parse import quote, unquote

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
from shisho_box.world import BoxPage, World


def read(request: BoxRequest, tokens: Tokens) -> SerpRequest | None:
    if request.path != "/w/api.php":
        return None
    if request.query.get("list") != "search" or request.query.get("format") != "json":
        raise WrongRequest("Unrecognized value for parameter list or format")
    size = parse_number(request.query, "srlimit", 10)
    if not 1 <= size <= 50:
        raise WrongRequest(f"srlimit={size}")
    return request_rows(
        request.query.get("srsearch"), parse_number(request.query, "sroffset", 0), size, 1_000
    )


def show(content: SerpContent) -> BoxResponse:
    rows = [
        {"ns": 0, "title": row.title, "pageid": row.number + 1, "snippet": f"<span>{escape(row.snippet)}</span>",
         "timestamp": f"{row.day}T00:00:00Z"}
        for row in content.rows
    ]  # fmt: skip
    more = (
        {"continue": {"sroffset": content.search.start + content.search.size, "continue": "-||"}}
        if content.more
        else {}
    )
    answer = {
        "batchcomplete": True,
        **more,
        "query": {"searchinfo": {"totalhits": content.total}, "search": rows},
    }
    return json_(json.dumps(answer, ensure_ascii=False))


def _block(reason: str) -> BoxResponse:
    return json_(json.dumps({"error": {"code": "badvalue", "info": reason}}))


def _serve_other(request: BoxRequest, world: World) -> BoxPage | None:
    # Its URLs have underscores for spaces, and no title of the box has an underscore.
    return world.by_title.get(unquote(request.path.removeprefix("/wiki/")).replace("_", " "))


def _make_address(page: BoxPage) -> str:
    return f"https://{page.topic.language}.wikipedia.org/wiki/{quote(page.title.replace(' ', '_'))}"


ENGINE = BoxEngine(
    "wikipedia",
    "json",
    ("ja.wikipedia.org", "en.wikipedia.org"),
    read,
    show,
    _block,
    address=_make_address,
    other=_serve_other,
    one_language=True,
)
