"""The browser with a real Chromium: what comes back, what is sent, what is kept, what is bounded."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest

from shisho.domain.web import Request
from shisho.errors import (
    AllFetchesFailed,
    AuthRequired,
    Conflict,
    EngineUnavailable,
    ExtraMissing,
    InvalidParams,
    TimedOut,
    TooLarge,
    UnsupportedMedia,
)
from shisho.messages import install_command
from shisho.web.browser import chromium
from shisho.web.browser.browser import ChromiumBrowser
from shisho.web.browser.launch import LaunchOptions, hold
from shisho.web.browser.proxy import GuardedProxy
from shisho.web.http.address import AllowList
from tests.faults.children import LONG
from tests.web.browsing import LIGHT, browsing, need_browser
from tests.web.servers import Answer, Asked, Names, serving, tls

SHELL = """<!doctype html><html><head><meta charset="shift_jis"><title>殻</title></head><body><div id="root"></div><script>
fetch('/data').then(r => r.text()).then(text => { document.getElementById('root').textContent = text })</script></body>"""


def shell(asked: Asked) -> Answer:
    """A page that is empty until its script has run."""
    if asked.path == "/data":
        return Answer("仮説検定の結果は有意であった。", media_type="text/plain; charset=utf-8")
    if asked.path == "/missing":
        return Answer(SHELL, status=404, headers=[("Retry-After", "7"), ("X-Other", "1")])
    if asked.path == "/old":
        return Answer(status=301, headers=[("Location", "/new?q=%E8%AA%9E")])
    return Answer(SHELL.encode("shift_jis"), media_type="text/html")


@pytest.mark.slow
async def test_what_scripts_write_comes_back_as_utf8(tmp_path: Path) -> None:
    names = Names()
    context, _ = tls("secure.example")
    async with serving(shell) as plain, serving(shell, context) as secure:
        names.lead("plain.example", [plain.endpoint])
        names.lead("secure.example", [secure.endpoint])
        async with browsing(tmp_path, names, "plain.example", "secure.example", manner=LIGHT) as browser:
            for url in ("http://plain.example/", "https://secure.example/"):
                response = await browser.open(Request(url))
                text = response.body.decode(response.charset or "")
                assert "仮説検定の結果は有意であった。" in text and "<title>殻</title>" in text
                assert (response.url, response.status, response.media_type) == (url, 200, "text/html")
            missing = await browser.open(Request("http://plain.example/missing"))
            assert (missing.status, dict(missing.headers)) == (404, {"retry-after": "7"})
            moved = await browser.open(Request("https://secure.example/old"))
            assert moved.url == "https://secure.example/new?q=%E8%AA%9E"
            assert 0 < browser.heaviest_mb < 1000
    assert not browser.proxy.refused


@pytest.mark.slow
async def test_late_text_is_waited_for_and_unrest_is_not_for_ever(tmp_path: Path) -> None:
    fetched = "fetch('/slow').then(r => r.text()).then(t => {a.textContent = t})"
    late = f"<p id=a></p><script>setTimeout(() => {fetched}, 400)</script>"
    clock = "<p id=a></p><script>setInterval(() => {a.textContent += '時'}, 50)</script>"

    async def pages(asked: Asked) -> Answer:
        if asked.path == "/slow":
            await asyncio.sleep(2)
            return Answer("遅い本文")
        return Answer(clock if asked.path == "/clock" else late)

    names = Names()
    async with serving(pages) as server:
        names.lead("a.example", [server.endpoint])
        async with browsing(tmp_path, names, "a.example", manner=LIGHT) as browser:
            assert "遅い本文".encode() in (await browser.open(Request("http://a.example/"))).body
            restless = (await browser.open(Request("http://a.example/clock"))).body.decode()
            assert 3 <= restless.count("時") < 400  # it ticks twenty times a second at most


@pytest.mark.slow
async def test_what_is_sent_is_honest_and_goes_to_its_page_alone(tmp_path: Path) -> None:
    page = """<script src="http://other.example/x.js"></script>"""
    names = Names()
    async with serving(lambda asked: Answer(page)) as server, serving(lambda asked: Answer("")) as other:
        names.lead("a.example", [server.endpoint])
        names.lead("other.example", [other.endpoint])
        async with browsing(tmp_path, names, "a.example", "other.example") as browser:
            headers = {"Accept-Language": "en", "User-Agent": "Firefox"}
            await browser.open(Request("http://a.example/?q=a*b", headers=headers, cookies={"l": "ja"}))
            form = {"q": "決定係数", "s": "10"}
            await browser.open(Request("http://a.example/"))
            await browser.open(
                Request("http://a.example/html", "POST", form, {"Referer": "http://a.example/"}), "engine"
            )
    first, plain, posted = (each for each in server.asked if each.path != "/favicon.ico")
    assert first.headers["accept-language"] == "en"
    assert first.headers["cookie"] == "l=ja" and first.path == "/?q=a*b"
    assert first.headers["user-agent"].startswith("Mozilla/5.0 ") and first.headers["user-agent"].endswith(
        " Shisho/test"
    )
    assert plain.headers["accept-language"].startswith("ja")
    assert (posted.method, posted.body) == ("POST", b"q=%E6%B1%BA%E5%AE%9A%E4%BF%82%E6%95%B0&s=10")
    assert posted.headers["content-type"] == "application/x-www-form-urlencoded"
    assert posted.headers["referer"] == "http://a.example/"
    for asked in other.asked:
        assert not {"cookie", "proxy-authorization"} & asked.headers.keys()
        assert asked.headers["user-agent"].endswith(" Shisho/test")
    assert other.asked


@pytest.mark.slow
async def test_a_redirect_takes_no_key_along(tmp_path: Path) -> None:
    away = Answer(status=302, headers=[("Location", "http://other.example/found")])
    names = Names()
    async with serving(lambda asked: away) as server, serving(lambda asked: Answer("<p>found</p>")) as other:
        names.lead("a.example", [server.endpoint])
        names.lead("other.example", [other.endpoint])
        async with browsing(tmp_path, names, "a.example", "other.example", manner=LIGHT) as browser:
            for method, form in (("GET", {}), ("POST", {"q": "a"})):
                with pytest.raises(InvalidParams, match="x-token"):
                    await browser.open(Request("http://a.example/", method, form, {"X-Token": "secret"}))
                request = Request("http://a.example/", method, form, {"Accept-Language": "en"}, {"l": "ja"})
                assert (await browser.open(request)).url == "http://other.example/found"
    assert [(asked.method, asked.headers["cookie"]) for asked in server.asked] == [
        ("GET", "l=ja"),
        ("POST", "l=ja"),
    ]
    found = [asked for asked in other.asked if asked.path == "/found"]
    assert [(asked.method, asked.body, asked.headers.get("cookie")) for asked in found] == [
        ("GET", b"", None)
    ] * 2


@pytest.mark.slow
async def test_cookies_stay_in_their_profile_over_restarts(tmp_path: Path) -> None:
    """And what a browser calls itself is asked of it once, not with each start of ours."""
    need_browser()
    starts = tmp_path / "starts"
    counted = tmp_path / "chromium"
    counted.write_text(f'#!/bin/sh\necho >> "{starts}"\nexec "{chromium.require_program()}" "$@"\n', "utf-8")
    counted.chmod(0o700)
    manner = LaunchOptions(str(counted), "Shisho/test", trust_any_certificate=True)

    def pages(asked: Asked) -> Answer:
        if asked.path != "/set":
            return Answer(f"<p>got {asked.headers.get('cookie', 'nothing')}</p>")
        return Answer("", headers=[("Set-Cookie", "lasting=1; Max-Age=3600"), ("Set-Cookie", "session=2")])

    names = Names()
    async with serving(pages) as server:
        names.lead("a.example", [server.endpoint])

        async def got(browser: ChromiumBrowser, profile: str) -> str:
            text = (await browser.open(Request("http://a.example/get"), profile)).body.decode()
            return text.partition("<p>got ")[2].partition("</p>")[0]

        async with browsing(tmp_path, names, "a.example", manner=manner) as browser:
            await browser.open(Request("http://a.example/set"), "engine")
            await browser.open(Request("http://a.example/set"))
        async with browsing(tmp_path, names, "a.example", manner=manner) as browser:
            assert set((await got(browser, "engine")).split("; ")) == {"lasting=1", "session=2"}
            assert await got(browser, "another") == "nothing"
            assert await got(browser, "") == "nothing"
    assert len(starts.read_text("utf-8").splitlines()) == 1 + 5
    kept = (tmp_path / "profiles" / "engine", tmp_path / "profiles" / "engine.cookies.json")
    assert [path.stat().st_mode & 0o077 for path in kept] == [0, 0]


async def test_a_profile_has_one_owner(tmp_path: Path) -> None:
    names = Names()
    async with serving(lambda asked: Answer("<p>hi</p>")) as server:
        names.lead("a.example", [server.endpoint])
        async with browsing(tmp_path, names, "a.example") as browser:
            with hold(tmp_path / "profiles", "engine"), pytest.raises(Conflict, match="engine"):
                await browser.open(Request("http://a.example/"), "engine")
            assert (await browser.open(Request("http://a.example/"), "engine")).status == 200
            with pytest.raises(InvalidParams):
                await browser.open(Request("http://a.example/"), "../engine")
    assert server.paths.count("/") == 1


@pytest.mark.slow
@pytest.mark.parametrize(("tabs", "together"), [(2, 2), *([(1, 1)] if LONG else [])])
async def test_no_more_pages_at_once_than_tabs(tmp_path: Path, tabs: int, together: int) -> None:
    now = 0
    most = 0

    async def pages(asked: Asked) -> Answer:
        nonlocal now, most
        if asked.path.startswith("/page"):
            now += 1
            most = max(most, now)
            await asyncio.sleep(2)
            now -= 1
        return Answer(f"<p>{asked.path}</p>")

    names = Names()
    async with serving(pages) as server:
        names.lead("a.example", [server.endpoint])
        async with browsing(tmp_path, names, "a.example", manner=LaunchOptions(max_tabs=tabs)) as browser:
            asked = [browser.open(Request(f"http://a.example/page{n}")) for n in range(2)]
            answers = await asyncio.gather(*asked)
    assert [f"<p>/page{n}</p>".encode() in answer.body for n, answer in enumerate(answers)] == [True, True]
    assert most == together


@pytest.mark.slow
async def test_a_page_that_never_finishes_ends_at_its_deadline(tmp_path: Path) -> None:
    deadline = 3.0

    async def pages(asked: Asked) -> Answer:
        if asked.path == "/deaf":
            await asyncio.sleep(3600)
        return (
            Answer("<p>half", hold=True)
            if asked.path == "/held"
            else Answer("<p>a</p><script>for(;;);</script>")
        )

    names = Names()
    async with serving(pages) as server:
        names.lead("a.example", [server.endpoint])
        async with browsing(tmp_path, names, "a.example", manner=LIGHT) as browser:
            for path in ("/held", "/loop", "/deaf"):
                with pytest.raises(TimedOut, match=f"{deadline:g} s"):
                    await browser.open(Request(f"http://a.example{path}"), deadline_s=deadline)
    assert {"/held", "/loop", "/deaf"} <= set(server.paths)


NO_PAGES = {
    "/pdf": (Answer("%PDF-1.7", media_type="application/pdf"), UnsupportedMedia, "doesn't need a browser"),
    "/zip": (
        Answer("a", headers=[("Content-Disposition", "attachment; filename=a.zip")]),
        UnsupportedMedia,
        "download",
    ),
    "/long": (Answer("<p>a<p hidden>" + "あ" * 5_100_000), TooLarge, "characters"),
    "/nothing": (Answer(status=204), AllFetchesFailed, "couldn't open"),
}


@pytest.mark.slow
async def test_what_is_no_page_says_so(tmp_path: Path) -> None:
    names = Names()
    async with serving(
        lambda asked: NO_PAGES[asked.path][0] if asked.path in NO_PAGES else Answer(status=404)
    ) as server:
        names.lead("a.example", [server.endpoint])
        async with browsing(tmp_path, names, "a.example", manner=LIGHT) as browser:
            for path, (_, error, word) in NO_PAGES.items():
                with pytest.raises(error, match=word):
                    await browser.open(Request(f"http://a.example{path}"), "engine")
    files = await asyncio.to_thread(lambda: list(tmp_path.rglob("*")))
    assert files and not [path for path in files if path.suffix in (".zip", ".pdf", ".crdownload")]


@pytest.mark.slow
async def test_certificates_are_checked_unless_told_otherwise(tmp_path: Path) -> None:
    names = Names()
    context, _ = tls("secure.example")
    async with serving(shell, context) as server:
        names.lead("secure.example", [server.endpoint])
        async with browsing(tmp_path, names, "secure.example", manner=LaunchOptions()) as browser:
            with pytest.raises(AllFetchesFailed, match="certificate"):
                await browser.open(Request("https://secure.example/"))
    assert not server.asked


async def test_windows_dialogs_and_permissions_hold_nothing_up(tmp_path: Path) -> None:
    page = """<p id=a>-</p><script>
    window.open('/popup'); alert('読んで'); onbeforeunload = () => 'stay';
    Notification.requestPermission().then(said => navigator.permissions.query({name: 'geolocation'}).then(place => {
      navigator.serviceWorker.register('/worker.js').then(() => 'worker', () => 'no worker').then(worker => {
        a.textContent = said + ' ' + place.state + ' ' + worker }) }))</script>"""
    names = Names()
    context, _ = tls("a.example")
    async with serving(
        lambda asked: Answer(page if asked.path == "/" else "<p>popup</p>"), context
    ) as server:
        names.lead("a.example", [server.endpoint])
        async with browsing(tmp_path, names, "a.example") as browser:
            text = (await browser.open(Request("https://a.example/"), deadline_s=20)).body.decode()
    said = text.partition('<p id="a">')[2].partition("</p>")[0]
    assert said in ("denied denied no worker", "denied denied worker")
    assert "/worker.js" not in server.paths


async def test_without_a_browser_it_is_said_how_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = ChromiumBrowser(
        GuardedProxy(Names(), AllowList()), tmp_path, {}, LaunchOptions(path=str(tmp_path / "nowhere"))
    )
    with pytest.raises(EngineUnavailable, match=r"browser_path.*install Chromium"):
        await browser.open(Request("http://a.example/"))
    monkeypatch.setitem(__import__("sys").modules, "playwright.async_api", None)
    with pytest.raises(ExtraMissing, match=re.escape(install_command("browser"))):
        await browser.open(Request("http://a.example/"))
    await browser.close()


async def test_without_a_screen_it_is_said_what_to_do(tmp_path: Path) -> None:
    async def never(_: object) -> bool:
        return False

    async with browsing(tmp_path, Names(), environment={"PATH": "/usr/bin:/bin"}) as browser:
        with pytest.raises(AuthRequired, match="ssh -X"):
            await browser.open_for_person("http://a.example/", "engine", never)


def test_flags_trust_no_certificate_by_default() -> None:
    from shisho.web.browser import chromium

    assert "--ignore-certificate-errors" not in chromium.build_flags()
    assert not replace(LaunchOptions()).trust_any_certificate
    need_browser()
