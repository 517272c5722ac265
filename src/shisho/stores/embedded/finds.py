"""The finds of jobs, in SQLite, and the reports on them for a task's visitor. Writes carry the fence of
their job."""

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
from shisho.stores.interventions import select_waiting
from shisho.stores.postponed import select_postponed

MOST_FAILURES = 20
MOST_SEARCHES = 50
# A find, unless its job has it already.
ADD = """INSERT INTO finds(task_id, job_id, canonical_url, seq, url, title, snippet, published_at, query, engine, page_number,
        rank_on_page, rank, status, revision)
    VALUES (:task_id, :job_id, :canonical_url, (SELECT coalesce(max(seq), 0) + 1 FROM finds WHERE task_id = :task_id), :url,
        :title, :snippet, :published_at, :query, :engine, :page_number, :rank_on_page,
        (SELECT count(*) + 1 FROM finds WHERE job_id = :job_id), 'found',
        (SELECT revision FROM tasks WHERE id = :task_id))
    ON CONFLICT DO NOTHING"""
# What became of a find.
SETTLE = """UPDATE finds SET status = :status, document_id = coalesce(:document_id,
            (SELECT d.id FROM documents d WHERE d.id = finds.document_id AND d.state = 'live')),
        code = :code, reason = :reason, fetched_at = :now,
        seq = (SELECT max(seq) + 1 FROM finds WHERE task_id = :task_id),
        revision = (SELECT revision FROM tasks WHERE id = :task_id)
    WHERE job_id = :job_id AND canonical_url = :canonical_url"""
# The document that a find is about to become.
EXPECT = (
    "UPDATE finds SET document_id = :document_id WHERE job_id = :job_id AND canonical_url = :canonical_url"
)
# Whether a find was useful.
MARK = "UPDATE finds SET useful = :useful WHERE job_id = :job_id AND canonical_url = :canonical_url"
# How far a search has come, in place of what was noted before.
NOTE = """INSERT INTO searches(job_id, task_id, query, engine, pages, novelty_json, harvest_json, paging_stop,
        warnings_json)
    VALUES (:job_id, :task_id, :query, :engine, :pages, :novelty, :harvest, :stop, :warnings)
    ON CONFLICT DO UPDATE SET task_id = excluded.task_id, query = excluded.query, engine = excluded.engine,
        pages = excluded.pages, novelty_json = excluded.novelty_json, harvest_json = excluded.harvest_json,
        paging_stop = excluded.paging_stop, warnings_json = excluded.warnings_json"""
# The newest searches of a task, as `read_search` takes them.
SEARCHES = """SELECT job_id, query, engine, pages, novelty_json, harvest_json, paging_stop, warnings_json FROM searches
    WHERE task_id = :task_id ORDER BY job_id DESC LIMIT :most"""
# Addresses that the task has met elsewhere.
SEEN = """SELECT canonical_url FROM finds WHERE task_id = :task_id AND canonical_url IN (SELECT value FROM json_each(:urls))
    AND NOT (job_id = :job_id AND page_number IS :page_number)"""
# What `read_stored` reads, of `finds`: a job's finds in order of rank.
OF_JOB = """SELECT url, canonical_url, title, snippet, published_at, query, engine, page_number, rank_on_page, rank,
    status, document_id, useful, code, reason FROM finds WHERE job_id = :job_id ORDER BY rank"""
# What `read_result` reads: results after a place and since a revision. A document that is expected is not
# told before it is there.
RESULTS = """SELECT f.seq, f.url, coalesce(nullif(d.title, ''), f.title) AS title, f.query, f.engine, f.rank, f.page_number,
        CASE f.status WHEN 'visited' THEN f.document_id END AS document_id,
        coalesce(d.passage_count, 0) AS passages, f.job_id, j.state AS job_state, f.fetched_at
    FROM finds f JOIN jobs j ON j.id = f.job_id LEFT JOIN documents d ON d.id = f.document_id AND f.status = 'visited'
    WHERE f.task_id = :task_id AND f.seq > :after AND f.revision >= :since ORDER BY f.seq LIMIT :limit"""
# What `read_failure` reads: failed finds, failed jobs, and what completed searches had to leave.
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
# The place of the latest result of a task. Finds go only with their task, and a purge blanks them: it never
# goes down.
LAST_PLACE = "SELECT max(seq) FROM finds WHERE task_id = :task_id"
# Whether a job has ended, waits for a person, or something went wrong since a revision.
OUTCOME = """SELECT EXISTS (SELECT 1 FROM events WHERE task_id = :task_id AND revision > :since
        AND kind IN ('completed', 'failed', 'cancelled', 'awaiting_auth'))
    OR EXISTS (SELECT 1 FROM finds WHERE task_id = :task_id AND status = 'failed' AND revision >= :since)"""
