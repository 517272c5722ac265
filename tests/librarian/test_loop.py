"""The whole loop over a small library: what it answers, why it ends, and that a broken run ends like a whole
one."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from shisho.domain.answer_news import RunNews, StepForgotten, StepTaken
from shisho.domain.codec import dumps, to_plain
from shisho.domain.corpus import Complexity
from shisho.domain.inquiry import Answer, Budget, Inquiry, LoopStop, NextStep, Verdict, WebPolicy
from shisho.domain.loop_state import LoopState
from shisho.errors import EmptyCorpus, InternalError, InvalidParams, NotFound
from shisho.integrations.langgraph import run_graph
from shisho.language.display import join_lines
from shisho.librarian.evidence import ANSWERING_SCORE
from shisho.librarian.loop import run
from shisho.librarian.search import SessionOpener
from shisho.librarian.table import TABLE, Runner, run_table
from shisho.stores.embedded.connect import EmbeddedQueryStore
from shisho.stores.sql.ledger import StoredLedger
from shisho.system.clock import SystemClock
from tests.librarian.library import Leaf, Library, Session, Ticking
from tests.temporary import new_ledger, temporary_database

pytestmark = pytest.mark.usefixtures("temporary_stores")

OTHERS = tuple(
    Leaf(f"other{number}", text)
    for number, text in enumerate(
        [
            "今日の天気は晴れである。",
            "京都は日本の古い都である。",
            "猫は魚を好む。",
            "パンは小麦粉から作られる。",
            "鉄道は明治五年に開業した。",
            "富士山は日本で最も高い山である。",
            "水は百度で沸騰する。",
            "月は地球の周りを回る。",
        ]
    )
)
LEAVES = (
    Leaf("r2", "決定係数とは、回帰モデルの当てはまりのよさを表す指標である。0から1の値をとる。", "寄与率"),
    Leaf("r", "相関係数とは、二つの変数の間の線形な関係の強さを表す指標である。", "相関"),
    *OTHERS,
)
TWO = "決定係数と相関係数の違いは何か"
HALF = "決定係数と自由度の違いは何か"
MANY = "決定係数とは何か。自由度とは何か。尤度とは何か。事後確率とは何か"
KANA = "けっていけいすうとはなにか"
NOTHING = "江戸幕府の初代将軍は誰か"
runner_of_test: Runner = run_table


@pytest.fixture(params=[run_table, run_graph], autouse=True)
def each_runner(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "runner_of_test", request.param)


async def asked(question: str, k: int = 3, **changed: Any) -> Answer:
    library = changed.pop("library", None) or Library(LEAVES, k)
    inquiry = Inquiry("run", question, budget=changed.pop("budget", Budget()))
    ledger = changed.pop("ledger", None) or new_ledger()
    clock = changed.pop("clock", None) or Ticking()
    return await run(inquiry, library.opener("run"), ledger, clock, runner=runner_of_test, **changed)


def same(answer: Answer) -> str:
    """All of an answer but its times."""
    return dumps(replace(answer, created_at="", budget_used={**answer.budget_used, "seconds": 0}))


async def test_a_question_is_answered_with_a_quotation_that_opens() -> None:
    answer = await asked("決定係数とは何か")
    assert answer.loop_stop is LoopStop.CONDITION_MET and answer.rounds == 1 and not answer.abstained
    evidence = answer.evidence[0]
    assert evidence.snippet == LEAVES[0].text[evidence.start : evidence.end]
    assert (
        evidence.snippet.startswith("決定係数とは")
        and evidence.heading == "寄与率"
        and evidence.document == "r2"
    )
    assert f"{join_lines(evidence.snippet)}[{evidence.number}]" in answer.text
    assert (
        answer.text.startswith("回答あり · 言語モデルなし")
        and answer.missing == ()
        and answer.model == "none"
    )


async def test_each_goal_gets_its_round_and_the_answer_is_in_goal_order() -> None:
    answer = await asked(TWO, k=1)
    assert answer.loop_stop is LoopStop.CONDITION_MET and answer.rounds == 2
    assert [(one.goal_id, one.round) for one in answer.evidence if one.score >= ANSWERING_SCORE] == [
        ("G1", 1),
        ("G2", 2),
    ]
    assert answer.text.index("### 決定係数とは何か") < answer.text.index("### 相関係数とは何か")
    assert next(sentence.evidence for sentence in answer.sentences) == (1,)


async def test_what_speaks_to_two_goals_is_quoted_once() -> None:
    both = "決定係数とは相関係数の二乗のことである。"
    answer = await asked(TWO, library=Library((Leaf("both", both), *LEAVES), 3))
    assert [one.goal_id for one in answer.evidence if one.snippet == both] == ["G1"]
    assert [one.goal_id for one in answer.evidence if one.snippet == LEAVES[1].text] == ["G2"]


async def test_an_english_question_is_answered_in_english() -> None:
    answer = await asked("What is a median?")
    assert answer.text.startswith(("Near", "Not found")) and answer.abstained


@pytest.mark.parametrize(
    ("question", "k", "budget", "stop", "rounds", "abstained"),
    [
        ("決定係数とは何か", 3, Budget(), LoopStop.CONDITION_MET, 1, False),
        (HALF, 2, Budget(max_rounds=5), LoopStop.STAGNATION, 3, False),
        (NOTHING, 3, Budget(max_rounds=5), LoopStop.STAGNATION, 2, True),
        (HALF, 2, Budget(max_rounds=1), LoopStop.ROUNDS, 1, False),
        (NOTHING, 2, Budget(max_rounds=1), LoopStop.ROUNDS, 1, True),
        (KANA, 2, Budget(), LoopStop.CONDITION_MET, 2, False),
        (NOTHING, 20, Budget(), LoopStop.EXHAUSTED, 1, True),
        (HALF, 20, Budget(), LoopStop.EXHAUSTED, 1, False),
        (HALF, 2, Budget(max_seconds=0.05), LoopStop.SECONDS, 1, False),
    ],
)
async def test_why_it_ends(
    question: str, k: int, budget: Budget, stop: LoopStop, rounds: int, abstained: bool
) -> None:
    answer = await asked(question, k, budget=budget)
    assert (answer.loop_stop, answer.rounds, answer.abstained) == (stop, rounds, abstained)
    assert bool(answer.missing) is (stop is not LoopStop.CONDITION_MET)
    assert all(goal in answer.text for goal in answer.missing) or abstained
    assert answer.budget_used["rounds"] == rounds <= budget.max_rounds
    if abstained:
        assert answer.evidence == () and "見つかりません" in answer.text


async def test_seconds_are_checked_before_they_are_spent() -> None:
    answer = await asked(MANY, 2, budget=Budget(max_rounds=5, max_seconds=0.1))
    assert answer.loop_stop is LoopStop.SECONDS and answer.rounds > 1
    assert answer.budget_used["seconds"] <= 0.1 + 0.02, "only the answer itself comes after the last check"


async def test_another_writing_is_told_and_may_show_again_what_was_shown() -> None:
    library = Library(LEAVES[:2], 1)
    answer = await asked(KANA, library=library)
    assert answer.question == KANA and answer.understood == "決定係数とはなにか"
    assert "「決定係数とはなにか」と解釈しました。" in answer.text
    assert answer.evidence[0].snippet.startswith("決定係数とは") and answer.evidence[0].round == 2
    again = await asked("決定系数とは何か", library=Library(LEAVES[:2], 2))
    assert again.understood == "決定係数とは何か" and not again.abstained


async def test_same_question_same_answer() -> None:
    assert same(await asked(HALF, 2)) == same(await asked(HALF, 2))


async def test_no_passage_is_asked_for_twice_and_no_query_repeated() -> None:
    library = Library(LEAVES, 2)
    await asked(MANY, library=library, budget=Budget(max_rounds=3))
    shown = [at for found in library.rounds.values() for at in found]
    assert len(shown) == len(set(shown)) == 6
    queries = [frozenset(request.keyword_query) for _, _, request in library.requests]
    assert len(queries) == len(set(queries)) == 3


class Dying(StoredLedger):
    """A ledger whose process dies just before or just after it has stored a step."""

    def __init__(self, step: int, *, stored: bool) -> None:
        super().__init__(EmbeddedQueryStore(temporary_database()), SystemClock())
        self.step_of_death: int | None = step
        self.stored = stored

    async def record(
        self, run_id: str, step: int, node: str, input_hash: str, input_: Any, output: Any
    ) -> None:
        if step == self.step_of_death and not self.stored:
            raise ConnectionAbortedError(step)
        await super().record(run_id, step, node, input_hash, input_, output)
        if step == self.step_of_death:
            raise ConnectionAbortedError(step)


@pytest.mark.parametrize(
    ("question", "stored"),
    [
        (TWO, True),
        (NOTHING, False),
        pytest.param(TWO, False, marks=pytest.mark.slow),
        pytest.param(NOTHING, True, marks=pytest.mark.slow),
        pytest.param(HALF, True, marks=pytest.mark.slow),
        pytest.param(HALF, False, marks=pytest.mark.slow),
    ],
)
async def test_a_run_that_died_after_any_step_ends_like_an_undisturbed_one(
    question: str, stored: bool
) -> None:
    ledger = new_ledger()
    whole = await asked(question, 1, ledger=ledger)
    steps = await ledger.list_steps("run")
    assert len(steps) >= 6
    for step in range(1, len(steps) + 1):
        library = Library(LEAVES, 1)
        dying = Dying(step, stored=stored)
        with pytest.raises(ConnectionAbortedError):
            await asked(question, library=library, ledger=dying)
        dying.step_of_death = None
        again = await asked(question, library=library, ledger=dying)
        assert same(again) == same(whole), f"died at step {step}"
        assert len(await dying.list_steps("run")) == len(steps)


async def test_a_finished_run_is_given_again_without_searching() -> None:
    ledger = new_ledger()
    library = Library(LEAVES, 1)
    first = await asked(TWO, library=library, ledger=ledger)
    assert await asked(TWO, library=Library((), 1), ledger=ledger, clock=Ticking(9.0)) == first


def stopping(calls: int) -> Callable[[], bool]:
    """A wish to stop that comes at the `calls`-th time of asking."""
    heard = iter(range(1_000))
    return lambda: next(heard) >= calls - 1


async def test_stopped_at_any_border_it_says_what_it_has_and_goes_on_later() -> None:
    whole = await asked(TWO, 1)
    partial = []
    for calls in range(1, 7):
        ledger = new_ledger()
        library = Library(LEAVES, 1)
        stopped = await asked(TWO, library=library, ledger=ledger, stop=stopping(calls))
        assert stopped.loop_stop is LoopStop.STOPPED and stopped.missing and "再開" in stopped.text
        partial.append(len(stopped.evidence))
        assert "answer" not in [step.node for step in await ledger.list_steps("run")]
        again = await asked(TWO, library=library, ledger=ledger)
        assert same(again) == same(whole)
        assert again.id != stopped.id
        assert await ledger.answer(stopped.id, "local") == stopped
    assert [bool(count) for count in partial] == [False] * 3 + [True] * 3, (
        "three borders a round, evidence from the first on"
    )


async def test_a_wish_to_stop_is_not_heard_once_the_condition_is_met() -> None:
    answer = await asked("決定係数とは何か", stop=stopping(4))
    assert answer.loop_stop is LoopStop.CONDITION_MET


async def test_a_changed_input_drops_what_followed_from_it_and_is_told() -> None:
    ledger = new_ledger()
    library = Library(LEAVES, 2)
    heard: list[RunNews] = []
    await asked(HALF, library=library, ledger=ledger, budget=Budget(max_rounds=1))
    answer = await asked(
        HALF,
        library=library,
        ledger=ledger,
        budget=Budget(max_rounds=2),
        notify=heard.append,
    )
    assert answer.rounds == 2 and answer.loop_stop is LoopStop.ROUNDS
    assert StepForgotten("route", 5) in heard, "the first route saw another budget"
    replayed = [(news.node, news.step) for news in heard if isinstance(news, StepTaken) and news.replayed]
    assert replayed == [(node, step) for step, node in enumerate(NODES[:4], 1)]


NODES = ["strategy", "plan", "search", "evaluate", "route", "answer"]


async def test_every_node_stands_in_the_ledger_with_its_output() -> None:
    ledger = new_ledger()
    await asked(TWO, 1, ledger=ledger)
    steps = to_plain([*await ledger.list_steps("run")])
    assert [step["node"] for step in steps] == [*NODES[:5], *NODES[1:]]
    assert [step["number"] for step in steps] == list(range(1, len(steps) + 1))
    by_node = {step["node"]: step for step in steps}
    asked_input = {"question": TWO, "earlier": []}
    assert by_node["strategy"]["input_hash"] == sha256(dumps(["strategy", asked_input]).encode()).hexdigest()
    assert by_node["search"]["output"]["state"]["shown"][0]["text"] == LEAVES[1].text
    blocks = by_node["answer"]["output"]["state"]["draft"]["blocks"]
    texts = {LEAVES[0].text, LEAVES[1].text}
    assert {block["text"] for block in blocks if "marks" in block} == texts
    assert len({step["input_hash"] for step in steps}) == len(steps)


async def test_the_librarian_sees_numbers_and_never_an_id() -> None:
    ledger = new_ledger()
    answer = await asked(TWO, 1, ledger=ledger)
    for step in to_plain([*await ledger.list_steps("run")]):
        logical = dumps([step["texts"], step["output"]["state"]])
        assert "document-" not in logical and "passage_id" not in logical and "in_scope" not in logical
    assert all(one.document_id.startswith("document-") for one in answer.evidence)


async def test_a_source_removed_between_search_and_quotation_is_not_quoted() -> None:
    library = Library(LEAVES, 20, removed={"r2"})
    answer = await asked("決定係数とは何か", library=library)
    assert all(one.document != "r2" for one in answer.evidence)
    assert answer.abstained


async def test_a_blank_question_leaves_no_trace() -> None:
    ledger = new_ledger()
    with pytest.raises(InvalidParams):
        await asked("   ", ledger=ledger)
    with pytest.raises(NotFound):
        await ledger.find_inquiry("run")


async def test_an_error_of_the_searcher_is_the_error_of_the_run() -> None:
    async def nothing(complexity: Complexity, reached: bool) -> Session:
        raise EmptyCorpus("There is nothing to search.")

    opener: SessionOpener = nothing
    with pytest.raises(EmptyCorpus):
        await run(Inquiry("run", TWO), opener, new_ledger(), Ticking(), runner=runner_of_test)


async def test_a_run_is_continued_from_what_it_was_begun_with() -> None:
    ledger = new_ledger()
    inquiry = Inquiry("run", TWO, budget=Budget(max_rounds=2))
    await run(inquiry, Library(LEAVES, 1).opener("run"), ledger, Ticking(), runner=runner_of_test)
    assert await ledger.find_inquiry("run") == inquiry
    with pytest.raises(NotFound):
        await ledger.find_inquiry("another")


async def test_a_cancelled_run_stops_in_its_node_and_goes_on_from_its_last_step() -> None:
    ledger = new_ledger()
    library = Library(LEAVES, 1)
    whole = await asked(TWO, 1)
    reached_search = asyncio.Event()

    async def opener(complexity: Complexity, reached: bool) -> Session:
        reached_search.set()
        await asyncio.Event().wait()
        raise AssertionError

    task = asyncio.create_task(run(Inquiry("run", TWO), opener, ledger, Ticking(), runner=runner_of_test))
    await reached_search.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [step.node for step in await ledger.list_steps("run")] == ["strategy", "plan"]
    assert same(await asked(TWO, library=library, ledger=ledger)) == same(whole)


async def test_a_table_that_never_ends_is_a_fault_of_ours_and_not_a_hang() -> None:
    async def plan(state: LoopState) -> LoopState:
        return LoopState(plans=())

    async def route(state: LoopState) -> LoopState:
        return LoopState(verdicts=(Verdict(NextStep.CONTINUE, "", ""),))

    acts = dict.fromkeys(TABLE, plan) | {"route": route}
    with pytest.raises(InternalError, match="12 steps"):
        await runner_of_test(acts, LoopState(question=TWO, web_policy=WebPolicy.NEVER), 12)
