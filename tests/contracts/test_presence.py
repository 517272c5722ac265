"""What every record of who is alive promises."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from shisho.domain.job import WorkerId
from shisho.ports import Presence
from shisho.stores.postgres.presence import PostgresPresence
from shisho.stores.presence import FilePresence
from tests.postgres import fresh_database
from tests.queues import ANA, BEN

Sides = Callable[[], Presence]
NEVER = WorkerId("never")
ON_FILES = pytest.mark.skipif(sys.platform == "win32", reason="no process is known to be dead there")


@pytest.fixture(params=[pytest.param(kind, marks=ON_FILES) for kind in ("embedded", "postgres")])
async def side(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Sides]:
    """Makes one side after the other of the same record."""
    if request.param == "postgres":
        async with fresh_database() as database:
            yield lambda: PostgresPresence(database, tmp_path / "workers")
        return
    yield lambda: FilePresence(tmp_path / "workers")


def test_worker_is_alive_for_all_until_it_leaves(side: Sides) -> None:
    here = side()
    there = side()
    here.register(ANA)
    there.register(BEN)
    assert here.find_dead([ANA, BEN]) == there.find_dead([ANA, BEN]) == frozenset()
    there.deregister(BEN)
    assert here.find_dead([ANA, BEN]) == there.find_dead([ANA, BEN]) == {BEN}
    there.register(BEN)
    assert here.find_dead(iter([ANA, BEN])) == frozenset()
    here.deregister(ANA)
    there.deregister(BEN)


def test_who_was_never_there_is_gone_and_may_leave(side: Sides) -> None:
    here = side()
    here.deregister(NEVER)
    assert here.find_dead([NEVER]) == {NEVER}
    assert here.find_dead([]) == frozenset()