# Live web pages that nothing but this task reaches.
ORPHANS = """SELECT DISTINCT d.id
    FROM provenance m JOIN documents d ON d.id = m.document_id JOIN corpora c ON c.id = d.corpus_id
    WHERE m.task_id = :task_id AND c.name = :corpus AND d.state <> 'purged'
    AND NOT EXISTS (SELECT 1 FROM provenance o WHERE o.document_id = d.id AND o.task_id <> :task_id)
    AND NOT EXISTS (SELECT 1 FROM places p WHERE p.document_id = d.id AND p.source NOT LIKE 'http%')
    AND NOT EXISTS (SELECT 1 FROM assistant_evidence s WHERE s.document_id = d.id)
    AND NOT EXISTS (SELECT 1 FROM evidence e LEFT JOIN jobs j ON j.id = e.answer_id
        WHERE e.document_id = d.id AND j.task_id IS NOT :task_id)"""

# When a revision was written.
WRITTEN_AT = "SELECT at FROM events WHERE task_id = :task_id AND revision = :since"
# How many jobs of a task there are of each kind in each state; of those that run, how many pages they have
# read, of how many.
TALLY = """SELECT kind, state, count(*) AS jobs,
    sum(progress_json ->> '$.pages_read') FILTER (WHERE state = 'running') AS pages_read,
    sum(progress_json ->> '$.pages_total') FILTER (WHERE state = 'running') AS pages_total
    FROM jobs WHERE task_id = :task_id GROUP BY kind, state"""
# Of a task's web addresses: how many were visited, how many there are, and how many of them are different
# pages.
VISITS = """SELECT count(*) FILTER (WHERE status IN ('visited', 'failed')) AS visited,
    count(*) FILTER (WHERE status <> 'left_out') AS known,
    count(DISTINCT canonical_url) FILTER (WHERE status <> 'left_out') AS sources
    FROM finds WHERE task_id = :task_id AND url LIKE 'http%'"""
# How many finds of a task became documents.
TAKEN_IN = """SELECT count(DISTINCT canonical_url) FROM finds
    WHERE task_id = :task_id AND status = 'visited' AND document_id IS NOT NULL"""
# The latest answer of a task.
ANSWER = """SELECT id FROM jobs WHERE task_id = :task_id AND kind = :kind AND state = 'completed'
    ORDER BY created_at DESC, id DESC LIMIT 1"""
# When something happened in a task last.
CHANGED_AT = "SELECT at FROM events WHERE task_id = :task_id ORDER BY revision DESC LIMIT 1"
# How the queries of a task were searched for.
FORGET_SEARCHES = "DELETE FROM searches WHERE task_id = :task_id"
# What a task has found.
FORGET = "DELETE FROM finds WHERE task_id = :task_id"
# The task of a held claim.
HOLDS = "SELECT task_id FROM jobs WHERE id = ? AND state = 'running' AND attempt = ? AND worker_id = ?"


class EmbeddedUrls:
    """`ports.DiscoveredUrls` and `ports.Reports` over one SQLite file."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add(self, claim: Claim, finds: Sequence[DiscoveredUrl]) -> int:
        """Store what one page holds, once. Returns how many of them the task had not met elsewhere."""
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
        """The document that a find is about to become: where a document came from is known before it is
        there."""
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
        """Store what became of a find: a document, or a failure with its code; with neither, it is left
        out."""
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
        """How far the search of this job has come, in place of what was noted before."""
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
        """The finds of a job in order of rank."""
        return [read_stored(row) for row in await self._rows(OF_JOB, {"job_id": job_id})]

    async def report(self, task_id: TaskId, owner: str, after: int, limit: int, since: int = 0) -> Report:
        """All that a status tells beside the task itself, as of one moment: results after a place, at most so
        many; results and failures since a revision. What was written at that revision is among them: it may
        have been read before."""

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
        """The place of the task's latest result, 0 where there is none. It never goes down: no report has
        told a later one."""
        values = {"task_id": task_id}
        place = await self._database.read(lambda connection: connection.execute(LAST_PLACE, values).get)
        return int(place or 0)

    async def has_outcome(self, task_id: TaskId, since: int) -> bool:
        """True where a job has ended, waits for a person, or something went wrong since a revision."""
        values = {"task_id": task_id, "since": since}
        return bool(await self._database.read(lambda connection: connection.execute(OUTCOME, values).get))

    async def list_orphans(self, task_id: TaskId) -> Sequence[DocumentId]:
        """Web pages that nothing but this task reaches: no other task's finds or answers, no session, no
        other answer."""
        rows = await self._rows(ORPHANS, {"task_id": task_id, "corpus": WEB_CORPUS})
        return [DocumentId(row.id) for row in rows]

    async def forget(self, task_id: TaskId) -> int:
        """Delete the finds of a task, and how they were searched for. Returns how many there were."""

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
