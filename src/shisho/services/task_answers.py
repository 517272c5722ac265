"""The answer of a task's question, made in this process while the caller waits."""

from __future__ import annotations

from shisho.domain.inquiry import Answer
from shisho.domain.job import ENDED
from shisho.domain.task import AnswerHandle
from shisho.errors import NotFound
from shisho.services.callbacks import Notify, Stop
from shisho.services.news import AnswerReady, TaskChanged
from shisho.services.parts import DeskParts

TICK = 0.5  # seconds until a stop request is noticed


async def follow_answer(parts: DeskParts, queued: AnswerHandle, notify: Notify, stop: Stop) -> Answer:
    """Report the task's changes until its question has an answer and the job has ended.

    After a stop request, return the partial answer. The answer is stored before its job ends: the worker,
    which runs here, would queue the job again if it left in between.
    """
    revision = None
    cursor = None
    async with parts.working():
        while not stop():
            wait = 0.0 if revision is None else TICK
            snapshot = await parts.tasks.get_status(
                queued.task_id, wait=wait, since_revision=revision, cursor=cursor
            )
            if snapshot.changed or snapshot.more:
                notify(TaskChanged(snapshot, (await parts.tasks.list_jobs(queued.task_id)).jobs))
            handle = await parts.tasks.wait_for_answer(queued.answer_id)
            if handle.answer is not None and await _has_job_ended(parts, queued):
                notify(AnswerReady(handle.answer))
                return handle.answer
            revision = None if snapshot.more else snapshot.revision
            cursor = snapshot.cursor
    try:
        return await parts.inquiries.run(queued.answer_id, notify, stop)
    except NotFound:
        raise NotFound("task.stopped_before_begun", task_id=queued.task_id) from None


async def _has_job_ended(parts: DeskParts, queued: AnswerHandle) -> bool:
    question = await parts.tasks.find_question(queued.answer_id)
    return question is None or question[0].state in ENDED
