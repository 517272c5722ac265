"""A question as it is compared with passages: its content words by rarity, and the kind of answer it wants.

It is normalised, not interpreted: words that only ask are dropped, everything else counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from shisho.language.asking import is_asking_term, strip_asking
from shisho.language.numbers import figures
from shisho.language.patterns import compile_lazily
from shisho.language.terms import fold, squeeze, terms
from shisho.librarian.selection.answer_kinds import AnswerKind, find_kind, find_quantity
from shisho.librarian.selection.definitions import find_defined_thing

_DEFINITION_TERMS = frozenset({"定義", "意味", "用語", "言葉", "defin", "definit", "term", "word"})
VERB_WEIGHT = 0.5  # of a noun's: verbs and adjectives have more synonyms, so their absence says less
CONTEXT_WEIGHT = 0.5  # of the terms of a thing to define: in its own manual nobody names the program
_COUNTED = compile_lazily(r"何[十百千万億]*((?:[かヶ](?=[国所月]))?[一-鿿ァ-ヶー]{1,4})")


@dataclass(frozen=True, slots=True)
class AnalysedQuestion:
    """A question's content words and what it wants.

    `weights`: index terms by rarity, summing to 1. `defined`: the thing whose meaning is asked for. `unit`:
    the noun counted by 何. `figures`: its numbers and years, as written in digits. `asks_quantity`: an
    amount of a known unit or a number of a known form is asked for."""

    folded: str
    kind: AnswerKind
    weights: Mapping[str, float]
    defined: str
    unit: str
    trigrams: frozenset[str]
    figures: tuple[str, ...]
    asks_quantity: bool


def analyse_question(question: str, rarity: Mapping[str, float]) -> AnalysedQuestion:
    """Analyse a question. `rarity`: idf of its terms in the collection; unknown terms count as the rarest."""
    folded = fold(question)
    content = list_content_terms(question)
    defined = find_defined_thing(folded)
    around = frozenset(content).difference(terms(defined)) if defined else frozenset[str]()
    weights = _weigh_terms(content, rarity, around)
    counted = _COUNTED.search(folded)
    numbers = figures(question)
    return AnalysedQuestion(
        folded=folded,
        kind=find_kind(folded),
        weights=weights,
        defined=defined,
        unit=counted[1] if counted else "",
        trigrams=_list_trigrams(squeeze(fold(strip_asking(question)))),
        figures=(
            *(f"{measure.value:g}" for measure in numbers.measures),
            *(str(date.year) for date in numbers.dates if date.year),
        ),
        asks_quantity=find_quantity(folded) is not None,
    )


@lru_cache(maxsize=256)
def list_content_terms(question: str) -> tuple[str, ...]:
    """Return the index terms of a question without asking words; all of them if nothing else is left."""
    folded = fold(question)
    asking = _DEFINITION_TERMS if find_defined_thing(folded) else frozenset[str]()
    found = dict.fromkeys(terms(fold(strip_asking(question))))
    content = (term for term in found if not is_asking_term(term) and term[0] != "何" and term not in asking)
    return tuple(content) or tuple(found)


def _weigh_terms(
    content: tuple[str, ...], rarity: Mapping[str, float], around: frozenset[str]
) -> dict[str, float]:
    """Weigh terms by rarity. `around`: those beside a thing to define, which say where it is."""
    rarest = max(rarity.values(), default=1.0) or 1.0
    raw = {
        term: rarity.get(term, rarest)
        * (VERB_WEIGHT if "ぁ" <= term[-1] <= "ん" else CONTEXT_WEIGHT if term in around else 1.0)
        for term in content
    }
    total = sum(raw.values())
    return {term: weight / total if total else 1 / len(raw) for term, weight in raw.items()}


def _list_trigrams(dense: str) -> frozenset[str]:
    return frozenset(dense[start : start + 3] for start in range(len(dense) - 2))
