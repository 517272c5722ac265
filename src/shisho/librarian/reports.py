"""Assemble a report: sections, each from its own rounds, then introduction and conclusion. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from shisho.domain.inquiry import (
    ANSWERING_LEVELS,
    AnswerBlock,
    AnswerHeading,
    AnswerLevel,
    AnswerList,
    AnswerNote,
    Budget,
    ContradictedSentences,
    Evidence,
    EvidenceRef,
    LoopStop,
    NoteRole,
    Sentence,
    Strategy,
    Verdict,
    choose_best_level,
    is_written,
    list_contradicted,
    list_sentences,
)
from shisho.domain.loop_state import Draft, LoopState, Spending
from shisho.domain.report import DEFAULT_WORDS, CurrentSection, WrittenSection
from shisho.language import answer_language
from shisho.librarian.answer import Say
from shisho.librarian.answer_blocks import KnownWords
from shisho.librarian.evidence import Citations
from shisho.librarian.policy import SectionTask, Whole, WholeInput
from shisho.librarian.strategy import join_goals
from shisho.librarian.surveys import choose_texts

CLOSING_CALLS = 2  # kept back for introduction and conclusion, and their check
CLOSING_SHARE = 0.1  # of tokens and seconds: kept back for the same
SECTION_SHARE = 0.85  # of the words: those of the sections; the rest is introduction and conclusion
MARGIN = 1.25  # so much more is asked for, as models write less than they are asked for
CHARS_PER_WORD = 2  # of Japanese for one word of English
MAX_LISTED = 30  # titles in the statement of what was read


def begin_section(whole: Strategy, number: int, rounds_before: int, citations: Citations) -> LoopState:
    """Return the state in which this section is current, from 1. After the last, all goals are current."""
    aim = whole
    if number <= len(whole.sections):
        goals = whole.sections[number - 1].goals
        aim = replace(whole, goals=goals, condition=join_goals(goal.id for goal in goals))
    return LoopState(
        strategy=aim,
        section=CurrentSection(number, rounds_before),
        goal_status=citations.status(aim.goals, ()),
        rounds_without_evidence=0,
        exhausted=False,
        anew=number > 1,  # a passage may support two sections
        respelt=False,
    )


def join_sections(state: LoopState, citations: Citations) -> LoopState:
    """Return the strategy with the goals of all sections, and their status."""
    aim = state["strategy"]
    goals = tuple(goal for section in aim.sections for goal in section.goals)
    status = {row.goal_id: row for section in state["sections"] for row in section.status}
    return LoopState(
        strategy=replace(aim, goals=goals, condition=join_goals(goal.id for goal in goals)),
        goal_status=tuple(status.get(row.goal_id, row) for row in citations.status(goals, state["evidence"])),
    )


def withhold(budget: Budget, state: LoopState) -> Spending:
    """Return the share of the budget that is kept for later sections, introduction and conclusion."""
    place = state.get("section")
    total = len(state["strategy"].sections) if place else 0
    if place is None or place.number > total:
        return Spending()
    later = total - place.number
    share = later * (1 - CLOSING_SHARE) / total + CLOSING_SHARE
    return Spending(
        seconds=budget.max_seconds * share,
        model_calls=(budget.max_model_calls - CLOSING_CALLS) // total * later + CLOSING_CALLS,
        tokens=int(budget.max_tokens * share),
    )


def are_sections_left(state: LoopState) -> bool:
    """Return whether a section is still unwritten."""
    place = state.get("section")
    return place is not None and place.number <= len(state["strategy"].sections)


def describe_task(state: LoopState, words: int) -> SectionTask:
    """Return the task of writing the current section. `words`: of the whole report, 0 for any number."""
    sections = state["strategy"].sections
    number = state["section"].number
    share = MARGIN * SECTION_SHARE * (words or DEFAULT_WORDS) / len(sections)
    headings = tuple(section.heading for section in sections)
    return SectionTask(number, headings, _describe_length(share, state["strategy"].question))


def end_section(state: LoopState, draft: Draft, refs: Sequence[EvidenceRef]) -> WrittenSection:
    """Return the finished section, without text if no evidence answers its goals.

    Its heading has only words of the request and of quotations.
    """
    aim = state["strategy"]
    planned = aim.sections[state["section"].number - 1].heading
    blocks = () if draft.level not in ANSWERING_LEVELS else tuple(_list_content(draft.blocks))
    known = KnownWords(aim.question, refs).read_heading(planned)
    topics = [ref.heading.split(" › ")[-1] for ref in refs]
    heading = known or max(topics, key=topics.count, default="") if blocks else planned
    return WrittenSection(
        heading, blocks, draft.level, state["goal_status"], bool(blocks) and not is_written(blocks)
    )


def ask_whole(state: LoopState, words: int, evidence: Sequence[EvidenceRef]) -> WholeInput:
    """Return the input for introduction and conclusion."""
    share = MARGIN * (1 - SECTION_SHARE) * (words or DEFAULT_WORDS) / 2
    question = state["strategy"].question
    parts = [(section.heading, list_sentences(section.blocks)) for section in state["sections"]]
    return WholeInput(
        question, [part for part in parts if part[1]], evidence, _describe_length(share, question)
    )


def compose_report(state: LoopState, whole: Whole, read: Sequence[str], words: int) -> Draft:
    """Return the report: introduction, written sections, conclusion, coverage, and open sections.

    `read`: the titles of documents with passages that were read.
    """
    aim = state["strategy"]
    say = choose_texts(aim.question)
    sections = state["sections"]
    written = [section for section in sections if section.blocks]
    body = [*_prepend_heading(say("report_introduction"), whole.introduction)]
    for section in written:
        body += _prepend_heading(section.heading, map(_demote, section.blocks))
    body += _prepend_heading(say("report_conclusion"), whole.conclusion)
    dropped = list_contradicted(body)
    text = [block for block in body if not isinstance(block, ContradictedSentences)]
    lines = _describe_coverage(state, read, say)
    if not whole.introduction:
        lines.append(say("report_unframed"))
    lines += _describe_shortfall(text, aim.question, words, say)
    head = say("report_head", sections=len(written), read=len(read))
    open_goals = [
        goal.question
        for place, planned in enumerate(aim.sections)
        if place >= len(sections) or not sections[place].blocks
        for goal in planned.goals
    ]
    return Draft(
        (
            AnswerNote(head, NoteRole.OPENING),
            *text,
            *([ContradictedSentences(dropped)] if dropped else []),
            AnswerHeading(say("report_coverage")),
            AnswerNote("\n".join(lines), NoteRole.REMARK),
        ),
        tuple(open_goals),
        _find_level(state),
    )


def _find_level(state: LoopState) -> AnswerLevel:
    """Return ANSWERED if each planned section is complete, and PARTIAL if at least one has text."""
    sections = state["sections"]
    if not any(section.blocks for section in sections):
        return choose_best_level(row.level for section in sections for row in section.status)
    is_complete = len(sections) == len(state["strategy"].sections) and all(
        section.blocks and section.level is AnswerLevel.ANSWERED and all(row.met for row in section.status)
        for section in sections
    )
    return AnswerLevel.ANSWERED if is_complete else AnswerLevel.PARTIAL


def conclude_report(state: LoopState) -> Verdict:
    """Return the verdict on the report: the condition is met if the goals of all sections are.

    Otherwise the reason is that of the last search that ended without them.
    """
    verdict = state["verdicts"][-1]
    if verdict.loop_stop is LoopStop.STOPPED:
        return verdict
    sections = state["sections"]
    is_whole = len(sections) == len(state["strategy"].sections)
    if is_whole and all(row.met for section in sections for row in section.status):
        return replace(verdict, loop_stop=LoopStop.CONDITION_MET)
    reasons = [other.loop_stop for other in state["verdicts"] if other.loop_stop is not None]
    unmet = [reason for reason in reasons if reason is not LoopStop.CONDITION_MET]
    return replace(verdict, loop_stop=unmet[-1] if unmet else LoopStop.EXHAUSTED)


def list_sources(evidence: Sequence[Evidence], question: str) -> tuple[AnswerBlock, ...]:
    """Return the documents that a report cites, each with its pages and the numbers of its quotations."""
    rows: dict[str, list[Evidence]] = {}
    for row in evidence:
        rows.setdefault(row.document_id, []).append(row)
    if not rows:
        return ()
    say = choose_texts(question)
    return (
        AnswerHeading(say("report_sources")),
        AnswerList(
            tuple(
                Sentence(cited[0].title, tuple(row.number for row in cited), None) for cited in rows.values()
            ),
            is_source_list=True,
        ),
    )


def count_words(blocks: Iterable[AnswerBlock], question: str) -> int:
    """Return the number of words; in Japanese, two characters count as one."""
    text = " ".join(sentence.text for sentence in list_sentences(blocks))
    if answer_language(question) == "en":
        return len(text.split())
    return sum(not letter.isspace() for letter in text) // CHARS_PER_WORD


def _describe_length(words: float, question: str) -> str:
    if answer_language(question) == "en":
        return f"at least {round(words, -1):.0f} words"
    return f"at least {round(CHARS_PER_WORD * words, -1):.0f} characters"


def _list_content(blocks: Iterable[AnswerBlock]) -> Iterator[AnswerBlock]:
    """Yield the blocks of a section without notes."""
    return (block for block in blocks if not isinstance(block, AnswerNote))


def _demote(block: AnswerBlock) -> AnswerBlock:
    return replace(block, level=3) if isinstance(block, AnswerHeading) else block


def _prepend_heading(heading: str, blocks: Iterable[AnswerBlock]) -> list[AnswerBlock]:
    below = list(blocks)
    has_text = any(not isinstance(block, ContradictedSentences) for block in below)
    return [AnswerHeading(heading), *below] if has_text else below


def _describe_coverage(state: LoopState, read: Sequence[str], say: Say) -> list[str]:
    """Say which documents and sections a report covers, and which it does not."""
    titles = state.get("titles", ())
    unread = [title for title in titles if title not in read]
    lines = [say("report_read", count=len(read), titles=_list_titles(read, say))]
    if unread:
        lines.append(say("report_unread", count=len(unread), titles=_list_titles(unread, say)))
    sections = state["sections"]
    planned = [section.heading for section in state["strategy"].sections]
    for key, headings in (
        ("report_open", [section.heading for section in sections if not section.blocks]),
        ("report_quoted", [section.heading for section in sections if section.is_quoted]),
        ("report_unwritten", planned[len(sections) :]),
    ):
        if headings:
            lines.append(say(key, headings=_list_titles(headings, say)))
    questions = {goal.id: goal.question for part in state["strategy"].sections for goal in part.goals}
    incomplete = [
        questions[row.goal_id]
        for section in sections
        if section.blocks
        for row in section.status
        if not row.met
    ]
    if incomplete:
        lines.append(say("answer_partial", text=_list_titles(incomplete, say)))
    return lines


def _describe_shortfall(blocks: Sequence[AnswerBlock], question: str, words: int, say: Say) -> list[str]:
    count = count_words(blocks, question)
    if count >= words:
        return []
    factor = 1 if answer_language(question) == "en" else CHARS_PER_WORD
    return [say("report_short", count=count * factor, wanted=words * factor)]


def _list_titles(titles: Sequence[str], say: Say) -> str:
    quoted = say("answer_comma").join(say("answer_quote", text=title) for title in titles[:MAX_LISTED])
    rest = len(titles) - MAX_LISTED
    return say("report_more", titles=quoted, count=rest) if rest > 0 else quoted
