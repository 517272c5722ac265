"""Jobs whose wait for their children or for a person has expired."""

from __future__ import annotations

from shisho.domain.codec import dumps
from shisho.domain.intervention import InterventionState
from shisho.domain.job import JobError, JobId, JobState
from shisho.messages.message import Message
from shisho.stores.nouns import Row
from shisho.stores.transitions import FAILED, Transaction, errors

# List expired waits.
EXPIRED = """SELECT id, state, error_json, output_json IS NOT NULL AS has_output FROM jobs
    WHERE state IN ('parked', 'awaiting_auth') AND not_before <= :steady ORDER BY task_id, id"""
# The same for ending them: rows that another process is ending are skipped.
EXPIRED_NOW = f"{EXPIRED} /*pg FOR UPDATE SKIP LOCKED */"
# End such a wait; the assignments are filled in.
EXPIRE = "UPDATE jobs SET {sets}, not_before = NULL WHERE id = :id"
NOBODY_CAME = Message("wait.expired")


def end_wait(transaction: Transaction, row: Row) -> None:
    """Resume a parked parent, or end a job whose person did not come.

    `row` has the columns of `EXPIRED`. The job completes with its partial result, or fails if it has none.
    """
    job_id = JobId(row.id)
    state = JobState(row.state)
    values: dict[str, str | None] = {"id": job_id, "now": transaction.now, "errors": None}
    if state is JobState.PARKED:
        new = JobState.QUEUED
        sets = "state = 'queued'"
    elif row.has_output:
        new = JobState.COMPLETED
        sets = "state = 'completed', finished_at = :now"
    else:
        new = JobState.FAILED
        sets = FAILED
        nobody_came = JobError("AUTH_REQUIRED", NOBODY_CAME, at=transaction.now)
        values["errors"] = dumps([*errors(row.error_json), nobody_came])
    transaction.hold(job_id=job_id)
    transaction.rows(EXPIRE.format(sets=sets), values)
    if state is JobState.PARKED:
        transaction.move(job_id, state, new)
    else:
        transaction.record_release(job_id, new, InterventionState.EXPIRED)
