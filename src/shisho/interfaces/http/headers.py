"""The headers of a request that tell who sends it, and in which language they read."""

from __future__ import annotations

from contextlib import suppress
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers

from shisho.interfaces.ui.reader import COOKIE as LANGUAGE_COOKIE
from shisho.messages.catalogue import choose_accepted_language
from shisho.messages.po import LANGUAGES

COOKIE = "shisho_token"


def decode_header(value: str) -> str:
    """A header's value: its bytes are UTF-8 where they can be."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value


def read_word(headers: Headers) -> tuple[str, bool]:
    """The token that a request brings, or the cookie, and whether it is the cookie. Brought in
    another form it is none: ""."""
    scheme, _, word = headers.get("authorization", "").partition(" ")
    if scheme.lower() in ("", "basic"):  # the latter is for a proxy, which may hand it on
        return read_cookie(headers, COOKIE), True
    return word.strip() if scheme.lower() == "bearer" else "", False


def read_cookie(headers: Headers, name: str) -> str:
    cookies = SimpleCookie()
    with suppress(CookieError):
        cookies.load(headers.get("cookie", ""))
    return cookies[name].value if name in cookies else ""


def read_language(headers: Headers) -> str | None:
    """What a reader chose in the room, where scripts cannot say it for a stream; else what the client
    accepts."""
    cookie = read_cookie(headers, LANGUAGE_COOKIE)
    return cookie if cookie in LANGUAGES else choose_accepted_language(headers.get("accept-language", ""))
