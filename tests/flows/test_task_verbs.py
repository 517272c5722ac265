"""The verbs of tasks: what they accept, refuse, repeat and tell."""

from __future__ import annotations

import asyncio
import stat
import time
from collections.abc import AsyncIterator
from pathlib import Path
from statistics import quantiles
from typing import Any

import pytest

from shisho.bootstrap import worker
from shisho.bootstrap.library import open_library
from shisho.domain.job import JobState, Priority, TaskState
from shisho.domain.payloads import read_payload
from shisho.domain.task import AskOptions, Bytes, Opinion, Progress, SearchOptions, Sources
from shisho.errors import (
    Conflict,
    DocumentEncrypted,
    ForbiddenPath,
    InvalidParams,
    NotFound,
    TaskNotFound,
)
from shisho.services import Library
from tests.corpus.readers.making import lines, pdf
from tests.flows.conftest import SAMPLES
from tests.flows.smallweb import answered, ended, finished, small_web, way
from tests.machine import Stopwatch
from tests.web.browsing import until


@pytest.fixture
async def library(desk_home: Path) -> AsyncIterator[Library]:
    """With a way to a web that has no pages, so that searches may be queued."""
    async with open_library(home=desk_home, web_access=way(small_web())) as opened:
        yield opened


QUERIES = [f"決定係数 第{number}の問い" for number in range(50)]


@pytest.mark.apart
async def test_fifty_searches_are_queued_in_fifty_milliseconds(library: Library) -> None:
    """The best of three series: another process that takes the processor for a moment is not what is
    measured."""
    series = [await queueing(library) for _ in range(3)]
    assert min(series) <= 50, f"p95 of each series: {series} ms"


async def queueing(library: Library, calls: int = 20) -> float:
    """The 95th percentile of a call with fifty queries, in milliseconds without the other processes."""
    spent = []
    for _ in range(calls):
        with Stopwatch() as watch:
            queued = await library.tasks.queue_searches(QUERIES)
        spent.append(watch.undisturbed * 1000)
        assert queued.queued == 50
    return quantiles(spent, n=20)[-1]


async def test_what_is_no_query_is_skipped_with_its_reason(library: Library) -> None:
    queued = await library.tasks.queue_searches(
        [
            "決定係数 定義",
            "",
            " 　\n",
            "undefined",
            "NULL",
            "決定係数　定義",
            "ＡＢＣ",
            "abc",
            "…!?",
            "長" * 501,
            "残差",
        ]
    )
    assert (
        queued.queued == 3
        and len(queued.job_ids) == 3
        and queued.next == "get_status"
        and queued.estimated_seconds > 0
    )
    assert [(one.subject, one.reason) for one in queued.skipped] == [
        ("", "blank"),
        (" 　\n", "blank"),
        ("undefined", "undefined is not a query"),
        ("NULL", "NULL is not a query"),
        ("決定係数　定義", "repeated in this call"),
        ("abc", "repeated in this call"),
        ("…!?", "blank"),
        ("長" * 501, "longer than 500 characters"),
    ]
    again = await library.tasks.queue_searches(["残差", "新しい問い"], task_id=queued.task_id[:30])
    assert (again.task_id, again.queued) == (queued.task_id, 1)
    assert [one.reason for one in again.skipped] == [f"already queued in this task (job {queued.job_ids[2]})"]
    other = SearchOptions(language="en", priority=Priority.HIGH)
    assert (await library.tasks.queue_searches(["残差"], task_id=queued.task_id, options=other)).queued == 1
    jobs = (await library.tasks.list_jobs(queued.task_id)).jobs
    assert [(read_payload(job).subject, job.priority) for job in jobs] == [
        ("決定係数 定義", 50),
        ("ＡＢＣ", 50),
        ("残差", 50),
        ("新しい問い", 50),
        ("残差", 10),
    ]


