"""Rank an engine's results: the topic of a query, its relevant pages, and their order.

Pure. The order is drawn from seed, engine and query: rank r (from 0) has a relevant page with the probability
of the `Decay`, as long as there are any; the rest are irrelevant pages of the same topic, then of other
topics. Engines know different pages, so they overlap and none has all.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from random import Random

from shisho_box.world import BoxPage, Topic, World

KNOWN = 0.8  # of all pages, known to an engine
MIN_MATCH = 0.3
_WORDS = re.compile(r"[a-z0-9]+|[ァ-ヿ一-鿿々]+")
_ASKING = frozenset("何誰")
_GRAMMAR = frozenset(
    re.findall(
        r"\w+",
        "the of to in a an and is are was were what who when which how many does do did on at for by",
    )
)


class Decay(StrEnum):
    """How relevance falls with the rank."""

    STEEP = "steep"
    LINEAR = "linear"
    LONG_TAIL = "long_tail"
    CLIFF = "cliff"


@dataclass(frozen=True, slots=True)
class RankedResult:
    """A row of a result page. `url` may have tracking parameters; `page` is the actual page."""

    url: str
    page: BoxPage
    snippet: str


@dataclass(frozen=True, slots=True)
class RankingModel:
    """The parameters of drawn results.

    `depth`: an engine's results for a query, ± 20 %. `repeats`: the probability, from the eleventh row on,
    that a row repeats an earlier one. `tracking`: the share of URLs with tracking parameters.
    """

    seed: int = 0
    decay: Decay = Decay.STEEP
    depth: int = 50
    repeats: float = 0.05
    tracking: float = 0.08


def chance(decay: Decay, rank: int, depth: int) -> float:
    """Return the probability of a relevant row at `rank` (from 0) of `depth`, while any remain."""
    match decay:
        case Decay.STEEP:
            return 0.95 * math.exp(-rank / 8)
        case Decay.LINEAR:
            return max(0.0, 0.9 * (1 - rank / depth))
        case Decay.LONG_TAIL:
            return 0.8 / (1 + rank / 10)
        case Decay.CLIFF:
            return 0.9 if rank < depth * 0.3 else 0.0


class TopicIndex:
    """An index from queries to pages."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._grams = {
            topic: grams(f"{topic.name} {topic.words} {' '.join(topic.aspects)}") for topic in world.topics
        }
        self._spread = Counter(gram for found_gram in self._grams.values() for gram in found_gram)
        self.rank = lru_cache(maxsize=4_096)(self._rank)
        self._known = lru_cache(maxsize=256)(self._draw_known)

    def topics(self, query: str) -> list[Topic]:
        """Return the topics that the query names, else those that fit best; empty if none fits."""
        folded = _fold(query)
        named_topics = [topic for topic in self._world.topics if _fold(topic.name) in folded]
        if named_topics:
            return named_topics
        scores = {topic: self._score(grams(query), topic) for topic in self._world.topics}
        best = max(scores.values(), default=0.0)
        return [topic for topic, score in scores.items() if score >= max(MIN_MATCH, 0.95 * best)]

    def _score(self, asked_grams: frozenset[str], topic: Topic) -> float:
        weights = {gram: math.log(1 + len(self._grams) / (1 + self._spread[gram])) for gram in asked_grams}
        return (
            sum(weights[gram] for gram in asked_grams & self._grams[topic]) / sum(weights.values())
            if asked_grams
            else 0.0
        )

    def list_relevant(self, query: str) -> list[BoxPage]:
        """Return the pages with an answer: on the aspects that the query names, else on any aspect."""
        folded = _fold(query)
        pages: list[BoxPage] = []
        for topic in self.topics(query):
            aspects = set(_find_named(topic, folded)) or set(topic.aspects)
            of_topic = [page for page in self._world.pages if page.topic == topic]
            pages += [page for page in of_topic if page.aspects & (aspects or page.aspects)]
        return pages

    def _rank(self, engine: str, query: str, manner: RankingModel) -> tuple[RankedResult, ...]:
        topics = self.topics(query)
        if not topics:
            return ()
        draw = Random(f"{manner.seed}/{engine}/{_fold(query)}")
        box_pages = self._known(engine, manner.seed)
        relevant = {page.url for page in self.list_relevant(query)}
        good = _draw_pages(draw, [page for page in box_pages if page.url in relevant])
        near = _draw_pages(
            draw, [page for page in box_pages if page.url not in relevant and page.topic in topics]
        )
        far = _draw_pages(draw, [page for page in box_pages if page.topic not in topics])
        depth = round(manner.depth * draw.uniform(0.8, 1.2))
        pages = _merge_stacks(draw, manner, good, [*far, *near], depth)
        return tuple(
            RankedResult(_choose_address(draw, manner, engine, page), page, _cut_snippet(page, query))
            for page in pages
        )

    def _draw_known(self, engine: str, seed: int) -> tuple[BoxPage, ...]:
        draw = Random(f"{seed}/{engine}")
        return tuple(page for page in self._world.pages if draw.random() < KNOWN)


def _merge_stacks(
    draw: Random, manner: RankingModel, good: list[BoxPage], rest: list[BoxPage], depth: int
) -> list[BoxPage]:
    """Merge the stacks `good` and `rest`, whose last elements come first."""
    rows: list[BoxPage] = []
    while len(rows) < depth and (good or rest):
        rank = len(rows)
        if rank >= 10 and draw.random() < manner.repeats:
            rows.append(rows[draw.randrange(rank)])
        elif good and (not rest or draw.random() < chance(manner.decay, rank, depth)):
            rows.append(good.pop())
        elif rest:
            rows.append(rest.pop())
        else:
            break
    return rows


def _draw_pages(draw: Random, pages: Sequence[BoxPage]) -> list[BoxPage]:
    return draw.sample(pages, len(pages))


def _choose_address(draw: Random, manner: RankingModel, engine: str, page: BoxPage) -> str:
    if draw.random() >= manner.tracking:
        return page.url
    return f"{page.url}{'&' if '?' in page.url else '?'}utm_source={engine}&utm_medium=search"


def _cut_snippet(page: BoxPage, query: str) -> str:
    asked_grams = grams(query)
    best = max(page.paragraphs, key=lambda paragraph: len(asked_grams & grams(paragraph)), default="")
    return best[:160]


def _find_named(topic: Topic, folded: str) -> list[str]:
    rest = folded.replace(_fold(topic.name), " ")
    return [aspect for aspect in topic.aspects if _fold(aspect) in rest]


def grams(text: str) -> frozenset[str]:
    """Return Latin words, and character pairs from runs of kanji and katakana; single characters alone."""
    pairs: set[str] = set()
    for run in _WORDS.findall(_fold(text)):
        pairs.update([run] if run.isascii() else (run[at : at + 2] for at in range(max(1, len(run) - 1))))
    return frozenset(pairs - _GRAMMAR - _ASKING)


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
