"""What every bell promises."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from shisho.ports import Bell, Ear
from tests.machine import PATIENCE
from tests.queues import opened

SILENCE = 0.05
TURNS = 5


@pytest.fixture(params=["embedded", "postgres"])
async def bell(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bell]:
    async with opened(request.param, tmp_path) as queue:
        yield queue.bell


async def test_listener_hears_its_topics_and_no_others(bell: Bell) -> None:
    with bell.listen("a", "b") as ear, bell.listen("c") as apart:
        await settled(apart)

        async def apart_rings(_: int) -> bool:
            for topic in ("a", "b"):
                bell.ring([topic])
                assert await ear.wait(PATIENCE)
            return await apart.wait(SILENCE)

        assert await is_silent_once(apart_rings)


async def is_silent_once(rings: Callable[[int], Awaitable[bool]]) -> bool:
    """True where it does not ring in one turn of some: a bell may ring for nothing, but not always."""
    for turn in range(TURNS):
        if not await rings(turn):
            return True
    return False


async def settled(ear: Ear) -> None:
    """It may ring once for nothing while other machines are told that somebody listens."""
    while await ear.wait(SILENCE):
        pass


async def test_what_rings_between_listening_and_waiting_is_not_missed(bell: Bell) -> None:
    async def rings_from_before(turn: int) -> bool:
        topic = f"a{turn}"
        bell.ring([topic])
        with bell.listen(topic) as ear:
            rang = await ear.wait(SILENCE)
            bell.ring([topic])
            await asyncio.sleep(0)
            assert await ear.wait(PATIENCE)
        return rang

    assert await is_silent_once(rings_from_before), "it rang before anyone listened"


async def test_rings_since_the_last_wait_are_one(bell: Bell) -> None:
    with bell.listen("a") as ear:

        async def rings_twice(_: int) -> bool:
            for _ in range(3):
                bell.ring(["a"])
            assert await ear.wait(PATIENCE)
            return await ear.wait(SILENCE)

        assert await is_silent_once(rings_twice)


async def test_all_listeners_of_a_topic_are_woken(bell: Bell) -> None:
    with bell.listen("a") as first, bell.listen("a") as second:
        waits = [asyncio.create_task(ear.wait(PATIENCE)) for ear in (first, second)]
        await asyncio.sleep(0)
        bell.ring(["a"])
        assert await asyncio.gather(*waits) == [True, True]


async def test_who_listens_no_longer_is_forgotten(bell: Bell) -> None:
    async def rings_for_who_left(turn: int) -> bool:
        topics = (f"a{turn}", f"b{turn}")
        with bell.listen(*topics):
            pass
        bell.ring([topics[0]])
        with bell.listen(topics[0]) as ear:
            return await ear.wait(SILENCE)

    assert await is_silent_once(rings_for_who_left)
