"""The URLs that jobs discover, and the reports on them.

Writes carry the fence of their job.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from shisho import messages
from shisho.domain.corpus import WEB_CORPUS, DocumentId
from shisho.domain.discovered_url import DiscoveredUrl, PostponedJobs, Report, SearchNote, StoredUrl, UrlState
from shisho.domain.job import Claim, ClaimLost, JobError, JobId, JobState, TaskId
from shisho.domain.task import INTAKES, FailedItem, JobKind, Progress, ResultRow
from shisho.domain.time import Instant, add_seconds, count_seconds, drop_fraction
from shisho.domain.web import PagingStop, SearchPaging
from shisho.ports import Clock
from shisho.stores.nouns import Row
from shisho.stores.sql import Queries, QueryStore, fetch_first
from shisho.stores.sql.interventions import select_waiting
from shisho.stores.sql.transitions import errors

MAX_FAILURES = 20
MAX_SEARCHES = 50
# Lock the job of a valid claim, and read its task. Until the commit no other worker can reclaim the job, and
# the task gets no new revision: a reader of a later revision also sees these writes.
HOLDS = """SELECT j.task_id FROM jobs j JOIN tasks t ON t.id = j.task_id
    WHERE j.id = :id AND j.state = 'running' AND j.attempt = :attempt AND j.worker_id = :worker_id
    /*pg FOR SHARE OF j FOR NO KEY UPDATE OF t */"""
# Add a discovered URL, unless its job already has it.
ADD = """INSERT INTO finds(task_id, job_id, canonical_url, seq, url, title, snippet, published_at, query, engine, page_number,
        rank_on_page, rank, status, revision)
    VALUES (:task_id, :job_id, :canonical_url,
        (SELECT coalesce(max(seq), 0) + 1 FROM finds WHERE task_id = :task_id), :url,
        :title, :snippet, :published_at, :query, :engine, :page_number, :rank_on_page,
        (SELECT count(*) + 1 FROM finds WHERE job_id = :job_id), 'found',
        (SELECT revision FROM tasks WHERE id = :task_id))
    ON CONFLICT DO NOTHING"""
# The condition that selects a discovered URL by job and address.
OF_KEY = """WHERE job_id = :job_id /*pg AND md5(canonical_url) = md5(:canonical_url) */
    AND canonical_url = :canonical_url"""
# Record the outcome of a discovered URL.
SETTLE = f"""UPDATE finds SET status = :status, document_id = coalesce(:document_id,
            (SELECT d.id FROM documents d WHERE d.id = finds.document_id AND d.state = 'live')),
        code = :code, reason = :reason,
        fetched_at = :now, seq = (SELECT max(seq) + 1 FROM finds WHERE task_id = :task_id),
        revision = (SELECT revision FROM tasks WHERE id = :task_id)
    {OF_KEY}"""
# Record the document that a discovered URL is about to become.
EXPECT = f"UPDATE finds SET document_id = :document_id {OF_KEY}"
# Record whether a discovered URL was useful.
MARK = f"UPDATE finds SET useful = :useful {OF_KEY}"
# Record the progress of a search, replacing the previous record.
NOTE = """INSERT INTO searches(job_id, task_id, query, engine, pages, novelty_json, harvest_json, paging_stop,
        warnings_json)
    VALUES (:job_id, :task_id, :query, :engine, :pages, :novelty, :harvest, :stop, :warnings)
    ON CONFLICT (job_id) DO UPDATE SET task_id = excluded.task_id, query = excluded.query, engine = excluded.engine,
        pages = excluded.pages, novelty_json = excluded.novelty_json, harvest_json = excluded.harvest_json,
        paging_stop = excluded.paging_stop, warnings_json = excluded.warnings_json"""
# Read the newest searches of a task, as input of `_searches`.
SEARCHES = """SELECT job_id, query, engine, pages, novelty_json, harvest_json, paging_stop, warnings_json FROM searches
    WHERE task_id = :task_id ORDER BY job_id DESC LIMIT :most"""
# List the addresses that the task found elsewhere before.
SEEN_ADDRESSES = """SELECT DISTINCT canonical_url FROM finds WHERE task_id = :task_id
    AND canonical_url IN (SELECT value FROM json_each(:urls))
    AND NOT (job_id = :job_id AND page_number IS NOT DISTINCT FROM CAST(:page_number AS integer))"""
# Read a job's finds in order of rank, as input of `_stored`.
OF_JOB = """SELECT url, canonical_url, title, snippet, published_at, query, engine, page_number, rank_on_page, rank,
    status, document_id, useful, code, reason FROM finds WHERE job_id = :job_id ORDER BY rank"""
# Read results after a position and since a revision, as input of `_result`. An expected document is not
# reported before it exists.
RESULTS = """SELECT f.seq, f.url, coalesce(nullif(d.title, ''), f.title) AS title, f.query, f.engine, f.rank, f.page_number,
        CASE f.status WHEN 'visited' THEN f.document_id END AS document_id,
        coalesce(d.passage_count, 0) AS passages, f.job_id, j.state AS job_state, f.fetched_at
    FROM finds f JOIN jobs j ON j.id = f.job_id LEFT JOIN documents d ON d.id = f.document_id AND f.status = 'visited'
    WHERE f.task_id = :task_id AND f.seq > :after AND f.revision >= :since ORDER BY f.seq LIMIT :limit"""
# Read failed finds, as input of `_failed_find`.
FAILED_FINDS = """SELECT query, url, code, reason FROM finds
    WHERE task_id = :task_id AND status = 'failed' AND revision >= :since ORDER BY seq DESC LIMIT :most"""
# List failed jobs whose error is not already reported by their finds.
FAILED_JOBS = """SELECT input_json, error_json FROM jobs
    WHERE task_id = :task_id AND state = 'failed' AND finished_at >= :since_at
    AND NOT EXISTS (SELECT 1 FROM finds f WHERE f.job_id = jobs.id AND f.status = 'failed' AND f.engine IS NULL)
    ORDER BY finished_at DESC LIMIT :most"""
# List completed searches that had to skip items, in JSON with or without spaces. Python reads the items: no
# function of PostgreSQL reads the escape of NUL, which a page may contain.
LEFT_OVER = """SELECT j.input_json, j.output_json FROM jobs j
    WHERE j.task_id = :task_id AND j.state = 'completed' AND j.kind = 'search_queue'
    AND j.finished_at >= :since_at
    AND (instr(j.output_json, '"errors":[{') > 0 OR instr(j.output_json, '"errors": [{') > 0)
    ORDER BY j.finished_at DESC LIMIT :most"""
# Read the position of the latest result of a task. It never decreases: finds are deleted only with their
# task, and a purge only blanks them.
LAST_PLACE = "SELECT max(seq) AS place FROM finds WHERE task_id = :task_id"
# Check whether a job ended, is waiting for a person, or something failed since a revision.
OUTCOME = """SELECT EXISTS (SELECT 1 FROM events WHERE task_id = :task_id AND revision > :since
        AND kind IN ('completed', 'failed', 'cancelled', 'awaiting_auth'))
    OR EXISTS (SELECT 1 FROM finds WHERE task_id = :task_id AND status = 'failed' AND revision >= :since)
    AS is_there"""
# List live web pages that only this task refers to.
ORPHANS = """SELECT DISTINCT d.id
    FROM provenance m JOIN documents d ON d.id = m.document_id JOIN corpora c ON c.id = d.corpus_id
    WHERE m.task_id = :task_id AND c.name = :corpus AND d.state <> 'purged'
    AND NOT EXISTS (SELECT 1 FROM provenance o WHERE o.document_id = d.id AND o.task_id <> :task_id)
    AND NOT EXISTS (SELECT 1 FROM places p WHERE p.document_id = d.id AND p.source NOT LIKE 'http%')
    AND NOT EXISTS (SELECT 1 FROM assistant_evidence s WHERE s.document_id = d.id)
    AND NOT EXISTS (SELECT 1 FROM evidence e LEFT JOIN jobs j ON j.id = e.answer_id
        WHERE e.document_id = d.id AND j.task_id IS DISTINCT FROM :task_id)"""
# Read when a revision was written.
WRITTEN_AT = "SELECT at FROM events WHERE task_id = :task_id AND revision = :since"
# Count the jobs of a task by kind and state; for running jobs, also the pages read and the total pages.
TALLY = """SELECT kind, state, count(*) AS jobs,
    sum(CAST(progress_json/*pg ::json */ ->> 'pages_read' AS integer)) FILTER (WHERE state = 'running') AS pages_read,
    sum(CAST(progress_json/*pg ::json */ ->> 'pages_total' AS integer)) FILTER (WHERE state = 'running') AS pages_total
    FROM jobs WHERE task_id = :task_id GROUP BY kind, state"""
# Count a task's web addresses: visited, known, distinct pages, and discovered URLs that became documents.
VISITS = """SELECT count(*) FILTER (WHERE is_page AND status IN ('visited', 'failed')) AS visited,
    count(*) FILTER (WHERE is_page AND status <> 'left_out') AS known,
    count(DISTINCT canonical_url) FILTER (WHERE is_page AND status <> 'left_out') AS sources,
    count(DISTINCT canonical_url) FILTER (WHERE status = 'visited' AND document_id IS NOT NULL) AS taken_in
    FROM (SELECT canonical_url, status, document_id, url LIKE 'http%' AS is_page FROM finds
          WHERE task_id = :task_id) met"""
# Find the latest answer of a task.
ANSWER = """SELECT id FROM jobs WHERE task_id = :task_id AND kind = :kind AND state = 'completed'
    ORDER BY created_at DESC, id DESC LIMIT 1"""
# Read when a task last changed.
CHANGED_AT = "SELECT at FROM events WHERE task_id = :task_id ORDER BY revision DESC LIMIT 1"
# Delete the search records of a task.
FORGET_SEARCHES = "DELETE FROM searches WHERE task_id = :task_id"
# Delete the discovered URLs of a task.
FORGET = "DELETE FROM finds WHERE task_id = :task_id"
# List the jobs of a task that continue later. Their errors are parsed here: PostgreSQL's own operators fail
# on escapes that its text cannot store.
POSTPONED = """SELECT state, attempt, not_before, error_json FROM jobs
    WHERE task_id = :task_id AND state IN ('queued', 'parked') AND not_before > :timeline_now"""


class StoredUrls:
    """`ports.DiscoveredUrls` and `ports.Reports` over a database."""

    def __init__(self, store: QueryStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def add(self, claim: Claim, finds: Sequence[DiscoveredUrl]) -> int:
        """Store the discovered URLs of one page, once; return how many the task had not found elsewhere."""
        urls = [find.canonical_url for find in finds]
        page = finds[0].page_number if finds else None

        def write(queries: Queries) -> int:
            values = {"task_id": _hold(queries, claim), "job_id": claim.job_id}
            seen = queries.fetch(SEEN_ADDRESSES, values | {"urls": urls, "page_number": page})
            queries.change_each(ADD, [values | _find_values(find) for find in finds])
            return len(set(urls)) - len(seen)

        return await self._store.write(write)

    async def expect(self, claim: Claim, canonical_url: str, document_id: DocumentId) -> None:
        """Record the document that a discovered URL is about to become, so that its origin is known first."""
        await self._change(claim, EXPECT, {"document_id": document_id, "canonical_url": canonical_url})

    async def settle(
        self,
        claim: Claim,
        canonical_url: str,
        document_id: DocumentId | None = None,
        *,
        code: str = "",
        reason: str = "",
    ) -> None:
        """Store the outcome of a discovered URL: a document, or a failure with its code.

        With neither, the discovered URL is skipped.
        """
        values = {
            "status": UrlState.FAILED if code else UrlState.VISITED if document_id else UrlState.LEFT_OUT,
            "document_id": document_id,
            "code": code or None,
            "reason": messages.write(reason) or None,
            "canonical_url": canonical_url,
            "now": self._clock.now(),
        }
        await self._change(claim, SETTLE, values)

    async def mark(self, claim: Claim, canonical_url: str, useful: bool) -> None:
        """Store whether the document that a discovered URL became answers its query."""
        await self._change(claim, MARK, {"useful": useful, "canonical_url": canonical_url})

    async def note(self, claim: Claim, note: SearchNote) -> None:
        """Store the progress of this job's search, replacing the previous record."""
        values = {"query": note.query, "engine": note.engine, "stop": note.stop, "pages": note.pages}
        novelty = {"novelty": json.dumps(note.novelty), "harvest": json.dumps(note.harvest)}
        await self._change(claim, NOTE, values | novelty | {"warnings": json.dumps(note.warnings)})

    async def list_of_job(self, job_id: JobId) -> Sequence[StoredUrl]:
        """Return the discovered URLs of a job in order of rank."""
        rows = await self._store.read(lambda queries: queries.fetch(OF_JOB, {"job_id": job_id}))
        return [_build_stored(row) for row in rows]

    async def report(self, task_id: TaskId, owner: str, after: int, limit: int, since: int = 0) -> Report:
        """Return the status of a task, without the task itself, as of one moment.

        It includes up to `limit` results after a position, and results and failures since a revision. Those
        written at that revision are included, so some may have been reported before.
        """
        values: dict[str, Any] = {"task_id": task_id, "since": since, "after": after, "limit": limit + 1}

        def read(queries: Queries) -> Report:
            (visits,) = queries.fetch(VISITS, values)
            answer = fetch_first(queries, ANSWER, values | {"kind": JobKind.ANSWER})
            changed = fetch_first(queries, CHANGED_AT, values)
            tally = queries.fetch(TALLY, values)
            results = queries.fetch(RESULTS, values)
            searches = queries.fetch(SEARCHES, values | {"most": MAX_SEARCHES})
            return Report(
                tally={(row.kind, JobState(row.state)): row.jobs for row in tally},
                visited=visits.visited,
                known=visits.known,
                sources=visits.sources,
                taken_in=visits.taken_in,
                reading=_sum_pages(tally),
                results=[_build_result(row) for row in results[:limit]],
                last=results[:limit][-1].seq if results[:limit] else after,
                more=len(results) > limit,
                failures=_list_failures(queries, values),
                waiting=select_waiting(queries, owner, task_id),
                answer_id=None if answer is None else answer.id,
                changed_at=None if changed is None else changed.at,
                postponed=select_postponed(queries, task_id, self._clock),
                searches=_build_searches(searches),
            )

        return await self._store.read(read)

    async def find_last_place(self, task_id: TaskId) -> int:
        """Return the position of the task's latest result, or 0. It never decreases.

        No report has shown a later position.
        """
        (row,) = await self._store.read(lambda queries: queries.fetch(LAST_PLACE, {"task_id": task_id}))
        return int(row.place or 0)

    async def has_outcome(self, task_id: TaskId, since: int) -> bool:
        """Return True if a job ended, is waiting for a person, or failed since a revision."""
        values = {"task_id": task_id, "since": since}
        (row,) = await self._store.read(lambda queries: queries.fetch(OUTCOME, values))
        return bool(row.is_there)

    async def list_orphans(self, task_id: TaskId) -> Sequence[DocumentId]:
        """List web pages that no other task's finds or answers, no session and no answer use."""
        values = {"task_id": task_id, "corpus": WEB_CORPUS}
        rows = await self._store.read(lambda queries: queries.fetch(ORPHANS, values))
        return [DocumentId(row.id) for row in rows]

    async def forget(self, task_id: TaskId) -> int:
        """Delete the discovered URLs and search records of a task; return the number of discovered URLs."""

        def write(queries: Queries) -> int:
            queries.change(FORGET_SEARCHES, {"task_id": task_id})
            return queries.change(FORGET, {"task_id": task_id})

        return await self._store.write(write)

    async def _change(self, claim: Claim, statement: str, values: dict[str, Any]) -> None:
        def write(queries: Queries) -> None:
            keys = {"task_id": _hold(queries, claim), "job_id": claim.job_id}
            queries.change(statement, values | keys)

        await self._store.write(write)


