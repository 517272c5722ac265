"""Decoding of responses to text, JSON or XML, and the handling of unexpected ones."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from typing import Any, TypeVar
from xml.etree import ElementTree

from shisho.domain.web import EngineAbout, Response, Serp, SerpHit
from shisho.errors import EngineUnavailable, ParserFailed
from shisho.isolation.prescan import MAX_DEPTH
from shisho.language.encodings import decode_with, find_codec
from shisho.messages import Message
from shisho.web.http.challenge import detect

T = TypeVar("T")

_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s{0,4}=\s{0,4}[\"']?\s{0,4}([\w.:-]{1,40})", re.IGNORECASE)
_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_XML_HEAD = re.compile(r"\s*<\?xml[^>]{0,200}\?>")
_TAG = re.compile(r"<[^<>]{0,500}>")


def decode(response: Response) -> str:
    """Decode by the byte order mark, the header's charset, the page's own, or as UTF-8; never fails."""
    body = response.body
    marked = next((name for mark, name in _BOMS if body.startswith(mark)), None)
    if marked:
        return body.decode(marked, "replace")
    match = _CHARSET.search(body[:4096])
    own_charset = match.group(1).decode("ascii", "ignore") if match else None
    return decode_with(body, find_codec(response.charset) or find_codec(own_charset) or "utf-8")


def squeeze(text: str) -> str:
    return " ".join(text.split())


def strip_markup(marked: Any) -> str:
    """Return the words of a snippet with inline tags and escapes; "" for anything but a string."""
    return squeeze(html.unescape(_TAG.sub("", marked))) if isinstance(marked, str) else ""


def make_hit(url: Any, title: Any, snippet: Any = "", day: Any = None) -> SerpHit | None:
    """Return a hit of an API's response, unranked; None without a web address."""
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        return None
    return SerpHit(
        0,
        url,
        strip_markup(title) or url,
        strip_markup(snippet),
        day if isinstance(day, str) and day else None,
    )


def rank_hits(hits: list[SerpHit | None]) -> tuple[SerpHit, ...]:
    """Rank hits from 1. Raises ValueError if there were rows but no hit among them."""
    kept_hits = [h for h in hits if h is not None]
    if hits and not kept_hits:
        raise ValueError("rows without a web address")
    return tuple(
        SerpHit(rank, h.url, h.title, h.snippet, h.date) for rank, h in enumerate(kept_hits, start=1)
    )


def read_json(about: EngineAbout, response: Response, read: Callable[[Any], Serp]) -> Serp:
    """Apply `read` to a JSON response, or return its challenge. Raises ParserFailed for another shape."""
    source = decode(response)
    try:
        data = json.loads(source)
    except (ValueError, RecursionError) as error:
        return _explain_other(about, response, source, error)
    return _expect_shape(about, response, read, data)


def read_xml(
    about: EngineAbout,
    response: Response,
    roots: tuple[str, ...],
    read: Callable[[ElementTree.Element], Serp],
) -> Serp:
    """Apply `read` to the root of an XML response, which is one of `roots`; else as `read_json`.

    A response that declares entities is refused before they could expand.
    """
    source = decode(response)
    if "<!ENTITY" in source:
        raise report_unknown_layout(about.name, response)
    head = _XML_HEAD.match(source)
    try:
        root = ElementTree.fromstring(
            source[head.end() :] if head else source, ElementTree.XMLParser(target=_Shallow())
        )
    except ElementTree.ParseError as error:
        return _explain_other(about, response, source, error)
    return (
        _expect_shape(about, response, read, root)
        if root.tag in roots
        else _explain_other(about, response, source, None)
    )


class _Shallow(ElementTree.TreeBuilder):
    """A tree with a limited depth; the JSON parser's own limit is Python's stack."""

    def __init__(self) -> None:
        super().__init__()
        self._depth = 0

    def start(self, tag: Any, attrs: dict[Any, Any], /) -> ElementTree.Element:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ElementTree.ParseError("too deep")
        return super().start(tag, attrs)

    def end(self, tag: Any, /) -> ElementTree.Element:
        self._depth -= 1
        return super().end(tag)


def _expect_shape(about: EngineAbout, response: Response, read: Callable[[T], Serp], data: T) -> Serp:
    try:
        return read(data)
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        raise report_unknown_layout(about.name, response) from error


def _explain_other(about: EngineAbout, response: Response, source: str, error: Exception | None) -> Serp:
    challenge = detect(source, response.url, response.status, about.look.markers)
    if challenge:
        return Serp(about.name, challenge=challenge)
    raise explain_unreadable(about.name, response) from error


def make_refusal(engine: str, words: Any) -> EngineUnavailable:
    """Return the error for an error response of the engine's API."""
    reason = strip_markup(words)[:200].rstrip(".") or Message("engine.no_reason")
    return EngineUnavailable("engine.refused", reason=reason, engine=engine)


def explain_unreadable(engine: str, response: Response) -> EngineUnavailable | ParserFailed:
    """Return the error for a page without hits, message or challenge.

    The engine's own failure by its status, else an unknown layout.
    """
    if response.status >= 400:
        return EngineUnavailable(
            "engine.bad_status",
            engine=engine,
            status=response.status,
        )
    return report_unknown_layout(engine, response)


def report_unknown_layout(engine: str, response: Response) -> ParserFailed:
    return ParserFailed(
        "engine.unknown_layout",
        engine=engine,
        url=response.url,
        status=response.status,
    )
