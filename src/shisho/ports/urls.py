"""The store of jobs' finds, and the reports on them for visitors of a task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.corpus import DocumentId
    from shisho.domain.find import DiscoveredUrl, Report, SearchNote, StoredUrl
    from shisho.domain.job import Claim, JobId, TaskId


class DiscoveredUrls(Protocol):
    """The store of finds. Methods that take a claim raise `ClaimLost` if it has been lost."""

    async def add(self, claim: Claim, finds: Sequence[DiscoveredUrl]) -> int:
        """Store the finds of one page once. Returns the number that are new to the task."""

    async def expect(self, claim: Claim, canonical_url: str, document_id: DocumentId) -> None:
        """Record the document that a find will become, so that its origin is known before it exists."""

    async def settle(
        self,
        claim: Claim,
        canonical_url: str,
        document_id: DocumentId | None = None,
        *,
        code: str = "",
        reason: str = "",
    ) -> None:
        """Record the outcome of a find: a document, a failure with its code, or neither if it is left out.

        A failure does not hide the origin of an expected document that already exists.
        """

    async def mark(self, claim: Claim, canonical_url: str, useful: bool) -> None:
        """Record whether the document of a find answers its query."""

    async def note(self, claim: Claim, note: SearchNote) -> None:
        """Record the progress of this job's search, replacing earlier progress."""

    async def list_of_job(self, job_id: JobId) -> Sequence[StoredUrl]:
        """Return the finds of a job in order of rank."""


class Reports(Protocol):
    """Reports on the finds of tasks."""

    async def report(self, task_id: TaskId, owner: str, after: int, limit: int, since: int = 0) -> Report:
        """Return everything that a status adds to the task itself, in one snapshot.

        At most `limit` results after a position; results and failures since a revision. Those of that same
        revision are included: it may have been read before they were written.
        """

    async def find_last_place(self, task_id: TaskId) -> int:
        """Return the position of the task's latest result, 0 if there is none.

        It never decreases: no report has given a later one.
        """

    async def has_outcome(self, task_id: TaskId, since: int) -> bool:
        """Return True if a job has ended, waits for a person, or failed since a revision."""

    async def list_orphans(self, task_id: TaskId) -> Sequence[DocumentId]:
        """Return web pages that only this task refers to.

        No other task's finds or answers, no session and no other answer refer to them.
        """

    async def forget(self, task_id: TaskId) -> int:
        """Delete the finds of a task and the records of their searches. Returns the number of finds."""
