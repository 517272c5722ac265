"""An answer replayed from its run's ledger, and the differences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shisho.domain.codec import dumps, to_plain
from shisho.domain.inquiry import Answer

_OF_ONE_TIME = ("id", "task_id", "created_at", "conversation_id")
_OF_ONE_PLACE = ("id", "document", "source_url", "link", "source_state")


@dataclass(frozen=True, slots=True)
class AnswerDifference:
    """A field of an answer before and now, as JSON."""

    field: str
    before: str
    now: str


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """An answer, the replayed answer, and the fields that differ."""

    before: Answer
    now: Answer
    differences: tuple[AnswerDifference, ...]

    @property
    def is_same(self) -> bool:
        return not self.differences


def compare_answers(before: Answer, now: Answer) -> ReplayReport:
    """Compare two answers, except ids, clocks, and the current sources of documents."""
    then_fields = _select_lasting(before)
    now_fields = _select_lasting(now)
    differences = tuple(
        AnswerDifference(name, dumps(then_fields[name]), dumps(now_fields[name]))
        for name in then_fields
        if then_fields[name] != now_fields[name]
    )
    return ReplayReport(before, now, differences)


def _select_lasting(answer: Answer) -> Mapping[str, Any]:
    fields: dict[str, Any] = {
        name: part for name, part in to_plain(answer).items() if name not in _OF_ONE_TIME
    }
    fields["budget_used"] = {name: n for name, n in fields["budget_used"].items() if name != "seconds"}
    fields["evidence"] = [
        {name: part for name, part in quotation.items() if name not in _OF_ONE_PLACE}
        for quotation in fields["evidence"]
    ]
    return fields
