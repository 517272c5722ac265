"""What ends in mid-page: the browser, its renderer, its driver, our own process; and what one page may
weigh."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from shisho.domain.web import Request
from shisho.errors import AllFetchesFailed, TooLarge
from shisho.settings import build_child_environment
from shisho.web.browser.launch import LaunchOptions
from tests.faults.children import LONG
from tests.machine import PATIENCE
from tests.web.browsing import browsing, children, need_browser, until
from tests.web.servers import Answer, Asked, Names, serving


def browser_root(line: str) -> bool:
    return "--user-data-dir=" in line and "--type=" not in line


def renderer(line: str) -> bool:
    return "--type=renderer" in line


def driver(line: str) -> bool:
    return "run-driver" in line


def kill(which: Callable[[str], bool]) -> int:
    killed = [process for process, line in children(os.getpid()).items() if which(line)]
    for process in killed:
        os.kill(process, signal.SIGKILL)
    return len(killed)


async def gone() -> bool:
    return await until(lambda: not any(map(browser_root, children(os.getpid()).values())))


@pytest.mark.slow
@pytest.mark.parametrize(
    "which", [browser_root, *([renderer, driver] if LONG else [])], ids=lambda which: which.__name__
)
async def test_a_browser_killed_in_mid_page_is_replaced_and_the_page_served(
    tmp_path: Path, which: Callable[[str], bool]
) -> None:
    asked = 0

    async def pages(request: Asked) -> Answer:
        nonlocal asked
        if request.path == "/data":
            asked += 1
            if asked == 1:
                assert await asyncio.to_thread(kill, which)
                await asyncio.sleep(20)
            return Answer("二度目の本文")
        return Answer(
            "<p id=a></p><script>fetch('/data').then(r => r.text()).then(t => {a.textContent = t})</script>"
        )

    names = Names()
    async with serving(pages) as server:
        names.lead("a.example", [server.endpoint])
        async with browsing(tmp_path, names, "a.example") as browser:
            response = await browser.open(Request("http://a.example/"), "engine")
            assert "二度目の本文".encode() in response.body
            assert (await browser.open(Request("http://a.example/"), "engine")).status == 200
    assert server.paths.count("/") == 3
    assert await gone()


@pytest.mark.slow
async def test_a_page_that_breaks_every_browser_is_given_up(tmp_path: Path) -> None:
    async def pages(request: Asked) -> Answer:
        if request.path == "/data":
            await asyncio.to_thread(kill, browser_root)
        return Answer("<script src='/data'></script>")

    names = Names()
    async with serving(pages) as server:
        names.lead("a.example", [server.endpoint])
        async with browsing(tmp_path, names, "a.example") as browser:
            with pytest.raises(AllFetchesFailed, match="twice"):
                await browser.open(Request("http://a.example/"))
    assert server.paths.count("/") == 2


@pytest.mark.slow
async def test_what_one_page_may_hold_is_bounded(tmp_path: Path) -> None:
    # Before it has loaded, so that it is never taken for a page that is done.
    more = "kept.push(new Uint8Array(2e7).fill(1)); next = Date.now() + 20; while (Date.now() < next);"
    hoard = f"<p>a</p><script>kept = []; for (;;) {{ {more} }}</script>"
    text = "".join(f"<p>{number} 回帰分析の残差を調べる。</p>" for number in range(20_000))
    names = Names()
    async with serving(
        lambda asked: Answer({"/hoard": hoard, "/long": text}.get(asked.path, "<p>a</p>"))
    ) as server:
        names.lead("a.example", [server.endpoint])
        async with browsing(tmp_path, names, "a.example", manner=LaunchOptions(memory_mb=800)) as browser:
            await browser.open(Request("http://a.example/"))
            small = browser.heaviest_mb
            browser.heaviest_mb = 0.0
            await browser.open(Request("http://a.example/long"))
            large = browser.heaviest_mb
            browser.heaviest_mb = 0.0
            with pytest.raises(TooLarge, match="browser_memory_mb"):
                await browser.open(Request("http://a.example/hoard"), deadline_s=PATIENCE)
            held = f"{small:.0f} empty page, {large:.0f} of 20,000 paragraphs, stopped at {browser.heaviest_mb:.0f}"
            print(f"MB in the browser: {held}")
            assert 50 < small < large < 800 < browser.heaviest_mb < 2000
            assert await gone()
            assert (await browser.open(Request("http://a.example/"))).status == 200
    assert server.paths.count("/hoard") == 1


async def test_a_cancelled_page_leaves_nothing_behind(tmp_path: Path) -> None:
    names = Names()
    async with serving(lambda asked: Answer("<p>half", hold=True)) as server:
        names.lead("a.example", [server.endpoint])
        async with browsing(tmp_path, names, "a.example") as browser:
            for moment in (0.2, 0.9, 1.5, 3.0) if LONG else (0.2, 1.5):
                opening = asyncio.create_task(browser.open(Request("http://a.example/"), "engine"))
                await asyncio.sleep(moment)
                opening.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await opening
                assert await gone(), moment


async def test_nothing_of_ours_is_told_to_the_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHISHO_BRAVE_API_KEY", "geheim")
    seen: list[str] = []

    def look() -> None:
        for process, line in children(os.getpid()).items():
            if "--type=" in line or browser_root(line):
                seen.append(Path(f"/proc/{process}/environ").read_text("utf-8", "replace"))

    async def pages(request: Asked) -> Answer:
        await asyncio.to_thread(look)
        return Answer("<p>a</p>")

    names = Names()
    async with serving(pages) as server:
        names.lead("a.example", [server.endpoint])
        async with browsing(tmp_path, names, "a.example") as browser:
            await browser.open(Request("http://a.example/"))
    assert seen and not [environment for environment in seen if "geheim" in environment]


OTHER = """
import asyncio, json, sys
from pathlib import Path
from shisho.domain.web import Endpoint, Request
from tests.web.browsing import browsing
from tests.web.servers import Names

async def main(home, port):
    names = Names()
    names.lead("a.example", [Endpoint("127.0.0.1", port)])
    async with browsing(Path(home), names, "a.example") as browser:
        await browser.open(Request("http://a.example/"), "engine", deadline_s=60)

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


@pytest.mark.slow
async def test_a_process_that_is_killed_takes_its_browser_along(tmp_path: Path) -> None:
    need_browser()
    started = asyncio.Event()

    async def pages(request: Asked) -> Answer:
        started.set()
        return Answer("<p>half", hold=True)

    async with serving(pages) as server:
        command = (sys.executable, "-c", textwrap.dedent(OTHER), str(tmp_path), str(server.port))
        process = await asyncio.create_subprocess_exec(
            *command, env=build_child_environment(), cwd=Path(__file__).parents[3]
        )
        await asyncio.wait_for(started.wait(), PATIENCE)
        family = children(process.pid)
        assert any(map(browser_root, family.values())) and any(map(driver, family.values()))
        process.kill()
        await process.wait()
        left = lambda: [each for each in family if Path(f"/proc/{each}").exists() and not ended(each)]  # noqa: E731
        assert await until(lambda: not left()), [family[each] for each in left()]
        # The profile is free at once for whoever comes next.
        names = Names()
        names.lead("a.example", [server.endpoint])
    async with serving(lambda asked: Answer("<p>next</p>")) as server:
        names.lead("a.example", [server.endpoint])
        async with browsing(tmp_path, names, "a.example") as browser:
            assert (await browser.open(Request("http://a.example/"), "engine")).status == 200


def ended(process: int) -> bool:
    """Nobody may have asked yet what became of it."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
