"""What who runs the library does over REST: people, groups, grants, quotas and the record, under one
prefix."""

from __future__ import annotations

from pathlib import Path

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.interfaces.api.team import VERBS
from shisho.interfaces.http.guard import AccessRules
from tests.interfaces.http.rooms import served
from tests.interfaces.http.test_people import HELLO, speak
from tests.interfaces.http.test_users import bearer

ADMIN = bearer("canary-local")
# What everyone may ask, of what is their own.
OF_ALL = {
    "list_grants",
    "add_grant",
    "remove_grant",
    "list_quotas",
    "list_audit",
    "list_shares",
    "share_task",
    "unshare_task",
}
GIVEN = {"name": "hanako", "member": "hanako", "members": ["hanako"], "jobs": 1}


async def test_a_team_is_made_and_unmade_over_rest(tmp_path: Path) -> None:
    async with (
        open_library(home=tmp_path, embedder="none") as library,
        served(library, AccessRules(token="canary-local")) as client,
    ):
        client.headers.update(ADMIN)
        made = (await client.post("/team/users", json={"name": "hanako"})).json()
        assert made["user"] == "hanako" and len(made["token"]) > 40
        assert (await client.post("/team/users", json={"name": "hanako"})).status_code == 409
        await client.post("/team/users", json={"name": "taro", "has_token": False})
        grouped = (await client.post("/team/groups", json={"name": "lab", "members": ["hanako"]})).json()
        assert grouped["groups"] == [{"name": "lab", "members": ["hanako"]}]
        await client.post("/team/groups/lab/members", json={"members": ["taro"]})
        assert (await client.delete("/team/groups/lab/members/hanako")).json()["groups"][0]["members"] == [
            "taro"
        ]
        await library.documents.add_source(Source("a.txt", "決定係数は指標である。".encode()), "papers")
        granted = {"corpus": "papers", "name": "lab", "is_group": True, "is_writable": True}
        (grant,) = (await client.post("/team/grants", json=granted)).json()["grants"]
        assert (grant["corpus"], grant["owner"], grant["kind"], grant["name"], grant["access"]) == (
            "papers",
            "local",
            "group",
            "lab",
            "write",
        )
        (quota,) = (await client.post("/team/quotas", json={"name": "hanako", "jobs": 3})).json()["quotas"]
        assert (quota["resource"], quota["per_day"], quota["used"]) == ("jobs", 3, 0)
        half = await client.post("/team/groups", json={"name": "lab2", "members": ["hanako", "nobody"]})
        assert half.status_code == 404
        assert [row["name"] for row in (await client.get("/team/groups")).json()["groups"]] == ["lab"]
        assert (await client.delete("/team/groups/lab2/members/hanako")).status_code == 404
        first = (await client.get("/team/audit", params={"limit": 2})).json()
        assert first["more"] and [entry["verb"] for entry in first["entries"]] == ["limit", "grant"]
        after = {"limit": 2, "cursor": first["cursor"]}
        second = (await client.get("/team/audit", params=after)).json()
        assert [entry["verb"] for entry in second["entries"]] == ["add", "leave"]
        assert second["entries"][0]["seq"] < first["entries"][-1]["seq"]
        await client.delete("/team/quotas", params={"name": "hanako"})
        taken = {"corpus": "papers", "name": "lab", "is_group": True}
        assert (await client.delete("/team/grants", params=taken)).json()["grants"] == []
        renewed = (await client.post("/team/users/hanako/token")).json()["token"]
        assert renewed != made["token"]
        await client.delete("/team/users/hanako")
        assert (await client.get("/team/users", headers=bearer(renewed))).status_code == 401
        await client.post("/team/users/hanako/restore")
        assert (await client.get("/team/users", headers=bearer(renewed))).status_code == 403
        assert (await client.delete("/team/groups/lab")).json()["groups"] == []


async def test_nobody_else_may_do_what_is_for_who_runs_the_library(tmp_path: Path) -> None:
    async with (
        open_library(home=tmp_path, embedder="none") as library,
        served(library, AccessRules(token="canary-local")) as client,
    ):
        made = await library.team.add_user("hanako")
        assert made is not None
        refused = set()
        for verb in (verb for verb in VERBS if verb.name not in OF_ALL):
            method, path = verb.route
            wanted = {parameter.name for parameter in verb.parameters} & GIVEN.keys()
            given = {name: GIVEN[name] for name in wanted if f"{{{name}}}" not in path}
            place = {"params": given} if method in ("GET", "DELETE") else {"json": given}
            url = path.format(name="hanako", member="hanako")
            reply = await client.request(method, url, headers=bearer(made.token), **place)
            assert (reply.status_code, reply.json()["code"]) == (403, "ACCESS_DENIED"), (
                verb.name,
                reply.text,
            )
            refused.add(verb.name)
        assert len(refused) == len(VERBS) - len(OF_ALL)
        assert [user.name for user in await library.team.list_users()] == ["hanako"]
        theirs = (await client.get("/team/audit", headers=bearer(made.token))).json()
        assert {(entry["outcome"], entry["code"]) for entry in theirs["entries"]} == {
            ("refused", "ACCESS_DENIED")
        }
        others = await client.get("/team/audit", params={"actor": "local"}, headers=bearer(made.token))
        assert others.status_code == 403


async def test_what_is_done_to_a_team_is_no_tool_of_an_assistants(tmp_path: Path) -> None:
    """Neither of a person's nor of who runs the library: a page that an assistant reads could have it let
    somebody in."""
    async with (
        open_library(home=tmp_path, embedder="none") as library,
        served(library, AccessRules(token="canary-local")) as client,
    ):
        user = await library.team.add_user("hanako")
        assert user is not None
        for token in (user.token, "canary-local"):
            client.headers.update(bearer(token))
            opened = await speak(client, "initialize", HELLO)
            session = opened.headers["mcp-session-id"]
            tools = (await speak(client, "tools/list", {}, session)).text
            assert "search_corpus" in tools
            assert not [verb.name for verb in VERBS if f'"{verb.name}"' in tools]
            call = {"name": "add_user", "arguments": {"name": "jiro"}}
            refused = await speak(client, "tools/call", call, session)
            assert '"error"' in refused.text or '"isError":true' in refused.text
        assert [user.name for user in await library.team.list_users()] == ["hanako"]
