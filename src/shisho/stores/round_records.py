"""The rounds of a search session from database rows: the same in every store."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable

from shisho.domain.corpus import DocumentId, RoundRecord, ShownRecord
from shisho.stores.nouns import Row, passage_id, passage_number


def round_records(heads: Iterable[Row], passages: Iterable[Row]) -> list[RoundRecord]:
    """Build rounds from `session_rounds`, and from `session_passages` sorted by number."""
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


def write_pending(record: RoundRecord) -> str:
    """Return the value of `session_rounds.pending`."""
    return json.dumps(
        [
            [passage_number(passage.passage_id), passage.document_id, passage.match]
            for passage in record.pending
        ]
    )


def list_shown_values(session_id: str, round_: int, passage: ShownRecord) -> tuple[str | int | float, ...]:
    """Return session, number, round, key of the passage, document and match."""
    key = passage_number(passage.passage_id)
    return session_id, passage.number, round_, key, passage.document_id, passage.match