async def test_an_idempotency_key_stands_for_one_call(library: Library) -> None:
    first = await library.tasks.queue_searches(["一", "二", ""], idempotency_key="k1")
    assert await library.tasks.queue_searches(["一", "二", ""], idempotency_key="k1") == first
    assert len((await library.tasks.list_jobs(first.task_id)).jobs) == 2
    assert (await library.tasks.queue_searches(["一"], idempotency_key="k2")).task_id != first.task_id
    urls = [await library.tasks.queue_urls(["https://a.example/"], idempotency_key="u") for _ in range(2)]
    assert urls[0] == urls[1]
    tasks = [await library.tasks.create("問い", idempotency_key="t") for _ in range(2)]
    assert tasks[0] == tasks[1] != await library.tasks.create("問い")
    more = await library.tasks.queue_searches(["二", "三"], task_id=first.task_id, idempotency_key="k3")
    assert (more.queued, len(more.skipped)) == (1, 1)
    assert (
        await library.tasks.queue_searches(["二", "三"], task_id=first.task_id, idempotency_key="k3") == more
    )


async def test_a_key_gives_the_first_reply_though_the_last_task_is_another_one_now(stocked: Library) -> None:
    library = stocked
    await library.tasks.create("回帰とは何か")
    searches = await library.tasks.queue_searches(["一"], task_id="last", idempotency_key="s")
    urls = await library.tasks.queue_urls(["https://a.example/"], task_id="last", idempotency_key="u")
    files = [Bytes("新.txt", "新しい本文です。".encode())]
    documents = await library.tasks.queue_documents(files=files, task_id="last", idempotency_key="d")
    asked = await library.questions.queue("残差とは何か", task_id="last", idempotency_key="q", wait=0)
    newer = await library.tasks.create("分散とは何か")
    assert await library.tasks.queue_searches(["一"], task_id="last", idempotency_key="s") == searches
    assert await library.tasks.queue_urls(["https://a.example/"], task_id="last", idempotency_key="u") == urls
    assert await library.tasks.queue_documents(files=files, task_id="last", idempotency_key="d") == documents
    again = await library.questions.queue("残差とは何か", task_id="last", idempotency_key="q", wait=0)
    assert (again.task_id, again.answer_id) == (asked.task_id, asked.answer_id)
    assert not (await library.tasks.list_jobs(newer)).jobs


async def test_documents_and_questions_under_a_key_are_taken_once(stocked: Library, tmp_path: Path) -> None:
    file = Bytes("新.txt", "新しい本文です。".encode())
    added = [
        await stocked.tasks.queue_documents(files=[file], password="秘密", idempotency_key="d")
        for _ in range(2)
    ]
    assert added[0] == added[1] and added[0].queued == 1
    assert len([*(tmp_path / "home" / "staging").iterdir()]) == 2  # the bytes and the password, once
    asked = [await stocked.questions.queue("決定係数とは何か", idempotency_key="q", wait=0) for _ in range(2)]
    assert asked[0] == asked[1]
    assert len((await stocked.tasks.list()).tasks) == 2
    with pytest.raises(Conflict, match=r"add_documents of '新\.txt'"):
        await stocked.tasks.queue_documents(files=[file], password="別の秘密", idempotency_key="d")
    paths = [SAMPLES / "01-regression.pdf"]
    known = [
        await stocked.tasks.queue_documents(paths=paths, remote=False, idempotency_key="e") for _ in range(2)
    ]
    assert known[0] == known[1] and known[0].already_known[0].title


