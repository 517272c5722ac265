"""A sentence against its quotations, phrase by phrase: what is covered, and what is denied, hedged or
strengthened."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from shisho.language.meanings import opposites, same
from shisho.language.numbers import ERA_START
from shisho.language.weights import ABSTRACT, DENYING, DIRECTED, LIGHT, MANY_SENSES, STRONG
from shisho.librarian.ties import TiedPhrase, case_of, figures_agree, likeness, tied, words_of

FOREIGN = 0.34  # below this share of a sentence's words in its quotations, they speak of something else
ALIKE = 2.0  # how much two places must have in common before an opposite in one contradicts the other
# how much better another thing must fit in a phrase's place before the phrase is taken for swapped
MARGIN = 1.4
_VERB = re.compile(r"[うくぐすつぬぶむる]$")
LONG = 11  # words of a sentence from which some of them may be missing
LACKING = 0.35  # the share of its words that a long sentence may have in other words
REPEATED = 0.8  # share of words in the same order from which a sentence repeats its quotation
_HEDGES = frozenset({"maybe", "sometimes"})
_EACH_TIME = frozenset({"day", "week", "month", "year", "hour"})
SENTENCES = 1_000  # of one quotation at most, to number them all


@dataclass(slots=True)
class Doubts:
    """The doubts about a sentence: what is contradicted, and what is only not there."""

    wrong: list[str] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)


class Comparison:
    """The phrases of a sentence and of its quotations, and which of them stand for each other."""

    def __init__(self, sentence: str, quotations: Sequence[str], headings: Sequence[str]) -> None:
        self.said = tied(sentence)
        self.japanese = any(said_phrase.phrase.predicate for said_phrase in self.said)
        self.quoted = [
            TiedPhrase(phrase.phrase, number * SENTENCES + phrase.sentence, phrase.place, phrase.ties)
            for number, quotation in enumerate(quotations)
            for phrase in tied(quotation)
        ]
        self.headed = [phrase for heading in headings for phrase in tied(heading)]
        phrases = [*self.quoted, *self.headed]
        self.words = {word for phrase in phrases for word in words_of(phrase)}
        self.quoted_words = {word for phrase in self.quoted for word in words_of(phrase)}
        self.wholes = {phrase.phrase.whole for phrase in phrases}
        self.own_words = {
            word for phrase in self.said for word in (*phrase.phrase.terms, phrase.phrase.whole)
        }
        self._in_order = sorted(self.words)  # so that every run renames alike
        self._renamed: dict[str, str] = {}
        # By the identity of a phrase of the sentence, which lives as long as this.
        self.places_of: dict[int, list[TiedPhrase]] = {}

    def rename(self, word: str) -> str:
        """The quotations' word for a word."""
        if word not in self._renamed:
            alike = (other for other in self._in_order if same(word, other))
            self._renamed[word] = word if word in self.words else next(alike, word)
        return self._renamed[word]

    def alike(self, said_phrase: TiedPhrase, quoted_phrase: TiedPhrase) -> bool:
        """True where two phrases have a word or figure in common."""
        our_words = {self.rename(word) for word in said_phrase.phrase.terms}
        our_words = our_words - LIGHT or our_words
        if our_words & set(quoted_phrase.phrase.terms) or figures_agree(said_phrase, quoted_phrase):
            return True
        return bool(said_phrase.phrase.terms and quoted_phrase.phrase.terms) and same(
            said_phrase.phrase.whole, quoted_phrase.phrase.whole
        )

    def likeness(self, said_phrase: TiedPhrase, quoted_phrase: TiedPhrase, *others: TiedPhrase) -> float:
        """How much two places hang together alike, whatever stands in them."""
        without = frozenset(
            word for phrase in (said_phrase, quoted_phrase, *others) for word in words_of(phrase)
        )
        return likeness(said_phrase.ties, quoted_phrase.ties, self.rename, without)

    def counterpart(self, said_phrase: TiedPhrase) -> TiedPhrase | None:
        """The quoted phrase that says the same in the likest place."""
        alike = [quoted_phrase for quoted_phrase in self.quoted if self.alike(said_phrase, quoted_phrase)]
        if said_phrase.phrase.predicate:
            alike = [quoted_phrase for quoted_phrase in alike if quoted_phrase.phrase.predicate] or alike
        return max(alike, key=lambda quoted_phrase: self.likeness(said_phrase, quoted_phrase), default=None)


