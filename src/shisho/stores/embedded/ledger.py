"""Runs, their steps and their answers in SQLite.

A snippet is stored only once, so that a purge can erase it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import apsw

from shisho.domain.codec import Payload, dumps
from shisho.domain.conversation import NewTurn
from shisho.domain.inquiry import Answer, Evidence, Inquiry, LoopStop, RunStep, StepText
from shisho.domain.time import Instant
from shisho.errors import NotFound
from shisho.ports import Clock
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.queries import EmbeddedQueries, EmbeddedQueryStore
from shisho.stores.embedded.rows import fetch_all, fetch_first
from shisho.stores.embedded.texts import read_slices
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
from shisho.stores.refusals import bound_ids
from shisho.stores.sql.conversations import add_turn
from shisho.stores.step_content import pack_step, unpack_step

# Add a run, unless it exists.
BEGIN = """INSERT INTO runs(id, owner, state, facts, created_at) VALUES (?, ?, 'open', ?, ?)
    ON CONFLICT DO NOTHING"""
# Read the inquiry of a run.
FACTS = "SELECT facts, state FROM runs WHERE id = ?"
# Record a step of a run, replacing the one with its number; no row if the run was deleted.
RECORD = """INSERT INTO steps(run_id, step, node, input_hash, content, at)
    SELECT id, ?, ?, ?, ?, ? FROM runs WHERE id = ?
    ON CONFLICT DO UPDATE SET node = excluded.node, input_hash = excluded.input_hash,
        content = excluded.content, at = excluded.at RETURNING 1"""
# Read one step of a run.
STEP = "SELECT step, node, input_hash, content, at FROM steps WHERE run_id = ? AND step = ?"
# Delete a step and all later ones.
FORGET = "DELETE FROM steps WHERE run_id = ? AND step >= ?"
# List all steps of a run, in order.
STEPS = "SELECT step, node, input_hash, content, at FROM steps WHERE run_id = ? ORDER BY step"
# Delete a previously saved answer and its evidence.
DROP_ANSWER = "DELETE FROM answers WHERE id = ?"
# Save an answer.
SAVE_ANSWER = "INSERT INTO answers(id, run_id, owner, created_at, body) VALUES (?, ?, ?, ?, ?)"
# Save a piece of its evidence.
SAVE_EVIDENCE = """INSERT INTO evidence(id, answer_id, number, document_id, snippet, body)
    VALUES (?, ?, ?, ?, ?, ?)"""
# Close the runs that an answer completes.
END_RUNS = "UPDATE runs SET state = 'done' WHERE id IN (?, ?) AND state = 'open'"
# The state of a source document; an old version is `removed` if its newer versions are gone.
SOURCE_STATE = """CASE WHEN d.state = 'superseded' AND NOT EXISTS (SELECT 1 FROM places p
    WHERE p.corpus_id = d.corpus_id AND p.source = d.source) THEN 'removed' ELSE d.state END AS state"""
# List the evidence of an answer, by number.
EVIDENCE_OF = f"""SELECT e.snippet, e.body, d.source, {SOURCE_STATE} FROM evidence e
    LEFT JOIN documents d ON d.id = e.document_id WHERE e.answer_id = ? ORDER BY e.number"""
# Find an owner's evidence by ID prefix, as a range of IDs.
EVIDENCE = f"""SELECT e.snippet, e.body, d.source, {SOURCE_STATE} FROM evidence e
    JOIN answers a ON a.id = e.answer_id
    LEFT JOIN documents d ON d.id = e.document_id
    WHERE a.owner = ? AND e.id >= ? AND e.id < ? LIMIT 2"""
# Find an owner's answers by ID prefix, as a range of IDs.
ANSWERS = "SELECT id, body FROM answers WHERE owner = ? AND id >= ? AND id < ? LIMIT 2"
# Find the newest answer of an owner.
LAST_ANSWER = "SELECT id, body FROM answers WHERE owner = ? ORDER BY created_at DESC, id DESC LIMIT 1"
# Find an owner's runs by ID prefix, as a range of IDs.
RUNS = "SELECT id FROM runs WHERE owner = ? AND id >= ? AND id < ? LIMIT 2"
# Find the newest open run of an owner.
LAST_RUN = """SELECT id FROM runs WHERE owner = ? AND state = 'open'
    ORDER BY created_at DESC, id DESC LIMIT 1"""


class EmbeddedLedger:
    """`ports.Ledger` over one SQLite file."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def begin(self, inquiry: Inquiry, turn: NewTurn | None = None) -> None:
        now = self._clock.now()
        row = (inquiry.run_id, inquiry.scope.owner, dumps(inquiry), now)

        def work(connection: apsw.Connection) -> None:
            if turn is not None:
                add_turn(EmbeddedQueries(connection), turn, now)
            connection.execute(BEGIN, row)

        await self._database.write(work)

    async def find_inquiry(self, run_id: str) -> Inquiry:
        def work(connection: apsw.Connection) -> Inquiry:
            return read_inquiry(fetch_first(connection.execute(FACTS, (run_id,))), run_id)

        return await self._database.read(work)

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

        def work(connection: apsw.Connection) -> None:
            content = pack_step(output.text, texts, partial(read_slices, connection))
            if connection.execute(RECORD, (step, node, input_hash, content, now, run_id)).get is None:
                raise no_run(run_id)

        await self._database.write(work)

    async def find_step(self, run_id: str, step: int) -> RunStep | None:
        def work(connection: apsw.Connection) -> RunStep | None:
            row = fetch_first(connection.execute(STEP, (run_id, step)))
            return None if row is None else unpack_step(row, partial(read_slices, connection))

        return await self._database.read(work)

    async def forget_from(self, run_id: str, step: int) -> None:
        await self._database.write(lambda connection: connection.execute(FORGET, (run_id, step)) and None)

    async def list_steps(self, run_id: str) -> Sequence[RunStep]:
        def work(connection: apsw.Connection) -> list[RunStep]:
            rows = fetch_all(connection.execute(STEPS, (run_id,)))
            return [unpack_step(row, partial(read_slices, connection)) for row in rows]

        return await self._database.read(work)

    async def expire_steps(self, before: Instant) -> int:
        return await expire_steps(EmbeddedQueryStore(self._database), before)

    async def save(self, answer: Answer, owner: str) -> None:
        body = answer_body(answer)
        rows = [evidence_row(quotation, answer) for quotation in answer.evidence]

        def work(connection: apsw.Connection) -> None:
            connection.execute(DROP_ANSWER, (answer.id,))
            values = (answer.id, answer.task_id, owner, answer.created_at, body)
            connection.execute(SAVE_ANSWER, values)
            connection.executemany(SAVE_EVIDENCE, rows)
            # The answer of a task's inquiry has its run's ID; any other answer names its run as its task. A
            # stopped run stays open.
            if answer.loop_stop is not LoopStop.STOPPED:
                runs = (answer.id, answer.task_id)
                connection.execute(END_RUNS, runs)

        await self._database.write(work)

    async def answer(self, prefix: str, owner: str) -> Answer:
        def work(connection: apsw.Connection) -> Answer:
            query, values = (
                (LAST_ANSWER, (owner,))
                if prefix == "last"
                else (ANSWERS, (owner, *bound_ids(prefix, "answer")))
            )
            row = expect_only_row(fetch_all(connection.execute(query, values)), "answer", prefix)
            return read_answer(row.body, fetch_all(connection.execute(EVIDENCE_OF, (row.id,))))

        return await self._database.read(work)

    async def find_evidence(self, prefix: str, owner: str) -> Evidence:
        def work(connection: apsw.Connection) -> Evidence:
            rows = fetch_all(connection.execute(EVIDENCE, (owner, *bound_ids(prefix, "evidence"))))
            return read_evidence(expect_only_row(rows, "evidence", prefix))

        return await self._database.read(work)

    async def find_run(self, prefix: str, owner: str) -> str:
        def work(connection: apsw.Connection) -> str:
            if prefix != "last":
                rows = fetch_all(connection.execute(RUNS, (owner, *bound_ids(prefix, "run"))))
                return str(expect_only_row(rows, "run", prefix).id)
            run_id = connection.execute(LAST_RUN, (owner,)).get
            if run_id is None:
                raise NotFound(NOTHING_UNFINISHED)
            return str(run_id)

        return await self._database.read(work)
