"""What every store promises of users and their groups."""

from __future__ import annotations

import pytest

from shisho.domain.team import TokenHashes, UserGroup
from shisho.errors import Conflict, NotFound
from tests.contracts.conftest import Store

HASHES = TokenHashes("token", "cookie")


async def test_a_user_is_known_by_the_hash_of_token_or_cookie_until_another_is_set(store: Store) -> None:
    user = await store.users.add("花子", HASHES)
    assert (user.name, user.has_token, user.removed_at) == ("花子", True, None)
    assert await store.users.find_by_hash("token") == await store.users.find_by_hash("cookie") == "花子"
    await store.users.set_token("花子", TokenHashes("new", "newer"))
    assert await store.users.find_by_hash("token") is None
    assert await store.users.find_by_hash("newer") == "花子"
    assert list(await store.users.list_users()) == [user]


async def test_one_who_was_removed_is_not_let_in_until_restored(store: Store) -> None:
    await store.users.add("taro", HASHES)
    await store.users.remove("taro")
    assert await store.users.find_by_hash("token") is None
    assert not await store.users.has_user("taro")
    (user,) = await store.users.list_users()
    assert user.removed_at is not None
    with pytest.raises(Conflict):
        await store.users.add("taro")
    with pytest.raises(NotFound):
        await store.users.set_token("taro", HASHES)
    await store.users.restore("taro")
    assert await store.users.find_by_hash("token") == "taro"
    for change in (store.users.restore, store.users.remove):
        with pytest.raises(NotFound):
            await change("nobody")


async def test_one_without_a_token_is_known_by_name_alone(store: Store) -> None:
    await store.users.add("jiro")
    assert await store.users.has_user("jiro") and not await store.users.has_user("taro")
    (user,) = await store.users.list_users()
    assert not user.has_token


async def test_groups_have_members(store: Store) -> None:
    await store.users.add("taro")
    for group in ("研究室", "lab"):
        await store.users.add_group(group)
    assert await store.users.join("lab", "taro")
    assert not await store.users.join("lab", "taro")
    assert list(await store.users.list_groups()) == [UserGroup("lab", ("taro",)), UserGroup("研究室", ())]
    (user,) = await store.users.list_users()
    assert user.groups == ("lab",)
    assert await store.users.leave("lab", "taro")
    assert not await store.users.leave("lab", "taro")
    with pytest.raises(Conflict):
        await store.users.add_group("lab")
    await store.users.remove_group("lab")
    assert [group.name for group in await store.users.list_groups()] == ["研究室"]
    with pytest.raises(NotFound):
        await store.users.join("lab", "taro")
    with pytest.raises(NotFound):
        await store.users.remove_group("lab")
