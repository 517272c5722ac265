"""The URLs that jobs discover, and the reports on them, in SQLite.

Writes carry the fence of their job.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import apsw

from shisho.domain.corpus import WEB_CORPUS, DocumentId
from shisho.domain.find import DiscoveredUrl, Report, SearchNote, StoredUrl
from shisho.domain.job import Claim, ClaimLost, JobId, TaskId
from shisho.domain.task import JobKind
from shisho.ports import Clock
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.queries import EmbeddedQueries
from shisho.stores.embedded.rows import Row, fetch_all
from shisho.stores.find_rows import (
    fill_settled_columns,
    find_columns,
    make_report,
    read_failure,
    read_searches,
    read_stored,
)
from shisho.stores.postponed import select_postponed
from shisho.stores.sql.interventions import select_waiting

MOST_FAILURES = 20
MOST_SEARCHES = 50
# Add a find, unless its job already has it.
ADD = """INSERT INTO finds(task_id, job_id, canonical_url, seq, url, title, snippet, published_at, query, engine, page_number,
        rank_on_page, rank, status, revision)
    VALUES (:task_id, :job_id, :canonical_url, (SELECT coalesce(max(seq), 0) + 1 FROM finds WHERE task_id = :task_id), :url,
        :title, :snippet, :published_at, :query, :engine, :page_number, :rank_on_page,
        (SELECT count(*) + 1 FROM finds WHERE job_id = :job_id), 'found',
        (SELECT revision FROM tasks WHERE id = :task_id))
    ON CONFLICT DO NOTHING"""
# Record the outcome of a find.
SETTLE = """UPDATE finds SET status = :status, document_id = coalesce(:document_id,
            (SELECT d.id FROM documents d WHERE d.id = finds.document_id AND d.state = 'live')),
        code = :code, reason = :reason, fetched_at = :now,
        seq = (SELECT max(seq) + 1 FROM finds WHERE task_id = :task_id),
        revision = (SELECT revision FROM tasks WHERE id = :task_id)
    WHERE job_id = :job_id AND canonical_url = :canonical_url"""
# Record the document that a find is about to become.
EXPECT = (
    "UPDATE finds SET document_id = :document_id WHERE job_id = :job_id AND canonical_url = :canonical_url"
)
# Record whether a find was useful.
MARK = "UPDATE finds SET useful = :useful WHERE job_id = :job_id AND canonical_url = :canonical_url"
# Record the progress of a search, replacing the previous record.
NOTE = """INSERT INTO searches(job_id, task_id, query, engine, pages, novelty_json, harvest_json, paging_stop,
        warnings_json)
    VALUES (:job_id, :task_id, :query, :engine, :pages, :novelty, :harvest, :stop, :warnings)
    ON CONFLICT DO UPDATE SET task_id = excluded.task_id, query = excluded.query, engine = excluded.engine,
        pages = excluded.pages, novelty_json = excluded.novelty_json, harvest_json = excluded.harvest_json,
        paging_stop = excluded.paging_stop, warnings_json = excluded.warnings_json"""
# Read the newest searches of a task, as input of `read_search`.
SEARCHES = """SELECT job_id, query, engine, pages, novelty_json, harvest_json, paging_stop, warnings_json FROM searches
    WHERE task_id = :task_id ORDER BY job_id DESC LIMIT :most"""
# List the addresses that the task found elsewhere before.
SEEN = """SELECT canonical_url FROM finds WHERE task_id = :task_id AND canonical_url IN (SELECT value FROM json_each(:urls))
    AND NOT (job_id = :job_id AND page_number IS :page_number)"""
# Read a job's finds in order of rank, as input of `read_stored`.
OF_JOB = """SELECT url, canonical_url, title, snippet, published_at, query, engine, page_number, rank_on_page, rank,
    status, document_id, useful, code, reason FROM finds WHERE job_id = :job_id ORDER BY rank"""
# Read results after a position and since a revision, as input of `read_result`. An expected document is not
# reported before it exists.
RESULTS = """SELECT f.seq, f.url, coalesce(nullif(d.title, ''), f.title) AS title, f.query, f.engine, f.rank, f.page_number,
        CASE f.status WHEN 'visited' THEN f.document_id END AS document_id,
        coalesce(d.passage_count, 0) AS passages, f.job_id, j.state AS job_state, f.fetched_at
    FROM finds f JOIN jobs j ON j.id = f.job_id LEFT JOIN documents d ON d.id = f.document_id AND f.status = 'visited'
    WHERE f.task_id = :task_id AND f.seq > :after AND f.revision >= :since ORDER BY f.seq LIMIT :limit"""
# Read failed finds, failed jobs, and items that completed searches skipped, as input of `read_failure`.
FAILURES = """SELECT query, url, code, reason FROM
        (SELECT query, url, code, reason, seq FROM finds WHERE task_id = :task_id AND status = 'failed'
         AND revision >= :since ORDER BY seq DESC LIMIT :most)
    UNION ALL SELECT * FROM
        (SELECT input_json ->> 'query', coalesce(input_json ->> 'url', input_json ->> 'source'),
            error_json ->> '$[#-1].code', error_json ->> '$[#-1].message'
         FROM jobs WHERE task_id = :task_id AND state = 'failed' AND finished_at >= :since_at
            AND NOT EXISTS (SELECT 1 FROM finds WHERE job_id = jobs.id AND status = 'failed' AND engine IS NULL)
         ORDER BY finished_at DESC LIMIT :most)
    UNION ALL SELECT * FROM
        (SELECT input_json ->> 'query', each.value ->> 'url', each.value ->> 'code', each.value ->> 'reason'
         FROM jobs, json_each(jobs.output_json, '$.errors') each
         WHERE task_id = :task_id AND state = 'completed' AND kind = 'search_queue' AND finished_at >= :since_at
         LIMIT :most)"""
# Read the position of the latest result of a task. It never decreases: finds are deleted only with their
# task, and a purge only blanks them.
LAST_PLACE = "SELECT max(seq) FROM finds WHERE task_id = :task_id"
# Check whether a job ended, is waiting for a person, or something failed since a revision.
OUTCOME = """SELECT EXISTS (SELECT 1 FROM events WHERE task_id = :task_id AND revision > :since
        AND kind IN ('completed', 'failed', 'cancelled', 'awaiting_auth'))
    OR EXISTS (SELECT 1 FROM finds WHERE task_id = :task_id AND status = 'failed' AND revision >= :since)"""
# List live web pages that only this task refers to.
ORPHANS = """SELECT DISTINCT d.id
    FROM provenance m JOIN documents d ON d.id = m.document_id JOIN corpora c ON c.id = d.corpus_id
    WHERE m.task_id = :task_id AND c.name = :corpus AND d.state <> 'purged'
    AND NOT EXISTS (SELECT 1 FROM provenance o WHERE o.document_id = d.id AND o.task_id <> :task_id)
    AND NOT EXISTS (SELECT 1 FROM places p WHERE p.document_id = d.id AND p.source NOT LIKE 'http%')
    AND NOT EXISTS (SELECT 1 FROM assistant_evidence s WHERE s.document_id = d.id)
    AND NOT EXISTS (SELECT 1 FROM evidence e LEFT JOIN jobs j ON j.id = e.answer_id
        WHERE e.document_id = d.id AND j.task_id IS NOT :task_id)"""

# Read when a revision was written.
WRITTEN_AT = "SELECT at FROM events WHERE task_id = :task_id AND revision = :since"
# Count the jobs of a task by kind and state; for running jobs, also the pages read and the total pages.
TALLY = """SELECT kind, state, count(*) AS jobs,
    sum(progress_json ->> '$.pages_read') FILTER (WHERE state = 'running') AS pages_read,
    sum(progress_json ->> '$.pages_total') FILTER (WHERE state = 'running') AS pages_total
    FROM jobs WHERE task_id = :task_id GROUP BY kind, state"""
# Count a task's web addresses: visited, known, and distinct pages.
VISITS = """SELECT count(*) FILTER (WHERE status IN ('visited', 'failed')) AS visited,
    count(*) FILTER (WHERE status <> 'left_out') AS known,
    count(DISTINCT canonical_url) FILTER (WHERE status <> 'left_out') AS sources
    FROM finds WHERE task_id = :task_id AND url LIKE 'http%'"""
# Count the finds of a task that became documents.
TAKEN_IN = """SELECT count(DISTINCT canonical_url) FROM finds
    WHERE task_id = :task_id AND status = 'visited' AND document_id IS NOT NULL"""
# Find the latest answer of a task.
ANSWER = """SELECT id FROM jobs WHERE task_id = :task_id AND kind = :kind AND state = 'completed'
    ORDER BY created_at DESC, id DESC LIMIT 1"""
# Read when a task last changed.
CHANGED_AT = "SELECT at FROM events WHERE task_id = :task_id ORDER BY revision DESC LIMIT 1"
# Delete the search records of a task.
FORGET_SEARCHES = "DELETE FROM searches WHERE task_id = :task_id"
# Delete the finds of a task.
FORGET = "DELETE FROM finds WHERE task_id = :task_id"
# Read the task of a valid claim.
HOLDS = "SELECT task_id FROM jobs WHERE id = ? AND state = 'running' AND attempt = ? AND worker_id = ?"


class EmbeddedUrls:
    """`ports.DiscoveredUrls` and `ports.Reports` over one SQLite file."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add(self, claim: Claim, finds: Sequence[DiscoveredUrl]) -> int:
        """Store the finds of one page, once; return how many the task had not found elsewhere."""
        urls = json.dumps([find.canonical_url for find in finds])

        def work(connection: apsw.Connection) -> int:
            values: dict[str, Any] = {"task_id": _held(connection, claim), "job_id": claim.job_id}
            page = finds[0].page_number if finds else None
            rows = {
                row.canonical_url
                for row in fetch_all(connection.execute(SEEN, values | {"urls": urls, "page_number": page}))
            }
            for find in finds:
                connection.execute(ADD, values | find_columns(find))
            return len({find.canonical_url for find in finds}) - len(rows)

        return await self._database.write(work)

    async def expect(self, claim: Claim, canonical_url: str, document_id: DocumentId) -> None:
        """Record the document that a find is about to become, so that its origin is known first."""
        values = {"document_id": document_id, "job_id": claim.job_id, "canonical_url": canonical_url}

        def work(connection: apsw.Connection) -> None:
            _held(connection, claim)
            connection.execute(EXPECT, values)

        await self._database.write(work)

    async def settle(
        self,
        claim: Claim,
        canonical_url: str,
        document_id: DocumentId | None = None,
        *,
        code: str = "",
        reason: str = "",
    ) -> None:
        """Store the outcome of a find: a document, or a failure with its code.

        With neither, the find is skipped.
        """
        values = fill_settled_columns(claim, canonical_url, document_id, code, reason, self._clock.now())

        def work(connection: apsw.Connection) -> None:
            connection.execute(SETTLE, values | {"task_id": _held(connection, claim)})

        await self._database.write(work)

    async def mark(self, claim: Claim, canonical_url: str, useful: bool) -> None:
        """Store whether the document that a find became answers its query."""
        values = {"useful": int(useful), "job_id": claim.job_id, "canonical_url": canonical_url}

        def work(connection: apsw.Connection) -> None:
            _held(connection, claim)
            connection.execute(MARK, values)

        await self._database.write(work)

    async def note(self, claim: Claim, note: SearchNote) -> None:
        """Store the progress of this job's search, replacing the previous record."""
        values = {
            "job_id": claim.job_id,
            "query": note.query,
            "engine": note.engine,
            "stop": note.stop,
            "pages": note.pages,
        }
        values |= {"novelty": json.dumps(note.novelty), "harvest": json.dumps(note.harvest)}
        values["warnings"] = json.dumps(note.warnings)

        def work(connection: apsw.Connection) -> None:
            connection.execute(NOTE, values | {"task_id": _held(connection, claim)})

        await self._database.write(work)

    async def list_of_job(self, job_id: JobId) -> Sequence[StoredUrl]:
        """Return the finds of a job in order of rank."""
        return [read_stored(row) for row in await self._rows(OF_JOB, {"job_id": job_id})]

    async def report(self, task_id: TaskId, owner: str, after: int, limit: int, since: int = 0) -> Report:
        """Return the status of a task, without the task itself, as of one moment.

        It includes up to `limit` results after a position, and results and failures since a revision. Those
        written at that revision are included, so some may have been reported before.
        """

        def work(connection: apsw.Connection) -> Report:
            values: dict[str, Any] = {"task_id": task_id, "since": since}
            values["since_at"] = connection.execute(WRITTEN_AT, values).get or ""
            (visits,) = fetch_all(connection.execute(VISITS, values))
            rows = fetch_all(connection.execute(RESULTS, values | {"after": after, "limit": limit + 1}))
            failures = fetch_all(connection.execute(FAILURES, values | {"most": MOST_FAILURES}))
            return make_report(
                after,
                limit,
                fetch_all(connection.execute(TALLY, values)),
                visits,
                rows,
                taken_in=connection.execute(TAKEN_IN, values).get,
                failures=[read_failure(row) for row in failures],
                waiting=select_waiting(EmbeddedQueries(connection), owner, task_id),
                answer_id=connection.execute(ANSWER, values | {"kind": JobKind.ANSWER}).get,
                changed_at=connection.execute(CHANGED_AT, values).get,
                postponed=select_postponed(EmbeddedQueries(connection), task_id, self._clock),
                searches=read_searches(
                    fetch_all(connection.execute(SEARCHES, values | {"most": MOST_SEARCHES}))
                ),
            )

        return await self._database.read(work)

    async def find_last_place(self, task_id: TaskId) -> int:
        """Return the position of the task's latest result, or 0. It never decreases.

        No report has shown a later position.
        """
        values = {"task_id": task_id}
        place = await self._database.read(lambda connection: connection.execute(LAST_PLACE, values).get)
        return int(place or 0)

    async def has_outcome(self, task_id: TaskId, since: int) -> bool:
        """Return True if a job ended, is waiting for a person, or failed since a revision."""
        values = {"task_id": task_id, "since": since}
        return bool(await self._database.read(lambda connection: connection.execute(OUTCOME, values).get))

    async def list_orphans(self, task_id: TaskId) -> Sequence[DocumentId]:
        """List web pages that no other task's finds or answers, no session and no answer use."""
        rows = await self._rows(ORPHANS, {"task_id": task_id, "corpus": WEB_CORPUS})
        return [DocumentId(row.id) for row in rows]

    async def forget(self, task_id: TaskId) -> int:
        """Delete the finds and search records of a task; return the number of finds."""

        def work(connection: apsw.Connection) -> int:
            connection.execute(FORGET_SEARCHES, {"task_id": task_id})
            connection.execute(FORGET, {"task_id": task_id})
            return connection.changes()

        return await self._database.write(work)

    async def _rows(self, query: str, values: Any) -> list[Row]:
        return await self._database.read(lambda connection: fetch_all(connection.execute(query, values)))


def _held(connection: apsw.Connection, claim: Claim) -> str:
    task_id = connection.execute(HOLDS, (claim.job_id, claim.attempt, claim.worker_id)).get
    if task_id is None:
        raise ClaimLost
    return str(task_id)
