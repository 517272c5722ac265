"""Google's page, last mile and off until the user turns it on. Class names change monthly, so hits are found by shape: a
heading and a link to elsewhere in one another, each in the largest box that holds no second one."""

from __future__ import annotations

from collections.abc import Iterator

from shisho.domain.web import EngineAbout, Hit, Layout, Look, Query, Request, Response, Serp, State, Tier, TimeRange
from shisho.web.engines._asking import Params, get, range_code
from shisho.web.engines._dates import parse_date
from shisho.web.engines._markup import Node, Page, ranked, read_hits, read_serp, text_of

_RANGES = {TimeRange.DAY: "qdr:d", TimeRange.WEEK: "qdr:w", TimeRange.MONTH: "qdr:m", TimeRange.YEAR: "qdr:y"}
_SNIPPET = ".VwiC3b, .IsZvec, .aCOpRe, .lEBKkf, .st, .s .st, .BNeawe.s3v9rd, .s"
_DEPTH = 12

ABOUT = EngineAbout(
    name="google",
    site="https://www.google.com",
    kind="html",
    tier=Tier.LAST_MILE,
    categories=("general", "technical", "news", "government"),
    interval_s=20,
    per_day=10,
    pagination="start",
    pagination_enabled=False,
    enabled=False,
    reason="Google's terms and robots.txt forbid automatic queries: enable it only for what they allow you.",
    needs_browser=True,
    time_ranges=tuple(_RANGES),
    look=Look(
        layouts=(Layout("p.g", "a", "", "font"), Layout(".images_table td", "a[href^='/url']", "", "cite")),
        signs=("#gsr", "#rso", "form[action='/search'] input[name=btnG]", "#searchform", ".kCrYT", "form#captcha-form"),
        titles=("- google", "google search", "google"),
        next_link="#pnnext, a[aria-label='Next page'], a[href*='start='][href*='sa=N']",
        pager="#foot table, #nav, #xfoot, .AaVjTc",
        nothing=("#topstuff [role=heading]", "#topstuff .mnr-c .card-section p", "#topstuff .std.card-section"),
        nothing_said=(
            "did not match any documents", "no results found for", "に一致する情報は見つかりませんでした",
            "に一致するウェブページは見つかりませんでした", "stimmt mit keinen dokumenten überein", "keine ergebnisse gefunden",
            "ne correspond à aucun document", "no ha coincidido con ningún", "não encontrou nenhum documento",
            "non ha prodotto risultati", "matchade inte något dokument", "kwam niet overeen met",
        ),
        changed=("#fprsl", "#fprs", ".spell_orig", "#scc .gL9Hy"),
        shell=("noscript iframe[src*='/httpservice/retry/enablejs']", "noscript meta[content*='/httpservice/retry/enablejs']"),
    ),
)  # fmt: skip


def request(query: Query, page: int, state: State, about: EngineAbout = ABOUT) -> Request:
    params: Params = {
        "q": query.text,
        "start": about.page_size * (page - 1),
        "hl": query.language or None,
        "lr": f"lang_{query.language}" if query.language else None,
        "gl": query.region,
        "tbs": range_code(about, query, _RANGES),
    }
    return get(about, query, page, "/search", params)


def parse(response: Response, about: EngineAbout = ABOUT) -> Serp:
    return read_serp(about, response, lambda page: ranked(_by_shape(page)) or read_hits(page, about.look.layouts))


def _by_shape(page: Page) -> Iterator[Hit]:
    pairs = [(heading, link) for heading in page.all("h3") if (link := _link_of(heading)) and page.url(link)]
    crowd = _crowd([link for _, link in pairs])
    for heading, link in pairs:
        box = _box(link, crowd)
        known = box.css_first(_SNIPPET)
        snippet = text_of(known) if known is not None and not _holds(known, link) else text_of(box, frozenset({link.mem_id}))
        yield Hit(0, page.url(link), text_of(heading), snippet, parse_date(snippet, page.response.today))


def _link_of(heading: Node) -> Node | None:
    """The link around the heading, or the first one inside it."""
    at = heading.parent
    for _ in range(4):
        if at is None:
            break
        if at.tag == "a":
            return at
        at = at.parent
    return heading.css_first("a")


def _above(node: Node) -> Iterator[Node]:
    at = node.parent
    for _ in range(_DEPTH):
        if at is None or at.tag == "body":
            return
        yield at
        at = at.parent


def _crowd(links: list[Node]) -> dict[int, int]:
    """How many hits stand below each node."""
    crowd: dict[int, int] = {}
    for link in links:
        for node in _above(link):
            crowd[node.mem_id] = crowd.get(node.mem_id, 0) + 1
    return crowd


def _box(link: Node, crowd: dict[int, int]) -> Node:
    box = link
    for node in _above(link):
        if crowd[node.mem_id] > 1:
            break
        box = node
    return box


def _holds(outer: Node, inner: Node) -> bool:
    return any(node.mem_id == outer.mem_id for node in _above(inner))
