"""Split passages into sentences, and compute the features of each sentence for the ranker.

Shares are of the question's term weight, unless a feature says otherwise; a term also counts if a word of the
same meaning is there. Every feature is a plain number, so that the weights are fitted by a script (`train/`)
and not by hand.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from shisho.domain.corpus import NumberedPassage
from shisho.language import compile_lazily
from shisho.language.meanings import find_long_words, find_same, join_synonyms
from shisho.language.normalise import fold_with_map
from shisho.language.sentences import split_sentences
from shisho.language.terms import fold, split_terms, squeeze
from shisho.librarian.selection.gates import NO_SHORT_NAMES
from shisho.librarian.selection.question import AnalysedQuestion, is_definition, measure_kind
from shisho.records import dataclass


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
    """A passage's sentences. The last one may end after the passage, in the text that follows it.

    `terms`: of its text; `heading_terms`: of its heading path and its document's title.
    """

    sentences: tuple[AnalysedSentence, ...]
    terms: frozenset[str]
    heading_terms: frozenset[str]
    dense: str


@lru_cache(maxsize=1_024)
def analyse_passage(text: str, after: str, heading: str, title: str, is_code: bool) -> AnalysedPassage:
    """Analyse a passage. `after`: the text that follows it on its page. Code is one sentence."""
    whole = text + after
    spans = [(0, len(text))] if is_code else [span for span in split_sentences(whole) if span[0] < len(text)]
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
    found = split_terms(folded)
    return frozenset((*found, *map("".join, find_long_words(found))))


def _analyse_sentence(text: str, start: int, end: int) -> AnalysedSentence:
    # Printed lines end inside words; the view joins them.
    folded = fold(fold_with_map(text[start:end]).text)
    return AnalysedSentence(start, end, folded, squeeze(folded), list_terms(folded))


def add_names(analysed: AnalysedPassage, others: Mapping[str, frozenset[str]]) -> AnalysedPassage:
    """Return the passage; sentences that use another name of a thing also get the terms of its name."""
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
    """Return the text of a passage to the end of its last sentence, or to `end` if that is later.

    The rest of that sentence follows the passage under the same heading on its page.
    """
    whole = passage.text + passage.after
    if passage.code:
        return whole[: max(len(passage.text), min(end, len(whole)))]
    last = max((stop for start, stop in split_sentences(whole) if start < len(passage.text)), default=0)
    return whole[: max(len(passage.text), last, min(end, len(whole)))]


MAX_PASSAGES = 30  # read for one goal in one round
_ITEM = compile_lazily(r"\s*(?:[・•●○■□◆◇\-*+]|[(（]?[0-9０-９①-⑳]+[.)）．、]?)\s")
_GRANT = compile_lazily(
    r"でき|可能|なければ|べき|必要|禁止|てはい[けな]|ません|ない|違反|認め|許|義務"
    r"|\b(?:not|no|never|must|may|can|cannot|should|only|allowed|required)\b|n't"
)
_YES_OR_NO = compile_lazily(
    r"(?:ます|です|でしょう|る|い|の|た|ない|せん)(?:ん|の)?(?:です)?(?:でしょう)?か[。?？]*$"
    r"|^(?:is|are|was|were|do|does|did|can|could|has|have|had|will|would|should|must|may)\b"
)
_ASKS_WHICH = compile_lazily(
    r"何|誰|いつ|どこ|どれ|どの|どう|どん|いくら|いくつ|なぜ|\b(?:what|who|when|where|why|how|which)\b"
)


class SentenceFeatures(NamedTuple):
    """Features of one sentence, in the order of the weights."""

    coverage: float  # share in the sentence
    context_coverage: float  # share in the sentence and the one before it
    full_coverage: float  # … and in the heading path and the document's title
    trigrams: float  # share of the question's runs of three characters
    kind: float  # the sentence gives the kind of thing asked for; .5 if no kind is known
    definition: float  # it says what the thing is whose meaning is asked for
    unit: float  # the noun counted by the question is there
    permission: float  # it says what can, must or must not be, for a question of yes or no
    item: float  # it is an item of a list
    first: float  # it is the first of its passage
    passage_coverage: float  # share in the passage, its heading path and its document's title
    rank: float  # log of the passage's rank in the search, from 1, with a minus sign
    match: float  # share of the query that the search matched


@dataclass(frozen=True, slots=True)
class SentenceCandidate:
    """A sentence that may be marked. `passage` is the place of its passage among those given."""

    passage: int
    sentence: AnalysedSentence
    place: int
    features: SentenceFeatures

    @staticmethod
    def feature_names() -> tuple[str, ...]:
        return SentenceFeatures._fields


@dataclass(frozen=True, slots=True)
class PassageMatch:
    """A passage with the question's terms that it holds, by the very term or by one of the same meaning."""

    shown: NumberedPassage
    analysed: AnalysedPassage
    same: Mapping[str, frozenset[str]]

    @property
    def words(self) -> frozenset[str]:
        """The terms of the passage, its heading path and its document's title."""
        return self.analysed.terms | self.analysed.heading_terms

    def measure_share(self, weights: Mapping[str, float], words: frozenset[str]) -> float:
        """Return how much of the weight these words hold."""
        return sum(weight for term, weight in weights.items() if not self.same[term].isdisjoint(words))

    def holds(self, term: str, words: frozenset[str]) -> bool:
        return not self.same[term].isdisjoint(words)


