"""A small web in memory, and waiting for tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from shisho.bootstrap.web import WebAccess
from shisho.domain.inquiry import Answer
from shisho.domain.job import ENDED, TaskState
from shisho.domain.task import AnswerHandle, ResultRow, StatusDetail, TaskSnapshot, WaitCondition
from shisho.domain.web import Challenge, ChallengeKind, Serp, SerpHit
from shisho.services import Library
from shisho.testing import MemoryParser, MemoryWeb, make_engine
from tests.machine import PATIENCE

QUERY = "決定係数"


def address(number: int) -> str:
    return f"https://site{number}.example/page{number}"


def html(title: str, *sentences: str) -> bytes:
    body = "".join(f"<p>{each}</p>" for each in sentences)
    return f"<html><head><title>{title}</title></head><body><article><h1>{title}</h1>{body}</article></body></html>".encode()


def page(number: int) -> bytes:
    return html(
        f"第{number}頁",
        f"頁{number}によれば、決定係数は回帰の当てはまりを{number}番目の尺度で示す量である。",
        "続く文も置く。",
    )


def serp(numbers: Sequence[int], *, more: bool, name: str = "memory") -> Serp:
    hits = tuple(
        SerpHit(rank, address(number), f"第{number}頁", "抜粋") for rank, number in enumerate(numbers, 1)
    )
    return Serp(name, hits, {"s": str(len(numbers))} if more else None, no_results=not hits)


def challenge(kind: ChallengeKind = ChallengeKind.CAPTCHA) -> Serp:
    return Serp("memory", challenge=Challenge(kind, "captcha"))


def small_web(*result_pages: Sequence[int], query: str = QUERY) -> MemoryWeb:
    """Result pages of one query on the engine `memory`, by the numbers of the pages they lead to."""
    made = MemoryWeb({address(number): page(number) for each in result_pages for number in each})
    for number, each in enumerate(result_pages, 1):
        made.serps["memory", query, number] = serp(each, more=number < len(result_pages))
    return made


def way(web: MemoryWeb, *names: str) -> WebAccess:
    engines = {name: make_engine(name) for name in names or ("memory",)}
    return WebAccess(engines, lambda: web, MemoryParser(engines), robots=False)


def result_page(number: int, query: str = QUERY, name: str = "memory") -> Callable[[str], bool]:
    """Tells whether an address asked for is this result page."""
    return lambda url: url.startswith(f"https://{name}.example/search?") and f"&p={number}" in url


async def ended(
    library: Library, task_id: str, seconds: float = 2 * PATIENCE
) -> tuple[TaskSnapshot, list[ResultRow]]:
    """Poll as a client does, until the task has nothing left to do by itself; the last status and all
    results."""
    results: dict[tuple[str, str], ResultRow] = {}
    async with asyncio.timeout(seconds):
        held = await library.tasks.get_status(task_id, wait=0)
        while True:
            results |= {(one.job_id, one.url): one for one in held.results}
            if held.status is not TaskState.RUNNING and not held.more:
                return held, list(results.values())
            since = None if held.more else held.revision
            held = await library.tasks.get_status(
                task_id, wait=20, since_revision=since, cursor=held.cursor, detail=StatusDetail.FULL
            )


async def finished(library: Library, task_id: str, seconds: float = 2 * PATIENCE) -> TaskSnapshot:
    """Wait for the end of a task, as often as it takes; the status that tells it."""
    async with asyncio.timeout(seconds):
        while True:
            held = await library.tasks.get_status(task_id, wait=20, wait_for=WaitCondition.DONE)
            if held.status is not TaskState.RUNNING:
                return held


async def answered(library: Library, asked: AnswerHandle, seconds: float = 2 * PATIENCE) -> Answer:
    """Poll as a client does, until a question has its answer and its job has ended, a moment later. Raises
    the error that the job ended with."""
    async with asyncio.timeout(seconds):
        while asked.answer is None:
            asked = await library.questions.wait(asked.answer_id, wait=20)
        held = await library.tasks.get_status(asked.task_id, wait=0)
        while await is_under_way(library, asked):
            held = await library.tasks.get_status(asked.task_id, wait=20, since_revision=held.revision)
    return asked.answer


async def is_under_way(library: Library, asked: AnswerHandle) -> bool:
    jobs = (await library.tasks.list_jobs(asked.task_id)).jobs
    return any(job.id == asked.answer_id and job.state not in ENDED for job in jobs)
