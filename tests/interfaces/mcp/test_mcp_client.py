"""The official MCP client drives every tool, over standard streams and over HTTP; whoever leaves takes
nothing along."""

from __future__ import annotations

import asyncio
import base64
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator
from mcp import Client

from shisho.bootstrap.library import open_library
from shisho.domain.payloads import SearchJob
from shisho.interfaces.api import schemas
from shisho.interfaces.api.schemas import DEFAULT_TOOLS, VERBS
from shisho.interfaces.mcp import server as mcp
from shisho.language import estimate_tokens
from tests.flows.smallweb import small_web, way
from tests.interfaces.errand import errand
from tests.interfaces.serving import (
    SAMPLES,
    Call,
    Refused,
    calling,
    data_of,
    paper,
    serving,
    stdio,
    until_answered,
    until_done,
)
from tests.machine import Stopwatch

TOOLS = Path(mcp.__file__).with_name("tools.json")
WAYS = [("stdio", "legacy"), ("http", "auto")]  # both transports and both forms of the protocol


@asynccontextmanager
async def reached(way: str, mode: str, home: Path) -> AsyncIterator[Call]:
    if way == "stdio":
        async with calling(stdio(home), mode) as call:
            yield call
    else:
        with serving(home) as url:
            async with calling(f"{url}/mcp", mode) as call:
                yield call


@pytest.mark.parametrize(("way", "mode"), WAYS)
async def test_every_tool_over_every_way(way: str, mode: str, tmp_path: Path) -> None:
    called = set()
    async with reached(way, mode, tmp_path / "home") as call:

        async def noted(tool: str, **arguments: Any) -> dict[str, Any]:
            called.add(tool)
            data = await call(tool, **arguments)
            assert estimate_tokens(json.dumps(data, ensure_ascii=False)) < 5_000
            return data

        await errand(noted)
    assert called == {verb.name for verb in VERBS}


@pytest.mark.slow
async def test_the_list_of_tools_is_the_contract(tmp_path: Path) -> None:
    """A change here changes what every client sees: SHISHO_SNAPSHOT=1 writes the list anew; say so in the
    changelog."""
    made = [schemas.tool(verb) for verb in VERBS]
    if os.environ.get("SHISHO_SNAPSHOT"):
        TOOLS.write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n", "utf-8")
    async with (
        open_library(home=tmp_path / "home") as library,
        Client(mcp.build(library, all_tools=True)) as client,
    ):
        tools = [
            tool.model_dump(mode="json", by_alias=True, exclude_none=True)
            for tool in (await client.list_tools()).tools
        ]
        prompts = (await client.list_prompts()).prompts
        templates = {
            each.uri_template for each in (await client.list_resource_templates()).resource_templates
        }
    assert tools == made == json.loads(TOOLS.read_text("utf-8"))
    assert all(
        tool["description"] and tool["outputSchema"]["type"] == "object" and tool["annotations"]
        for tool in tools
    )
    for tool in tools:
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            Draft202012Validator.check_schema(schema)
    assert [prompt.name for prompt in prompts] == ["research"]
    assert templates == {
        "task://{task_id}",
        "answer://{answer_id}",
        "evidence://{evidence_id}",
        "document://{document_id}",
        "document://{document_id}/page/{page}",
    }


async def test_setting_chooses_the_tools_that_are_shown(tmp_path: Path) -> None:
    """A tool that is not shown can be called all the same."""
    with serving(tmp_path / "served", SHISHO_MCP_TOOLS="all") as url:
        for server, shown in ((f"{url}/mcp", len(VERBS)), (stdio(tmp_path / "home"), len(DEFAULT_TOOLS))):
            async with Client(server) as client:
                assert len((await client.list_tools()).tools) == shown
                assert data_of(await client.call_tool("list_tasks", {}))["tasks"] == []


