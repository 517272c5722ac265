"""`search` and `fetch` as ChatGPT's connectors and deep research call them, over stdio and HTTP."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.interfaces.mcp import server as mcp
from shisho.language import estimate_tokens
from tests.interfaces.serving import SAMPLES, Refused, data_of, serving, stdio, until_done
from tests.machine import PATIENCE

QUERY = "決定係数が0に近いとき何を意味するか"
LINES = [f"第{number}節。標本{number}の決定係数は{number % 100}%である。" for number in range(2_000)]
PAGE = "https://example.com/lighthouse?page=1"


class Connector:
    """A client that calls a tool as ChatGPT does: by one string, reading one text."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def search(self, query: str) -> list[dict[str, str]]:
        found = await self._call("search", query=query)
        assert found.keys() == {"results"}
        assert all(row.keys() == {"id", "title", "url"} for row in found["results"])
        return list(found["results"])

    async def fetch(self, id: str) -> dict[str, Any]:
        fetched = await self._call("fetch", id=id)
        assert fetched.keys() == {"id", "title", "text", "url", "metadata"} and fetched["id"] == id
        return fetched

    async def _call(self, tool: str, **arguments: str) -> dict[str, Any]:
        result = await self.client.call_tool(tool, arguments)
        (content,) = result.content
        assert content.type == "text" and estimate_tokens(content.text) < 5_000
        return data_of(result)


@asynccontextmanager
async def connected(way: str, home: Path) -> AsyncIterator[tuple[Connector, str]]:
    """A connector, and the address of its server, if it has one."""
    if way == "stdio":
        async with Client(stdio(home)) as client:
            yield Connector(client), ""
    else:
        with serving(home) as url:
            async with Client(f"{url}/mcp") as client:
                yield Connector(client), url


@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_search_and_fetch_lead_to_the_text(way: str, tmp_path: Path) -> None:
    (tmp_path / "節.txt").write_text("\n".join(LINES), "utf-8")
    async with connected(way, tmp_path / "home") as (connector, url):

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            return data_of(await connector.client.call_tool(tool, arguments))

        added = await call("add_documents", paths=[str(SAMPLES), str(tmp_path / "節.txt")])
        await until_done(call, added["task_id"])
        results = await connector.search(QUERY)
        assert any(row["title"].startswith("統計学入門 第5回 回帰分析 (p. ") for row in results)
        assert await connector.search("ヴォイニッチ手稿の羊皮紙") == []
        best = next(row for row in results if "回帰分析" in row["title"])
        part = await connector.fetch(best["id"])
        assert "決定係数" in part["text"] and part["metadata"]["page"] in best["title"]
        document = part["metadata"]["document_id"]
        if url:
            assert re.fullmatch(rf"{url}/d/{document}#page=\d+&at=\d+-\d+", best["url"])
            assert (await asyncio.to_thread(httpx.get, best["url"])).status_code == 200
        else:
            (opened,) = (await connector.client.read_resource(best["url"])).contents
            assert part["text"][:20] in opened.text  # type: ignore[union-attr]

        found = (await call("search_corpus", keyword_query=["決定係数"]))["passages"][0]
        assert found["quoted_text"] in (await connector.fetch(found["passage"]))["text"]
        (whole,) = {row["id"] for row in (await call("list_documents"))["documents"] if row["title"] == "節"}
        texts, parts = [], 0
        while whole:
            part = await connector.fetch(whole)
            texts.append(part["text"])
            whole = part["metadata"].get("next_id", "")
            parts += 1
        assert "".join(texts) == "\n".join(LINES) and parts > 3
        for wrong in ("none", f"{document}@999999", f"{document}@-1"):
            with pytest.raises(Refused, match="RESOURCE_NOT_FOUND"):
                await connector.fetch(wrong)


async def test_hostile_names_are_cleaned_and_web_pages_keep_their_address(tmp_path: Path) -> None:
    async with (
        open_library(home=tmp_path / "home") as library,
        Client(mcp.build(library)) as client,
    ):
        title = "灯台\u202e\U000e0041案内"
        html = f"<html><head><title>{title}</title></head><body><p>霧ヶ丘灯台の高さは42メートル。</p></body></html>"
        source = Source(PAGE, html.encode(), "text/html")
        await library.documents.add_source(source)
        connector = Connector(client)
        (row,) = await connector.search("霧ヶ丘灯台の高さ")
        assert row["url"] == PAGE and row["title"] == "灯台案内"
        fetched = await connector.fetch(row["id"])
        assert fetched["url"] == PAGE and fetched["title"] == "灯台案内" and "42メートル" in fetched["text"]


def test_search_covers_every_corpus_that_the_caller_may_read(tmp_path: Path) -> None:
    with serving(tmp_path / "home", SHISHO_TOKENS="hanako:hhhhhhhh taro:tttttttt") as url:
        for token, height in (("hhhhhhhh", 42), ("tttttttt", 17)):
            headers = {"authorization": f"Bearer {token}"}
            with httpx.Client(base_url=f"{url}/api/v1", headers=headers, timeout=PATIENCE) as client:
                for corpus, place in (("default", "霧ヶ丘"), ("second", "波切")):
                    body = f"{place}灯台の高さは{height}メートルである。".encode()
                    query = {"name": f"{place}.txt", "corpus": corpus}
                    task = client.post("/documents/upload", params=query, content=body).json()["task_id"]
                    wait = {"wait": 50, "wait_for": "done"}
                    while client.get(f"/tasks/{task}", params=wait).json()["status"] == "running":
                        pass
                results = client.get("/search", params={"query": "灯台の高さは何メートルか"}).json()[
                    "results"
                ]
                assert {row["title"] for row in results} == {"霧ヶ丘", "波切"}
                for row in results:
                    fetched = client.get("/fetch", params={"id": row["id"]}).json()
                    assert f"{height}メートル" in fetched["text"] and row["url"].startswith(f"{url}/d/")
        others = {"authorization": "Bearer hhhhhhhh"}
        refused = httpx.get(f"{url}/api/v1/fetch", params={"id": row["id"]}, headers=others)
        assert refused.status_code == 404 and refused.json()["code"] == "RESOURCE_NOT_FOUND"


def test_message_after_a_byte_order_mark_is_read_over_http(tmp_path: Path) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    with serving(tmp_path / "home") as url:
        reply = httpx.post(
            f"{url}/mcp",
            content=b"\xef\xbb\xbf" + json.dumps(message).encode(),
            headers={"content-type": "application/json", "accept": "application/json, text/event-stream"},
        )
    assert "Parse error" not in reply.text and "-32700" not in reply.text