@pytest.mark.parametrize(
    "call",
    [
        lambda library, task: library.tasks.create("別の問い", idempotency_key="k"),
        lambda library, task: library.tasks.queue_searches(["一"], task_id=task, idempotency_key="k"),
        lambda library, task: library.tasks.queue_searches(["一", "三"], idempotency_key="k"),
        lambda library, task: library.tasks.queue_searches(["一", "二"], task_id=task, idempotency_key="k"),
        lambda library, task: library.tasks.queue_searches(
            ["一", "二"], options=SearchOptions(language="en"), idempotency_key="k"
        ),
        lambda library, task: library.tasks.queue_urls(["https://a.example/"], idempotency_key="k"),
        lambda library, task: library.tasks.queue_documents(
            files=[Bytes("a.txt", b"a")], idempotency_key="k"
        ),
        lambda library, task: library.questions.queue(
            "何か", options=AskOptions(sources=Sources.DOCUMENTS), idempotency_key="k"
        ),
    ],
)
async def test_a_key_of_another_request_is_a_conflict_that_names_it(library: Library, call: Any) -> None:
    first = await library.tasks.queue_searches(["一", "二"], idempotency_key="k")
    other = await library.tasks.create("問い")
    with pytest.raises(
        Conflict, match=f"queue_searches of '一' and 1 more in task {first.task_id}"
    ) as refused:
        await call(library, other)
    assert not refused.value.retry and refused.value.details == {
        "verb": "queue_searches",
        "task_id": first.task_id,
    }
    jobs = [await library.tasks.list_jobs(task.task_id) for task in (await library.tasks.list()).tasks]
    assert sorted(len(page.jobs) for page in jobs) == [0, 2]


async def test_a_query_that_was_cancelled_can_be_asked_again_in_its_task(library: Library) -> None:
    first = await library.tasks.queue_searches(["一", "二"])
    await library.tasks.stop(first.task_id)
    again = await library.tasks.queue_searches(["一"], task_id=first.task_id)
    assert (again.queued, again.skipped, again.job_ids) == (1, (), first.job_ids[:1])
    states = {
        read_payload(job).subject: job.state for job in (await library.tasks.list_jobs(first.task_id)).jobs
    }
    assert states == {"一": JobState.QUEUED, "二": JobState.CANCELLED}


@pytest.mark.parametrize(
    "call",
    [
        lambda library: library.tasks.create("  "),
        lambda library: library.tasks.create("何か", idempotency_key=" "),
        lambda library: library.tasks.create("何か", budget={"max_pags": 3}),
        lambda library: library.tasks.create("何か", budget={"max_pages": -1}),
        lambda library: library.tasks.create("何か", budget={"max_pages": float("nan")}),
        lambda library: library.tasks.queue_searches([]),
        lambda library: library.tasks.queue_searches(["", "undefined"]),
        lambda library: library.tasks.queue_searches(["問い"] * 51),
        lambda library: library.tasks.queue_searches(["問い"], options=SearchOptions(serp_max_pages=11)),
        lambda library: library.tasks.queue_searches(["問い"], options=SearchOptions(serp_page=0)),
        lambda library: library.tasks.queue_searches(
            ["問い"], options=SearchOptions(max_results_per_query=0)
        ),
        lambda library: library.tasks.queue_searches(["問い"], options=SearchOptions(language="日本語")),
        lambda library: library.tasks.queue_searches(
            ["問い"], options=SearchOptions(language="example.org/x#")
        ),
        lambda library: library.tasks.queue_searches(["問い"], options=SearchOptions(language="ja\0")),
        lambda library: library.tasks.queue_searches(["問い"], options=SearchOptions(region="j\n")),
        lambda library: library.tasks.queue_urls(["javascript:alert(1)", "file:///etc/passwd"]),
        lambda library: library.tasks.get_status(wait=51),
        lambda library: library.tasks.get_status(wait=-1),
        lambda library: library.tasks.get_status(wait=float("nan")),
        lambda library: library.tasks.get_status(wait=0, cursor="1; DROP TABLE jobs"),
        lambda library: library.questions.queue("  "),
        lambda library: library.questions.queue("何か", options=AskOptions(budget={"max_k": 3})),
        lambda library: library.tasks.queue_documents(),
        lambda library: library.tasks.queue_documents(paths=["/nowhere/at/all"], remote=False),
        lambda library: library.tasks.queue_documents(paths=["a\0b"], remote=False),
        lambda library: library.tasks.queue_documents(files=[Bytes("a.txt", b"a")], corpus="web"),
        lambda library: library.tasks.queue_documents(files=[Bytes("../", b"a")]),
        lambda library: library.questions.record_feedback(Opinion.BLOCK_DOMAIN, "no domain"),
        lambda library: library.questions.record_feedback(Opinion.BLOCK_DOMAIN, "100%.example_"),
    ],
)
async def test_wrong_calls_are_refused(library: Library, call: Any) -> None:
    with pytest.raises(InvalidParams):
        await call(library)
    assert (await library.tasks.list()).tasks == ()


