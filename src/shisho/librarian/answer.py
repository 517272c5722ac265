"""Verified evidence to an answer without a model: quotations in goal order, and plain words on what is
missing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import chain, combinations

from shisho.domain.inquiry import (
    AnswerLevel,
    EvidenceRef,
    Goal,
    GoalStatus,
    LoopStop,
    Sentence,
    Stance,
    Strategy,
    SupportOutcome,
    UnsearchedQuery,
    Verdict,
    choose_best_level,
)
from shisho.domain.loop_state import Draft
from shisho.domain.place import say_place
from shisho.language.display import fence_code, join_lines
from shisho.language.script import answer_language
from shisho.librarian import questions
from shisho.librarian.contradictions import contradiction
from shisho.librarian.levels import ENOUGH, level_of_evidence, stance_of
from shisho.librarian.reflect import open_goals
from shisho.messages.catalogue import word


def compose(
    strategy: Strategy,
    status: Sequence[GoalStatus],
    evidence: Sequence[EvidenceRef],
    verdict: Verdict,
    unsearched: Sequence[UnsearchedQuery] = (),
    head: str = "answer_head",
    asked: str = "",
) -> Draft:
    """Quote what was found, best first, and name what was not. `head`: the key of the first line. Where the
    question was not read as it was `asked`, how it was read comes first."""
    say = partial(word, language=answer_language(strategy.question))
    quoted_refs = [_best_first(goal, evidence) for goal in strategy.goals]
    levels = [level_of_evidence(refs) for refs in quoted_refs]
    titled = len(strategy.goals) > 1
    body = [
        _paragraph(goal.question if titled else "", goal_level, refs, say)
        for goal, goal_level, refs in zip(strategy.goals, levels, quoted_refs, strict=True)
        if refs
    ]
    # A quotation carries itself: its text is the very slice its number opens.
    sentences = tuple(
        Sentence(ref.snippet, (ref.number,), SupportOutcome.SUPPORTED)
        for ref in chain.from_iterable(quoted_refs)
        if not ref.same_as
    )
    return frame_answer(strategy, status, evidence, verdict, unsearched, head, body, sentences, asked)


def frame_answer(
    strategy: Strategy,
    status: Sequence[GoalStatus],
    evidence: Sequence[EvidenceRef],
    verdict: Verdict,
    unsearched: Sequence[UnsearchedQuery],
    head: str,
    body: Sequence[str],
    sentences: tuple[Sentence, ...],
    asked: str = "",
) -> Draft:
    """The paragraphs of `body` between the first line and plain words on what is missing."""
    say = partial(word, language=answer_language(strategy.question))
    missing = _missing(strategy, status, verdict)
    level = choose_best_level(level_of_evidence(_best_first(goal, evidence)) for goal in strategy.goals)
    paragraphs = [say(head, level=say(f"level_{level}"))]
    if asked not in ("", strategy.question):
        paragraphs.append(say("answer_understood", text=strategy.question))
    stances = {stance_of(_best_first(goal, evidence)) for goal in strategy.goals}
    if level is not AnswerLevel.ANSWERED and stances == {Stance.ANSWERS}:
        paragraphs.append(say("answer_nothing"))
    paragraphs += body
    gaps = tuple(
        dict.fromkeys(say(f"gap_{gap.why}", query=gap.query, detail=gap.detail) for gap in unsearched)
    )
    if missing:
        paragraphs.append(_closing(missing, level is AnswerLevel.ANSWERED, verdict, say))
    if gaps:
        paragraphs.append("\n".join(say("answer_note", text=gap) for gap in gaps))
    return Draft("\n\n".join(paragraphs), sentences, (*missing, *gaps), level)


def choose_printed(
    goals: Iterable[Goal], refs: Sequence[EvidenceRef], cited: Collection[int] = ()
) -> tuple[EvidenceRef, ...]:
    """Where a later round said what a thing is, what earlier rounds only said of it is left out, unless its
    number is `cited`."""
    what_is = {goal.id for goal in goals if questions.read(goal.question).asks_what_is}
    answering = {(ref.goal_id, ref.round) for ref in refs if ref.score >= ENOUGH and ref.goal_id in what_is}
    answered = {goal_id for goal_id, _ in answering}
    return tuple(
        ref
        for ref in refs
        if ref.goal_id not in answered or (ref.goal_id, ref.round) in answering or ref.number in cited
    )


def disagreements(evidence: Sequence[EvidenceRef], strategy: Strategy) -> list[str]:
    """What the reader is told of quotations of one goal that contradict each other."""
    say = partial(word, language=answer_language(strategy.question))
    return [line for goal in strategy.goals for line in _disagreements(_best_first(goal, evidence), say)]


def remarks(evidence: Sequence[EvidenceRef], strategy: Strategy) -> list[str]:
    """Lines about the evidence of a written answer: goals whose answer the sources call
    unknown or contradict each other in, what disagrees, and what stands in other documents too."""
    say = partial(word, language=answer_language(strategy.question))
    lines = []
    for goal in strategy.goals:
        refs = _best_first(goal, evidence)
        if stance_of(refs) is not Stance.ANSWERS:
            lines.append(_paragraph(goal.question, level_of_evidence(refs), refs, say))
    return [*lines, *disagreements(evidence, strategy), *_copied(evidence, say)]


def _copied(evidence: Sequence[EvidenceRef], say: Callable[..., str]) -> list[str]:
    copies: dict[int, list[int]] = {}
    for ref in evidence:
        if ref.same_as:
            copies.setdefault(ref.same_as, []).append(ref.number)
    return [
        say("answer_copies", number=number, others="".join(f"[{other}]" for other in others))
        for number, others in copies.items()
    ]


def _best_first(goal: Goal, evidence: Sequence[EvidenceRef]) -> list[EvidenceRef]:
    return sorted((ref for ref in evidence if ref.goal_id == goal.id), key=lambda ref: -ref.score)


def _missing(strategy: Strategy, status: Sequence[GoalStatus], verdict: Verdict) -> tuple[str, ...]:
    if verdict.loop_stop is LoopStop.CONDITION_MET:
        return ()
    return tuple(goal.question for goal in open_goals(strategy.goals, status))


def _paragraph(
    title_text: str, level: AnswerLevel, refs: Sequence[EvidenceRef], say: Callable[..., str]
) -> str:
    quotes = [_cited(evidence, say) for evidence in refs if not evidence.same_as]
    title = [say("answer_goal", text=title_text, level=say(f"level_{level}"))] if title_text else []
    near = [say(f"stance_{stance_of(refs)}")] if level is AnswerLevel.NEAR else []
    return "\n".join([*title, *near, *quotes, *_disagreements(refs, say), *_copied(refs, say)])


def _cited(evidence: EvidenceRef, say: Callable[..., str]) -> str:
    place = (
        ""
        if evidence.place in evidence.heading
        else say_place(evidence.place, lambda n: say("notebook_cell", n=n))
    )
    standing = " › ".join(
        join_lines(part) for part in (evidence.heading, evidence.table_header, place) if part
    )
    heading = say("answer_heading", text=standing) if standing else ""
    if evidence.code:
        cited = say("answer_cited", quote=say("answer_code"), number=evidence.number)
        return f"{cited}{heading}\n{fence_code(evidence.snippet)}"
    rest = say("answer_items", count=evidence.list_items) if evidence.list_items else ""
    form = "answer_quoted_heading" if evidence.is_heading else "answer_quote"
    quote = say(form, text=join_lines(evidence.snippet) + rest) + (say("answer_ocr") if evidence.ocr else "")
    return say("answer_cited", quote=quote, number=evidence.number) + heading


def _disagreements(refs: Sequence[EvidenceRef], say: Callable[..., str]) -> list[str]:
    """Quotations of one goal that contradict each other stand side by side, and the reader is told."""
    sure = [ref for ref in refs if ref.score >= ENOUGH and not ref.same_as]
    pairs = [
        (ref, other, contradiction(ref.snippet, other.snippet, ref.heading, other.heading))
        for ref, other in combinations(sure, 2)
    ]
    return [
        say("against", one=ref.number, other=other.number, what=say(f"against_{kind}"))
        for ref, other, kind in pairs
        if kind
    ]


def _closing(missing: Sequence[str], is_found: bool, verdict: Verdict, say: Callable[..., str]) -> str:
    lines = []
    if is_found or len(missing) > 1:
        lines.append(say("answer_missing", text=say("answer_comma").join(missing)))
    if verdict.loop_stop not in (None, LoopStop.CONDITION_MET):
        lines.append(say("answer_end", why=say(f"end_{verdict.loop_stop}".lower())))
    return "\n".join([*lines, say("answer_advice")])
