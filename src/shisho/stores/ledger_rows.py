"""Runs and answers from database rows: the same in every database."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from shisho.domain.codec import build, dumps, loads, to_plain
from shisho.domain.corpus import DocumentState
from shisho.domain.evidence import REMOVED, mark_source_state
from shisho.domain.inquiry import (
    Answer,
    AnswerBlock,
    AnswerHeading,
    AnswerList,
    AnswerNote,
    AnswerParagraph,
    AnswerPassage,
    AnswerTable,
    ContradictedSentences,
    Evidence,
    Inquiry,
    Sentence,
    SupportOutcome,
)
from shisho.domain.time import Instant
from shisho.errors import NotFound, SourceRemoved
from shisho.messages.message import Message
from shisho.stores.nouns import Row
from shisho.stores.sql.queries import QueryStore

NOTHING_UNFINISHED = "question.none_unfinished"

# The steps of some finished runs begun before a moment.
EXPIRE_STEPS = """DELETE FROM steps WHERE run_id IN (SELECT r.id FROM runs r
        WHERE r.state <> 'open' AND r.created_at < :before AND EXISTS (SELECT 1 FROM steps s WHERE s.run_id = r.id)
        LIMIT 200)
    RETURNING 1 AS dropped"""


async def expire_steps(store: QueryStore, before: Instant) -> int:
    """As `Ledger.expire_steps`, some runs at a time: others' writes wait as long."""
    total = 0
    while dropped := await store.write(lambda queries: len(queries.rows(EXPIRE_STEPS, {"before": before}))):
        total += dropped
    return total


def no_run(run_id: str) -> NotFound:
    """Return the error for a run that does not exist or was removed."""
    return NotFound("replay.not_found", run_id=run_id)


def read_inquiry(row: Row | None, run_id: str) -> Inquiry:
    """Read the inquiry from a run's facts and state. Raises NotFound, SourceRemoved."""
    if row is None:
        raise no_run(run_id)
    if row.state == "purged":
        raise SourceRemoved("question.document_purged")
    return loads(row.facts, Inquiry)


def answer_body(answer: Answer) -> str:
    """Return the answer without its evidence, which is stored in separate rows."""
    return dumps(replace(answer, evidence=()))


def evidence_row(quotation: Evidence, answer: Answer) -> tuple[str | int | None, ...]:
    """Return the ID, answer, number, document and snippet, and the other fields as JSON."""
    body = json.dumps(
        {key: value for key, value in to_plain(quotation).items() if key != "snippet"}, ensure_ascii=False
    )
    return (
        quotation.id,
        answer.id,
        quotation.number,
        quotation.document_id,
        quotation.snippet,
        body,
    )


def read_answer(body: str, quotations: Sequence[Row]) -> Answer:
    """Build an answer from its body and the rows of its evidence."""
    answer: Answer = build(json.loads(body), Answer)
    return word_removals(replace(answer, evidence=tuple(map(_evidence, quotations))))


def word_removals(answer: Answer) -> Answer:
    """Replace erased quotations by a placeholder in the language of the question.

    The placeholder is no quotation, so no evidence supports it.
    """
    if all(quotation.snippet for quotation in answer.evidence):
        return answer
    from shisho.language.script import answer_language  # imported here, because only purged answers need it
    from shisho.messages.catalogue import word

    language = answer_language(answer.question)
    removed = word("removed_source", language)
    text = answer.text.replace(f"{REMOVED} › {REMOVED}", REMOVED)
    text = text.replace(word("answer_quote", language, text=REMOVED), REMOVED)
    evidence = (
        quotation if quotation.snippet else replace(quotation, title=removed) for quotation in answer.evidence
    )
    return replace(
        answer,
        text=text.replace(REMOVED, removed),
        blocks=tuple(_word_erased(block, removed) for block in answer.blocks),
        evidence=tuple(evidence),
    )


def _word_erased(block: AnswerBlock, removed: str) -> AnswerBlock:
    """Return the block with `removed` instead of erased words."""
    match block:
        case AnswerPassage(text=text) if text == REMOVED:
            numbers = tuple(mark.number for mark in block.marks)
            return AnswerParagraph((Sentence(removed, numbers, SupportOutcome.UNVERIFIED),))
        case AnswerParagraph(sentences) | ContradictedSentences(sentences):
            return replace(block, sentences=tuple(_word_unit(unit, removed) for unit in sentences))
        case AnswerList(items):
            return replace(block, items=tuple(_word_unit(unit, removed) for unit in items))
        case AnswerTable(header, rows):
            words = tuple(label.replace(REMOVED, removed) for label in header)
            return AnswerTable(words, tuple(tuple(_word_unit(cell, removed) for cell in row) for row in rows))
        case AnswerHeading(text) | AnswerNote(text):
            return replace(block, text=text.replace(REMOVED, removed))
        case _:
            return block


def _word_unit(sentence: Sentence, removed: str) -> Sentence:
    if sentence.text != REMOVED:
        return sentence
    return replace(sentence, text=removed, support=SupportOutcome.UNVERIFIED, by=None)


def read_evidence(row: Row) -> Evidence:
    """Build evidence from a quotation, and its document's source and state.

    Raises: SourceRemoved if the quotation was erased.
    """
    if row.snippet is None:
        raise SourceRemoved("evidence.document_purged")
    return _evidence(row)


def expect_only_row(rows: Sequence[Row], noun: str, prefix: str) -> Row:
    """Return the only matching row. Raises NotFound."""
    if len(rows) == 1:
        return rows[0]
    if not rows:
        if prefix == "last":
            raise NotFound("answer.none")
        raise NotFound("common.not_found", noun=Message(f"noun.{noun}"), prefix=prefix)
    raise NotFound(
        "common.ambiguous_prefix",
        noun=Message(f"noun.{noun}"),
        prefix=prefix,
    )


def _evidence(row: Row) -> Evidence:
    # An empty snippet means "source removed": a stored snippet is never empty.
    quotation: Evidence = build(
        {"heading": "", **json.loads(row.body), "snippet": row.snippet or ""}, Evidence
    )
    return (
        quotation if row.state is None else mark_source_state(quotation, row.source, DocumentState(row.state))
    )
