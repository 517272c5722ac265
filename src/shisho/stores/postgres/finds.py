"""The URLs that jobs discover, and the reports on them, in PostgreSQL.

Writes carry the fence of their job.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from shisho.domain.corpus import WEB_CORPUS, DocumentId
from shisho.domain.find import DiscoveredUrl, Report, SearchNote, StoredUrl
from shisho.domain.job import Claim, ClaimLost, JobId, TaskId
from shisho.domain.task import FailedItem, JobKind
from shisho.messages import message
from shisho.ports import Clock
from shisho.stores.find_rows import (
    fill_settled_columns,
    find_columns,
    make_report,
    read_failure,
    read_searches,
    read_stored,
)
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.pool import Connection
from shisho.stores.postgres.queries import PostgresQueries
from shisho.stores.postgres.rows import Row, change, fetch_all, fetch_first
from shisho.stores.postponed import select_postponed
from shisho.stores.sql.interventions import select_waiting

MOST_FAILURES = 20
MOST_SEARCHES = 50
# Lock the job of a valid claim, and read its task. Until the commit no other worker can reclaim the job, and
# the task gets no new revision: a reader of a later revision also sees these writes.
HOLDS = """SELECT j.task_id FROM jobs j JOIN tasks t ON t.id = j.task_id
    WHERE j.id = %s AND j.state = 'running' AND j.attempt = %s AND j.worker_id = %s FOR SHARE OF j FOR NO KEY UPDATE OF t"""
# Add a find, unless its job already has it.
ADD = """INSERT INTO finds(task_id, job_id, canonical_url, seq, url, title, snippet, published_at, query, engine, page_number,
        rank_on_page, rank, status, revision)
    VALUES (%(task_id)s, %(job_id)s, %(canonical_url)s,
        (SELECT coalesce(max(seq), 0) + 1 FROM finds WHERE task_id = %(task_id)s), %(url)s,
        %(title)s, %(snippet)s, %(published_at)s, %(query)s, %(engine)s, %(page_number)s, %(rank_on_page)s,
        (SELECT count(*) + 1 FROM finds WHERE job_id = %(job_id)s), 'found',
        (SELECT revision FROM tasks WHERE id = %(task_id)s))
    ON CONFLICT DO NOTHING"""
# The condition that selects a find by job and address.
OF_KEY = "WHERE job_id = %(job_id)s AND md5(canonical_url) = md5(%(canonical_url)s)"
# Record the outcome of a find.
SETTLE = f"""UPDATE finds SET status = %(status)s, document_id = coalesce(%(document_id)s,
            (SELECT d.id FROM documents d WHERE d.id = finds.document_id AND d.state = 'live')),
        code = %(code)s, reason = %(reason)s,
        fetched_at = %(now)s, seq = (SELECT max(seq) + 1 FROM finds WHERE task_id = %(task_id)s),
        revision = (SELECT revision FROM tasks WHERE id = %(task_id)s)
    {OF_KEY}"""
# Record the document that a find is about to become.
EXPECT = f"UPDATE finds SET document_id = %(document_id)s {OF_KEY}"
# Record whether a find was useful.
MARK = f"UPDATE finds SET useful = %(useful)s {OF_KEY}"
# Record the progress of a search, replacing the previous record.
NOTE = """INSERT INTO searches(job_id, task_id, query, engine, pages, novelty_json, harvest_json, paging_stop,
        warnings_json)
    VALUES (%(job_id)s, %(task_id)s, %(query)s, %(engine)s, %(pages)s, %(novelty)s, %(harvest)s, %(stop)s, %(warnings)s)
    ON CONFLICT (job_id) DO UPDATE SET task_id = excluded.task_id, query = excluded.query, engine = excluded.engine,
        pages = excluded.pages, novelty_json = excluded.novelty_json, harvest_json = excluded.harvest_json,
        paging_stop = excluded.paging_stop, warnings_json = excluded.warnings_json"""
# Read the newest searches of a task, as input of `read_search`.
SEARCHES = """SELECT job_id, query, engine, pages, novelty_json, harvest_json, paging_stop, warnings_json FROM searches
    WHERE task_id = %(task_id)s ORDER BY job_id DESC LIMIT %(most)s"""
# List the addresses that the task found elsewhere before.
SEEN = """SELECT DISTINCT canonical_url FROM finds WHERE task_id = %(task_id)s AND canonical_url = ANY(%(urls)s)
    AND NOT (job_id = %(job_id)s AND page_number IS NOT DISTINCT FROM %(page_number)s::integer)"""
# Read a job's finds in order of rank, as input of `read_stored`.
OF_JOB = """SELECT url, canonical_url, title, snippet, published_at, query, engine, page_number, rank_on_page, rank,
    status, document_id, useful, code, reason FROM finds WHERE job_id = %(job_id)s ORDER BY rank"""
# Read results after a position and since a revision, as input of `read_result`. An expected document is not
# reported before it exists.
RESULTS = """SELECT f.seq, f.url, coalesce(nullif(d.title, ''), f.title) AS title, f.query, f.engine, f.rank, f.page_number,
        CASE f.status WHEN 'visited' THEN f.document_id END AS document_id,
        coalesce(d.passage_count, 0) AS passages, f.job_id, j.state AS job_state, f.fetched_at
    FROM finds f JOIN jobs j ON j.id = f.job_id LEFT JOIN documents d ON d.id = f.document_id AND f.status = 'visited'
    WHERE f.task_id = %(task_id)s AND f.seq > %(after)s AND f.revision >= %(since)s ORDER BY f.seq LIMIT %(limit)s"""
# Read failed finds, as input of `read_failure`.
FAILED_FINDS = """SELECT query, url, code, reason FROM finds
    WHERE task_id = %(task_id)s AND status = 'failed' AND revision >= %(since)s ORDER BY seq DESC LIMIT %(most)s"""
# List failed jobs whose error is not already reported by their finds.
FAILED_JOBS = """SELECT input_json::text AS input, error_json::text AS errors FROM jobs
    WHERE task_id = %(task_id)s AND state = 'failed' AND finished_at >= %(since_at)s
    AND NOT EXISTS (SELECT 1 FROM finds f WHERE f.job_id = jobs.id AND f.status = 'failed' AND f.engine IS NULL)
    ORDER BY finished_at DESC LIMIT %(most)s"""
# List the items that completed searches had to skip. No PostgreSQL function reads the escape of NUL, which a
# page may contain.
LEFT_OVER = r"""SELECT e.input, e.errors FROM (
        SELECT j.input_json::text AS input, j.finished_at,
            (replace(j.output_json, '\u0000', '\ufffd')::json -> 'errors')::text AS errors
        FROM jobs j WHERE j.task_id = %(task_id)s AND j.state = 'completed' AND j.kind = 'search_queue'
        AND j.finished_at >= %(since_at)s) e
    WHERE e.errors NOT IN ('[]', 'null') ORDER BY e.finished_at DESC LIMIT %(most)s"""
# Read the position of the latest result of a task. It never decreases: finds are deleted only with their
# task, and a purge only blanks them.
LAST_PLACE = "SELECT max(seq) AS place FROM finds WHERE task_id = %(task_id)s"
# Check whether a job ended, is waiting for a person, or something failed since a revision.
OUTCOME = """SELECT EXISTS (SELECT 1 FROM events WHERE task_id = %(task_id)s AND revision > %(since)s
        AND kind IN ('completed', 'failed', 'cancelled', 'awaiting_auth'))
    OR EXISTS (SELECT 1 FROM finds WHERE task_id = %(task_id)s AND status = 'failed' AND revision >= %(since)s)
    AS is_there"""
# List live web pages that only this task refers to.
ORPHANS = """SELECT DISTINCT d.id
    FROM provenance m JOIN documents d ON d.id = m.document_id JOIN corpora c ON c.id = d.corpus_id
    WHERE m.task_id = %(task_id)s AND c.name = %(corpus)s AND d.state <> 'purged'
    AND NOT EXISTS (SELECT 1 FROM provenance o WHERE o.document_id = d.id AND o.task_id <> %(task_id)s)
    AND NOT EXISTS (SELECT 1 FROM places p WHERE p.document_id = d.id AND p.source NOT ILIKE 'http%%')
    AND NOT EXISTS (SELECT 1 FROM assistant_evidence s WHERE s.document_id = d.id)
    AND NOT EXISTS (SELECT 1 FROM evidence e LEFT JOIN jobs j ON j.id = e.answer_id
        WHERE e.document_id = d.id AND j.task_id IS DISTINCT FROM %(task_id)s)"""
# Read when a revision was written.
WRITTEN_AT = "SELECT at FROM events WHERE task_id = %(task_id)s AND revision = %(since)s"
# Count the jobs of a task by kind and state; for running jobs, also the pages read and the total pages.
TALLY = """SELECT kind, state, count(*) AS jobs,
    sum((progress_json::json ->> 'pages_read')::integer) FILTER (WHERE state = 'running') AS pages_read,
    sum((progress_json::json ->> 'pages_total')::integer) FILTER (WHERE state = 'running') AS pages_total
    FROM jobs WHERE task_id = %(task_id)s GROUP BY kind, state"""
# Count a task's web addresses: visited, known, distinct pages, and finds that became documents.
VISITS = """SELECT count(*) FILTER (WHERE is_page AND status IN ('visited', 'failed')) AS visited,
    count(*) FILTER (WHERE is_page AND status <> 'left_out') AS known,
    count(DISTINCT canonical_url) FILTER (WHERE is_page AND status <> 'left_out') AS sources,
    count(DISTINCT canonical_url) FILTER (WHERE status = 'visited' AND document_id IS NOT NULL) AS taken_in
    FROM (SELECT canonical_url, status, document_id, url ILIKE 'http%%' AS is_page FROM finds
          WHERE task_id = %(task_id)s) met"""
# Find the latest answer of a task.
ANSWER = """SELECT id FROM jobs WHERE task_id = %(task_id)s AND kind = %(kind)s AND state = 'completed'
    ORDER BY created_at DESC, id DESC LIMIT 1"""
# Read when a task last changed.
CHANGED_AT = "SELECT at FROM events WHERE task_id = %(task_id)s ORDER BY revision DESC LIMIT 1"
# Delete the search records of a task.
FORGET_SEARCHES = "DELETE FROM searches WHERE task_id = %(task_id)s"
# Delete the finds of a task.
FORGET = "DELETE FROM finds WHERE task_id = %(task_id)s"


class PostgresUrls:
    """`ports.DiscoveredUrls` and `ports.Reports` over PostgreSQL."""

    def __init__(self, database: PostgresDatabase, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add(self, claim: Claim, finds: Sequence[DiscoveredUrl]) -> int:
        urls = [find.canonical_url for find in finds]
        page = finds[0].page_number if finds else None

        def work(connection: Connection) -> int:
            values = {"task_id": _held(connection, claim), "job_id": claim.job_id}
            rows = fetch_all(connection, SEEN, values | {"urls": urls, "page_number": page})
            for find in finds:
                change(connection, ADD, values | find_columns(find))
            return len(set(urls)) - len(rows)

        return await self._database.write(work)

    async def expect(self, claim: Claim, canonical_url: str, document_id: DocumentId) -> None:
        values = {"document_id": document_id, "canonical_url": canonical_url}
        await self._change(claim, EXPECT, values)

    async def settle(
        self,
        claim: Claim,
        canonical_url: str,
        document_id: DocumentId | None = None,
        *,
        code: str = "",
        reason: str = "",
    ) -> None:
        values = fill_settled_columns(claim, canonical_url, document_id, code, reason, self._clock.now())
        await self._change(claim, SETTLE, values)

    async def mark(self, claim: Claim, canonical_url: str, useful: bool) -> None:
        await self._change(claim, MARK, {"useful": useful, "canonical_url": canonical_url})

    async def note(self, claim: Claim, note: SearchNote) -> None:
        values = {"query": note.query, "engine": note.engine, "stop": note.stop, "pages": note.pages}
        novelty = {"novelty": json.dumps(note.novelty), "harvest": json.dumps(note.harvest)}
        await self._change(claim, NOTE, values | novelty | {"warnings": json.dumps(note.warnings)})

    async def list_of_job(self, job_id: JobId) -> Sequence[StoredUrl]:
        rows = await self._database.read(lambda connection: fetch_all(connection, OF_JOB, {"job_id": job_id}))
        return [read_stored(row) for row in rows]

    async def report(self, task_id: TaskId, owner: str, after: int, limit: int, since: int = 0) -> Report:
        values: dict[str, Any] = {"task_id": task_id, "since": since, "most": MOST_FAILURES}

        def work(connection: Connection) -> Report:
            written = fetch_first(connection, WRITTEN_AT, values)
            values["since_at"] = "" if written is None else written.at
            (visits,) = fetch_all(connection, VISITS, values)
            answer = fetch_first(connection, ANSWER, values | {"kind": JobKind.ANSWER})
            changed = fetch_first(connection, CHANGED_AT, values)
            return make_report(
                after,
                limit,
                fetch_all(connection, TALLY, values),
                visits,
                fetch_all(connection, RESULTS, values | {"after": after, "limit": limit + 1}),
                taken_in=visits.taken_in,
                failures=_failures(connection, values),
                waiting=select_waiting(PostgresQueries(connection), owner, task_id),
                answer_id=None if answer is None else answer.id,
                changed_at=None if changed is None else changed.at,
                postponed=select_postponed(PostgresQueries(connection), task_id, self._clock),
                searches=read_searches(fetch_all(connection, SEARCHES, values | {"most": MOST_SEARCHES})),
            )

        return await self._database.read(work)

    async def find_last_place(self, task_id: TaskId) -> int:
        values = {"task_id": task_id}
        (row,) = await self._database.read(lambda connection: fetch_all(connection, LAST_PLACE, values))
        return int(row.place or 0)

    async def has_outcome(self, task_id: TaskId, since: int) -> bool:
        values = {"task_id": task_id, "since": since}
        (row,) = await self._database.read(lambda connection: fetch_all(connection, OUTCOME, values))
        return bool(row.is_there)

    async def list_orphans(self, task_id: TaskId) -> Sequence[DocumentId]:
        values = {"task_id": task_id, "corpus": WEB_CORPUS}
        rows = await self._database.read(lambda connection: fetch_all(connection, ORPHANS, values))
        return [DocumentId(row.id) for row in rows]

    async def forget(self, task_id: TaskId) -> int:
        def work(connection: Connection) -> int:
            change(connection, FORGET_SEARCHES, {"task_id": task_id})
            return change(connection, FORGET, {"task_id": task_id})

        return await self._database.write(work)

    async def _change(self, claim: Claim, statement: str, values: dict[str, Any]) -> None:
        def work(connection: Connection) -> None:
            keys = {"task_id": _held(connection, claim), "job_id": claim.job_id}
            change(connection, statement, values | keys)

        await self._database.write(work)


def _held(connection: Connection, claim: Claim) -> str:
    row = fetch_first(connection, HOLDS, (claim.job_id, claim.attempt, claim.worker_id))
    if row is None:
        raise ClaimLost
    return str(row.task_id)


def _failures(connection: Connection, values: dict[str, Any]) -> list[FailedItem]:
    failures = [read_failure(row) for row in fetch_all(connection, FAILED_FINDS, values)]
    failures += [_failed_job(row) for row in fetch_all(connection, FAILED_JOBS, values)]
    rows = fetch_all(connection, LEFT_OVER, values)
    leftovers = [failure for row in rows for failure in _left_over(row)]
    return failures + leftovers[:MOST_FAILURES]


def _failed_job(row: Row) -> FailedItem:
    """Build a failed item from the columns of `FAILED_JOBS`."""
    payload = json.loads(row.input)
    error = json.loads(row.errors)[-1]
    subject = payload.get("url") or payload.get("source")
    reason = message.unpack(error["message"])
    return FailedItem(query=payload.get("query"), url=subject, code=error["code"], reason=reason)


def _left_over(row: Row) -> Iterator[FailedItem]:
    """Build the failed items from the columns of `LEFT_OVER`."""
    query = json.loads(row.input).get("query")
    for failure in json.loads(row.errors):
        reason = message.unpack(failure.get("reason") or "")
        yield FailedItem(query=query, url=failure.get("url"), code=failure["code"], reason=reason)
