"""Compose an answer without a model: passages with marked sentences, and the missing parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations

from shisho.domain.inquiry import (
    ANSWERING_LEVELS,
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
    is_written,
    list_contradicted,
    list_passages,
    list_sentences,
)
from shisho.domain.loop_state import Draft
from shisho.domain.place import describe_place
from shisho.language import answer_language
from shisho.language.display import join_lines
from shisho.librarian.checking.contradictions import contradiction
from shisho.librarian.evidence import ANSWERING_SCORE, is_by_rules, level_of_evidence, stance_of
from shisho.librarian.route import open_goals
from shisho.librarian.selection.ranker import MAX_SHOWN, MAX_SHOWN_CHARS
from shisho.messages.catalogue import translate_word
from shisho.records import dataclass

Say = Callable[..., str]
# First lines with a model, by the usual one and the level, if it found nothing or had nothing to read.
_UNANSWERED_HEADS = {
    ("answer_read", AnswerLevel.RELATED): "answer_absent",
    ("answer_read", AnswerLevel.NOTHING): "answer_absent",
    ("answer_unread", AnswerLevel.NOTHING): "answer_unshown",
}


@dataclass(frozen=True, slots=True)
class GoalPassage:
    """A passage to show for a goal. `refs`: its evidence in text order, for later goals too."""

    goal_id: str
    refs: tuple[EvidenceRef, ...]


def compose(
    strategy: Strategy,
    status: Sequence[GoalStatus],
    evidence: Sequence[EvidenceRef],
    verdict: Verdict,
    unsearched: Sequence[UnsearchedQuery] = (),
    head: str = "answer_head",
    asked: str = "",
) -> Draft:
    """Show the best passages of each goal, and name the goals without an answer.

    `head`: the key of the first line. If the question differs from `asked`, its interpretation comes first.
    """
    say = partial(translate_word, language=answer_language(strategy.question))
    shown = choose_shown(strategy.goals, evidence)
    titled = len(strategy.goals) > 1
    body = [
        block
        for goal in strategy.goals
        for block in _show_goal(goal, goal.question if titled else "", shown, evidence, say)
    ]
    return frame_answer(strategy, status, evidence, verdict, unsearched, head, body, asked)


def choose_shown(goals: Sequence[Goal], evidence: Sequence[EvidenceRef]) -> list[GoalPassage]:
    """Return the passages to show, goal by goal, best first.

    Each goal has its own limit. A passage is shown once, for the first goal with evidence in it, and does not
    count towards the limits of later goals.
    """
    shown: dict[tuple[str, str], GoalPassage] = {}
    for goal in goals:
        count = chars = 0
        for key, refs in _group_by_passage(goal, evidence).items():
            if key in shown:
                shown[key] = replace(shown[key], refs=_sort_by_offset((*shown[key].refs, *refs)))
            elif not chars or (
                count < max(MAX_SHOWN, goal.min_evidence) and chars + len(key[1]) <= MAX_SHOWN_CHARS
            ):
                shown[key] = GoalPassage(goal.id, _sort_by_offset(refs))
                count += not refs[0].code
                chars += len(key[1])
    return list(shown.values())


def _group_by_passage(
    goal: Goal, evidence: Sequence[EvidenceRef]
) -> dict[tuple[str, str], list[EvidenceRef]]:
    groups: dict[tuple[str, str], list[EvidenceRef]] = {}
    for ref in _list_current(goal.id, evidence):
        if not ref.same_as:
            groups.setdefault((ref.heading, ref.passage or ref.snippet), []).append(ref)
    return groups


def _sort_by_offset(refs: Iterable[EvidenceRef]) -> tuple[EvidenceRef, ...]:
    return tuple(sorted(refs, key=lambda ref: ref.offset))


def build_shown(passage: GoalPassage, say: Say) -> AnswerPassage:
    """Return a passage with the marks of its evidence. Of overlapping marks, the first is used."""
    first = passage.refs[0]
    marks: list[PassageMark] = []
    for ref in passage.refs:
        if not marks or ref.offset >= marks[-1].end:
            marks.append(PassageMark(ref.offset, ref.offset + len(ref.snippet), ref.number))
    return AnswerPassage(
        goal_id=passage.goal_id,
        heading=_write_heading(first, say),
        text=first.passage or first.snippet,
        marks=tuple(marks),
        code=first.code,
    )


def choose_cited(draft: Draft, evidence: Sequence[EvidenceRef]) -> tuple[EvidenceRef, ...]:
    """Return the evidence of an answer.

    For a written answer: all evidence chosen by a model, and the evidence chosen by rules that it cites.
    Otherwise: the evidence that answers, that of the shown passages, and its copies.
    """
    passages = list_passages(draft.blocks)
    if not passages or is_written(draft.blocks):
        sentences = (*list_sentences(draft.blocks), *list_contradicted(draft.blocks))
        used = {number for sentence in sentences for number in sentence.evidence}
        used.update(mark.number for passage in passages for mark in passage.marks)
        return tuple(ref for ref in evidence if ref.number in used or not is_by_rules(ref))
    shown = {mark.number for passage in passages for mark in passage.marks}
    # A sentence shared by two goals has one mark.
    texts = {passage.text for passage in passages}
    current = (ref for id_ in {ref.goal_id for ref in evidence} for ref in _list_current(id_, evidence))
    kept = shown | {ref.number for ref in current if ref.passage in texts}
    return tuple(
        ref for ref in evidence if ref.number in kept or ref.same_as in shown or ref.score >= ANSWERING_SCORE
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
    say = partial(translate_word, language=answer_language(strategy.question))
    missing = _list_missing(strategy, status, verdict)
    levels = {goal.id: level_of_evidence(_list_best_first(goal.id, evidence)) for goal in strategy.goals}
    answered = {id_ for id_, level in levels.items() if level is AnswerLevel.ANSWERED}
    incomplete = [goal.question for goal in open_goals(strategy.goals, status) if goal.id in answered]
    is_partial = bool(missing and incomplete)
    level = AnswerLevel.PARTIAL if is_partial else choose_best_level(levels.values())
    head = _UNANSWERED_HEADS.get((head, level), head)
    blocks = [AnswerNote(say(head, level=say(f"level_{level}")), NoteRole.OPENING)]
    if asked not in ("", strategy.question):
        blocks.append(AnswerNote(say("answer_understood", text=strategy.question), NoteRole.OPENING))
    gaps = tuple(
        dict.fromkeys(say(f"gap_{gap.why}", query=gap.query, detail=gap.detail) for gap in unsearched)
    )
    closing = [_close(missing, incomplete, level, verdict, say)] if missing else []
    if gaps:
        closing.append("\n".join(say("answer_note", text=gap) for gap in gaps))
    notes = (AnswerNote(text, NoteRole.CLOSING) for text in closing)
    return Draft((*blocks, *body, *notes), (*missing, *gaps), level)


def list_remarks(evidence: Sequence[EvidenceRef], strategy: Strategy) -> list[AnswerBlock]:
    """Return remarks on the evidence of a written answer.

    They list goals whose answer is unknown or disputed in the sources, contradictions, and copies in other
    documents.
    """
    say = partial(translate_word, language=answer_language(strategy.question))
    blocks: list[AnswerBlock] = []
    lines = []
    for goal in strategy.goals:
        refs = _list_best_first(goal.id, evidence)
        if stance_of(refs) is not Stance.ANSWERS:
            blocks += _show_goal(goal, goal.question, choose_shown([goal], evidence), (), say)
        else:
            lines += _list_disagreements(refs, say)
    return [*blocks, *_build_remarks([*lines, *_list_copies(evidence, say)])]


def show_uncited_passages(refs: Sequence[EvidenceRef], strategy: Strategy) -> list[AnswerBlock]:
    """Return the passages that rules are sure of, for a written answer that cites none of them."""
    say = partial(translate_word, language=answer_language(strategy.question))
    passages = [build_shown(passage, say) for passage in choose_shown(strategy.goals, refs)]
    return [AnswerNote(say("answer_beside"), NoteRole.REMARK), *passages] if passages else []


def _show_goal(
    goal: Goal, title: str, shown: Sequence[GoalPassage], evidence: Sequence[EvidenceRef], say: Say
) -> list[AnswerBlock]:
    """Return the blocks for a goal: none if no shown passage has evidence for it."""
    refs = [ref for passage in shown for ref in passage.refs if ref.goal_id == goal.id]
    if not refs:
        return []
    blocks: list[AnswerBlock] = []
    if title:
        level = say(f"level_{level_of_evidence(refs)}")
        blocks.append(AnswerHeading(say("answer_goal", text=title, level=level), 3))
    stance = stance_of(refs)
    if stance is not Stance.ANSWERS:
        blocks += _build_remarks([say(f"stance_{stance}")])
    own = [passage for passage in shown if passage.goal_id == goal.id]
    earlier = "".join(_cite_marks(goal, passage, say) for passage in shown if passage not in own)
    see = [say("answer_see", numbers=earlier)] if earlier else []
    numbers = {ref.number for ref in refs}
    copies = [ref for ref in evidence if ref.same_as in numbers]
    notes = [*see, *_list_disagreements(refs, say), *_list_copies(copies, say)]
    return [*blocks, *(build_shown(passage, say) for passage in own), *_build_remarks(notes)]


def _cite_marks(goal: Goal, passage: GoalPassage, say: Say) -> str:
    """Return the numbers of a goal's marks in a passage."""
    spans = [(ref.offset, ref.offset + len(ref.snippet)) for ref in passage.refs if ref.goal_id == goal.id]
    return "".join(
        f"[{mark.number}]"
        for mark in build_shown(passage, say).marks
        if any(mark.start < end and start < mark.end for start, end in spans)
    )


