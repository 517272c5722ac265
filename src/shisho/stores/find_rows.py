"""Discovered URLs and their reports from database rows: the same in every database."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from shisho.domain.corpus import DocumentId
from shisho.domain.find import DiscoveredUrl, Report, StoredUrl, UrlState
from shisho.domain.job import Claim, JobId, JobState
from shisho.domain.task import INTAKES, FailedItem, Progress, ResultRow
from shisho.domain.time import Instant
from shisho.domain.web import PagingStop, SearchPaging
from shisho.messages import message
from shisho.stores.nouns import Row


def find_columns(find: DiscoveredUrl) -> dict[str, Any]:
    """Return the values of a find by column."""
    names: Collection[str] = DiscoveredUrl.__dataclass_fields__
    return {name: getattr(find, name) for name in names}


def fill_settled_columns(
    claim: Claim, canonical_url: str, document_id: DocumentId | None, code: str, reason: str, now: Instant
) -> dict[str, Any]:
    """Return the outcome of a find by column, with its key."""
    status = UrlState.FAILED if code else UrlState.VISITED if document_id else UrlState.LEFT_OUT
    return {
        "status": status,
        "document_id": document_id,
        "code": code or None,
        "reason": message.write(reason) or None,
        "job_id": claim.job_id,
        "canonical_url": canonical_url,
        "now": now,
    }


def make_report(
    after: int, limit: int, tally: Sequence[Row], visits: Row, results: Sequence[Row], **rest: Any
) -> Report:
    """Build a report; `results` has one row more than `limit` if there are more."""
    return Report(
        tally={(row.kind, JobState(row.state)): row.jobs for row in tally},
        visited=visits.visited,
        known=visits.known,
        sources=visits.sources,
        reading=_reading(tally),
        results=[read_result(row) for row in results[:limit]],
        last=results[:limit][-1].seq if results[:limit] else after,
        more=len(results) > limit,
        **rest,
    )


def _reading(tally: Sequence[Row]) -> Progress:
    intakes = [row for row in tally if row.kind in INTAKES and row.state == JobState.RUNNING]
    return Progress(sum(row.pages_read or 0 for row in intakes), sum(row.pages_total or 0 for row in intakes))


def read_stored(row: Row) -> StoredUrl:
    """Build a stored find from its columns."""
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
        reason=message.read(row.reason or ""),
    )


def read_result(row: Row) -> ResultRow:
    """Build a result from a find, the document that it became, and its job's state."""
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


def read_searches(rows: Sequence[Row]) -> list[SearchPaging]:
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


def read_failure(row: Row) -> FailedItem:
    """Build a failed item from its request, error code and reason."""
    reason = message.read(row.reason or "")
    return FailedItem(query=row.query, url=row.url, code=row.code, reason=reason)
