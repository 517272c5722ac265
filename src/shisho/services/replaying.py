"""Replay of an answer's run."""

from __future__ import annotations

from shisho.domain.replay import ReplayReport, compare_answers
from shisho.errors import NotFound
from shisho.services.parts import DeskParts


async def replay_answer(parts: DeskParts, prefix: str) -> ReplayReport:
    """Replay an answer, as `Desk.replay`."""
    answer = await parts.ledger.answer(prefix, parts.owner)
    try:  # a task's answer has the id of its run; any other has its run as its task
        run_id = (await parts.ledger.find_inquiry(answer.id)).run_id
    except NotFound:
        run_id = answer.task_id
    return compare_answers(answer, await parts.inquiries.replay(run_id, answer))
