"""What every store of opinions promises."""

from __future__ import annotations

from dataclasses import replace

from shisho.domain.discovered_url import ExcludedSources
from shisho.domain.job import StopMode, TaskId
from tests.contracts.discoveries import Discoveries
from tests.contracts.test_ledger import evidence
from tests.making import intake
from tests.queues import OWNER

NOTHING = ExcludedSources()


async def test_blocked_domain_leaves_out_its_pages_and_those_below_it(discoveries: Discoveries) -> None:
    sources = (
        "https://a.example/1",
        "http://www.a.example:8080/2",
        "https://na.example/",
        "https://b.example/?q=a.example",
    )
    pages = [intake(f"{source}の本文。", source=source, corpus="web") for source in (*sources, "a.example")]
    for page in pages:
        await discoveries.shelf.put(page)
    for _ in range(2):
        await discoveries.opinions.block(OWNER, "a.example")
    await discoveries.opinions.block(OWNER, "c.example")
    assert list(await discoveries.opinions.list_blocked(OWNER)) == ["a.example", "c.example"]
    excluded = await discoveries.opinions.list_left_out(OWNER)
    assert excluded == ExcludedSources(tuple(sorted(page.document.id for page in pages[:2])))
    assert await discoveries.opinions.list_left_out("stranger") == NOTHING
    await discoveries.opinions.unblock(OWNER, "a.example")
    await discoveries.opinions.unblock(OWNER, "never.example")
    assert await discoveries.opinions.list_left_out(OWNER) == NOTHING


async def test_rejected_evidence_leaves_out_the_passages_that_it_quotes(discoveries: Discoveries) -> None:
    given = intake("前の段落。\n\n後の段落。")
    await discoveries.shelf.put(given)
    first, second = given.passages
    quoted = replace(evidence(1, second.text, given.document.id), start=second.start, end=second.end)
    across = replace(quoted, id="e2", start=first.start)
    await discoveries.opinions.reject(OWNER, quoted)
    assert await discoveries.opinions.list_left_out(OWNER) == ExcludedSources((), (second.id,))
    await discoveries.opinions.reject(OWNER, across)
    assert await discoveries.opinions.list_left_out(OWNER) == ExcludedSources(
        (), tuple(sorted((first.id, second.id)))
    )
    assert await discoveries.opinions.list_left_out("stranger") == NOTHING
    await discoveries.opinions.restore(OWNER, across)
    await discoveries.opinions.restore(OWNER, quoted)
    assert await discoveries.opinions.list_left_out(OWNER) == NOTHING
    assert list(await discoveries.opinions.list_blocked(OWNER)) == []


async def test_pages_that_only_cancelled_jobs_brought_are_left_out(discoveries: Discoveries) -> None:
    job = await discoveries.running()
    other = await discoveries.running("t2")
    alone = await discoveries.taken_in(job, "https://a.example/", "甲の本文。")
    both = await discoveries.taken_in(job, "https://b.example/", "乙の本文。")
    await discoveries.taken_in(job, "/家/c.txt", "丙の本文。", corpus="default")
    assert both == await discoveries.taken_in(other, "https://b.example/", "乙の本文。")
    assert await discoveries.opinions.list_left_out(OWNER) == NOTHING
    await discoveries.queue.tasks.stop(TaskId("t1"), StopMode.IMMEDIATE)
    assert await discoveries.opinions.list_left_out(OWNER) == ExcludedSources((alone,))
