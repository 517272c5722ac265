"""Story 1, and documents and questions as jobs: real workers in process, a real database, a web in memory."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import WEB_CORPUS
from shisho.domain.intervention import AuthAction, AuthTarget
from shisho.domain.job import JobState, StopMode, TaskState
from shisho.domain.task import AskOptions, Progress, PurgeScope, SearchOptions, Sources, StopStrategy
from shisho.domain.web import ChallengeKind
from shisho.errors import EmptyCorpus, EngineUnavailable, NotFound, TaskNotFound
from shisho.services import Library
from shisho.testing import MemoryWeb
from tests.flows.conftest import SAMPLES
from tests.flows.smallweb import (
    QUERY,
    address,
    answered,
    challenge,
    ended,
    html,
    page,
    result_page,
    serp,
    small_web,
    way,
)
from tests.machine import Stopwatch
from tests.queues import output_of

EXHAUSTIVE = SearchOptions(stop_strategy=StopStrategy.EXHAUSTIVE)
Opening = Callable[..., AbstractAsyncContextManager[Library]]


@pytest.fixture
def opening(tmp_path: Path) -> Opening:
    """A library on one home with a web, and workers unless `slots` is 0."""

    @asynccontextmanager
    async def opened(
        web: MemoryWeb, *engines: str, slots: int = 2, home: str = "home"
    ) -> AsyncIterator[Library]:
        async with open_library(home=tmp_path / home, web_access=way(web, *engines)) as library:
            if not slots:
                yield library
                return
            async with library.working(slots):
                yield library

    return opened


async def output(library: Library, task_id: str) -> dict[str, object]:
    (job,) = (await library.tasks.list_jobs(task_id)).jobs
    done: dict[str, object] = output_of(job)
    return done


async def test_a_search_pages_visits_and_tells_as_it_goes(opening: Opening) -> None:
    web = small_web([1, 2], [3, 4])
    async with opening(web) as library:
        queued = await library.tasks.queue_searches([QUERY], options=EXHAUSTIVE)
        seen = []
        held = await library.tasks.get_status(queued.task_id, wait=0)
        while held.status is TaskState.RUNNING:
            held = await library.tasks.get_status(queued.task_id, wait=20, since_revision=held.revision)
            seen.append((held.progress.queries, held.progress.pages, len(held.results)))
        assert held.status is TaskState.COMPLETED
        assert (held.progress.queries, held.progress.pages) == (Progress(1, 1), Progress(4, 4))
        assert any(queries == Progress(0, 1) and results >= 2 for queries, _, results in seen), seen
        done = await output(library, queued.task_id)
        assert (done["paging_stop"], done["engine"], done["errors"]) == ("END", "memory", [])
        assert [(each["rank"], each["url"]) for each in done["hits"]] == [
            (n, address(n)) for n in (1, 2, 3, 4)
        ]
        assert [each["number"] for each in done["pages"]] == [1, 2] and len(done["documents"]) == 4
        documents = await library.documents.list(corpora=[WEB_CORPUS])
        assert {one.source for one in documents} == {address(n) for n in (1, 2, 3, 4)}
        asked = await library.questions.queue("決定係数とは何か", task_id=queued.task_id)
        answer = await answered(library, asked)
        assert answer.task_id == queued.task_id
        assert {one.source_url for one in answer.evidence} <= {address(n) for n in (1, 2, 3, 4)}


@pytest.mark.parametrize(
    ("pages", "options", "stop", "asked"),
    [
        ([[1], [2], [3]], SearchOptions(), "LIMIT", 2),
        ([[1], [2], [3]], SearchOptions(serp_max_pages=3), "LIMIT", 3),
        ([[1], [2], [3]], SearchOptions(categories=("news",), engines=("memory",)), "LIMIT", 1),
        ([[1, 2], [3]], SearchOptions(max_results_per_query=2, serp_max_pages=5), "ENOUGH", 1),
        ([[1], [1], [2]], SearchOptions(serp_max_pages=5), "REPEATED", 2),
        ([[1, 2], [3, 4], [1, 3], [5]], SearchOptions(serp_max_pages=5), "SATURATED", 3),
        ([[1, 2], [3, 4], [1, 3], [5]], EXHAUSTIVE, "END", 4),
        ([[1], [2], []], EXHAUSTIVE, "END", 3),
    ],
)
async def test_paging_stops_for_a_reason(
    opening: Opening, pages: list[list[int]], options: SearchOptions, stop: str, asked: int
) -> None:
    web = small_web(*pages)
    async with opening(web) as library:
        queued = await library.tasks.queue_searches([QUERY], options=options)
        await ended(library, queued.task_id)
        assert (await output(library, queued.task_id))["paging_stop"] == stop
        assert sum("/search?" in url for url in web.asked) == asked


async def test_a_captcha_is_a_persons_turn_and_nothing_else_waits(opening: Opening) -> None:
    web = small_web([1, 2], [3])
    web.serps["memory", QUERY, 2] = challenge()
    web.serps["memory", "回帰", 1] = serp([4], more=False)
    web.pages = {**web.pages, address(4): page(4)}
    async with opening(web) as library:
        queued = await library.tasks.queue_searches([QUERY, "回帰"], options=EXHAUSTIVE)
        held, results = await ended(library, queued.task_id)
        assert (
            held.status is TaskState.WAITING
            and held.progress.queries == Progress(1, 2)
            and held.retry_after == 30
        )
        assert {one.url for one in results if one.document_id} == {address(n) for n in (1, 2, 4)}
        (waiting,) = held.waiting_for
        assert (waiting.kind, waiting.domain, waiting.engine) == ("captcha", "memory.example", "memory")
        assert list(await library.web.get_auth_queue()) == [waiting]
        web.serps["memory", QUERY, 2] = serp([3], more=False)
        freed = await library.web.resolve_auth(AuthTarget.DOMAIN, "memory.example")
        assert (freed.resolved, freed.requeued) == (1, (waiting.job_id,))
        held, _ = await ended(library, queued.task_id)
        assert held.status is TaskState.COMPLETED and held.waiting_for == ()
        done = output_of((await library.tasks.list_jobs(queued.task_id)).jobs[0])
        assert [each["number"] for each in done["pages"]] == [1, 2] and len(done["documents"]) == 3
        first = [url for url in web.asked if result_page(1)(url) and "%E6%B1%BA" in url]
        assert len(first) == 1, "page 1 was asked again"
        with pytest.raises(NotFound):
            await library.web.resolve_auth(AuthTarget.ITEM, waiting.id)


async def test_a_skipped_captcha_ends_with_what_there_is(opening: Opening) -> None:
    web = small_web([1], [2])
    web.serps["memory", QUERY, 2] = challenge(ChallengeKind.CONSENT)
    async with opening(web) as library:
        queued = await library.tasks.queue_searches([QUERY], options=EXHAUSTIVE)
        await ended(library, queued.task_id)
        await library.web.resolve_auth(AuthTarget.TASK, queued.task_id, AuthAction.SKIP)
        held, _ = await ended(library, queued.task_id)
        done = await output(library, queued.task_id)
        assert (
            held.status is TaskState.COMPLETED
            and done["paging_stop"] == "CHALLENGE"
            and len(done["documents"]) == 1
        )


async def test_another_engine_steps_in_only_before_the_first_page(opening: Opening) -> None:
    web = small_web([1])
    web.serps["other", QUERY, 1] = serp([2], more=True, name="other")
    web.pages = {**web.pages, address(2): page(2)}
    web.serps["memory", QUERY, 1] = challenge(ChallengeKind.BLOCKED)
    async with opening(web, "memory", "other") as library:
        queued = await library.tasks.queue_searches([QUERY], options=EXHAUSTIVE)
        held, _ = await ended(library, queued.task_id)
        done = await output(library, queued.task_id)
        assert (done["engine"], done["paging_stop"]) == ("other", "ERROR")
        assert [each["code"] for each in done["errors"]] == ["ENGINE_UNAVAILABLE", "TIMEOUT"]
        assert len(done["documents"]) == 1 and {one.code for one in held.errors} == {
            "ENGINE_UNAVAILABLE",
            "TIMEOUT",
        }


async def test_a_dead_page_is_told_and_its_neighbours_are_kept(opening: Opening) -> None:
    web = small_web([1, 2, 3])
    web.pages = {**web.pages, address(2): 404}
    async with opening(web) as library:
        queued = await library.tasks.queue_searches([QUERY])
        held, results = await ended(library, queued.task_id)
        assert held.status is TaskState.COMPLETED and held.progress.pages == Progress(3, 3)
        assert [(one.url, one.code) for one in held.errors] == [(address(2), "ALL_FETCHES_FAILED")]
        assert [one.document_id is None for one in sorted(results, key=lambda one: one.rank or 0)] == [
            False,
            True,
            False,
        ]


async def test_a_spent_budget_ends_a_search_with_what_it_has(opening: Opening) -> None:
    async with opening(small_web([1, 2], [3, 4])) as library:
        task = await library.tasks.create("決定係数とは何か", budget={"max_pages": 3})
        await library.tasks.queue_searches([QUERY], task_id=task, options=EXHAUSTIVE)
        held, results = await ended(library, task)
        assert held.spent["pages"] == 3 == held.budget["max_pages"] and held.spent["seconds"] > 0
        assert (await output(library, task))["paging_stop"] == "BUDGET"
        assert len([one for one in results if one.document_id]) == 2


@pytest.mark.slow
async def test_time_is_a_budget_too(opening: Opening) -> None:
    async with opening(small_web([1]), home="measured") as library:
        with Stopwatch() as watch:
            queued = await library.tasks.queue_searches([QUERY], options=EXHAUSTIVE)
            await ended(library, queued.task_id)
    web = small_web([1], [2])
    web.held[address(2)] = asyncio.Event()
    async with opening(web) as library:
        enough = math.ceil(2 + 4 * watch.seconds)  # for the page that is not held
        task = await library.tasks.create("決定係数とは何か", budget={"max_seconds": enough})
        await library.tasks.queue_searches([QUERY], task_id=task, options=EXHAUSTIVE)
        await ended(library, task)
        done = await output(library, task)
        assert (done["paging_stop"], len(done["pages"]), len(done["documents"])) == ("BUDGET", 2, 1)
        answer = await answered(library, await library.questions.queue("決定係数とは何か", task_id=task))
        assert answer.loop_stop in ("SECONDS", "CONDITION_MET", "EXHAUSTED")
        assert answer.rounds <= 1


async def test_graceful_lets_what_runs_come_to_its_end(opening: Opening) -> None:
    web = small_web([1], [2])
    web.held[address(1)] = asyncio.Event()
    async with opening(web, slots=1) as library:
        queued = await library.tasks.queue_searches([QUERY, "別の問い"], options=EXHAUSTIVE)
        await web.reached[address(1)].wait()
        stopped = await library.tasks.stop(queued.task_id, wait=0.1)
        assert (stopped.cancelled.queued, stopped.still_running) == (
            1,
            queued.job_ids[:1],
        ) and stopped.is_resumable
        web.held[address(1)].set()
        held, _ = await ended(library, queued.task_id)
        running, waiting = (await library.tasks.list_jobs(queued.task_id)).jobs
        assert (running.state, output_of(running)["paging_stop"]) == (JobState.COMPLETED, "END")
        assert (waiting.state, held.status) == (JobState.CANCELLED, TaskState.STOPPED)


async def test_immediate_cancels_keeps_what_is_there_and_resume_goes_on(opening: Opening) -> None:
    web = small_web([1], [2])
    web.held[address(2)] = asyncio.Event()
    async with opening(web, slots=1) as library:
        queued = await library.tasks.queue_searches([QUERY], options=EXHAUSTIVE)
        await web.reached[address(2)].wait()
        stopped = await library.tasks.stop(queued.task_id, mode=StopMode.IMMEDIATE)
        assert stopped.cancelled.running == 1 and stopped.still_running == ()
        held, results = await ended(library, queued.task_id)
        (job,) = (await library.tasks.list_jobs(queued.task_id)).jobs
        assert (held.status, job.output) == (TaskState.STOPPED, None)
        assert [(one.url, one.job_state) for one in results if one.document_id] == [
            (address(1), JobState.CANCELLED)
        ]
        asked = await library.questions.ask("決定係数とは何か")
        assert asked.abstained and not asked.evidence, "a cancelled job's page was quoted"
        web.held.clear()
        assert (await library.tasks.resume(queued.task_id)).requeued == 1
        held, _ = await ended(library, queued.task_id)
        assert held.status is TaskState.COMPLETED
        assert len((await output(library, queued.task_id))["documents"]) == 2
        assert sum(map(result_page(1), web.asked)) == 1, "page 1 was asked again"
        assert (await library.questions.ask("決定係数とは何か")).evidence


async def test_a_page_is_fetched_once_however_its_address_is_spelled(opening: Opening) -> None:
    web = small_web()
    web.pages = {"https://xn--r8jz45g.jp/図書": page(1)}
    async with opening(web) as library:
        queued = await library.tasks.queue_urls(
            [
                "https://xn--r8jz45g.jp/図書",
                "http://例え.jp/%E5%9B%B3%e6%9b%b8/",
                "https://例え.jp:443/図書?utm_source=mail#目次",
            ]
        )
        assert queued.queued == 1
        assert [one.reason for one in queued.skipped] == ["repeated in this call"] * 2
        again = await library.tasks.queue_urls(["https://例え.jp/図書/"], task_id=queued.task_id)
        assert again.queued == 0, "the task has it already"
        held, _ = await ended(library, queued.task_id)
        assert not held.errors and len(web.asked) == 1


async def test_a_doi_is_asked_for_whole(opening: Opening) -> None:
    """Its handbook's own example holds a sign that ends the path of an address."""
    web = small_web()
    web.pages = {"https://doi.org/10.1000/456%23789": page(1)}
    async with opening(web) as library:
        queued = await library.tasks.queue_urls(["doi:10.1000/456#789", "https://doi.org/10.1000/456%23789"])
        assert queued.queued == 1 and len(queued.skipped) == 1
        held, _ = await ended(library, queued.task_id)
        assert not held.errors and len(await library.documents.list()) == 1


