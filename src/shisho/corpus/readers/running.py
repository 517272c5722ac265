"""Running heads and page numbers: text repeated at the edge of pages is kept once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from shisho.corpus.readers.pdfpage import PdfLine, PdfPage
from shisho.corpus.readers.shapes import is_contents_line

EDGE = 2  # lines at the top and at the bottom of a page that may be running heads
LONG = 500  # characters of a line that is too long for a running head
REPEATS = 3
TABLE_GAPS = 2  # a running head has one at most: before its page number
CONTENTS = 2  # dotted lines of a table of contents on a page: a single one may be a blank to fill in
DRIFT = 6.0  # points by which a running head may move between pages

_NUMBER = re.compile(r"(?<!\d)\d{1,4}(?!\d)")
_LETTER = re.compile(r"[^\W\d_]")


def drop_running_heads(pages: Sequence[PdfPage]) -> list[PdfPage]:
    """Drop page numbers, and repeated heads and feet.

    A line on half of all pages is kept at its first occurrence, unless its words are elsewhere on that page.
    """
    running = _find_running(pages)
    seen_words: set[str] = set()
    pdf_pages: list[PdfPage] = []
    for page in pages:
        edges = {id(line) for line in _find_edges(page)}
        lines = []
        for line in page.lines:
            keys = (
                {key for key in _make_keys(line) if _is_at_height(line, running.get(key))}
                if id(line) in edges
                else set()
            )
            if not keys or (
                not keys & seen_words and _LETTER.search(line.text) and not _is_elsewhere(line, page)
            ):
                lines.append(line)
            seen_words |= keys
        pdf_pages.append(replace(page, lines=lines))
    return pdf_pages


def drop_contents(pages: Sequence[PdfPage]) -> list[PdfPage]:
    """Drop lines of a table of contents: their words also are at their targets."""
    text_pages: list[PdfPage] = []
    for page in pages:
        listed = {id(line) for line in page.lines if is_contents_line(line.text)}
        lines = [line for line in page.lines if id(line) not in listed]
        text_pages.append(replace(page, lines=lines) if len(listed) >= CONTENTS else page)
    return text_pages


def _is_elsewhere(line: PdfLine, page: PdfPage) -> bool:
    """Return whether the rest of the page contains all the words, as a title page does."""
    rest = "\n".join(other.text for other in page.lines if other is not line)
    return all(word in rest for word in line.text.split())


def _find_running(pages: Sequence[PdfPage]) -> dict[str, float]:
    """Return the running heads and feet, with their heights on the page."""
    heights: dict[str, list[float]] = defaultdict(list)
    chapters: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for page in pages:
        for key, height in {
            key: _find_middle(line) for line in _find_edges(page) for key in _make_keys(line)
        }.items():
            heights[key].append(height)
        for line in () if page.is_slide else _find_outermost_lines(page):
            for key in _make_keys(line):
                chapters[key].append((line.page, _find_middle(line)))
    running: dict[str, float] = {}
    for key, places in chapters.items():
        if (of_chapter := _find_chapter_height(places)) is not None:
            running[key] = of_chapter
    for key, found_height in heights.items():
        height = median(found_height)
        together = sum(abs(other - height) <= DRIFT for other in found_height)
        # Two pages are enough for a page number, but not for words.
        if together >= (
            max(REPEATS, len(pages) / 2) if _LETTER.search(key) else min(REPEATS, max(2, len(pages)))
        ):
            running[key] = height
    return running


def _find_chapter_height(places: Sequence[tuple[int, float]]) -> float | None:
    """Return the height of a head or foot that repeats within a part of the document.

    It is on every page there, or on every second one. On slides such a line is a title over several pages.
    """
    if len(places) < REPEATS:
        return None
    height = median(height for _, height in places)
    numbers = [number for number, other in places if abs(other - height) <= DRIFT]
    follows = len(numbers) >= REPEATS and numbers[-1] - numbers[0] <= 2 * len(numbers)
    return height if follows else None


def _find_outermost_lines(page: PdfPage) -> list[PdfLine]:
    """Return the highest and the lowest line, if white separates them from the text.

    Labels of a table that continues over pages are not running heads.
    """
    ordered = sorted(page.lines, key=lambda line: line.box[1])
    outer = []
    if len(ordered) > EDGE and ordered[1].box[1] - ordered[0].box[3] > ordered[0].size:
        outer.append(ordered[0])
    if len(ordered) > EDGE and ordered[-1].box[1] - ordered[-2].box[3] > ordered[-1].size:
        outer.append(ordered[-1])
    return [line for line in outer if len(line.gaps) < TABLE_GAPS]


def _make_keys(line: PdfLine) -> list[str]:
    """Return keys of the line: itself, and a variant for each number relative to the page's.

    In such a variant a page number stays the same.
    """
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


def _is_at_height(line: PdfLine, height: float | None) -> bool:
    return height is not None and abs(_find_middle(line) - height) <= DRIFT


def _find_middle(line: PdfLine) -> float:
    return (line.box[1] + line.box[3]) / 2


def _find_edges(page: PdfPage) -> list[PdfLine]:
    ordered = sorted(page.lines, key=lambda line: line.box[1])
    return ordered[:EDGE] + ordered[EDGE:][-EDGE:]
