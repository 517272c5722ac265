"""Quotas as people meet them: over REST, MCP and the shell; and how what runs ends when a quota is used
up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.domain.task import Bytes
from shisho.errors import AccessDenied, Conflict, InvalidParams, NotFound, QuotaExhausted
from shisho.interfaces.http.guard import AccessRules
from shisho.stores.sql import tasks
from shisho_box.server import Box
from tests.flows.boxed import boxed, output, through
from tests.flows.conftest import Shell
from tests.flows.smallweb import answered, ended
from tests.flows.test_web_answers import R2
from tests.flows.test_web_budgets import ALL, pages
from tests.interfaces.http.rooms import served
from tests.interfaces.http.test_people import HELLO, speak


@pytest.fixture
def store(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "embedded":
        yield ""
        return
    with request.getfixturevalue("postgres").fresh() as url:
        yield url


async def test_a_quota_of_jobs_is_told_over_rest_and_mcp_with_when_it_is_free_again(tmp_path: Path) -> None:
    async with (
        open_library(home=tmp_path, embedder="none") as library,
        library.working(1),
        served(library, AccessRules(token="canary-local")) as client,
    ):
        made = await library.team.add_user("hanako")
        assert made is not None
        await library.for_owner("hanako").documents.add_source(Source("r2.txt", R2.encode()))
        await library.team.set_quota("hanako", {"jobs": 1})
        client.headers["authorization"] = f"Bearer {made.token}"
        asked = {"question": "決定係数とは何か", "sources": "documents", "wait": 50}
        assert (await client.post("/answers", json=asked)).status_code == 200
        refused = await client.post("/answers", json=asked)
        body = refused.json()
        assert (refused.status_code, body["code"]) == (429, "QUOTA_EXHAUSTED")
        assert int(refused.headers["retry-after"]) > 0
        assert {name: body["details"][name] for name in ("name", "resource", "used", "limit", "asked")} == {
            "name": "hanako",
            "resource": "jobs",
            "used": 1,
            "limit": 1,
            "asked": 1,
        }
        assert body["details"]["free_at"] in body["message"]
        opened = await speak(client, "initialize", HELLO)
        call = {"name": "ask", "arguments": asked}
        told = await speak(client, "tools/call", call, opened.headers["mcp-session-id"])
        assert "QUOTA_EXHAUSTED" in told.text and '"isError":true' in told.text.replace(" ", "")
        with pytest.raises(QuotaExhausted):
            await library.for_owner("hanako").tasks.queue_documents(files=[Bytes("x.txt", b"canary")])
        assert not list_files_with(tmp_path, b"canary")


def list_files_with(folder: Path, data: bytes) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and data in path.read_bytes()]


async def test_a_search_that_meets_the_quota_of_pages_ends_with_what_it_has_and_says_so(
    tmp_path: Path,
) -> None:
    async with boxed(tmp_path, slots=1) as (box, library):
        await library.team.set_quota("local", {"pages": 3})
        queued = await library.tasks.queue_searches([box.questions[20].topic], options=ALL)
        await ended(library, queued.task_id)
        done = await output(library, queued.task_id)
        assert done["paging_stop"] == "BUDGET" and done["hits"] and len(pages(box)) == 3
        (error,) = done["errors"]
        assert error["code"] == "QUOTA_EXHAUSTED" and "3 of 3 web pages" in error["reason"]
        (quota,) = await library.team.list_quotas()
        assert (quota.used, quota.per_day) == (3, 3)
        asked = await library.questions.queue("次元の呪いとは何か、また、主成分とは何か")
        assert "今日のページ数の上限に達しました" in (await answered(library, asked)).text


async def test_quotas_are_set_by_who_runs_the_library_alone(tmp_path: Path) -> None:
    async with open_library(home=tmp_path, embedder="none") as library:
        await library.team.add_user("hanako")
        hanako = library.for_owner("hanako")
        await library.team.set_quota("hanako", {"jobs": 5, "tokens": 1_000})
        assert [quota.per_day for quota in await hanako.team.list_quotas()] == [5, 1_000]
        assert list(await library.for_owner("taro").team.list_quotas()) == []
        for refused, error in (
            (hanako.team.set_quota("hanako", {"jobs": 9}), AccessDenied),
            (hanako.team.remove_quota("hanako"), AccessDenied),
            (library.team.set_quota("nobody", {"jobs": 9}), NotFound),
            (library.team.set_quota("hanako", {"jobs": 9}, is_group=True), NotFound),
            (library.team.set_quota("hanako", {"jobs": -1}), InvalidParams),
            (library.team.set_quota("hanako", {"jobs": None}), InvalidParams),
            (library.team.set_quota("hanako", {"cups": 1}), InvalidParams),
            (library.team.remove_quota("taro"), NotFound),
        ):
            with pytest.raises(error):
                await refused


@pytest.mark.slow
async def test_in_the_shell_a_quota_is_set_met_and_removed(shell: Shell, tmp_path: Path) -> None:
    async with Box(seed=3, folder=tmp_path / "box") as box:
        through(shell, box)
        said = await asyncio.to_thread(shell, "quotas", "set", "local", "--jobs", "0", "--pages", "9")
        assert said == "利用者 local  ジョブ 0 / 0(今日)\n利用者 local  ページ 0 / 9(今日)\n"
        rows = json.loads((await asyncio.to_thread(shell.run, "quotas", "list", "--json")).stdout)
        assert [(row["grantee"], row["resource"], row["per_day"], row["used"]) for row in rows] == [
            (["user", "local"], "jobs", 0, 0),
            (["user", "local"], "pages", 9, 0),
        ]
        asked = ("ask", box.questions[-1].text, "--sources", "web")
        refused = await asyncio.to_thread(shell.run, *asked)
        assert refused.returncode == 1 and refused.stderr.startswith(
            "QUOTA_EXHAUSTED: local は今日の利用上限"
        )
        assert await asyncio.to_thread(shell, "quotas", "remove", "local")
        assert (await asyncio.to_thread(shell.run, *asked)).returncode == 0


def test_the_status_is_that_of_a_ceiling() -> None:
    from shisho.interfaces.http.statuses import status_of

    assert status_of(QuotaExhausted("x")) == httpx.codes.TOO_MANY_REQUESTS


@pytest.mark.parametrize("store", ["embedded", "postgres"], indirect=True)
async def test_the_audit_tells_what_was_accepted_and_what_a_quota_refused(store: str, tmp_path: Path) -> None:
    async with open_library(home=tmp_path, store=store, embedder="none") as library:
        await library.team.add_user("hanako")
        hanako = library.for_owner("hanako")
        await hanako.documents.add_source(Source("r2.txt", R2.encode()))
        await library.team.set_quota("hanako", {"jobs": 2})
        for number in range(5):
            with suppress(QuotaExhausted):
                await hanako.tasks.queue_documents(files=[Bytes(f"{number}.txt", str(number).encode())])
        with pytest.raises(QuotaExhausted):
            await hanako.questions.queue("決定係数とは何か", wait=0)
        with pytest.raises(AccessDenied):
            await hanako.team.add_user("jiro")
        acts = [
            (entry.verb.value, entry.outcome.value, entry.code)
            for entry in await library.team.list_audit("hanako")
        ]
        assert acts[::-1] == [
            ("add", "accepted", ""),
            *2 * [("add", "accepted", "")],
            *3 * [("add", "refused", "QUOTA_EXHAUSTED")],
            ("ask", "refused", "QUOTA_EXHAUSTED"),
            ("let_in", "refused", "ACCESS_DENIED"),
        ]


@pytest.mark.parametrize("store", ["embedded", "postgres"], indirect=True)
async def test_what_is_queued_is_on_record_in_the_same_transaction(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the record cannot take is not queued, and what fails is on record as failed."""
    async with open_library(home=tmp_path, store=store, embedder="none") as library:
        await library.team.add_user("hanako")
        hanako = library.for_owner("hanako")

        def fail(*_: object) -> None:
            raise Conflict("試験")

        with monkeypatch.context() as patch:
            patch.setattr(tasks, "record_act", fail)
            with pytest.raises(Conflict):
                await hanako.tasks.queue_documents(files=[Bytes("a.txt", b"a")])
        assert not (await hanako.tasks.list()).tasks
        (entry,) = await library.team.list_audit("hanako")
        assert (entry.verb, entry.outcome, entry.code) == ("add", "failed", "CONFLICT")


