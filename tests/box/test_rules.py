"""How the box misbehaves when it is told to, and that it stops."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest

from shisho.domain.web import ChallengeKind, Request
from shisho.errors import AllFetchesFailed, EngineUnavailable, InvalidParams, ParserFailed, TimedOut
from shisho.web.engines import create_engines
from shisho_box.rules import CHALLENGES, Rule, RuleAction, RuleSet, RuleTarget, rule_of
from tests.box.conftest import SCRIPTED, Visitor, fetcher

TOPIC = "霧ヶ丘灯台"
HERE = RuleTarget("www.mojeek.com", "/search", "mojeek", TOPIC, 2)

FITS: list[tuple[dict[str, Any], bool]] = [
    ({}, True),
    ({"engine": "mojeek"}, True),
    ({"engine": "brave"}, False),
    ({"engine": "mojeek", "page": 2}, True),
    ({"engine": "mojeek", "page": 1}, False),
    ({"host": "www.mojeek.com", "path": "/sea"}, True),
    ({"path": "/robots"}, False),
    ({"query": TOPIC}, True),
    ({"query": "霧"}, False),
]


@pytest.mark.parametrize(("where", "fits"), FITS)
def test_where(where: dict[str, Any], fits: bool) -> None:
    rules = RuleSet()
    rule = rules.add(Rule(**where))
    assert rules.match(HERE, 0.0) == (rule if fits else None)


def test_when_and_which() -> None:
    rules = RuleSet()
    old = rules.add(Rule(status=500))
    new = rules.add(Rule(status=429, after=1, times=2))
    assert [rules.match(HERE, 0.0) for _ in range(5)] == [old, new, new, old, old]
    rules.remove(old)
    assert rules.match(HERE, 0.0) is None
    rules.add(old)
    rules.remove()
    assert rules.match(HERE, 0.0) is None


def test_pace_is_measured_from_the_end_and_counts_what_is_under_way() -> None:
    rules = RuleSet()
    pace = rules.add(Rule(RuleAction.PACE, interval_s=2))
    assert rules.match(HERE, 0.0) is None
    assert rules.match(HERE, 10.0) == pace
    rules.record_end(HERE, 10.0)
    rules.record_end(HERE, 11.0)
    assert rules.match(HERE, 12.9) == pace
    rules.record_end(HERE, 12.9)
    assert rules.match(HERE, 14.9) is None


@pytest.mark.parametrize("values", [{"do": "dance"}, {"engin": "mojeek"}])
def test_a_wrong_rule_is_said(values: dict[str, Any]) -> None:
    with pytest.raises(InvalidParams, match="captcha"):
        rule_of(values)


async def test_status_and_retry_after(visitor: Visitor) -> None:
    visitor.box.behave(engine="mojeek", page=2, status=429, retry_after=3, times=1)
    first = await visitor.serp("mojeek", TOPIC)
    engine = create_engines()["mojeek"]
    request = Request(f"https://www.mojeek.com/search?q={TOPIC}&s=10")
    refused = await visitor.fetcher.fetch(request)
    assert (refused.status, refused.headers["retry-after"]) == (429, "3")
    assert first.hits and engine.parse(await visitor.fetcher.fetch(request)).hits


async def test_pace(visitor: Visitor) -> None:
    visitor.box.behave(engine="mojeek", do="pace", interval_s=0.3)
    request = Request(f"https://www.mojeek.com/search?q={TOPIC}")
    assert [(await visitor.fetcher.fetch(request)).status for _ in range(2)] == [200, 429]
    await asyncio.sleep(0.35)
    assert (await visitor.fetcher.fetch(request)).status == 200
    assert [entry.note for entry in visitor.box.log.select("mojeek")] == ["", "pace", ""]


@pytest.mark.parametrize("kind", sorted(CHALLENGES))
@pytest.mark.parametrize("name", ["mojeek", "duckduckgo", "ecosia", "bing", "openalex"])
async def test_challenges_are_known_for_what_they_are(name: str, kind: RuleAction, visitor: Visitor) -> None:
    visitor.box.behave(engine=name, do=kind.value)
    serp = await visitor.serp(name, TOPIC)
    assert serp.challenge is not None and serp.challenge.kind is ChallengeKind(kind.value)
    visitor.box.calm_down()
    assert (await visitor.serp(name, TOPIC)).hits


async def test_a_person_solves_it_once(visitor: Visitor) -> None:
    visitor.box.behave(engine="mojeek", do="captcha")
    url = f"https://www.mojeek.com/search?q={TOPIC}"
    engine = create_engines()["mojeek"]
    assert engine.parse(await visitor.get(url)).challenge is not None
    solved = await visitor.fetcher.fetch(Request("https://www.mojeek.com/box/solve", "POST", {"next": url}))
    # the cookie is the profile's to keep: without it the way is barred again
    assert engine.parse(solved).challenge is not None
    cookie = {"box_person": "1"}
    assert engine.parse(await visitor.fetcher.fetch(Request(url, cookies=cookie))).hits
    visitor.box.behave(engine="mojeek", do="blocked")
    assert engine.parse(await visitor.fetcher.fetch(Request(url, cookies=cookie))).challenge is not None
    assert "solved" in [entry.note for entry in visitor.box.log.requests]


async def test_shapes_of_result_pages(visitor: Visitor) -> None:
    box = visitor.box
    first = await visitor.serp("mojeek", TOPIC)
    second = await visitor.serp("mojeek", TOPIC, 2)

    async def third(do: str) -> list[str]:
        box.calm_down()
        box.behave(engine="mojeek", page=3, do=do)
        return [hit.url for hit in (await visitor.serp("mojeek", TOPIC, 3)).hits]

    seen = [hit.url for serp in (first, second) for hit in serp.hits]
    assert await third("repeat") == [hit.url for hit in second.hits]
    known = await third("known")
    assert len(known) == 10 and set(known) <= set(seen)
    useless = await third("useless")
    pages = [box.page(url) for url in useless]
    assert len(useless) == 10 and not set(useless) & set(seen)
    assert all(page is not None and page.topic.name != TOPIC for page in pages)
    assert await third("no_results") == []


@pytest.mark.parametrize(
    "name", ["mojeek", "duckduckgo", "startpage", "brave", "openalex", "arxiv", "pubmed"]
)
async def test_the_last_page_leads_nowhere(name: str, visitor: Visitor) -> None:
    visitor.box.behave(engine=name, page=1, do="last")
    serp = await visitor.serp(name, TOPIC)
    assert serp.hits and serp.next is None


@pytest.mark.parametrize("name", ["mojeek", "duckduckgo", "openalex", "pubmed", *sorted(SCRIPTED)])
async def test_an_unknown_layout(name: str, visitor: Visitor) -> None:
    visitor.box.behave(engine=name, do="unknown_layout")
    with pytest.raises((ParserFailed, EngineUnavailable)):
        await visitor.serp(name, TOPIC)


async def test_pages_sent_otherwise(visitor: Visitor) -> None:
    box = visitor.box
    page = next(
        page
        for page in box.web.world.pages
        if page.useful and page.body is None and page.topic.language == "ja"
    )
    plain = (await visitor.get(page.url)).body.decode()
    box.behave(host=page.host, do="shift_jis")
    turned = await visitor.get(page.url)
    assert turned.charset is None and page.paragraphs[0] in turned.body.decode("cp932")
    box.calm_down()
    box.behave(host=page.host, do="rendered")
    shell = (await visitor.get(page.url)).body.decode()
    script = shell.partition("document.write(")[2].partition("); document.close")[0]
    assert (
        json.loads(script.replace("<\\/", "</")) == plain
        and page.paragraphs[0] not in shell.partition("<script>")[0]
    )
    box.calm_down()
    box.behave(host=page.host, path="/robots.txt", do="text", text="User-agent: *\nDisallow: /")
    robots = await visitor.get(f"https://{page.host}/robots.txt")
    assert robots.body == b"User-agent: *\nDisallow: /" and robots.media_type == "text/plain"
    assert (await visitor.get(page.url)).body.decode() == plain


async def test_connections_that_fail(visitor: Visitor) -> None:
    box = visitor.box
    url = box.questions[-1].url
    hasty = fetcher(box, total_s=0.3)
    box.behave(host=box.page(url).host, do="hang")  # type: ignore[union-attr]
    with pytest.raises(TimedOut):
        await hasty.fetch(Request(url))
    box.calm_down()
    box.behave(path="/", do="reset")
    with pytest.raises(AllFetchesFailed):
        await visitor.get(url)
    box.calm_down()
    box.behave(do="slow", delay_s=0.2)
    started = time.monotonic()
    assert (await visitor.get(url)).status == 200 and time.monotonic() - started >= 0.2
    box.calm_down()
    box.behave(do="redirect", location="https://script.example/plain", host=box.page(url).host)  # type: ignore[union-attr]
    assert (await visitor.get(url)).url == "https://script.example/plain"
    box.calm_down()
    box.behave(do="script", script="too_short")
    with pytest.raises(AllFetchesFailed):
        await visitor.get(url)
