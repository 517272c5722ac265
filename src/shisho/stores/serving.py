"""Which embedder's vectors serve: the same rule in every store."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shisho.domain.embedding import EmbedderAbout
from shisho.stores.nouns import Row


def choose_serving(
    candidates: Sequence[Row], about: EmbedderAbout, is_usable: Callable[[EmbedderAbout], bool]
) -> tuple[EmbedderAbout, bool]:
    """The embedder whose vectors serve where `about` is set, and whether it has vectors. A candidate has a
    `name` and a `choice`, and says whether it `has_vectors` and `is_whole`, that is, through with all
    passages; those that have come furthest come first."""
    current = next((row for row in candidates if row.name == about.name), None)
    has_vectors = current is not None and bool(current.has_vectors)
    if current is not None and current.is_whole:
        return about, has_vectors
    for row in candidates:
        other = EmbedderAbout(row.name, row.choice)
        if row is not current and row.has_vectors and is_usable(other):
            return other, True
    return about, has_vectors
