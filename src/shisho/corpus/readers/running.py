"""Running heads and page numbers: what stands at the edge of page after page is said once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from shisho.corpus.readers.pdfpage import PdfLine, PdfPage
from shisho.corpus.readers.shapes import is_contents_line

EDGE = 2  # lines at the top and at the bottom of a page that may be running heads
LONG = 500  # characters of a line that heads no page
REPEATS = 3
TABLE_GAPS = 2  # a head has one at most: before its page number
CONTENTS = 2  # lines with leading dots on a page that make a table of contents: one may be a blank to fill in
DRIFT = 6.0  # points by which a running head may move between pages

_NUMBER = re.compile(r"(?<!\d)\d{1,4}(?!\d)")
_LETTER = re.compile(r"[^\W\d_]")


def drop_running_heads(pages: Sequence[PdfPage]) -> list[PdfPage]:
    """Page numbers go; a line that heads or foots half of all pages stays where it comes first, if only it
    says its words."""
    running = _running(pages)
    seen_words: set[str] = set()
    pdf_pages: list[PdfPage] = []
    for page in pages:
        edges = {id(line) for line in _edges(page)}
        lines = []
        for line in page.lines:
            keys = (
                {key for key in _keys(line) if _stands(line, running.get(key))}
                if id(line) in edges
                else set()
            )
            if not keys or (not keys & seen_words and _LETTER.search(line.text) and not _is_said(line, page)):
                lines.append(line)
            seen_words |= keys
        pdf_pages.append(replace(page, lines=lines))
    return pdf_pages


def drop_contents(pages: Sequence[PdfPage]) -> list[PdfPage]:
    """Lines of a table of contents are no text: their words stand where they lead to."""
    text_pages: list[PdfPage] = []
    for page in pages:
        listed = {id(line) for line in page.lines if is_contents_line(line.text)}
        lines = [line for line in page.lines if id(line) not in listed]
        text_pages.append(replace(page, lines=lines) if len(listed) >= CONTENTS else page)
    return text_pages


def _is_said(line: PdfLine, page: PdfPage) -> bool:
    """True where the page itself has all its words, as the first page with the title has."""
    rest = "\n".join(other.text for other in page.lines if other is not line)
    return all(word in rest for word in line.text.split())


def _running(pages: Sequence[PdfPage]) -> dict[str, float]:
    """Find the running heads and feet, and how far down the page each stands."""
    heights: dict[str, list[float]] = defaultdict(list)
    chapters: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for page in pages:
        for key, height in {key: _middle(line) for line in _edges(page) for key in _keys(line)}.items():
            heights[key].append(height)
        for line in () if page.is_slide else _outermost(page):
            for key in _keys(line):
                chapters[key].append((line.page, _middle(line)))
    running: dict[str, float] = {}
    for key, places in chapters.items():
        if (of_chapter := _of_chapter(places)) is not None:
            running[key] = of_chapter
    for key, found_height in heights.items():
        height = median(found_height)
        together = sum(abs(other - height) <= DRIFT for other in found_height)
        # Two pages are enough for a page number, never for words.
        if together >= (
            max(REPEATS, len(pages) / 2) if _LETTER.search(key) else min(REPEATS, max(2, len(pages)))
        ):
            running[key] = height
    return running


def _of_chapter(places: Sequence[tuple[int, float]]) -> float | None:
    """The height of a line that heads or foots page after page, or every second one, of a part of the
    document. On slides that is a title with several pages."""
    if len(places) < REPEATS:
        return None
    height = median(height for _, height in places)
    numbers = [number for number, other in places if abs(other - height) <= DRIFT]
    follows = len(numbers) >= REPEATS and numbers[-1] - numbers[0] <= 2 * len(numbers)
    return height if follows else None


def _outermost(page: PdfPage) -> list[PdfLine]:
    """The highest line and the lowest, where white parts them from the text. The labels of a table that goes
    on from page to page are no heads."""
    ordered = sorted(page.lines, key=lambda line: line.box[1])
    outer = []
    if len(ordered) > EDGE and ordered[1].box[1] - ordered[0].box[3] > ordered[0].size:
        outer.append(ordered[0])
    if len(ordered) > EDGE and ordered[-1].box[1] - ordered[-2].box[3] > ordered[-1].size:
        outer.append(ordered[-1])
    return [line for line in outer if len(line.gaps) < TABLE_GAPS]


def _keys(line: PdfLine) -> list[str]:
    """The line as it is, and once for each number in it with that number told from the page's: a page number
    stays the same."""
    if len(line.text) > LONG:
        return []
    text = "".join(line.text.split())
    if len(text) > 100:
        return [text]
    numbered = [
        f"{text[: match.start()]}#{int(match[0]) - line.page}#{text[match.end() :]}"
        for match in _NUMBER.finditer(text)
    ]
    return numbered + ([text] if _LETTER.search(text) else [])


def _stands(line: PdfLine, height: float | None) -> bool:
    return height is not None and abs(_middle(line) - height) <= DRIFT


def _middle(line: PdfLine) -> float:
    return (line.box[1] + line.box[3]) / 2


def _edges(page: PdfPage) -> list[PdfLine]:
    ordered = sorted(page.lines, key=lambda line: line.box[1])
    return ordered[:EDGE] + ordered[EDGE:][-EDGE:]
