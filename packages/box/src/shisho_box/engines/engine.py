"""The interface of an engine of the box: it parses requests, and renders rows.

Written after the engines' own pages.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from shisho_box.message import BoxRequest, BoxResponse, html
from shisho_box.world import BoxPage, World


class WrongRequest(Exception):
    """A request that the real engine would reject, because of wrong parameters for that page."""


@dataclass(frozen=True, slots=True)
class SerpRequest:
    """A request for results: page `page` (from 1) with the rows from `start` (from 0), at most `size`."""

    text: str
    page: int
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class Row:
    """A result in this engine's form. `number`: the page's own, from which an engine may derive ids."""

    url: str
    title: str
    snippet: str
    day: date
    number: int


@dataclass(frozen=True, slots=True)
class SerpContent:
    """A result page for the engine's markup. `more`: it links to a next one, with `token` if required."""

    search: SerpRequest
    rows: Sequence[Row]
    more: bool
    total: int
    token: str
    host: str


class Tokens:
    """Tokens for the next page of an engine, each tied to its query. They can be expired."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._epochs: Counter[str] = Counter()

    def give(self, engine: str, text: str, start: int) -> str:
        mark = f"{self._seed}/{engine}/{self._epochs[engine]}/{text}/{start}"
        return base64.urlsafe_b64encode(hashlib.sha256(mark.encode()).digest()[:12]).decode() + f"-{start}"

    def start(self, engine: str, text: str, token: str) -> int:
        """Return the row of a token. Raises: WrongRequest if it belongs to another query or has expired."""
        start = token.rpartition("-")[2]
        if not start.isdigit() or token != self.give(engine, text, int(start)):
            raise WrongRequest(f"{token or 'no token'} was not given for this query, or has expired")
        return int(start)

    def expire(self, engine: str) -> None:
        self._epochs[engine] += 1


@dataclass(frozen=True, slots=True)
class BoxEngine:
    """An engine.

    `hosts`: its own hosts, including those of its own pages. `read` returns the search of a request, None for
    other requests, and raises WrongRequest, which is answered by `block`. `other` answers requests that are
    no search. `address`: the engine's own URL of a page, if it has one.
    """

    name: str
    kind: str
    hosts: tuple[str, ...]
    read: Callable[[BoxRequest, Tokens], SerpRequest | None]
    show: Callable[[SerpContent], BoxResponse]
    block: Callable[[str], BoxResponse]
    address: Callable[[BoxPage], str] | None = None
    other: Callable[[BoxRequest, World], BoxResponse | BoxPage | None] = lambda request, world: None
    shell: str = ""  # the script that a browser must run before it gets results; "" if none is required
    repeats: bool = False  # past its end it shows its first page again, always with a next link
    one_language: bool = False  # it is searched in one language only


def parse_number(values: Mapping[str, str], name: str, default: int | None = None) -> int:
    """Parse a numeric parameter.

    Raises: WrongRequest if it is not a number, or is missing without a default.
    """
    value = values.get(name)
    if value is None and default is not None:
        return default
    if value is None or not value.isdigit():
        raise WrongRequest(f"{name}={value}")
    return int(value)


def request_rows(text: str | None, start: int, size: int, most: int) -> SerpRequest:
    """Return the search for the rows from `start`, the first row of one of `most` pages of `size`."""
    if not text or not text.strip():
        raise WrongRequest("no query")
    if start % size or start // size >= most:
        raise WrongRequest(f"no page begins at row {start}")
    return SerpRequest(text, start // size + 1, start, size)


def answer_refused(reason: str, title: str = "Access denied") -> BoxResponse:
    """Return the block page of engines without one of their own."""
    return html(
        f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{reason}</p></body></html>",
        403,
    )


def page(title: str, head: str, body: str) -> BoxResponse:
    """Return an HTML document."""
    return html(
        f'<!doctype html><html><head><meta charset="utf-8"><title>{title}</title>{head}</head><body>{body}</body></html>'
    )


SHELL = """<!doctype html><html><head><meta charset="utf-8"><title>{title}</title></head><body><div id="app"></div>
<script>document.cookie = "box_script=" + (6 * 7) + "; path=/; max-age=86400"; location.reload();</script></body></html>"""


def has_run_script(request: BoxRequest) -> bool:
    return request.cookies.get("box_script") == "42"
