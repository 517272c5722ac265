"""What the stored steps of a run tell, while it is made and afterwards."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from shisho.domain.answer_log import RunTrace
from shisho.domain.corpus import DocumentId, PassageId, RoundRecord, ShownRecord
from shisho.domain.inquiry import Budget, Gap, Inquiry, UnsearchedQuery, WebPolicy, WebQuery, WebResult
from shisho.librarian.loop import run
from shisho.librarian.record import trace_run
from tests.librarian.library import Library, Ticking
from tests.librarian.test_loop import LEAVES, TWO
from tests.temporary import new_ledger

pytestmark = pytest.mark.usefixtures("temporary_stores")

UNKNOWN = "転置索引とは何か"


def record(number: int, *passages: int) -> RoundRecord:
    shown = [
        ShownRecord(place, PassageId(str(passage)), DocumentId("d"), 1.0)
        for place, passage in enumerate(passages, 1)
    ]
    return RoundRecord(number, 5, 40, False, tuple(shown))


async def trace(
    question: str, records: Sequence[RoundRecord] = (), most: int | None = None, **more: object
) -> RunTrace:
    ledger = new_ledger()
    inquiry = Inquiry("run", question, budget=Budget(), **more.pop("inquiry", {}))  # type: ignore[arg-type]
    answer = await run(inquiry, Library(LEAVES, 1).opener("run"), ledger, Ticking(), **more)  # type: ignore[arg-type]
    steps = await ledger.list_steps("run")
    told = trace_run(steps[:most], records)
    if most is None:
        assert (len(told.rounds), told.condition) == (answer.rounds, answer.condition)
        assert round(told.seconds, 6) == round(answer.budget_used["seconds"], 6)
        assert (told.pages, told.calls, told.tokens) == tuple(
            answer.budget_used[name] for name in ("pages", "model_calls", "tokens")
        )
    return told


async def test_each_round_is_told_with_what_it_took_and_decided() -> None:
    told = await trace(TWO, [record(1, 7, 8), record(2, 8, 9)])
    first, second = told.rounds
    assert (first.number, first.evidence[0], first.decision) == (1, 1, "CONTINUE")
    assert (second.number, second.decision) == (2, "COMPLETE")
    assert second.evidence
    assert first.next_focus == "G2" and all(round_.queries and round_.reasoning for round_ in told.rounds)
    counts = [(round_.ranked, round_.in_scope, round_.new, round_.seen) for round_ in told.rounds]
    assert counts == [(5, 40, 2, 2), (5, 40, 1, 3)], "what is shown again is not new"
    assert [(goal.id, goal.met, goal.evidence) for goal in told.goals] == [("G1", True, 1), ("G2", True, 1)]
    assert len(told.document_ids) == 2 and told.web == ()


async def test_a_run_under_way_tells_no_more_than_was_done() -> None:
    for most in range(6):
        told = await trace(TWO, most=most)
        assert len(told.rounds) == (most >= 2) and bool(told.goals) is (most >= 1)
        for round_ in told.rounds:
            assert bool(round_.evidence) is (most >= 4) and bool(round_.decision) is (most >= 5)
            assert round_.ranked is None, "no search was kept"


async def test_each_time_that_the_web_was_asked_is_told_by_itself() -> None:
    engines = iter(("mojeek", "wikipedia", "arxiv"))

    async def ask_web(queries: Sequence[WebQuery], pages: int, seconds: float) -> WebResult:
        engine = next(engines)
        gaps = (UnsearchedQuery(Gap.PERSON, queries[0].text, "a.example"),) if engine == "mojeek" else ()
        return WebResult(tuple(queries), 1, gaps, engines=((queries[0].goal_id, engine),))

    told = await trace(UNKNOWN, inquiry={"web_policy": WebPolicy.LAST}, ask_web=ask_web)
    assert [round_.engines for round_ in told.web] == [("mojeek",), ("wikipedia",), ("arxiv",)][
        : len(told.web)
    ]
    assert len(told.web) >= 2 and all(round_.queries for round_ in told.web)
    assert [len(round_.gaps) for round_ in told.web] == [1] + [0] * (len(told.web) - 1)
    assert told.pages == len(told.web)