async def test_tasks_are_found_by_id_prefix_or_last(library: Library) -> None:
    for name in ("last", "0" * 32):
        with pytest.raises(TaskNotFound):
            await library.tasks.get_status(name, wait=0)
    tasks = [await library.tasks.create(f"問い{number}") for number in range(5)]
    assert (await library.tasks.get_status("last", wait=0)).question == "問い4"
    assert (await library.tasks.get_status(tasks[2], wait=0)).question == "問い2"
    with pytest.raises(TaskNotFound, match="More than one"):
        await library.tasks.get_status(tasks[0][:4], wait=0)
    page = await library.tasks.list(limit=3)
    assert [one.task_id for one in page.tasks] == tasks[:1:-1] and page.cursor == tasks[2]
    rest = await library.tasks.list(limit=3, cursor=page.cursor)
    assert [one.task_id for one in rest.tasks] == tasks[1::-1] and rest.cursor is None
    assert (await library.tasks.list(states=[TaskState.RUNNING])).tasks == ()


async def test_a_long_poll_wakes_for_each_change_and_never_early(library: Library) -> None:
    queued = await library.tasks.queue_searches(["一", "二"])
    held = await library.tasks.get_status(queued.task_id, wait=0)
    assert held.changed and held.retry_after is not None and held.estimated_seconds == 30.0
    began = time.monotonic()
    same = await library.tasks.get_status(queued.task_id, wait=0.3, since_revision=held.revision)
    assert not same.changed and time.monotonic() - began >= 0.3
    wait = 50.0
    polls = [
        asyncio.create_task(library.tasks.get_status(queued.task_id, wait=wait, since_revision=held.revision))
        for _ in range(50)
    ]
    await asyncio.sleep(0.1)
    for poll in polls[:10]:
        poll.cancel()
    with Stopwatch() as watch:
        await library.tasks.stop(queued.task_id)
        woken = await asyncio.gather(*polls[10:])
    assert watch.undisturbed < wait / 2  # by the change, not as their time was over
    assert all(one.changed and one.status is TaskState.STOPPED and one.queue.queued == 0 for one in woken)
    assert held.created_at <= woken[0].changed_at and woken[0].retry_after is None


async def test_results_after_the_cursor_are_those_that_changed(library: Library) -> None:
    async with library.working():
        added = await library.tasks.queue_documents(
            files=[Bytes(f"{n}.txt", f"本文{n}。".encode()) for n in range(25)]
        )
        await ended(library, added.task_id)
    first = await library.tasks.get_status(added.task_id, wait=0)
    assert len(first.results) == 10 and first.more and first.progress.documents == Progress(25, 25)
    second = await library.tasks.get_status(added.task_id, wait=0, cursor=first.cursor)
    third = await library.tasks.get_status(added.task_id, wait=0, cursor=second.cursor)
    assert (len(second.results), len(third.results), third.more) == (10, 5, False)
    assert len({one.url for one in (*first.results, *second.results, *third.results)}) == 25
    assert (await library.tasks.get_status(added.task_id, wait=0, cursor=third.cursor)).results == ()


