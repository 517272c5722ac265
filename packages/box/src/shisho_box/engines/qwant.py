"""Qwant: five pages by `offset`, behind a script that must run first."""

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
_MOST = 5


def read(request: BoxRequest, tokens: Tokens) -> SerpRequest | None:
    if request.path != "/" or "q" not in request.query:
        return None
    return request_rows(request.query.get("q"), parse_number(request.query, "offset", 0), _SIZE, _MOST)


def show(content: SerpContent) -> BoxResponse:
    text = content.search.text
    rows = "".join(
        f'<div data-testid="webResult"><a class="external" href="{escape(row.url)}"><span class="HhS7p__title">'
        f'{escape(row.title)}</span></a><div class="aVNer__description">{escape(row.snippet)}</div></div>'
        for row in content.rows
    )
    body = rows or '<div data-testid="noResult"><p>No results found</p></div>'
    search = f'<form data-testid="mainSearchBar"><input name="q" value="{escape(text)}"></form>'
    more = content.more and content.search.page < _MOST
    following = urlencode({"q": text, "offset": content.search.start + _SIZE})
    link = f'<a rel="next" href="/?{following}">Next</a>' if more else ""
    pager = f'<div data-testid="pagination">{link}</div>'
    return page(
        f"{escape(text)} - Qwant Search",
        "",
        f'{search}<div data-testid="sectionWeb">{body}</div>{pager}',
    )


def _block(reason: str) -> BoxResponse:
    return answer_refused("Qwant is not available here.", "Service unavailable")


ENGINE = BoxEngine("qwant", "html", ("www.qwant.com",), read, show, _block, shell="Qwant")
