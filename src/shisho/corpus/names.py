"""The names in a question, with their other names and their definitions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from shisho.domain.corpus import DefinitionMark, NameLink, PassageId, Scope
from shisho.language.document_names import list_keys, make_question_key
from shisho.language.terms import TermQuery, fold
from shisho.ports import SearchView

MOST_TERMS = 40  # of a query whose names are looked up: a longer one has enough words of its own
MOST_DEFINITIONS = 20
UNSTATED = 0.5  # relative to a stated definition: for the first sentence under a heading of the name


def find_other_names(view: SearchView, query: TermQuery, scope: Scope) -> list[NameLink]:
    """Return the other names that documents in scope give to the names in a query."""
    if len(query.terms) > MOST_TERMS:
        return []
    return [*view.find_short_names(list_keys(query.terms), scope)]


def add_other_names(query: TermQuery, links: Iterable[NameLink]) -> TermQuery:
    """Return the query with the other names of its names as synonyms."""
    words: dict[str, dict[tuple[str, ...], None]] = {
        term: dict.fromkeys(others) for term, others in query.synonyms.items()
    }
    for link in links:
        other = tuple(link.other_key.split())
        for term in link.key.split():
            words.setdefault(term, {})[other] = None
    return replace(query, synonyms={term: tuple(others) for term, others in words.items()})


def find_definitions(
    view: SearchView, query: TermQuery, links: Iterable[NameLink], scope: Scope
) -> list[DefinitionMark]:
    """Return definitions of the only thing that a query names, under any of its names.

    None if the query contains more than the name.
    """
    key = make_question_key(query.terms)
    keys = [key, *(link.other_key for link in links if link.key == key)]
    return [*view.find_definitions(keys, scope, MOST_DEFINITIONS)] if key else []


def weigh_definitions(marks: Iterable[DefinitionMark]) -> Mapping[PassageId, float]:
    """Return for each passage the certainty that it defines the thing."""
    weights: dict[PassageId, float] = {}
    for mark in marks:
        weights[mark.passage_id] = max(weights.get(mark.passage_id, 0.0), 1.0 if mark.is_stated else UNSTATED)
    return weights


def map_names(links: Iterable[NameLink]) -> Mapping[str, frozenset[str]]:
    """Return the other names of each name, folded."""
    names: dict[str, frozenset[str]] = {}
    for link in links:
        names[fold(link.name)] = names.get(fold(link.name), frozenset()) | {fold(link.other)}
    return names
