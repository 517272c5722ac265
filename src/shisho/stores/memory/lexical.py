"""The lexical index over a shelf in memory."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from shisho.domain.corpus import Passage, PassageId, Scope
from shisho.stores.memory.shelf import MemoryShelf


class MemoryIndex:
    """`ports.Index` by plain BM25 over a `MemoryShelf`."""

    def __init__(self, shelf: MemoryShelf) -> None:
        self._shelf = shelf

    async def catch_up(self) -> None:
        """There is nothing to catch up with."""

    async def propose(
        self, terms: Sequence[str], bigrams: Sequence[str], scope: Scope, limit: int, seen: frozenset[PassageId]
    ) -> Sequence[PassageId]:
        wanted = {"terms": set(terms), "bigrams": set(bigrams)}
        weights = {field: await self._weights(field, words) for field, words in wanted.items()}
        scored = []
        for passage in self._shelf.searchable(scope):
            counted = {field: Counter(_words(passage, field)) for field in wanted}
            score = sum(
                weight * counted[field][word] / (counted[field][word] + 1.2)
                for field, table in weights.items()
                for word, weight in table.items()
            )
            if score > 0 and passage.id not in seen:
                scored.append((-score, passage.id))
        return [name for _, name in sorted(scored)[:limit]]

    async def frequencies(self, field: str, terms: Sequence[str]) -> Mapping[str, int]:
        held = [set(_words(one, field)) for one in self._shelf.searchable()]
        return {term: sum(term in words for words in held) for term in set(terms)}

    async def statistics(self) -> Mapping[str, float]:
        held = self._shelf.searchable()
        texts = {
            "terms": [one.terms for one in held],
            "bigrams": [one.bigrams for one in held],
            "heading": [one.heading_terms for one in held],
        }
        means = {name: sum(len(text.split()) for text in each) / max(1, len(held)) for name, each in texts.items()}
        return {"passages": len(held), **means}

    async def _weights(self, field: str, words: set[str]) -> dict[str, float]:
        total = len(self._shelf.searchable())
        found = await self.frequencies(field, list(words))
        return {word: math.log(1 + (total - count + 0.5) / (count + 0.5)) for word, count in found.items() if count}


def _words(passage: Passage, field: str) -> list[str]:
    return (f"{passage.terms} {passage.heading_terms}" if field == "terms" else passage.bigrams).split()
