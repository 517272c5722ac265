"""Runs, their steps, their answers, in SQLite. A snippet stands in one place, so that a purge can erase it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import apsw

from shisho.domain.codec import build, dumps, loads, plain
from shisho.domain.inquiry import Answer, Evidence, Inquiry, LoopStop
from shisho.errors import NotFound, SourceRemoved
from shisho.messages.message import Message
from shisho.ports import Clock
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.rows import every

TOP = "\U0010ffff"
NOTHING_UNFINISHED = "No question is unfinished. `shisho show last` shows the last answer."


class EmbeddedLedger:
    """`ports.Ledger` over one SQLite file."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock

    async def begin(self, inquiry: Inquiry) -> None:
        row = (inquiry.run_id, inquiry.scope.owner, dumps(inquiry), self._clock.now())
        query = "INSERT INTO runs(id, owner, state, facts, created_at) VALUES (?, ?, 'open', ?, ?) ON CONFLICT DO NOTHING"
        await self._database.write(lambda connection: connection.execute(query, row) and None)

    async def inquiry(self, run_id: str) -> Inquiry:
        def work(connection: apsw.Connection) -> Inquiry:
            row = connection.execute("SELECT facts, state FROM runs WHERE id = ?", (run_id,)).fetchone()
            if row is None:
                raise NotFound("There is no run {run_id}.", run_id=run_id)
            if row[1] == "purged":
                raise SourceRemoved("A document that this run read was purged, so it cannot be continued. Ask again.")
            return loads(row[0], Inquiry)

        return await self._database.read(work)

    async def record(self, run_id: str, step: int, node: str, input_hash: str, input_: Any, output: Any) -> None:
        row = (run_id, step, node, input_hash, dumps(input_), dumps(output), self._clock.now())
        query = "INSERT OR REPLACE INTO steps VALUES (?, ?, ?, ?, ?, ?, ?)"
        await self._database.write(lambda connection: connection.execute(query, row) and None)

    async def step(self, run_id: str, step: int) -> tuple[str, str, Any] | None:
        def work(connection: apsw.Connection) -> tuple[str, str, Any] | None:
            query = "SELECT node, input_hash, output FROM steps WHERE run_id = ? AND step = ?"
            row = connection.execute(query, (run_id, step)).fetchone()
            return None if row is None else (row[0], row[1], json.loads(row[2]))

        return await self._database.read(work)

    async def forget_from(self, run_id: str, step: int) -> None:
        query = "DELETE FROM steps WHERE run_id = ? AND step >= ?"
        await self._database.write(lambda connection: connection.execute(query, (run_id, step)) and None)

    async def steps(self, run_id: str) -> Sequence[Mapping[str, Any]]:
        def work(connection: apsw.Connection) -> list[Mapping[str, Any]]:
            query = "SELECT step, node, input_hash, input, output, at FROM steps WHERE run_id = ? ORDER BY step"
            names = ("step", "node", "input_hash", "input", "output", "at")
            found = (dict(zip(names, row, strict=True)) for row in every(connection.execute(query, (run_id,))))
            return [each | {"input": json.loads(each["input"]), "output": json.loads(each["output"])} for each in found]

        return await self._database.read(work)

    async def save(self, answer: Answer, owner: str) -> None:
        body = dumps(replace(answer, evidence=()))
        rows = [(one.id, answer.id, one.number, one.document_id, one.snippet, _without_snippet(one)) for one in answer.evidence]

        def work(connection: apsw.Connection) -> None:
            connection.execute("DELETE FROM answers WHERE id = ?", (answer.id,))
            values = (answer.id, answer.task_id, owner, answer.created_at, body)
            connection.execute("INSERT INTO answers(id, run_id, owner, created_at, body) VALUES (?, ?, ?, ?, ?)", values)
            connection.executemany("INSERT INTO evidence VALUES (?, ?, ?, ?, ?, ?)", rows)
            # The answer of a task's inquiry has its run's id; any other names its run as its task. A stopped one stays open.
            if answer.loop_stop is not LoopStop.STOPPED:
                runs = (answer.id, answer.task_id)
                connection.execute("UPDATE runs SET state = 'done' WHERE id IN (?, ?) AND state = 'open'", runs)

        await self._database.write(work)

    async def answer(self, prefix: str, owner: str) -> Answer:
        def work(connection: apsw.Connection) -> Answer:
            answer_id, body = _chosen(connection, "id, body", "answers", prefix, owner)
            query = "SELECT snippet, body FROM evidence WHERE answer_id = ? ORDER BY number"
            evidence = [_evidence(*row) for row in every(connection.execute(query, (answer_id,)))]
            found: Answer = build(json.loads(body), Answer)
            return replace(found, evidence=tuple(evidence))

        return await self._database.read(work)

    async def evidence(self, prefix: str, owner: str) -> Evidence:
        def work(connection: apsw.Connection) -> Evidence:
            query = """SELECT e.snippet, e.body FROM evidence e JOIN answers a ON a.id = e.answer_id
                WHERE a.owner = ? AND e.id >= ? AND e.id < ? LIMIT 2"""
            row = _single(every(connection.execute(query, (owner, prefix, prefix + TOP))), "evidence", prefix)
            if row[0] is None:
                raise SourceRemoved("The document that this evidence quotes was purged. Add it again and ask anew.")
            return _evidence(*row)

        return await self._database.read(work)

    async def find_run(self, prefix: str, owner: str) -> str:
        def work(connection: apsw.Connection) -> str:
            if prefix != "last":
                return str(_chosen(connection, "id", "runs", prefix, owner)[0])
            query = "SELECT id FROM runs WHERE owner = ? AND state = 'open' ORDER BY created_at DESC, id DESC LIMIT 1"
            row = connection.execute(query, (owner,)).fetchone()
            if row is None:
                raise NotFound(NOTHING_UNFINISHED)
            return str(row[0])

        return await self._database.read(work)


def _chosen(connection: apsw.Connection, columns: str, table: str, prefix: str, owner: str) -> tuple[Any, ...]:
    """The row that an id, a unique prefix or `last` names, in a table with id, owner and created_at."""
    query = f"SELECT {columns} FROM {table} WHERE owner = ? AND id >= ? AND id < ? LIMIT 2"
    values: tuple[str, ...] = (owner, prefix, prefix + TOP)
    if prefix == "last":
        query = f"SELECT {columns} FROM {table} WHERE owner = ? ORDER BY created_at DESC, id DESC LIMIT 1"
        values = (owner,)
    return _single(every(connection.execute(query, values)), table.removesuffix("s"), prefix)


def _single(found: list[tuple[Any, ...]], noun: str, prefix: str) -> tuple[Any, ...]:
    if len(found) == 1:
        return found[0]
    if not found:
        if prefix == "last":
            raise NotFound("Nothing has been answered yet.")
        raise NotFound("There is no {noun} {prefix}.", noun=Message(noun), prefix=prefix)
    raise NotFound("More than one {noun} begins with {prefix}: give more of its id.", noun=Message(noun), prefix=prefix)


def _without_snippet(evidence: Evidence) -> str:
    return json.dumps({key: value for key, value in plain(evidence).items() if key != "snippet"}, ensure_ascii=False)


def _evidence(snippet: str | None, body: str) -> Evidence:
    # An empty snippet says "source removed": a kept one is never empty.
    found: Evidence = build({"heading": "", **json.loads(body), "snippet": snippet or ""}, Evidence)
    return found
