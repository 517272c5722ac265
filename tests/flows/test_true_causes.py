"""What is said is what is the inputs: neither a list that cannot go on nor a corpus without documents is an
empty library, and a backup that has no place is no fault of the home."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from shisho.domain.corpus import Source
from shisho.domain.task import AskOptions, Bytes, Sources, WaitCondition
from shisho.errors import Conflict, EmptyCorpus, InvalidParams
from shisho.interfaces.http.guard import AccessRules
from shisho.interfaces.http.server import build
from shisho.interfaces.mcp import server as mcp
from shisho.messages.catalogue import render
from shisho.services import Library
from tests.flows.conftest import Shell
from tests.flows.smallweb import ended
from tests.interfaces.serving import Refused, calling
from tests.machine import PATIENCE
from tests.making_homes import mounted

TEXT = "決定係数とは、回帰式の当てはまりの良さを示す値である。"


@pytest.fixture
async def two(library: Library) -> Library:
    """A library with two documents and two tasks, a job in the second."""
    for name in ("一", "二"):
        await library.documents.add_source(Source(f"{name}.txt", f"{name}。{TEXT}".encode()))
        await library.tasks.create(f"問い{name}")
    options = AskOptions((), {}, Sources.DOCUMENTS, {}, "")
    await library.questions.queue("決定係数とは何か", task_id="last", options=options, wait=0)
    return library


async def test_a_list_goes_on_after_what_is_there_alone(two: Library) -> None:
    first, second = await two.documents.list()
    newer, older = (await two.tasks.list()).tasks
    (job,) = (await two.tasks.list_jobs(newer.task_id)).jobs
    assert [*await two.documents.list(after=first.id)] == [second] and not await two.documents.list(
        after=second.id
    )
    await two.documents.remove(first.id, purge=True)
    assert [*await two.documents.list(after=first.id)] == [second]
    assert not (await two.tasks.list(cursor=older.task_id)).tasks
    assert not (await two.tasks.list_jobs(newer.task_id, cursor=job.id)).jobs
    visitor = two.for_owner("visitor")
    await visitor.tasks.create("よその問い")
    for noun, going_on in (
        ("document", two.documents.list(after="nosuch")),
        ("document", visitor.documents.list(after=second.id)),
        ("task", two.tasks.list(cursor="nosuch")),
        ("task", visitor.tasks.list(cursor=newer.task_id)),
        ("job", two.tasks.list_jobs(newer.task_id, cursor="nosuch")),
        ("job", two.tasks.list_jobs(older.task_id, cursor=job.id)),
    ):
        with pytest.raises(InvalidParams, match=rf"There is no {noun} \S+ to continue from"):
            await going_on


async def test_rest_and_assistants_are_told_so_too(two: Library) -> None:
    calls = [
        ("list_documents", "GET", "/documents", {"cursor": "nosuch"}),
        ("list_tasks", "GET", "/tasks", {"cursor": "nosuch"}),
        ("search_corpus", "POST", "/passages/search", {"keyword_query": ["決定係数"], "cursor": "nosuch"}),
    ]
    transport = httpx.ASGITransport(app=build(two, AccessRules()))
    async with (
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1/api/v1") as client,
        calling(mcp.build(two)) as call,
    ):
        for tool, method, path, given in calls:
            reply = await client.request(
                method, path, **({"params": given} if method == "GET" else {"json": given})
            )
            assert (reply.status_code, reply.json()["code"]) == (400, "INVALID_PARAMS"), reply.text
            assert "nosuch" in reply.json()["message"]
            with pytest.raises(Refused, match=r"INVALID_PARAMS.*nosuch"):
                await call(tool, **given)
        hits = (await call("search_corpus", keyword_query=["決定係数"]))["passages"]
        rest = await call("search_corpus", keyword_query=["決定係数"], cursor=hits[0]["passage"])
        assert [hit["passage"] for hit in rest["passages"]] == [hit["passage"] for hit in hits[1:]]


async def test_a_status_reads_on_from_a_cursor_of_its_task_alone(library: Library) -> None:
    """Any later one would be answered with no results for ever; that is said at once, not after the wait."""
    async with library.working():
        added = await library.tasks.queue_documents(files=[Bytes("一.txt", TEXT.encode())])
        status, results = await ended(library, added.task_id)
    assert len(results) == 1 and int(status.cursor) > 0
    again = await library.tasks.get_status(added.task_id, wait=0, cursor=status.cursor)
    assert (again.results, again.cursor) == ((), status.cursor)
    await library.documents.remove(str(results[0].document_id), purge=True)
    await library.tasks.get_status(added.task_id, wait=0, cursor=status.cursor)
    queued = await library.tasks.queue_documents(files=[Bytes("二.txt", f"二。{TEXT}".encode())])
    for wait_for in WaitCondition:
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(InvalidParams, match=f"{status.cursor} is not a cursor of this task.*or none"):
                await library.tasks.get_status(
                    queued.task_id,
                    wait=50,
                    wait_for=wait_for,
                    since_revision=(await library.tasks.get_status(queued.task_id, wait=0)).revision,
                    cursor=status.cursor,
                )
    held = await library.tasks.get_status(queued.task_id, wait=0, wait_for=WaitCondition.DONE, cursor="0")
    assert (held.results, held.cursor) == ((), "0")


async def test_rest_and_assistants_are_told_of_a_cursor_of_no_result(two: Library) -> None:
    transport = httpx.ASGITransport(app=build(two, AccessRules()))
    async with (
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1/api/v1") as client,
        calling(mcp.build(two)) as call,
    ):
        task_id = (await two.tasks.get_status("last", wait=0)).task_id
        for path in (f"/tasks/{task_id}", f"/tasks/{task_id}/events"):
            reply = await client.get(path, params={"cursor": "999999"})
            assert (reply.status_code, reply.json()["code"]) == (400, "INVALID_PARAMS"), reply.text
            assert "999999 is not a cursor of this task" in reply.json()["message"]
        with pytest.raises(Refused, match=r"INVALID_PARAMS.*999999 is not a cursor of this task"):
            await call("get_status", task_id=task_id, cursor="999999")


@pytest.mark.slow
def test_the_shell_tells_the_end_of_a_list_from_an_empty_library(shell: Shell, tmp_path: Path) -> None:
    assert "まだ文書がありません" in shell("list") and "まだタスクがありません" in shell("jobs")
    file = tmp_path / "一.txt"
    file.write_text(TEXT, "utf-8")
    shell("add", file)
    (document,) = shell("list", "--json")
    for narrowed in (["--after", document["id"]], ["--corpus", "nosuch"], ["--filter", "title=ない"]):
        assert (
            shell("list", *narrowed)
            == "当てはまる文書はありません。`shisho list` ですべての文書を表示します。\n"
        )
    for command in (["list", "--after", "nosuch"], ["jobs", "--after", "nosuch"]):
        assert "nosuch が見つからないため、続きを表示できません" in shell(*command, code=2)


async def test_a_corpus_without_documents_is_no_empty_library(two: Library) -> None:
    questions = AskOptions(("nosuch",), {}, Sources.DOCUMENTS, {}, "")
    for verb in (
        two.documents.search("決定係数", corpora="nosuch"),
        two.questions.ask("決定係数とは何か", corpora="nosuch"),
        two.questions.queue("決定係数とは何か", options=questions),
        two.sessions.open_session("決定係数とは何か", corpora=["nosuch"]),
    ):
        with pytest.raises(
            EmptyCorpus, match="There are no documents in nosuch, but there are in other corpora"
        ):
            await verb


async def test_a_backup_that_has_no_place_names_it(two: Library, tmp_path: Path) -> None:
    target = tmp_path / "missing" / "x.db"
    with pytest.raises(InvalidParams) as raised:
        await two.backup(target)
    for language, words in (("en", "there is no folder"), ("ja", " がありません。名前を確認")):
        said = render(raised.value.message, language)
        assert words in said and str(target.parent) in said and "home" not in said and "ホーム" not in said
    await two.backup(tmp_path / "x.db")
    with pytest.raises(Conflict, match="already exists"):
        await two.backup(tmp_path / "x.db")


async def test_a_backup_that_a_full_disk_breaks_off_leaves_no_half_of_it(
    two: Library, tmp_path: Path
) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    with mounted(folder, "-t", "tmpfs", "-o", "size=128k", "none"):
        with pytest.raises(Conflict, match="The disk is full"):
            await two.backup(folder / "x.db")
        assert not [*folder.iterdir()]