@pytest.fixture
async def rooted(tmp_path: Path) -> AsyncIterator[Library]:
    """A library that lets callers from outside take files from one folder."""
    (tmp_path / "open").mkdir()
    async with (
        open_library(home=tmp_path / "home", allowed_roots=str(tmp_path / "open")) as library,
        library.working(),
    ):
        yield library


async def test_outside_callers_reach_allowed_folders_only(rooted: Library, tmp_path: Path) -> None:
    inside = tmp_path / "open" / "a.txt"
    outside = tmp_path / "secret.txt"
    inside.write_text("公開の本文である。", "utf-8")
    outside.write_text("秘密の本文である。", "utf-8")
    (tmp_path / "open" / "link.txt").symlink_to(outside)
    for path in (
        outside,
        tmp_path / "open" / ".." / "secret.txt",
        tmp_path / "open" / "link.txt",
        "/etc/passwd",
        "~",
        tmp_path,
    ):
        with pytest.raises(ForbiddenPath):
            await rooted.tasks.queue_documents(paths=[path])
    with pytest.raises(ForbiddenPath):
        await rooted.tasks.queue_documents(paths=[inside.parent])  # it holds the link
    with pytest.raises(ForbiddenPath):  # and does not tell whether there is such a file
        await rooted.tasks.queue_documents(paths=["/no/such/file"])
    (tmp_path / "open" / "link.txt").unlink()
    added = await rooted.tasks.queue_documents(paths=[inside.parent], metadata={"課": "統計学"})
    await ended(rooted, added.task_id)
    (document,) = await rooted.documents.list(filters={"課": "統計学"})
    assert document.source == str(inside)
    again = await rooted.tasks.queue_documents(paths=[inside])
    assert [(one.source, one.document_id) for one in again.already_known] == [
        (str(inside), document.id)
    ] and not again.job_ids
    assert (await rooted.tasks.queue_documents(paths=[outside], remote=False)).queued == 1


async def test_bytes_wait_in_files_of_their_owner_and_are_gone_when_taken_in(
    library: Library, tmp_path: Path
) -> None:
    staging = tmp_path / "home" / "staging"
    secret = "himitsu-27182"
    locked = pdf([lines("鍵のかかった文")], password=secret)
    files = [Bytes("../../etc/報告.txt", "報告の本文である。".encode()), Bytes("locked.pdf", locked)]
    added = await library.tasks.queue_documents(files=files, password=secret)
    held = sorted(staging.iterdir())
    assert len(held) == 4 and stat.S_IMODE(staging.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(each.stat().st_mode) == 0o600 for each in held)
    assert not any(secret.encode() in each.read_bytes() for each in (tmp_path / "home").glob("shisho.db*"))
    assert all(secret not in str(job.input) for job in (await library.tasks.list_jobs(added.task_id)).jobs)
    async with library.working():
        status, results = await ended(library, added.task_id)
    assert status.status is TaskState.COMPLETED and {one.url for one in results} == {"報告.txt", "locked.pdf"}
    assert not [*staging.iterdir()]
    again = await library.tasks.queue_documents(files=files[:1])
    assert [one.source for one in again.already_known] == ["報告.txt"] and not [*staging.iterdir()]


