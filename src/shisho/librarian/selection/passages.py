"""A shown passage, cut into sentences with their index terms. Each passage is analysed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from shisho.domain.corpus import NumberedPassage
from shisho.language.normalise import fold_map
from shisho.language.sentences import sentences
from shisho.language.terms import fold, squeeze, terms
from shisho.language.wordings import find_long_words


@dataclass(frozen=True, slots=True)
class AnalysedSentence:
    """`text[start:end]` of a passage: folded, without white space (`dense`), and its index terms."""

    start: int
    end: int
    folded: str
    dense: str
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class AnalysedPassage:
    """A passage's sentences. `terms` are of its text, `heading_terms` of its heading path and its document's
    title. The last sentence may end after the passage, in the text that follows it."""

    sentences: tuple[AnalysedSentence, ...]
    terms: frozenset[str]
    heading_terms: frozenset[str]
    dense: str


@lru_cache(maxsize=1_024)
def analyse_passage(text: str, after: str, heading: str, title: str, is_code: bool) -> AnalysedPassage:
    """Analyse a passage. `after`: the text that follows it on its page. Code is one sentence."""
    whole = text + after
    spans = [(0, len(text))] if is_code else [span for span in sentences(whole) if span[0] < len(text)]
    analysed = tuple(_analyse_sentence(whole, start, end) for start, end in spans)
    name = fold(f"{heading}\n{title}")
    return AnalysedPassage(
        sentences=analysed,
        terms=frozenset().union(*(sentence.terms for sentence in analysed)),
        heading_terms=list_terms(name),
        dense=squeeze(name) + "\n" + "\n".join(sentence.dense for sentence in analysed),
    )


def list_terms(folded: str) -> frozenset[str]:
    """Return the index terms of a folded text, and its listed words of several terms (在宅勤務)."""
    found = terms(folded)
    return frozenset((*found, *map("".join, find_long_words(found))))


def _analyse_sentence(text: str, start: int, end: int) -> AnalysedSentence:
    # Printed lines end inside words; the view joins them.
    folded = fold(fold_map(text[start:end]).text)
    return AnalysedSentence(start, end, folded, squeeze(folded), list_terms(folded))


def add_names(analysed: AnalysedPassage, others: Mapping[str, frozenset[str]]) -> AnalysedPassage:
    """Return the passage in which a sentence with another name of a thing has the terms of the name too."""
    names = {name: list_terms(name) for name in others}
    dense = {name: tuple(map(squeeze, map(fold, written))) for name, written in others.items()}
    named = tuple(
        replace(
            sentence,
            terms=sentence.terms.union(
                *(names[name] for name in names if any(other in sentence.dense for other in dense[name]))
            ),
        )
        for sentence in analysed.sentences
    )
    return replace(
        analysed, sentences=named, terms=frozenset().union(*(sentence.terms for sentence in named))
    )


def end_sentence(passage: NumberedPassage, end: int = 0) -> str:
    """Return the text of a passage to the end of its last sentence, or to `end` if that is later. Its page
    and heading may hold the rest of that sentence after it."""
    whole = passage.text + passage.after
    if passage.code:
        return whole[: max(len(passage.text), min(end, len(whole)))]
    last = max((stop for start, stop in sentences(whole) if start < len(passage.text)), default=0)
    return whole[: max(len(passage.text), last, min(end, len(whole)))]
