"""Bing: `first` is the number of the first row, and links use its redirector.

Past the end it shows page 1 again. A script must run first.
"""

from __future__ import annotations

import base64
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
    first = parse_number(request.query, "first", 1)
    if first == 1 and "first" in request.query:
        raise WrongRequest("first=1 on the first page")
    if first > 1 and not request.query.get("FORM", "").startswith("PERE"):
        raise WrongRequest("no FORM on a later page")
    return request_rows(request.query.get("q"), first - 1, _SIZE, 100)


def show(content: SerpContent) -> BoxResponse:
    text = content.search.text
    rows = "".join(
        f'<li class="b_algo"><h2><a href="{escape(_link(row.url))}">{escape(row.title)}</a></h2>'
        f'<div class="b_caption"><p class="b_lineclamp2">{escape(row.snippet)}</p></div></li>'
        for row in content.rows
    )
    body = rows or f'<li class="b_no"><h1>There are no results for <strong>{escape(text)}</strong></h1></li>'
    link = ""
    if content.more:
        following = urlencode({"q": text, "first": content.search.start + _SIZE + 1, "FORM": "PERE"})
        anchor = f'<a class="sb_pagN" href="/search?{following}">Next</a>'
        link = f'<li class="b_pag"><ul class="sb_pagF"><li>{anchor}</li></ul></li>'
    box = f'<input name="q" value="{escape(text)}">'
    search = f'<header id="b_header"><form id="sb_form" action="/search">{box}</form></header>'
    return page(f"{escape(text)} - Bing", "", f'{search}<main><ol id="b_results">{body}{link}</ol></main>')


def _link(url: str) -> str:
    packed = base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")
    return f"https://www.bing.com/ck/a?{urlencode({'!': '', 'p': 'box', 'u': f'a1{packed}', 'ntb': 1})}"


def _block(reason: str) -> BoxResponse:
    return answer_refused("Please solve the challenge below to continue.", "Captcha")


ENGINE = BoxEngine("bing", "html", ("www.bing.com",), read, show, _block, shell="Bing", repeats=True)
