"""An answer's run, taken again."""

from __future__ import annotations

from shisho.desk.parts import DeskParts
from shisho.domain.replay import ReplayReport, compare_answers
from shisho.errors import NotFound


async def replay_answer(parts: DeskParts, prefix: str) -> ReplayReport:
    """As `Desk.replay`."""
    answer = await parts.ledger.answer(prefix, parts.owner)
    try:  # the answer of a task has the id of its run, any other names its run as its task
        run_id = (await parts.ledger.find_inquiry(answer.id)).run_id
    except NotFound:
        run_id = answer.task_id
    return compare_answers(answer, await parts.inquiries.replay(run_id, answer))