def _hold(queries: Queries, claim: Claim) -> str:
    """Return the task of a valid claim, which is locked."""
    values = {"id": claim.job_id, "attempt": claim.attempt, "worker_id": claim.worker_id}
    row = fetch_first(queries, HOLDS, values)
    if row is None:
        raise ClaimLost
    return str(row.task_id)


def _list_failures(queries: Queries, values: dict[str, Any]) -> list[FailedItem]:
    written = fetch_first(queries, WRITTEN_AT, values)
    values = values | {"since_at": "" if written is None else written.at, "most": MAX_FAILURES}
    failures = [_build_failed_find(row) for row in queries.fetch(FAILED_FINDS, values)]
    failures += [_build_failed_job(row) for row in queries.fetch(FAILED_JOBS, values)]
    leftovers = [failure for row in queries.fetch(LEFT_OVER, values) for failure in _build_failed_items(row)]
    return failures + leftovers[:MAX_FAILURES]


def _build_failed_find(row: Row) -> FailedItem:
    """Build a failed item from the columns of `FAILED_FINDS`."""
    return FailedItem(query=row.query, url=row.url, code=row.code, reason=messages.read(row.reason or ""))


def _build_failed_job(row: Row) -> FailedItem:
    """Build a failed item from the columns of `FAILED_JOBS`."""
    payload = json.loads(row.input_json)
    error = json.loads(row.error_json)[-1]
    subject = payload.get("url") or payload.get("source")
    reason = messages.unpack(error["message"])
    return FailedItem(query=payload.get("query"), url=subject, code=error["code"], reason=reason)


