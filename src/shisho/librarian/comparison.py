"""A sentence against its quotations, phrase by phrase: what is covered, and what is denied, hedged or strengthened."""

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
MARGIN = 1.4  # how much better another thing must fit in a phrase's place before the phrase is taken for swapped
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
        self.japanese = any(said.phrase.predicate for said in self.said)
        self.quoted = [
            TiedPhrase(one.phrase, number * SENTENCES + one.sentence, one.place, one.ties)
            for number, quotation in enumerate(quotations)
            for one in tied(quotation)
        ]
        self.headed = [one for heading in headings for one in tied(heading)]
        there = [*self.quoted, *self.headed]
        self.words = {word for one in there for word in words_of(one)}
        self.quoted_words = {word for one in self.quoted for word in words_of(one)}
        self.wholes = {one.phrase.whole for one in there}
        self.own_words = {word for one in self.said for word in (*one.phrase.terms, one.phrase.whole)}
        self._in_order = sorted(self.words)  # so that every run renames alike
        self._renamed: dict[str, str] = {}

    def rename(self, word: str) -> str:
        """The quotations' word for a word."""
        if word not in self._renamed:
            alike = (other for other in self._in_order if same(word, other))
            self._renamed[word] = word if word in self.words else next(alike, word)
        return self._renamed[word]

    def alike(self, said: TiedPhrase, quoted: TiedPhrase) -> bool:
        """True where two phrases have a word or figure in common."""
        mine = {self.rename(word) for word in said.phrase.terms}
        mine = mine - LIGHT or mine
        if mine & set(quoted.phrase.terms) or figures_agree(said, quoted):
            return True
        return bool(said.phrase.terms and quoted.phrase.terms) and same(said.phrase.whole, quoted.phrase.whole)

    def likeness(self, said: TiedPhrase, quoted: TiedPhrase, *others: TiedPhrase) -> float:
        """How much two places hang together alike, whatever stands in them."""
        without = frozenset(word for one in (said, quoted, *others) for word in words_of(one))
        return likeness(said.ties, quoted.ties, self.rename, without)

    def counterpart(self, said: TiedPhrase) -> TiedPhrase | None:
        """The quoted phrase that says the same in the likest place."""
        alike = [quoted for quoted in self.quoted if self.alike(said, quoted)]
        if said.phrase.predicate:
            alike = [quoted for quoted in alike if quoted.phrase.predicate] or alike
        return max(alike, key=lambda quoted: self.likeness(said, quoted), default=None)


def compare_words(comparison: Comparison, doubts: Doubts) -> None:
    """Check that the sentence's words are in its quotations, and no stronger ones are said."""
    said = comparison.said
    count = sum(len(one.phrase.terms) + len(one.phrase.figures) for one in said)
    lacking = [(one, word) for one in said for word in _lacking(comparison, one)]
    if count and len(lacking) > (1 - FOREIGN) * count:
        doubts.wrong.append("words")
    if (lacking and not _slight(comparison, lacking, count)) or any(_headless(comparison, one) for one in said):
        doubts.unsure.append("words")
    for one in said:
        if any(_strengthens(comparison, word) for word in one.phrase.terms) or _narrows(comparison, one):
            doubts.wrong.append("quantifier")


def _lacking(comparison: Comparison, said: TiedPhrase) -> list[str]:
    whole = said.phrase.whole
    if not whole or whole in comparison.wholes or any(same(whole, other) for other in comparison.wholes):
        return []
    return [word for word in said.phrase.terms if word not in LIGHT and comparison.rename(word) not in comparison.words]


def _headless(comparison: Comparison, said: TiedPhrase) -> bool:
    """True where all that is quoted of a noun is the first part of a longer one, whose head is not said:
    a player of tennis is no tennis."""
    mine = {comparison.rename(word) for word in said.phrase.terms}
    if said.phrase.predicate or said.phrase.adverb or case_of(said.phrase.role) not in ("が", "を"):
        return False
    own = {comparison.rename(word) for word in comparison.own_words}
    places = [quoted.phrase for quoted in comparison.quoted if mine & set(quoted.phrase.terms)]
    return bool(places) and all(
        mine <= set(phrase.terms[:-1]) and phrase.terms[-1] not in own | LIGHT | ABSTRACT for phrase in places
    )


def _slight(comparison: Comparison, lacking: Sequence[tuple[TiedPhrase, str]], count: int) -> bool:
    """True where a long sentence, told in other words than its quotations, lacks no more than some words
    whose exchange would show: no names, no figures, no opposites, nothing that strengthens or denies."""
    if count < LONG - 1 or len(lacking) > LACKING * count:
        return False
    if len(lacking) == 1 and _told_in_passing(comparison, *lacking[0]):
        return True
    if count < LONG or any(one.phrase.name or one.phrase.figures or _weighs(word) for one, word in lacking):
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
    return any(SequenceMatcher(None, mine, words, autojunk=False).ratio() >= REPEATED for words in theirs.values())