async def test_urls_and_dois_are_fetched(opening: Opening) -> None:
    web = small_web([1])
    web.pages = {**web.pages, "https://doi.org/10.1000/xyz123": page(7), "https://gone.example/": 410}
    async with opening(web) as library:
        queued = await library.tasks.queue_urls(
            [address(1), "doi:10.1000/xyz123", "https://gone.example/", "ftp://old.example/x", address(1)]
        )
        assert queued.queued == 3 and [one.reason for one in queued.skipped] == [
            "neither an http(s) address nor a DOI",
            "repeated in this call",
        ]
        held, results = await ended(library, queued.task_id)
        assert {one.url for one in results if one.document_id} == {
            address(1),
            "https://doi.org/10.1000/xyz123",
        }
        assert [(one.url, one.code) for one in held.errors] == [
            ("https://gone.example/", "ALL_FETCHES_FAILED")
        ]


async def test_without_a_way_to_the_web_it_says_so(tmp_path: Path) -> None:
    async with open_library(home=tmp_path) as library, library.working():
        with pytest.raises(EngineUnavailable):
            await library.questions.queue("何か", options=AskOptions(sources=Sources.WEB))
        with pytest.raises(EmptyCorpus, match=r"Add some with add_documents\.$"):
            await library.questions.queue("何か")
        with pytest.raises(EngineUnavailable, match="nothing is searched or fetched"):
            await library.tasks.queue_searches([QUERY])


