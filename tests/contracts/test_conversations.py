"""What every register of conversations promises."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from shisho.domain.conversation import NewTurn
from shisho.domain.corpus import Scope
from shisho.domain.inquiry import AnswerLevel, Inquiry, LoopStop
from shisho.errors import InvalidParams, NotFound
from shisho.ports import ConversationStore, Ledger
from shisho.stores.embedded.connect import EmbeddedQueryStore
from shisho.stores.postgres.connect import PostgresQueryStore
from shisho.stores.sql.conversations import StoredConversations
from shisho.system.clock import SystemClock
from tests.contracts.conftest import embedded_store, fresh_postgres
from tests.contracts.test_ledger import answer, evidence


@dataclass(frozen=True)
class Talks:
    conversations: ConversationStore
    ledger: Ledger

    async def ask(self, run_id: str, question: str, conversation_id: str = "", owner: str = "local") -> None:
        await self.conversations.add_turn(NewTurn(run_id, question, owner, conversation_id))
        await self.ledger.begin(Inquiry(run_id, question, Scope(owner)))


async def nothing_to_erase() -> bool:
    return True


@pytest.fixture(params=["embedded", "postgres"])
async def talks(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Talks]:
    if request.param == "postgres":
        async with fresh_postgres() as store:
            yield Talks(StoredConversations(PostgresQueryStore(store.database), SystemClock()), store.ledger)
        return
    async with embedded_store(tmp_path) as store:
        made = StoredConversations(EmbeddedQueryStore(store.database), SystemClock(), nothing_to_erase)
        yield Talks(made, store.ledger)


async def test_what_no_database_has_a_place_for_is_refused(talks: Talks) -> None:
    with pytest.raises(InvalidParams, match="incomplete character"):
        await talks.conversations.add_turn(NewTurn("run1", "決定係数\ud800とは何か", "local"))
    with pytest.raises(InvalidParams, match="incomplete character"):
        await talks.conversations.find("\ud800", "local")
    with pytest.raises(InvalidParams, match="longer than 64 bits"):
        await talks.conversations.list_newest("local", None, 2**70)
    await talks.ask("run1", "決定係数とは何か")
    assert (await talks.conversations.find("last", "local"))[0] == "run1"


async def test_turns_follow_in_the_order_they_were_asked(talks: Talks) -> None:
    await talks.ask("run1", "決定係数とは何か")
    await talks.ask("run2", "それはなぜ?", "run1")
    await talks.ask("run3", "別の問い")
    await talks.ask("run2", "同じ一問", "run1")
    turns = await talks.conversations.list_turns("run1")
    assert [(turn.number, turn.question) for turn in turns] == [(1, "決定係数とは何か"), (2, "それはなぜ?")]
    assert (await talks.conversations.find("last", "local"))[0] == "run3"
    assert await talks.conversations.list_turns("nowhere") == []


async def test_a_blank_names_no_conversation_though_there_is_one(talks: Talks) -> None:
    await talks.ask("run1", "決定係数とは何か")
    for blank in ("", " "):
        with pytest.raises(InvalidParams, match="The id of the conversation is blank"):
            await talks.conversations.find(blank, "local")


async def test_a_turn_is_told_as_it_was_understood(talks: Talks) -> None:
    await talks.ask("run1", "決定係数とは何か")
    await talks.ask("run2", "その定義は?", "run1")
    read = replace(answer("abc2", "2026-01-02"), task_id="run2", understood="決定係数の定義は?")
    await talks.ledger.save(read, "local")
    await talks.ledger.save(replace(answer("run1", "2026-01-03"), task_id="task7"), "local")
    turns = await talks.conversations.list_turns("run1")
    assert [turn.understood for turn in turns] == ["決定係数とは何か", "決定係数の定義は?"]
    assert (await talks.conversations.find("abc2", "local"))[0] == "run1"


async def test_a_conversation_belongs_to_who_began_it(talks: Talks) -> None:
    await talks.ask("run1", "決定係数とは何か")
    with pytest.raises(NotFound, match="no conversation run1"):
        await talks.conversations.find("run1", "someone")
    with pytest.raises(NotFound, match="no earlier question"):
        await talks.conversations.find("last", "someone")
    with pytest.raises(NotFound, match="conversation_id"):
        await talks.conversations.add_turn(NewTurn("run9", "それは?", "someone", "run1"))
    await talks.ask("run2", "別の問い")
    with pytest.raises(NotFound, match="More than one conversation begins with run"):
        await talks.conversations.find("run", "local")


async def test_conversations_are_listed_by_their_newest_turn(talks: Talks) -> None:
    for run_id, conversation_id in (("run1", ""), ("run2", ""), ("run3", "run1"), ("run4", "")):
        await talks.ask(run_id, f"{run_id} の問い", conversation_id)
    await talks.ask("run9", "他人の問い", owner="someone")
    await talks.ledger.save(replace(answer("abc3", "2026-01-02"), task_id="run3"), "local")
    first = await talks.conversations.list_newest("local", None, 2)
    assert [(row.conversation_id, row.question, row.turns) for row in first] == [
        ("run4", "run4 の問い", 1),
        ("run1", "run1 の問い", 2),
    ]
    assert [(row.last_answer_id, row.changed_at) for row in first[1:]] == [("abc3", "2026-01-02")]
    assert first[0].last_answer_id is None and first[0].changed_at >= first[0].created_at
    rest = await talks.conversations.list_newest("local", first[-1].place, 10)
    assert [row.conversation_id for row in rest] == ["run2"]


async def test_a_turn_says_what_came_of_it_and_names_its_conversation_before(talks: Talks) -> None:
    await talks.ask("run1", "決定係数とは何か")
    await talks.ask("xyz2", "その定義は?", "run1")
    assert (await talks.conversations.find("xyz", "local"))[0] == "run1"
    with pytest.raises(NotFound):
        await talks.conversations.find("xyz", "someone")
    await talks.ledger.save(answer("abc1", "2026-01-02"), "local")
    first, second = await talks.conversations.list_turns("run1")
    assert (first.answer_id, first.level, first.loop_stop) == (
        "abc1",
        AnswerLevel.NOTHING,
        LoopStop.CONDITION_MET,
    )
    assert (second.answer_id, second.level, second.loop_stop) == (None, None, None)


async def test_what_is_removed_takes_runs_and_answers_with_it(talks: Talks) -> None:
    await talks.ask("run1", "決定係数とは何か")
    await talks.ask("run2", "それはなぜ?", "run1")
    await talks.ask("run3", "別の問い")
    await talks.ledger.save(answer("abc1", "2026-01-01", evidence(1, "R² と書く。")), "local")
    await talks.ledger.save(replace(answer("abc3", "2026-01-02"), task_id="run3"), "local")
    assert await talks.conversations.remove("run1", ["run1"]) is None
    assert len(await talks.conversations.list_turns("run1")) == 2
    removed = await talks.conversations.remove("run1", ["run1", "run2"])
    assert removed is not None
    assert (removed.turns, removed.answers, removed.erased) == (2, 1, True)
    assert await talks.conversations.list_turns("run1") == []
    for gone in (talks.ledger.answer("abc1", "local"), talks.ledger.find_evidence("e1", "local")):
        with pytest.raises(NotFound):
            await gone
    with pytest.raises(NotFound):
        await talks.ledger.find_inquiry("run2")
    assert (await talks.ledger.answer("last", "local")).id == "abc3"
    assert (await talks.conversations.find("last", "local"))[0] == "run3"
