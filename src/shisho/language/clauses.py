"""Where a sentence falls into clauses: after 、 and after a comma with a space, outside brackets."""

from __future__ import annotations

import re

MIN_CHARS = 8  # a shorter stretch belongs to its neighbour
_EVENT = re.compile(r"[「『（(【〈《\[]|[」』）)】〉》\]]|、|，|,(?=\s)|;(?=\s)")
_OPENING = frozenset("「『（(【〈《[")
_PAUSE = frozenset("、，,;")


def clauses(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans of the clauses of the sentence `text[start:end]`, free of outer white space."""
    borders = [start]
    depth = 0
    for event in _EVENT.finditer(text, start, end):
        mark = event[0]
        if mark in _PAUSE:
            if depth == 0 and event.end() - borders[-1] >= MIN_CHARS and end - event.end() >= MIN_CHARS:
                borders.append(event.end())
        else:
            depth = depth + 1 if mark in _OPENING else max(0, depth - 1)
    return [_trimmed(text, a, b) for a, b in zip(borders, [*borders[1:], end], strict=True)]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())