async def test_a_file_that_cannot_be_taken_in_says_why_and_can_be_resumed(
    library: Library, tmp_path: Path
) -> None:
    bad = tmp_path / "b.pdf"
    locked = Bytes("locked.pdf", pdf([lines("鍵のかかった文")], password="key"))
    bad.write_bytes(b"%PDF-1.7 broken")
    good = Bytes("ok.txt", "良い本文。".encode())
    async with library.working():
        added = await library.tasks.queue_documents(paths=[bad], files=[locked, good], remote=False)
        held, _ = await ended(library, added.task_id)
        assert held.status is TaskState.COMPLETED and held.progress.documents == Progress(1, 3)
        assert {(one.url, one.code) for one in held.errors} == {
            (str(bad), "DOCUMENT_UNREADABLE"),
            ("locked.pdf", DocumentEncrypted.code),
        }
        bad.write_bytes((SAMPLES / "01-regression.pdf").read_bytes())
        assert (await library.tasks.resume(added.task_id)).requeued == 2
        held, _ = await ended(library, added.task_id)
        assert [one.url for one in held.errors] == ["locked.pdf"]
        states = {
            read_payload(job).subject: job.state
            for job in (await library.tasks.list_jobs(added.task_id)).jobs
        }
        assert states == {
            str(bad): JobState.COMPLETED,
            "ok.txt": JobState.COMPLETED,
            "locked.pdf": JobState.FAILED,
        }
    assert len([*(tmp_path / "home" / "staging").iterdir()]) == 1, "the refused file waits for another try"
    await library.tasks.remove(added.task_id)
    assert not [*(tmp_path / "home" / "staging").iterdir()]


async def test_the_password_of_a_job_that_has_failed_is_erased(library: Library, tmp_path: Path) -> None:
    staging = tmp_path / "home" / "staging"
    locked = Bytes("locked.pdf", pdf([lines("鍵のかかった文")], password="key"))
    async with library.working():
        added = await library.tasks.queue_documents(files=[locked], password="another")
        await ended(library, added.task_id)
        assert await until(lambda: len([*staging.iterdir()]) == 1)
        assert [kept.read_bytes() for kept in staging.iterdir()] == [locked.data]
        await library.tasks.resume(added.task_id)
        status = await finished(library, added.task_id)
    assert [one.code for one in status.errors] == [NotFound.code]
    assert "Add the document again with its password." in status.errors[0].reason
    again = await library.tasks.queue_documents(files=[locked], password="key")
    async with library.working():
        status = await finished(library, again.task_id)
    assert status.status is TaskState.COMPLETED


