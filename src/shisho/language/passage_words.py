"""The words of a passage derived from its text, as ingest makes them."""

from __future__ import annotations

from shisho.language.normalise import fold_text
from shisho.language.sentences import split_sentences
from shisho.language.terms import fold, list_graphs, split_terms


def make_pairs(text: str) -> str:
    """Return the character pairs of a passage, separated by spaces (`terms.Analysis.bigrams`)."""
    return " ".join(list_graphs("\n".join(_fold_sentences(text))))


def make_terms(text: str) -> list[str]:
    """Return the index terms of a passage."""
    return [term for line in _fold_sentences(text) for term in split_terms(line)]


def _fold_sentences(text: str) -> list[str]:
    return [fold(fold_text(text[start:end])) for start, end in split_sentences(text)]
