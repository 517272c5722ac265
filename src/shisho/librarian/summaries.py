"""Summarize with a model: sections in portions of its context, then an introduction from these parts.

The sections are in order, under their headings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

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
    NoteRole,
    Sentence,
    is_written,
    list_sentences,
)
from shisho.domain.loop_state import Draft
from shisho.domain.model import ModelUse
from shisho.domain.survey import PORTION, Survey, SurveyRow
from shisho.librarian.allowance import ModelAllowance
from shisho.librarian.policy import AnswerInput, Policy, SeekSupport, StepResult, WholeInput
from shisho.librarian.surveys import speak_for, write_row

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
    for rows in _portion(survey.rows):
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
    opening = speak_for(question)("summary_written")
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


def _portion(rows: Sequence[SurveyRow]) -> Iterator[list[SurveyRow]]:
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
