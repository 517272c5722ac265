"""The stories on one PostgreSQL database that several machines share: each library here has a home of its
own."""

from __future__ import annotations

import asyncio
import hashlib
import struct
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from shisho.bootstrap.copying import copy_library, restore_archive
from shisho.bootstrap.library import open_library
from shisho.bootstrap.shared import build_stores
from shisho.bootstrap.sql_stores import LibraryStores
from shisho.corpus.ingest import make_document_id as made_id
from shisho.domain.corpus import LOCAL_OWNER, DocumentId, Scope, Source
from shisho.domain.job import StopMode
from shisho.domain.task import Bytes, SearchOptions
from shisho.domain.team import Access, AuditAct, AuditVerb, CorpusKey, Grantee, GranteeKind, QuotaResource
from shisho.errors import Conflict, EmptyCorpus, InvalidParams, NotFound, SourceRemoved
from shisho.services import Library
from shisho.settings import load
from shisho.system.clock import SystemClock
from shisho_box.server import Box
from tests.flows.boxed import way
from tests.flows.conftest import SAMPLES, Shell
from tests.flows.smallweb import answered, finished
from tests.flows.test_documents_to_answer import check_evidence
from tests.flows.test_purge import NAME, leave_no_name_with_keys
from tests.interfaces.serving import SHISHO, environment
from tests.postgres import PostgresServer

QUESTION = "決定係数が0に近いとき何を意味するか"
# What has a word in it; the table and the column are filled in.
COLUMNS = """SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type IN ('text', 'bytea') AND table_name NOT IN ('readable_corpora', 'provenance')"""

PAGE = 8192
# Tables and indexes with the places of their files.
RELATIONS = """SELECT relname, pg_relation_filepath(oid) FROM pg_class
    WHERE relkind IN ('r', 'i', 't') AND relnamespace <> 'pg_catalog'::regnamespace"""


@pytest.fixture
def store(postgres: PostgresServer) -> Iterator[str]:
    with postgres.fresh() as url:
        yield url


@asynccontextmanager
async def machine(folder: Path, name: str, store: str, **settings: Any) -> AsyncIterator[Library]:
    """A library of a machine that shares database and files with others."""
    shared = {"store": store, "blobs": str(folder / "shared")}
    async with open_library(home=folder / name, **(shared | settings)) as library:
        yield library


@asynccontextmanager
async def open_stores(home: Path, store: str = "") -> AsyncIterator[LibraryStores]:
    """The stores of a home, or of a database."""
    stores = build_stores(load(home=home, store=store), None, SystemClock)
    yield stores
    await stores.close()


def left(store: str, word: str) -> list[str]:
    """The columns in which a word stands."""
    with psycopg.connect(store) as connection:
        columns = connection.execute(COLUMNS).fetchall()
        return [
            f"{table}.{column}"
            for table, column in columns
            if connection.execute(
                f"SELECT EXISTS (SELECT 1 FROM {table} WHERE strpos({column}::text, %s) > 0)",
                (word,),  # type: ignore[arg-type]
            ).fetchone()
            == (True,)
        ]


def document_id(data: bytes) -> DocumentId:
    return made_id(hashlib.sha256(data).hexdigest(), "default", LOCAL_OWNER)


@pytest.mark.slow
async def test_documents_of_one_machine_are_answered_from_on_another(tmp_path: Path, store: str) -> None:
    async with machine(tmp_path, "a", store) as here, machine(tmp_path, "b", store) as there:
        async for receipt in here.documents.add(SAMPLES):
            assert receipt.outcome == "added", receipt
        answer = await there.questions.ask(QUESTION)
        assert not answer.abstained
        await check_evidence(here, answer)
        assert await here.questions.get("last") == answer
        follow_up = await here.questions.ask("それはなぜか", conversation=answer.id)
        assert follow_up.understood and follow_up.understood != "それはなぜか"
        (database, *rest) = await here.run_checks()
        assert database.ok and "PostgreSQL" in database.detail
        assert ["includes them" in check.detail for check in rest if check.name == "originals"] == [True]