def compare_words(comparison: Comparison, doubts: Doubts) -> None:
    """Check that the sentence's words are in its quotations, and no stronger ones are said."""
    said_phrases = comparison.said
    count = sum(len(phrase.phrase.terms) + len(phrase.phrase.figures) for phrase in said_phrases)
    lacking = [(phrase, word) for phrase in said_phrases for word in _lacking(comparison, phrase)]
    if count and len(lacking) > (1 - FOREIGN) * count:
        doubts.wrong.append("words")
    if (lacking and not _slight(comparison, lacking, count)) or any(
        _headless(comparison, phrase) for phrase in said_phrases
    ):
        doubts.unsure.append("words")
    for phrase in said_phrases:
        if any(_strengthens(comparison, word) for word in phrase.phrase.terms) or _narrows(
            comparison, phrase
        ):
            doubts.wrong.append("quantifier")


def _lacking(comparison: Comparison, said_phrase: TiedPhrase) -> list[str]:
    whole = said_phrase.phrase.whole
    if not whole or whole in comparison.wholes or any(same(whole, other) for other in comparison.wholes):
        return []
    return [
        word
        for word in said_phrase.phrase.terms
        if word not in LIGHT and comparison.rename(word) not in comparison.words
    ]


def _headless(comparison: Comparison, said_phrase: TiedPhrase) -> bool:
    """True where all that is quoted of a noun is the first part of a longer one, whose head is not said:
    a player of tennis is no tennis."""
    our_words = {comparison.rename(word) for word in said_phrase.phrase.terms}
    if (
        said_phrase.phrase.predicate
        or said_phrase.phrase.adverb
        or case_of(said_phrase.phrase.role) not in ("が", "を")
    ):
        return False
    own_words = {comparison.rename(word) for word in comparison.own_words}
    places = [
        quoted_phrase.phrase
        for quoted_phrase in comparison.quoted
        if our_words & set(quoted_phrase.phrase.terms)
    ]
    return bool(places) and all(
        our_words <= set(phrase.terms[:-1]) and phrase.terms[-1] not in own_words | LIGHT | ABSTRACT
        for phrase in places
    )


def _slight(comparison: Comparison, lacking: Sequence[tuple[TiedPhrase, str]], count: int) -> bool:
    """True where a long sentence, told in other words than its quotations, lacks no more than some words
    whose exchange would show: no names, no figures, no opposites, nothing that strengthens or denies."""
    if count < LONG - 1 or len(lacking) > LACKING * count:
        return False
    if len(lacking) == 1 and _told_in_passing(comparison, *lacking[0]):
        return True
    if count < LONG or any(
        phrase.phrase.name or phrase.phrase.figures or _weighs(word) for phrase, word in lacking
    ):
        return False
    return not any(_repeats(comparison, number) for number in {one.sentence for one, _ in lacking})


def _told_in_passing(comparison: Comparison, one: TiedPhrase, word: str) -> bool:
    """True where it is an adverb, or a verb that is not the sentence's last."""
    if _weighs(word) or "not" in one.phrase.marks:
        return False
    last = next((said.phrase for said in reversed(comparison.said) if said.phrase.predicate), None)
    return one.phrase.adverb or (one.phrase.predicate and one.phrase is not last and bool(_VERB.search(word)))


def _weighs(word: str) -> bool:
    if word in MANY_SENSES:
        return False
    return word in STRONG | DENYING or word in ERA_START or bool(opposites(word))


def _repeats(comparison: Comparison, number: int) -> bool:
    """True where a sentence is nearly a quoted one: then a single word in the place of another makes it
    false."""
    sentence = [tied for tied in comparison.said if tied.sentence == number]
    mine = [comparison.rename(word) for tied in sentence for word in words_of(tied)]
    theirs: dict[int, list[str]] = {}
    for one in comparison.quoted:
        theirs.setdefault(one.sentence, []).extend(words_of(one))
    return any(
        SequenceMatcher(None, mine, words, autojunk=False).ratio() >= REPEATED for words in theirs.values()
    )


def _strengthens(comparison: Comparison, word: str) -> bool:
    if word not in STRONG or comparison.rename(word) in comparison.words:
        return False
    if word == "onli" and "few" in comparison.words | comparison.own_words:  # only a few, a very few
        return not {"few"} & comparison.words
    # every week, a week
    if word == "everi" and any(_EACH_TIME & set(phrase.phrase.terms) for phrase in comparison.said):
        return not _EACH_TIME & comparison.words
    return not (word.startswith("最") and {"最も", "一番"} & comparison.words)  # 最大 for 最も大きい


def _narrows(comparison: Comparison, said_phrase: TiedPhrase) -> bool:
    if "only" not in said_phrase.phrase.marks or {"唯一", "唯", "onli", "sole"} & comparison.words:
        return False
    return not any(
        "only" in quoted_phrase.phrase.marks and comparison.alike(said_phrase, quoted_phrase)
        for quoted_phrase in comparison.quoted
    )


