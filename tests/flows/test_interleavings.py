"""What a call is told if its question ends, or its conversation is removed, between two of its reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.job import StopMode
from shisho.domain.task import AskOptions
from shisho.errors import NotFound
from shisho.services import Library, intake, questions
from tests.inside import builder_of
from tests.interleaving import change_between, count_reads
from tests.machine import PATIENCE

QUESTION = "決定係数とは何か"
TEXT = "決定係数は、回帰式の当てはまりの良さを表す値である。"
LONG = 10 * PATIENCE  # whoever waits for so long has missed the change
WAITING: dict[str, Callable[[Library, str, str, int], Awaitable[Any]]] = {
    "news": lambda library, _, answer, __: last_news(library, answer),
    "answer": lambda library, _, answer, __: library.questions.wait(answer, wait=LONG),
    "last answer": lambda library, *_: library.questions.wait("last", wait=LONG),
    "status": lambda library, task, _, since: library.tasks.get_status(task, wait=LONG, since_revision=since),
    "default status": lambda library, task, *_: library.tasks.get_status(task, wait=LONG),
    "result": lambda library, task, *_: library.tasks.get_status(task, wait=LONG, wait_for="result"),
    "end": lambda library, task, *_: library.tasks.get_status(task, wait=LONG, wait_for="done"),
}
FINDING: dict[str, Callable[[Library], Awaitable[Any]]] = {
    "answer": lambda library: library.questions.wait("last"),
    "turns": lambda library: library.conversations.list_turns("last"),
    "view": lambda library: library.conversations.get("last"),
    "context": lambda library: library.conversations.get_context("last"),
    "remove": lambda library: library.conversations.remove("last"),
    "ask": lambda library: library.questions.queue(QUESTION, options=AskOptions(conversation="last"), wait=0),
    "ask here": lambda library: library.questions.ask(QUESTION, conversation="last"),
}


@pytest.fixture
def store(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "embedded":
        yield ""
        return
    with request.getfixturevalue("postgres").fresh() as url:
        yield url


@asynccontextmanager
async def asked(home: Path, store: str) -> AsyncIterator[Library]:
    """A library with a document."""
    async with open_library(home=home, store=store) as library:
        file = home.parent / "r2.txt"
        file.write_text(TEXT, "utf-8")
        async for receipt in library.documents.add(file):
            assert receipt.outcome == "added"
        yield library


def count_waiting(library: Library) -> int:
    watches: Any = (library.tasks._queue.watch, library.questions._queue.watch)
    return sum(watch.waiting for watch in watches)


async def last_news(library: Library, answer_id: str) -> Any:
    with suppress(NotFound):  # nothing was found before it was stopped
        return [news async for news in library.questions.follow(answer_id)][-1]


@pytest.mark.parametrize("store", ["embedded", "postgres"], indirect=True)
@pytest.mark.parametrize("name", WAITING)
async def test_an_end_between_any_two_reads_ends_the_wait(
    name: str, store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody works here, so the only change is the one that the test makes."""
    monkeypatch.setattr(questions, "WAIT", LONG)
    monkeypatch.setattr(intake, "MAX_WAIT", LONG)
    count_reads(monkeypatch)
    async with asked(tmp_path / "home", store) as library:
        for reads in count(1):
            handle = await library.questions.queue(QUESTION, wait=0)
            since = (await library.tasks.get_status(handle.task_id, wait=0)).revision

            async def wait(handle: Any = handle, since: int = since) -> None:
                with suppress(NotFound):  # nothing was found before it was stopped
                    await WAITING[name](library, handle.task_id, handle.answer_id, since)

            async def end(handle: Any = handle) -> None:
                await library.tasks.stop(handle.task_id, mode=StopMode.IMMEDIATE)

            if not await change_between(wait, reads, end, lambda: count_waiting(library) > 0):
                break
        assert reads > 1


@pytest.mark.parametrize("store", ["embedded", "postgres"], indirect=True)
@pytest.mark.parametrize("name", FINDING)
async def test_a_conversation_removed_between_any_two_reads_is_not_found(
    name: str, store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count_reads(monkeypatch)
    async with asked(tmp_path / "home", store) as library:
        for reads in count(1):
            answer = await library.questions.ask(QUESTION)

            async def remove(answer: Any = answer) -> None:
                with suppress(NotFound):
                    await library.conversations.remove(answer.conversation_id)

            async def find() -> None:
                with suppress(NotFound):
                    await FINDING[name](library)

            if not await change_between(find, reads, remove):
                break
        assert reads > 1


@pytest.mark.parametrize("store", ["embedded", "postgres"], indirect=True)
async def test_a_question_is_queued_as_a_turn_or_not_at_all(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count_reads(monkeypatch)
    refused = 0
    async with asked(tmp_path / "home", store) as library:
        for reads in count(1):
            conversation = (await library.questions.ask(QUESTION)).conversation_id
            queued: list[Any] = []

            async def ask(conversation: str = conversation, queued: list[Any] = queued) -> None:
                options = AskOptions(conversation=conversation)
                with suppress(NotFound):
                    queued.append(await library.questions.queue(QUESTION, options=options, wait=0))

            async def remove(conversation: str = conversation) -> None:
                await library.conversations.remove(conversation)

            if not await change_between(ask, reads, remove):
                break
            refused += not queued
            assert not (await library.tasks.list()).tasks, "nobody would find it, and it would be answered"
        assert refused
        (turn,) = (await library.conversations.list_turns(queued[0].answer_id))[1:]
        assert turn.run_id == queued[0].answer_id


@pytest.mark.parametrize("store", ["embedded", "postgres"], indirect=True)
async def test_a_question_asked_while_its_conversation_is_removed_is_removed_with_it_or_refused(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count_reads(monkeypatch)
    outcomes = Counter[str]()
    async with asked(tmp_path / "home", store) as library:
        for reads in count(1):
            conversation = (await library.questions.ask(QUESTION)).conversation_id

            async def remove(conversation: str = conversation) -> None:
                await library.conversations.remove(conversation)

            async def ask(conversation: str = conversation) -> None:
                options = AskOptions(conversation=conversation)
                try:
                    await library.questions.queue(QUESTION, options=options, wait=0)
                    outcomes["asked"] += 1
                except NotFound:
                    outcomes["refused"] += 1

            if not await change_between(remove, reads, ask):
                break
            assert not (await library.tasks.list()).tasks, "its conversation is no more"
        assert outcomes["asked"]


@pytest.mark.parametrize("store", ["embedded", "postgres"], indirect=True)
async def test_a_question_here_and_now_is_begun_with_its_turn_or_not_at_all(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The conversation is removed at the last moment before the question would be begun."""
    async with asked(tmp_path / "home", store) as library:
        conversation = (await library.questions.ask(QUESTION)).conversation_id
        begin = type(builder_of(library).stores.ledger).begin
        begun: list[str] = []

        async def remove_first(ledger: Any, inquiry: Any, *turn: Any) -> None:
            begun.append(inquiry.run_id)
            await library.conversations.remove(conversation)
            await begin(ledger, inquiry, *turn)

        monkeypatch.setattr(type(builder_of(library).stores.ledger), "begin", remove_first)
        with pytest.raises(NotFound):
            await library.questions.ask(QUESTION, conversation=conversation)
        with pytest.raises(NotFound):
            await builder_of(library).stores.ledger.find_inquiry(begun[0])
