"""A search whose hits need the browser and lead inside: neither this machine nor a private network is asked
anything. The judges are the log of the box, which listens where the names lead, and a server that counts its
connections."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from shisho.domain.task import SearchOptions
from shisho_box.server import Box
from tests.faults.children import LONG
from tests.flows.boxed import output
from tests.flows.browsed import browsed
from tests.flows.smallweb import ended
from tests.machine import PATIENCE
from tests.web.browser.test_browser_guard import PARTS, secret

SCRIPTED = "<!doctype html><meta charset=utf-8><title>頁</title><body><script>{script}</script>"
TURNS = ("rebind", "loopback", "metadata")
ONE_PAGE = SearchOptions(engines=("qwant",), serp_max_pages=1, max_results_per_query=100)


def leading(to: str) -> str:
    return SCRIPTED.format(script=f"location = '{to}'")


def with_parts(places: Iterable[str]) -> str:
    """A page whose script writes text, and every way there is to have something from these places, downloads
    too."""
    parts = [part.format(at=at) for at in places for part in PARTS.values()]
    markup = "<p>" + "回帰の残差を調べる頁である。" * 20 + "</p>" + "".join(parts)
    return SCRIPTED.format(script=f"document.write({json.dumps(markup)})".replace("</", "<\\/"))


def alone_on_their_hosts(urls: Iterable[str]) -> list[str]:
    return list({urlsplit(url).hostname: url for url in urls}.values())


async def test_what_the_hits_of_a_search_lead_to_inside_is_refused(tmp_path: Path) -> None:
    most = 2 if LONG else 1
    async with Box(seed=3, folder=tmp_path / "box") as box, secret() as (inside, datagrams):
        traps = [f"127.0.0.1:{inside.port}", "169.254.169.254", *(f"{one}.hostile.example" for one in TURNS)]
        ways = ["loopback", "metadata"][:most]
        to = [f"http://127.0.0.1:{box.ports.http}/", "http://mixed.hostile.example/"][:most]
        pages = [
            *map(leading, [*to, *(f"https://redirect.example/{way}" for way in ways)]),
            with_parts(traps),
        ]
        topic = box.questions[20].topic
        hits = alone_on_their_hosts(box.results("qwant", topic)[:10])[: len(pages)]
        assert len(hits) == len(pages)
        for url, text in zip(hits, pages, strict=True):
            box.behave(host=urlsplit(url).hostname, do="text", text=text)
        ports = f"{inside.port},{box.ports.http}"  # else a port would be the reason
        async with browsed(tmp_path / "home", box, allow_ports=ports) as (browser, library):
            task = (await library.tasks.queue_searches([topic], options=ONE_PAGE)).task_id
            held, _ = await ended(library, task, 2 * PATIENCE)
            done = await output(library, task)
            refused = {one.authority.rpartition(":")[0] for one in browser.proxy.refused}
        of = {each["url"]: each["document_id"] for each in done["hits"]}
        assert [bool(of[url]) for url in hits] == [False] * (len(hits) - 1) + [True]
        forbidden = [one.url for one in held.errors if one.code == "FORBIDDEN_ADDRESS"]
        assert {*hits[:-1]} <= {*forbidden}, held.errors
        named = {urlsplit(each if "//" in each else f"//{each}").hostname for each in (*traps, *to)}
        assert refused == named, "nothing less, and nothing of the browser's own"
        assert {one.path for one in box.log.select(host="redirect.example")} == {f"/{way}" for way in ways}
        assert {one.host for one in box.log.requests} <= {*box.hosts}
        assert [one for one in box.log.silent if one.scheme == "http"] == []
        assert inside.connections == 0 and not datagrams.received
