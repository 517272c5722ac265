"""Idempotency keys in a database.

Each belongs to one request, and stores its result in the transaction of its work.
"""

from __future__ import annotations

import json
from dataclasses import replace

from shisho import messages
from shisho.domain.codec import build, dumps
from shisho.domain.job import EnqueueResult, IdempotencyKey, JobId, ReplyFacts, TaskId
from shisho.errors import KeyConflict
from shisho.stores.sql.transitions import Transaction

# Find the first request under a key.
FIND = (
    "SELECT verb, request, subject, task_id, reply_json FROM request_keys WHERE owner = :owner AND key = :key"
)
# Store a request under its key, with its result.
KEEP = """INSERT INTO request_keys(owner, key, verb, request, subject, task_id, reply_json, created_at)
    VALUES (:owner, :key, :verb, :request, :subject, :task_id, :reply, :now)"""


def find_repeated(transaction: Transaction, key: IdempotencyKey | None) -> EnqueueResult | None:
    """Return the result of the first request under this key.

    Raises: Conflict if it was a different request.
    """
    if key is None:
        return None
    row = transaction.fetch_first(FIND, {"owner": key.owner, "key": key.key})
    if row is None:
        return None
    if (row.verb, row.request) != (key.verb, key.request):
        first = replace(key, verb=row.verb, subject=messages.read(row.subject))
        raise KeyConflict(first.describe_taken(row.task_id), verb=row.verb, task_id=row.task_id)
    stored_reply = json.loads(row.reply_json)
    job_ids, added = (tuple(map(JobId, stored_reply[name])) for name in ("job_ids", "added"))
    return EnqueueResult(
        TaskId(row.task_id), job_ids, added, build(stored_reply["facts"], ReplyFacts), is_repeat=True
    )


def keep(transaction: Transaction, key: IdempotencyKey | None, enqueued: EnqueueResult) -> None:
    """Store the result, for repeated requests."""
    if key is None:
        return
    reply = dumps({"job_ids": enqueued.job_ids, "added": enqueued.added, "facts": enqueued.facts})
    values = {"owner": key.owner, "key": key.key, "verb": key.verb, "request": key.request}
    subject = messages.write(key.subject)
    transaction.fetch(
        KEEP,
        values | {"subject": subject, "task_id": enqueued.task_id, "reply": reply, "now": transaction.now},
    )