def _build_failed_items(row: Row) -> Iterator[FailedItem]:
    """Build the failed items from the columns of `LEFT_OVER`."""
    query = json.loads(row.input_json).get("query")
    for failure in json.loads(row.output_json).get("errors") or ():
        reason = messages.unpack(failure.get("reason") or "")
        yield FailedItem(query=query, url=failure.get("url"), code=failure["code"], reason=reason)


def _find_values(find: DiscoveredUrl) -> dict[str, Any]:
    """Return the values of a discovered URL by column."""
    names: Collection[str] = DiscoveredUrl.__dataclass_fields__
    return {name: getattr(find, name) for name in names}


def _sum_pages(tally: Sequence[Row]) -> Progress:
    intakes = [row for row in tally if row.kind in INTAKES and row.state == JobState.RUNNING]
    return Progress(sum(row.pages_read or 0 for row in intakes), sum(row.pages_total or 0 for row in intakes))


def _build_stored(row: Row) -> StoredUrl:
    """Build a discovered URL and its outcome from the columns."""
    return StoredUrl(
        find=DiscoveredUrl(
            url=row.url,
            canonical_url=row.canonical_url,
            title=row.title,
            snippet=row.snippet,
            published_at=row.published_at,
            query=row.query,
            engine=row.engine,
            page_number=row.page_number,
            rank_on_page=row.rank_on_page,
            rank=row.rank,
        ),
        status=UrlState(row.status),
        document_id=None if row.document_id is None else DocumentId(row.document_id),
        useful=None if row.useful is None else bool(row.useful),
        code=row.code or "",
        reason=messages.read(row.reason or ""),
    )


