"""A person's turn in a real window on a screen that nobody sees (Xvfb)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from shisho.domain.web import Request, Response
from shisho.errors import Conflict
from shisho.settings import build_child_environment
from shisho.web.http.challenge import detect
from tests.faults.children import LONG
from tests.machine import PATIENCE
from tests.web.browser.test_browser_faults import browser_root, gone, kill
from tests.web.browsing import browsing, need_browser, until
from tests.web.servers import Answer, Asked, Names, serving

CHALLENGE = "<title>Are you a robot?</title><form id='captcha-form'><input type=checkbox></form>"
# The person is acted out by the page's own script, which ticks the box after a while.
PERSON = "<script>setTimeout(() => { document.cookie = 'passed=1'; location.reload() }, 3000)</script>"


def engine(asked: Asked) -> Answer:
    """Shows a challenge to whoever has not passed one."""
    if "passed=1" in asked.headers.get("cookie", ""):
        return Answer("<title>結果</title><p>検索結果</p>")
    return Answer(CHALLENGE + (PERSON if "person" in asked.path else ""), status=403)


async def solved(response: Response) -> bool:
    return detect(response.body.decode(), response.url, response.status) is None


@pytest_asyncio.fixture
async def screen() -> AsyncIterator[dict[str, str]]:
    need_browser("Xvfb")
    read, write = os.pipe()
    server = await asyncio.create_subprocess_exec(
        "Xvfb", "-displayfd", str(write), "-nolisten", "tcp", "-screen", "0", "1280x800x24",
        pass_fds=(write,), stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    try:
        number = (await asyncio.to_thread(os.read, read, 16)).decode().strip()
        yield {**build_child_environment(), "DISPLAY": f":{number}"}
    finally:
        server.terminate()
        await server.wait()
        os.close(read)  # not before: it writes more than the number


async def test_what_a_person_solves_counts_for_the_next_page(tmp_path: Path, screen: dict[str, str]) -> None:
    names = Names()
    async with serving(engine) as server:
        names.lead("engine.example", [server.endpoint])
        async with browsing(tmp_path, names, "engine.example", environment=screen) as browser:
            met = await browser.open(Request("http://engine.example/?q=a"), "other")
            assert not await solved(met) and met.status == 403
            turn = asyncio.create_task(
                browser.open_for_person("http://engine.example/?person", "engine", solved, deadline_s=60)
            )
            await asyncio.sleep(2)
            with pytest.raises(Conflict):  # the window has the profile
                await browser.open(Request("http://engine.example/?q=b"), "engine")
            assert await turn
        async with browsing(tmp_path, names, "engine.example") as browser:
            found = await browser.open(Request("http://engine.example/?q=a&page=2"), "engine")
            assert "検索結果".encode() in found.body and found.status == 200
    assert {asked.headers["user-agent"].endswith(" Shisho/test") for asked in server.asked} == {True}
    assert len({asked.headers["user-agent"] for asked in server.asked}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("way", ["closed", "guarded", *(["late"] if LONG else [])])
async def test_a_person_who_does_not_solve_it(tmp_path: Path, screen: dict[str, str], way: str) -> None:
    """The window is closed, or nothing happens in time; and it is guarded as every other."""
    names = Names()
    async with serving(engine) as server:
        names.lead("engine.example", [server.endpoint])
        url = f"http://127.0.0.1:{server.port}/" if way == "guarded" else "http://engine.example/?q=a"
        async with browsing(tmp_path, names, "engine.example", environment=screen) as browser:
            deadline_s = PATIENCE if way == "closed" else 8
            turn = asyncio.create_task(browser.open_for_person(url, "engine", solved, deadline_s=deadline_s))
            if way == "closed":
                await until(lambda: bool(server.connections))
                assert kill(browser_root)
            assert await turn is False
            assert await gone()
    assert (server.connections == 0) == (way == "guarded")
