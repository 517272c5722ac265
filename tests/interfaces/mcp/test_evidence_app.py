"""The citation opens inside the assistant: who shows MCP Apps gets the page with the sentence lit, others
what they had."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from mcp.client.extension import advertise
from playwright.async_api import Frame
from pydantic import BaseModel

from shisho.bootstrap.library import open_library
from shisho.interfaces.mcp import server as mcp
from shisho.interfaces.mcp.apps import EVIDENCE_KEY, MIME, TOOLS, URI
from shisho.services import Library
from tests.interfaces.mcp.hosting import hosting
from tests.interfaces.npm_packages import installed
from tests.interfaces.serving import SAMPLES
from tests.interfaces.ui.room import RoomVisit, chromium_browser, visiting

QUESTION = "決定係数が0に近いとき何を意味するか"
SHOWS_APPS = advertise("io.modelcontextprotocol/ui", {"mimeTypes": [MIME]})


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Library]:
    (tmp_path / "note.txt").write_text("貸出の決まり。🙂 図書の返却期限は、借りた日から14日です。", "utf-8")
    async with open_library(home=tmp_path / "home") as library:
        async for _ in library.documents.add(SAMPLES / "01-regression.pdf", tmp_path / "note.txt"):
            pass
        yield library


def dumped(result: BaseModel) -> dict[str, Any]:
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_only_who_shows_apps_is_pointed_to_the_page(mode: str, library: Library) -> None:
    answer = await library.questions.ask(QUESTION)
    server = mcp.build(library)
    async with (
        Client(server, mode=mode) as plain,
        Client(server, mode=mode, extensions=[SHOWS_APPS]) as shows,
    ):
        usual = [dumped(tool) for tool in (await plain.list_tools()).tools]
        pointed = [dumped(tool) for tool in (await shows.list_tools()).tools]
        assert {
            tool["name"] for tool in pointed if tool.pop("_meta", None) == {"ui": {"resourceUri": URI}}
        } == TOOLS
        assert pointed == usual and not any("_meta" in tool for tool in usual)
        with_pages = await shows.call_tool("get_answer", {"answer_id": "last"})
        without = await plain.call_tool("get_answer", {"answer_id": "last"})
        assert without.meta is None or EVIDENCE_KEY not in without.meta
        assert with_pages.content == without.content
        assert with_pages.structured_content == without.structured_content
        assert with_pages.meta is not None
        shown = [row["number"] for row in with_pages.meta[EVIDENCE_KEY]["quotations"]]
        assert shown == [evidence.number for evidence in answer.evidence] and len(shown) >= 2
        (page,) = (await shows.read_resource(URI)).contents
        assert page.mime_type == MIME
        assert page.meta is not None and page.meta["ui"]["csp"] == {
            "connectDomains": [],
            "resourceDomains": [],
            "frameDomains": [],
            "baseUriDomains": [],
        }
        refused = await shows.call_tool("get_answer", {"answer_id": "none"})
        assert refused.is_error and not (refused.meta or {}).get(EVIDENCE_KEY)


async def test_the_list_of_tools_stays_short_with_the_page(library: Library) -> None:
    async with Client(mcp.build(library), extensions=[SHOWS_APPS]) as client:
        tools = [dumped(tool) for tool in (await client.list_tools()).tools]
    assert len(json.dumps({"tools": tools}, ensure_ascii=False, separators=(",", ":"))) <= 30_000


async def opened(visit: RoomVisit, result: dict[str, Any] | None, **context: Any) -> Frame:
    await visit.page.evaluate("(context) => openView('/app', context)", context)
    await visit.page.wait_for_function("isReady")
    if result is not None:
        await visit.page.evaluate("(result) => give(result)", result)
    frame = visit.page.frame(url=lambda url: url.endswith("/app"))
    assert frame is not None
    return frame


@pytest.mark.slow
async def test_the_sentence_is_lit_in_the_assistant_and_nothing_is_asked_of_anybody(library: Library) -> None:
    answer = await library.questions.ask(QUESTION)
    note = await library.questions.ask("図書の返却期限は何日か")
    async with Client(mcp.build(library), extensions=[SHOWS_APPS]) as client:
        html = (await client.read_resource(URI)).contents[0].text  # type: ignore[union-attr]
        result = dumped(await client.call_tool("get_answer", {"answer_id": answer.id}))
        of_text = dumped(await client.call_tool("get_answer", {"answer_id": note.id}))
    with hosting(html) as url:
        async with chromium_browser() as browser, visiting(browser, url, locale="ja-JP") as visit:
            await visit.page.goto(url)
            frame = await opened(visit, None, theme="light", locale="en-GB")
            await frame.wait_for_selector("text=Waiting for the answer")
            await visit.page.evaluate("(result) => give(result)", result)
            for evidence in answer.evidence:
                await frame.wait_for_selector(f"h1:has-text('[{evidence.number}] {evidence.title}')")
                assert await frame.locator("mark").text_content() == evidence.snippet
                lit = await frame.locator(".lit").evaluate_all(
                    "(boxes) => boxes.map((box) => [box.offsetWidth, box.offsetHeight, getComputedStyle(box).backgroundColor])"
                )
                assert lit and all(
                    wide > 20 and high > 5 and colour == "rgb(255, 213, 74)" for wide, high, colour in lit
                )
                drawn = await frame.locator(".page img").evaluate(
                    "(img) => img.decode().then(() => img.naturalWidth)"
                )
                assert drawn == 1_200
                assert await frame.locator(".support").all_text_contents() == ["supported by its quotation"]
                assert f"p. {evidence.page} ·" in await frame.inner_text("main")
                if evidence is not answer.evidence[-1]:
                    await frame.locator("#after").press("ArrowRight")
            assert await frame.is_disabled("#after")
            await frame.click("#before")
            assert f"[{answer.evidence[-2].number}]" in await frame.inner_text("h1")
            await visit.shot("assistant-light")
            await visit.page.evaluate(
                "send({ method: 'ui/notifications/host-context-changed', params: { theme: 'dark', locale: 'ja-JP' } })"
            )
            await frame.wait_for_selector("text=引用で裏付けあり")
            ground = "getComputedStyle(document.documentElement).backgroundColor"
            assert await frame.evaluate(ground) == "rgb(30, 35, 33)"
            await visit.shot("assistant-dark-ja")
            await visit.page.evaluate("(result) => give(result)", of_text)
            await frame.wait_for_selector(".text mark")
            assert await frame.locator("mark").text_content() == note.evidence[0].snippet
            bare = {**result, "_meta": {}}
            await visit.page.evaluate("(result) => give(result)", bare)
            await frame.wait_for_selector(f"mark:has-text('{answer.evidence[0].snippet[:9]}')")
            await visit.page.evaluate(
                "send({ id: 9, method: 'ui/resource-teardown', params: { reason: 'over' } })"
            )
            await visit.page.wait_for_function("heard.some((message) => message.id === 9)")
            heard = await visit.page.evaluate("heard")
            assert {message["method"] for message in heard if "method" in message} == {
                "ui/initialize",
                "ui/notifications/initialized",
                "ui/notifications/size-changed",
            }


@pytest.mark.slow  # npm, and the host library of the specification in a browser
async def test_the_public_host_library_and_its_schema_accept_the_page(library: Library) -> None:
    modules = installed("apps", {"@modelcontextprotocol/ext-apps": "2.0.4"}) / "node_modules"
    answer = await library.questions.ask(QUESTION)
    async with Client(mcp.build(library), extensions=[SHOWS_APPS]) as client:
        (page,) = (await client.read_resource(URI)).contents
        tools = [dumped(tool) for tool in (await client.list_tools()).tools]
        result = dumped(await client.call_tool("get_answer", {"answer_id": answer.id}))
    schema = json.loads(
        (modules / "@modelcontextprotocol/ext-apps/dist/src/generated/schema.json").read_text()
    )

    def check(kind: str, data: Any) -> None:
        Draft202012Validator({**schema["$defs"][kind], "$defs": schema["$defs"]}).validate(data)

    check("McpUiResourceMeta", dumped(page)["_meta"]["ui"])
    for tool in tools:
        if tool["name"] in TOOLS:
            check("McpUiToolMeta", tool["_meta"]["ui"])
    check("McpUiToolResultNotification", {"method": "ui/notifications/tool-result", "params": result})
    with hosting(page.text, "bridge.html", modules) as url:  # type: ignore[union-attr]
        async with chromium_browser() as browser, visiting(browser, url) as visit:
            await visit.page.goto(url)
            await visit.page.wait_for_function("window.isReady")
            await visit.page.evaluate("bridge.sendToolInput({ arguments: {} })")
            await visit.page.evaluate("(result) => bridge.sendToolResult(result)", result)
            frame = visit.page.frame(url=lambda url: url.endswith("/app"))
            assert frame is not None
            await frame.wait_for_selector(".page .lit")
            assert await frame.locator("mark").text_content() == answer.evidence[0].snippet
            await visit.page.evaluate("bridge.setHostContext({ theme: 'dark', locale: 'ja-JP' })")
            await frame.wait_for_selector("text=引用で裏付けあり")
            assert await visit.page.evaluate("bridge.getAppVersion().name") == "shisho-evidence"
            await visit.page.wait_for_function("sizes.length > 0")
            assert await visit.page.evaluate("bridge.teardownResource({ reason: 'over' })") == {}
            assert await visit.page.evaluate("errors") == []


async def test_hostile_words_of_a_document_are_shown_as_text(library: Library) -> None:
    words = "<img src=x onerror=alert(1)>"
    picture = {"png": 'x" onerror="alert(1)', "width": 1, "height": 1, "boxes": [], "exact": True}
    quotation = {
        "number": 1,
        "title": words,
        "page": 1,
        "place": words,
        "heading": words,
        "source_url": "javascript:alert(1)",
        "source_state": words,
        "quoted_before": words,
        "quoted_text": words,
        "quoted_after": words,
        "sentences": [{"text": words, "support": "constructor"}],
        "picture": picture,
        "why": words,
    }
    html = mcp_page()
    with hosting(html) as url:
        async with chromium_browser() as browser, visiting(browser, url) as visit:
            await visit.page.goto(url)
            theme = {"variables": {"--color-background-primary": "url(https://example.com/x)"}}
            frame = await opened(
                visit, {"content": [], "_meta": {EVIDENCE_KEY: {"quotations": [quotation]}}}, styles=theme
            )
            await frame.wait_for_selector("mark")
            assert (
                await frame.locator("img").count() == 0 and await frame.locator("mark").inner_text() == words
            )
            assert await frame.locator("button:has-text('開く')").count() == 0


def mcp_page() -> str:
    return (Path(mcp.__file__).parent / "evidence.html").read_text("utf-8")


def test_the_page_is_one_file_that_names_no_address() -> None:
    html = mcp_page()
    assert "http://" not in html and "https://" not in html.replace(r"https?:\/\/", "")
    assert " src=" not in html and " href=" not in html and "innerHTML" not in html
