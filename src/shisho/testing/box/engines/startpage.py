"""Startpage: forms by POST, the session's `sc` from the second page on, and a captcha page of its own."""

from __future__ import annotations

from html import escape

from shisho.testing.box.engines.engine import BoxEngine, SerpContent, SerpRequest, Tokens, WrongRequest, page, paged, whole
from shisho.testing.box.message import BoxRequest, BoxResponse, html, redirect
from shisho.testing.box.world import BoxPage, World

_SIZE = 10
_NAME = "startpage"
_CAPTCHA = '<html><head><title>Startpage Captcha</title></head><body><div class="g-recaptcha"></div></body></html>'


def read(asked: BoxRequest, tokens: Tokens) -> SerpRequest | None:
    if asked.path != "/sp/search":
        return None
    text, number = asked.form.get("query"), whole(asked.form, "page", 1)
    if asked.method != "POST" or asked.form.get("cat") != "web" or not number:
        raise WrongRequest("no form")
    if number > 1:
        tokens.start(_NAME, (text or "").strip(), asked.form.get("sc", ""))
    return paged((text or "").strip(), _SIZE * (number - 1), _SIZE, 10)


def show(shown: SerpContent) -> BoxResponse:
    text = shown.search.text
    rows = "".join(
        f'<div class="result css-z73qjy"><a class="result-title result-link" href="{escape(row.url)}">'
        f'<h2 class="wgl-title">{escape(row.title)}</h2></a><p class="description css-1507v2l">{escape(row.snippet)}</p></div>'
        for row in shown.rows
    )
    found = rows or '<div class="no-results"><p>Sorry, there are no results for your search.</p></div>'
    search = f'<form action="/sp/search" method="post"><input name="query" value="{escape(text)}"></form>'
    return page("Startpage Search Results", "", f'{search}<section class="w-gl">{found}</section>{_pager(shown)}')


def _pager(shown: SerpContent) -> str:
    if not shown.more:
        return '<div class="pagination"></div>'
    fields = {"query": shown.search.text, "cat": "web", "page": shown.search.page + 1, "sc": shown.token}
    inputs = "".join(f'<input type="hidden" name="{name}" value="{escape(str(value))}">' for name, value in fields.items())
    return f'<div class="pagination"><form action="/sp/search" method="post">{inputs}<button>Next</button></form></div>'


def _block(reason: str) -> BoxResponse:
    return redirect("https://www.startpage.com/sp/captcha?t=box", 302)


def _other(asked: BoxRequest, world: World) -> BoxResponse | BoxPage | None:
    return html(_CAPTCHA) if asked.path == "/sp/captcha" else None


ENGINE = BoxEngine(_NAME, "html", ("www.startpage.com",), read, show, _block, other=_other)
