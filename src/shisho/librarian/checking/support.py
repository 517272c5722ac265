"""Whether quotations support a sentence, by one fitted score. `make weights` writes its weights.

The words and figures of the sentence are matched with those of the run of neighbouring sentences that has
most of them; the clauses of the run that have a match are called matched. Every feature is a plain number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple

from shisho.language import compile_lazily
from shisho.language.document_names import find_names
from shisho.language.meanings import are_opposite, count_negations, is_negated, is_same_word, mean_same
from shisho.language.terms import split_terms, squeeze
from shisho.librarian.checking.clauses import (
    COVERED,
    MARKS,
    Clause,
    Token,
    are_of_one_kind,
    count_different_marks,
    is_in,
    read_clauses,
)
from shisho.records import dataclass

FILE = "support.json"
LONGEST_RUN = 4  # sentences that one sentence may sum up
RUN_COST = 0.15  # of each further sentence of a run, in shares of the sentence's words
MATCHED = 0.65  # from this on a word is said
KNOWN = 0.5  # what a word counts that only a heading, a context or the question has

_KANA_END = compile_lazily(r"[ぁ-ん]$")
_DENIAL = compile_lazily(r"そう|とは|わけ|正し|言え|いえ|限ら|\b(?:that|it|so|true)\b")
_ROLE = compile_lazily(r"([一-鿿々ァ-ヶー]{1,12})(は|が|を|に|へ|から|より)(?![一-鿿]?って)")
_SUBJECT = "subject"
_ROLES = {
    "は": _SUBJECT,
    "が": _SUBJECT,
    "を": "object",
    "に": "to",
    "へ": "to",
    "から": "from",
    "より": "from",
}


class SupportFeatures(NamedTuple):
    """Features of one sentence, in the order of the weights.

    `RISING` never lower the score, `EITHER` may do both, all others never raise it.
    """

    coverage: float  # share of the words that are said; what only headings have counts half
    density: float  # share of the words of the matched clauses that the sentence uses
    pairs: float  # share of neighbouring words that stand in one clause of the run
    opening: float  # the first word is said
    figures: float  # there are figures
    moves: float  # words that come before the one that they follow in the run
    latin_moves: float  # … where the order tells who does what to whom
    unmatched: float  # nouns that are not said
    substituted: float  # words that are not said and in whose place the run has another one
    reused: float  # words that stand more often than in the run
    between: float  # clauses left out between the matched ones
    opposites: float  # words whose opposite the matched clauses have
    negations: float  # difference of the negations from the matched clauses
    denied: float  # the run goes on to deny what it said
    misdenied: float  # negated clauses that are not about what the matched clauses negate
    directions: float  # nouns with を, に or から that have another of these in the matched clauses
    subjects: float  # nouns that are a subject only here or only in the matched clauses, if words move
    shares: float  # wholes of which a share is taken here and not in the matched clauses
    crossed: float  # figures whose words stand with another figure
    swapped: float  # neighbouring figures of one kind in another order than their labels, or the reverse
    names: float  # names that the run does not have
    rivals: float  # figures for which the matched clauses have another one of the kind
    bounds: float  # marks that only the sentence or only the matched clauses have, by their kind
    limits: float
    doubts: float
    signs: float
    parts: float
    times: float
    clean: float  # none of what is counted from `unmatched` to `times` is there, moves apart


RISING = frozenset({"coverage", "density", "pairs", "opening", "clean"})
EITHER = frozenset({"figures"})


@dataclass(frozen=True, slots=True)
class SupportWeights:
    """Weights by feature, the least score of a supported sentence, and the signs that forbid support."""

    weights: Mapping[str, float]
    threshold: float
    forbidding: Sequence[str]

    def is_supported(self, features: SupportFeatures) -> bool:
        values = features._asdict()
        if any(values[name] for name in self.forbidding):
            return False
        score: float = sum(weight * values[name] for name, weight in self.weights.items())
        return score >= self.threshold


@cache
def load_support_weights() -> SupportWeights:
    """Return the weights of this version."""
    return SupportWeights(**json.loads(files(__package__).joinpath(FILE).read_text("utf-8")))


def measure_support(
    sentence: str, quotations: Sequence[str], headings: Sequence[str] = ()
) -> SupportFeatures:
    """Return the features of a sentence. `headings`: contexts, too, but no question: it proves nothing."""
    ours = read_clauses(sentence)
    headed_words = frozenset(
        word for text in headings for clause in read_clauses(text) for word in clause.words
    )
    return _Alignment(ours, _find_run(ours, quotations), headed_words).measure()


def _find_run(ours: Sequence[Clause], quotations: Sequence[str]) -> list[Clause]:
    """Return the clauses of the neighbouring sentences that have most of the sentence's words."""
    stated: list[list[Clause]] = []
    for quotation in quotations:
        by_number: dict[int, list[Clause]] = {}
        for clause in read_clauses(quotation):
            by_number.setdefault(clause.sentence, []).append(clause)
        stated += by_number.values()
    tokens = [token for clause in ours for token in clause.content]
    scores = [
        [
            max((match_tokens(token, other) for clause in sentence for other in clause.content), default=0.0)
            for token in tokens
        ]
        for sentence in stated
    ]
    best, bounds = -1.0, (0, 0)
    for start in range(len(stated)):
        for end in range(start + 1, min(len(stated), start + LONGEST_RUN) + 1):
            score = sum(map(max, zip(*scores[start:end], strict=True))) / max(1, len(tokens))
            score -= RUN_COST * (end - start - 1)
            if score > best:
                best, bounds = score, (start, end)
    return [replace(clause, sentence=number) for number in range(*bounds) for clause in stated[number]]