def _build_remarks(lines: Sequence[str]) -> list[AnswerNote]:
    return [AnswerNote("\n".join(lines), NoteRole.REMARK)] if lines else []


def _write_heading(ref: EvidenceRef, say: Say) -> str:
    place = "" if ref.place in ref.heading else describe_place(ref.place, lambda n: say("notebook_cell", n=n))
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


def _list_best_first(goal_id: str, evidence: Iterable[EvidenceRef]) -> list[EvidenceRef]:
    return sorted((ref for ref in evidence if ref.goal_id == goal_id), key=lambda ref: -ref.score)


def _list_current(goal_id: str, evidence: Iterable[EvidenceRef]) -> list[EvidenceRef]:
    """Return a goal's evidence, best first.

    Merely related evidence from before the answering round is omitted: it was ranked without the answer.
    """
    refs = _list_best_first(goal_id, evidence)
    answered = [ref.round for ref in refs if ref.score >= ANSWERING_SCORE]
    return [ref for ref in refs if ref.score >= ANSWERING_SCORE or not answered or ref.round >= answered[0]]


def _list_missing(strategy: Strategy, status: Sequence[GoalStatus], verdict: Verdict) -> tuple[str, ...]:
    if verdict.loop_stop is LoopStop.CONDITION_MET:
        return ()
    return tuple(goal.question for goal in open_goals(strategy.goals, status))