@pytest.mark.slow
async def test_four_questions_on_two_workers(tmp_path: Path) -> None:
    async with open_library(home=tmp_path) as library, library.working(2):
        added = await library.tasks.queue_documents(paths=[SAMPLES], remote=False)
        held, results = await ended(library, added.task_id)
        assert (
            held.status is TaskState.COMPLETED
            and held.progress.documents == Progress(4, 4)
            and len(results) == 4
        )
        questions = [
            "決定係数が0に近いとき何を意味するか",
            "残差とは何か",
            "検定の第一種の誤りとは何か",
            "転置索引とは何か",
        ]
        asked = await asyncio.gather(*(library.questions.queue(each) for each in questions))
        answers = await asyncio.gather(*(answered(library, one) for one in asked))
        assert len({one.task_id for one in asked}) == 4
        for question, one, answer in zip(questions, asked, answers, strict=True):
            direct = await library.questions.ask(question)
            assert answer.id == one.answer_id
            assert (answer.text, answer.question) == (direct.text, question)
            assert (await library.questions.wait(one.answer_id)).answer == answer
            assert (await library.tasks.get_status(one.task_id, wait=0)).answer_id == one.answer_id


async def test_blocked_domains_are_neither_visited_nor_quoted(opening: Opening) -> None:
    from shisho.domain.task import Opinion

    async with opening(small_web([1, 2])) as library:
        await library.questions.record_feedback(Opinion.BLOCK_DOMAIN, "https://Site1.example/x")
        queued = await library.tasks.queue_searches([QUERY])
        held, _ = await ended(library, queued.task_id)
        assert held.progress.pages == Progress(1, 1)
        assert {one.source for one in await library.documents.list()} == {address(2)}
        await library.questions.record_feedback(Opinion.BLOCK_DOMAIN, "site2.example")
        assert (await library.questions.ask("決定係数とは何か")).abstained
        await library.questions.record_feedback(Opinion.UNBLOCK_DOMAIN, "site2.example")
        assert {one.source_url for one in (await library.questions.ask("決定係数とは何か")).evidence} == {
            address(2)
        }


