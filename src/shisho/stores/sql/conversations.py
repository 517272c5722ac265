"""The order of runs in conversations, in a database."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from shisho.domain.conversation import ConversationRemoved, ConversationSummary, ConversationTurn, NewTurn
from shisho.domain.inquiry import AnswerLevel, LoopStop
from shisho.domain.time import Instant
from shisho.errors import NotFound
from shisho.messages import Message
from shisho.ports import Clock
from shisho.stores.nouns import Row
from shisho.stores.refusals import bound_ids
from shisho.stores.sql import Queries, QueryStore, fetch_first

# Add a conversation, unless it exists.
BEGIN = (
    "INSERT INTO conversations(id, owner, created_at) VALUES (:run_id, :owner, :now) ON CONFLICT DO NOTHING"
)
# Lock an owner's conversation against removal until the end of the transaction.
IS_OWN = "SELECT 1 AS one FROM conversations WHERE id = :id AND owner = :owner /*pg FOR KEY SHARE */"
# Check whether a run is a turn.
IS_TURN = "SELECT 1 AS one FROM turns WHERE run_id = :run_id"
# Add the next turn of a conversation. Concurrent turns are numbered one after the other.
ADD = """INSERT INTO turns(conversation_id, run_id, question) VALUES (:id, :run_id, :question)
    ON CONFLICT (run_id) DO NOTHING"""
# Find the owner's conversation with the newest turn.
LAST = """SELECT t.conversation_id AS id FROM turns t JOIN conversations c ON c.id = t.conversation_id
    WHERE c.owner = :owner ORDER BY t.seq DESC LIMIT 1"""
# Find an owner's conversations by a prefix of their ID, or of the ID of a run or an answer, as a range of
# IDs.
NAMED = """SELECT id FROM conversations WHERE owner = :owner AND id >= :low AND id < :high
    UNION SELECT t.conversation_id FROM turns t JOIN conversations c ON c.id = t.conversation_id
        WHERE c.owner = :owner AND t.run_id >= :low AND t.run_id < :high
    UNION SELECT t.conversation_id FROM answers a JOIN turns t ON t.run_id IN (a.id, a.run_id)
        WHERE a.owner = :owner AND a.id >= :low AND a.id < :high LIMIT 2"""
# The latest answer of a turn `t`; the answer of a task's question has its run's ID.
ANSWER = """(SELECT b.id FROM answers b WHERE b.id = t.run_id OR b.run_id = t.run_id
    ORDER BY b.created_at DESC, b.id DESC LIMIT 1)"""
# Read the turns of a conversation with their answers, as input of `read_turn`.
TURNS = f"""SELECT t.run_id, t.question, a.id AS answer_id, a.body
    FROM turns t LEFT JOIN answers a ON a.id = {ANSWER} WHERE t.conversation_id = :id ORDER BY t.seq"""
# Read an owner's conversations by their newest turn, as input of `read_summary`. A queued question has its
# job's ID.
NEWEST = f"""SELECT c.id, c.created_at, counted.turns, counted.place, began.question, coalesce(a.id, j.id) AS answer_id,
        coalesce(a.created_at, j.created_at, r.created_at, c.created_at) AS changed_at
    FROM (SELECT u.conversation_id, min(u.seq) AS began, max(u.seq) AS place, count(*) AS turns
          FROM turns u JOIN conversations o ON o.id = u.conversation_id AND o.owner = :owner
          GROUP BY u.conversation_id) counted
    JOIN conversations c ON c.id = counted.conversation_id
    JOIN turns began ON began.seq = counted.began JOIN turns t ON t.seq = counted.place
    LEFT JOIN answers a ON a.id = {ANSWER} LEFT JOIN jobs j ON j.id = t.run_id LEFT JOIN runs r ON r.id = t.run_id
    WHERE CAST(:before AS bigint) IS NULL OR counted.place < :before
    ORDER BY counted.place DESC LIMIT :limit"""
# Lock a conversation against new turns.
HOLD = "SELECT id FROM conversations WHERE id = :id /*pg FOR UPDATE */"
# List the runs of a conversation.
RUNS = "SELECT run_id FROM turns WHERE conversation_id = :id"
# Delete the records of runs; the table is filled in.
FORGET = "DELETE FROM {table} WHERE {key} IN (SELECT value FROM json_each(:runs))"
OF_RUN = (("steps", "run_id"), ("session_passages", "session_id"), ("session_rounds", "session_id"))
# Delete the answers of runs, and with them their evidence.
FORGET_ANSWERS = """DELETE FROM answers WHERE id IN (SELECT value FROM json_each(:runs))
    OR run_id IN (SELECT value FROM json_each(:runs)) RETURNING 1"""
# Delete the conversation, and with it its turns.
REMOVE = "DELETE FROM conversations WHERE id = :id"


def add_turn(queries: Queries, turn: NewTurn, now: Instant) -> None:
    """Add a turn in the caller's transaction. Raises NotFound."""
    values = {
        "id": turn.conversation_id or turn.run_id,
        "run_id": turn.run_id,
        "owner": turn.owner,
        "question": turn.question,
        "now": now,
    }
    if queries.fetch(IS_TURN, values):
        return
    if not turn.conversation_id:
        queries.fetch(BEGIN, values)
    elif not queries.fetch(IS_OWN, values):
        raise no_conversation(turn.conversation_id)
    queries.fetch(ADD, values)


