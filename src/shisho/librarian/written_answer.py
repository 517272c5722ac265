"""The blocks of a model's answer, with what came of their check."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.inquiry import AnswerNote, NoteRole, list_sentences
from shisho.domain.loop_state import Draft
from shisho.domain.session import SentenceRevision
from shisho.librarian.answer import frame_answer, list_remarks
from shisho.librarian.answer_blocks import KnownWords, build_blocks
from shisho.librarian.checking.check import say_counts
from shisho.librarian.model_replies import BlockReply
from shisho.librarian.policy import AnswerInput


def write_draft(
    inputs: AnswerInput, replied: Sequence[BlockReply], revisions: Sequence[SentenceRevision]
) -> Draft | None:
    """Return the answer of these blocks, or None if no unit with a quotation stays in it."""
    if not any(revision.became == "kept" and revision.evidence for revision in revisions):
        return None
    blocks = build_blocks(replied, revisions, KnownWords(inputs.strategy.question, inputs.evidence))
    if not any(sentence.evidence for sentence in list_sentences(blocks)):
        return None
    counted = say_counts(revisions, inputs.strategy.question)
    notes = [AnswerNote(counted, NoteRole.REMARK)] if counted else []
    return frame_answer(
        inputs.strategy,
        inputs.status,
        inputs.evidence,
        inputs.verdict,
        inputs.unsearched,
        "answer_written",
        [*blocks, *list_remarks(inputs.evidence, inputs.strategy), *notes],
        inputs.asked,
    )


def count_changes(revisions: Sequence[SentenceRevision]) -> tuple[int, int]:
    """Return how many units were left out, and how many were contradicted."""
    became = [revision.became for revision in revisions]
    return became.count("removed"), became.count("contradicted")
