"""Verified evidence to an answer: without a model the passages themselves, with marked sentences, and plain
words on what is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations

from shisho.domain.inquiry import (
    AnswerBlock,
    AnswerHeading,
    AnswerLevel,
    AnswerNote,
    AnswerPassage,
    Evidence,
    EvidenceRef,
    Goal,
    GoalStatus,
    LoopStop,
    NoteRole,
    PassageMark,
    Stance,
    Strategy,
    UnsearchedQuery,
    Verdict,
    choose_best_level,
    list_passages,
)
from shisho.domain.loop_state import Draft
from shisho.domain.place import say_place
from shisho.language.display import join_lines
from shisho.language.script import answer_language
from shisho.librarian.checking.contradictions import contradiction
from shisho.librarian.levels import ENOUGH, level_of_evidence, stance_of
from shisho.librarian.route import open_goals
from shisho.librarian.selection.ranker import MAX_SHOWN, MAX_SHOWN_CHARS
from shisho.messages.catalogue import word

LEAST_SHARE = 0.1  # of the best score of a goal: a passage with less is not shown beside it
Say = Callable[..., str]


def compose(
    strategy: Strategy,
    status: Sequence[GoalStatus],
    evidence: Sequence[EvidenceRef],
    verdict: Verdict,
    unsearched: Sequence[UnsearchedQuery] = (),
    head: str = "answer_head",
    asked: str = "",
) -> Draft:
    """Show the best passages of each goal, and name the goals without an answer. `head`: the key of the first
    line. If the question was not read as it was `asked`, how it was read comes first."""
    say = partial(word, language=answer_language(strategy.question))
    shown = [choose_shown(goal, evidence, len(strategy.goals)) for goal in strategy.goals]
    titled = len(strategy.goals) > 1
    body = [
        block
        for goal, groups in zip(strategy.goals, shown, strict=True)
        if groups
        for block in _show_goal(goal.question if titled else "", groups, evidence, say)
    ]
    return frame_answer(strategy, status, evidence, verdict, unsearched, head, body, asked)


def choose_shown(goal: Goal, evidence: Sequence[EvidenceRef], goals: int) -> list[list[EvidenceRef]]:
    """Return the evidence of the passages to show for a goal, by passage, best first."""
    groups: dict[tuple[str, str], list[EvidenceRef]] = {}
    for ref in _list_current(goal, evidence):
        if not ref.same_as:
            groups.setdefault((ref.heading, ref.passage or ref.snippet), []).append(ref)
    chosen: list[list[EvidenceRef]] = []
    chars = 0
    best = max((ref.score for ref in evidence if ref.goal_id == goal.id), default=0.0)
    for (_, text), refs in groups.items():
        if chosen and refs[0].score < LEAST_SHARE * best:
            break
        if chosen and (
            sum(not group[0].code for group in chosen) >= max(MAX_SHOWN, goal.min_evidence)
            or chars + len(text) > MAX_SHOWN_CHARS // goals
        ):
            continue
        chosen.append(sorted(refs, key=lambda ref: ref.offset))
        chars += len(text)
    return chosen


def build_shown(refs: Sequence[EvidenceRef], say: Say) -> AnswerPassage:
    """Return a passage with the marks of its evidence."""
    first = refs[0]
    return AnswerPassage(
        goal_id=first.goal_id,
        heading=_name_heading(first, say),
        text=first.passage or first.snippet,
        marks=tuple(
            PassageMark(ref.offset, ref.offset + len(ref.snippet), ref.number)
            if ref.passage
            else PassageMark(0, len(ref.snippet), ref.number)
            for ref in refs
        ),
        code=first.code,
    )


def choose_cited(draft: Draft, evidence: Sequence[EvidenceRef]) -> tuple[EvidenceRef, ...]:
    """Return the evidence that an answer keeps: all that a model could cite, or the answering evidence, that
    of the shown passages, and copies of them."""
    shown = {mark.number for passage in list_passages(draft.blocks) for mark in passage.marks}
    if not shown:
        return tuple(evidence)
    return tuple(
        ref for ref in evidence if ref.number in shown or ref.same_as in shown or ref.score >= ENOUGH
    )


def locate_passages(blocks: Iterable[AnswerBlock], evidence: Sequence[Evidence]) -> tuple[AnswerBlock, ...]:
    """Return blocks whose passages name the documents of their evidence."""
    rows = {row.number: row for row in evidence}
    return tuple(_locate(block, rows) if isinstance(block, AnswerPassage) else block for block in blocks)


def _locate(passage: AnswerPassage, rows: Mapping[int, Evidence]) -> AnswerPassage:
    first = passage.marks[0]
    row = rows[first.number]
    return replace(
        passage,
        document_id=row.document_id,
        title=row.title,
        page=row.page,
        start=row.start - first.start,
    )


def frame_answer(
    strategy: Strategy,
    status: Sequence[GoalStatus],
    evidence: Sequence[EvidenceRef],
    verdict: Verdict,
    unsearched: Sequence[UnsearchedQuery],
    head: str,
    body: Sequence[AnswerBlock],
    asked: str = "",
) -> Draft:
    """Put the blocks of `body` between the first line and plain words on what is missing."""
    say = partial(word, language=answer_language(strategy.question))
    missing = _list_missing(strategy, status, verdict)
    level = choose_best_level(level_of_evidence(_list_best_first(goal, evidence)) for goal in strategy.goals)
    blocks = [AnswerNote(say(head, level=say(f"level_{level}")), NoteRole.OPENING)]
    if asked not in ("", strategy.question):
        blocks.append(AnswerNote(say("answer_understood", text=strategy.question), NoteRole.OPENING))
    gaps = tuple(
        dict.fromkeys(say(f"gap_{gap.why}", query=gap.query, detail=gap.detail) for gap in unsearched)
    )
    closing = [_close(missing, level, verdict, say)] if missing else []
    if gaps:
        closing.append("\n".join(say("answer_note", text=gap) for gap in gaps))
    notes = (AnswerNote(text, NoteRole.CLOSING) for text in closing)
    return Draft((*blocks, *body, *notes), (*missing, *gaps), level)


def list_remarks(evidence: Sequence[EvidenceRef], strategy: Strategy) -> list[AnswerBlock]:
    """Return blocks about the evidence of a written answer: goals whose answer the sources call unknown or
    contradict each other in, disagreements, and copies in other documents."""
    say = partial(word, language=answer_language(strategy.question))
    blocks: list[AnswerBlock] = []
    lines = []
    for goal in strategy.goals:
        refs = _list_best_first(goal, evidence)
        if stance_of(refs) is not Stance.ANSWERS:
            blocks += _show_goal(goal.question, choose_shown(goal, evidence, len(strategy.goals)), (), say)
        else:
            lines += _list_disagreements(refs, say)
    return [*blocks, *_remark([*lines, *_list_copies(evidence, say)])]


def _show_goal(
    title: str, groups: Sequence[Sequence[EvidenceRef]], evidence: Sequence[EvidenceRef], say: Say
) -> list[AnswerBlock]:
    refs = [ref for group in groups for ref in group]
    level = level_of_evidence(refs)
    blocks: list[AnswerBlock] = []
    if title:
        blocks.append(AnswerHeading(say("answer_goal", text=title, level=say(f"level_{level}")), 3))
    stance = stance_of(refs)
    if stance is not Stance.ANSWERS:
        blocks += _remark([say(f"stance_{stance}")])
    numbers = {ref.number for ref in refs}
    copies = [ref for ref in evidence if ref.same_as in numbers]
    notes = [*_list_disagreements(refs, say), *_list_copies(copies, say)]
    return [*blocks, *(build_shown(group, say) for group in groups), *_remark(notes)]


def _remark(lines: Sequence[str]) -> list[AnswerNote]:
    return [AnswerNote("\n".join(lines), NoteRole.REMARK)] if lines else []


def _name_heading(ref: EvidenceRef, say: Say) -> str:
    place = "" if ref.place in ref.heading else say_place(ref.place, lambda n: say("notebook_cell", n=n))
    heading = " › ".join(join_lines(part) for part in (ref.heading, ref.table_header, place) if part)
    return heading + (say("answer_ocr") if ref.ocr else "")


def _list_copies(evidence: Sequence[EvidenceRef], say: Say) -> list[str]:
    copies: dict[int, list[int]] = {}
    for ref in evidence:
        if ref.same_as:
            copies.setdefault(ref.same_as, []).append(ref.number)
    return [
        say("answer_copies", number=number, others="".join(f"[{other}]" for other in others))
        for number, others in copies.items()
    ]


def _list_best_first(goal: Goal, evidence: Iterable[EvidenceRef]) -> list[EvidenceRef]:
    return sorted((ref for ref in evidence if ref.goal_id == goal.id), key=lambda ref: -ref.score)


def _list_current(goal: Goal, evidence: Iterable[EvidenceRef]) -> list[EvidenceRef]:
    """Return a goal's evidence best first. What was only near before the round that answered is left out: it
    was ranked without the answer."""
    refs = _list_best_first(goal, evidence)
    answered = [ref.round for ref in refs if ref.score >= ENOUGH]
    return [ref for ref in refs if ref.score >= ENOUGH or not answered or ref.round >= answered[0]]


def _list_missing(strategy: Strategy, status: Sequence[GoalStatus], verdict: Verdict) -> tuple[str, ...]:
    if verdict.loop_stop is LoopStop.CONDITION_MET:
        return ()
    return tuple(goal.question for goal in open_goals(strategy.goals, status))


def _list_disagreements(refs: Sequence[EvidenceRef], say: Say) -> list[str]:
    """Name the pairs of answering quotations that contradict each other."""
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


def _close(missing: Sequence[str], level: AnswerLevel, verdict: Verdict, say: Say) -> str:
    lines = []
    if level is AnswerLevel.ANSWERED or len(missing) > 1:
        lines.append(say("answer_missing", text=say("answer_comma").join(missing)))
    if verdict.loop_stop not in (None, LoopStop.CONDITION_MET):
        lines.append(say("answer_end", why=say(f"end_{verdict.loop_stop}".lower())))
    return "\n".join([*lines, say("answer_advice")])
