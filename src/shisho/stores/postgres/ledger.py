"""Runs, their steps and their answers in PostgreSQL.

A snippet is stored only once, so that a purge can erase it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from shisho.domain.codec import Payload, dumps
from shisho.domain.conversation import NewTurn
from shisho.domain.inquiry import Answer, Evidence, Inquiry, LoopStop, RunStep, StepText
from shisho.domain.time import Instant
from shisho.errors import NotFound
from shisho.ports import Clock
from shisho.stores.ledger_rows import (
    NOTHING_UNFINISHED,
    answer_body,
    evidence_row,
    expect_only_row,
    expire_steps,
    no_run,
    read_answer,
    read_evidence,
    read_inquiry,
)
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.queries import PostgresQueries, PostgresQueryStore
from shisho.stores.postgres.rows import change, fetch_all, fetch_first
from shisho.stores.postgres.texts import read_slices
from shisho.stores.refusals import bound_ids
from shisho.stores.sql.conversations import add_turn
from shisho.stores.step_content import pack_step, unpack_step

# Add a run, unless it exists.
BEGIN = """INSERT INTO runs(id, owner, state, facts, created_at) VALUES (%s, %s, 'open', %s, %s)
    ON CONFLICT DO NOTHING"""
# Read the inquiry of a run.
FACTS = "SELECT facts, state FROM runs WHERE id = %s"
# Record a step of a run, replacing the one with its number; no row if the run was deleted.
RECORD = """INSERT INTO steps(run_id, step, node, input_hash, content, at) SELECT id, %s, %s, %s, %s, %s
    FROM runs WHERE id = %s FOR KEY SHARE
    ON CONFLICT (run_id, step) DO UPDATE SET node = excluded.node, input_hash = excluded.input_hash,
        content = excluded.content, at = excluded.at"""
# Read one step of a run.
STEP = "SELECT step, node, input_hash, content, at FROM steps WHERE run_id = %s AND step = %s"
# Delete a step and all later ones.
FORGET = "DELETE FROM steps WHERE run_id = %s AND step >= %s"
# List all steps of a run, in order.
STEPS = "SELECT step, node, input_hash, content, at FROM steps WHERE run_id = %s ORDER BY step"
# Delete a previously saved answer and its evidence.
DROP_ANSWER = "DELETE FROM answers WHERE id = %s"
# Save an answer.
SAVE_ANSWER = "INSERT INTO answers(id, run_id, owner, created_at, body) VALUES (%s, %s, %s, %s, %s)"
# Save a piece of its evidence.
SAVE_EVIDENCE = """INSERT INTO evidence(id, answer_id, number, document_id, snippet, body)
    VALUES (%s, %s, %s, %s, %s, %s)"""
# Close the runs that an answer completes.
END_RUNS = "UPDATE runs SET state = 'done' WHERE id IN (%s, %s) AND state = 'open'"
# The state of a source document; an old version is `removed` if its newer versions are gone.
SOURCE_STATE = """CASE WHEN d.state = 'superseded' AND NOT EXISTS (SELECT 1 FROM places p
    WHERE p.corpus_id = d.corpus_id AND md5(p.source) = md5(d.source) AND p.source = d.source)
    THEN 'removed' ELSE d.state END AS state"""
# List the evidence of an answer, by number.
EVIDENCE_OF = f"""SELECT e.snippet, e.body, d.source, {SOURCE_STATE} FROM evidence e
    LEFT JOIN documents d ON d.id = e.document_id WHERE e.answer_id = %s ORDER BY e.number"""
# Find an owner's evidence by ID prefix, as a range of IDs.
EVIDENCE = f"""SELECT e.snippet, e.body, d.source, {SOURCE_STATE} FROM evidence e
    JOIN answers a ON a.id = e.answer_id
    LEFT JOIN documents d ON d.id = e.document_id
    WHERE a.owner = %s AND e.id >= %s AND e.id < %s LIMIT 2"""
# Find an owner's answers by ID prefix, as a range of IDs.
ANSWERS = "SELECT id, body FROM answers WHERE owner = %s AND id >= %s AND id < %s LIMIT 2"
# Find the newest answer of an owner.
LAST_ANSWER = "SELECT id, body FROM answers WHERE owner = %s ORDER BY created_at DESC, id DESC LIMIT 1"
# Find an owner's runs by ID prefix, as a range of IDs.
RUNS = "SELECT id FROM runs WHERE owner = %s AND id >= %s AND id < %s LIMIT 2"
# Find the newest open run of an owner.
LAST_RUN = """SELECT id FROM runs WHERE owner = %s AND state = 'open'
    ORDER BY created_at DESC, id DESC LIMIT 1"""


class PostgresLedger:
    """`ports.Ledger` over PostgreSQL."""

    def __init__(self, database: PostgresDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def begin(self, inquiry: Inquiry, turn: NewTurn | None = None) -> None:
        now = self._clock.now()
        values = (inquiry.run_id, inquiry.scope.owner, dumps(inquiry), now)

        def work(connection: Connection) -> None:
            if turn is not None:
                add_turn(PostgresQueries(connection), turn, now)
            change(connection, BEGIN, values)

        await self._database.write(work)

    async def find_inquiry(self, run_id: str) -> Inquiry:
        row = await self._database.read(lambda connection: fetch_first(connection, FACTS, (run_id,)))
        return read_inquiry(row, run_id)

    async def record(
        self,
        run_id: str,
        step: int,
        node: str,
        input_hash: str,
        output: Payload,
        texts: Sequence[StepText] = (),
    ) -> None:
        now = self._clock.now()

        def work(connection: Connection) -> int:
            content = pack_step(output.text, texts, partial(read_slices, connection))
            return change(connection, RECORD, (step, node, input_hash, content, now, run_id))

        if not await self._database.write(work):
            raise no_run(run_id)

    async def find_step(self, run_id: str, step: int) -> RunStep | None:
        def work(connection: Connection) -> RunStep | None:
            row = fetch_first(connection, STEP, (run_id, step))
            return None if row is None else unpack_step(row, partial(read_slices, connection))

        return await self._database.read(work)

    async def forget_from(self, run_id: str, step: int) -> None:
        await self._database.write(lambda connection: change(connection, FORGET, (run_id, step)))

    async def list_steps(self, run_id: str) -> Sequence[RunStep]:
        def work(connection: Connection) -> list[RunStep]:
            rows = fetch_all(connection, STEPS, (run_id,))
            return [unpack_step(row, partial(read_slices, connection)) for row in rows]

        return await self._database.read(work)

    async def expire_steps(self, before: Instant) -> int:
        return await expire_steps(PostgresQueryStore(self._database), before)

    async def save(self, answer: Answer, owner: str) -> None:
        values = (answer.id, answer.task_id, owner, answer.created_at, answer_body(answer))
        quotations = [evidence_row(quotation, answer) for quotation in answer.evidence]

        def work(connection: Connection) -> None:
            change(connection, DROP_ANSWER, (answer.id,))
            change(connection, SAVE_ANSWER, values)
            for quotation in quotations:
                change(connection, SAVE_EVIDENCE, quotation)
            # The answer of a task's inquiry has its run's ID; any other answer names its run as its task. A
            # stopped run stays open.
            if answer.loop_stop is not LoopStop.STOPPED:
                change(connection, END_RUNS, (answer.id, answer.task_id))

        await self._database.write(work)

    async def answer(self, prefix: str, owner: str) -> Answer:
        def work(connection: Connection) -> Answer:
            if prefix == "last":
                rows = fetch_all(connection, LAST_ANSWER, (owner,))
            else:
                rows = fetch_all(connection, ANSWERS, (owner, *bound_ids(prefix, "answer")))
            row = expect_only_row(rows, "answer", prefix)
            return read_answer(row.body, fetch_all(connection, EVIDENCE_OF, (row.id,)))

        return await self._database.read(work)

    async def find_evidence(self, prefix: str, owner: str) -> Evidence:
        values = (owner, *bound_ids(prefix, "evidence"))
        rows = await self._database.read(lambda connection: fetch_all(connection, EVIDENCE, values))
        return read_evidence(expect_only_row(rows, "evidence", prefix))

    async def find_run(self, prefix: str, owner: str) -> str:
        if prefix != "last":
            values = (owner, *bound_ids(prefix, "run"))
            rows = await self._database.read(lambda connection: fetch_all(connection, RUNS, values))
            return str(expect_only_row(rows, "run", prefix).id)
        row = await self._database.read(lambda connection: fetch_first(connection, LAST_RUN, (owner,)))
        if row is None:
            raise NotFound(NOTHING_UNFINISHED)
        return str(row.id)
