"""What every change notifier promises."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from shisho.ports import ChangeNotifier, Subscription
from tests.machine import PATIENCE
from tests.queues import opened

SILENCE = 0.05
TURNS = 5


@pytest.fixture(params=["embedded", "postgres"])
async def notifier(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ChangeNotifier]:
    async with opened(request.param, tmp_path) as queue:
        yield queue.notifier


async def test_listener_hears_its_topics_and_no_others(notifier: ChangeNotifier) -> None:
    with notifier.subscribe("a", "b") as subscription, notifier.subscribe("c") as apart:
        await settled(apart)

        async def apart_rings(_: int) -> bool:
            for topic in ("a", "b"):
                notifier.notify([topic])
                assert await subscription.wait(PATIENCE)
            return await apart.wait(SILENCE)

        assert await is_silent_once(apart_rings)


async def is_silent_once(rings: Callable[[int], Awaitable[bool]]) -> bool:
    """True if some turn ends without a notification: spurious ones are allowed, but not always."""
    for turn in range(TURNS):
        if not await rings(turn):
            return True
    return False


async def settled(subscription: Subscription) -> None:
    """It may ring once for nothing while other machines are told that somebody listens."""
    while await subscription.wait(SILENCE):
        pass


async def test_what_rings_between_listening_and_waiting_is_not_missed(notifier: ChangeNotifier) -> None:
    async def rings_from_before(turn: int) -> bool:
        topic = f"a{turn}"
        notifier.notify([topic])
        with notifier.subscribe(topic) as subscription:
            is_notified = await subscription.wait(SILENCE)
            notifier.notify([topic])
            await asyncio.sleep(0)
            assert await subscription.wait(PATIENCE)
        return is_notified

    assert await is_silent_once(rings_from_before), "it rang before anyone listened"


async def test_rings_since_the_last_wait_are_one(notifier: ChangeNotifier) -> None:
    with notifier.subscribe("a") as subscription:

        async def rings_twice(_: int) -> bool:
            for _ in range(3):
                notifier.notify(["a"])
            assert await subscription.wait(PATIENCE)
            return await subscription.wait(SILENCE)

        assert await is_silent_once(rings_twice)


async def test_all_listeners_of_a_topic_are_woken(notifier: ChangeNotifier) -> None:
    with notifier.subscribe("a") as first, notifier.subscribe("a") as second:
        waits = [asyncio.create_task(subscription.wait(PATIENCE)) for subscription in (first, second)]
        await asyncio.sleep(0)
        notifier.notify(["a"])
        assert await asyncio.gather(*waits) == [True, True]


async def test_who_listens_no_longer_is_forgotten(notifier: ChangeNotifier) -> None:
    async def rings_for_who_left(turn: int) -> bool:
        topics = (f"a{turn}", f"b{turn}")
        with notifier.subscribe(*topics):
            pass
        notifier.notify([topics[0]])
        with notifier.subscribe(topics[0]) as subscription:
            return await subscription.wait(SILENCE)

    assert await is_silent_once(rings_for_who_left)
