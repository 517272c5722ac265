"""Selection of the embedder whose vectors searches use: the same in every store."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shisho.domain.embedding import EmbedderAbout
from shisho.stores.nouns import Row


def choose_serving(
    candidates: Sequence[Row], about: EmbedderAbout, is_usable: Callable[[EmbedderAbout], bool]
) -> tuple[EmbedderAbout, bool]:
    """Return the embedder to use if `about` is configured, and whether it has vectors.

    A candidate has a `name`, a `choice`, `has_vectors`, and `is_whole` if it has embedded all passages. The
    most complete candidates come first.
    """
    current = next((row for row in candidates if row.name == about.name), None)
    has_vectors = current is not None and bool(current.has_vectors)
    if current is not None and current.is_whole:
        return about, has_vectors
    for row in candidates:
        other = EmbedderAbout(row.name, row.choice)
        if row is not current and row.has_vectors and is_usable(other):
            return other, True
    return about, has_vectors