def compare_marks(comparison: Comparison, doubts: Doubts) -> None:
    """Check that what is denied, hedged, demanded or conditional is so in the quotations too."""
    for said_phrase in comparison.said:
        quoted_phrase = comparison.counterpart(said_phrase)
        if quoted_phrase is not None:
            _compare_denial(comparison, said_phrase, quoted_phrase, doubts)
            _compare_surety(comparison, said_phrase, quoted_phrase, doubts)
            _compare_prepositions(said_phrase, quoted_phrase, doubts)
        elif "not" in said_phrase.phrase.marks:
            doubts.unsure.append("negation")


def _compare_denial(
    comparison: Comparison, said_phrase: TiedPhrase, quoted_phrase: TiedPhrase, doubts: Doubts
) -> None:
    if _denied(said_phrase) == _denied(quoted_phrase):
        return
    phrases = [phrase for phrase in comparison.quoted if phrase.sentence == quoted_phrase.sentence]
    balanced = sum(map(_denied, comparison.said)) % 2 == sum(map(_denied, phrases)) % 2
    (doubts.unsure if balanced else doubts.wrong).append("negation")


def _denied(phrase: TiedPhrase) -> bool:
    return ("not" in phrase.phrase.marks) != any(word in DENYING for word in phrase.phrase.terms)


def _compare_surety(
    comparison: Comparison, said_phrase: TiedPhrase, quoted_phrase: TiedPhrase, doubts: Doubts
) -> None:
    hedges = _HEDGES
    our_words = said_phrase.phrase.marks
    their_words = quoted_phrase.phrase.marks
    hedged = _hedged(comparison.quoted, quoted_phrase)
    if their_words & hedges and not our_words & hedges and not _hedged(comparison.said, said_phrase):
        ends = _ends(comparison.said, said_phrase) and _ends(comparison.quoted, quoted_phrase)
        (doubts.wrong if ends else doubts.unsure).append("hedge")
    if "maybe" in our_words and not hedged:
        doubts.unsure.append("hedge")
    if "must" in our_words and "must" not in their_words and not {"義務", "必要", "必須"} & comparison.words:
        doubts.wrong.append("must")
    if "if" in their_words and "if" not in our_words:
        doubts.unsure.append("condition")
    if "able" in their_words and "able" not in our_words and not comparison.japanese:
        doubts.unsure.append("able")


def _hedged(row: Sequence[TiedPhrase], home: TiedPhrase) -> bool:
    """True where something in the phrase's sentence is said to be unsure."""
    return any(phrase.phrase.marks & _HEDGES for phrase in row if phrase.sentence == home.sentence)


def _ends(row: Sequence[TiedPhrase], home: TiedPhrase) -> bool:
    """True where the phrase is the last predicate of its sentence; in English, where none is marked, any
    phrase is."""
    predicates = [phrase for phrase in row if phrase.sentence == home.sentence and phrase.phrase.predicate]
    return not predicates or predicates[-1] is home


def _compare_prepositions(said_phrase: TiedPhrase, quoted_phrase: TiedPhrase, doubts: Doubts) -> None:
    our_role = said_phrase.phrase.role
    their_role = quoted_phrase.phrase.role
    if our_role != their_role and their_role in opposites(our_role):
        doubts.wrong.append("direction")
    elif our_role != their_role and our_role in DIRECTED and their_role:
        doubts.unsure.append("direction")


def compare_opposites(comparison: Comparison, doubts: Doubts) -> None:
    """Check that no word stands where the quotations have its opposite."""
    for said_phrase in comparison.said:
        for word in {*said_phrase.phrase.terms, said_phrase.phrase.whole}:
            turned = opposites(word)
            if not turned or turned & comparison.own_words:
                continue
            if _turned(comparison, said_phrase, word, turned):
                doubts.wrong.append("direction")
            elif turned & comparison.quoted_words and comparison.rename(word) not in comparison.quoted_words:
                doubts.unsure.append("direction")


def _turned(comparison: Comparison, said_phrase: TiedPhrase, word: str, turned: frozenset[str]) -> bool:
    phrases = [
        quoted_phrase
        for quoted_phrase in comparison.quoted
        if word in (*quoted_phrase.phrase.terms, quoted_phrase.phrase.whole)
    ]
    fits = max((comparison.likeness(said_phrase, quoted_phrase) for quoted_phrase in phrases), default=0.0)
    for quoted_phrase in comparison.quoted:
        quoted_words = {*quoted_phrase.phrase.terms, quoted_phrase.phrase.whole}
        if not turned & quoted_words or word in quoted_words:
            continue
        # Denying the opposite says the same.
        if said_phrase.phrase.predicate and ("not" in said_phrase.phrase.marks) != (
            "not" in quoted_phrase.phrase.marks
        ):
            continue
        if comparison.likeness(said_phrase, quoted_phrase) >= max(ALIKE, fits + MARGIN):
            return True
    return False
