"""Runs, their steps and their answers.

A snippet is stored only once, so that a purge can erase it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from shisho.domain.codec import Payload, build, dumps, loads, to_plain
from shisho.domain.conversation import NewTurn
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
    LoopStop,
    RunStep,
    Sentence,
    StepText,
    SupportOutcome,
)
from shisho.domain.time import Instant
from shisho.errors import NotFound, SourceRemoved
from shisho.messages import Message
from shisho.ports import Clock
from shisho.stores.nouns import Row
from shisho.stores.refusals import bound_ids
from shisho.stores.sql import Queries, QueryStore, fetch_first
from shisho.stores.sql.conversations import add_turn
from shisho.stores.step_content import pack_step, unpack_step

# Add a run, unless it exists.
BEGIN = """INSERT INTO runs(id, owner, state, facts, created_at) VALUES (:id, :owner, 'open', :facts, :now)
    ON CONFLICT DO NOTHING"""
# Read the inquiry of a run.
FACTS = "SELECT facts, state FROM runs WHERE id = :run_id"
# Record a step of a run, replacing the one with its number; no row if the run was deleted.
RECORD = """INSERT INTO steps(run_id, step, node, input_hash, content, at) SELECT id, :step, :node, :input_hash, :content, :now
    FROM runs WHERE id = :run_id /*pg FOR KEY SHARE */
    ON CONFLICT (run_id, step) DO UPDATE SET node = excluded.node, input_hash = excluded.input_hash,
        content = excluded.content, at = excluded.at"""
# Read one step of a run.
STEP = "SELECT step, node, input_hash, content, at FROM steps WHERE run_id = :run_id AND step = :step"
# Delete a step and all later ones.
FORGET = "DELETE FROM steps WHERE run_id = :run_id AND step >= :step"
# List all steps of a run, in order.
STEPS = "SELECT step, node, input_hash, content, at FROM steps WHERE run_id = :run_id ORDER BY step"
# Delete a previously saved answer and its evidence.
DROP_ANSWER = "DELETE FROM answers WHERE id = :id"
# Save an answer.
SAVE_ANSWER = "INSERT INTO answers(id, run_id, owner, created_at, body) VALUES (:id, :run_id, :owner, :created_at, :body)"
# Save a piece of its evidence.
SAVE_EVIDENCE = """INSERT INTO evidence(id, answer_id, number, document_id, snippet, body)
    VALUES (:id, :answer_id, :number, :document_id, :snippet, :body)"""
# Close the runs that an answer completes.
END_RUNS = "UPDATE runs SET state = 'done' WHERE id IN (:id, :run_id) AND state = 'open'"
# The state of a source document; an old version is `removed` if its newer versions are gone.
SOURCE_STATE = """CASE WHEN d.state = 'superseded' AND NOT EXISTS (SELECT 1 FROM places p
    WHERE p.corpus_id = d.corpus_id /*pg AND md5(p.source) = md5(d.source) */ AND p.source = d.source)
    THEN 'removed' ELSE d.state END AS state"""
# List the evidence of an answer, by number.
EVIDENCE_OF = f"""SELECT e.snippet, e.body, d.source, {SOURCE_STATE} FROM evidence e
    LEFT JOIN documents d ON d.id = e.document_id WHERE e.answer_id = :id ORDER BY e.number"""
# Find an owner's evidence by ID prefix, as a range of IDs.
EVIDENCE = f"""SELECT e.snippet, e.body, d.source, {SOURCE_STATE} FROM evidence e
    JOIN answers a ON a.id = e.answer_id
    LEFT JOIN documents d ON d.id = e.document_id
    WHERE a.owner = :owner AND e.id >= :low AND e.id < :high LIMIT 2"""
# Find an owner's answers by ID prefix, as a range of IDs.
ANSWERS = "SELECT id, body FROM answers WHERE owner = :owner AND id >= :low AND id < :high LIMIT 2"
# Find the newest answer of an owner.
LAST_ANSWER = "SELECT id, body FROM answers WHERE owner = :owner ORDER BY created_at DESC, id DESC LIMIT 1"
# Find an owner's runs by ID prefix, as a range of IDs.
RUNS = "SELECT id FROM runs WHERE owner = :owner AND id >= :low AND id < :high LIMIT 2"
# Find the newest open run of an owner.
LAST_RUN = """SELECT id FROM runs WHERE owner = :owner AND state = 'open'
    ORDER BY created_at DESC, id DESC LIMIT 1"""
# Delete the steps of some finished runs begun before a moment.
EXPIRE_STEPS = """DELETE FROM steps WHERE run_id IN (SELECT r.id FROM runs r
        WHERE r.state <> 'open' AND r.created_at < :before AND EXISTS (SELECT 1 FROM steps s WHERE s.run_id = r.id)
        LIMIT 200)"""


class StoredLedger:
    """`ports.Ledger` over a database."""

    def __init__(self, store: QueryStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def begin(self, inquiry: Inquiry, turn: NewTurn | None = None) -> None:
        now = self._clock.now()
        values = {
            "id": inquiry.run_id,
            "owner": inquiry.scope.owner,
            "facts": dumps(inquiry),
            "now": now,
        }

        def write(queries: Queries) -> None:
            if turn is not None:
                add_turn(queries, turn, now)
            queries.change(BEGIN, values)

        await self._store.write(write)

    async def find_inquiry(self, run_id: str) -> Inquiry:
        row = await self._store.read(lambda queries: fetch_first(queries, FACTS, {"run_id": run_id}))
        return _read_inquiry(row, run_id)

    async def record(
        self,
        run_id: str,
        step: int,
        node: str,
        input_hash: str,
        output: Payload,
        texts: Sequence[StepText] = (),
    ) -> None:
        values = {"run_id": run_id, "step": step, "node": node, "input_hash": input_hash}
        values["now"] = self._clock.now()

        def write(queries: Queries) -> int:
            content = pack_step(output.text, texts, queries.read_slices)
            return queries.change(RECORD, values | {"content": content})

        if not await self._store.write(write):
            raise _build_missing_run(run_id)

    async def find_step(self, run_id: str, step: int) -> RunStep | None:
        def read(queries: Queries) -> RunStep | None:
            row = fetch_first(queries, STEP, {"run_id": run_id, "step": step})
            return None if row is None else unpack_step(row, queries.read_slices)

        return await self._store.read(read)

    async def forget_from(self, run_id: str, step: int) -> None:
        values = {"run_id": run_id, "step": step}
        await self._store.write(lambda queries: queries.change(FORGET, values))

    async def list_steps(self, run_id: str) -> Sequence[RunStep]:
        def read(queries: Queries) -> list[RunStep]:
            rows = queries.fetch(STEPS, {"run_id": run_id})
            return [unpack_step(row, queries.read_slices) for row in rows]

        return await self._store.read(read)

    async def expire_steps(self, before: Instant) -> int:
        # Some runs at a time: others' writes wait as long.
        values = {"before": before}
        total = 0
        while dropped := await self._store.write(lambda queries: queries.change(EXPIRE_STEPS, values)):
            total += dropped
        return total

    async def save(self, answer: Answer, owner: str) -> None:
        # The answer of a task's inquiry has its run's ID; any other answer names its run as its task.
        values = {
            "id": answer.id,
            "run_id": answer.task_id,
            "owner": owner,
            "created_at": answer.created_at,
            "body": _answer_body(answer),
        }
        quotations = [_bind_evidence(quotation, answer) for quotation in answer.evidence]

        def write(queries: Queries) -> None:
            queries.change(DROP_ANSWER, values)
            queries.change(SAVE_ANSWER, values)
            queries.change_each(SAVE_EVIDENCE, quotations)
            if answer.loop_stop is not LoopStop.STOPPED:  # a stopped run stays open
                queries.change(END_RUNS, values)

        await self._store.write(write)

    async def answer(self, prefix: str, owner: str) -> Answer:
        def read(queries: Queries) -> Answer:
            if prefix == "last":
                rows = queries.fetch(LAST_ANSWER, {"owner": owner})
            else:
                rows = queries.fetch(ANSWERS, _bind_bounds(prefix, "answer", owner))
            row = _expect_only_row(rows, "answer", prefix)
            return _read_answer(row.body, queries.fetch(EVIDENCE_OF, {"id": row.id}))

        return await self._store.read(read)

    async def find_evidence(self, prefix: str, owner: str) -> Evidence:
        values = _bind_bounds(prefix, "evidence", owner)
        rows = await self._store.read(lambda queries: queries.fetch(EVIDENCE, values))
        return _read_evidence(_expect_only_row(rows, "evidence", prefix))

    async def find_run(self, prefix: str, owner: str) -> str:
        if prefix != "last":
            values = _bind_bounds(prefix, "run", owner)
            rows = await self._store.read(lambda queries: queries.fetch(RUNS, values))
            return str(_expect_only_row(rows, "run", prefix).id)
        row = await self._store.read(lambda queries: fetch_first(queries, LAST_RUN, {"owner": owner}))
        if row is None:
            raise NotFound("question.none_unfinished")
        return str(row.id)


def _bind_bounds(prefix: str, noun: str, owner: str) -> dict[str, str]:
    """Return the values that select an owner's rows by ID prefix."""
    low, high = bound_ids(prefix, noun)
    return {"owner": owner, "low": low, "high": high}


