"""Extract the central sentences of each section of a document."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby

from shisho.domain.corpus import Passage
from shisho.language.sentences import is_row, split_sentences
from shisho.language.terms import fold, split_terms
from shisho.records import dataclass

HEADING_MARK = " › "
MAX_SECTIONS = 20
SENTENCES = 8  # of an extract: a document with fewer sections gives several of each
READ_SECTIONS = 40  # for a model, which reads more of them
READ_SENTENCES = 72  # three portions, and the summary that is written from them
MIN_TERMS = 3  # of a sentence with content
MIN_LETTERS = 4
_ASCII_WORD = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True)
class SentencePlace:
    """A sentence and its passage; `start` is its offset in the passage."""

    passage: Passage
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.passage.text[self.start : self.end]

    @property
    def is_heading(self) -> bool:
        """Return whether it is the printed heading of its own passage."""
        parts = self.passage.heading.split(HEADING_MARK)
        return self.text.lstrip("# ").strip() in parts


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the extracted sentences below it, in order."""

    heading: str
    sentences: tuple[SentencePlace, ...]

    def name_under(self, title: str) -> str:
        """Return its heading without the title of the document, which is above all headings."""
        parts = self.heading.split(HEADING_MARK)
        return HEADING_MARK.join(parts[1:] if parts[0] == title else parts)


def list_sentences(passages: Iterable[Passage], most: int) -> Sequence[SentencePlace]:
    """Return the sentences of a document in order, each once, although passages overlap."""
    places: list[SentencePlace] = []
    reached = 0
    for passage in passages:
        for start, end in split_sentences(passage.text):
            if passage.start + start >= reached:
                places.append(SentencePlace(passage, start, end))
                reached = passage.start + end
        if len(places) >= most:
            break
    return places[:most]


def extract(
    places: Sequence[SentencePlace], most_sentences: int = SENTENCES, most_sections: int = MAX_SECTIONS
) -> tuple[list[Section], int]:
    """Return the sections with their central sentences, and the number of omitted sections."""
    grouped = _group(places, most_sections)
    sections_read = grouped[:most_sections]
    words = {
        id(place): Counter(split_terms(fold(place.text))) for _, group in sections_read for place in group
    }
    spread = Counter(
        word for _, group in sections_read for word in set().union(*(words[id(place)] for place in group))
    )
    rarity = {word: math.log(1 + len(sections_read) / count) for word, count in spread.items()}
    most = max(1, most_sentences // max(1, len(sections_read)))
    sections = [
        Section(heading, _choose_central([(place, words[id(place)]) for place in group], rarity, most))
        for heading, group in sections_read
    ]
    return sections, len(grouped) - len(sections_read)


def _group(places: Sequence[SentencePlace], most_sections: int) -> list[tuple[str, list[SentencePlace]]]:
    """Group sentences by heading; if there are too many groups, by headings of a higher level."""
    texts = [place for place in places if not place.is_heading and _has_content(place.text)]
    deepest = max((place.passage.heading.count(HEADING_MARK) + 1 for place in texts), default=1)
    for depth in range(deepest, 0, -1):
        grouped = [(heading, list(group)) for heading, group in groupby(texts, partial(_cut_heading, depth))]
        if len(grouped) <= most_sections:
            break
    return grouped


def _has_content(text: str) -> bool:
    """Return whether a text has more than page numbers and addresses."""
    words = _ASCII_WORD.sub(lambda match: "" if "/" in match[0] else match[0], text)
    return sum(map(str.isalpha, words)) >= MIN_LETTERS


def _cut_heading(depth: int, place: SentencePlace) -> str:
    return HEADING_MARK.join(place.passage.heading.split(HEADING_MARK)[:depth])


def _choose_central(
    sentences: Sequence[tuple[SentencePlace, Counter[str]]], rarity: Mapping[str, float], most: int
) -> tuple[SentencePlace, ...]:
    """Return the sentences closest by cosine to the sum of all, in document order.

    All if there are few.
    """
    if len(sentences) <= most:
        return tuple(place for place, _ in sentences)
    prose = [
        (place, words) for place, words in sentences if words.total() >= MIN_TERMS and not is_row(place.text)
    ] or list(sentences)
    whole: Counter[str] = Counter()
    for _, words in prose:
        whole.update(words)

    def measure_nearness(words: Counter[str]) -> float:
        weights = {word: count * rarity.get(word, 0.0) for word, count in words.items()}
        length = math.hypot(*weights.values()) or 1
        return sum(weight * whole[word] * rarity.get(word, 0.0) for word, weight in weights.items()) / length

    ranked = sorted(range(len(prose)), key=lambda at: -measure_nearness(prose[at][1]))[:most]
    return tuple(prose[at][0] for at in sorted(ranked))
