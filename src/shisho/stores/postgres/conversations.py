"""Conversations in PostgreSQL: which run followed which."""

from __future__ import annotations

from collections.abc import Sequence

from shisho.domain.conversation import ConversationRemoved, ConversationSummary, ConversationTurn
from shisho.ports import Clock
from shisho.stores.beginnings import bound_ids
from shisho.stores.conversation_names import expect_only_conversation, no_conversation
from shisho.stores.conversation_rows import read_summary, read_turn
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.rows import change, fetch_all, fetch_first

# A conversation, unless it is there.
BEGIN = "INSERT INTO conversations(id, owner, created_at) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
# Whether an owner has a conversation of this id.
IS_OWN = "SELECT 1 AS one FROM conversations WHERE id = %s AND owner = %s"
# The next turn of a conversation. Two turns at once are numbered one after the other.
ADD = """INSERT INTO turns(conversation_id, run_id, question) VALUES (%s, %s, %s)
    ON CONFLICT (run_id) DO NOTHING"""
# Whether a run is a turn.
IS_TURN = "SELECT 1 AS one FROM turns WHERE run_id = %s"
# The conversation of an owner with the newest turn.
LAST = """SELECT t.conversation_id AS id FROM turns t JOIN conversations c ON c.id = t.conversation_id
    WHERE c.owner = %s ORDER BY t.seq DESC LIMIT 1"""
# Conversations of an owner whose id, or that of one of whose runs or answers, begins with something, up to
# what comes after all that does.
NAMED = """SELECT id FROM conversations WHERE owner = %(owner)s AND id >= %(low)s AND id < %(high)s
    UNION SELECT t.conversation_id FROM turns t JOIN conversations c ON c.id = t.conversation_id
        WHERE c.owner = %(owner)s AND t.run_id >= %(low)s AND t.run_id < %(high)s
    UNION SELECT t.conversation_id FROM answers a JOIN turns t ON t.run_id IN (a.id, a.run_id)
        WHERE a.owner = %(owner)s AND a.id >= %(low)s AND a.id < %(high)s LIMIT 2"""
# The latest answer of a turn `t`; that of a task's question has its run's id.
ANSWER = """(SELECT b.id FROM answers b WHERE b.id = t.run_id OR b.run_id = t.run_id
    ORDER BY b.created_at DESC, b.id DESC LIMIT 1)"""
# What `read_turn` reads: the turns of a conversation with their answers.
TURNS = f"""SELECT t.run_id, t.question, a.id AS answer_id, a.body
    FROM turns t LEFT JOIN answers a ON a.id = {ANSWER} WHERE t.conversation_id = %s ORDER BY t.seq"""
# What `read_summary` reads: conversations of an owner by their newest turn. A question that is queued has its
# job's id.
NEWEST = f"""SELECT c.id, c.created_at, counted.turns, counted.place, began.question, coalesce(a.id, j.id) AS answer_id,
        coalesce(a.created_at, j.created_at, r.created_at, c.created_at) AS changed_at
    FROM (SELECT u.conversation_id, min(u.seq) AS began, max(u.seq) AS place, count(*) AS turns
          FROM turns u JOIN conversations o ON o.id = u.conversation_id AND o.owner = %(owner)s
          GROUP BY u.conversation_id) counted
    JOIN conversations c ON c.id = counted.conversation_id
    JOIN turns began ON began.seq = counted.began JOIN turns t ON t.seq = counted.place
    LEFT JOIN answers a ON a.id = {ANSWER} LEFT JOIN jobs j ON j.id = t.run_id LEFT JOIN runs r ON r.id = t.run_id
    WHERE %(before)s::bigint IS NULL OR counted.place < %(before)s
    ORDER BY counted.place DESC LIMIT %(limit)s"""
# The runs of a conversation.
RUNS = "SELECT run_id FROM turns WHERE conversation_id = %s"
# What a run was shown, wrote down and gave; the table is filled in.
FORGET = "DELETE FROM {table} WHERE {key} = ANY(%s)"
OF_RUN = (("steps", "run_id"), ("session_passages", "session_id"), ("session_rounds", "session_id"))
# The answers of runs; their evidence goes with them.
FORGET_ANSWERS = "DELETE FROM answers WHERE id = ANY(%(runs)s) OR run_id = ANY(%(runs)s)"
# The runs themselves.
FORGET_RUNS = "DELETE FROM runs WHERE id = ANY(%s)"
# The conversation; its turns go with it.
REMOVE = "DELETE FROM conversations WHERE id = %s"


class PostgresConversations:
    """`ports.Conversations` over PostgreSQL."""

    def __init__(self, database: PostgresDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add_turn(self, run_id: str, question: str, owner: str, conversation_id: str = "") -> None:
        def work(connection: Connection) -> None:
            if fetch_first(connection, IS_TURN, (run_id,)) is not None:
                return
            if not conversation_id:
                change(connection, BEGIN, (run_id, owner, self._clock.now()))
            elif fetch_first(connection, IS_OWN, (conversation_id, owner)) is None:
                raise no_conversation(conversation_id)
            change(connection, ADD, (conversation_id or run_id, run_id, question))

        await self._database.write(work)

    async def find(self, prefix: str, owner: str) -> str:
        if prefix == "last":
            rows = await self._database.read(lambda connection: fetch_all(connection, LAST, (owner,)))
        else:
            low, high = bound_ids(prefix, "conversation")
            values = {"owner": owner, "low": low, "high": high}
            rows = await self._database.read(lambda connection: fetch_all(connection, NAMED, values))
        return expect_only_conversation([row.id for row in rows], prefix)

    async def list_newest(self, owner: str, before: int | None, limit: int) -> Sequence[ConversationSummary]:
        values = {"owner": owner, "before": before, "limit": limit}
        rows = await self._database.read(lambda connection: fetch_all(connection, NEWEST, values))
        return [read_summary(row) for row in rows]

    async def list_turns(self, conversation_id: str) -> Sequence[ConversationTurn]:
        rows = await self._database.read(lambda connection: fetch_all(connection, TURNS, (conversation_id,)))
        return [read_turn(number, row) for number, row in enumerate(rows, 1)]

    async def remove(self, conversation_id: str) -> ConversationRemoved:
        def work(connection: Connection) -> tuple[int, int]:
            runs = [row.run_id for row in fetch_all(connection, RUNS, (conversation_id,))]
            for table, key in OF_RUN:
                change(connection, FORGET.format(table=table, key=key), (runs,))
            answers = change(connection, FORGET_ANSWERS, {"runs": runs})
            change(connection, FORGET_RUNS, (runs,))
            change(connection, REMOVE, (conversation_id,))
            return len(runs), answers

        turns, answers = await self._database.write(work)
        return ConversationRemoved(conversation_id, turns, answers, erased=True)
