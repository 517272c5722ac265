"""The desk's verbs of shared tasks: members of a group see the status of a task and its answer."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from shisho.domain.audit import AuditVerb
from shisho.domain.corpus import LOCAL_OWNER
from shisho.domain.job import ENDED, JobId, JobState, TaskId
from shisho.domain.task import AnswerHandle
from shisho.domain.team import TaskShare
from shisho.errors import NotFound, TaskNotFound
from shisho.services.sharing import MOST_SHARES
from shisho.services.web_verbs import WebVerbs


class SharedVerbs(WebVerbs):
    """The sharing verbs of `TaskDesk`.

    Only its owner sees a task that is not shared; a shared task hides documents that its reader may not read.
    """

    __slots__ = ()

    async def share_task(self, name: str, group: str) -> None:
        """Share a task's status and answer with a group. Raises NotFound.

        By task, or by an answer that the shell made directly.
        """
        await self._parts.shared.check_group(group)
        shared_id = await self._find_shareable(name)
        await self._parts.shared.shares.share(shared_id, group, self._parts.owner)
        await self._parts.access.record(AuditVerb.SHARE, shared_id, group)

    async def unshare_task(self, name: str, group: str) -> None:
        """Stop sharing, with immediate effect. Raises NotFound if it was not shared."""
        shared_id = await self._find_shareable(name)
        if not await self._parts.shared.shares.unshare(shared_id, group, self._parts.owner):
            raise NotFound("share.not_shared", id=shared_id, name=group)
        await self._parts.access.record(AuditVerb.UNSHARE, shared_id, group)

    async def list_shares(self) -> Sequence[TaskShare]:
        """List the visitor's own shares, then those of others with the visitor's groups, newest first."""
        shares = self._parts.shared.shares
        own = await shares.list_of_owner(self._parts.owner, MOST_SHARES)
        return [*own, *await shares.list_visible(self._parts.owner, MOST_SHARES)]

    async def _find_shareable(self, name: str) -> str:
        with suppress(TaskNotFound):
            return await self._find(name)
        answer = await self._parts.ledger.answer(name, self._parts.owner)
        with suppress(TaskNotFound):
            return await self._find(answer.task_id)
        return answer.id

    async def _find_readable(self, name: str) -> tuple[TaskId, TaskShare | None]:
        """Return a task of the visitor, or a shared one, named by its complete id. Raises TaskNotFound."""
        try:
            return await self._find(name), None
        except TaskNotFound:
            share = await self._parts.shared.find(name)
            if share is None:
                raise
        await self._parts.access.record(AuditVerb.READ, share.shared_id)
        await self._parts.tasks.get_task(TaskId(name))  # it may have been an answer's
        return TaskId(name), share

    async def _check_shared(self, task_id: TaskId) -> None:
        """Raise TaskNotFound if a share has ended, as it may while its reader waits."""
        if await self._parts.shared.find(task_id) is None:
            await self._find(task_id)

    async def _find_managed(self, name: str) -> TaskId:
        """Return a task that the visitor may stop or remove.

        Their own; for the library's administrator any, by its complete id.
        """
        try:
            return await self._find(name)
        except TaskNotFound:
            if self._parts.owner != LOCAL_OWNER:
                raise
            return (await self._parts.tasks.get_task(TaskId(name))).id

    async def _shared_answer(self, answer_id: str, seconds: float) -> AnswerHandle | None:
        """Return an answer that another user has shared, or None."""
        share = await self._parts.shared.find(answer_id)
        if share is None:
            return await self._shared_job_answer(answer_id, seconds)
        return await self._shown(TaskId(share.shared_id), answer_id, share)

    async def _shared_job_answer(self, answer_id: str, seconds: float) -> AnswerHandle | None:
        try:
            job = await self._parts.jobs.get_job(JobId(answer_id))
        except NotFound:
            return None
        if await self._parts.shared.find(job.task_id) is None:
            return None
        job, task = await self._ended(job, seconds)
        share = await self._parts.shared.find(job.task_id)
        if share is None:  # it has ended since
            return None
        if job.state is JobState.COMPLETED:
            return await self._shown(task.id, job.id, share)
        after = None if job.state in ENDED else await self._count_retry(job, task)
        return AnswerHandle(task.id, job.id, None, after)

    async def _shown(self, task_id: TaskId, answer_id: str, share: TaskShare) -> AnswerHandle:
        answer = await self._parts.ledger.answer(answer_id, share.owner)
        await self._parts.access.record(AuditVerb.READ, answer_id)
        return AnswerHandle(task_id, answer_id, await self._parts.shared.answer(answer), None)
