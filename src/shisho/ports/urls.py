"""Where what jobs have found is stored, and what a task's visitor is told of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.corpus import DocumentId
    from shisho.domain.find import DiscoveredUrl, Report, SearchNote, StoredUrl
    from shisho.domain.job import Claim, JobId, TaskId


class DiscoveredUrls(Protocol):
    """Where what is found is stored. Whatever takes a claim raises `ClaimLost` where it is no longer held."""

    async def add(self, claim: Claim, finds: Sequence[DiscoveredUrl]) -> int:
        """Store what one page holds, once. Returns how many of them the task had not met elsewhere."""

    async def expect(self, claim: Claim, canonical_url: str, document_id: DocumentId) -> None:
        """The document that a find is about to become: where a document came from is known before it is
        there."""

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
        out. What fails when the expected document is already there does not hide where that came from."""

    async def mark(self, claim: Claim, canonical_url: str, useful: bool) -> None:
        """Store whether the document that a find became answers its query."""

    async def note(self, claim: Claim, note: SearchNote) -> None:
        """How far the search of this job has come, in place of what was noted before."""

    async def list_of_job(self, job_id: JobId) -> Sequence[StoredUrl]:
        """The finds of a job in order of rank."""


class Reports(Protocol):
    """Reports on what the jobs of tasks have found."""

    async def report(self, task_id: TaskId, owner: str, after: int, limit: int, since: int = 0) -> Report:
        """All that a status tells beside the task itself, as of one moment: results after a place, at most so
        many; results and failures since a revision. What was written at that revision is among them: it may
        have been read before."""

    async def find_last_place(self, task_id: TaskId) -> int:
        """The place of the task's latest result, 0 where there is none. It never goes down: no report has
        told a later one."""

    async def has_outcome(self, task_id: TaskId, since: int) -> bool:
        """True where a job has ended, waits for a person, or something went wrong since a revision."""

    async def list_orphans(self, task_id: TaskId) -> Sequence[DocumentId]:
        """Web pages that nothing but this task reaches: no other task's finds or answers, no session, no
        other answer."""

    async def forget(self, task_id: TaskId) -> int:
        """Delete the finds of a task, and how they were searched for. Returns how many there were."""
