"""What every store promises of tasks that are shared with groups."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shisho.errors import NotFound
from shisho.ports import TaskShares, Users
from shisho.stores.embedded.connect import EmbeddedQueryStore
from shisho.stores.postgres.connect import PostgresQueryStore
from shisho.stores.sql.task_shares import StoredTaskShares
from shisho.system.clock import SystemClock
from tests.contracts.conftest import embedded_store, fresh_postgres

Team = tuple[Users, TaskShares]


@pytest.fixture(params=["embedded", "postgres"])
async def team(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Team]:
    if request.param == "embedded":
        async with embedded_store(tmp_path) as made:
            yield made.users, StoredTaskShares(EmbeddedQueryStore(made.database), SystemClock())
    else:
        async with fresh_postgres() as served:
            yield served.users, StoredTaskShares(PostgresQueryStore(served.database), SystemClock())


async def test_what_is_shared_is_visible_to_members_as_long_as_they_are_members(team: Team) -> None:
    users, shares = team
    await users.add_group("lab")
    await users.join("lab", "taro")
    assert await shares.share("t1", "lab", "hanako") and not await shares.share("t1", "lab", "hanako")
    assert await shares.share("t2", "lab", "hanako")
    with pytest.raises(NotFound):
        await shares.share("t1", "nothing", "hanako")
    found = await shares.find("t1", "taro")
    assert found is not None and (found.owner, found.group) == ("hanako", "lab")
    assert [share.shared_id for share in await shares.list_visible("taro", 9)] == ["t2", "t1"]
    assert [share.shared_id for share in await shares.list_of_owner("hanako", 1)] == ["t2"]
    assert await shares.find("t", "taro") is None and await shares.find("t1", "jiro") is None
    assert list(await shares.list_visible("hanako", 9)) == list(await shares.list_of_owner("taro", 9)) == []
    assert not await shares.unshare("t1", "lab", "taro")
    assert await shares.unshare("t1", "lab", "hanako") and not await shares.unshare("t1", "lab", "hanako")
    assert await shares.find("t1", "taro") is None
    await users.leave("lab", "taro")
    assert await shares.find("t2", "taro") is None
    await users.join("lab", "taro")
    await users.remove_group("lab")
    assert list(await shares.list_of_owner("hanako", 9)) == []