def _build_missing_run(run_id: str) -> NotFound:
    """Return the error for a run that does not exist or was removed."""
    return NotFound("replay.not_found", run_id=run_id)


def _read_inquiry(row: Row | None, run_id: str) -> Inquiry:
    """Read the inquiry from a run's facts and state. Raises NotFound, SourceRemoved."""
    if row is None:
        raise _build_missing_run(run_id)
    if row.state == "purged":
        raise SourceRemoved("question.document_purged")
    return loads(row.facts, Inquiry)


def _answer_body(answer: Answer) -> str:
    """Return the answer without its evidence, which is stored in separate rows."""
    return dumps(replace(answer, evidence=()))


def _bind_evidence(quotation: Evidence, answer: Answer) -> dict[str, str | int | None]:
    """Return the values of `SAVE_EVIDENCE`; `body` has the fields without a column as JSON."""
    body = json.dumps(
        {key: value for key, value in to_plain(quotation).items() if key != "snippet"}, ensure_ascii=False
    )
    return {
        "id": quotation.id,
        "answer_id": answer.id,
        "number": quotation.number,
        "document_id": quotation.document_id,
        "snippet": quotation.snippet,
        "body": body,
    }


def _read_answer(body: str, quotations: Sequence[Row]) -> Answer:
    """Build an answer from its body and the rows of its evidence."""
    answer: Answer = build(json.loads(body), Answer)
    return _replace_removed(replace(answer, evidence=tuple(map(_build_evidence, quotations))))


