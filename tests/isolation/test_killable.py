"""Children that can be killed: whatever a function does with its bytes costs these bytes alone, and nothing
stays behind."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from shisho.errors import InternalError, ParserFailed
from shisho.isolation.killable import MAX_WORK, ChildBroken, ChildExhausted, ChildOverrun, Killable, Work
from shisho.isolation.wire import MAX_MESSAGES, ProgressReceiver
from tests.machine import PATIENCE, children_seconds

# children run functions of these tests
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX"),
    pytest.mark.usefixtures("started_readers"),
]


def work(function: str, seconds: float = 5.0, progress_seconds: float | None = None, **given: Any) -> Work:
    name = f"tests.isolation.mischief:{function}"
    return Work(name, "tests.isolation.mischief:same", given, seconds, 512, progress_seconds)


def word(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


@pytest.fixture
async def killable() -> AsyncIterator[Killable]:
    made = Killable((ParserFailed,), ENVIRONMENT)
    yield made
    await made.close()


def pids(killable: Killable) -> list[int]:
    return [child.process.pid for child in killable._children if child.process]


async def test_bytes_in_and_a_value_out(killable: Killable) -> None:
    assert await killable.run(work("echo", twice=True), "司書".encode(), word) == "司書司書"
    assert await killable.run(work("echo"), b"", word) == ""


@pytest.mark.parametrize(
    ("function", "failure"),
    [
        *((name, ChildOverrun) for name in ("hangs", "hangs_in_c", "spins")),
        *((name, ChildExhausted) for name in ("eats", "answers_too_much")),
        *(
            (name, ChildBroken)
            for name in ("raises", "dies", "exits", "shouts", "closes", "lies", "lies_at_length", "presumes")
        ),
    ],
)
async def test_what_breaks_costs_its_own_bytes(
    killable: Killable, function: str, failure: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = 30.0
    if (
        failure is ChildOverrun
    ):  # the only ones that are waited for: others need what a busy machine leaves them
        monkeypatch.setattr("shisho.isolation.killable.PATIENCE", 2)
        seconds = 1.5
    await killable.run(work("echo"), b"before", word)
    with pytest.raises(failure):
        await killable.run(work(function, seconds=seconds), b"x", word)
    assert not pids(killable)
    assert await killable.run(work("echo"), b"after", word) == "after"


async def test_waiting_for_a_processor_counts_for_nothing(killable: Killable) -> None:
    """On a machine at load 15 a good file takes fifteen times as long by the clock."""
    assert await killable.run(work("naps", seconds=0.2), b"3", int)


@pytest.mark.slow
async def test_computing_ends_at_its_limit_whatever_the_clock_says(killable: Killable) -> None:
    await killable.run(work("echo"), b"imported", word)
    before = children_seconds()
    limit = 1.5
    with pytest.raises(ChildOverrun):
        await killable.run(work("spins", seconds=limit), b"x", word)
    # The kernel ends it by ticks, of which other processes may have had a part.
    assert limit / 2 <= children_seconds() - before <= limit + 1


@pytest.mark.slow
async def test_the_limit_is_each_piece_of_works_own(killable: Killable) -> None:
    computed = [await killable.run(work("computes", seconds=1.5), b"0.5", float) for _ in range(5)]
    assert sum(computed) > 2


async def test_the_raised_has_a_name(killable: Killable) -> None:
    with pytest.raises(ChildBroken, match="RecursionError"):
        await killable.run(work("raises"), b"x", word)


async def test_a_reason_crosses_with_its_details_and_its_child_lives(killable: Killable) -> None:
    with pytest.raises(ParserFailed) as caught:
        await killable.run(work("refuses"), b"x", word)
    assert caught.value.message == "この形は[31m知らない。"
    assert caught.value.details == {"engine": "bing", "status": 200, "long": "x" * 500}
    assert len(pids(killable)) == 1


async def test_words_left_for_the_next_are_not_taken_for_its_answer(killable: Killable) -> None:
    with pytest.raises(ChildBroken):
        await killable.run(work("leaves_words"), b"x", word)
    assert await killable.run(work("echo"), b"own", word) == "own"


async def test_a_child_tells_how_far_it_is_before_it_answers(killable: Killable) -> None:
    told: list[tuple[int, int]] = []
    done = await killable.read_parts(
        work("tells", progress_seconds=0.0), b"30", word, lambda *steps: told.append(steps)
    )
    assert done == ["told"]
    assert told == [(step, 30) for step in range(1, 31)]
    assert await killable.read_parts(work("tells", progress_seconds=0.0), b"3", word) == ["told"], (
        "nobody hears"
    )


async def test_a_child_tells_seldom_whatever_it_does(killable: Killable) -> None:
    told: list[tuple[int, int]] = []
    asked = work("tells", progress_seconds=0.2)
    await killable.read_parts(asked, b"1000", word, lambda *steps: told.append(steps))
    assert told == sorted(set(told))
    assert told[0][0] > 1 and len(told) < 1_000
    told.clear()
    asked = work("tells", progress_seconds=PATIENCE)
    await killable.read_parts(asked, b"10", word, lambda *steps: told.append(steps))
    assert told == [], "of what takes a moment nothing is told"


async def test_what_is_told_without_end_ends_its_child(killable: Killable) -> None:
    """Nobody hears more of it than of an honest child."""
    told: list[tuple[int, int]] = []
    asked = work("tells_without_end", seconds=30, progress_seconds=60.0)
    with pytest.raises(ChildBroken):
        await killable.read_parts(asked, b"x", word, lambda *steps: told.append(steps))
    assert not pids(killable)
    assert told == [(1, 2)]
    assert await killable.run(work("echo"), b"after", word) == "after"


async def test_who_was_not_to_tell_and_does_is_broken(killable: Killable) -> None:
    with pytest.raises(ChildBroken):
        await killable.run(work("tells_unasked"), b"x", word)
    assert not pids(killable)


@pytest.mark.parametrize(
    "words",
    [
        b"progress 3 of 2", b"progress 0 of 0", b"progress 0 of 2", b"progress 1 of 99999",
        b"progress 1 of 999999", b"progress -1 of 2", b"progress 1 of 2\n", b"progress 1 of " + b"9" * 1_000_000,
        "progress ١ of ٢".encode(), b"progress", b"",
    ],
)  # fmt: skip
async def test_steps_that_there_cannot_be_are_damage(killable: Killable, words: bytes) -> None:
    told: list[tuple[int, int]] = []
    with pytest.raises(ChildBroken):
        await killable.read_parts(
            work("tells_words", progress_seconds=0.0), words, word, lambda *steps: told.append(steps)
        )
    assert told == []


def test_a_listener_hears_so_many_messages_and_no_more() -> None:
    told: list[tuple[int, int]] = []
    hearer = ProgressReceiver(lambda *steps: told.append(steps), 0.0)
    for step in range(MAX_MESSAGES):
        hearer.hear(step % 10, 10)
    with pytest.raises(ChildBroken):
        hearer.hear(1, 10)
    assert len(told) == MAX_MESSAGES


@pytest.mark.parametrize("function", ["shisho.corpus.readers.no_such:read", "no_such_package:read"])
async def test_what_is_not_installed_is_named(killable: Killable, function: str) -> None:
    with pytest.raises(InternalError, match="no_such"):
        await killable.run(Work(function, "tests.isolation.mischief:same", {}, 1.0, 512), b"x", word)


async def test_a_child_that_ends_before_it_has_bytes_is_replaced(killable: Killable) -> None:
    await killable.run(work("echo"), b"x", word)
    process = killable._children[0].process
    assert process is not None
    process.kill()
    assert await killable.run(work("echo"), b"y", word) == "y"


async def test_a_cancelled_wait_ends_its_child(killable: Killable) -> None:
    waiting = asyncio.create_task(killable.run(work("hangs", seconds=30), b"x", word))
    await until(lambda: bool(pids(killable)))
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert not pids(killable)
    assert await killable.run(work("echo"), b"y", word) == "y"


async def test_a_child_is_replaced_after_its_share(
    killable: Killable, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MAX_WORK > 20
    monkeypatch.setattr("shisho.isolation.killable.MAX_WORK", 2)
    seen = [await killable.run(work("naps"), b"0", int) for _ in range(5)]
    assert seen[0] == seen[1] and seen[2] == seen[3] and len(set(seen)) == 3


async def test_two_children_work_side_by_side_and_a_second_only_when_needed() -> None:
    killable = Killable((ParserFailed,), ENVIRONMENT, children=2)
    try:
        for _ in range(3):
            await killable.run(work("naps"), b"0", int)
        assert len(pids(killable)) == 1
        slow = asyncio.create_task(killable.run(work("hangs", seconds=4), b"x", word))
        await until(lambda: killable._free.qsize() == 1)
        for number in range(5):
            assert await killable.run(work("echo"), str(number).encode(), word) == str(number)
        assert not slow.done()
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow
    finally:
        await killable.close()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
async def test_nothing_stays_behind() -> None:
    async def round_() -> None:
        killable = Killable((ParserFailed,), ENVIRONMENT, children=2)
        ran = [
            killable.run(work(name, seconds=1), b"0.2", lambda value: value)
            for name in ("naps", "dies", "closes", "naps")
        ]
        done = await asyncio.gather(*ran, return_exceptions=True)
        assert [type(one) for one in done] == [int, ChildBroken, ChildBroken, int]
        started = pids(killable)
        assert started
        await killable.close()
        assert not [pid for pid in started if os.path.exists(f"/proc/{pid}")]  # noqa: ASYNC240, PTH110

    await round_()
    gc.collect()
    before = descriptors()
    for _ in range(4):
        await round_()
    gc.collect()
    assert descriptors() <= before


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
async def test_children_see_only_the_environment_they_are_given() -> None:
    killable = Killable((), {"PATH": os.environ["PATH"], "PYTHONPATH": ENVIRONMENT["PYTHONPATH"]})
    try:
        seen = await killable.run(work("environment"), b"", set)
    finally:
        await killable.close()
    assert {"PATH", "PYTHONPATH"} <= seen <= {"PATH", "PYTHONPATH", "LC_CTYPE"}


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
