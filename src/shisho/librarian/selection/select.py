"""Select what to show for each goal if no model reads the passages.

Whole passages with marked sentences, and the probability that these answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import EvidenceRef, Finding, Goal
from shisho.librarian.evidence import ANSWERING_SCORE, is_near_duplicate
from shisho.librarian.selection.features import list_candidates, match_passages
from shisho.librarian.selection.gates import NO_SHORT_NAMES, GateSource, find_closed_gate
from shisho.librarian.selection.question import analyse_question, list_content_terms
from shisho.librarian.selection.ranker import (
    MAX_SHOWN,
    PassageChoice,
    choose_passages,
    estimate_probability,
    load_weights,
    measure_selection,
    rank,
)

BELOW_ANSWERED = 0.99  # of the least probability of an answer: the most that a withheld answer can have


def list_wanted_terms(goals: Sequence[Goal]) -> list[str]:
    """Return the index terms whose rarity `select_findings` needs."""
    return list(dict.fromkeys(term for goal in goals for term in list_content_terms(goal.question)))


def list_unmatched_goals(passages: Sequence[NumberedPassage], goals: Sequence[Goal]) -> list[Goal]:
    """Return the goals with a term that none of the passages holds: it may be misspelt."""
    unmatched = []
    for goal in goals:
        question = analyse_question(goal.question, {})
        matched = match_passages(question, passages)
        if any(not any(each.holds(term, each.words) for each in matched) for term in question.weights):
            unmatched.append(goal)
    return unmatched


def select_findings(
    passages: Sequence[NumberedPassage],
    goals: Sequence[Goal],
    refs: Sequence[EvidenceRef],
    rarity: Mapping[str, float],
    from_synonym_search: bool = False,
    short_names: Mapping[str, frozenset[str]] = NO_SHORT_NAMES,
) -> list[Finding]:
    """Return the sentences to mark for each goal, best passage first, with probabilities as scores.

    Nothing that was found by synonyms alone counts as an answer. A goal that has evidence gets only sentences
    with a higher probability. A passage takes the room of the first goal that shows it.
    """
    taken: set[str] = set()
    return [
        finding
        for goal in goals
        for finding in _select_for_goal(
            passages,
            goal,
            [ref for ref in refs if ref.goal_id == goal.id],
            rarity,
            from_synonym_search,
            taken,
            short_names,
        )
    ]


def _select_for_goal(
    passages: Sequence[NumberedPassage],
    goal: Goal,
    refs: Sequence[EvidenceRef],
    rarity: Mapping[str, float],
    from_synonym_search: bool,
    taken: set[str],
    short_names: Mapping[str, frozenset[str]],
) -> Iterator[Finding]:
    weights = load_weights()
    question = analyse_question(goal.question, rarity)
    matched = match_passages(question, passages, short_names)
    ranking = rank(list(list_candidates(question, matched)), weights.ranker)
    if not ranking.candidates:
        return
    features = measure_selection(question, ranking, matched)
    probability = estimate_probability(features, weights.certainty, weights.intercept)
    if from_synonym_search:
        probability = min(probability, BELOW_ANSWERED * weights.answered)
    if probability < weights.related or _to_score(probability) <= max(
        (ref.score for ref in refs), default=0.0
    ):
        return
    known = [ref.snippet for ref in refs]
    top = ranking.passages[0][1]

    @cache
    def is_closed(choice: PassageChoice) -> bool:
        shown = matched[choice.place].shown
        source = GateSource(shown.text, shown.heading, shown.title, tuple(_list_snippets(choice, shown)))
        return find_closed_gate(goal.question, source, short_names) is not None

    least = 1.0
    chosen = choose_passages(ranking, matched, max(MAX_SHOWN, goal.min_evidence), is_closed, taken)
    taken.update(matched[choice.place].analysed.dense for choice in chosen)
    for choice in chosen:
        shown = matched[choice.place].shown
        likely = min(least, _lower(probability, choice.log_odds - top))
        least = min(likely, BELOW_ANSWERED * weights.answered) if is_closed(choice) else likely
        code = [shown.code_after] if shown.code_after else []
        for snippet in (*_list_snippets(choice, shown), *code):
            if not any(is_near_duplicate(snippet, other) for other in known):
                yield Finding(shown.temp_index, goal.id, snippet, round(_to_score(least), 4))


def _list_snippets(choice: PassageChoice, shown: NumberedPassage) -> list[str]:
    text = shown.text + shown.after
    return [text[mark.sentence.start : mark.sentence.end] for mark in choice.marks]


def _to_score(probability: float) -> float:
    """Return the score of a probability: `ANSWERING_SCORE` at the threshold, linear on both sides of it."""
    answered = load_weights().answered
    if probability < answered:
        return ANSWERING_SCORE * probability / answered
    return ANSWERING_SCORE + (1 - ANSWERING_SCORE) * (probability - answered) / (1 - answered)


def _lower(probability: float, log_odds: float) -> float:
    """Return the probability of a passage whose log-odds differ from those of the best by this much."""
    odds = probability * math.exp(log_odds)
    return odds / (1 - probability + odds)
