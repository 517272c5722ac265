"""Running heads and page numbers: what stands at the edge of page after page is said once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from shisho.corpus.readers.pdfpage import Page, Printed

EDGE = 2  # lines at the top and at the bottom of a page that may be running heads
REPEATS = 3
DRIFT = 6.0  # points by which a running head may move between pages

_DIGITS = re.compile(r"[0-9０-９]+|\b[ivxlc]+\b")
_SIGNS = r"-‐–—~〜・/.,:：()（）\[\]|"
_FOLIO = re.compile(rf"(?:[{_SIGNS}]|p|of|ページ|頁)*#(?:[{_SIGNS}#]|of|ページ|頁)*", re.I)


def without_running_heads(pages: Sequence[Page]) -> list[Page]:
    """Page numbers go; a line that heads or foots half of all pages, numbers aside, stays only where it comes first."""
    running = _running(pages)
    seen: set[str] = set()
    kept: list[Page] = []
    for page in pages:
        edges = {id(line) for line in _edges(page)}
        lines = []
        for line in page.lines:
            key = _key(line)
            runs = id(line) in edges and key in running and abs(_middle(line) - running[key]) <= DRIFT
            if not runs or (key not in seen and not _FOLIO.fullmatch(key)):
                lines.append(line)
            if runs:
                seen.add(key)
        kept.append(replace(page, lines=lines))
    return kept


def _running(pages: Sequence[Page]) -> dict[str, float]:
    """Running heads and page numbers, and how far down the page each stands."""
    heights: dict[str, list[float]] = defaultdict(list)
    for page in pages:
        for key, height in {_key(line): _middle(line) for line in _edges(page)}.items():
            heights[key].append(height)
    running = {}
    for key, found in heights.items():
        height = median(found)
        together = sum(abs(other - height) <= DRIFT for other in found)
        if together >= (REPEATS if _FOLIO.fullmatch(key) else max(REPEATS, len(pages) / 2)):
            running[key] = height
    return running


def _middle(line: Printed) -> float:
    return (line.box[1] + line.box[3]) / 2


def _edges(page: Page) -> list[Printed]:
    ordered = sorted(page.lines, key=lambda line: line.box[1])
    return ordered[:EDGE] + ordered[EDGE:][-EDGE:]


def _key(line: Printed) -> str:
    return _DIGITS.sub("#", "".join(line.text.split()))
