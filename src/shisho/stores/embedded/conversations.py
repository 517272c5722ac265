"""Conversations in SQLite: which run followed which."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import apsw

from shisho.domain.conversation import ConversationRemoved, ConversationSummary, ConversationTurn
from shisho.ports import Clock
from shisho.stores.beginnings import bound_ids
from shisho.stores.conversation_names import expect_only_conversation, no_conversation
from shisho.stores.conversation_rows import read_summary, read_turn
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.rows import fetch_all, fetch_first

# A conversation, unless it is there.
BEGIN = "INSERT INTO conversations(id, owner, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
# Whether an owner has a conversation of this id.
IS_OWN = "SELECT EXISTS (SELECT 1 FROM conversations WHERE id = ? AND owner = ?)"
# Whether a run is a turn.
IS_TURN = "SELECT EXISTS (SELECT 1 FROM turns WHERE run_id = ?)"
# The next turn of a conversation.
ADD = "INSERT INTO turns(conversation_id, run_id, question) VALUES (?, ?, ?)"
# The conversation of an owner with the newest turn.
LAST = """SELECT t.conversation_id AS id FROM turns t JOIN conversations c ON c.id = t.conversation_id
    WHERE c.owner = ? ORDER BY t.seq DESC LIMIT 1"""
# Conversations of an owner whose id, or that of one of whose runs or answers, begins with something, up to
# what comes after all that does.
NAMED = """SELECT id FROM conversations WHERE owner = :owner AND id >= :low AND id < :high
    UNION SELECT t.conversation_id FROM turns t JOIN conversations c ON c.id = t.conversation_id
        WHERE c.owner = :owner AND t.run_id >= :low AND t.run_id < :high
    UNION SELECT t.conversation_id FROM answers a JOIN turns t ON t.run_id IN (a.id, a.run_id)
        WHERE a.owner = :owner AND a.id >= :low AND a.id < :high LIMIT 2"""
# The latest answer of a turn `t`; that of a task's question has its run's id.
ANSWER = """(SELECT b.id FROM answers b WHERE b.id = t.run_id OR b.run_id = t.run_id
    ORDER BY b.created_at DESC, b.id DESC LIMIT 1)"""
# What `read_turn` reads: the turns of a conversation with their answers.
TURNS = f"""SELECT t.run_id, t.question, a.id AS answer_id, a.body
    FROM turns t LEFT JOIN answers a ON a.id = {ANSWER} WHERE t.conversation_id = ? ORDER BY t.seq"""
# What `read_summary` reads: conversations of an owner by their newest turn. A question that is queued has its
# job's id.
NEWEST = f"""SELECT c.id, c.created_at, counted.turns, counted.place, began.question, coalesce(a.id, j.id) AS answer_id,
        coalesce(a.created_at, j.created_at, r.created_at, c.created_at) AS changed_at
    FROM (SELECT conversation_id, min(seq) AS began, max(seq) AS place, count(*) AS turns FROM turns
          GROUP BY conversation_id) counted
    JOIN conversations c ON c.id = counted.conversation_id
    JOIN turns began ON began.seq = counted.began JOIN turns t ON t.seq = counted.place
    LEFT JOIN answers a ON a.id = {ANSWER} LEFT JOIN jobs j ON j.id = t.run_id LEFT JOIN runs r ON r.id = t.run_id
    WHERE c.owner = :owner AND (:before IS NULL OR counted.place < :before)
    ORDER BY counted.place DESC LIMIT :limit"""
# The runs of a conversation.
RUNS = "SELECT run_id FROM turns WHERE conversation_id = ?"
# What a run was shown, wrote down and gave; the table is filled in.
FORGET = "DELETE FROM {table} WHERE {key} = ?"
OF_RUN = (("steps", "run_id"), ("session_passages", "session_id"), ("session_rounds", "session_id"))
# The answers of a run; their evidence goes with them.
FORGET_ANSWERS = "DELETE FROM answers WHERE id = ?1 OR run_id = ?1 RETURNING 1"
# The run itself.
FORGET_RUN = "DELETE FROM runs WHERE id = ?"
# The conversation; its turns go with it.
REMOVE = "DELETE FROM conversations WHERE id = ?"


class EmbeddedConversations:
    """`ports.Conversations` over one SQLite file. `erase` empties the log of what was removed, as
    `Erasure.erase`."""

    def __init__(self, database: Database, clock: Clock, erase: Callable[[], Awaitable[bool]]) -> None:
        self._database = database
        self._clock = clock
        self._erase = erase

    async def add_turn(self, run_id: str, question: str, owner: str, conversation_id: str = "") -> None:
        def work(connection: apsw.Connection) -> None:
            if connection.execute(IS_TURN, (run_id,)).get:
                return
            if not conversation_id:
                connection.execute(BEGIN, (run_id, owner, self._clock.now()))
            elif not connection.execute(IS_OWN, (conversation_id, owner)).get:
                raise no_conversation(conversation_id)
            connection.execute(ADD, (conversation_id or run_id, run_id, question))

        await self._database.write(work)

    async def find(self, prefix: str, owner: str) -> str:
        def work(connection: apsw.Connection) -> str:
            if prefix == "last":
                row = fetch_first(connection.execute(LAST, (owner,)))
                if row is None:
                    raise no_conversation(prefix)
                return str(row.id)
            low, high = bound_ids(prefix, "conversation")
            values = {"owner": owner, "low": low, "high": high}
            return expect_only_conversation(
                [row.id for row in fetch_all(connection.execute(NAMED, values))], prefix
            )

        return await self._database.read(work)

    async def list_newest(self, owner: str, before: int | None, limit: int) -> Sequence[ConversationSummary]:
        values = {"owner": owner, "before": before, "limit": limit}
        return await self._database.read(
            lambda connection: [read_summary(row) for row in fetch_all(connection.execute(NEWEST, values))]
        )

    async def list_turns(self, conversation_id: str) -> Sequence[ConversationTurn]:
        def work(connection: apsw.Connection) -> list[ConversationTurn]:
            rows = fetch_all(connection.execute(TURNS, (conversation_id,)))
            return [read_turn(number, row) for number, row in enumerate(rows, 1)]

        return await self._database.read(work)

    async def remove(self, conversation_id: str) -> ConversationRemoved:
        def work(connection: apsw.Connection) -> tuple[int, int]:
            runs = [row.run_id for row in fetch_all(connection.execute(RUNS, (conversation_id,)))]
            answers = sum(_forget_run(connection, run_id) for run_id in runs)
            connection.execute(REMOVE, (conversation_id,))
            return len(runs), answers

        turns, answers = await self._database.write(work)
        return ConversationRemoved(conversation_id, turns, answers, erased=await self._erase())


def _forget_run(connection: apsw.Connection, run_id: str) -> int:
    """How many answers went with it."""
    for table, key in OF_RUN:
        connection.execute(FORGET.format(table=table, key=key), (run_id,))
    answers = fetch_all(connection.execute(FORGET_ANSWERS, (run_id,)))
    connection.execute(FORGET_RUN, (run_id,))
    return len(answers)
