"""What every limiter promises."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from shisho.domain.politeness import GRACE_S, LEASE_S, PATIENCE_S, Limit, Permit
from shisho.ports import Limiter
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore
from shisho.stores.postgres.connect import PostgresQueryStore
from shisho.stores.sql.limiter import StoredLimiter
from tests.clocks import TwoHands
from tests.postgres import fresh_database

MOJEEK = "engine:mojeek"
HOST = "host:example.org"
SLOW = Limit(5.0)
DAILY = Limit(5.0, per_day=2)
HOUR = 3600.0


@dataclass
class Gate:
    limiter: Limiter
    clock: TwoHands

    async def take(self, ticket: str = "a", limit: Limit = SLOW, resource: str = MOJEEK) -> Permit:
        return await self.limiter.acquire(resource, limit, ticket)

    async def back(self, ticket: str = "a", limit: Limit = SLOW, after_s: float = 0.0) -> None:
        await self.limiter.release(MOJEEK, limit, ticket, after_s=after_s)

    async def done(self, ticket: str = "a", limit: Limit = SLOW, seconds: float = 0.5) -> None:
        """One whole request."""
        assert await self.take(ticket, limit) == Permit(True)
        self.clock.pass_(seconds)
        await self.back(ticket, limit)

    async def standing(self, limit: Limit = SLOW) -> tuple[float, int]:
        held = (await self.limiter.read_status({MOJEEK: limit}))[MOJEEK]
        return pytest.approx(held.free_in_s), held.used_today  # type: ignore[return-value]


@pytest.fixture(params=["embedded", "postgres"])
async def gate(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Gate]:
    clock = TwoHands()
    if request.param == "postgres":
        async with fresh_database() as server_database:
            yield Gate(StoredLimiter(PostgresQueryStore(server_database), clock), clock)
        return
    database = Database(tmp_path / "shisho.db")
    yield Gate(StoredLimiter(EmbeddedQueryStore(database), clock), clock)
    await database.close()


def waits(seconds: float) -> Permit:
    return Permit(False, pytest.approx(seconds, abs=1e-3))  # type: ignore[arg-type]


async def test_the_interval_runs_from_the_end_of_a_request(gate: Gate) -> None:
    assert await gate.standing() == (0.0, 0)
    assert await gate.take("a") == Permit(True)
    gate.clock.pass_(7)
    assert await gate.take("b") == waits(5)
    await gate.back("a")
    gate.clock.pass_(4)
    assert await gate.take("b") == waits(1)
    gate.clock.pass_(1)
    assert await gate.take("b") == Permit(True)
    assert await gate.standing() == (5.0, 2)


async def test_resources_know_nothing_of_each_other(gate: Gate) -> None:
    assert await gate.take("a") == Permit(True)
    assert await gate.take("a", resource=HOST) == Permit(True)
    assert (await gate.take("b", resource=HOST)).granted is False


async def test_waiters_get_consecutive_slots_in_order_of_asking(gate: Gate) -> None:
    await gate.done("first")
    assert [await gate.take(name) for name in "abc"] == [waits(5), waits(10), waits(15)]
    assert [await gate.take(name) for name in "cba"] == [waits(15), waits(10), waits(5)]
    assert (await gate.standing())[0] == 20.0
    order = []
    for _ in range(40):
        gate.clock.pass_(1)
        for name in "dcba":
            if name not in order and (await gate.take(name)).granted:
                order.append(name)
                await gate.back(name)
    assert order == ["a", "b", "c", "d"]


async def test_who_comes_back_at_the_told_time_is_let_in(gate: Gate) -> None:
    """Requests that last no time: twenty waiters need one question each after the first."""
    await gate.done("first", seconds=0)
    due = {name: (await gate.take(name)).wait_s for name in map(str, range(20))}
    for name, seconds in due.items():
        gate.clock.pass_(max(0.0, seconds - (gate.clock.monotonic() - 1000)))
        assert await gate.take(name) == Permit(True), name
        await gate.back(name)
    assert list(due.values()) == pytest.approx([5.0 * place for place in range(1, 21)], abs=1e-3)


async def test_a_newcomer_goes_only_while_nobody_before_it_is_due(gate: Gate) -> None:
    await gate.done("first")
    assert [await gate.take(name) for name in "ab"] == [waits(5), waits(10)]
    gate.clock.pass_(5)
    assert (await gate.take("new")).granted is False
    await gate.done("a", seconds=0)
    gate.clock.pass_(4.9)
    assert (await gate.take("new")).granted is False
    gate.clock.pass_(0.1)
    assert (await gate.take("b")).granted


async def test_a_ticket_nobody_comes_back_for_is_dropped(gate: Gate) -> None:
    await gate.done("first")
    for name in ("gone", "gone too", "b"):
        await gate.take(name)
    gate.clock.pass_(5 + PATIENCE_S)
    assert (await gate.take("b")).granted is False, "the first is a little late"
    gate.clock.pass_(1)
    assert (await gate.take("b")).granted
    await gate.back("b")
    gate.clock.pass_(10)
    assert await gate.standing() == (0.0, 2)


async def test_who_is_late_loses_its_turn_and_not_its_place(gate: Gate) -> None:
    await gate.done("first")
    for name in ("late", "b", "c"):
        await gate.take(name)
    gate.clock.pass_(5 + GRACE_S - 1)
    await gate.done("b", seconds=0)
    assert await gate.take("c") == waits(5)
    assert await gate.take("late") == waits(5)
    assert await gate.take("c") == waits(10)
    gate.clock.pass_(GRACE_S + 6)
    await gate.done("c", seconds=0)
    assert await gate.take("d") == waits(5)
    assert await gate.take("late") == waits(10), "half a minute is too late"


async def test_a_request_nobody_gives_back_is_over_after_a_minute(gate: Gate) -> None:
    assert (await gate.take("dead")).granted
    gate.clock.pass_(LEASE_S)
    assert await gate.take("b") == waits(5)
    gate.clock.pass_(5)
    assert (await gate.take("b")).granted


async def test_what_comes_back_late_starts_the_interval_all_the_same(gate: Gate) -> None:
    await gate.take("frozen")
    gate.clock.pass_(LEASE_S + 6)
    await gate.back("frozen")
    assert await gate.take("b") == waits(5)
    await gate.back("never taken")
    gate.clock.pass_(1)
    assert await gate.take("b") == waits(4)


async def test_the_same_ticket_again_waits_an_interval_and_is_counted_once(gate: Gate) -> None:
    limit = Limit(5.0, per_day=2)
    await gate.take("job page 1", limit)
    gate.clock.pass_(0.2)
    assert await gate.take("job page 1", limit) == waits(5), "its request may have been sent just now"
    assert await gate.take("b", limit) == waits(10)
    gate.clock.pass_(5)
    assert (await gate.take("job page 1", limit)).granted
    assert (await gate.standing(limit))[1] == 1
    await gate.back("job page 1", limit)
    gate.clock.pass_(5)
    assert (await gate.take("b", limit)).granted
    await gate.back("b", limit)
    assert (await gate.take("c", limit)).spent


@pytest.mark.parametrize("lost_for", [1, LEASE_S + 10, 3 * HOUR])
async def test_a_job_that_died_may_finish_its_page_on_a_spent_day(gate: Gate, lost_for: float) -> None:
    limit = Limit(5.0, per_day=1)
    await gate.take("job page 1", limit)
    gate.clock.pass_(lost_for)
    assert (await gate.take("b", limit)).spent
    if not (again := await gate.take("job page 1", limit)).granted:
        gate.clock.pass_(again.wait_s)
        assert (await gate.take("job page 1", limit)).granted
    assert (await gate.standing(limit))[1] == 1
    await gate.back("job page 1", limit)
    assert (await gate.take("job page 2", limit)).spent


async def test_requests_together_begin_an_interval_apart(gate: Gate) -> None:
    two = Limit(0.33, parallel=2)
    assert (await gate.take("a", two)).granted
    assert await gate.take("b", two) == waits(0.33)
    gate.clock.pass_(0.33)
    assert (await gate.take("b", two)).granted
    gate.clock.pass_(5)
    assert await gate.take("c", two) == waits(0.33), "two are under way"
    await gate.back("b", two)
    gate.clock.pass_(0.33)
    assert (await gate.take("c", two)).granted


async def test_no_interval_is_no_busy_loop(gate: Gate) -> None:
    free = Limit(0.0)
    assert (await gate.take("a", free)).granted
    assert (await gate.take("b", free)).wait_s > 0
    await gate.back("a", free)
    assert (await gate.take("b", free)).granted


async def test_a_server_that_says_later_is_left_alone(gate: Gate) -> None:
    await gate.take("a")
    await gate.back("a", after_s=120)
    assert await gate.take("a") == waits(120)
    assert await gate.take("b") == waits(125)
    gate.clock.pass_(120)
    assert (await gate.take("a")).granted
    await gate.back("a", after_s=1)
    assert await gate.take("b") == waits(5), "never sooner than the interval"


async def test_the_day_is_spent_until_midnight_utc(gate: Gate) -> None:
    for name in ("a", "b"):
        await gate.done(name, DAILY, seconds=0)
        gate.clock.pass_(5)
    until = 15 * HOUR - 10
    assert await gate.take("c", DAILY) == Permit(False, pytest.approx(until), spent=True)  # type: ignore[arg-type]
    assert await gate.standing(DAILY) == (until, 2)
    gate.clock.pass_(until - 1)
    assert (await gate.take("c", DAILY)).spent
    gate.clock.pass_(1)
    assert (await gate.take("c", DAILY)).granted
    assert (await gate.standing(DAILY))[1] == 1


@pytest.mark.parametrize("hours", [-5, -1, 1, 5])
async def test_a_wall_clock_that_jumps_neither_frees_nor_blocks(gate: Gate, hours: int) -> None:
    await gate.done("a")
    assert await gate.take("b") == waits(5)
    gate.clock.jump(hours * HOUR)
    assert await gate.take("b") == waits(5)
    gate.clock.pass_(5)
    assert (await gate.take("b")).granted
    gate.clock.jump(hours * HOUR)
    assert await gate.take("c") == waits(5), "it is still under way"
    await gate.back("b")
    gate.clock.pass_(5)
    assert (await gate.take("c")).granted


async def test_a_day_and_back_gives_no_second_quota(gate: Gate) -> None:
    for name in ("a", "b"):
        await gate.done(name, DAILY)
        gate.clock.pass_(5)
    gate.clock.jump(24 * HOUR)
    assert (await gate.take("c", DAILY)).granted
    await gate.back("c", DAILY)
    gate.clock.jump(-24 * HOUR)
    gate.clock.pass_(5)
    assert (await gate.take("d", DAILY)).spent


async def test_a_machine_that_starts_again_waits_no_longer_than_was_said(gate: Gate) -> None:
    await gate.take("a")
    gate.clock.restart()
    assert (await gate.take("b")).granted is False
    gate.clock.pass_(LEASE_S + 5)
    assert (await gate.take("b")).granted
    await gate.back("b")
    gate.clock.restart()
    gate.clock.jump(-HOUR)
    assert (await gate.take("c")).wait_s <= 5
    gate.clock.pass_(5)
    assert (await gate.take("c")).granted


async def test_a_long_line_moves_on_and_ends_with_the_day(gate: Gate) -> None:
    limit = Limit(1.0, per_day=60)
    for number in range(90):
        await gate.take(f"t{number}", limit)
    for number in range(1, 60):
        await gate.back(f"t{number - 1}", limit)
        gate.clock.pass_(1)
        assert (await gate.take(f"t{number}", limit)).granted, number
    assert all([(await gate.take(f"t{number}", limit)).spent for number in range(60, 90)])