class StoredConversations:
    """`ports.ConversationStore` over a database.

    `erase` removes deleted rows from the database's log, as `Erasure.erase` does. A server vacuums them.
    """

    def __init__(
        self, store: QueryStore, clock: Clock, erase: Callable[[], Awaitable[bool]] | None = None
    ) -> None:
        self._store = store
        self._clock = clock
        self._erase = erase

    async def add_turn(self, turn: NewTurn) -> None:
        await self._store.write(lambda queries: add_turn(queries, turn, self._clock.now()))

    async def find(self, prefix: str, owner: str) -> tuple[str, Sequence[ConversationTurn]]:
        def read(queries: Queries) -> tuple[str, Sequence[ConversationTurn]]:
            conversation_id = _find(queries, prefix, owner)
            return conversation_id, _list_turns(queries, conversation_id)

        return await self._store.read(read)

    async def list_newest(self, owner: str, before: int | None, limit: int) -> Sequence[ConversationSummary]:
        values = {"owner": owner, "before": before, "limit": limit}
        rows = await self._store.read(lambda queries: queries.fetch(NEWEST, values))
        return [read_summary(row) for row in rows]

    async def list_turns(self, conversation_id: str) -> Sequence[ConversationTurn]:
        return await self._store.read(lambda queries: _list_turns(queries, conversation_id))

    async def remove(self, conversation_id: str, runs: Sequence[str]) -> ConversationRemoved | None:
        values = {"id": conversation_id}

        def write(queries: Queries) -> tuple[int, int] | None:
            queries.fetch(HOLD, values)
            present = [row.run_id for row in queries.fetch(RUNS, values)]
            if not set(present) <= set(runs):
                return None
            forgotten = {"runs": present}
            for table, key in (*OF_RUN, ("runs", "id")):
                queries.fetch(FORGET.format(table=table, key=key), forgotten)
            answers = queries.fetch(FORGET_ANSWERS, forgotten)
            queries.fetch(REMOVE, values)
            return len(present), len(answers)

        removed = await self._store.write(write)
        if removed is None:
            return None
        turns, answers = removed
        return ConversationRemoved(
            conversation_id, turns, answers, erased=True if self._erase is None else await self._erase()
        )


def _find(queries: Queries, prefix: str, owner: str) -> str:
    if prefix == "last":
        row = fetch_first(queries, LAST, {"owner": owner})
        return expect_only_conversation([] if row is None else [row.id], prefix)
    low, high = bound_ids(prefix, "conversation")
    rows = queries.fetch(NAMED, {"owner": owner, "low": low, "high": high})
    return expect_only_conversation([row.id for row in rows], prefix)


def _list_turns(queries: Queries, conversation_id: str) -> list[ConversationTurn]:
    return [
        read_turn(number, row) for number, row in enumerate(queries.fetch(TURNS, {"id": conversation_id}), 1)
    ]


def expect_only_conversation(ids: Sequence[str], prefix: str) -> str:
    """Return the only matching conversation. Raises NotFound."""
    if not ids:
        raise no_conversation(prefix)
    if len(ids) > 1:
        raise NotFound(
            "common.ambiguous_prefix",
            noun=Message("noun.conversation"),
            prefix=prefix,
        )
    return ids[0]


def no_conversation(prefix: str) -> NotFound:
    """Return the error for a conversation that this user does not have."""
    if prefix == "last":
        return NotFound("conversation.nothing_asked")
    return NotFound(
        "conversation.not_found",
        prefix=prefix,
    )


def read_turn(number: int, row: Row) -> ConversationTurn:
    """Build a turn from a run, its question, and the ID and body of its latest answer."""
    answer: dict[str, Any] = json.loads(row.body) if row.body else {}
    level = answer.get("level")
    loop_stop = answer.get("loop_stop")
    return ConversationTurn(
        number=number,
        run_id=row.run_id,
        question=row.question,
        understood=answer.get("understood") or row.question,
        answer_id=row.answer_id,
        level=None if level is None else AnswerLevel(level),
        loop_stop=None if loop_stop is None else LoopStop(loop_stop),
    )


def read_summary(row: Row) -> ConversationSummary:
    """Build a summary from a conversation, its first question and its newest turn."""
    return ConversationSummary(
        conversation_id=row.id,
        question=row.question,
        turns=row.turns,
        last_answer_id=row.answer_id,
        created_at=row.created_at,
        changed_at=row.changed_at,
        place=row.place,
    )
