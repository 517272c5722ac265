"""Ecosia: pages counted from 0 by `p`, behind a script that must run first."""

from __future__ import annotations

from html import escape
from urllib.parse import urlencode

from shisho_box.engines.engine import (
    BoxEngine,
    SerpContent,
    SerpRequest,
    Tokens,
    answer_refused,
    page,
    parse_number,
    request_rows,
)
from shisho_box.message import BoxRequest, BoxResponse

_SIZE = 10


def read(request: BoxRequest, tokens: Tokens) -> SerpRequest | None:
    if request.path != "/search":
        return None
    return request_rows(request.query.get("q"), _SIZE * parse_number(request.query, "p", 0), _SIZE, 10)


def show(content: SerpContent) -> BoxResponse:
    text = content.search.text
    rows = "".join(
        '<article class="result web-result" data-test-id="organic-result"><div class="result__title">'
        f'<a class="result__link" href="{escape(row.url)}"><h2>{escape(row.title)}</h2></a></div>'
        f'<div class="web-result__description"><p>{escape(row.snippet)}</p></div></article>'
        for row in content.rows
    )
    body = rows or '<div data-test-id="web-no-results"><p>No results found</p></div>'
    search = f'<form class="search-form" action="/search"><input name="q" value="{escape(text)}"></form>'
    following = urlencode({"q": text, "p": content.search.page})
    link = f'<a data-test-id="next-button" href="/search?{following}">Next</a>' if content.more else ""
    pager = f'<nav data-test-id="web-pagination">{link}</nav>'
    return page(
        f"{escape(text)} - Ecosia - Web",
        "",
        f'{search}<section class="mainline">{body}</section>{pager}',
    )


def _block(reason: str) -> BoxResponse:
    return answer_refused("Sorry, you have been blocked", "Attention Required! | Cloudflare")


ENGINE = BoxEngine("ecosia", "html", ("www.ecosia.org",), read, show, _block, shell="Ecosia")
