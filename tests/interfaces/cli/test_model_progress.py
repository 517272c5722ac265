"""A person who waits sees that a model is waited for, and why it wants another round."""

from __future__ import annotations

from typing import Any

import pytest

from shisho.domain.answer_news import ModelWaits, StepTaken, build_progress
from shisho.domain.inquiry import (
    AnswerLevel,
    Budget,
    EvidenceRef,
    GoalJudgment,
    GoalState,
    GoalStatus,
    Judgment,
    NextStep,
    Verdict,
)
from shisho.domain.loop_state import LoopState, Spending
from shisho.domain.survey import PORTION, Survey, SurveyKind
from shisho.interfaces.cli.progress import _Documents
from shisho.interfaces.cli.shell import Words
from shisho.interfaces.ui import room_words
from shisho.librarian.route import route
from shisho.librarian.strategy import strategy
from shisho.librarian.table import TABLE

REASON = "値の範囲がまだ無い"


def step(verdict: Verdict) -> StepTaken:
    return StepTaken("route", 5, replayed=False, change=LoopState(verdicts=(verdict,)))


def tell(news: Any, language: str = "ja") -> list[str]:
    shown: list[str] = []
    _Documents(Words(language), lambda text: shown.append(str(text))).tell(news)
    return shown


def test_the_reason_of_a_model_for_another_round_is_shown_and_that_of_rules_is_not() -> None:
    judgment = Judgment((GoalJudgment("G1", GoalState.PARTIAL),), (), NextStep.CONTINUE, "範囲", REASON)
    status = (GoalStatus("G1", 1, 1, met=False, level=AnswerLevel.ANSWERED),)
    given = {"rounds_without_evidence": 0, "exhausted": False, "next_focus": "G1"}
    parts = (strategy("決定係数とは何か"), status, Budget(), Spending(rounds=1))
    wanted = route(*parts, **given, judgment=judgment)  # type: ignore[arg-type]
    assert wanted.status is NextStep.CONTINUE and wanted.model_reason == REASON
    (line,) = tell(step(wanted))
    assert line.endswith(REASON)
    by_rules = route(*parts, **given)  # type: ignore[arg-type]
    assert by_rules.status is NextStep.CONTINUE and not tell(step(by_rules))
    progress = build_progress(step(wanted))
    assert progress.verdict is not None and progress.verdict.model_reason == REASON


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_wait_for_a_provider_is_shown_with_its_seconds(language: str) -> None:
    (line,) = tell(ModelWaits(12.0), language)
    assert "12" in line
    assert build_progress(ModelWaits(12.0)).step == 12
    words = room_words(language)
    assert "{n}" in words["node_model_wait"]
    assert all(f"node_{node}" in words for node in TABLE)


@pytest.mark.parametrize(("count", "calls"), [(PORTION, None), (PORTION + 1, 6), (3 * PORTION, 8)])
def test_a_long_summary_shows_what_it_takes_before_it_is_written(count: int, calls: int | None) -> None:
    quoted = tuple(EvidenceRef(number, "G1", "", "", 1.0, 0) for number in range(1, count + 1))
    change = LoopState(survey=Survey(SurveyKind.SUMMARY, (), ()), evidence=quoted)
    shown: list[str] = []
    documents = _Documents(Words("ja"), lambda text: shown.append(str(text)))
    documents.show_losses(StepTaken("strategy", 1, replayed=False, change=change))
    assert bool(shown) == (calls is not None)
    assert all(f"約{calls}回" in line and f"{count}か所" in line for line in shown)