class _Alignment:
    """The tokens of a sentence matched with those of a run.

    `places`: the index of each token's match, None without one. `owners` and `clause_numbers`: the clause of
    each token in the sentence and in the run.
    """

    def __init__(self, ours: Sequence[Clause], run: Sequence[Clause], headed_words: frozenset[str]) -> None:
        self.ours, self.run, self.headed_words = ours, run, headed_words
        self.tokens = [token for clause in ours for token in clause.content]
        self.owners = [number for number, clause in enumerate(ours) for _ in clause.content]
        self.stated = [token for clause in run for token in clause.content]
        self.clause_numbers = [number for number, clause in enumerate(run) for _ in clause.content]
        self.scores: list[float] = []
        self.places: list[int | None] = []
        self.used: set[int] = set()
        self.reused = 0
        self._match()
        self.matched = [place for place in self.places if place is not None]
        self.matched_clauses = sorted({self.clause_numbers[place] for place in self.matched})
        self.text = "、".join(clause.text for clause in ours)
        self.matched_text = "、".join(run[number].text for number in self.matched_clauses)

    def _match(self) -> None:
        """Match each token with the best one, if possible an unused one behind the match before it."""
        at = -1
        for token in self.tokens:
            scores = [match_tokens(token, other) for other in self.stated]
            best = max(scores, default=0.0)
            near = [place for place, score in enumerate(scores) if score == best and best >= MATCHED]
            free = [place for place in near if place not in self.used]
            self.reused += bool(near) and not free
            free = free or near
            place = next((place for place in free if place > at), free[0] if free else None)
            self.scores.append(best)
            self.places.append(place)
            if place is not None:
                self.used.add(place)
                at = place

    def measure(self) -> SupportFeatures:
        foreign = [
            token.term
            for token, place in zip(self.tokens, self.places, strict=True)
            if place is None and token.term not in self.headed_words
        ]
        moves = min(4, sum(second < first for first, second in pairwise(self.matched)))
        latin = self.text.isascii()
        signs = {
            "unmatched": min(4, sum(not _KANA_END.search(term) for term in foreign)),
            "substituted": min(3, self._count_substituted()),
            "reused": min(2, self.reused),
            "between": min(3, self._count_gaps()),
            "opposites": min(2, self._count_opposites()),
            "negations": min(2, abs(count_negations(self.text) - count_negations(self.matched_text))),
            "denied": self._is_denied_after(),
            "misdenied": min(2, self._count_misdenied()),
            "directions": min(2, self._count_roles(is_of_subjects=False)),
            "subjects": min(2, self._count_roles(is_of_subjects=True)) if moves else 0,
            "shares": min(2, self._count_shares()),
            "crossed": min(2, self._count_crossed()),
            "swapped": min(2, self._count_swapped()),
            "names": min(2, self._count_names()),
            "rivals": min(2, self._count_rivals()),
            **{kind: min(2, count_different_marks(self.text, self.matched_text, (kind,))) for kind in MARKS},
        }
        return SupportFeatures(
            coverage=sum(
                max(score, KNOWN * (token.term in self.headed_words))
                for token, score in zip(self.tokens, self.scores, strict=True)
            )
            / max(1, len(self.tokens)),
            density=len(self.used)
            / max(1, sum(number in self.matched_clauses for number in self.clause_numbers)),
            pairs=self._share_pairs(),
            opening=bool(self.places) and self.places[0] is not None,
            figures=any(token.figure for token in self.tokens),
            moves=moves,
            latin_moves=moves * latin,
            **signs,
            clean=not any(signs.values()),
        )

    def _share_pairs(self) -> float:
        rows = zip(self.owners, self.places, strict=True)
        inside = [(a, b) for (owner, a), (other, b) in pairwise(rows) if owner == other]
        together = sum(
            a is not None and b is not None and self.clause_numbers[a] == self.clause_numbers[b]
            for a, b in inside
        )
        return together / max(1, len(inside))

    def _count_substituted(self) -> int:
        count = 0
        around = [-1, *self.places, len(self.stated)]
        for token, before, place, after in zip(self.tokens, around, self.places, around[2:], strict=False):
            if place is None and token.term not in self.headed_words:
                beside = (None if before is None else before + 1, None if after is None else after - 1)
                count += any(
                    at is not None and 0 <= at < len(self.stated) and at not in self.used for at in beside
                )
        return count

    def _count_opposites(self) -> int:
        sentence_terms = {token.term for token in self.tokens}
        exact = {token.term for token, score in zip(self.tokens, self.scores, strict=True) if score == 1}
        rest = {
            token.term for place, token in enumerate(self.stated) if place not in self.used
        } - sentence_terms
        return sum(any(are_opposite(term, other) for other in rest) for term in sentence_terms - exact)

    def _is_denied_after(self) -> bool:
        rest = self.run[self.matched_clauses[-1] + 1 :] if self.matched_clauses else ()
        return any(
            clause.sentence == self.run[self.matched_clauses[-1]].sentence
            and count_negations(clause.text) > 0
            and _DENIAL.search(clause.text) is not None
            for clause in rest
        )

    def _count_gaps(self) -> int:
        matched = self.matched_clauses
        return matched[-1] - matched[0] + 1 - len(matched) if matched else 0

    def _count_misdenied(self) -> int:
        stated = [clause for number in self.matched_clauses if is_negated((clause := self.run[number]).text)]
        return sum(
            2 * max((_count_matching(clause.words, other.words) for other in stated), default=0)
            < len({*clause.words})
            for clause in self.ours
            if is_negated(clause.text)
        )

    def _count_roles(self, *, is_of_subjects: bool) -> int:
        """Return how many nouns have another role in the matched clauses.

        Those that are a subject on one side if `is_of_subjects`, else the others.
        """
        stated: dict[str, set[str]] = {}
        for noun, particle in _ROLE.findall(self.matched_text):
            stated.setdefault(noun, set()).add(_ROLES[particle])
        count = 0
        for noun, particle in _ROLE.findall(self.text):
            others, role = stated.get(noun, set()), _ROLES[particle]
            if others and role not in others:
                count += (_SUBJECT in {role, *others}) is is_of_subjects
        return count

    def _count_shares(self) -> int:
        stated = _list_wholes(self.run)
        return sum(
            all(_count_matching(whole, other) < len({*whole}) for other in stated)
            for whole in _list_wholes(self.ours)
        )

    def _count_crossed(self) -> int:
        """Return how many figures stand with a word that the matched clauses have only with another figure.

        Or with a word of another clause, though the figure's clause has one of its own that is left out.
        """
        count = 0
        for token, owner, place in zip(self.tokens, self.owners, self.places, strict=True):
            if token.figure and place is not None:
                clause_number = self.clause_numbers[place]
                beside = self.run[clause_number].words
                is_bare = all(
                    at in self.used or self.clause_numbers[at] != clause_number or self.stated[at].figure
                    for at in range(place)
                )
                count += any(
                    at is not None
                    and other.figure is None
                    and owner == clause
                    and self.clause_numbers[at] != clause_number
                    and (self.run[self.clause_numbers[at]].figures or not is_bare)
                    and not _count_matching((other.term,), beside)
                    for other, clause, at in zip(self.tokens, self.owners, self.places, strict=True)
                )
        return count

    def _count_swapped(self) -> int:
        """Return how many neighbouring figures of one kind changed places, but not with their labels.

        The label of a figure is the nearest word before it, or after it, that its neighbour does not share.
        """
        values = [token.figure for token in self.stated if token.figure]
        figures = [
            at
            for at, token in enumerate(self.tokens)
            if token.figure and self.places[at] is not None and values.count(token.figure) == 1
        ]
        count = 0
        for before, (first, second) in zip([-1, *figures], pairwise(figures), strict=False):
            ours, other = self.tokens[first].figure, self.tokens[second].figure
            if ours is None or other is None or not are_of_one_kind(ours, other):
                continue
            after = next((at for at in figures if at > second), len(self.tokens))
            leading = self._are_labels_turned(range(first - 1, before, -1), range(second - 1, first, -1))
            trailing = self._are_labels_turned(range(first + 1, second), range(second + 1, after))
            if self._is_turned(first, second):
                count += not (leading or trailing)
            else:
                count += leading is True and trailing is not False
        return count

    def _are_labels_turned(self, first: Sequence[int], second: Sequence[int]) -> bool | None:
        """Return whether two labels are reversed in the matched clauses, None if nothing tells them apart.

        `first` and `second`: tokens around two figures, the nearest first.
        """
        homes = [{self.places[at] for at in side} for side in (first, second)]
        labels = [
            next((at for at in side if self.places[at] not in {None, *other}), None)
            for side, other in ((first, homes[1]), (second, homes[0]))
        ]
        return None if labels[0] is None or labels[1] is None else self._is_turned(labels[0], labels[1])

    def _is_turned(self, first: int, second: int) -> bool:
        """Return whether the second of two matched tokens comes first in the matched clauses."""
        before, after = self.places[first], self.places[second]
        return before is not None and after is not None and after < before

    def _count_names(self) -> int:
        stated = squeeze("".join(clause.text for clause in self.run) + " ".join(sorted(self.headed_words)))
        return sum(name not in stated for name in find_names(self.text))

    def _count_rivals(self) -> int:
        unused = [
            token.figure
            for place, token in enumerate(self.stated)
            if token.figure and place not in self.used and self.clause_numbers[place] in self.matched_clauses
        ]
        return sum(
            token.figure is not None
            and place is None
            and any(are_of_one_kind(token.figure, other) for other in unused)
            for token, place in zip(self.tokens, self.places, strict=True)
        )


def _list_wholes(clauses: Sequence[Clause]) -> list[list[str]]:
    parts = [clause.text.partition("のうち") for clause in clauses]
    return [[word for word in split_terms(whole) if word not in COVERED] for whole, mark, _ in parts if mark]


def _count_matching(words: Sequence[str], others: Sequence[str]) -> int:
    return sum(any(match_words(word, other) >= MATCHED for other in others) for word in {*words})


def match_tokens(token: Token, other: Token) -> float:
    """Return how far two tokens say the same, from 0 to 1."""
    if token.figure is None and other.figure is None:
        return match_words(token.term, other.term)
    is_said = token.figure is not None and other.figure is not None and is_in(token.figure, (other.figure,))
    return float(is_said or token.term == other.term)


@lru_cache(maxsize=100_000)
def match_words(word: str, other: str) -> float:
    """Return how far two terms say the same, from 0 to 1."""
    if word == other:
        return 1.0
    if is_same_word(word, other):
        return 0.9
    if mean_same(word, other):
        return 0.8
    if word.isascii() and other.isascii():
        return 0.7 if min(len(word), len(other)) > 3 and word[:5] == other[:5] else 0.0
    return 0.4 if any("一" <= sign <= "鿿" for sign in {*word} & {*other}) else 0.0
