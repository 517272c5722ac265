"""What every bell promises."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shisho.ports import Bell, Ear
from tests.machine import PATIENCE
from tests.queues import opened

SILENCE = 0.05


@pytest.fixture(params=["memory", "embedded", "postgres"])
async def bell(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bell]:
    async with opened(request.param, tmp_path) as queue:
        yield queue.bell


async def test_listener_hears_its_topics_and_no_others(bell: Bell) -> None:
    with bell.listen("a", "b") as ear, bell.listen("c") as apart:
        await settled(apart)
        for topic in ("a", "b"):
            bell.ring([topic])
            assert await ear.wait(PATIENCE)
        assert not await apart.wait(SILENCE)


async def settled(ear: Ear) -> None:
    """It may ring once for nothing while other machines are told that somebody listens."""
    while await ear.wait(SILENCE):
        pass


async def test_what_rings_between_listening_and_waiting_is_not_missed(bell: Bell) -> None:
    bell.ring(["a"])
    with bell.listen("a") as ear:
        assert not await ear.wait(SILENCE), "it rang before anyone listened"
        bell.ring(["a"])
        await asyncio.sleep(0)
        assert await ear.wait(PATIENCE)


async def test_rings_since_the_last_wait_are_one(bell: Bell) -> None:
    with bell.listen("a") as ear:
        for _ in range(3):
            bell.ring(["a"])
        assert await ear.wait(PATIENCE)
        assert not await ear.wait(SILENCE)


async def test_all_listeners_of_a_topic_are_woken(bell: Bell) -> None:
    with bell.listen("a") as first, bell.listen("a") as second:
        waits = [asyncio.create_task(ear.wait(PATIENCE)) for ear in (first, second)]
        await asyncio.sleep(0)
        bell.ring(["a"])
        assert await asyncio.gather(*waits) == [True, True]


async def test_who_listens_no_longer_is_forgotten(bell: Bell) -> None:
    with bell.listen("a", "b"):
        pass
    bell.ring(["a"])
    with bell.listen("a") as ear:
        assert not await ear.wait(SILENCE)
