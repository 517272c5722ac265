"""Going on or ending, by table; and which goal is next."""

from __future__ import annotations

from typing import Any

from shisho.domain.corpus import Complexity
from shisho.domain.inquiry import (
    AnswerLevel,
    Budget,
    Goal,
    GoalStatus,
    Judgment,
    LoopStop,
    NextStep,
    Strategy,
    Verdict,
)
from shisho.domain.loop_state import Spending
from shisho.librarian.route import choose_next_focus, conclude, route
from tests.tables import each_row

GOALS = (Goal("G1", "一つ目は何か"), Goal("G2", "二つ目は何か", min_evidence=2), Goal("G3", "三つ目は何か"))
BUDGET = Budget(max_rounds=3, max_seconds=10.0, max_pages=5, max_model_calls=4, max_tokens=100)


def status(met: str, evidence: int = 0) -> tuple[GoalStatus, ...]:
    return tuple(
        GoalStatus(
            goal.id,
            1 if goal.id in met else evidence,
            int(goal.id in met),
            goal.id in met,
            AnswerLevel.ANSWERED if goal.id in met or evidence else AnswerLevel.NOTHING,
        )
        for goal in GOALS
    )


def decided(condition: str, met: str, **changed: Any) -> Verdict:
    strategy = Strategy("三つの点は何か", GOALS, condition, Complexity.SEVERAL)
    facts: dict[str, Any] = {
        "status": status(met, changed.pop("evidence", 0)),
        "budget": BUDGET,
        "spending": Spending(rounds=1, seconds=1.0),
        "rounds_without_evidence": 0,
        "exhausted": False,
        "next_focus": "G2",
    }
    return route(strategy, **{**facts, **changed})