async def test_links_open_and_wrong_ones_say_so(tmp_path: Path) -> None:
    async with Client(stdio(tmp_path / "home")) as client:

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            return data_of(await client.call_tool(tool, arguments))

        async def text(uri: str) -> str:
            return (await client.read_resource(uri)).contents[0].text  # type: ignore[union-attr]

        added = await call("add_documents", paths=[str(SAMPLES / "01-regression.pdf")])
        await until_done(call, added["task_id"])
        asked = await until_answered(call, await call("ask", question="決定係数が0に近いとき何を意味するか"))
        one = asked["answer"]["evidence"][0]
        opened = json.loads(await text(added["link"]))
        assert opened["status"] == "completed" and opened["progress"]["documents"] == "1/1"
        assert json.loads(await text(asked["link"]))["evidence"][0]["snippet"] == one["snippet"]
        assert json.loads(await text(f"evidence://{one['id']}"))["sha256"] == one["sha256"]
        page = await text(f"document://{one['document_id']}/page/{one['page']}")
        assert one["snippet"] in page
        for wrong in (
            "task://none",
            "answer://none",
            "evidence://none",
            "document://none",
            f"document://{one['document_id']}/page/99",
            f"document://{one['document_id']}/page/abc",
            f"document://{one['document_id']}/page/{'9' * 30}",
            "file:///etc/passwd",
        ):
            with pytest.raises(Exception, match=r"(?i)not|no |unknown") as told:
                await text(wrong)
            assert (
                getattr(told.value, "code", getattr(getattr(told.value, "error", None), "code", None))
                == -32602
            )
        prompt = await client.get_prompt("research", {"question": "決定係数とは何か"})
        said = prompt.messages[0].content.text  # type: ignore[union-attr]
        assert "決定係数とは何か" in said and "since_revision" in said and "cursor" in said
        with pytest.raises(Exception, match="Unknown prompt"):
            await client.get_prompt("no_such_prompt")
        with pytest.raises(
            Exception, match=r"research has no argument depth, tone\. Known arguments: question\."
        ):
            await client.get_prompt("research", {"question": "残差", "depth": "3", "tone": "kind"})


async def test_links_of_a_document_without_pages_open_it(tmp_path: Path) -> None:
    text = "霧ヶ丘灯台の高さは42メートルである。"
    async with (
        open_library(home=tmp_path / "home") as library,
        library.working(1),
        Client(mcp.build(library)) as client,
    ):

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            return data_of(await client.call_tool(tool, arguments))

        file = {"name": "灯台.txt", "base64": base64.b64encode(text.encode()).decode()}
        await until_done(call, (await call("add_documents", files=[file]))["task_id"])
        asked = await until_answered(call, await call("ask", question="霧ヶ丘灯台の高さは何メートルか"))
        (quotation,) = asked["answer"]["evidence"]
        found = (await call("search_corpus", keyword_query=["霧ヶ丘灯台"]))["passages"][0]
        passage = await call("read_passage", id=found["passage"])
        for link in (quotation["link"], passage["link"]):
            (opened,) = (await client.read_resource(link)).contents
            assert opened.text == text  # type: ignore[union-attr]


ERRORS: list[tuple[str, dict[str, Any], str]] = [
    ("ask", {"question": " "}, "INVALID_PARAMS"),
    ("ask", {"question": "何か"}, "EMPTY_CORPUS"),
    ("ask", {}, "INVALID_PARAMS"),
    ("queue_searches", {"queries": []}, "INVALID_PARAMS"),
    ("queue_searches", {"queries": ["x"], "options": {"serp_max_pages": 11}}, "INVALID_PARAMS"),
    ("queue_searches", {"queries": ["x"], "options": {"serp_pages": 1}}, "INVALID_PARAMS"),
    ("get_status", {"task_id": "none"}, "TASK_NOT_FOUND"),
    ("get_status", {"wait": 51}, "INVALID_PARAMS"),
    ("get_answer", {"answer_id": "none"}, "RESOURCE_NOT_FOUND"),
    ("add_documents", {"paths": ["/etc/passwd"]}, "FORBIDDEN_PATH"),
    ("add_documents", {"files": [{"name": "a.txt", "base64": "***"}]}, "INVALID_PARAMS"),
    ("search_corpus", {"session_id": "none", "keyword_query": ["x"]}, "RESOURCE_NOT_FOUND"),
    ("feedback", {"opinion": "block_domain", "target": "no domain"}, "INVALID_PARAMS"),
    ("no_such_tool", {}, "INVALID_PARAMS"),
]


async def test_errors_are_typed(tmp_path: Path) -> None:
    codes = []
    async with open_library(home=tmp_path / "home") as library, calling(mcp.build(library)) as call:
        for tool, arguments, _ in ERRORS:
            with pytest.raises(Refused) as refused:
                await call(tool, **arguments)
            codes.append(refused.value.code)
    assert codes == [code for *_, code in ERRORS]


UNKNOWN: list[tuple[dict[str, Any], str]] = [
    (
        {"queries": ["x"], "max_resuls": 3},
        r"max_resuls: there is no such argument; known: queries, task_id, options, ",
    ),
    (
        {"queries": ["x"], "options": {"serp_pages": 1}},
        r"options\.serp_pages: .*known: engines, .*serp_max_pages",
    ),
    (
        {"queries": ["x"], "priority": "high", "options": {"priority": "low"}},
        "priority is given twice: high outside options",
    ),
    ({"queries": ["x"], "max_results_per_query": 101}, "max_results_per_query: it must be 100 or less"),
]


