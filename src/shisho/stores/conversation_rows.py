"""Conversations and their turns from database rows: the same in every database."""

from __future__ import annotations

import json
from typing import Any

from shisho.domain.conversation import ConversationSummary, ConversationTurn
from shisho.domain.inquiry import AnswerLevel, LoopStop
from shisho.stores.nouns import Row


def read_turn(number: int, row: Row) -> ConversationTurn:
    """Build a turn from a run, its question, and the ID and body of its latest answer."""
    answer: dict[str, Any] = json.loads(row.body) if row.body else {}
    level = answer.get("level")
    loop_stop = answer.get("loop_stop")
    return ConversationTurn(
        number=number,
        run_id=row.run_id,
        question=row.question,
        understood=answer.get("understood") or row.question,
        answer_id=row.answer_id,
        level=None if level is None else AnswerLevel(level),
        loop_stop=None if loop_stop is None else LoopStop(loop_stop),
    )


def read_summary(row: Row) -> ConversationSummary:
    """Build a summary from a conversation, its first question and its newest turn."""
    return ConversationSummary(
        conversation_id=row.id,
        question=row.question,
        turns=row.turns,
        last_answer_id=row.answer_id,
        created_at=row.created_at,
        changed_at=row.changed_at,
        place=row.place,
    )