@each_row(
    ("condition", "met", "changed", "status", "stop"),
    [
        ("G1 and G2 and G3", "G1 G2 G3", {}, NextStep.COMPLETE, LoopStop.CONDITION_MET),
        ("G1 or G2", "G1", {}, NextStep.COMPLETE, LoopStop.CONDITION_MET),
        ("at_least(2, G1, G2, G3)", "G1 G3", {}, NextStep.COMPLETE, LoopStop.CONDITION_MET),
        ("G1 and G2", "G1", {}, NextStep.CONTINUE, None),
        # The condition comes before every other reason.
        (
            "G1",
            "G1",
            {"exhausted": True, "rounds_without_evidence": 2, "spending": Spending(rounds=3)},
            NextStep.COMPLETE,
            LoopStop.CONDITION_MET,
        ),
        ("G1 and G2", "G1", {"exhausted": True}, NextStep.COMPLETE, LoopStop.EXHAUSTED),
        ("G1 and G2", "", {"exhausted": True}, NextStep.ABSTAIN, LoopStop.EXHAUSTED),
        ("G1 and G2", "G1", {"rounds_without_evidence": 1}, NextStep.CONTINUE, None),
        ("G1 and G2", "G1", {"rounds_without_evidence": 2}, NextStep.COMPLETE, LoopStop.STAGNATION),
        ("G1 and G2", "", {"rounds_without_evidence": 2}, NextStep.ABSTAIN, LoopStop.STAGNATION),
        (
            "G1 and G2",
            "",
            {"evidence": 1, "rounds_without_evidence": 2},
            NextStep.COMPLETE,
            LoopStop.STAGNATION,
        ),
        ("G1 and G2", "G1", {"is_done": True}, NextStep.COMPLETE, LoopStop.STAGNATION),
        ("G1 and G2", "", {"is_done": True, "exhausted": True}, NextStep.ABSTAIN, LoopStop.EXHAUSTED),
        ("G1 and G2", "G1 G2", {"is_done": True}, NextStep.COMPLETE, LoopStop.CONDITION_MET),
        ("G1 and G2", "", {"spending": Spending(rounds=2, seconds=1.0)}, NextStep.CONTINUE, None),
        ("G1 and G2", "", {"spending": Spending(rounds=3, seconds=1.0)}, NextStep.ABSTAIN, LoopStop.ROUNDS),
        # The next round would cost five seconds, as those before did: it is not begun.
        (
            "G1 and G2",
            "G1",
            {"spending": Spending(rounds=1, seconds=5.1)},
            NextStep.COMPLETE,
            LoopStop.SECONDS,
        ),
        ("G1 and G2", "G1", {"spending": Spending(rounds=1, seconds=1.0, pages=5)}, NextStep.CONTINUE, None),
        (
            "G1 and G2",
            "G1",
            {"exhausted": True, "spending": Spending(rounds=1, pages=4)},
            NextStep.COMPLETE,
            LoopStop.EXHAUSTED,
        ),
        (
            "G1 and G2",
            "G1",
            {"exhausted": True, "spending": Spending(rounds=1, pages=5)},
            NextStep.COMPLETE,
            LoopStop.PAGES,
        ),
        (
            "G1 and G2",
            "",
            {"rounds_without_evidence": 2, "spending": Spending(rounds=1, pages=5)},
            NextStep.ABSTAIN,
            LoopStop.PAGES,
        ),
        (
            "G1 and G2",
            "G1",
            {"spending": Spending(rounds=2, seconds=1.0, model_calls=3)},
            NextStep.COMPLETE,
            LoopStop.MODEL_CALLS,
        ),
        (
            "G1 and G2",
            "",
            {"spending": Spending(rounds=1, seconds=1.0, tokens=51)},
            NextStep.ABSTAIN,
            LoopStop.TOKENS,
        ),
        # A model may want more though the condition is fulfilled, as far as there is more.
        ("G1", "G1", {"judgment": Judgment(status=NextStep.CONTINUE)}, NextStep.CONTINUE, None),
        ("G1", "G1", {"judgment": Judgment(read_around=(1,))}, NextStep.CONTINUE, None),
        (
            "G1",
            "G1",
            {"judgment": Judgment(read_around=(1,)), "exhausted": True},
            NextStep.COMPLETE,
            LoopStop.CONDITION_MET,
        ),
        ("G1 and G2", "G1", {"judgment": Judgment(status=NextStep.COMPLETE)}, NextStep.CONTINUE, None),
        # `not` holds once the search has ended without evidence, and no earlier.
        ("G1 and not G2", "G1", {}, NextStep.CONTINUE, None),
        ("G1 and not G2", "G1", {"exhausted": True}, NextStep.COMPLETE, LoopStop.CONDITION_MET),
        ("G1 and not G2", "G1 G2", {"exhausted": True}, NextStep.COMPLETE, LoopStop.EXHAUSTED),
        (
            "G1 and not G2",
            "G1",
            {"exhausted": True, "leads_to_web": lambda stop: True},
            NextStep.COMPLETE,
            LoopStop.EXHAUSTED,
        ),
    ],
)
def test_route(
    condition: str, met: str, changed: dict[str, Any], status: NextStep, stop: LoopStop | None
) -> None:
    verdict = decided(condition, met, **changed)
    assert (verdict.status, verdict.loop_stop) == (status, stop)
    assert verdict.next_focus == ("G2" if stop is None else "")


def test_the_reason_names_every_goal() -> None:
    reason = decided("G1 and G2", "G1").judgment_reason
    assert "G1 1/1 evidence" in reason and "G2 0/2 evidence" in reason


def test_being_stopped_keeps_what_was_found() -> None:
    assert conclude(LoopStop.STOPPED, status("G1"), "").status is NextStep.COMPLETE
    assert conclude(LoopStop.STOPPED, status(""), "").status is NextStep.ABSTAIN


@each_row(
    ("met", "before", "expected"),
    [
        ("", [], "G1"),
        ("G1", [], "G2"),
        ("", ["G1"], "G2"),
        ("", ["G1", "G2"], "G3"),
        ("", ["G1", "G2", "G3"], "G1"),
        ("G2", ["G1"], "G3"),
        ("G1 G2 G3", [], ""),
    ],
)
def test_the_goal_with_the_most_budget_left_is_next(met: str, before: list[str], expected: str) -> None:
    verdicts = [Verdict(NextStep.CONTINUE, focus, "") for focus in before]
    assert choose_next_focus(GOALS, status(met), verdicts) == expected
