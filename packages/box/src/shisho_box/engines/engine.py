"""The interface of an engine of the box: how it reads a request, and how it shows rows. Written after
the engines' own pages."""

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
    """A request that the real engine would not take: its parameters are not those of that page."""


@dataclass(frozen=True, slots=True)
class SerpRequest:
    """A request for results: page `page` (from 1), which is the rows from `start` (from 0), at most
    `size`."""

    text: str
    page: int
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class Row:
    """A result as this engine names it. `number` is the page's own, from which an engine may make ids."""

    url: str
    title: str
    snippet: str
    day: date
    number: int


@dataclass(frozen=True, slots=True)
class SerpContent:
    """A result page to be set in the engine's markup. `more`: it leads to a next one, with `token` where it
    needs one."""

    search: SerpRequest
    rows: Sequence[Row]
    more: bool
    total: int
    token: str
    host: str


class Tokens:
    """Tokens that an engine wants back with the next page. Each is tied to the query, and can be made to
    expire."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._epochs: Counter[str] = Counter()

    def give(self, engine: str, text: str, start: int) -> str:
        mark = f"{self._seed}/{engine}/{self._epochs[engine]}/{text}/{start}"
        return base64.urlsafe_b64encode(hashlib.sha256(mark.encode()).digest()[:12]).decode() + f"-{start}"

    def start(self, engine: str, text: str, token: str) -> int:
        """The row a token leads to. Raises Wrong where it was not given for this query, or has expired."""
        start = token.rpartition("-")[2]
        if not start.isdigit() or token != self.give(engine, text, int(start)):
            raise WrongRequest(f"{token or 'no token'} was not given for this query, or has expired")
        return int(start)

    def expire(self, engine: str) -> None:
        self._epochs[engine] += 1


@dataclass(frozen=True, slots=True)
class BoxEngine:
    """`hosts`: where it is asked, and where the pages stand that it alone has. `read` gives the search of a
    request, None where it is for something else, and raises Wrong; `block` is what it answers then. `other`
    answers what is no search. `address`: under which address it names a page, where that is not the page's
    own."""

    name: str
    kind: str
    hosts: tuple[str, ...]
    read: Callable[[BoxRequest, Tokens], SerpRequest | None]
    show: Callable[[SerpContent], BoxResponse]
    block: Callable[[str], BoxResponse]
    address: Callable[[BoxPage], str] | None = None
    other: Callable[[BoxRequest, World], BoxResponse | BoxPage | None] = lambda request, world: None
    shell: str = ""  # what a browser must run before it gets results; "" where none is needed
    repeats: bool = False  # past its end it shows its first page again, and always a way on
    one_language: bool = False  # it is asked for pages of one language


def parse_number(values: Mapping[str, str], name: str, default: int | None = None) -> int:
    """A parameter that is a number. Raises Wrong where it is none, or missing without a default."""
    value = values.get(name)
    if value is None and default is not None:
        return default
    if value is None or not value.isdigit():
        raise WrongRequest(f"{name}={value}")
    return int(value)


def request_rows(text: str | None, start: int, size: int, most: int) -> SerpRequest:
    """The search for the rows from `start`, which must be the first row of one of `most` pages of `size`."""
    if not text or not text.strip():
        raise WrongRequest("no query")
    if start % size or start // size >= most:
        raise WrongRequest(f"no page begins at row {start}")
    return SerpRequest(text, start // size + 1, start, size)


def answer_refused(reason: str, title: str = "Access denied") -> BoxResponse:
    """The block page of engines that have no look of their own for it."""
    return html(
        f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{reason}</p></body></html>",
        403,
    )


def page(title: str, head: str, body: str) -> BoxResponse:
    """An HTML document."""
    return html(
        f'<!doctype html><html><head><meta charset="utf-8"><title>{title}</title>{head}</head><body>{body}</body></html>'
    )


SHELL = """<!doctype html><html><head><meta charset="utf-8"><title>{title}</title></head><body><div id="app"></div>
<script>document.cookie = "box_script=" + (6 * 7) + "; path=/; max-age=86400"; location.reload();</script></body></html>"""


def has_run_script(request: BoxRequest) -> bool:
    return request.cookies.get("box_script") == "42"
