"""Find words inside one text as searches do: case-insensitive, on its folded view."""

from __future__ import annotations

from functools import lru_cache

from shisho.language.normalise import View, fold_map

WINDOW = 200_000  # characters folded at once: a long text is only scanned until enough places are found
SPREAD = 4  # characters of text per character of a query, for broken lines and letter-spacing


def find_in_text(text: str, query: str, limit: int) -> list[tuple[int, int]]:
    """Return the spans of the first `limit` matches, in order, without overlap.

    A blank query has no match.
    """
    words = _lower(fold_map(query.strip()).text)
    places: list[tuple[int, int]] = []
    if not words:
        return places
    beyond = SPREAD * len(words) + SPREAD
    last = 0
    for begin in range(0, len(text), WINDOW):
        view = _view(text[begin : begin + WINDOW + beyond])
        folded = _lower(view.text)
        at = folded.find(words)
        while at >= 0:
            start, end = view.locate_original(at, at + len(words))
            if start >= WINDOW:  # the next window has it
                break
            if begin + start >= last:
                last = begin + end
                places.append((begin + start, last))
                if len(places) == limit:
                    return places
            at = folded.find(words, at + len(words))
    return places


@lru_cache(maxsize=8)
def _view(text: str) -> View:
    return fold_map(text)


def _lower(text: str) -> str:
    """Return the text in lower case, keeping characters whose lower case is longer."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(lower if len(lower := letter.lower()) == 1 else letter for letter in text)