def _build_result(row: Row) -> ResultRow:
    """Build a result from a discovered URL, the document that it became, and its job's state."""
    return ResultRow(
        url=row.url,
        title=row.title,
        query=row.query,
        engine=row.engine,
        rank=row.rank,
        document_id=None if row.document_id is None else DocumentId(row.document_id),
        passages=row.passages,
        job_id=JobId(row.job_id),
        job_state=JobState(row.job_state),
        fetched_at=row.fetched_at,
        place=row.seq,
        page_number=row.page_number,
    )


def _build_searches(rows: Sequence[Row]) -> list[SearchPaging]:
    """Return the searches, oldest first, of rows that are sorted newest first."""
    return [
        SearchPaging(
            job_id=row.job_id,
            query=row.query,
            engine=row.engine,
            pages=row.pages,
            novelty=tuple(round(share, 3) for share in json.loads(row.novelty_json)),
            harvest=tuple(share and round(share, 3) for share in json.loads(row.harvest_json)),
            paging_stop=row.paging_stop and PagingStop(row.paging_stop),
            warnings=tuple(json.loads(row.warnings_json)),
        )
        for row in reversed(rows)
    ]


def select_postponed(queries: Queries, task_id: TaskId, clock: Clock) -> list[PostponedJobs]:
    """Return the postponed jobs of a task, the earliest first."""
    rows = queries.fetch(POSTPONED, {"task_id": task_id, "timeline_now": clock.timeline_now()})
    jobs = [
        (JobState(row.state), find_delay_reason(errors(row.error_json), row.attempt), row.not_before)
        for row in rows
    ]
    return group_postponed(jobs, clock)


def find_delay_reason(history: Sequence[JobError], attempt: int) -> str:
    """Return why the last attempt was postponed; older errors do not explain this wait."""
    return history[-1].message if history and history[-1].attempt == attempt else ""


def group_postponed(jobs: Iterable[tuple[JobState, str, Instant]], clock: Clock) -> list[PostponedJobs]:
    """Group jobs by state and reason; each comes with its continuation on the steady clock."""
    timeline_now = clock.timeline_now()
    waits: dict[tuple[JobState, str], list[float]] = {}
    for state, reason, not_before in jobs:
        waits.setdefault((state, reason), []).append(count_seconds(timeline_now, not_before))
    postponed = []
    for (state, reason), seconds in waits.items():
        until = drop_fraction(add_seconds(clock.now(), min(seconds)))
        postponed.append(PostponedJobs(state, len(seconds), reason, until, min(seconds), max(seconds)))
    return sorted(postponed, key=lambda alike: alike.first_s)
