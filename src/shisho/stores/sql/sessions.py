"""The passages that search sessions have shown: one transaction per round."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from shisho.domain.corpus import DocumentId, RoundRecord, ShownRecord
from shisho.stores.nouns import Row, passage_id, passage_number
from shisho.stores.sql import Queries, QueryStore

# List the rounds of a session.
ROUNDS = """SELECT round, ranked, in_scope, exhausted, pending FROM session_rounds
    WHERE session_id = :session_id ORDER BY round"""
# List the passages that a session has shown.
SHOWN_PASSAGES = """SELECT round, number, passage_id, document_id, match FROM session_passages
    WHERE session_id = :session_id ORDER BY number"""
# Add a round.
ADD_ROUND = """INSERT INTO session_rounds(session_id, round, ranked, in_scope, exhausted, pending)
    VALUES (:session_id, :round, :ranked, :in_scope, :exhausted, :pending)"""
# Update a round after another page was shown.
UPDATE_ROUND = """UPDATE session_rounds SET exhausted = :exhausted, pending = :pending
    WHERE session_id = :session_id AND round = :round"""
# Add the passages that a round has shown, in one statement: on PostgreSQL, one each takes three times longer.
ADD_SHOWN = """INSERT INTO session_passages(session_id, number, round, passage_id, document_id, match)
    SELECT :session_id, CAST(value ->> 0 AS integer), :round, CAST(value ->> 1 AS bigint), value ->> 2,
        CAST(value ->> 3 AS double precision) FROM json_each(:shown)"""


class StoredSessions:
    """`ports.SessionLog` over a database."""

    def __init__(self, store: QueryStore) -> None:
        self._store = store

    async def list_rounds(self, session_id: str) -> Sequence[RoundRecord]:
        values = {"session_id": session_id}
        return await self._store.read(
            lambda queries: _build_rounds(
                queries.fetch(ROUNDS, values), queries.fetch(SHOWN_PASSAGES, values)
            )
        )

    async def add(self, session_id: str, record: RoundRecord) -> None:
        await self._write(session_id, record, record.shown, ADD_ROUND)

    async def update(self, session_id: str, record: RoundRecord, page: Sequence[ShownRecord]) -> None:
        await self._write(session_id, record, page, UPDATE_ROUND)

    async def _write(
        self, session_id: str, record: RoundRecord, page: Sequence[ShownRecord], statement: str
    ) -> None:
        values = {
            "session_id": session_id,
            "round": record.round,
            "ranked": record.ranked,
            "in_scope": record.in_scope,
            "exhausted": record.exhausted,
            "pending": json.dumps([_pack(passage)[1:] for passage in record.pending]),
            "shown": json.dumps([*map(_pack, page)]),
        }

        def write(queries: Queries) -> None:
            queries.change(statement, values)
            queries.change(ADD_SHOWN, values)

        await self._store.write(write)


def _build_rounds(heads: Iterable[Row], passages: Iterable[Row]) -> list[RoundRecord]:
    """Build rounds from the columns of `ROUNDS` and `SHOWN_PASSAGES`."""
    records: defaultdict[int, list[ShownRecord]] = defaultdict(list)
    for row in passages:
        record = ShownRecord(row.number, passage_id(row.passage_id), DocumentId(row.document_id), row.match)
        records[row.round].append(record)
    return [
        RoundRecord(
            head.round,
            head.ranked,
            head.in_scope,
            bool(head.exhausted),
            tuple(records[head.round]),
            tuple(
                ShownRecord(0, passage_id(key), DocumentId(document_id), match)
                for key, document_id, match in json.loads(head.pending)
            ),
        )
        for head in heads
    ]


def _pack(passage: ShownRecord) -> list[Any]:
    """Return number, key of the passage, document, and match."""
    return [passage.number, passage_number(passage.passage_id), passage.document_id, passage.match]
