"""Requests and responses of the box."""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from html import escape
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, quote


@dataclass(frozen=True, slots=True)
class BoxRequest:
    """A request. `host`: in lower case, without its port; `path`: unmodified; header names in lower case."""

    scheme: str
    method: str
    host: str
    path: str
    url: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def form(self) -> dict[str, str]:
        kind = self.headers.get("content-type", "")
        return (
            pairs(self.body.decode("utf-8", "replace"))
            if kind.startswith("application/x-www-form-urlencoded")
            else {}
        )

    @property
    def cookies(self) -> dict[str, str]:
        try:
            return {
                name: morsel.value for name, morsel in SimpleCookie(self.headers.get("cookie", "")).items()
            }
        except CookieError:
            return {}


class Way(StrEnum):
    """The fate of the connection: a response, no response, a reset, or a hostile script."""

    ANSWER = "answer"
    HANG = "hang"
    RESET = "reset"
    SCRIPT = "script"


@dataclass(frozen=True, slots=True)
class BoxResponse:
    """A response. `delay_s`: before the first byte; `script`: the name of a hostile script."""

    body: bytes = b""
    status: int = 200
    media_type: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    delay_s: float = 0.0
    way: Way = Way.ANSWER
    script: str = ""


def html(text: str, status: int = 200, *headers: tuple[str, str]) -> BoxResponse:
    return BoxResponse(text.encode("utf-8"), status, headers=headers)


def json_(text: str, status: int = 200) -> BoxResponse:
    return BoxResponse(text.encode("utf-8"), status, "application/json; charset=utf-8")


def xml(text: str, status: int = 200) -> BoxResponse:
    return BoxResponse(text.encode("utf-8"), status, "application/xml; charset=utf-8")


def redirect(to: str, status: int = 302, *headers: tuple[str, str]) -> BoxResponse:
    ascii_ = quote(to, safe=string.punctuation)
    return html(f'<a href="{escape(to)}">here</a>', status, ("Location", ascii_), *headers)


def pairs(text: str) -> dict[str, str]:
    """Return the parameters of a query or a form; of repeated ones, the last."""
    return dict(parse_qsl(text, keep_blank_values=True))
