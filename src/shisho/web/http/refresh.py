"""Pages that only forward: short pages with an HTML "refresh" to another address after a moment.

Pages that have moved and publishers behind a DOI use them. Pure; every step is linear in a short page.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from shisho.domain.web import Response
from shisho.web.http.url import resolve_href, spell_address

SHORT = 20_000  # bytes; a longer page is worth reading, and its refresh is like a slide show's
MOST_DELAY_S = 10
_BEGIN = re.compile(rb"<(?:script|noscript)\b", re.IGNORECASE)
_END = re.compile(rb"</(?:script|noscript)\b", re.IGNORECASE)
_META = re.compile(rb"<meta\b([^>]{1,2000})>", re.IGNORECASE)
_IS_REFRESH = re.compile(rb"http-equiv\s{0,4}=\s{0,4}[\"']?refresh\b", re.IGNORECASE)
_CONTENT = re.compile(rb"\bcontent\s{0,4}=\s{0,4}(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_LATER = re.compile(rb"\s*(\d{1,3})[.\d]*\s*[;,]\s*(?:url\s*=\s*)?(.+)", re.IGNORECASE | re.DOTALL)


def refresh_target(response: Response) -> str:
    """Return the address that a page forwards to within a few seconds; "" for other pages."""
    if len(response.body) > SHORT or "html" not in (response.media_type or "html"):
        return ""
    for content in (
        response.headers.get("refresh", "").encode("utf-8", "replace"),
        *_list_refreshes(response.body),
    ):
        later = _LATER.fullmatch(content)
        if later and int(later[1]) <= MOST_DELAY_S:
            return resolve_href(response.url, html.unescape(spell_address(later[2].strip().strip(b"\"'"))))
    return ""


def _list_refreshes(page: bytes) -> Iterator[bytes]:
    for meta in _META.finditer(_drop_unshown(page)):
        content = _CONTENT.search(meta[1]) if _IS_REFRESH.search(meta[1]) else None
        if content:
            yield content[1] or content[2] or b""


def _drop_unshown(page: bytes) -> bytes:
    """Return the page without comments, scripts and noscript parts."""
    first, *others = page.split(b"<!--")
    page = first + b"".join(other.partition(b"-->")[2] for other in others)
    first, *others = _BEGIN.split(page)
    return first + b"".join(b"".join(_END.split(other, 1)[1:]) for other in others)
