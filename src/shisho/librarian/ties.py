"""The ties of a phrase in its sentence: by them it is found again in another, and what took its place is
seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from shisho.language.numbers import Date, Measure
from shisho.language.phrase import Phrase
from shisho.language.phrases import phrases

Ties = Mapping[tuple[str, ...], float]
Rename = Callable[[str], str]

_SUBJECT = frozenset({"は", "が", "も"})
_PLAIN_ROLE = {
    "では": "で",
    "には": "に",
    "とは": "は",
    "への": "に",
    "へ": "に",
    "へは": "に",
    "での": "で",
    "からの": "から",
    "からは": "から",
}
_PLAIN_ROLE |= {
    "により": "によって",
    "による": "によって",
    "までの": "まで",
    "までは": "まで",
    "よりも": "より",
    "も": "は",
    "にも": "に",
    "でも": "で",
}
_PASSIVE_ROLE = {"は": "を", "が": "を", "に": "が", "によって": "が", "から": "が"}


@dataclass(frozen=True, slots=True)
class TiedPhrase:
    """A phrase in its place: which sentence it stands in, and its ties by weight."""

    phrase: Phrase
    sentence: int
    place: int
    ties: Ties
    words: tuple[str, ...]  # its terms and figures


@lru_cache(maxsize=1_000)
def tie_phrases(text: str) -> tuple[TiedPhrase, ...]:
    """The phrases of a text with their ties. A sentence without a subject keeps the one before."""
    found_phrases: list[TiedPhrase] = []
    topic: tuple[str, ...] = ()
    for number, statement in enumerate(phrases(text)):
        row = statement.phrases
        japanese = any(phrase.predicate for phrase in row)
        plain = [phrase for phrase in row if not phrase.aside]
        for place, phrase in enumerate(row):
            if japanese and _PLAIN_ROLE.get(phrase.role, phrase.role) in _SUBJECT and not phrase.predicate:
                topic = phrase.terms or topic
            row_phrases = row if phrase.aside else plain
            at = next(at for at, other in enumerate(row_phrases) if other is phrase)
            found_phrases.append(
                TiedPhrase(phrase, number, place, _ties(row_phrases, at, topic), tuple(_words(phrase)))
            )
    return tuple(found_phrases)


def _ties(row: Sequence[Phrase], place: int, topic: tuple[str, ...]) -> Ties:
    phrase = row[place]
    ties: dict[tuple[str, ...], float] = {}

    def tie(weight: float, kind: str, words: Sequence[str], role: str = "") -> None:
        for word in words:
            ties[(kind, word, role)] = max(weight, ties.get((kind, word, role), 0.0))

    tie(2.0, "within", phrase.terms)
    if topic != phrase.terms:
        tie(1.5, "topic", topic)
    for step, weight in ((1, 1.5), (2, 0.75)):
        for near in (place - step, place + step):
            if 0 <= near < len(row):
                tie(weight, "near", _words(row[near]))
    if place and row[place - 1].role in ("の", "という"):
        tie(2.0, "of", _words(row[place - 1]))
    if phrase.role in ("の", "という") and place + 1 < len(row):
        tie(2.0, "for", _words(row[place + 1]))
    if phrase.predicate and not phrase.broken and place + 1 < len(row) and not row[place + 1].predicate:
        tie(2.0, "modifies", _words(row[place + 1]))
    predicate = next((later for later in row[place + 1 :] if later.predicate), None)
    if predicate is not None and not phrase.predicate:
        role = find_plain_role(phrase, predicate)
        tie(1.0, "predicate", _words(predicate))
        if role and role != "の":
            tie(2.5, "role", _words(predicate), role)
    if phrase.role and not any(phrase.predicate for phrase in row):
        tie(1.5, "preposition", (phrase.role,))
    if not any(phrase.predicate for phrase in row):  # English: what stands before and after
        tie(1.5, "before", _words(row[place - 1]) if place else ())
        tie(1.5, "after", _words(row[place + 1]) if place + 1 < len(row) else ())
    return ties


def case_of(role: str) -> str:
    """The case of a particle: a topic is taken for the subject."""
    case = _PLAIN_ROLE.get(role, role)
    return "が" if case == "は" else case


def find_plain_role(phrase: Phrase, predicate: Phrase) -> str:
    """The role of a phrase as if its predicate were active."""
    role = _PLAIN_ROLE.get(phrase.role, phrase.role)
    if "passive" in predicate.marks:
        role = _PASSIVE_ROLE.get(role, role)
    return "が" if role == "は" else role


def _words(phrase: Phrase) -> list[str]:
    return [*phrase.terms, *(figure_word(figure) for figure in phrase.figures)]


def words_of(phrase: TiedPhrase) -> tuple[str, ...]:
    """Terms and figures of a phrase."""
    return phrase.words


def figure_word(figure: Date | Measure) -> str:
    """A figure as a word among others."""
    if isinstance(figure, Date):
        return "-".join(str(part) for part in (figure.year, figure.month, figure.day) if part is not None)
    return f"{figure.value:f}{figure.power}{figure.unit}"


def figure_kind(figure: Date | Measure) -> str:
    """The unit of a figure; dates are one kind."""
    return "date" if isinstance(figure, Date) else figure.unit


def figure_kinds(phrase: TiedPhrase) -> set[str]:
    """The kinds of a phrase's figures. A year may stand where a number of years should."""
    kinds = {figure_kind(figure) for figure in phrase.phrase.figures}
    years = any(isinstance(figure, Date) and figure == Date(figure.year) for figure in phrase.phrase.figures)
    return kinds | {"年"} if years else kinds


def figures_agree(said_phrase: TiedPhrase, quoted_phrase: TiedPhrase) -> bool:
    """True where a figure of the one is a figure of the other."""
    return any(
        _agree(figure, other)
        for figure in said_phrase.phrase.figures
        for other in quoted_phrase.phrase.figures
    )


def _agree(figure: Date | Measure, other: Date | Measure) -> bool:
    if isinstance(figure, Date):
        return isinstance(other, Date) and (other.says(figure) or figure.says(other))
    return isinstance(other, Measure) and other.says(figure)


def likeness(ties: Ties, other: Ties, rename: Rename, without: frozenset[str]) -> float:
    """How much two places hang together alike. `rename` gives the other text's word for a word; `without`:
    words that are themselves in question."""
    alike = 0.0
    for (kind, word, role), weight in ties.items():
        if word in without or rename(word) in without:
            continue
        alike += min(weight, other.get((kind, rename(word), role), 0.0))
    return alike