async def test_arguments_that_do_not_exist_are_refused_by_name(tmp_path: Path) -> None:
    async with open_library(home=tmp_path / "home") as library, calling(mcp.build(library)) as call:
        for arguments, said in UNKNOWN:
            with pytest.raises(Refused, match=said) as refused:
                await call("queue_searches", **arguments)
            assert refused.value.code == "INVALID_PARAMS"
        assert (await call("list_tasks"))["tasks"] == []


async def test_options_are_taken_beside_their_object_too(tmp_path: Path) -> None:
    opened = open_library(home=tmp_path / "home", web_access=way(small_web()))
    async with opened as library, calling(mcp.build(library)) as call:
        beside = await call(
            "queue_searches", queries=["x"], max_results_per_query=3, priority="high", engines=["mojeek"]
        )
        both = await call(
            "queue_searches", queries='["y"]', options={"max_results_per_query": 3}, max_results_per_query=3
        )
        for queued, priority in ((beside, 10), (both, 50)):
            (job,) = (await library.tasks.list_jobs(queued["task_id"])).jobs
            assert (job.input.read(SearchJob).max_results_per_query, job.priority) == (3, priority)


async def test_a_client_that_asks_is_told_that_we_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from shisho.interfaces.mcp import tools as mcp_tools

    monkeypatch.setattr(mcp_tools, "BEAT", 0.1)
    beats = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        beats.append(progress)

    async with open_library(home=tmp_path / "home") as library, Client(mcp.build(library)) as client:
        made = data_of(await client.call_tool("create_task", {"question": "待つ"}))
        status = data_of(await client.call_tool("get_status", {"task_id": made["task_id"], "wait": 0}))
        asked = {"task_id": made["task_id"], "since_revision": status["revision"], "wait": 1}
        silent = data_of(await client.call_tool("get_status", asked, progress_callback=note))
    assert not silent["changed"] and len(beats) >= 3 and beats == sorted(beats)


@pytest.mark.slow
async def test_leaving_in_the_middle_of_a_long_poll_changes_nothing(tmp_path: Path) -> None:
    papers = [str(paper(tmp_path / "papers", number)) for number in range(6)]
    with serving(tmp_path / "home") as url:
        async with calling(f"{url}/mcp") as call:
            task = (await call("add_documents", paths=papers))["task_id"]
            left = sum(
                await asyncio.gather(*(leave(url, task) for leave in [_leave_mcp] * 6 + [_leave_rest] * 6))
            )
            assert left >= 3, "hardly anybody left in the middle"
            status = await until_done(call, task)
    assert status["status"] == "completed" and len(status["results"]) == len(papers) and not status["errors"]


async def _leave_mcp(url: str, task: str) -> int:
    """Begin a long poll and go away. How often it was left before it was answered: once or not at all."""
    async with Client(f"{url}/mcp") as client:
        first = data_of(await client.call_tool("get_status", {"task_id": task, "wait": 0}))
        wait = {"task_id": task, "wait": 50, "since_revision": first["revision"]}
        polling = asyncio.create_task(client.call_tool("get_status", wait))
        await asyncio.wait([polling], timeout=0.05)
        polling.cancel()
        await asyncio.wait([polling])
        return int(polling.cancelled())


async def _leave_rest(url: str, task: str) -> int:
    async with httpx.AsyncClient(base_url=f"{url}/api/v1", timeout=httpx.Timeout(30, read=0.05)) as client:
        first = (await client.get(f"/tasks/{task}", params={"wait": 0}, timeout=30)).json()
        try:
            await client.get(f"/tasks/{task}", params={"wait": 50, "since_revision": first["revision"]})
        except httpx.ReadTimeout:
            return 1
    return 0


async def test_when_a_client_ends_its_server_nothing_is_lost(tmp_path: Path) -> None:
    home = tmp_path / "home"
    papers = [str(paper(tmp_path / "papers", number)) for number in range(8)]
    async with calling(stdio(home)) as call:
        task = (await call("add_documents", paths=papers))["task_id"]
        early = await call("get_status", task_id=task, wait=0)
    assert early["status"] == "running", "the server ended too late to show anything"
    with Stopwatch() as watch:
        async with calling(stdio(home)) as call:
            status = await until_done(call, task)
    assert status["status"] == "completed" and len(status["results"]) == len(papers) and not status["errors"]
    assert watch.undisturbed < 25, (
        "the jobs of a server that is gone must not wait for their beat to be missed"
    )
