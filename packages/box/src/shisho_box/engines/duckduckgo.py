"""DuckDuckGo's HTML endpoint: forms by POST, ten rows and then fifteen a page, a `vqd` from the second on."""

from __future__ import annotations

from html import escape
from urllib.parse import urlencode

from shisho_box.engines.engine import (
    BoxEngine,
    SerpContent,
    SerpRequest,
    Tokens,
    WrongRequest,
    page,
    parse_number,
)
from shisho_box.message import BoxRequest, BoxResponse, html

_FIRST = 10
_LATER = 15
_NAME = "duckduckgo"


def read(request: BoxRequest, tokens: Tokens) -> SerpRequest | None:
    if request.path != "/html/":
        return None
    text = request.form.get("q", "").strip()
    if request.method != "POST" or not text:
        raise WrongRequest("no form")
    if not request.headers.get("referer", "").startswith("https://html.duckduckgo.com/"):
        raise WrongRequest("no referer")
    if "s" not in request.form:
        if "b" not in request.form:
            raise WrongRequest("the first form has an empty `b`")
        return SerpRequest(text, 1, 0, _FIRST)
    start = parse_number(request.form, "s")
    tokens.start(_NAME, text, request.form.get("vqd", ""))
    if start < _FIRST or (start - _FIRST) % _LATER or parse_number(request.form, "dc") != start + 1:
        raise WrongRequest(f"no page begins at row {start}")
    return SerpRequest(text, (start - _FIRST) // _LATER + 2, start, _LATER)


def show(content: SerpContent) -> BoxResponse:
    text = content.search.text
    rows = "".join(
        '<div class="result results_links results_links_deep web-result"><div class="links_main links_deep result__body">'
        '<h2 class="result__title">'
        f'<a rel="nofollow" class="result__a" href="{escape(_link(row.url))}">{escape(row.title)}</a></h2>'
        f'<a class="result__snippet" href="{escape(_link(row.url))}">{escape(row.snippet)}</a></div></div>'
        for row in content.rows
    )
    body = rows or '<div class="no-results">No results.</div>'
    search = (
        f'<form id="search_form" action="/html/" method="post"><input name="q" value="{escape(text)}"></form>'
    )
    return page(
        f"{escape(text)} at DuckDuckGo",
        "",
        f'{search}<div id="links" class="results">{body}{_make_next(content)}</div>',
    )


def _link(url: str) -> str:
    return f"//duckduckgo.com/l/?{urlencode({'uddg': url, 'rut': 'box'})}"


def _make_next(content: SerpContent) -> str:
    if not content.more:
        return ""
    start = content.search.start + content.search.size
    fields = {
        "q": content.search.text,
        "s": start,
        "nextParams": "",
        "v": "l",
        "o": "json",
        "dc": start + 1,
        "api": "d.js",
        "vqd": content.token,
    }
    inputs = "".join(
        f'<input type="hidden" name="{name}" value="{escape(str(value))}">' for name, value in fields.items()
    )
    return f'<div class="nav-link"><form action="/html/" method="post"><input type="submit" value="Next">{inputs}</form></div>'


def _block(reason: str) -> BoxResponse:
    modal = '<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>'
    form = (
        f'<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html" method="post">{modal}</form>'
    )
    return html(f"<html><head><title>DuckDuckGo</title></head><body>{form}</body></html>", 202)


ENGINE = BoxEngine(_NAME, "html", ("html.duckduckgo.com",), read, show, _block)