def match_passages(
    question: AnalysedQuestion,
    passages: Sequence[NumberedPassage],
    short_names: Mapping[str, frozenset[str]] = NO_SHORT_NAMES,
) -> list[PassageMatch]:
    """Analyse passages and find the question's terms in them.

    `short_names`: synonyms of names in the question; a sentence with one of them contains the name.
    """
    matched = []
    for shown in passages[:MAX_PASSAGES]:
        analysed = analyse_passage(shown.text, shown.after, shown.heading, shown.title, shown.code)
        if short_names:
            analysed = add_names(analysed, short_names)
        words = analysed.terms | analysed.heading_terms
        same = {
            term: frozenset({term}) | find_same(term, words) | (join_synonyms(term) & words)
            for term in question.weights
        }
        matched.append(PassageMatch(shown, analysed, same))
    return matched


def list_candidates(
    question: AnalysedQuestion, matched: Sequence[PassageMatch]
) -> Iterator[SentenceCandidate]:
    """Yield every sentence of the passages with its features."""
    asks_yes_or_no = _YES_OR_NO.search(question.folded) is not None and not _ASKS_WHICH.search(
        question.folded
    )
    for passage, each in enumerate(matched):
        lines = each.analysed.sentences
        for place, line in enumerate(lines):
            printed = (each.shown.text + each.shown.after)[line.start : line.end]
            before = lines[place - 1].terms if place else frozenset[str]()
            context = line.terms | before
            yield SentenceCandidate(
                passage,
                line,
                place,
                SentenceFeatures(
                    coverage=each.measure_share(question.weights, line.terms),
                    context_coverage=each.measure_share(question.weights, context),
                    full_coverage=each.measure_share(question.weights, context | each.analysed.heading_terms),
                    trigrams=sum(trigram in line.dense for trigram in question.trigrams)
                    / max(1, len(question.trigrams)),
                    kind=measure_kind(question.kind, question.folded, line.folded),
                    definition=float(_is_definition(question, each.shown, line)),
                    unit=float(bool(question.unit) and question.unit in line.folded),
                    permission=float(asks_yes_or_no and _GRANT.search(line.folded) is not None),
                    item=float(_ITEM.match(printed) is not None),
                    first=float(place == 0),
                    passage_coverage=each.measure_share(question.weights, each.words),
                    rank=-math.log(1 + passage),
                    match=each.shown.match,
                ),
            )


def _is_definition(question: AnalysedQuestion, shown: NumberedPassage, line: AnalysedSentence) -> bool:
    if not question.defined:
        return False
    span = shown.definition
    is_marked = span is not None and span[0] < line.end and line.start < span[1]
    return is_marked or is_definition(question.defined, line.folded)
