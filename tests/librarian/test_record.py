"""The record of a run: what is stored, what is given back, what is dropped."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from shisho.domain.answer_news import RunNews, StepForgotten, StepTaken
from shisho.domain.codec import Payload, dumps, to_plain
from shisho.domain.corpus import Citation, DocumentId, NumberedPassage, PassageId
from shisho.domain.inquiry import Inquiry, NextStep, Plan, Verdict
from shisho.domain.loop_state import LoopState, Spending
from shisho.librarian.evidence import Citations
from shisho.librarian.record import RunRecord, RunStopped, StepOutput
from shisho.librarian.search import InquirySearch
from shisho.librarian.strategy import strategy
from shisho.librarian.table import TABLE
from shisho.stores.sql.ledger import StoredLedger
from tests.librarian.library import Library, Ticking
from tests.temporary import new_ledger

pytestmark = pytest.mark.usefixtures("temporary_stores")


def citation(name: str, cluster: str = "") -> Citation:
    return Citation(DocumentId(name), name, name, 3, 1, 4, "本文²", "0" * 64, PassageId(f"{name}-1"), cluster)


class Counting:
    """A node's work that counts how often it is done and takes a citation each time."""

    def __init__(self, citations: Citations) -> None:
        self.citations = citations
        self.done = 0

    async def __call__(self, state: LoopState) -> LoopState:
        self.done += 1
        self.citations.take(citation("a"))
        return LoopState(
            rounds_without_evidence=state.get("rounds_without_evidence", 0) + 1, spent=Spending(rounds=1)
        )


async def begun_ledger() -> StoredLedger:
    ledger = new_ledger()
    await ledger.begin(Inquiry("run", "何か"))
    return ledger


class Run:
    """One process's view of a run over a shared ledger."""

    def __init__(self, ledger: StoredLedger, *, stop: bool = False) -> None:
        self.heard: list[RunNews] = []
        self.citations = Citations()
        self.search = InquirySearch(Library((), 1).opener("run"))
        self.work = Counting(self.citations)
        self.record = RunRecord(
            ledger, "run", self.citations, self.search, Ticking(0.5), self._hear, lambda: stop
        )

    def node(self, name: str = "evaluate", *, stoppable: bool = False) -> Any:
        node = replace(
            TABLE["evaluate"], name=name, sees=("question", "rounds_without_evidence"), stoppable=stoppable
        )
        return self.record.record_act(node, self.work)

    def _hear(self, news: RunNews) -> None:
        self.heard.append(news)


async def test_a_step_taken_before_is_given_back_with_its_time_and_its_citations() -> None:
    ledger = await begun_ledger()
    first = Run(ledger)
    given = await first.node()(LoopState(question="何か", rounds_without_evidence=1))
    assert given == LoopState(rounds_without_evidence=2, spent=Spending(rounds=1, seconds=0.5))
    again = Run(ledger)
    assert await again.node()(LoopState(question="何か", rounds_without_evidence=1)) == given
    assert again.work.done == 0 and first.work.done == 1
    assert again.citations.list_since(0) == first.citations.list_since(0) == (citation("a"),)
    assert [news.replayed for news in first.heard + again.heard if isinstance(news, StepTaken)] == [
        False,
        True,
    ]


async def test_what_a_node_does_not_see_does_not_matter() -> None:
    ledger = await begun_ledger()
    await Run(ledger).node()(LoopState(question="何か", rounds_without_evidence=1))
    again = Run(ledger)
    await again.node()(LoopState(question="何か", rounds_without_evidence=1, exhausted=True))
    assert again.work.done == 0
    seen = {"question": "何か", "rounds_without_evidence": 1}
    fingerprint = sha256(dumps(["evaluate", seen]).encode()).hexdigest()
    assert (await ledger.list_steps("run"))[0].input_hash == fingerprint


async def test_another_input_or_another_node_drops_the_step_and_all_after() -> None:
    for name, state in (
        ("evaluate", LoopState(question="別の問い", rounds_without_evidence=1)),
        ("search", LoopState(question="何か", rounds_without_evidence=1)),
    ):
        ledger = await begun_ledger()
        first = Run(ledger)
        act = first.node()
        for rounds_without_evidence in (1, 2, 3):
            await act(LoopState(question="何か", rounds_without_evidence=rounds_without_evidence))
        again = Run(ledger)
        await again.node(name)(state)
        assert again.work.done == 1
        assert again.heard[0] == StepForgotten(name, 1)
        assert [(step.number, step.node) for step in await ledger.list_steps("run")] == [(1, name)]


async def test_a_wish_to_stop_is_heard_before_new_work_and_not_before_replay() -> None:
    ledger = await begun_ledger()
    await Run(ledger).node()(LoopState(question="何か"))
    late = Run(ledger, stop=True)
    act = late.node(stoppable=True)
    await act(LoopState(question="何か"))
    try:
        await act(LoopState(question="何か", rounds_without_evidence=5))
        raise AssertionError("it went on")
    except RunStopped as stopped:
        assert stopped.state == LoopState(question="何か", rounds_without_evidence=5)
    assert len(await ledger.list_steps("run")) == 1 and late.work.done == 0
    await Run(ledger, stop=True).node("answer")(LoopState(question="何か"))


async def test_a_state_comes_back_as_it_went_in() -> None:
    made = strategy("決定係数と相関係数の違いは何か")
    state = LoopState(
        strategy=made,
        plans=(Plan("意図", ("鍵",), "", "理由", {"course": "統計学", "page": ("1", "2")}),),
        shown=(NumberedPassage(7, "𠮟る\n½ ㈱", "見出し", 0.1 + 0.2),),
        rarity={"係数": 1 / 3},
        verdicts=(Verdict(NextStep.CONTINUE, "G1", "理由"),),
        spent=Spending(1, 0.25),
    )

    async def all_of_it(seen: LoopState) -> LoopState:
        return LoopState(**state)

    ledger = await begun_ledger()
    run = Run(await begun_ledger())
    record = RunRecord(ledger, "run", run.citations, run.search, Ticking(0.0), run._hear, lambda: False)
    assert await record.record_act(replace(TABLE["evaluate"], sees=()), all_of_it)(LoopState()) == state
    assert to_plain((await ledger.list_steps("run"))[0].output)["state"] == to_plain(state)


def test_parts_of_a_state_that_another_release_wrote_are_skipped() -> None:
    output = StepOutput(Payload('{"rounds_without_evidence": 2, "unheard_of": 3}'), ())
    assert output.read_state() == LoopState(rounds_without_evidence=2)


def test_sources_are_independent_by_document_and_by_cluster() -> None:
    citations = Citations()
    numbers = [
        citations.take(citation(name, cluster))
        for name, cluster in [("a", "x"), ("a", "y"), ("b", "y"), ("c", "z"), ("d", ""), ("e", "")]
    ]
    assert numbers == [1, 2, 3, 4, 5, 6]
    assert citations.sources([1, 2]) == 1, "one document"
    assert citations.sources([2, 3]) == 1, "copies of each other"
    assert citations.sources([1, 3]) == 2
    assert citations.sources([1, 3, 2]) == 1, "the second joins the other two"
    assert citations.sources([4, 5, 6]) == 3
    assert citations.sources([]) == 0
