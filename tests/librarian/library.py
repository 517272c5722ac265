"""A small library in memory behind the search ports, and a clock that moves by itself: what the loop is
tested with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from shisho.domain.corpus import (
    Citation,
    Complexity,
    DocumentId,
    NumberedPassage,
    PassageId,
    Round,
    SearchRequest,
)
from shisho.errors import SourceRemoved
from shisho.language.terms import fold, split_terms
from shisho.librarian.search import SessionOpener


@dataclass(frozen=True)
class Leaf:
    """A document of one passage."""

    name: str
    text: str
    heading: str = ""
    cluster: str = ""


@dataclass
class Library:
    """Ranks by shared terms, shows `k` leaves a round, never one twice in a session. Sessions outlive whoever
    opened them."""

    leaves: Sequence[Leaf]
    k: int = 2
    removed: set[str] = field(default_factory=set)
    requests: list[tuple[str, int, SearchRequest]] = field(default_factory=list)
    rounds: dict[tuple[str, int], list[int]] = field(default_factory=dict)
    asked: dict[tuple[str, int], SearchRequest] = field(default_factory=dict)

    def opener(self, session_id: str) -> SessionOpener:
        async def opened(complexity: Complexity, reached: bool) -> Session:
            return Session(self, session_id)

        return opened


@dataclass(frozen=True)
class Session:
    library: Library
    id: str

    async def search(
        self, request: SearchRequest, round_: int, room_tokens: int = 0, *, anew: bool = False
    ) -> Round:
        self.library.requests.append((self.id, round_, request))
        key = (self.id, round_)
        if key not in self.library.rounds:
            self.library.rounds[key] = self._ranked(request, anew)[: self.library.k]
            self.library.asked[key] = request
        seen = self._seen()
        # A recorded round is shown as it was, whatever is asked now.
        shown = [self._shown(at, self.library.asked[key]) for at in self.library.rounds[key]]
        return Round(
            tuple(shown), len(shown), len(self.library.leaves), len(seen) == len(self.library.leaves)
        )

    async def resolve(self, temp_index: int, start: int, end: int) -> Citation:
        leaf = self.library.leaves[temp_index - 1]
        if leaf.name in self.library.removed:
            raise SourceRemoved(f"{leaf.name} was purged.")
        snippet = leaf.text[start:end]
        hashed = sha256(snippet.encode()).hexdigest()
        name = DocumentId(f"document-{leaf.name}")
        return Citation(
            name, leaf.name, leaf.name, 1, start, end, snippet, hashed, PassageId(leaf.name), leaf.cluster
        )

    async def measure_rarity(self, terms: Sequence[str]) -> Mapping[str, float]:
        return {term: math.log(1 + len(self.library.leaves) / (1 + self._holding(term))) for term in terms}

    async def list_fields(self) -> Sequence[str]:
        return ("page", "年度")

    async def find_short_names(self, question: str) -> Mapping[str, frozenset[str]]:
        return {}

    async def read_texts(self) -> Sequence[str]:
        return [f"{leaf.heading}\n\n{leaf.text}" for leaf in self.library.leaves]

    def _seen(self) -> set[int]:
        return {
            at for (session, _), found in self.library.rounds.items() if session == self.id for at in found
        }

    def _ranked(self, request: SearchRequest, anew: bool) -> list[int]:
        wanted = _terms(" ".join(request.keyword_query))
        seen = set() if anew else self._seen()
        left = [at for at in range(1, len(self.library.leaves) + 1) if at not in seen]
        return sorted(left, key=lambda at: -len(wanted & _terms(self._whole(at))))

    def _shown(self, at: int, request: SearchRequest) -> NumberedPassage:
        wanted = _terms(" ".join(request.keyword_query))
        leaf = self.library.leaves[at - 1]
        return NumberedPassage(
            at, leaf.text, leaf.heading, len(wanted & _terms(self._whole(at))) / max(1, len(wanted))
        )

    def _whole(self, at: int) -> str:
        leaf = self.library.leaves[at - 1]
        return f"{leaf.heading} {leaf.text}"

    def _holding(self, term: str) -> int:
        return sum(term in _terms(self._whole(at)) for at in range(1, len(self.library.leaves) + 1))


def _terms(text: str) -> set[str]:
    return set(split_terms(fold(text)))


class Ticking:
    """A clock that moves by `tick` seconds whenever it is read."""

    def __init__(self, tick: float = 0.01) -> None:
        self.tick = tick
        self.seconds = 0.0

    def now(self) -> str:
        return f"2026-01-01T00:00:{self.monotonic():09.6f}Z"

    def timeline_now(self) -> str:
        return self.now()

    def monotonic(self) -> float:
        self.seconds += self.tick
        return self.seconds
