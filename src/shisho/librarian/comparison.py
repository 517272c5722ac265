"""A sentence against its quotations, phrase by phrase: what is covered, and what is denied, hedged or
strengthened."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise

from shisho.language.idioms import look_up_meaning
from shisho.language.meanings import mean_same, opposites
from shisho.language.phrases import denies, phrases, reports
from shisho.language.terms import fold
from shisho.language.weights import ABSTRACT, CLAIMS, DENYING, DIRECTED, LIGHT, STRONG
from shisho.librarian.ties import TiedPhrase, case_of, figures_agree, likeness, tie_phrases, words_of

FOREIGN = 0.15  # below this share of a sentence's words in its quotations, they speak of something else
ALIKE = 2.0  # how much two places must have in common before an opposite in one contradicts the other
# how much better another thing must fit in a phrase's place before the phrase is taken for swapped
MARGIN = 1.4
_VERB = re.compile(r"[うくぐすつぬぶむる]$")
LONG = 11  # words of a sentence from which some of them may be missing
LACKING = 0.35  # the share of its words that a long sentence may have in other words
# How near a sentence must be to a quoted one for a denial, a claim, a duty or a role of its own to contradict
# it.
FIRM = 0.5
REPEATED = 0.8  # share of words in the same order from which a sentence repeats its quotation
_HEDGES = frozenset({"maybe", "sometimes"})
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non")
_CLAIMS = tuple(map(re.compile, CLAIMS))
_DENIAL = re.compile(
    r"な[いくかけし]|ませ?ん|ず(?=[、。にはと]|$)|ぬ|ざる|まい|[不無非未]|皆無|困難|難し|禁|拒|失|欠|否|違|異な|反対|除|以外|廃|免|止|消|絶"
    r"|\b(?:no|not|never|none|nor|neither|without|nobody|nothing|hardly|few|little|un(?:able|likely|known|clear|certain|changed|safe|like)|invalid|illegal|impossible|inaccurate|incomplete"
    r"|insufficient|independent\w*|dis(?:agree|approve|appear|like)\w*|ban\w*|fail\w*"
    r"|refus\w*|reject\w*|den[iy]\w*|lack\w*|miss\w*|zero|cannot|rather|instead|except\w*|exclu\w*|prevent\w*|avoid\w*|gone|stop\w*)\b|n['’]t\b"
)
_EACH_TIME = frozenset({"day", "week", "month", "year", "hour"})
SENTENCES = 1_000  # of one quotation at most, to number them all


@dataclass(slots=True)
class Doubts:
    """The doubts about a sentence: what is contradicted, what is only not there, and hints that speak against
    it and may be outweighed."""

    wrong: list[str] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)


def join_phrases(phrase: TiedPhrase, after: TiedPhrase) -> str:
    """The one word for what two phrases say together: 脚光 浴びる, and 受け持つ, which is read as two verbs.
    Empty where they say no such thing."""
    if phrase.sentence != after.sentence or phrase.place != after.place - 1 or not after.phrase.predicate:
        return ""
    if phrase.phrase.predicate:
        plain = not (phrase.phrase.broken or phrase.phrase.marks)
        return phrase.phrase.whole + after.phrase.whole if plain else ""
    return look_up_meaning(phrase.phrase.whole, after.phrase.whole)


class Comparison:
    """The phrases of a sentence and of its quotations, and which of them stand for each other."""

    def __init__(self, sentence: str, quotations: Sequence[str], headings: Sequence[str]) -> None:
        self.text = fold(sentence)
        self.said = tie_phrases(sentence)
        self.japanese = any(said_phrase.phrase.predicate for said_phrase in self.said)
        self.quoted = [
            TiedPhrase(
                phrase.phrase, number * SENTENCES + phrase.sentence, phrase.place, phrase.ties, phrase.words
            )
            for number, quotation in enumerate(quotations)
            for phrase in tie_phrases(quotation)
        ]
        self.quoted_text = fold("\n".join(quotations))
        self.headed = [phrase for heading in headings for phrase in tie_phrases(heading)]
        phrases = [*self.quoted, *self.headed]
        self.words = {word for phrase in phrases for word in words_of(phrase)}
        self.words.update(join_phrases(*pair) for pair in pairwise(phrases))
        self.words.discard("")
        self.quoted_words = {word for phrase in self.quoted for word in words_of(phrase)}
        self.wholes = {phrase.phrase.whole for phrase in phrases}
        self.own_words = {
            word for phrase in self.said for word in (*phrase.phrase.terms, phrase.phrase.whole)
        }
        self._in_order = sorted(self.words)  # so that every run renames alike
        self._renamed: dict[str, str] = {}
        self._nearness: float | None = None
        # By the identity of a phrase of the sentence, which lives as long as this.
        self.places_of: dict[int, list[TiedPhrase]] = {}

    def rename(self, word: str) -> str:
        """The quotations' word for a word."""
        if word not in self._renamed:
            alike = (other for other in self._in_order if mean_same(word, other))
            self._renamed[word] = word if word in self.words else next(alike, word)
        return self._renamed[word]

    def find_first_places(self) -> dict[str, int]:
        """Where each word stands first in the quotations."""
        places: dict[str, int] = {}
        for at, quoted in enumerate(self.quoted):
            for word in quoted.phrase.terms:
                places.setdefault(word, at)
        return places

    def nearness(self) -> float:
        """How nearly the sentence is one of the quoted ones, word for word: 1 for the same words in one
        order."""
        if self._nearness is None:
            our_words = [self.rename(word) for said in self.said for word in words_of(said)]
            their_rows: dict[int, list[str]] = {}
            for quoted in self.quoted:
                their_rows.setdefault(quoted.sentence, []).extend(words_of(quoted))
            matchers = (
                SequenceMatcher(None, our_words, words, autojunk=False) for words in their_rows.values()
            )
            self._nearness = max((matcher.ratio() for matcher in matchers), default=0.0)
        return self._nearness

    def claims(self, word: str) -> bool:
        """True where the quotations claim in other words as much as a strong word does."""
        return any(kind.search(word) and kind.search(self.quoted_text) for kind in _CLAIMS)

    def find_opposites(self, word: str) -> frozenset[str]:
        """The opposites of a word, and the quotations' words for them."""
        turned = opposites(word)
        if not turned:
            return frozenset(other for other in self.quoted_words if _denies(word, other))
        return turned | {
            other
            for other in self.quoted_words
            if other != word and (_denies(word, other) or any(mean_same(one, other) for one in turned))
        }

    def are_alike(self, said_phrase: TiedPhrase, quoted_phrase: TiedPhrase) -> bool:
        """True where two phrases have a word or figure in common."""
        our_words = {self.rename(word) for word in said_phrase.phrase.terms}
        our_words = our_words - LIGHT or our_words
        if our_words & set(quoted_phrase.phrase.terms) or figures_agree(said_phrase, quoted_phrase):
            return True
        return bool(said_phrase.phrase.terms and quoted_phrase.phrase.terms) and mean_same(
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
        alike = [quoted_phrase for quoted_phrase in self.quoted if self.are_alike(said_phrase, quoted_phrase)]
        if said_phrase.phrase.predicate:
            alike = [quoted_phrase for quoted_phrase in alike if quoted_phrase.phrase.predicate] or alike
        return max(alike, key=lambda quoted_phrase: self.likeness(said_phrase, quoted_phrase), default=None)


def _denies(word: str, other: str) -> bool:
    """True for independent beside dependent, whichever of the two."""
    shorter, longer = (word, other) if len(word) < len(other) else (other, word)
    return len(shorter) > 4 and longer.endswith(shorter) and longer.removesuffix(shorter) in _PREFIXES


def compare_claims(comparison: Comparison, sentence: str, quotations: Sequence[str], doubts: Doubts) -> None:
    """Check that a sentence claims nothing without exception, before or above all, or alone, that the
    quotations do not claim in some words, and denies nothing where they deny nothing."""
    plain = fold(sentence)
    if any(kind.search(plain) and not kind.search(comparison.quoted_text) for kind in _CLAIMS):
        doubts.unsure.append("quantifier")
    ends = {denies(row.text) % 2 for quotation in quotations for row in phrases(quotation)}
    if comparison.nearness() >= FIRM and not {denies(row.text) % 2 for row in phrases(sentence)} <= ends:
        doubts.unsure.append("negation")
    if any("not" in said.phrase.marks for said in comparison.said) and not _DENIAL.search(
        comparison.quoted_text
    ):
        doubts.unsure.append("negation")


def compare_words(comparison: Comparison, doubts: Doubts) -> None:
    """Check that no stronger words are said than the quotations have, and no first part of theirs for the
    whole."""
    for phrase in comparison.said:
        if _headless(comparison, phrase):
            doubts.hints.append("headless")
        if any(_strengthens(comparison, word) for word in phrase.phrase.terms) or _narrows(
            comparison, phrase
        ):
            doubts.wrong.append("quantifier")


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


def _strengthens(comparison: Comparison, word: str) -> bool:
    if word not in STRONG or comparison.rename(word) in comparison.words or comparison.claims(word):
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
        "only" in quoted_phrase.phrase.marks and comparison.are_alike(said_phrase, quoted_phrase)
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


def _compare_denial(
    comparison: Comparison, said_phrase: TiedPhrase, quoted_phrase: TiedPhrase, doubts: Doubts
) -> None:
    if _denied(said_phrase) == _denied(quoted_phrase):
        return
    phrases = [phrase for phrase in comparison.quoted if phrase.sentence == quoted_phrase.sentence]
    balanced = sum(map(_denied, comparison.said)) % 2 == sum(map(_denied, phrases)) % 2
    if not balanced:
        doubts.wrong.append("negation")
    elif said_phrase.phrase.predicate and (
        said_phrase.phrase.terms == quoted_phrase.phrase.terms or _ends(comparison.said, said_phrase)
    ):
        doubts.unsure.append("negation")


def _denied(phrase: TiedPhrase) -> bool:
    return ("not" in phrase.phrase.marks) != any(word in DENYING for word in phrase.phrase.terms)


def _demanded(comparison: Comparison, said_phrase: TiedPhrase, quoted_phrase: TiedPhrase) -> bool:
    """True where it is a duty there too, here or where the same word stands again."""
    if "must" in quoted_phrase.phrase.marks or {"義務", "必要", "必須"} & comparison.words:
        return True
    return any(
        "must" in other.phrase.marks and other.phrase.terms == said_phrase.phrase.terms
        for other in comparison.quoted
    )


def _compare_surety(
    comparison: Comparison, said_phrase: TiedPhrase, quoted_phrase: TiedPhrase, doubts: Doubts
) -> None:
    hedges = _HEDGES
    our_words = said_phrase.phrase.marks
    their_words = quoted_phrase.phrase.marks
    hedged = _hedged(comparison.quoted, quoted_phrase)
    ours_hedged = _hedged(comparison.said, said_phrase) or reports(comparison.text, comparison.quoted_text)
    if their_words & hedges and not our_words & hedges and not ours_hedged:
        ends = _ends(comparison.said, said_phrase) and _ends(comparison.quoted, quoted_phrase)
        (doubts.wrong if ends else doubts.unsure).append("hedge")
    if "maybe" in our_words and not hedged and _ends(comparison.said, said_phrase):
        doubts.unsure.append("hedge")
    if "must" in our_words and not _demanded(comparison, said_phrase, quoted_phrase):
        doubts.wrong.append("must")
    if "if" in their_words and "if" not in our_words:
        doubts.hints.append("condition")
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
            turned = comparison.find_opposites(word)
            if not turned or turned & comparison.own_words:
                continue
            if _turned(comparison, said_phrase, word, opposites(word)):
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
