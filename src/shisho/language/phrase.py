"""The parts of a sentence that are compared with another's: phrases, with their roles and marks."""

from __future__ import annotations

from dataclasses import dataclass

from shisho.language.numbers import Date, Measure


@dataclass(frozen=True, slots=True)
class Phrase:
    """A run of content words. `terms`: their normal forms, without figures. `role`: the particle after it, or
    the preposition before it; empty for a predicate. `marks` of a predicate: not, passive, cause, must, able,
    if, maybe, sometimes; of any phrase: only. `broken`: a pause follows. `aside`: it stands in brackets."""

    terms: tuple[str, ...]
    surface: str
    role: str
    predicate: bool
    adverb: bool
    figures: tuple[Date | Measure, ...]
    name: bool
    marks: frozenset[str]
    broken: bool = False
    aside: bool = False

    @property
    def whole(self) -> str:
        """Its terms as one word."""
        return "".join(self.terms)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence: its folded text, and its phrases in order."""

    text: str
    phrases: tuple[Phrase, ...]
