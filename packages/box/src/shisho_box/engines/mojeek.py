"""Mojeek: the offset is `s`; a first page with an offset is treated as a robot's request."""

from __future__ import annotations

from html import escape
from urllib.parse import urlencode

from shisho_box.engines.engine import (
    BoxEngine,
    SerpContent,
    SerpRequest,
    Tokens,
    WrongRequest,
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
    if request.query.get("s") == "0":
        raise WrongRequest("s=0 on the first page")
    return request_rows(request.query.get("q"), parse_number(request.query, "s", 0), _SIZE, 10)


def show(content: SerpContent) -> BoxResponse:
    text = content.search.text
    form = f'<form name="sf1" action="/search"><input name="q" value="{escape(text)}"></form>'
    rows = "".join(
        f'<li class="r{at}"><a class="ob" href="{escape(row.url)}"><p class="i">{escape(row.url)}</p></a>'
        f'<h2><a class="title" href="{escape(row.url)}">{escape(row.title)}</a></h2><p class="s">{escape(row.snippet)}</p></li>'
        for at, row in enumerate(content.rows, content.search.start + 1)
    )
    if not rows:
        body = f'<div class="results"><p class="no-results">No pages found matching <b>{escape(text)}</b></p></div>'
    else:
        body = f'<div class="results"><ul class="results-standard">{rows}</ul></div>'
    return page(f"{escape(text)} - Mojeek Search", "", form + body + _make_pager(content))


def _make_pager(content: SerpContent) -> str:
    start = content.search.start
    text = content.search.text
    links = (
        f'<a href="/search?{urlencode({"q": text, "s": start - _SIZE})}">Previous</a>'
        if start > _SIZE
        else ""
    )
    if content.more:
        links += f'<a href="/search?{urlencode({"q": text, "s": start + _SIZE})}">Next</a>'
    return f'<div class="pagination"><ul>{links}</ul></div>'


def _block(reason: str) -> BoxResponse:
    return answer_refused("Sorry, your network appears to be sending automated queries.", "403 - Forbidden")


ENGINE = BoxEngine("mojeek", "html", ("www.mojeek.com",), read, show, _block)
