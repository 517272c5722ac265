"""Whether quotations support a sentence, by one fitted score. `make weights` writes its weights.

The words and figures of the sentence are matched with those of the run of neighbouring sentences that has
most of them; the clauses of the run that have a match are called matched. The first features are shares, the
others are signs, which are there or not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple

from shisho.language import compile_lazily
from shisho.language.meanings import are_opposite, count_negations, is_negated, is_same_word, mean_same
from shisho.language.terms import split_terms
from shisho.librarian.checking.clauses import (
    COVERED,
    MARKS,
    Clause,
    Token,
    are_of_one_kind,
    has_different_marks,
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
_ROLE = compile_lazily(r"([一-鿿々ァ-ヶー]{1,12})(は|が|を|に|へ|から|より)(?!(?:よ|と|[従沿伴])って)")
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
    figures: bool  # there are figures
    moves: bool  # words of a Latin script come before those that they follow in the run
    unmatched: bool  # a noun is not said
    substituted: bool  # a word is not said, and in its place the run has another one
    reused: bool  # a word stands more often than in the run
    opposites: bool  # the matched clauses have the opposite of a word
    negations: bool  # the matched clauses have more or fewer negations
    denied: bool  # the run goes on to deny what it said
    misdenied: bool  # a negated clause is not about what the matched clauses negate
    directions: bool  # a noun with を, に or から has another of these in the matched clauses
    subjects: bool  # a noun is a subject only here or only in the matched clauses, and words or roles move
    shares: bool  # a share is taken of another whole than in the matched clauses
    crossed: bool  # a word of a figure stands with another figure
    swapped: bool  # neighbouring figures of one kind in another order than their labels, or the reverse
    bounds: bool  # marks of this kind that only the sentence or only the matched clauses have
    limits: bool
    doubts: bool
    signs: bool
    parts: bool
    times: bool
    clean: bool  # none of what is listed from `unmatched` to `times` is there


RISING = frozenset({"coverage", "density", "pairs", "clean"})
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

    def score(bounds: tuple[int, int]) -> float:
        start, end = bounds
        said: float = sum(map(max, zip(*scores[start:end], strict=True)))
        return said / max(1, len(tokens)) - RUN_COST * (end - start - 1)

    runs = [
        (start, end)
        for start in range(len(stated))
        for end in range(start + 1, min(len(stated), start + LONGEST_RUN) + 1)
    ]
    best = max(runs, key=score, default=(0, 0))
    return [replace(clause, sentence=number) for number in range(*best) for clause in stated[number]]


class _Alignment:
    """The tokens of a sentence matched with those of a run.

    `places`: the index of the match of each token that has one. `owners` and `clause_numbers`: the clause of
    each token in the sentence and in the run.
    """

    def __init__(self, ours: Sequence[Clause], run: Sequence[Clause], headed_words: frozenset[str]) -> None:
        self.ours, self.run, self.headed_words = ours, run, headed_words
        self.tokens = [token for clause in ours for token in clause.content]
        self.owners = [number for number, clause in enumerate(ours) for _ in clause.content]
        self.stated = [token for clause in run for token in clause.content]
        self.clause_numbers = [number for number, clause in enumerate(run) for _ in clause.content]
        self.scores: list[float] = []
        self.places: dict[int, int] = {}
        self.used: set[int] = set()
        self.is_reused = False
        self._match()
        self.foreign = [
            at
            for at, token in enumerate(self.tokens)
            if at not in self.places and token.term not in self.headed_words
        ]
        self.homes = {at: self.clause_numbers[place] for at, place in self.places.items()}
        self.matched_clauses = sorted(set(self.homes.values()))
        self.text = "、".join(clause.text for clause in ours)
        self.matched_text = "、".join(run[number].text for number in self.matched_clauses)

    def _match(self) -> None:
        """Match each token with the best one, if possible an unused one behind the match before it."""
        last = -1
        for at, token in enumerate(self.tokens):
            scores = [match_tokens(token, other) for other in self.stated]
            best = max(scores, default=0.0)
            self.scores.append(best)
            if best < MATCHED:
                continue
            near = [place for place, score in enumerate(scores) if score == best]
            free = [place for place in near if place not in self.used]
            self.is_reused |= not free
            free = free or near
            last = next((place for place in free if place > last), free[0])
            self.places[at] = last
            self.used.add(last)

    def measure(self) -> SupportFeatures:
        is_moved = any(second < first for first, second in pairwise(self.places.values()))
        changed = [*self._list_changed_roles()]
        signs = {
            "unmatched": any(not _KANA_END.search(self.tokens[at].term) for at in self.foreign),
            "substituted": self._is_substituted(),
            "reused": self.is_reused,
            "opposites": self._has_opposite(),
            "negations": count_negations(self.text) != count_negations(self.matched_text),
            "denied": self._is_denied_after(),
            "misdenied": self._is_misdenied(),
            "directions": False in changed,
            "subjects": True in changed and (is_moved or len(changed) > 1),
            "shares": self._is_share_of_other(),
            "crossed": self._is_crossed(),
            "swapped": self._is_swapped(),
            **{kind: has_different_marks(self.text, self.matched_text, (kind,)) for kind in MARKS},
        }
        said = sum(
            max(score, KNOWN * (token.term in self.headed_words))
            for token, score in zip(self.tokens, self.scores, strict=True)
        )
        stated = sum(number in self.matched_clauses for number in self.clause_numbers)
        return SupportFeatures(
            coverage=said / max(1, len(self.tokens)),
            density=len(self.used) / max(1, stated),
            pairs=self._share_pairs(),
            figures=any(token.figure for token in self.tokens),
            moves=is_moved and self.text.isascii(),
            **signs,
            clean=not any(signs.values()),
        )

    def _share_pairs(self) -> float:
        inside = [at for at, (first, second) in enumerate(pairwise(self.owners)) if first == second]
        together = sum(self.homes.get(at, -1) == self.homes.get(at + 1) for at in inside)
        return together / max(1, len(inside))

    def _is_substituted(self) -> bool:
        places = {-1: -1, **self.places, len(self.tokens): len(self.stated)}
        free = {*range(len(self.stated))} - self.used
        return any(
            beside in places and places[beside] + step in free
            for at in self.foreign
            for beside, step in ((at - 1, 1), (at + 1, -1))
        )

    def _has_opposite(self) -> bool:
        sentence_terms = {token.term for token in self.tokens}
        exact = {token.term for token, score in zip(self.tokens, self.scores, strict=True) if score == 1}
        rest = {
            token.term for place, token in enumerate(self.stated) if place not in self.used
        } - sentence_terms
        return any(are_opposite(term, other) for term in sentence_terms - exact for other in rest)

    def _is_denied_after(self) -> bool:
        rest = self.run[self.matched_clauses[-1] + 1 :] if self.matched_clauses else ()
        return any(
            clause.sentence == self.run[self.matched_clauses[-1]].sentence
            and count_negations(clause.text) > 0
            and _DENIAL.search(clause.text) is not None
            for clause in rest
        )

    def _is_misdenied(self) -> bool:
        stated = [clause for number in self.matched_clauses if is_negated((clause := self.run[number]).text)]
        return any(
            2 * max((_count_matching(clause.words, other.words) for other in stated), default=0)
            < len({*clause.words})
            for clause in self.ours
            if is_negated(clause.text)
        )

    def _list_changed_roles(self) -> Iterator[bool]:
        """Yield whether it is a subject on a side, for each noun with another role in the matched clauses."""
        stated: dict[str, set[str]] = {}
        for noun, particle in _ROLE.findall(self.matched_text):
            stated.setdefault(noun, set()).add(_ROLES[particle])
        for noun, particle in _ROLE.findall(self.text):
            others, role = stated.get(noun, set()), _ROLES[particle]
            if others and role not in others:
                yield _SUBJECT in {role, *others}

    def _is_share_of_other(self) -> bool:
        stated = _list_wholes(self.run)
        return any(
            all(_count_matching(whole, other) < len({*whole}) for other in stated)
            for whole in _list_wholes(self.ours)
        )

    def _is_crossed(self) -> bool:
        """Return whether a figure stands with a word that the matched clauses have only with another figure.

        Or with a word of another clause, though the figure's clause has one of its own that is left out.
        """
        for at, place in self.places.items():
            if not self.tokens[at].figure:
                continue
            home = self.homes[at]
            is_bare = all(
                other in self.used or self.clause_numbers[other] != home or self.stated[other].figure
                for other in range(place)
            )
            if any(
                not self.tokens[other].figure
                and self.owners[other] == self.owners[at]
                and other_home != home
                and (self.run[other_home].figures or not is_bare)
                and not _count_matching((self.tokens[other].term,), self.run[home].words)
                for other, other_home in self.homes.items()
            ):
                return True
        return False

    def _is_swapped(self) -> bool:
        """Return whether neighbouring figures of one kind changed places, but not with their labels.

        The label of a figure is the nearest word before it, or after it, that its neighbour does not share.
        """
        values = [token.figure for token in self.stated if token.figure]
        figures = {
            at: figure
            for at in self.places
            if (figure := self.tokens[at].figure) and values.count(figure) == 1
        }
        ends = [*figures, len(self.tokens)][2:]
        for before, (first, second), after in zip([-1, *figures], pairwise(figures), ends, strict=False):
            if not are_of_one_kind(figures[first], figures[second]):
                continue
            leading = self._are_labels_swapped(range(first - 1, before, -1), range(second - 1, first, -1))
            trailing = self._are_labels_swapped(range(first + 1, second), range(second + 1, after))
            if self.places[second] < self.places[first]:
                is_swapped = not (leading or trailing)
            else:
                is_swapped = bool(leading or trailing) and False not in (leading, trailing)
            if is_swapped:
                return True
        return False

    def _are_labels_swapped(self, first: Sequence[int], second: Sequence[int]) -> bool | None:
        """Return whether two labels are reversed in the matched clauses, None if nothing tells them apart.

        `first` and `second`: tokens around two figures, the nearest first.
        """
        sides = [[self.places[at] for at in side if at in self.places] for side in (first, second)]
        label, other_label = (
            next((place for place in side if place not in other), None)
            for side, other in zip(sides, reversed(sides), strict=True)
        )
        return None if label is None or other_label is None else other_label < label


def _list_wholes(clauses: Sequence[Clause]) -> list[list[str]]:
    parts = [clause.text.partition("のうち") for clause in clauses]
    return [[word for word in split_terms(whole) if word not in COVERED] for whole, mark, _ in parts if mark]


def _count_matching(words: Sequence[str], others: Sequence[str]) -> int:
    return sum(any(match_words(word, other) >= MATCHED for other in others) for word in {*words})


def match_tokens(token: Token, other: Token) -> float:
    """Return how far two tokens say the same, from 0 to 1."""
    if token.figure is None:
        return match_words(token.term, other.term) if other.figure is None else 0.0
    if other.figure is None:
        return 0.0
    return float(is_in(token.figure, (other.figure,)))


@lru_cache(maxsize=100_000)
def match_words(word: str, other: str) -> float:
    """Return how far two terms say the same, from 0 to 1."""
    if word == other:
        return 1.0
    if is_same_word(word, other):
        return 0.9
    if mean_same(word, other):
        return 0.8
    if word.isascii() and word[:5] == other[:5]:
        return 0.7
    return 0.4 if any("一" <= sign <= "鿿" for sign in {*word} & {*other}) else 0.0
