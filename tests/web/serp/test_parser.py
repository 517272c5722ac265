"""Result pages in the killable child: read as in process, and a hostile one costs itself alone."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import date
from typing import Any

import pytest

from shisho.domain.codec import build, to_plain
from shisho.domain.web import Response, Serp
from shisho.errors import EngineUnavailable, InvalidParams, ParserFailed, ShishoError
from shisho.web.engines import create_engines, read_saved
from shisho.web.serp import parser as parsing
from shisho.web.serp.parser import KillableSerpParser
from tests.faults.children import LONG
from tests.machine import children_seconds, watch_loop
from tests.tables import each_row
from tests.web.engines.pages import exchanges, saved

pytestmark = pytest.mark.usefixtures("started_readers")

MB = 2**20
START = 5.0  # what a new child may compute before it has the page, and one after it until it is killed
# children run functions of these tests
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
ATOM = b"<feed xmlns='http://www.w3.org/2005/Atom'>%s</feed>"
BING = (
    "<html><title>x - Bing</title><ol id=b_results><li class=b_algo><h2><a href='https://a.example/'>題</a></h2>"
    "<i class=news_dt>{}</i></ol>"
)
HOSTILE = {
    "deep": b"<html>" + b"<div>" * 100_000,
    "attributes": b"<p " + b" ".join(b"a%d=1" % number for number in range(50_000)) + b">x",
    "angles": b"<" * (5 * MB),
    "paragraphs": b"<p>" * (5 * MB // 3),
    "comments": b"<!--" * (5 * MB // 4),
    "headings": b"<h3><a href=https://x.example/>t</a></h3>" * 100_000,
    "zeros": b"\0" * (5 * MB),
    "brackets": b"[" * (5 * MB),
    "entities": b"&amp;&notit;&#x110000;" * 200_000,
    "levels": ATOM % (b"<a>" * 300_000 + b"</a>" * 300_000),
    "too long": b"<p>" * (2 * MB),
}
DRAWN = ("deep", "headings", "too long")  # of what cannot be read, where there is little time


@pytest.fixture
async def parser() -> AsyncIterator[KillableSerpParser]:
    made = KillableSerpParser(environment=ENVIRONMENT)
    yield made
    await made.close()


async def outcome(parser: KillableSerpParser, engine: str, response: Response) -> Any:
    try:
        return await parser.parse(engine, response)
    except ShishoError as error:
        return error.code, error.message, dict(error.details)


def in_process(engine: str, response: Response) -> Any:
    try:
        return read_saved(engine, response)
    except ShishoError as error:
        return error.code, error.message, dict(error.details)


@pytest.mark.slow
async def test_every_captured_page_is_read_as_in_process(parser: KillableSerpParser) -> None:
    pages = saved()
    assert len(pages) > 250
    for page in pages[:: 1 if LONG else 3]:
        response = page.response
        engine = page.engine or "auto"
        assert await outcome(parser, engine, response) == in_process(engine, response), page.file


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["arxiv", "pubmed", "crossref", "semantic_scholar"])
async def test_answers_of_interfaces_are_read_as_in_process(parser: KillableSerpParser, engine: str) -> None:
    answers = list(exchanges(engine))[:15]
    assert answers
    for response in answers:
        assert await outcome(parser, engine, response) == in_process(engine, response)


async def test_what_came_beside_the_body_reaches_the_child(parser: KillableSerpParser) -> None:
    told = {
        "url": "https://www.bing.com/search?q=x&first=11",
        "charset": "euc-jp",
        "today": date(2026, 7, 20),
    }
    response = Response(BING.format("3 日前").encode("euc-jp"), **told)
    serp = await parser.parse("bing", response)
    assert serp.hits[0].title == "題" and serp.hits[0].date == "2026-07-17"
    assert serp == read_saved("bing", response)


async def test_overrides_reach_the_child() -> None:
    overrides = {"bing": {"look": {"layouts": [{"hit": "div.new", "link": "a"}]}}}
    parser = KillableSerpParser(overrides, ENVIRONMENT)
    page = Response(b"<title>x - Bing</title><div class=new><a href='https://new.example/'>new</a></div>")
    try:
        assert [hit.url for hit in (await parser.parse("bing", page)).hits] == ["https://new.example/"]
    finally:
        await parser.close()
    assert create_engines(overrides)["bing"].parse(page).hits[0].url == "https://new.example/"


async def test_reasons_cross_with_their_details(parser: KillableSerpParser) -> None:
    with pytest.raises(EngineUnavailable) as refused:
        await parser.parse("searxng", Response(b"<p>down</p>", status=503))
    assert refused.value.details == {"engine": "searxng", "status": 503}
    with pytest.raises(InvalidParams, match="There is no engine") as unknown:
        await parser.parse("altavista", Response(b"<p>"))
    assert unknown.value.details["engine"] == "altavista"


@pytest.mark.slow
async def test_hostile_pages_end_in_a_reason_while_the_loop_stays_awake(parser: KillableSerpParser) -> None:
    lags: list[tuple[float, float]] = []
    watcher = asyncio.create_task(watch_loop(lags))
    for engine, name in (
        ("arxiv", "levels"),
        ("searxng", "brackets"),
        *(("google", name) for name in (HOSTILE if LONG else DRAWN)),
    ):
        before = children_seconds()
        with pytest.raises(ParserFailed) as caught:
            await parser.parse(engine, Response(HOSTILE[name]))
        assert children_seconds() - before < parsing.SECONDS + START, name
        assert len(caught.value.message) > 30, name
    watcher.cancel()
    assert len(lags) > 100
    assert sorted(own for own, _ in lags)[int(len(lags) * 0.99)] < 0.05


@pytest.mark.parametrize("name", ["deep", "attributes"])
async def test_what_no_page_for_people_is_never_becomes_a_tree(parser: KillableSerpParser, name: str) -> None:
    for engine in ("google", "auto", "duckduckgo"):
        with pytest.raises(ParserFailed, match="which no ordinary page"):
            await parser.parse(engine, Response(HOSTILE[name]))


@pytest.mark.parametrize(
    "subset",
    [
        b'[<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]',
        b'[<!ENTITY b SYSTEM "file:///etc/passwd">]',
        b'[<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]',
        b'SYSTEM "file:///etc/passwd"',
        b'PUBLIC "x" "http://127.0.0.1:9/x.dtd"',
    ],
)
async def test_entities_are_not_expanded(parser: KillableSerpParser, subset: bytes) -> None:
    title = b"<entry><id>https://a.example/</id><title>t&b;</title></entry>"
    for engine in ("arxiv", "pubmed"):
        with pytest.raises(ParserFailed):
            await parser.parse(
                engine, Response(b'<?xml version="1.0"?><!DOCTYPE x ' + subset + b">" + ATOM % title)
            )


@pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX")
@pytest.mark.parametrize(
    ("function", "word"),
    [("hangs", "more than 1 s"), ("spins", "more than 1 s"), ("eats", "memory"), ("dies", "couldn't be parsed"),
     ("raises", "RecursionError"), ("lies", "couldn't be parsed")],
)  # fmt: skip
async def test_a_broken_parser_costs_one_page(
    function: str, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Who is stopped by something else than time has plenty: touching 512 MB takes seconds on some machines.
    seconds = 1 if function in {"hangs", "spins"} else 30
    parser = KillableSerpParser(environment=ENVIRONMENT, seconds=seconds, memory_mb=512)
    page = Response(BING.format("").encode(), "https://www.bing.com/")
    if function == "hangs":  # the others are stopped by what they use, however long they wait for a processor
        monkeypatch.setattr("shisho.isolation.killable.PATIENCE", 2)
    try:
        with monkeypatch.context() as broken:
            broken.setattr(parsing, "PARSE", f"tests.isolation.mischief:{function}")
            with pytest.raises(ParserFailed, match=word) as caught:
                await parser.parse("bing", page)
        assert caught.value.details == {"engine": "bing", "url": "https://www.bing.com/", "status": 200}
        assert (await parser.parse("bing", page)).hits
    finally:
        await parser.close()


async def test_one_slow_page_does_not_hold_the_others(
    parser: KillableSerpParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Response(BING.format("").encode())
    await parser.parse("bing", page)
    with monkeypatch.context() as broken:
        broken.setattr(parsing, "PARSE", "tests.isolation.mischief:hangs")
        slow = asyncio.create_task(parser.parse("google", page))
        await asyncio.sleep(0.05)
    for _ in range(10):
        assert (await parser.parse("bing", page)).hits
    assert not slow.done()
    slow.cancel()
    with suppress(asyncio.CancelledError):
        await slow


async def test_the_first_page_costs_little() -> None:
    before = children_seconds()
    parser = KillableSerpParser(environment=ENVIRONMENT)
    await parser.parse("bing", Response(BING.format("").encode()))
    await parser.close()
    assert children_seconds() - before < 0.8


@each_row(
    "value",
    [None, [], 3, {}, {"engine": 3}, {"engine": "x", "hits": 3}, {"engine": "x", "hits": [["1"]]},
     {"engine": "x", "hits": [{"rank": "1", "url": "u", "title": "t"}]}, {"engine": "x", "next": {"a": 3}},
     {"engine": "x", "no_results": "yes"}, {"engine": "x", "challenge": {"kind": "riddle", "marker": ""}}],
)  # fmt: skip
def test_nonsense_from_the_child_is_no_result_page(value: Any) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError)):
        build(value, Serp)


def test_dates_and_result_pages_survive_the_codec() -> None:
    response = Response(b"", "u", today=date(2026, 7, 20), headers={"etag": "x"})
    assert build(to_plain(response), Response) == response
