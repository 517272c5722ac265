"""Saved HTML to a result page: the one place of the HTML parser. Pure; meant for a child that can be killed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from selectolax.lexbor import LexborHTMLParser, LexborNode

from shisho.domain.web import EngineAbout, Hit, Layout, Response, Serp, State
from shisho.errors import EngineUnavailable
from shisho.web.challenge import detect
from shisho.web.engines._answer import decode, squeeze, unknown_layout
from shisho.web.engines._dates import parse_date
from shisho.web.url import absolute, is_result, unwrap

Node = LexborNode

_UNSEEN = frozenset(("script", "style", "noscript", "template", "svg", "head", "-comment"))
_BLOCKS = frozenset(
    ("address", "article", "blockquote", "br", "dd", "div", "dl", "dt", "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6")
    + ("header", "hr", "li", "nav", "ol", "p", "section", "table", "td", "th", "tr", "ul")
)


class Page:
    """A result page as a tree. `base` is where its links start from."""

    def __init__(self, response: Response, site: str) -> None:
        self.response = response
        self.source = decode(response)
        self._tree = LexborHTMLParser(self.source)
        self._site = site

    def all(self, selector: str) -> list[Node]:
        return self._tree.css(selector) if selector else []

    def first(self, selector: str) -> Node | None:
        return self._tree.css_first(selector) if selector else None

    def has(self, *selectors: str) -> bool:
        return any(self._tree.css_first(selector) is not None for selector in selectors)

    @cached_property
    def base(self) -> str:
        for selector, name in (("link[rel=canonical]", "href"), ("meta[property='og:url']", "content")):
            url = absolute("", attribute(self.first(selector), name))
            if url:
                return url
        return self.response.url if self.response.url.startswith("http") else self._site

    @cached_property
    def title(self) -> str:
        node = self.first("title")
        return squeeze(node.text()) if node else ""

    @cached_property
    def text(self) -> str:
        body = self._tree.body
        return text_of(body) if body else ""

    def url(self, node: Node | None) -> str:
        """Where a link leads, unwrapped; "" where that is no result."""
        url = unwrap(absolute(self.base, attribute(node, "href")))
        return url if url and is_result(url) else ""


def attribute(node: Node | None, name: str) -> str:
    return (node.attributes.get(name) or "") if node else ""


def text_of(node: Node | None, skip: frozenset[int] = frozenset()) -> str:
    """The words a reader sees. Blocks part words and inline marks do not, as Japanese needs; `skip` holds nodes' ids."""
    if node is None:
        return ""
    parts: list[str] = []
    todo: list[Node | None] = [node]
    while todo:
        at = todo.pop()
        if at is None:
            parts.append(" ")
        elif at.tag == "-text":
            parts.append(at.text_content or "")
        elif at.tag not in _UNSEEN and at.mem_id not in skip:
            gap: list[Node | None] = [None] if at.tag in _BLOCKS else []
            todo += gap + list(at.iter(include_text=True))[::-1] + gap
    return squeeze("".join(parts))


def read_hits(page: Page, layouts: tuple[Layout, ...]) -> tuple[Hit, ...]:
    """The hits by the first layout that yields any."""
    for layout in layouts:
        hits = ranked(_hits(page, layout))
        if hits:
            return hits
    return ()


def _hits(page: Page, layout: Layout) -> Iterator[Hit]:
    skipped = {node.mem_id for node in page.all(layout.skip)}
    for box in page.all(layout.hit):
        link = box.css_first(layout.link) if layout.link else box
        url = page.url(link)
        if not url or link is None or box.mem_id in skipped or link.mem_id in skipped:
            continue
        title = text_of(box.css_first(layout.title) if layout.title else link)
        snippet = text_of(box.css_first(layout.snippet)) if layout.snippet else ""
        dated = text_of(box.css_first(layout.date)) if layout.date else ""
        yield Hit(0, url, title or url, snippet, parse_date(dated or snippet, page.response.today))


def ranked(hits: Iterator[Hit]) -> tuple[Hit, ...]:
    return tuple(Hit(rank, h.url, h.title, h.snippet, h.date) for rank, h in enumerate(hits, start=1))


def read_serp(
    about: EngineAbout,
    response: Response,
    hits: Callable[[Page], tuple[Hit, ...]] | None = None,
    state: Callable[[Page], State | None] | None = None,
) -> Serp:
    """A page of results, a challenge, or "no results". Raises EngineUnavailable for a page only JavaScript would fill,
    ParserFailed for a layout we do not know. `hits` and `state` replace reading by `about.look`."""
    page = Page(response, about.site)
    look = about.look
    found = hits(page) if hits else read_hits(page, look.layouts)
    if found:
        warnings = ("query_changed",) if page.has(*look.changed) else ()
        following = state(page) if state else next_page(page, about, len(found))
        return Serp(about.name, found, following, warnings=warnings)
    challenge = detect(page.source, response.url, response.status, look.markers)
    if challenge:
        return Serp(about.name, challenge=challenge)
    if page.has(*look.nothing) or _says(page, look.nothing_said):
        return Serp(about.name, no_results=True)
    if page.has(*look.shell):
        raise EngineUnavailable(
            f"{about.name} sent a page that only a browser fills with results; turn on the browser or ask another engine.",
            engine=about.name,
        )
    raise unknown_layout(about.name, response)


def _says(page: Page, phrases: tuple[str, ...]) -> bool:
    if not phrases:
        return False
    text = page.text.lower()
    return any(phrase in text for phrase in phrases)


def next_page(page: Page, about: EngineAbout, found: int) -> State | None:
    """{} where the page offers a next one, or is full and shows no pager at all; else None."""
    if page.has(about.look.next_link):
        return {}
    return {} if found >= about.page_size and not (about.look.pager and page.has(about.look.pager)) else None


def form_values(page: Page, selector: str) -> dict[str, str]:
    """The named inputs of the first form (or its field) that `selector` finds."""
    node = page.first(selector)
    while node is not None and node.tag != "form":
        node = node.parent
    if node is None:
        return {}
    return {name: attribute(field, "value") for field in node.css("input") if (name := attribute(field, "name"))}
