"""Idempotency keys in SQLite: each belongs to one request, and keeps what stood after it, in the transaction of its work."""

from __future__ import annotations

import json
from dataclasses import replace

from shisho.domain.codec import dumps
from shisho.domain.job import EnqueueResult, IdempotencyKey, JobId, TaskId
from shisho.errors import KeyConflict
from shisho.messages import message
from shisho.stores.embedded.transitions import Transaction

FIND = "SELECT verb, request, subject, task_id, reply_json FROM request_keys WHERE owner = :owner AND key = :key"
KEEP = """INSERT INTO request_keys(owner, key, verb, request, subject, task_id, reply_json, created_at)
    VALUES (:owner, :key, :verb, :request, :subject, :task_id, :reply, :now)"""


def repeated(transaction: Transaction, key: IdempotencyKey | None) -> EnqueueResult | None:
    """What stood after the first request under this key. Raises Conflict where it was another request."""
    if key is None:
        return None
    stored = transaction.rows(FIND, {"owner": key.owner, "key": key.key})
    if not stored:
        return None
    verb, request, subject, task_id, reply = stored[0]
    if (verb, request) != (key.verb, key.request):
        first = replace(key, verb=verb, subject=message.read(subject))
        raise KeyConflict(first.taken(task_id), verb=verb, task_id=task_id)
    kept = json.loads(reply)
    job_ids, added = (tuple(map(JobId, kept[name])) for name in ("job_ids", "added"))
    return EnqueueResult(TaskId(task_id), job_ids, added, kept["facts"], is_repeat=True)


def keep(transaction: Transaction, key: IdempotencyKey | None, enqueued: EnqueueResult) -> None:
    """Store what stands, for those who ask again."""
    if key is None:
        return
    reply = dumps({"job_ids": enqueued.job_ids, "added": enqueued.added, "facts": enqueued.facts})
    values = {"owner": key.owner, "key": key.key, "verb": key.verb, "request": key.request}
    subject = message.stored(key.subject)
    transaction.rows(KEEP, values | {"subject": subject, "task_id": enqueued.task_id, "reply": reply, "now": transaction.now})
