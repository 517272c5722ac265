"""What every store promises of quotas: they bind a person and all members of a group together, are charged
with the work they are for, and are never exceeded, whoever charges at once."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from shisho.domain.job import JobId, JobState, NewTask, TaskId
from shisho.domain.team import Grantee, GranteeKind, QuotaResource
from shisho.errors import QuotaExhausted, TaskNotFound
from shisho.ports import Quotas, Users
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore
from shisho.stores.postgres.connect import PostgresDatabase, PostgresQueryStore
from shisho.stores.sql import QueryStore
from shisho.stores.sql.quotas import StoredQuotas
from shisho.stores.sql.users import StoredUsers
from tests.machine import PATIENCE
from tests.postgres import shared_server
from tests.queues import Queue, SetClock, new, opened

HANAKO = Grantee(GranteeKind.USER, "hanako")
LAB = Grantee(GranteeKind.GROUP, "lab")
JOBS, PAGES, TOKENS = QuotaResource
DAY_SECONDS = 86_400
# A process that takes tokens one by one until there are none, and says how many it got.
TAKER = """import asyncio, sys
from shisho.domain.team import QuotaResource
from shisho.errors import QuotaExhausted
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.connect import EmbeddedQueryStore
from shisho.stores.postgres.connect import PostgresDatabase
from shisho.stores.postgres.connect import PostgresQueryStore
from shisho.stores.sql import QueryStore
from shisho.stores.sql.quotas import StoredQuotas
from shisho.system.clock import SystemClock
from pathlib import Path

async def take(place):
    is_server = place.startswith("postgres")
    database = PostgresDatabase(place) if is_server else Database(Path(place))
    store = PostgresQueryStore(database) if is_server else EmbeddedQueryStore(database)
    quotas = StoredQuotas(store, SystemClock(database.read_timeline))
    taken = 0
    try:
        while True:
            await quotas.take("hanako", QuotaResource.TOKENS, 7)
            taken += 1
    except QuotaExhausted:
        print(taken)
    await database.close()