def _replace_removed(answer: Answer) -> Answer:
    """Replace erased quotations by a placeholder in the language of the question.

    The placeholder is not a quotation, so no evidence supports it.
    """
    if all(quotation.snippet for quotation in answer.evidence):
        return answer
    from shisho.language import answer_language  # imported here, because only purged answers need it
    from shisho.messages.catalogue import translate_word

    language = answer_language(answer.question)
    removed = translate_word("removed_source", language)
    text = answer.text.replace(f"{REMOVED} › {REMOVED}", REMOVED)
    text = text.replace(translate_word("answer_quote", language, text=REMOVED), REMOVED)
    evidence = (
        quotation if quotation.snippet else replace(quotation, title=removed) for quotation in answer.evidence
    )
    return replace(
        answer,
        text=text.replace(REMOVED, removed),
        blocks=tuple(_replace_in_block(block, removed) for block in answer.blocks),
        evidence=tuple(evidence),
    )


def _replace_in_block(block: AnswerBlock, removed: str) -> AnswerBlock:
    """Return the block with `removed` instead of erased words."""
    match block:
        case AnswerPassage(text=text) if text == REMOVED:
            numbers = tuple(mark.number for mark in block.marks)
            return AnswerParagraph((Sentence(removed, numbers, SupportOutcome.UNVERIFIED),))
        case AnswerParagraph(sentences) | ContradictedSentences(sentences):
            return replace(block, sentences=tuple(_replace_in_sentence(unit, removed) for unit in sentences))
        case AnswerList(items):
            return replace(block, items=tuple(_replace_in_sentence(unit, removed) for unit in items))
        case AnswerTable(header, rows):
            words = tuple(label.replace(REMOVED, removed) for label in header)
            return AnswerTable(
                words, tuple(tuple(_replace_in_sentence(cell, removed) for cell in row) for row in rows)
            )
        case AnswerHeading(text) | AnswerNote(text):
            return replace(block, text=text.replace(REMOVED, removed))
        case _:
            return block


def _replace_in_sentence(sentence: Sentence, removed: str) -> Sentence:
    if sentence.text != REMOVED:
        return sentence
    return replace(sentence, text=removed, support=SupportOutcome.UNVERIFIED, by=None)


def _read_evidence(row: Row) -> Evidence:
    """Build evidence from a quotation, and its document's source and state.

    Raises: SourceRemoved if the quotation was erased.
    """
    if row.snippet is None:
        raise SourceRemoved("evidence.document_purged")
    return _build_evidence(row)


def _expect_only_row(rows: Sequence[Row], noun: str, prefix: str) -> Row:
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


def _build_evidence(row: Row) -> Evidence:
    # An empty snippet means "source removed": a stored snippet is never empty.
    quotation: Evidence = build(
        {"heading": "", **json.loads(row.body), "snippet": row.snippet or ""}, Evidence
    )
    return (
        quotation if row.state is None else mark_source_state(quotation, row.source, DocumentState(row.state))
    )