@pytest.mark.slow
async def test_files_handed_in_here_are_read_by_a_worker_there_and_purged_for_all(
    tmp_path: Path, store: str
) -> None:
    async with machine(tmp_path, "a", store) as here, machine(tmp_path, "b", store) as there:
        lecture = Bytes("講義.pdf", (SAMPLES / "01-regression.pdf").read_bytes())
        queued = await here.tasks.queue_documents(files=[lecture])
        async with there.working(1):
            await finished(here, queued.task_id)
            asked = await here.questions.queue(QUESTION, task_id=queued.task_id)
            answer = await answered(here, asked)
        assert answer.evidence
        quotation = answer.evidence[0].snippet
        (document,) = await there.documents.list()
        assert list((tmp_path / "shared" / "originals").iterdir())
        assert left(store, quotation)
        await there.documents.remove(document.id, purge=True)
        assert not list((tmp_path / "shared" / "originals").iterdir())
        assert left(store, quotation) == [] == left(store, "講義.pdf")


async def test_keys_of_requests_name_a_purged_document_no_more(tmp_path: Path, store: str) -> None:
    async with machine(tmp_path, "a", store, embedder="none") as library, library.working():
        await leave_no_name_with_keys(library, tmp_path)
    assert left(store, NAME) == []


async def test_a_purge_leaves_no_deleted_row_in_the_files_of_the_tables(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    """A row that was deleted would stand there until a fifth of the table has changed."""
    sentence = "縞馬は月のない夜にだけ第七書庫へ来る。"
    with postgres.fresh() as store:
        async with machine(tmp_path, "a", store, embedder="none") as library:
            await library.documents.add_source(Source("other.txt", "別の本文。".encode()))
            receipt = await library.documents.add_source(
                Source("縞馬.md", f"# 縞馬の書庫\n\n{sentence}\n".encode())
            )
            await library.documents.add_source(Source("more.txt", "また別の本文。".encode()))
            assert receipt.document_id is not None
            assert (await library.questions.ask("第七書庫へ来るのは何か")).evidence
            tables = {"passages", "documents", "evidence", "answers"}
            assert tables_with("縞馬", postgres, store) >= tables
            await library.documents.remove(receipt.document_id, purge=True)
            assert tables_with("縞馬", postgres, store) == set()


def tables_with(word: str, server: PostgresServer, store: str) -> set[str]:
    """The tables and indexes in which a word stands, in rows that were deleted too."""
    with psycopg.connect(store, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        relations = connection.execute(RELATIONS).fetchall()
    return {
        name
        for name, place in relations
        if word.encode() in rows_of((server.folder / "data" / place).read_bytes())
    }


def rows_of(file: bytes) -> bytes:
    """A file of PostgreSQL without the room that is free in its pages, whose ends stand in the head of
    each."""
    pages = [file[at : at + PAGE] for at in range(0, len(file), PAGE)]
    ends = [struct.unpack_from("=HH", page, 12) for page in pages]
    return b"".join(page[:lower] + page[upper:] for page, (lower, upper) in zip(pages, ends, strict=True))


@pytest.mark.slow
async def test_searches_queued_here_are_done_there_and_their_pages_found(tmp_path: Path, store: str) -> None:
    async with (
        Box(seed=1) as box,
        machine(tmp_path, "a", store) as here,
        machine(tmp_path, "b", store, web_access=way(box)) as there,
    ):
        topic = box.questions[0].topic
        options = SearchOptions(engines=("mojeek",), serp_max_pages=1, max_results_per_query=3)
        async with there.working(2):
            queued = await there.tasks.queue_searches([topic], options=options)
            status = await finished(here, queued.task_id)
        assert status.status == "completed", status
        assert [row for row in status.results if row.document_id]
        assert await here.documents.search(topic, corpora=["web"])
        await here.tasks.stop(queued.task_id, mode=StopMode.IMMEDIATE)
        assert await here.tasks.remove(queued.task_id, purge="orphans")
        left = [
            (document.source, document.corpus, document.added_at) for document in await here.documents.list()
        ]
        assert not left, (left, status)
        with pytest.raises(EmptyCorpus):
            await here.documents.search(topic, corpora=["web"])


@pytest.mark.slow
async def test_backup_of_everything_is_restored_into_an_empty_database_only(
    tmp_path: Path, store: str, postgres: PostgresServer
) -> None:
    file = tmp_path / "all.zip"
    other = postgres.new_database()
    async with machine(tmp_path, "a", store) as here:
        async for _ in here.documents.add(SAMPLES / "01-regression.pdf"):
            pass
        await here.tasks.queue_documents(files=[Bytes("氷.md", "樹氷は白い。".encode())])
        answer = await here.questions.ask(QUESTION)
        await here.backup(file)
        with pytest.raises(Conflict, match="already exists"):
            await here.backup(file)
    elsewhere = {"blobs": str(tmp_path / "elsewhere")}
    settings = load(home=tmp_path / "c", **elsewhere)
    await restore_archive(settings, file, other)
    async with machine(tmp_path, "c", other, **elsewhere) as restored:
        assert await restored.questions.get("last") == answer
        assert (await restored.questions.ask(QUESTION)).text == answer.text
        async with restored.working(1):
            status = await finished(restored, "last")
        assert status.status == "completed", "what waited when it was copied is done"
    with pytest.raises(Conflict, match="not empty"):
        await restore_archive(settings, file, other)
    file.write_bytes(file.read_bytes()[:-200])
    with pytest.raises(InvalidParams, match="is not a backup"):
        await restore_archive(settings, file, postgres.new_database())


@pytest.mark.slow
async def test_library_is_copied_into_postgres_and_back(tmp_path: Path, postgres: PostgresServer) -> None:
    """What it answers, who asked what, what was removed and what waits: all comes along, and again costs
    nothing."""
    first = tmp_path / "first"
    notes = [tmp_path / f"{name}.md" for name in ("氷", "霧", "雨")]
    for note in notes:
        note.write_text(f"{note.stem}は白い。\n\n{note.stem}は冷たい。\n", "utf-8")
    async with open_library(home=first) as library:
        async for receipt in library.documents.add(*notes, SAMPLES / "01-regression.pdf"):
            assert receipt.outcome == "added", receipt
        answer = await library.questions.ask(QUESTION)
        await library.questions.ask("それはなぜか", conversation=answer.id)
        await library.documents.remove("氷.md")
        await library.documents.remove("霧.md", purge=True)
        notes[2].write_text("雨は降る。\n", "utf-8")
        async for _ in library.documents.add(notes[2]):
            pass
        await library.tasks.queue_documents(files=[Bytes("雪.md", "雪は深い。".encode())])
        stood = [(document.id, document.source) for document in await library.documents.list()]
        hits = [hit.text for hit in await library.documents.search("白い")]
        latest = await library.questions.ask(QUESTION)
    granted = CorpusKey(LOCAL_OWNER, "default")
    async with open_stores(first) as stores:
        await stores.users.add("花子")
        await stores.users.add_group("研究室")
        await stores.users.join("研究室", "花子")
        await stores.quotas.set(Grantee(GranteeKind.GROUP, "研究室"), {QuotaResource.JOBS: 9})
        await stores.audit.record(AuditAct("花子", AuditVerb.READ, ("doc_1",)))
        await stores.grants.grant(granted, Grantee(GranteeKind.USER, "花子"), Access.READ)
    store = postgres.new_database()
    second = tmp_path / "second"
    for source, target in ((first, store), (first, store), (store, second)):
        report = await copy_library(str(source), str(target), lambda what, count: None)
        assert (
            report.copied["documents"] == 4 and report.copied["answers"] == 3 and report.copied["jobs"] == 1
        )
    async with open_stores(second) as stores:
        assert [reachable.corpus for reachable in await stores.grants.list_reachable("花子")] == [granted]
        assert [(quota.grantee.name, quota.per_day) for quota in await stores.quotas.list_quotas("花子")] == [
            ("研究室", 9)
        ]
        await stores.audit.record(AuditAct("花子", AuditVerb.ASK, ("run_1",)))
        assert [(entry.verb, entry.seq) for entry in await stores.audit.list_entries("花子", None, 9)] == [
            (AuditVerb.ASK, 2),
            (AuditVerb.READ, 1),
        ]
    for place in ({"home": tmp_path / "third", "store": store}, {"home": second}):
        async with open_library(**place) as library:
            assert [(document.id, document.source) for document in await library.documents.list()] == stood
            assert await library.questions.get(answer.id) == answer
            assert [hit.text for hit in await library.documents.search("白い")] == hits
            assert (await library.questions.ask(QUESTION)).text == latest.text
            assert (await library.documents.restore("氷.md")).source.endswith("氷.md")
            with pytest.raises(SourceRemoved):
                await library.documents.read_text(document_id((tmp_path / "霧.md").read_bytes()))


async def test_what_holds_no_library_is_not_copied_and_stays_as_it_is(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "覚書.txt").write_text("ただの覚書。", "utf-8")
    empty = postgres.new_database()
    for source in (str(folder), str(tmp_path / "nowhere"), empty):
        with pytest.raises(NotFound, match="There is no library at"):
            await copy_library(source, str(tmp_path / "target"), lambda what, count: None)
    assert {path.name for path in tmp_path.rglob("*")} == {"notes", "覚書.txt"}  # noqa: ASYNC240
    with psycopg.connect(empty) as connection:
        assert connection.execute(
            "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
        ).fetchone() == (0,)


@pytest.mark.slow
async def test_a_copy_that_was_killed_goes_on_where_it_was(tmp_path: Path, postgres: PostgresServer) -> None:
    """Killed with documents in the target and rows of tables not yet; the second run ends with all of it."""
    first = tmp_path / "first"
    async with open_library(home=first, embedder="none") as library:
        for number in range(60):
            await library.documents.add_source(Source(f"{number}.txt", f"第{number}の覚書は白い。".encode()))
        await library.team.add_user("花子")
        await library.team.set_quota("花子", {"jobs": 3})
        hits = [hit.text for hit in await library.documents.search("第7の覚書")]
    store = postgres.new_database()
    command = [sys.executable, *SHISHO, "copy", "--from", str(first), "--to", store]
    process = await asyncio.create_subprocess_exec(*command, env=environment(tmp_path / "home"))
    async with open_stores(tmp_path / "watching", store) as stores:
        while await count_documents(stores) < 10:
            assert process.returncode is None, "it had ended before it was killed"
            await asyncio.sleep(0.01)
        process.kill()
        await process.wait()
        assert await count_documents(stores) < 60 and not await stores.users.list_users()
        report = await copy_library(str(first), store, lambda what, count: None)
        assert report.copied["documents"] == 60 == await count_documents(stores)
        assert [user.name for user in await stores.users.list_users()] == ["花子"]
        assert [quota.per_day for quota in await stores.quotas.list_quotas()] == [3]
    async with open_library(home=tmp_path / "third", store=store, embedder="none") as library:
        assert [hit.text for hit in await library.documents.search("第7の覚書")] == hits


async def count_documents(stores: LibraryStores) -> int:
    return await stores.shelf.count(Scope())


@pytest.mark.slow
async def test_shell_runs_on_the_database_of_the_setting(tmp_path: Path, store: str) -> None:
    shell = Shell(tmp_path / "home")
    shell.environment |= {"SHISHO_STORE": store}
    note = tmp_path / "氷.md"
    note.write_text("樹氷は気泡を多く含むので白い。\n", "utf-8")

    def work() -> None:
        shell("add", note)
        answer = shell("ask", "樹氷はなぜ白いのか", "--json")
        assert "気泡" in answer["text"]
        assert len(shell("list", "--json")) == 1
        assert shell("migrate", "--json") == {"scripts": []}

    await asyncio.to_thread(work)
    assert not (tmp_path / "home" / "shisho.db").exists()
