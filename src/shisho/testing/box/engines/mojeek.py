"""Mojeek: the offset is `s`, and a first page that names it is taken for a robot's."""

from __future__ import annotations

from html import escape
from urllib.parse import urlencode

from shisho.testing.box.engines.engine import (
    BoxEngine,
    SerpContent,
    SerpRequest,
    Tokens,
    WrongRequest,
    page,
    paged,
    refused,
    whole,
)
from shisho.testing.box.message import BoxRequest, BoxResponse

_SIZE = 10


def read(asked: BoxRequest, tokens: Tokens) -> SerpRequest | None:
    if asked.path != "/search":
        return None
    if asked.query.get("s") == "0":
        raise WrongRequest("s=0 on the first page")
    return paged(asked.query.get("q"), whole(asked.query, "s", 0), _SIZE, 10)


def show(shown: SerpContent) -> BoxResponse:
    text = shown.search.text
    form = f'<form name="sf1" action="/search"><input name="q" value="{escape(text)}"></form>'
    rows = "".join(
        f'<li class="r{at}"><a class="ob" href="{escape(row.url)}"><p class="i">{escape(row.url)}</p></a>'
        f'<h2><a class="title" href="{escape(row.url)}">{escape(row.title)}</a></h2><p class="s">{escape(row.snippet)}</p></li>'
        for at, row in enumerate(shown.rows, shown.search.start + 1)
    )
    if not rows:
        found = f'<div class="results"><p class="no-results">No pages found matching <b>{escape(text)}</b></p></div>'
    else:
        found = f'<div class="results"><ul class="results-standard">{rows}</ul></div>'
    return page(f"{escape(text)} - Mojeek Search", "", form + found + _pager(shown))


def _pager(shown: SerpContent) -> str:
    start, text = shown.search.start, shown.search.text
    links = f'<a href="/search?{urlencode({"q": text, "s": start - _SIZE})}">Previous</a>' if start > _SIZE else ""
    if shown.more:
        links += f'<a href="/search?{urlencode({"q": text, "s": start + _SIZE})}">Next</a>'
    return f'<div class="pagination"><ul>{links}</ul></div>'


def _block(reason: str) -> BoxResponse:
    return refused("Sorry, your network appears to be sending automated queries.", "403 - Forbidden")


ENGINE = BoxEngine("mojeek", "html", ("www.mojeek.com",), read, show, _block)