def _strengthens(comparison: Comparison, word: str) -> bool:
    if word not in STRONG or comparison.rename(word) in comparison.words:
        return False
    if word == "onli" and "few" in comparison.words | comparison.own_words:  # only a few, a very few
        return not {"few"} & comparison.words
    if word == "everi" and any(_EACH_TIME & set(one.phrase.terms) for one in comparison.said):  # every week, a week
        return not _EACH_TIME & comparison.words
    return not (word.startswith("最") and {"最も", "一番"} & comparison.words)  # 最大 for 最も大きい


def _narrows(comparison: Comparison, said: TiedPhrase) -> bool:
    if "only" not in said.phrase.marks or {"唯一", "唯", "onli", "sole"} & comparison.words:
        return False
    return not any("only" in quoted.phrase.marks and comparison.alike(said, quoted) for quoted in comparison.quoted)


def compare_marks(comparison: Comparison, doubts: Doubts) -> None:
    """Check that what is denied, hedged, demanded or conditional is so in the quotations too."""
    for said in comparison.said:
        quoted = comparison.counterpart(said)
        if quoted is not None:
            _compare_denial(comparison, said, quoted, doubts)
            _compare_surety(comparison, said, quoted, doubts)
            _compare_prepositions(said, quoted, doubts)
        elif "not" in said.phrase.marks:
            doubts.unsure.append("negation")


def _compare_denial(comparison: Comparison, said: TiedPhrase, quoted: TiedPhrase, doubts: Doubts) -> None:
    if _denied(said) == _denied(quoted):
        return
    there = [one for one in comparison.quoted if one.sentence == quoted.sentence]
    balanced = sum(map(_denied, comparison.said)) % 2 == sum(map(_denied, there)) % 2
    (doubts.unsure if balanced else doubts.wrong).append("negation")


def _denied(one: TiedPhrase) -> bool:
    return ("not" in one.phrase.marks) != any(word in DENYING for word in one.phrase.terms)


def _compare_surety(comparison: Comparison, said: TiedPhrase, quoted: TiedPhrase, doubts: Doubts) -> None:
    hedges, mine, theirs = _HEDGES, said.phrase.marks, quoted.phrase.marks
    hedged = _hedged(comparison.quoted, quoted)
    if theirs & hedges and not mine & hedges and not _hedged(comparison.said, said):
        ends = _ends(comparison.said, said) and _ends(comparison.quoted, quoted)
        (doubts.wrong if ends else doubts.unsure).append("hedge")
    if "maybe" in mine and not hedged:
        doubts.unsure.append("hedge")
    if "must" in mine and "must" not in theirs and not {"義務", "必要", "必須"} & comparison.words:
        doubts.wrong.append("must")
    if "if" in theirs and "if" not in mine:
        doubts.unsure.append("condition")
    if "able" in theirs and "able" not in mine and not comparison.japanese:
        doubts.unsure.append("able")


def _hedged(row: Sequence[TiedPhrase], home: TiedPhrase) -> bool:
    """True where something in the phrase's sentence is said to be unsure."""
    return any(one.phrase.marks & _HEDGES for one in row if one.sentence == home.sentence)


def _ends(row: Sequence[TiedPhrase], home: TiedPhrase) -> bool:
    """True where the phrase is the last predicate of its sentence; in English, where none is marked, any
    phrase is."""
    predicates = [one for one in row if one.sentence == home.sentence and one.phrase.predicate]
    return not predicates or predicates[-1] is home


def _compare_prepositions(said: TiedPhrase, quoted: TiedPhrase, doubts: Doubts) -> None:
    mine, theirs = said.phrase.role, quoted.phrase.role
    if mine != theirs and theirs in opposites(mine):
        doubts.wrong.append("direction")
    elif mine != theirs and mine in DIRECTED and theirs:
        doubts.unsure.append("direction")


def compare_opposites(comparison: Comparison, doubts: Doubts) -> None:
    """Check that no word stands where the quotations have its opposite."""
    for said in comparison.said:
        for word in {*said.phrase.terms, said.phrase.whole}:
            turned = opposites(word)
            if not turned or turned & comparison.own_words:
                continue
            if _turned(comparison, said, word, turned):
                doubts.wrong.append("direction")
            elif turned & comparison.quoted_words and comparison.rename(word) not in comparison.quoted_words:
                doubts.unsure.append("direction")


def _turned(comparison: Comparison, said: TiedPhrase, word: str, turned: frozenset[str]) -> bool:
    own = [quoted for quoted in comparison.quoted if word in (*quoted.phrase.terms, quoted.phrase.whole)]
    fits = max((comparison.likeness(said, quoted) for quoted in own), default=0.0)
    for quoted in comparison.quoted:
        there = {*quoted.phrase.terms, quoted.phrase.whole}
        if not turned & there or word in there:
            continue
        # Denying the opposite says the same.
        if said.phrase.predicate and ("not" in said.phrase.marks) != ("not" in quoted.phrase.marks):
            continue
        if comparison.likeness(said, quoted) >= max(ALIKE, fits + MARGIN):
            return True
    return False