async def test_orphans_go_with_their_task_and_nothing_else_does(opening: Opening, tmp_path: Path) -> None:
    web = small_web([1, 2, 3, 4])
    web.serps["memory", "共有", 1] = serp([2], more=False)
    web.pages = {**web.pages, address(3): html("三", "富士山の標高は3776メートルである。")}
    own = tmp_path / "own.html"
    own.write_bytes(page(4))
    async with opening(web) as library:
        first = await library.tasks.queue_searches([QUERY])
        other = await library.tasks.queue_searches(["共有"])
        await ended(library, first.task_id)
        await ended(library, other.task_id)
        assert [one.outcome async for one in library.documents.add(own)] == ["added"]
        quoted = await library.questions.ask("富士山の標高は何メートルか")
        assert [one.source_url for one in quoted.evidence] == [address(3)]
        gone = await library.tasks.remove(first.task_id, purge=PurgeScope.ORPHANS)
        assert (gone.jobs, gone.results, gone.documents) == (1, 4, 2)
        left = {one.source for one in await library.documents.list()}
        assert left == {address(2), address(3), str(own)}, "2: another task, 3: an answer, own: the user's"
        with pytest.raises(TaskNotFound):
            await library.tasks.get_status(first.task_id, wait=0)
        assert (await library.tasks.remove(other.task_id)).documents == 0
        assert len(await library.documents.list()) == 3
