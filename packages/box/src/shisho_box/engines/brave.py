"""Brave Search: `offset` counts pages from 0, with a captcha after the tenth. A script must run first."""

from __future__ import annotations

from html import escape
from urllib.parse import urlencode

from shisho_box.engines.engine import (
    BoxEngine,
    SerpContent,
    SerpRequest,
    Tokens,
    page,
    parse_number,
    request_rows,
)
from shisho_box.message import BoxRequest, BoxResponse, html

_SIZE = 20
_MOST = 10


def read(request: BoxRequest, tokens: Tokens) -> SerpRequest | None:
    if request.path != "/search":
        return None
    return request_rows(
        request.query.get("q"), _SIZE * parse_number(request.query, "offset", 0), _SIZE, _MOST
    )


def show(content: SerpContent) -> BoxResponse:
    text = content.search.text
    rows = "".join(
        f'<div class="snippet fdb" data-type="web" data-pos="{at}"><a class="heading-serpresult" href="{escape(row.url)}">'
        f'<div class="title">{escape(row.title)}</div></a><div class="generic-snippet"><div class="content">'
        f"{escape(row.snippet)}</div></div></div>"
        for at, row in enumerate(content.rows)
    )
    markup = rows or '<div class="no-results"><p>Not many great matches came back for your search</p></div>'
    head = '<link rel="preconnect" href="https://cdn.search.brave.com">'
    link = ""
    if content.more and content.search.page < _MOST:
        link = f'<a href="/search?{urlencode({"q": text, "offset": content.search.page})}">Next</a>'
    body = f'<main><div id="results">{markup}</div><div id="pagination">{link}</div></main>'
    return page(f"{escape(text)} - Brave Search", head, body)


def _block(reason: str) -> BoxResponse:
    return html(
        '<html><head><title>Brave Search</title></head><body><div id="captcha-challenge"></div></body></html>',
        429,
    )


ENGINE = BoxEngine("brave", "html", ("search.brave.com",), read, show, _block, shell="Brave Search")
