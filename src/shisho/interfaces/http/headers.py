"""Read the credentials and the language from the headers of a request."""

from __future__ import annotations

from contextlib import suppress
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers

from shisho.interfaces.ui.reader import COOKIE as LANGUAGE_COOKIE
from shisho.messages.catalogue import choose_accepted_language
from shisho.messages.message import LANGUAGES

COOKIE = "shisho_token"


def decode_header(value: str) -> str:
    """Decode a header's value as UTF-8 if possible."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value


def read_word(headers: Headers) -> tuple[str, bool]:
    """Return the token of a request, or its cookie, and whether it is the cookie.

    Another authorization scheme gives "".
    """
    scheme, _, word = headers.get("authorization", "").partition(" ")
    if scheme.lower() in ("", "basic"):  # basic is for a proxy, which may forward it
        return read_cookie(headers, COOKIE), True
    return word.strip() if scheme.lower() == "bearer" else "", False


def read_cookie(headers: Headers, name: str) -> str:
    cookies = SimpleCookie()
    with suppress(CookieError):
        cookies.load(headers.get("cookie", ""))
    return cookies[name].value if name in cookies else ""


def read_language(headers: Headers) -> str | None:
    """Return the language chosen in the reading room, else the one that the client accepts.

    Scripts cannot set a header on an event stream, so the choice is in a cookie.
    """
    cookie = read_cookie(headers, LANGUAGE_COOKIE)
    return cookie if cookie in LANGUAGES else choose_accepted_language(headers.get("accept-language", ""))