def _list_disagreements(refs: Sequence[EvidenceRef], say: Say) -> list[str]:
    """Name the pairs of answering quotations that contradict each other."""
    sure = [ref for ref in refs if ref.score >= ANSWERING_SCORE and not ref.same_as]
    pairs = [
        (ref, other, contradiction(ref.snippet, other.snippet, ref.heading, other.heading))
        for ref, other in combinations(sure, 2)
    ]
    return [
        say("against", one=ref.number, other=other.number, what=say(f"against_{kind}"))
        for ref, other, kind in pairs
        if kind
    ]


def _close(
    missing: Sequence[str], incomplete: Sequence[str], level: AnswerLevel, verdict: Verdict, say: Say
) -> str:
    """Return the lines that end an answer. `incomplete`: of what is missing, what was found in part."""
    lines = []
    unfound = [text for text in missing if text not in incomplete]
    if unfound and (level in ANSWERING_LEVELS or len(missing) > 1):
        lines.append(say("answer_missing", text=say("answer_comma").join(unfound)))
    if incomplete:
        lines.append(say("answer_partial", text=say("answer_comma").join(incomplete)))
    if verdict.loop_stop:
        lines.append(say("answer_end", why=say(f"end_{verdict.loop_stop}".lower())))
    return "\n".join([*lines, say("answer_advice")])
