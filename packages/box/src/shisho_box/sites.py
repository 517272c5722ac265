"""The hosts of pages: robots.txt, pages with validators, and one host for each difficulty of a crawler."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, time
from email.utils import format_datetime, parsedate_to_datetime
from html import escape

from shisho_box.challenges import challenge, is_solved
from shisho_box.layout import render
from shisho_box.message import BoxRequest, BoxResponse, Way, html, redirect
from shisho_box.rules import RuleAction
from shisho_box.world import BoxPage

_ALLOWED = b"User-agent: *\nDisallow:\n"
_STORY = "港の古い時計台は、一日に三度だけ鐘を鳴らす。鐘の音は霧の日でも沖の舟まで届くと言われている。"
_ARTICLE = (
    "<html lang='ja'><head>{head}<title>{title}</title></head>"
    "<body><article><h1>{title}</h1><p>{text}</p></article></body></html>"
)
_MADE_LATER = f"""document.getElementById("root").innerHTML =
"<article><h1>時計台の鐘</h1>" + "<p>{_STORY}</p>".repeat(3) + "</article>";"""


def page(box_page: BoxPage, request: BoxRequest) -> BoxResponse:
    """Return a page, or 304 if the client has it cached."""
    body = render(box_page)
    tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    changed = datetime.combine(box_page.day, time(), UTC)
    headers = (("ETag", tag), ("Last-Modified", format_datetime(changed, usegmt=True)))
    if _is_known(request.headers, tag, changed):
        return BoxResponse(b"", 304, box_page.media_type, headers)
    return BoxResponse(body, 200, box_page.media_type, headers)


def _is_known(headers: Mapping[str, str], tag: str, changed: datetime) -> bool:
    if "if-none-match" in headers:
        return tag in headers["if-none-match"]
    try:
        return parsedate_to_datetime(headers.get("if-modified-since", "")) >= changed
    except (TypeError, ValueError):
        return False


def article(title: str = "時計台の鐘", text: str = _STORY, head: str = "", paragraphs: int = 3) -> str:
    return _ARTICLE.format(title=title, head=head, text="</p><p>".join([text] * paragraphs))


def answer_by_script(answer: BoxResponse) -> BoxResponse:
    """Return the same page, built by a script."""
    body = json.dumps(answer.body.decode()).replace("</", "<\\/")
    script = f"<script>document.open(); document.write({body}); document.close();</script>"
    return html(
        f'<!doctype html><html><head><meta charset="utf-8"></head><body><div id="root"></div>{script}</body></html>'
    )


def encode_in_shift_jis(answer: BoxResponse) -> BoxResponse:
    """Return the same page in undeclared Shift_JIS."""
    text = answer.body.decode().replace('<meta charset="utf-8">', "")
    return replace(answer, body=text.encode("cp932", "xmlcharrefreplace"), media_type="text/html", headers=())


def home(name: str) -> BoxResponse:
    """Return the home page of an engine."""
    return html(f"<html><head><title>{name}</title></head><body><h1>{name}</h1></body></html>")


def answer_missing() -> BoxResponse:
    return html("<html><title>404</title><body><p>Not found.</p></body></html>", 404)


def robots(text: str = "", status: int = 200, delay_s: float = 0.0) -> BoxResponse:
    return BoxResponse(text.encode() or _ALLOWED, status, "text/plain; charset=utf-8", delay_s=delay_s)


def _serve_redirects(request: BoxRequest, port: int) -> BoxResponse:
    """Redirect by path.

    /301 and similar redirect to /end; /loop to itself; /chain/N to /chain/N-1 and finally to /end; /away to
    another host; /loopback, /metadata, /private to forbidden addresses; /to?url= anywhere.
    """
    origin = f"{request.scheme}://{request.host}"
    kind, _, rest = request.path.strip("/").partition("/")
    targets = {
        "loop": f"{origin}/loop",
        "away": "https://script.example/plain",
        "loopback": f"http://127.0.0.1:{port}/",
        "metadata": "http://169.254.169.254/latest/meta-data/",
        "private": "http://10.0.0.1/",
        "file": "file:///etc/passwd",
        "to": request.query.get("url", f"{origin}/end"),
    }
    if kind in targets:
        return redirect(targets[kind])
    if kind in ("301", "302", "303", "307", "308"):
        return redirect(f"{origin}/end", int(kind))
    if kind == "chain" and rest.isdigit():
        return redirect(f"{origin}/chain/{int(rest) - 1}" if int(rest) > 1 else f"{origin}/end")
    return html(article()) if kind == "end" else answer_missing()


def _serve_charsets(request: BoxRequest, port: int) -> BoxResponse:
    """Serve other encodings.

    /sjis and /eucjp have no charset in their header (the first has it in the page); /sjis-header only has it
    there.
    """
    declared = '<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">'
    match request.path:
        case "/sjis":
            return BoxResponse(article(head=declared).encode("cp932"), media_type="text/html")
        case "/sjis-header":
            return BoxResponse(article().encode("cp932"), media_type="text/html; charset=Shift_JIS")
        case "/eucjp":
            return BoxResponse(article().encode("euc_jp"), media_type="text/html")
        case "/wrong":  # the header is wrong
            return BoxResponse(
                article(head='<meta charset="euc-jp">').encode("euc_jp"),
                media_type="text/html; charset=iso-8859-1",
            )
        case _:
            return answer_missing()


def _serve_script(request: BoxRequest, port: int) -> BoxResponse:
    """Serve pages with scripts.

    /story has its text only after a script has run; /plain at once; /never promises it and has none.
    """
    if request.path == "/plain":
        return html(article())
    if request.path not in ("/story", "/never"):
        return answer_missing()
    script = f"<script>{_MADE_LATER if request.path == '/story' else ''}</script>"
    head = '<meta charset="utf-8"><title>時計台の鐘</title>'
    return html(
        f'<!doctype html><html lang="ja"><head>{head}</head><body><div id="root"></div>{script}</body></html>'
    )


def _serve_soft(request: BoxRequest, port: int) -> BoxResponse:
    return html(
        article(
            "ページが見つかりません",
            "お探しのページは移動または削除された可能性があります。",
            paragraphs=1,
        )
    )


def _serve_wall(request: BoxRequest, port: int) -> BoxResponse:
    """Serve /captcha, /turnstile, /consent, /login, /js_challenge and /blocked, all for the same article."""
    kind = request.path.strip("/")
    if kind not in set(RuleAction):
        return answer_missing()
    return html(article()) if is_solved(request) else challenge(RuleAction(kind), request)


def _serve_status(request: BoxRequest, port: int) -> BoxResponse:
    """Serve /<status>, with Retry-After: 2 if clients should obey it; /hang never answers, /reset resets."""
    kind = request.path.strip("/")
    if kind in ("hang", "reset"):
        return BoxResponse(way=Way(kind))
    if not kind.isdigit() or not 200 <= int(kind) <= 599:
        return answer_missing()
    headers = (("Retry-After", "2"),) if kind in ("429", "503") else ()
    return html(f"<html><title>{kind}</title><body><p>{escape(kind)}</p></body></html>", int(kind), *headers)


def _read(request: BoxRequest, port: int) -> BoxResponse:
    return html(article())


ODD: Mapping[str, Callable[[BoxRequest, int], BoxResponse]] = {
    "redirect.example": _serve_redirects,
    "charset.example": _serve_charsets,
    "script.example": _serve_script,
    "soft404.example": _serve_soft,
    "wall.example": _serve_wall,
    "status.example": _serve_status,
} | {f"robots-{kind}.example": _read for kind in ("shut", "part", "none", "broken", "slow", "large")}
"""Hosts that each show one thing; the functions say which paths."""

ROBOTS: Mapping[str, Callable[[], BoxResponse]] = {
    "robots-shut.example": lambda: robots("User-agent: *\nDisallow: /\n"),
    "robots-part.example": lambda: robots(
        "User-agent: *\nCrawl-delay: 2\nDisallow: /private/\nAllow: /private/open\n"
    ),
    "robots-none.example": answer_missing,
    "robots-broken.example": lambda: html("<p>broken</p>", 500),
    "robots-slow.example": lambda: robots(delay_s=5.0),
    "robots-large.example": lambda: robots("User-agent: *\n" + "Disallow: /private/\n" * 60_000),
}