async def test_the_audit_names_a_corpus_and_a_user_of_the_same_name(tmp_path: Path) -> None:
    async with open_library(home=tmp_path, embedder="none") as library:
        await library.team.add_user("hanako")
        await library.documents.add_source(Source("r2.txt", R2.encode()), corpus="hanako")
        await library.team.grant("hanako", "hanako")
        granted = (await library.team.list_audit())[0]
        assert granted.subjects == ("hanako", "hanako", "read")


async def test_what_a_reader_may_not_change_is_on_record_as_refused(tmp_path: Path) -> None:
    async with open_library(home=tmp_path, embedder="none") as library:
        await library.team.add_user("hanako")
        receipt = await library.documents.add_source(Source("r2.txt", R2.encode()), corpus="lab")
        await library.team.grant("lab", "hanako")
        with pytest.raises(AccessDenied):
            await library.for_owner("hanako").documents.remove(str(receipt.document_id))
        with pytest.raises(AccessDenied):
            await library.for_owner("hanako").tasks.queue_documents(
                files=[Bytes("a", b"a")], corpus="lab@local"
            )
        entries = await library.team.list_audit("hanako")
        assert [(entry.verb, entry.outcome) for entry in entries] == [
            ("add", "refused"),
            ("remove", "refused"),
        ]
        await library.documents.remove(str(receipt.document_id))
        newest = (await library.team.list_audit("local"))[0]
        assert (newest.verb, newest.outcome) == ("remove", "accepted")
