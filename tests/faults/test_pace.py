"""Four processes on one file hammer one resource: the limit is kept by all of them together."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from shisho.domain.politeness import Limit
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore
from shisho.stores.sql.limiter import StoredLimiter
from tests.faults.asker import Morning
from tests.faults.children import ROOT

INTERVAL = 0.05


def started(*orders: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error", "-m", "tests.faults.asker", *map(str, orders)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def requests(path: Path, parallel: int, per_day: int) -> list[tuple[float, float]]:
    """When the requests of all four began and ended, in order."""
    children = [started(path, name, INTERVAL, parallel, per_day, 0.02) for name in "abcd"]
    said = [child.communicate(timeout=120)[0] for child in children]
    assert [child.returncode for child in children] == [0, 0, 0, 0]
    assert all(said), "a process never got its turn"
    told = [json.loads(line) for lines in said for line in lines.splitlines()]
    return sorted((each[0], each[1]) for each in told if isinstance(each, list))


@pytest.mark.slow
@pytest.mark.parametrize("parallel", [1, 2])
async def test_four_processes_keep_one_limit(tmp_path: Path, parallel: int) -> None:
    path = tmp_path / "shisho.db"
    per_day = 60
    met = requests(path, parallel, per_day)
    assert len(met) == per_day
    overlaps = [
        sum(began < other_end for _, other_end in met[:place]) for place, (began, _) in enumerate(met)
    ]
    assert max(overlaps) < parallel
    if parallel == 1:
        assert min(after[0] - before[1] for before, after in pairwise(met)) >= INTERVAL
    assert met[-1][0] - met[0][0] >= INTERVAL * (per_day - 1) * (1 if parallel == 1 else 0.95)
    database = Database(path)
    counts = await database.read(
        lambda connection: list(connection.execute("SELECT day, used FROM pace_days"))
    )
    places = await database.read(
        lambda connection: list(connection.execute("SELECT ticket, began FROM pace_places"))
    )
    await database.close()
    assert counts == [("2026-07-01", per_day)] and places == []


async def test_who_takes_over_from_a_killed_process_waits_and_is_not_counted_again(tmp_path: Path) -> None:
    path = tmp_path / "shisho.db"
    limit = Limit(1.0, per_day=3)
    database = Database(path)
    limiter = StoredLimiter(EmbeddedQueryStore(database), Morning())
    child = started(path, "job", 1.0, 1, 3, 60)
    assert child.stdout is not None
    ticket = json.loads(await asyncio.to_thread(child.stdout.readline))
    child.kill()
    child.communicate()
    refused = await limiter.acquire("engine:mojeek", limit, ticket)
    assert not refused.granted and 0.9 < refused.wait_s <= 1.0
    await asyncio.sleep(refused.wait_s + 0.01)
    assert (await limiter.acquire("engine:mojeek", limit, ticket)).granted
    assert (await limiter.read_status({"engine:mojeek": limit}))["engine:mojeek"].used_today == 1
    await database.close()
