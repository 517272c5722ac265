"""Verified evidence to an answer without a model: quotations in goal order, and plain words on what is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from shisho.domain.inquiry import (
    EvidenceRef,
    Goal,
    GoalStatus,
    LoopStop,
    Sentence,
    Strategy,
    SupportOutcome,
    UnsearchedQuery,
    Verdict,
)
from shisho.language.display import running
from shisho.language.script import answer_language
from shisho.librarian.contradictions import contradiction
from shisho.librarian.evaluate import ENOUGH
from shisho.librarian.reflect import open_goals
from shisho.messages.catalogue import word


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer by number. `missing` holds the questions of goals that are not met, then what could not be searched and why;
    `abstained`: no goal has an answer."""

    text: str
    sentences: tuple[Sentence, ...]
    missing: tuple[str, ...]
    abstained: bool


def compose(
    strategy: Strategy,
    status: Sequence[GoalStatus],
    evidence: Sequence[EvidenceRef],
    verdict: Verdict,
    unsearched: Sequence[UnsearchedQuery] = (),
) -> Draft:
    """Quote what was found, best first, and name what was not."""
    said = partial(word, language=answer_language(strategy.question))
    quoted = [_best_first(goal, evidence) for goal in strategy.goals]
    missing = _missing(strategy, status, verdict)
    abstained = not any(quotation.score >= ENOUGH for quotation in evidence)
    titled = len(strategy.goals) > 1
    paragraphs = [said("answer_head"), *([said("answer_nothing")] if abstained else [])]
    paragraphs += [_paragraph(goal, found, titled, said) for goal, found in zip(strategy.goals, quoted, strict=True) if found]
    gaps = tuple(dict.fromkeys(said(f"gap_{gap.why}", query=gap.query, detail=gap.detail) for gap in unsearched))
    if missing:
        paragraphs.append(_closing(missing, not abstained, verdict, said))
    if gaps:
        paragraphs.append("\n".join(said("answer_note", text=gap) for gap in gaps))
    # A quotation carries itself: its text is the very slice its number opens.
    sentences = tuple(Sentence(one.snippet, (one.number,), SupportOutcome.SUPPORTED) for found in quoted for one in found)
    return Draft("\n\n".join(paragraphs), sentences, (*missing, *gaps), abstained)


def _best_first(goal: Goal, evidence: Sequence[EvidenceRef]) -> list[EvidenceRef]:
    return sorted((one for one in evidence if one.goal_id == goal.id), key=lambda one: -one.score)


def _missing(strategy: Strategy, status: Sequence[GoalStatus], verdict: Verdict) -> tuple[str, ...]:
    if verdict.loop_stop is LoopStop.CONDITION_MET:
        return ()
    return tuple(goal.question for goal in open_goals(strategy.goals, status))


def _paragraph(goal: Goal, found: Sequence[EvidenceRef], titled: bool, said: Callable[..., str]) -> str:
    quotes = [_cited(evidence, said) for evidence in found]
    title = [said("answer_goal", text=goal.question)] if titled else []
    near = [said("answer_near")] if found[0].score < ENOUGH else []
    return "\n".join([*title, *near, *quotes, *_disagreements(found, said)])


def _cited(evidence: EvidenceRef, said: Callable[..., str]) -> str:
    quote = said("answer_quote", text=running(evidence.snippet))
    heading = said("answer_heading", text=running(evidence.heading)) if evidence.heading else ""
    return said("answer_cited", quote=quote, number=evidence.number) + heading


def _disagreements(found: Sequence[EvidenceRef], said: Callable[..., str]) -> list[str]:
    """Quotations of one goal that contradict each other stand side by side, and the reader is told."""
    sure = [one for one in found if one.score >= ENOUGH]
    pairs = [
        (one, other, contradiction(one.snippet, other.snippet, one.heading, other.heading))
        for one, other in combinations(sure, 2)
    ]
    return [
        said("against", one=one.number, other=other.number, what=said(f"against_{kind}")) for one, other, kind in pairs if kind
    ]


def _closing(missing: Sequence[str], found: bool, verdict: Verdict, said: Callable[..., str]) -> str:
    lines = []
    if found or len(missing) > 1:
        lines.append(said("answer_missing", text=said("answer_comma").join(missing)))
    if verdict.loop_stop not in (None, LoopStop.CONDITION_MET):
        lines.append(said("answer_end", why=said(f"end_{verdict.loop_stop}".lower())))
    return "\n".join([*lines, said("answer_advice")])