async def test_a_password_that_a_crash_has_left_is_erased_by_who_works_next(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    staging = tmp_path / "home" / "staging"
    locked = Bytes("locked.pdf", pdf([lines("鍵のかかった文")], password="key"))

    async def die(*_: object) -> None:
        """As a process does that is killed between the two."""

    with monkeypatch.context() as patched:
        patched.setattr(worker, "_forget_password", die)
        async with library.working():
            added = await library.tasks.queue_documents(files=[locked], password="another")
            await ended(library, added.task_id)
    assert b"another" in {kept.read_bytes() for kept in staging.iterdir()}
    waiting = await library.tasks.queue_documents(files=[Bytes("other.pdf", locked.data)], password="key")
    await library.tasks.stop(waiting.task_id)
    async with library.working():
        assert await until(lambda: b"another" not in {kept.read_bytes() for kept in staging.iterdir()})
    assert b"key" in {kept.read_bytes() for kept in staging.iterdir()}, "what was stopped can be resumed"


async def test_an_answer_is_named_before_it_is_there(stocked: Library) -> None:
    asked = await stocked.questions.queue("残差とは何か", wait=0)
    assert asked.answer is None and asked.retry_after
    pending = await stocked.questions.wait(asked.answer_id, wait=0)
    assert (pending.answer, pending.task_id) == (None, asked.task_id)
    assert (await stocked.tasks.get_status(asked.task_id, wait=0)).answer_id is None
    waiting = asyncio.create_task(stocked.questions.wait(asked.answer_id, wait=50))
    async with stocked.working():
        answer = await answered(stocked, await waiting)
    done = await stocked.questions.wait(asked.answer_id)
    assert done.answer == answer and answer.id == asked.answer_id and done.retry_after is None
    assert (await stocked.questions.get("last")).id == asked.answer_id
    assert (await stocked.questions.resume(asked.answer_id)) == answer
    other = await stocked.questions.queue("検定とは何か", task_id=asked.task_id, wait=0)
    await stocked.tasks.stop(asked.task_id)
    with pytest.raises(NotFound, match="resume_task"):
        await stocked.questions.wait(other.answer_id)
    for unknown in ("nothing", queued_search := (await stocked.tasks.queue_searches(["一"])).job_ids[0]):
        with pytest.raises(NotFound):
            await stocked.questions.wait(unknown)
    assert queued_search


async def test_an_answer_that_fails_raises_its_error(stocked: Library) -> None:
    asked = await stocked.questions.queue(
        "残差とは何か", options=AskOptions(sources=Sources.DOCUMENTS), wait=0
    )
    for document in await stocked.documents.list():
        await stocked.documents.remove(document.id)
    async with stocked.working():
        from shisho.errors import EmptyCorpus

        with pytest.raises(EmptyCorpus):
            await answered(stocked, asked)
        assert (await stocked.tasks.get_status(asked.task_id, wait=0)).status is TaskState.FAILED


async def test_a_rejected_quotation_is_not_given_again(stocked: Library) -> None:
    question = "決定係数が0に近いとき何を意味するか"
    options = AskOptions(sources=Sources.DOCUMENTS)
    async with stocked.working():
        first = await answered(stocked, await stocked.questions.queue(question, options=options))
        rejected = first.evidence[0]
        await stocked.questions.record_feedback(Opinion.REJECT_EVIDENCE, rejected.id)
        second = await answered(stocked, await stocked.questions.queue(question, options=options))
        direct = await stocked.questions.ask(question)
        for answer in (second, direct):
            assert answer.evidence
            for one in answer.evidence:
                apart = one.end <= rejected.start or one.start >= rejected.end
                assert one.document_id != rejected.document_id or apart, "it was quoted again"
        await stocked.questions.record_feedback(Opinion.RESTORE_EVIDENCE, rejected.id[:12])
        third = await answered(stocked, await stocked.questions.queue(question, options=options))
    assert [one.snippet for one in third.evidence] == [one.snippet for one in first.evidence]
    with pytest.raises(NotFound):
        await stocked.questions.record_feedback(Opinion.REJECT_EVIDENCE, "nothing")


async def test_engines_are_listed_as_they_are(tmp_path: Path) -> None:
    async with open_library(home=tmp_path) as library:
        rows = {row.name: row for row in await library.web.list_engines()}
    assert {"mojeek", "duckduckgo", "wikipedia", "arxiv", "google", "bing"} <= rows.keys()
    assert not any(row.available for row in rows.values()) and all(row.reason for row in rows.values())
    assert not rows["google"].enabled and not rows["bing"].enabled


async def test_others_tasks_are_not_there(library: Library) -> None:
    visitor = library.for_owner("visitor")
    theirs = await library.for_owner("someone").tasks.create("決定係数とは何か")
    tasks = visitor.tasks
    for call in (tasks.resume, tasks.remove, tasks.stop, tasks.list_jobs):
        with pytest.raises(TaskNotFound):
            await call(theirs)
    # Who runs the library ends what others began, by its whole id, and reads nothing of it.
    for call in (library.tasks.resume, library.tasks.list_jobs):
        with pytest.raises(TaskNotFound):
            await call(theirs)
    await library.tasks.remove(theirs)


async def test_files_of_one_name_below_a_folder_that_is_handed_over_are_documents_of_their_own(
    library: Library,
) -> None:
    """Nothing that a path says leads out of what was handed over."""
    names = ("甲/readme.md", "乙\\readme.md", "/etc/hosts", "~/notes.md", "C:\\x\\report.md", "./丙//list.md")
    files = [Bytes(name, f"{name}の本文である。".encode()) for name in names]
    added = await library.tasks.queue_documents(files=files)
    async with library.working():
        _, results = await ended(library, added.task_id)
    sources = {"甲/readme.md", "乙/readme.md", "hosts", "notes.md", "report.md", "丙/list.md"}
    assert {result.url for result in results} == sources