asyncio.run(take(sys.argv[1]))"""


@dataclass(frozen=True)
class Team:
    queue: Queue
    users: Users
    quotas: Quotas

    async def add(self, *jobs: str, owner: str = "hanako", task: str = "") -> tuple[JobId, ...]:
        asked = [new(dedupe_key=job) for job in jobs]
        return (await self.queue.tasks.enqueue(NewTask(TaskId(task or f"of {owner}"), owner), asked)).added

    async def used(self, user: str = "hanako") -> dict[str, int]:
        return {
            f"{quota.grantee.name} {quota.resource}": quota.used
            for quota in await self.quotas.list_quotas(user)
        }


@pytest.fixture(params=["embedded", "postgres"])
async def team(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Team]:
    clock = SetClock()
    async with opened(request.param, tmp_path, clock) as queue:
        database = queue.database
        is_server = isinstance(database, PostgresDatabase)
        store: QueryStore = PostgresQueryStore(database) if is_server else EmbeddedQueryStore(database)
        yield Team(queue, StoredUsers(store, clock), StoredQuotas(store, clock))


async def test_jobs_beyond_the_quota_are_not_accepted_and_what_is_known_costs_nothing(team: Team) -> None:
    await team.quotas.set(HANAKO, {JOBS: 3})
    assert len(await team.add("a", "b")) == 2
    assert await team.add("a", "b") == ()  # they stand already
    with pytest.raises(QuotaExhausted) as refusal:
        await team.add("c", "d", task="another")
    said = refusal.value.details
    assert (said["name"], said["resource"], said["used"], said["limit"], said["asked"]) == (
        "hanako",
        "jobs",
        2,
        3,
        2,
    )
    assert said["free_at"] == "2026-07-02T00:00:00+00:00" and said["retry_after_s"] == 15 * 3600
    with pytest.raises(TaskNotFound):
        await team.queue.tasks.get_task(TaskId("another"))
    assert await team.used() == {"hanako jobs": 2}
    assert len(await team.add("c")) == 1
    assert len(await team.add("e", "f", "g", owner="taro")) == 3


async def test_a_group_shares_its_quota_and_a_person_has_their_own_beside_it(team: Team) -> None:
    await team.users.add_group("lab")
    for name in ("hanako", "taro"):
        await team.users.add(name)
        await team.users.join("lab", name)
    await team.quotas.set(LAB, {JOBS: 3})
    await team.quotas.set(HANAKO, {JOBS: 2})
    await team.add("a", "b")
    with pytest.raises(QuotaExhausted, match="hanako"):
        await team.add("c")
    await team.add("d", owner="taro")
    with pytest.raises(QuotaExhausted, match="lab"):
        await team.add("e", owner="taro")
    assert await team.used() == {"lab jobs": 3, "hanako jobs": 2}
    await team.users.leave("lab", "taro")
    await team.add("e", owner="taro")
    await team.users.remove_group("lab")
    assert [quota.grantee for quota in await team.quotas.list_quotas()] == [HANAKO]


async def test_the_next_day_all_is_free_again_and_a_clock_that_is_set_back_frees_nothing(team: Team) -> None:
    await team.quotas.set(HANAKO, {JOBS: 1})
    await team.add("a")
    clock = team.queue.clock
    clock.pass_(DAY_SECONDS)
    assert await team.used() == {"hanako jobs": 0}
    await team.add("b")
    clock.pass_(-DAY_SECONDS)
    with pytest.raises(QuotaExhausted):
        await team.add("c")
    clock.pass_(2 * DAY_SECONDS)
    await team.add("c")


async def test_pages_are_charged_with_the_job_that_asks_for_them(team: Team) -> None:
    await team.quotas.set(HANAKO, {PAGES: 2})
    (job_id,) = await team.add("a")
    claim = (await team.queue.claimed()).claim
    assert await team.queue.jobs.charge(claim, {"pages": 1, "seconds": 9.0})
    assert await team.queue.jobs.charge(claim, {"pages": 1})
    with pytest.raises(QuotaExhausted):
        await team.queue.jobs.charge(claim, {"pages": 1})
    assert await team.queue.jobs.charge(claim, {"seconds": 1.0})
    task = await team.queue.tasks.get_task(TaskId("of hanako"))
    assert task.spent == {"pages": 2, "seconds": 10.0}
    assert await team.used() == {"hanako pages": 2}
    assert await team.queue.state(job_id) is JobState.RUNNING


async def test_what_was_set_aside_and_not_used_goes_back_to_where_it_came_from(team: Team) -> None:
    await team.quotas.set(HANAKO, {TOKENS: 10, PAGES: 5})
    charge = await team.quotas.take("hanako", TOKENS, 8)
    with pytest.raises(QuotaExhausted):
        await team.quotas.take("hanako", TOKENS, 3)
    await team.quotas.set(HANAKO, {TOKENS: 12})
    await team.quotas.release_unused(charge, 6)
    assert await team.used() == {"hanako pages": 0, "hanako tokens": 2}
    late = await team.quotas.take("hanako", TOKENS, 4)
    team.queue.clock.pass_(DAY_SECONDS)
    await team.quotas.take("hanako", TOKENS, 1)
    await team.quotas.release_unused(late, 4)
    assert await team.used() == {"hanako pages": 0, "hanako tokens": 1}
    assert await team.quotas.remove(HANAKO) and not await team.quotas.remove(HANAKO)
    await team.quotas.take("hanako", TOKENS, 10**6)


async def test_many_at_once_never_exceed_a_quota(team: Team) -> None:
    await team.users.add_group("lab")
    await team.users.join("lab", "hanako")
    await team.quotas.set(HANAKO, {JOBS: 9})
    await team.quotas.set(LAB, {JOBS: 7})
    tries = (team.add(f"j{number}", task=f"t{number}") for number in range(20))
    outcomes = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(outcome, QuotaExhausted) for outcome in outcomes) == 13
    assert sum(isinstance(outcome, tuple) for outcome in outcomes) == 7
    assert await team.used() == {"lab jobs": 7, "hanako jobs": 7}


@pytest.mark.parametrize("kind", ["embedded", "postgres"])
def test_processes_share_a_quota(kind: str, tmp_path: Path) -> None:
    with shared_server().fresh() as url:
        place = url if kind == "postgres" else str(tmp_path / "shisho.db")
        asyncio.run(limit_tokens(place, 1_000))
        command = [sys.executable, "-c", TAKER, place]
        takers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
        counts = [int(taker.communicate(timeout=PATIENCE)[0]) for taker in takers]
        assert sum(counts) == 1_000 // 7, counts


async def limit_tokens(place: str, per_day: int) -> None:
    database = PostgresDatabase(place) if place.startswith("postgres") else Database(Path(place))
    is_server = isinstance(database, PostgresDatabase)
    store = PostgresQueryStore(database) if is_server else EmbeddedQueryStore(database)
    await StoredQuotas(store, SetClock()).set(HANAKO, {TOKENS: per_day})
    await database.close()
