"""Startpage: forms by POST, the session's `sc` from the second page on, and a captcha page of its own."""

from __future__ import annotations

from html import escape

from shisho_box.engines.engine import (
    BoxEngine,
    SerpContent,
    SerpRequest,
    Tokens,
    WrongRequest,
    page,
    parse_number,
    request_rows,
)
from shisho_box.message import BoxRequest, BoxResponse, html, redirect
from shisho_box.world import BoxPage, World

_SIZE = 10
_NAME = "startpage"
_CAPTCHA = (
    '<html><head><title>Startpage Captcha</title></head><body><div class="g-recaptcha"></div></body></html>'
)


def read(request: BoxRequest, tokens: Tokens) -> SerpRequest | None:
    if request.path != "/sp/search":
        return None
    text = request.form.get("query")
    number = parse_number(request.form, "page", 1)
    if request.method != "POST" or request.form.get("cat") != "web" or not number:
        raise WrongRequest("no form")
    if number > 1:
        tokens.start(_NAME, (text or "").strip(), request.form.get("sc", ""))
    return request_rows((text or "").strip(), _SIZE * (number - 1), _SIZE, 10)


def show(content: SerpContent) -> BoxResponse:
    text = content.search.text
    rows = "".join(
        f'<div class="result css-z73qjy"><a class="result-title result-link" href="{escape(row.url)}">'
        f'<h2 class="wgl-title">{escape(row.title)}</h2></a><p class="description css-1507v2l">{escape(row.snippet)}</p></div>'
        for row in content.rows
    )
    body = rows or '<div class="no-results"><p>Sorry, there are no results for your search.</p></div>'
    search = f'<form action="/sp/search" method="post"><input name="query" value="{escape(text)}"></form>'
    return page(
        "Startpage Search Results",
        "",
        f'{search}<section class="w-gl">{body}</section>{_make_pager(content)}',
    )


def _make_pager(content: SerpContent) -> str:
    if not content.more:
        return '<div class="pagination"></div>'
    fields = {
        "query": content.search.text,
        "cat": "web",
        "page": content.search.page + 1,
        "sc": content.token,
    }
    inputs = "".join(
        f'<input type="hidden" name="{name}" value="{escape(str(value))}">' for name, value in fields.items()
    )
    return f'<div class="pagination"><form action="/sp/search" method="post">{inputs}<button>Next</button></form></div>'


def _block(reason: str) -> BoxResponse:
    return redirect("https://www.startpage.com/sp/captcha?t=box", 302)


def _serve_other(request: BoxRequest, world: World) -> BoxResponse | BoxPage | None:
    return html(_CAPTCHA) if request.path == "/sp/captcha" else None


ENGINE = BoxEngine(_NAME, "html", ("www.startpage.com",), read, show, _block, other=_serve_other)
