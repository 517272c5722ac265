"""A saved page as a tree and as words: the only user of the HTML parser.

Pure; meant for a child process that can be killed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from shisho.domain.web import EngineAbout, Response, SerpHit
from shisho.errors import ParserFailed, TooLarge
from shisho.isolation import prescan
from shisho.web.engines._answer import decode, squeeze
from shisho.web.http.url import is_result, normalise_host, resolve_href, unwrap

Node = LexborNode

MAX_NODES = 1_000

_UNSEEN = frozenset(("script", "style", "noscript", "template", "svg", "head", "-comment"))
_BLOCKS = frozenset(
    re.findall(
        r"\w+",
        "address article blockquote br dd div dl dt figure footer h1 h2 h3 h4 h5 h6 header hr li nav ol p section table td th "
        "tr ul",
    )
)

_HOME = (
    ("link[rel=canonical]", "href"),
    ("meta[property='og:url']", "content"),
    ("link[rel=EditURI]", "href"),
)


class ResultMarkup:
    """A result page as a tree. `base` is the base of its links. Raises ParserFailed for a hostile one."""

    def __init__(self, response: Response, site: str) -> None:
        self.response = response
        self.source = decode(response)
        try:
            prescan.check(self.source)
        except TooLarge as error:
            raise ParserFailed(
                "engine.not_read",
                error=error.message,
                url=response.url,
                status=response.status,
            ) from error
        self._tree = LexborHTMLParser(self.source)
        self._site = site

    def select_all(self, selector: str) -> list[Node]:
        # A node that matches two selectors of a list is returned twice.
        return list({node.mem_id: node for node in self._tree.css(selector)}.values()) if selector else []

    def select_first(self, selector: str) -> Node | None:
        return self._tree.css_first(selector) if selector else None

    def has(self, *selectors: str) -> bool:
        return any(selector and self._tree.css_first(selector) is not None for selector in selectors)

    @cached_property
    def base(self) -> str:
        for selector, name in _HOME:
            url = resolve_href("https:", attribute(self.select_first(selector), name))
            if url:
                return url
        return self.response.url if self.response.url.startswith("http") else self._site

    @cached_property
    def title(self) -> str:
        node = self.select_first("title")
        return squeeze(node.text()) if node else ""

    @cached_property
    def text(self) -> str:
        body = self._tree.body
        return extract_text(body, most=100_000)

    def resolve_link(self, node: Node | None) -> str:
        """Return the unwrapped target of a link; "" if that is not a result."""
        href = attribute(node, "href").strip()  # a button has none, and would lead to the page itself
        url = unwrap(resolve_href(self.base, href)) if href else ""
        return url if url and is_result(url) else ""


def attribute(node: Node | None, name: str) -> str:
    return (node.attributes.get(name) or "") if node else ""


def extract_text(node: Node | None, skip: frozenset[int] = frozenset(), most: int = MAX_NODES) -> str:
    """Return the visible words.

    Blocks separate words and inline elements do not, as Japanese needs; `skip` contains nodes' ids. Stops
    after `most` nodes: boxes may be nested, and reading each completely would be quadratic.
    """
    parts: list[str] = []
    todo: list[Node | None] = [node] if node is not None else []
    while todo and most:
        most -= 1
        at = todo.pop()
        if at is None:
            parts.append(" ")
            continue
        if at is not node:
            todo += [at.next] if at.next is not None else []
        if at.tag == "-text":
            parts.append(at.text_content or "")
        elif at.tag not in _UNSEEN and at.mem_id not in skip:
            if at.tag in _BLOCKS:
                parts.append(" ")
                todo.append(None)
            if at.child is not None:
                todo.append(at.child)
    return squeeze("".join(parts))


def rank_hits(hits: Iterable[SerpHit]) -> tuple[SerpHit, ...]:
    return tuple(SerpHit(rank, h.url, h.title, h.snippet, h.date) for rank, h in enumerate(hits, start=1))


_ADDRESSES = (
    *_HOME, ("link[rel=search]", "href"), ("form[action^=http]", "action"), ("form[action^='//']", "action"), ("base", "href"),
)  # fmt: skip
_TITLE_END = re.compile(r"\s[-–—|]\s|: ")


def score_affinity(page: ResultMarkup, about: EngineAbout) -> int:
    """Return how strongly a page identifies itself as this engine's; 0 for not.

    By addresses, marks and title.
    """
    domain = _find_domain(_find_host(about.site))
    hosts = (
        _find_host(page.response.url),
        *(_find_host(attribute(page.select_first(selector), name)) for selector, name in _ADDRESSES),
    )
    title = page.title.lower()
    ending = _TITLE_END.split(title)[-1]
    return (
        4 * any(domain and f".{domain}." in f".{host}." for host in hosts)
        + 2 * sum(page.has(sign) for sign in about.look.signs)
        + any(name in ending or title.startswith(name) for name in about.look.titles)
    )


def list_foreign_hosts(page: ResultMarkup, about: EngineAbout) -> set[str]:
    """Return the linked hosts that are not the engine's."""
    domain = _find_domain(_find_host(about.site))
    hosts = {_find_host(page.resolve_link(link)) for link in page.select_all("a[href]")} - {""}
    return {host for host in hosts if not domain or f".{domain}." not in f".{host}."}


def _find_host(url: str) -> str:
    try:
        return normalise_host(urlsplit(url).hostname or "")
    except ValueError:
        return ""


def _find_domain(host: str) -> str:
    """Return the name without its top level, because google.de is google; none for a numeric address."""
    labels = host.split(".")
    return labels[-2] if len(labels) > 1 and not labels[-1].isdigit() else ""
