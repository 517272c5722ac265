"""What jobs have found, in SQLite, and what a task's visitor is told of it. Writes carry the fence of their job."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import fields
from typing import Any

import apsw

from shisho.domain.corpus import WEB_CORPUS, DocumentId
from shisho.domain.find import DiscoveredUrl, Report, SearchNote, StoredUrl
from shisho.domain.job import Claim, ClaimLost, JobId, JobState, TaskId
from shisho.domain.task import FailedItem, JobKind, ResultRow
from shisho.messages import message
from shisho.ports import Clock
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.interventions import waiting
from shisho.stores.embedded.rows import every

MOST_FAILURES = 20
ADD = """INSERT INTO finds(task_id, job_id, canonical_url, seq, url, title, snippet, published_at, query, engine, page_number,
        rank_on_page, rank, status, revision)
    VALUES (:task_id, :job_id, :canonical_url, (SELECT coalesce(max(seq), 0) + 1 FROM finds WHERE task_id = :task_id), :url,
        :title, :snippet, :published_at, :query, :engine, :page_number, :rank_on_page,
        (SELECT count(*) + 1 FROM finds WHERE job_id = :job_id), 'found',
        (SELECT revision FROM tasks WHERE id = :task_id))
    ON CONFLICT DO NOTHING"""
SETTLE = """UPDATE finds SET status = :status, document_id = :document_id, code = :code, reason = :reason, fetched_at = :now,
        seq = (SELECT max(seq) + 1 FROM finds WHERE task_id = :task_id),
        revision = (SELECT revision FROM tasks WHERE id = :task_id)
    WHERE job_id = :job_id AND canonical_url = :canonical_url"""
NOTE = """INSERT OR REPLACE INTO searches(job_id, task_id, query, engine, pages, novelty_json, harvest_json, paging_stop)
    VALUES (:job_id, :task_id, :query, :engine, :pages, :novelty, :harvest, :stop)"""
SEEN = """SELECT canonical_url FROM finds WHERE task_id = :task_id AND canonical_url IN (SELECT value FROM json_each(:urls))
    AND NOT (job_id = :job_id AND page_number IS :page_number)"""
RESULTS = """SELECT f.seq, f.url, coalesce(nullif(d.title, ''), f.title), f.query, f.engine, f.rank, f.document_id,
        coalesce(d.passage_count, 0), f.job_id, j.state, f.fetched_at
    FROM finds f JOIN jobs j ON j.id = f.job_id LEFT JOIN documents d ON d.id = f.document_id
    WHERE f.task_id = :task_id AND f.seq > :after AND f.revision >= :since ORDER BY f.seq LIMIT :limit"""
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
OUTCOME = """SELECT EXISTS (SELECT 1 FROM events WHERE task_id = :task_id AND revision > :since
        AND kind IN ('completed', 'failed', 'cancelled', 'awaiting_auth'))
    OR EXISTS (SELECT 1 FROM finds WHERE task_id = :task_id AND status = 'failed' AND revision >= :since)"""
ORPHANS = """SELECT DISTINCT d.id
    FROM provenance m JOIN documents d ON d.id = m.document_id JOIN corpora c ON c.id = d.corpus_id
    WHERE m.task_id = :task_id AND c.name = :corpus AND d.state <> 'purged'
    AND NOT EXISTS (SELECT 1 FROM provenance o WHERE o.document_id = d.id AND o.task_id <> :task_id)
    AND NOT EXISTS (SELECT 1 FROM places p WHERE p.document_id = d.id AND p.source NOT LIKE 'http%')
    AND NOT EXISTS (SELECT 1 FROM assistant_evidence s WHERE s.document_id = d.id)
    AND NOT EXISTS (SELECT 1 FROM evidence e LEFT JOIN jobs j ON j.id = e.answer_id
        WHERE e.document_id = d.id AND j.task_id IS NOT :task_id)"""


class EmbeddedUrls:
    """`ports.DiscoveredUrls` and `ports.Reports` over one SQLite file."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock

    async def add(self, claim: Claim, finds: Sequence[DiscoveredUrl]) -> int:
        """Store what one page holds, once. Returns how many of them the task had not met elsewhere."""
        urls = json.dumps([one.canonical_url for one in finds])

        def work(connection: apsw.Connection) -> int:
            values: dict[str, Any] = {"task_id": _held(connection, claim), "job_id": claim.job_id}
            page = finds[0].page_number if finds else None
            known = every(connection.execute(SEEN, values | {"urls": urls, "page_number": page}))
            for one in finds:
                connection.execute(ADD, values | _columns(one))
            return len({one.canonical_url for one in finds}) - len({url for (url,) in known})

        return await self._database.write(work)

    async def expect(self, claim: Claim, canonical_url: str, document_id: DocumentId) -> None:
        """The document that a find is about to become: where a document came from is known before it is there."""
        query = "UPDATE finds SET document_id = ? WHERE job_id = ? AND canonical_url = ?"

        def work(connection: apsw.Connection) -> None:
            _held(connection, claim)
            connection.execute(query, (document_id, claim.job_id, canonical_url))

        await self._database.write(work)

    async def settle(
        self, claim: Claim, canonical_url: str, document_id: DocumentId | None = None, *, code: str = "", reason: str = ""
    ) -> None:
        """What became of a find: a document, or a failure with its code; with neither, it is left out."""
        status = "failed" if code else "visited" if document_id else "left_out"
        values = {"status": status, "document_id": document_id, "code": code or None, "reason": message.stored(reason) or None}
        values |= {"job_id": claim.job_id, "canonical_url": canonical_url, "now": self._clock.now()}

        def work(connection: apsw.Connection) -> None:
            connection.execute(SETTLE, values | {"task_id": _held(connection, claim)})

        await self._database.write(work)

    async def mark(self, claim: Claim, canonical_url: str, useful: bool) -> None:
        """Whether the document that a find became answers its query."""
        query = "UPDATE finds SET useful = ? WHERE job_id = ? AND canonical_url = ?"

        def work(connection: apsw.Connection) -> None:
            _held(connection, claim)
            connection.execute(query, (int(useful), claim.job_id, canonical_url))

        await self._database.write(work)

    async def note(self, claim: Claim, note: SearchNote) -> None:
        """How far the search of this job has come, in place of what was noted before."""
        values = {"job_id": claim.job_id, "query": note.query, "engine": note.engine, "stop": note.stop, "pages": note.pages}
        values |= {"novelty": json.dumps(note.novelty), "harvest": json.dumps(note.harvest)}

        def work(connection: apsw.Connection) -> None:
            connection.execute(NOTE, values | {"task_id": _held(connection, claim)})

        await self._database.write(work)

    async def of_job(self, job_id: JobId) -> Sequence[StoredUrl]:
        """The finds of a job in order of rank."""
        names = [each.name for each in fields(DiscoveredUrl)]
        query = f"SELECT {', '.join(names)}, status, document_id, useful FROM finds WHERE job_id = ? ORDER BY rank"
        return [
            StoredUrl(DiscoveredUrl(*row[: len(names)]), row[-3], row[-2], None if row[-1] is None else bool(row[-1]))
            for row in await self._rows(query, (job_id,))
        ]

    async def report(self, task_id: TaskId, owner: str, after: int, limit: int, since: int = 0) -> Report:
        """All that a status tells beside the task itself, as of one moment: results after a place, at most so many; results
        and failures since a revision. What was written at that revision is among them: it may have been read before."""

        def work(connection: apsw.Connection) -> Report:
            values: dict[str, Any] = {"task_id": task_id, "since": since}
            at = "SELECT at FROM events WHERE task_id = :task_id AND revision = :since"
            values["since_at"] = connection.execute(at, values).get or ""
            tally = "SELECT kind, state, count(*) FROM jobs WHERE task_id = :task_id GROUP BY kind, state"
            visits = """SELECT count(*) FILTER (WHERE status IN ('visited', 'failed')),
                count(*) FILTER (WHERE status <> 'left_out'),
                count(DISTINCT canonical_url) FILTER (WHERE status <> 'left_out')
                FROM finds WHERE task_id = :task_id AND url LIKE 'http%'"""
            taken_in = """SELECT count(DISTINCT canonical_url) FROM finds
                WHERE task_id = :task_id AND status = 'visited' AND document_id IS NOT NULL"""
            answer = """SELECT id FROM jobs WHERE task_id = :task_id AND kind = :kind AND state = 'completed'
                ORDER BY created_at DESC, id DESC LIMIT 1"""
            changed = "SELECT at FROM events WHERE task_id = :task_id ORDER BY revision DESC LIMIT 1"
            found = every(connection.execute(RESULTS, values | {"after": after, "limit": limit + 1}))
            ((visited, known, sources),) = every(connection.execute(visits, values))
            return Report(
                tally={(kind, JobState(state)): count for kind, state, count in every(connection.execute(tally, values))},
                visited=visited,
                known=known,
                sources=sources,
                taken_in=connection.execute(taken_in, values).get,
                results=[_result(row) for row in found[:limit]],
                last=found[:limit][-1][0] if found[:limit] else after,
                more=len(found) > limit,
                failures=[_failure(*row) for row in every(connection.execute(FAILURES, values | {"most": MOST_FAILURES}))],
                waiting=waiting(connection, owner, task_id),
                answer_id=connection.execute(answer, values | {"kind": JobKind.ANSWER}).get,
                changed_at=connection.execute(changed, values).get,
            )

        return await self._database.read(work)

    async def has_outcome(self, task_id: TaskId, since: int) -> bool:
        """Whether a job has ended, waits for a person, or something went wrong since a revision."""
        ((outcome,),) = await self._rows(OUTCOME, {"task_id": task_id, "since": since})
        return bool(outcome)

    async def orphans(self, task_id: TaskId) -> Sequence[DocumentId]:
        """Web pages that nothing but this task reaches: no other task's finds or answers, no session, no other answer."""
        found = await self._rows(ORPHANS, {"task_id": task_id, "corpus": WEB_CORPUS})
        return [DocumentId(name) for (name,) in found]

    async def forget(self, task_id: TaskId) -> int:
        """Delete the finds of a task, and how they were searched for. Returns how many there were."""

        def work(connection: apsw.Connection) -> int:
            connection.execute("DELETE FROM searches WHERE task_id = ?", (task_id,))
            connection.execute("DELETE FROM finds WHERE task_id = ?", (task_id,))
            return connection.changes()

        return await self._database.write(work)

    async def _rows(self, query: str, values: Any) -> list[tuple[Any, ...]]:
        return await self._database.read(lambda connection: every(connection.execute(query, values)))


def _held(connection: apsw.Connection, claim: Claim) -> str:
    query = "SELECT task_id FROM jobs WHERE id = ? AND state = 'running' AND attempt = ?"
    found = every(connection.execute(query, (claim.job_id, claim.attempt)))
    if not found:
        raise ClaimLost
    return str(found[0][0])


def _columns(find: DiscoveredUrl) -> dict[str, Any]:
    names: Collection[str] = DiscoveredUrl.__dataclass_fields__
    return {name: getattr(find, name) for name in names}


def _result(row: Sequence[Any]) -> ResultRow:
    return ResultRow(
        url=row[1],
        title=row[2],
        query=row[3],
        engine=row[4],
        rank=row[5],
        document_id=None if row[6] is None else DocumentId(row[6]),
        passages=row[7],
        job_id=JobId(row[8]),
        job_state=JobState(row[9]),
        fetched_at=row[10],
        place=row[0],
    )


def _failure(query: str | None, url: str | None, code: str, reason: str | None) -> FailedItem:
    return FailedItem(query, url, code, message.read(reason or ""))
