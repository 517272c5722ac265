"""k reaches the reader: as many passages are shown in a round as suit the library, unless the reader has less
room. `bench/room.py` measures the same over a real set."""

from __future__ import annotations

import asyncio
import importlib
import json
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Complexity, SearchRequest, Source
from shisho.errors import InvalidParams
from shisho.interfaces.api.truncate import dump_compact
from shisho.interfaces.mcp import server as mcp
from shisho.language import estimate_passage_tokens, estimate_tokens
from tests.flows.test_model_cost import filler

ROOT = Path(__file__).parents[2]
PASSAGES = 1_005
WORDS = ("年", "日本", "世界", "名前")
ASKED = SearchRequest(keyword_query=("日本", "世界", "名前"))
K = {Complexity.SINGLE: [20, 40, 60, 60], Complexity.COMPARISON: [40, 80, 100, 100]}


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    return importlib.import_module("room")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of which each passage has three of the four words that are asked for."""
    path = tmp_path_factory.mktemp("room")
    dice = random.Random(7)
    words = [*combinations(WORDS, 3)]
    text = "\n\n".join(
        f"# 記録 {number}\n\n{number}番の{'の'.join(words[number % len(words)])}の記録。{filler(dice)[:160]}"
        for number in range(PASSAGES)
    )

    async def fill() -> None:
        async with open_library(home=path, web="off") as library:
            await library.documents.add_source(Source("records.md", text.encode(), "text/markdown"))
            assert (await library.documents.list_corpora())[0].passages == PASSAGES

    asyncio.run(fill())
    return path


@pytest.mark.parametrize("complexity", K)
async def test_a_model_with_room_reads_k_passages_in_each_round(
    bench: Any, home: Path, complexity: Complexity
) -> None:
    assert await bench.show_to_model(home, 131_072, complexity) == K[complexity]


async def test_a_small_model_reads_what_its_context_holds_and_more_with_a_larger_one(
    bench: Any, home: Path
) -> None:
    shown = [await bench.show_to_model(home, context, Complexity.COMPARISON) for context in (4_096, 8_192)]
    assert all(
        5 <= small < large < k for small, large, k in zip(*shown, K[Complexity.COMPARISON], strict=True)
    )


@pytest.mark.parametrize("complexity", K)
async def test_a_session_shows_k_passages_in_each_round(
    bench: Any, home: Path, complexity: Complexity
) -> None:
    async with open_library(home=home, web="off") as library:
        assert await bench.show_in_session(library, complexity) == K[complexity]


async def test_the_room_is_the_callers(home: Path) -> None:
    """Of one search, of all rounds of a session, and of a search without one."""
    async with open_library(home=home, web="off") as library:
        sessions = library.sessions
        opened = await sessions.open_session("日本の年", room_tokens=3_000)
        rounds = [await sessions.search_next(opened.session_id, ASKED)]
        rounds += [await sessions.search_next(opened.session_id, ASKED, room_tokens=900)]
        rounds += [await sessions.search_next(opened.session_id, ASKED, room_tokens=9_000)]
        hits = await library.documents.search(ASKED, room_tokens=900)
        for room in (0, -1):
            with pytest.raises(InvalidParams, match="room_tokens"):
                await sessions.search_next(opened.session_id, ASKED, room_tokens=room)
    sizes = [sum(estimate_passage_tokens(one.text, one.heading) for one in round_.shown) for round_ in rounds]
    assert all(room * 0.7 < size <= room for size, room in zip(sizes, (3_000, 900, 3_000), strict=True))
    assert all(len(round_.shown) < round_.ranked and not round_.more for round_ in rounds)
    assert 600 < sum(estimate_passage_tokens(hit.text, hit.heading) for hit in hits) <= 900


async def test_what_a_reply_cannot_hold_comes_on_further_pages(home: Path) -> None:
    """Over MCP: each page under 5,000 tokens, all k passages in the end, the same page if asked again, and
    nothing of it counted as shown before it is."""
    async with open_library(home=home, web="off") as library, Client(mcp.build(library)) as client:

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            reply = await client.call_tool(tool, arguments)
            assert not reply.is_error, reply.content
            assert estimate_tokens(dump_compact(reply.structured_content)) < 5_000
            return dict(reply.structured_content or {})

        opened = await call("open_session", question="日本の年", complexity="comparison")
        session = opened["session_id"]
        first = page = await call("search_corpus", session_id=session, keyword_query=list(WORDS))
        numbers = [one["temp_index"] for one in page["shown"]]
        while page["more"]:
            cursor = page["cursor"]
            page = await call("search_corpus", session_id=session, cursor=cursor)
            assert page == await call("search_corpus", session_id=session, cursor=cursor)
            numbers += [one["temp_index"] for one in page["shown"]]
        assert first["more"] and numbers == [*range(1, 41)] and page["cursor"] is None
        assert first["ranked"] == page["ranked"] == 40 and page["round"] == 1
        second = await call("search_corpus", session_id=session, keyword_query=list(WORDS))
        third = await call("search_corpus", session_id=session, keyword_query=list(WORDS))
        rest = await call("search_corpus", session_id=session, cursor=second["cursor"])
        assert (second["ranked"], third["ranked"]) == (80, 100), "what was not shown may be found again"
        shown = [one["quoted_text"] for reply in (first, second, third, rest) for one in reply["shown"]]
        assert len(shown) == len(set(shown)), json.dumps(shown, ensure_ascii=False)
        for cursor in ("1.99", "9.1", "x", second["cursor"] + "0"):
            reply = await client.call_tool("search_corpus", {"session_id": session, "cursor": cursor})
            assert reply.is_error and "to continue from" in str(reply.content)
