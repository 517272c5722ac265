"""Surveys of the collection, their answers, and summaries that a model writes from them.

A summary reads sections in portions of the context, in order and under their headings; its introduction is
written from these parts.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

from shisho.domain.corpus import Citation, Complexity
from shisho.domain.inquiry import (
    AnswerBlock,
    AnswerHeading,
    AnswerLevel,
    AnswerList,
    AnswerNote,
    AnswerParagraph,
    AnswerTable,
    ContradictedSentences,
    EvidenceRef,
    Goal,
    LoopStop,
    NoteRole,
    Sentence,
    Strategy,
    SupportedBy,
    SupportOutcome,
    build_evidence_ref,
    is_written,
    list_sentences,
)
from shisho.domain.loop_state import Draft, LoopState
from shisho.domain.model import ModelUse
from shisho.domain.requirements import RequestKind, Requirements
from shisho.domain.survey import PORTION, Survey, SurveyKind, SurveyRow
from shisho.language import answer_language
from shisho.librarian.allowance import ModelAllowance
from shisho.librarian.evidence import RELATED, Citations, level_of_evidence
from shisho.librarian.policy import AnswerInput, Policy, RulePolicy, SeekSupport, StepResult, WholeInput
from shisho.librarian.route import conclude
from shisho.messages.catalogue import translate_word
from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class CitedSurvey:
    """A survey with its citations and their headings."""

    survey: Survey
    citations: tuple[Citation, ...] = ()
    headings: tuple[str, ...] = ()


AskCollection = Callable[[str, Requirements], Awaitable[CitedSurvey | None]]
"""Answers a question about the collection; None for any other question."""


async def survey_nothing(question: str, required: Requirements) -> CitedSurvey | None:
    """Return no survey: no collection is available."""
    return None


def choose_texts(question: str) -> Callable[..., str]:
    """Return the texts of answers in the language of the question."""
    return partial(translate_word, language=answer_language(question))


def begin_survey(
    cited: CitedSurvey, question: str, required: Requirements, citations: Citations
) -> LoopState:
    """Return the state of a question about the collection with its evidence.

    Nothing is searched.
    """
    goal = Goal("G1", question)
    score = RELATED if cited.survey.kind is SurveyKind.MODEL else 1.0
    refs = tuple(
        build_evidence_ref(citations.take(citation), goal.id, citation, heading, score, 0)
        for citation, heading in zip(cited.citations, cited.headings, strict=True)
    )
    status = citations.status((goal,), refs)
    stop = LoopStop.CONDITION_MET if status[0].met else LoopStop.EXHAUSTED
    return LoopState(
        strategy=Strategy(
            question,
            (goal,),
            goal.id,
            required.complexity or Complexity.SINGLE,
            _choose_kind(cited.survey.kind, required.kind),
        ),
        survey=cited.survey,
        evidence=refs,
        goal_status=status,
        verdicts=(conclude(stop, status, cited.survey.kind),),
        rounds_without_evidence=0,
        uses=(),
    )


def _choose_kind(of_survey: SurveyKind, wanted: RequestKind) -> RequestKind:
    if wanted is not RequestKind.AUTO:
        return wanted
    kinds = {SurveyKind.SUMMARY: RequestKind.SUMMARY, SurveyKind.MODEL: RequestKind.REPORT}
    return kinds.get(of_survey, RequestKind.COLLECTION)


def write_survey(survey: Survey, refs: Sequence[EvidenceRef], question: str) -> Draft:
    """Write the answer: the method, its lines, and each row above its quotations."""
    say = choose_texts(question)
    level = level_of_evidence(refs)
    head = say("survey_head", level=say(f"level_{level}"), how=say(f"survey_{survey.kind}"))
    notes = (
        AnswerNote(head, NoteRole.OPENING),
        AnswerNote("\n".join(survey.lines), NoteRole.REMARK),
    )
    rows = [block for row in survey.rows for block in write_row(row, refs)]
    missing = (question,) if survey.kind in (SurveyKind.MODEL, SurveyKind.UNNAMED) else ()
    return Draft((*notes, *rows), missing, level)


def write_row(row: SurveyRow, refs: Sequence[EvidenceRef]) -> list[AnswerBlock]:
    """Return a row of a survey above its quotations."""
    blocks: list[AnswerBlock] = [AnswerHeading(row.title, 3)] if row.title else []
    quoted = [refs[place] for _, place in row.quotes]
    items = tuple(
        Sentence(ref.snippet, (ref.number,), SupportOutcome.SUPPORTED, SupportedBy.QUOTATION)
        for ref in quoted
    )
    signs = tuple(sign for sign, _ in row.quotes)
    return [*blocks, AnswerList(items, signs if any(signs) else ())] if items else blocks


async def compose_survey(
    policy: Policy,
    survey: Survey,
    inputs: AnswerInput,
    allowance: ModelAllowance,
    hear: Callable[[str], None],
    seek: SeekSupport,
) -> StepResult[Draft]:
    """Return the answer of a survey: a summary by the model if there is one, else written by rules."""
    if survey.kind is SurveyKind.SUMMARY and not isinstance(policy, RulePolicy):
        step = await write_summary(policy, survey, inputs, allowance, hear, seek)
        if step is not None:
            return step
    return StepResult(write_survey(survey, inputs.evidence, inputs.strategy.question))


WHOLE_LENGTH = "3 to 8 sentences"


async def write_summary(
    policy: Policy,
    survey: Survey,
    inputs: AnswerInput,
    allowance: ModelAllowance,
    hear: Callable[[str], None],
    seek: SeekSupport,
) -> StepResult[Draft] | None:
    """Return the summary; sections that the model did not cover are quoted.

    None if it wrote nothing.
    """
    blocks: list[AnswerBlock] = []
    uses: list[ModelUse] = []
    parts: list[tuple[str, Sequence[Sentence]]] = []
    for rows in _split_portions(survey.rows):
        refs = [inputs.evidence[place] for row in rows for _, place in row.quotes]
        step = await policy.answer(replace(inputs, evidence=refs), allowance, hear, seek)
        uses += step.uses
        content = _list_content(step.value)
        if content:
            parts.append((rows[0].title, list_sentences(content)))
        blocks += _put_under_headings(rows, content, inputs.evidence)
    if not parts:
        return None
    question = inputs.strategy.question
    whole: tuple[AnswerBlock, ...] = ()
    if len(parts) > 1:
        step_of_whole = await policy.write_whole(
            WholeInput(question, parts, inputs.evidence, WHOLE_LENGTH), allowance
        )
        whole = step_of_whole.value.introduction
        uses += step_of_whole.uses
    opening = choose_texts(question)("summary_written")
    notes = (AnswerNote(opening, NoteRole.OPENING), AnswerNote("\n".join(survey.lines), NoteRole.REMARK))
    draft = Draft((notes[0], *whole, *blocks, notes[1]), (), AnswerLevel.ANSWERED)
    return StepResult(draft, tuple(uses))


def _put_under_headings(
    rows: Sequence[SurveyRow], content: Sequence[AnswerBlock], evidence: Sequence[EvidenceRef]
) -> list[AnswerBlock]:
    """Return a portion's sentences, items and tables, each under the heading of the section it cites first.

    A section without any is quoted, so none is missing.
    """
    parts = [(part, _find_first_cited(part)) for part in _split(content)]
    blocks: list[AnswerBlock] = []
    for row in rows:
        numbers = {evidence[place].number for _, place in row.quotes}
        of_row = [part for part, number in parts if number in numbers]
        if not of_row:
            blocks += write_row(row, evidence)
            continue
        blocks += [AnswerHeading(row.title, 3)] if row.title else []
        blocks += _join(of_row)
    return [*blocks, *(block for block in content if isinstance(block, ContradictedSentences))]


def _split(blocks: Sequence[AnswerBlock]) -> Iterator[AnswerBlock]:
    """Yield each sentence and item as a block of its own, and each table."""
    for block in blocks:
        match block:
            case AnswerParagraph(sentences=sentences):
                yield from (AnswerParagraph((sentence,)) for sentence in sentences)
            case AnswerList(items=items, signs=signs):
                yield from (AnswerList((item,), signs[at : at + 1]) for at, item in enumerate(items))
            case AnswerTable():
                yield block


def _find_first_cited(part: AnswerBlock) -> int | None:
    return next((number for sentence in list_sentences([part]) for number in sentence.evidence), None)


def _join(parts: Sequence[AnswerBlock]) -> Iterator[AnswerBlock]:
    """Join neighbouring sentences to a paragraph, and neighbouring items to a list."""
    for kind, group in groupby(parts, type):
        blocks = list(group)
        if kind is AnswerParagraph:
            yield AnswerParagraph(list_sentences(blocks))
        elif kind is AnswerList:
            signs = tuple(sign for block in blocks if isinstance(block, AnswerList) for sign in block.signs)
            yield AnswerList(list_sentences(blocks), signs)
        else:
            yield from blocks


def _split_portions(rows: Sequence[SurveyRow]) -> Iterator[list[SurveyRow]]:
    portion: list[SurveyRow] = []
    for row in rows:
        if portion and sum(len(other.quotes) for other in portion) + len(row.quotes) > PORTION:
            yield portion
            portion = []
        portion.append(row)
    if portion:
        yield portion


def _list_content(draft: Draft) -> list[AnswerBlock]:
    """Return the blocks that a model wrote; empty if rules quoted passages instead."""
    if not is_written(draft.blocks):
        return []
    return [block for block in draft.blocks if not isinstance(block, AnswerNote)]
