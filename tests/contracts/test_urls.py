"""What every store of finds promises, and every report of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shisho.domain.codec import Payload
from shisho.domain.corpus import DocumentId
from shisho.domain.discovered_url import SearchNote
from shisho.domain.job import ClaimLost, JobError, JobState, StopMode, TaskId, WorkerId
from shisho.domain.payloads import IngestProgress, SearchFailure, SearchOutcome, SearchProgress
from shisho.domain.session import SessionFacts
from shisho.domain.task import FailedItem, JobKind, Progress
from shisho.domain.web import PagingStop, SearchPaging
from shisho.messages import Message
from shisho.messages.catalogue import render
from tests.contracts.discoveries import Discoveries, cited, found
from tests.contracts.test_ledger import answer, evidence
from tests.contracts.test_session_book import AIM, SCOPE
from tests.making import intake
from tests.queues import CAPTCHA, OWNER, new

A, B, C = (f"https://{name}.example/" for name in "abc")
T1 = TaskId("t1")
T2 = TaskId("t2")


async def test_finds_of_a_job_come_back_by_rank(discoveries: Discoveries) -> None:
    job = await discoveries.running()
    finds = [found(A, published_at="2026-01-01"), found(B, rank_on_page=2)]
    assert await discoveries.urls.add(job.claim, finds) == 2
    assert await discoveries.urls.add(job.claim, [found(C, page_number=2)]) == 1
    stored = await discoveries.urls.list_of_job(job.id)
    assert [row.find for row in stored] == [
        replace(finds[0], rank=1),
        replace(finds[1], rank=2),
        found(C, page_number=2, rank=3),
    ]
    assert {(row.status, row.document_id, row.useful) for row in stored} == {("found", None, None)}
    assert list(await discoveries.urls.list_of_job((await discoveries.running("t2")).id)) == []


async def test_what_the_task_has_met_elsewhere_is_not_new(discoveries: Discoveries) -> None:
    first, second, other = [await discoveries.running(task) for task in ("t1", "t1", "t2")]
    assert await discoveries.urls.add(first.claim, [found(A), found(B)]) == 2
    assert await discoveries.urls.add(first.claim, [found(A), found(B)]) == 2, (
        "the same page again is no other place"
    )
    assert await discoveries.urls.add(first.claim, [found(B, page_number=2), found(C, page_number=2)]) == 1
    assert await discoveries.urls.add(second.claim, [found(A), found(C)]) == 0
    assert await discoveries.urls.add(other.claim, [found(A)]) == 1
    assert len(await discoveries.urls.list_of_job(first.id)) == 3
    assert await discoveries.urls.add(first.claim, []) == 0


async def test_what_became_of_a_find_is_stored(discoveries: Discoveries) -> None:
    job = await discoveries.running()
    document = await discoveries.taken_in(job, A)
    await discoveries.urls.add(job.claim, [found(B), found(C)])
    await discoveries.urls.mark(job.claim, A, True)
    await discoveries.urls.settle(job.claim, B, code="TIMED_OUT", reason="応答なし")
    await discoveries.urls.settle(job.claim, C)
    stored = await discoveries.urls.list_of_job(job.id)
    assert [(row.status, row.document_id, row.useful) for row in stored] == [
        ("visited", document, True),
        ("failed", None, None),
        ("left_out", None, None),
    ]
    assert [(row.code, row.reason) for row in stored] == [("", ""), ("TIMED_OUT", "応答なし"), ("", "")]
    report = await discoveries.reports.report(T1, OWNER, 0, 10)
    assert (report.visited, report.known, report.sources, report.taken_in) == (2, 2, 2, 1)
    assert list(report.failures) == [FailedItem(query="決定係数", url=B, code="TIMED_OUT", reason="応答なし")]
    assert [(row.url, row.document_id, row.passages) for row in report.results] == [
        (A, document, 1),
        (B, None, 0),
        (C, None, 0),
    ]


async def test_the_pages_of_files_that_are_being_read_are_counted(discoveries: Discoveries) -> None:
    """Of jobs that take one document in and run now; what a search tells of its pages is something else."""
    await discoveries.running(kind=JobKind.INGEST)  # a short file tells nothing
    file = await discoveries.running(kind=JobKind.INGEST)
    page = await discoveries.running(kind=JobKind.FETCH)
    search = await discoveries.running(kind=JobKind.SEARCH)
    other = await discoveries.running(task="t2", kind=JobKind.INGEST)
    assert (await discoveries.reports.report(T1, OWNER, 0, 9)).reading == Progress(0, 0)
    for job, progress in (
        (file, IngestProgress(300, 1_500)),
        (page, IngestProgress(7, 40)),
        (search, SearchProgress("bing", 2, 3, 1)),
        (other, IngestProgress(1, 2)),
    ):
        await discoveries.queue.jobs.report(job.claim, Payload.wrap(progress))
    assert (await discoveries.reports.report(T1, OWNER, 0, 9)).reading == Progress(307, 1_540)
    await discoveries.queue.jobs.finish(page.claim, Payload())
    assert (await discoveries.reports.report(T1, OWNER, 0, 9)).reading == Progress(300, 1_500)


async def test_a_document_that_was_taken_in_before_its_visit_failed_is_known_to_come_from_it(
    discoveries: Discoveries,
) -> None:
    """Else a purge of its task would leave it, and nothing would reach it any more."""
    job = await discoveries.running()
    taken = intake("決定係数は1に近い。", source=A, corpus="web").document
    await discoveries.urls.add(job.claim, [found(A), found(B)])
    await discoveries.urls.expect(job.claim, A, taken.id)
    await discoveries.urls.expect(job.claim, B, DocumentId("never stored"))
    await discoveries.shelf.put(intake("決定係数は1に近い。", source=A, corpus="web"))
    await discoveries.urls.settle(job.claim, A, code="CONFLICT", reason="後で")
    await discoveries.urls.settle(job.claim, B, code="CONFLICT", reason="後で")
    stored = await discoveries.urls.list_of_job(job.id)
    assert [(row.status, row.document_id) for row in stored] == [("failed", taken.id), ("failed", None)]
    assert await discoveries.reports.list_orphans(T1) == [taken.id]


async def test_claim_of_another_worker_stores_nothing_though_its_attempt_is_the_same(
    discoveries: Discoveries,
) -> None:
    job = await discoveries.running()
    with pytest.raises(ClaimLost):
        await discoveries.urls.add(replace(job.claim, worker_id=WorkerId("another")), [found(A)])
    assert await discoveries.urls.list_of_job(job.id) == []


@pytest.mark.parametrize("verb", ["add", "expect", "settle", "mark", "note"])
async def test_stale_claim_stores_nothing(discoveries: Discoveries, verb: str) -> None:
    job = await discoveries.running()
    await discoveries.urls.add(job.claim, [found(A)])
    await discoveries.queue.jobs.put_back(job.claim)
    urls = discoveries.urls
    note = SearchNote("決定係数", "memory", 1, (), ())
    calls = {
        "add": lambda: urls.add(job.claim, [found(B)]),
        "expect": lambda: urls.expect(job.claim, A, "doc_1"),  # type: ignore[arg-type]
        "settle": lambda: urls.settle(job.claim, A, code="X"),
        "mark": lambda: urls.mark(job.claim, A, True),
        "note": lambda: urls.note(job.claim, note),
    }
    with pytest.raises(ClaimLost):
        await calls[verb]()
    (row,) = await urls.list_of_job(job.id)
    assert (row.find.url, row.status, row.document_id, row.useful) == (A, "found", None, None)


async def test_report_is_read_in_pages_and_tells_what_changed_since(discoveries: Discoveries) -> None:
    job = await discoveries.running()
    await discoveries.urls.add(job.claim, [found(A), found(B), found(C)])
    first = await discoveries.reports.report(T1, OWNER, 0, 2)
    assert ([row.url for row in first.results], first.more) == ([A, B], True)
    rest = await discoveries.reports.report(T1, OWNER, first.last, 2)
    assert ([row.url for row in rest.results], rest.more) == ([C], False)
    await discoveries.queue.jobs.report(job.claim, Payload())
    since = (await discoveries.queue.tasks.get_task(T1)).revision
    await discoveries.urls.settle(job.claim, A, code="X", reason="")
    later = await discoveries.reports.report(T1, OWNER, rest.last, 9, since)
    assert ([row.url for row in later.results], later.last > rest.last) == ([A], True)
    assert [failure.url for failure in later.failures] == [A]
    nothing = await discoveries.reports.report(T1, OWNER, later.last, 9, since + 1)
    assert (list(nothing.results), nothing.last, list(nothing.failures)) == ([], later.last, [])


async def test_last_place_is_that_of_the_latest_result_and_never_goes_down(discoveries: Discoveries) -> None:
    """Whatever a report gave to read on from stays at or before it, also once its document is purged."""
    places = [await discoveries.reports.find_last_place(T1)]
    job = await discoveries.running()
    other = await discoveries.running("t2")
    await discoveries.urls.add(other.claim, [found(C)])
    places.append(await discoveries.reports.find_last_place(T1))
    document = await discoveries.taken_in(job, A)
    await discoveries.urls.add(job.claim, [found(B)])
    await discoveries.urls.add(job.claim, [found(A), found(B)])
    places.append(await discoveries.reports.find_last_place(T1))
    assert (await discoveries.reports.report(T1, OWNER, 0, 9)).last == places[-1]
    await discoveries.urls.settle(job.claim, A, document)
    places.append(await discoveries.reports.find_last_place(T1))
    latest = await discoveries.reports.report(T1, OWNER, 0, 9)
    assert ([row.url for row in latest.results], latest.last) == ([B, A], places[-1])
    await discoveries.shelf.remove(document, purge=True)
    await discoveries.queue.tasks.stop(T1, StopMode.IMMEDIATE)
    assert await discoveries.reports.find_last_place(T1) == places[-1]
    assert places[:2] == [0, 0] and 0 < places[2] < places[3]
    await discoveries.reports.forget(T1)
    assert await discoveries.reports.find_last_place(T1) == 0
    assert await discoveries.reports.find_last_place(T2) == 1


async def test_report_tells_of_jobs_answers_and_who_is_waited_for(discoveries: Discoveries) -> None:
    queue = discoveries.queue
    failed = await discoveries.running(kind="fetch", input={"url": C})
    await queue.jobs.fail(failed.claim, JobError("TOO_LARGE", "大きすぎる"))
    held = await discoveries.running()
    await queue.jobs.await_person(held.claim, None, queue.clock.ahead(60), CAPTCHA)
    answered = await discoveries.running(kind=JobKind.ANSWER)
    await queue.jobs.finish(answered.claim, Payload())
    report = await discoveries.reports.report(T1, OWNER, 0, 9)
    assert report.tally == {
        ("fetch", JobState.FAILED): 1,
        ("toy", JobState.AWAITING_AUTH): 1,
        (JobKind.ANSWER, JobState.COMPLETED): 1,
    }
    assert [failure.code for failure in report.failures] == ["TOO_LARGE"] and report.failures[0].url == C
    assert [row.job_id for row in report.waiting] == [held.id]
    assert (report.answer_id, report.changed_at) == (answered.id, queue.clock.now())
    assert list((await discoveries.reports.report(T1, "stranger", 0, 9)).waiting) == []


async def test_report_tells_which_jobs_go_on_later_and_why(discoveries: Discoveries) -> None:
    """The reason is of the attempt that was put off: an older one says nothing of this wait."""
    queue = discoveries.queue
    rests = JobError("ENGINE_UNAVAILABLE", Message("engine.cooling_down", engine="メモリ\0"))
    for seconds in (1800, 600):
        claim = (await discoveries.running()).claim
        await queue.jobs.put_back(claim, queue.clock.ahead(seconds), rests, is_failure=False)
    tired = await discoveries.running(kind="tired")
    await queue.jobs.put_back(tired.claim, queue.clock.ahead(1), rests, is_failure=False)
    queue.clock.pass_(2)
    tired = await queue.claimed(kind="tired")
    await queue.jobs.put_back(tired.claim, queue.clock.ahead(30))
    parent = await discoveries.running(kind="parent")
    await queue.jobs.spawn(parent.claim, [new(), new()])
    await queue.jobs.park(parent.claim, queue.clock.ahead(90))
    failed = await queue.claimed()
    await queue.jobs.put_back(failed.claim, queue.clock.ahead(60), JobError("TIMED_OUT", "応答なし"))
    postponed = (await discoveries.reports.report(T1, OWNER, 0, 9)).postponed
    assert [(jobs.state, jobs.jobs, str(jobs.reason), jobs.first_s, jobs.last_s) for jobs in postponed] == [
        (JobState.QUEUED, 1, "", 30.0, 30.0),
        (JobState.QUEUED, 1, "応答なし", 60.0, 60.0),
        (JobState.PARKED, 1, "", 90.0, 90.0),
        (JobState.QUEUED, 2, str(rests.message), 598.0, 1798.0),
    ]
    assert postponed[0].until == "2026-07-01T09:00:32+00:00"
    assert render(postponed[3].reason, "ja") == "メモリ\0 は失敗が続いたため休止中です。"
    queue.clock.pass_(1_000)
    later = (await discoveries.reports.report(T1, OWNER, 0, 9)).postponed
    assert [(jobs.jobs, jobs.first_s) for jobs in later] == [(1, 798.0)]


async def test_errors_of_a_completed_search_are_failures(discoveries: Discoveries) -> None:
    job = await discoveries.running(kind=JobKind.SEARCH, input={"query": "決定係数"})
    failure = SearchFailure(A, "X", "理由")
    outcome = SearchOutcome("決定係数", "memory", (), PagingStop.END, (), (), errors=(failure,))
    await discoveries.queue.jobs.finish(job.claim, Payload.wrap(outcome))
    report = await discoveries.reports.report(T1, OWNER, 0, 9)
    assert list(report.failures) == [FailedItem(query="決定係数", url=A, code="X", reason="理由")]


async def test_what_a_search_had_to_leave_may_hold_any_character(discoveries: Discoveries) -> None:
    """Of NUL it is known that there was one."""
    job = await discoveries.running(kind=JobKind.SEARCH, input={"query": "決定\0係数"})
    failure = SearchFailure(f"{A}\0\\u0000", "X", "理由\0\x1b")
    outcome = SearchOutcome("決定\0係数", "memory", (), PagingStop.END, (), (), errors=(failure,))
    await discoveries.queue.jobs.finish(job.claim, Payload.wrap(outcome))
    (failed,) = (await discoveries.reports.report(T1, OWNER, 0, 9)).failures
    assert failed.url is not None and failed.url.startswith(A) and failed.code == "X"
    assert failed.reason.replace("\0", "\N{REPLACEMENT CHARACTER}") == "理由\N{REPLACEMENT CHARACTER}\x1b"


async def test_outcome_is_the_end_of_a_job_or_a_failed_find(discoveries: Discoveries) -> None:
    job = await discoveries.running()
    since = (await discoveries.queue.tasks.get_task(T1)).revision
    assert not await discoveries.reports.has_outcome(T1, since)
    await discoveries.urls.add(job.claim, [found(A)])
    await discoveries.queue.jobs.report(job.claim, Payload())
    assert not await discoveries.reports.has_outcome(T1, since)
    await discoveries.urls.settle(job.claim, A, code="X")
    assert await discoveries.reports.has_outcome(T1, since)
    ended = await discoveries.running("t2")
    since = (await discoveries.queue.tasks.get_task(T2)).revision
    await discoveries.queue.jobs.finish(ended.claim, Payload())
    assert await discoveries.reports.has_outcome(T2, since) and not await discoveries.reports.has_outcome(
        T2, since + 1
    )


async def test_orphans_are_pages_that_nothing_else_reaches(discoveries: Discoveries) -> None:
    job = await discoveries.running()
    other = await discoveries.running("t2")
    alone, shared, quoted, standing, filed = [
        await discoveries.taken_in(job, url, f"{url}の本文。") for url in (A, B, C, f"{A}x", f"{A}y")
    ]
    mine = await discoveries.taken_in(job, f"{A}own", "自分の。", corpus="default")
    await discoveries.urls.add(other.claim, [found(B)])
    await discoveries.urls.settle(other.claim, B, shared)
    await discoveries.ledger.save(answer("answer1", "2026-01-01", evidence(1, "本文。", quoted)), OWNER)
    await discoveries.book.begin(SessionFacts("s1", OWNER, AIM, SCOPE))
    (passage,) = await discoveries.shelf.list_passages_of(standing)
    await discoveries.book.accept("s1", "G1", cited(passage, 0, 3), 1.0, 1)
    await discoveries.shelf.record_seen(await discoveries.shelf.find_document(filed), "/家/a.html", {})
    assert list(await discoveries.reports.list_orphans(T1)) == [alone] and mine != alone
    assert list(await discoveries.reports.list_orphans(T2)) == []


async def test_forgetting_a_task_leaves_the_finds_of_others(discoveries: Discoveries) -> None:
    job = await discoveries.running()
    other = await discoveries.running("t2")
    for claim in (job.claim, other.claim):
        await discoveries.urls.add(claim, [found(A), found(B)])
        await discoveries.urls.note(claim, SearchNote("決定係数", "memory", 1, (1.0,), (None,)))
        await discoveries.urls.note(
            claim, SearchNote("決定係数", "memory", 2, (1.0, 0.5), (None, 1.0), PagingStop.LIMIT)
        )
    assert await discoveries.reports.forget(T1) == 2
    assert await discoveries.reports.forget(T1) == 0
    assert (
        list(await discoveries.urls.list_of_job(job.id)) == []
        and len(await discoveries.urls.list_of_job(other.id)) == 2
    )


async def test_a_report_has_the_paging_of_each_search_oldest_first(discoveries: Discoveries) -> None:
    first, second = await discoveries.running(), await discoveries.running()
    await discoveries.urls.add(first.claim, [found(A, page_number=3)])
    await discoveries.urls.note(first.claim, SearchNote("決定係数", "memory", 1, (1.0,), (None,)))
    note = SearchNote("残差", "other", 2, (1.0, 1 / 3), (None, 2 / 3), PagingStop.LIMIT, ("paging_limited",))
    await discoveries.urls.note(second.claim, note)
    report = await discoveries.reports.report(T1, OWNER, 0, 9)
    assert list(report.searches) == [
        SearchPaging(first.id, "決定係数", "memory", 1, (1.0,), (None,), None),
        SearchPaging(
            second.id, "残差", "other", 2, (1.0, 0.333), (None, 0.667), PagingStop.LIMIT, ("paging_limited",)
        ),
    ]
    assert [result.page_number for result in report.results] == [3]
    await discoveries.queue.tasks.stop(T1, StopMode.IMMEDIATE)
    report = await discoveries.reports.report(T1, OWNER, 0, 9)
    assert [each.paging_stop for each in report.searches] == [PagingStop.STOPPED, PagingStop.LIMIT]
    assert (await discoveries.reports.report(T2, OWNER, 0, 9)).searches == []


async def test_expected_document_is_stored_but_not_told_before_it_is_there(discoveries: Discoveries) -> None:
    job = await discoveries.running()
    await discoveries.urls.add(job.claim, [found(A)])
    await discoveries.urls.expect(job.claim, A, "doc_1")  # type: ignore[arg-type]
    (row,) = await discoveries.urls.list_of_job(job.id)
    assert (row.status, row.document_id) == ("found", "doc_1")
    await discoveries.queue.tasks.stop(T1, StopMode.IMMEDIATE)
    (listed,) = (await discoveries.reports.report(T1, OWNER, 0, 9)).results
    assert (listed.job_state, listed.document_id) == (JobState.CANCELLED, None)
    assert (listed.passages, listed.title) == (0, "題")
    assert new().id != job.id
