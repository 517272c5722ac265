"""A summary by a model: the sections of a document in portions that it can read at once, in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from shisho.domain.inquiry import (
    AnswerBlock,
    AnswerLevel,
    AnswerNote,
    NoteRole,
    is_written,
)
from shisho.domain.loop_state import Draft
from shisho.domain.model import ModelUse
from shisho.domain.survey import Survey, SurveyRow
from shisho.librarian.allowance import ModelAllowance
from shisho.librarian.policy import AnswerInput, Policy, SeekSupport, StepResult
from shisho.librarian.surveys import speak_for, write_row

PORTION = 24  # quotations that are read at once


async def write_summary(
    policy: Policy,
    survey: Survey,
    inputs: AnswerInput,
    allowance: ModelAllowance,
    hear: Callable[[str], None],
    seek: SeekSupport,
) -> StepResult[Draft] | None:
    """Return the summary, each portion in its place: what the model couldn't write is quoted instead. None if
    it wrote nothing."""
    blocks: list[AnswerBlock] = []
    uses: list[ModelUse] = []
    written = 0
    for rows in _portion(survey.rows):
        refs = [inputs.evidence[place] for row in rows for _, place in row.quotes]
        step = await policy.answer(replace(inputs, evidence=refs), allowance, hear, seek)
        uses += step.uses
        content = _list_content(step.value)
        written += len(content)
        blocks += content or [block for row in rows for block in write_row(row, inputs.evidence)]
    if not written:
        return None
    opening = speak_for(inputs.strategy.question)("summary_written")
    notes = (AnswerNote(opening, NoteRole.OPENING), AnswerNote("\n".join(survey.lines), NoteRole.REMARK))
    draft = Draft((notes[0], *blocks, notes[1]), (), AnswerLevel.ANSWERED)
    return StepResult(draft, tuple(uses))


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
    """Return the blocks that a model wrote; none if rules quoted passages in its place."""
    if not is_written(draft.blocks):
        return []
    return [block for block in draft.blocks if not isinstance(block, AnswerNote)]
