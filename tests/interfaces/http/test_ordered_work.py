"""Work that a caller can order: bounded, counted, apart from everybody else's, and ended with its caller."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from statistics import median

import httpx
import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.errors import QuotaExhausted
from shisho.interfaces.http.guard import AccessRules
from shisho.services import sentence_checks
from tests.interfaces.http.rooms import answered, finished, served
from tests.machine import PATIENCE, children_seconds

LECTURES = sorted((Path(__file__).parents[3] / "samples" / "lectures").glob("*.pdf"))
RULES = AccessRules(token="own", people={"attacker": "canary-attacker", "reader": "canary-reader"})
QUESTION = "決定係数が0に近いとき何を意味するか"
TOLD = (  # by the lectures, in these words or nearly
    "単回帰では、決定係数は相関係数の2乗に等しい。",
    "切片を含む最小二乗法では、残差の合計は必ず0になる。",
    "適合率とは、検索された文書のうち、適合している文書の割合である。",
    "帰無仮説が誤っているときに、それを正しく棄却できる確率を検出力という。",
    "説明変数が一つのときを単回帰という。",
    "検索結果を多くすると再現率は上がるが、適合率はふつう下がる。",
)
UNTOLD = (
    "残差は観測値と予測値の差の二乗である。",
    "最小二乗法は残差の絶対値の和を最小にする。",
    "外れ値は回帰直線を大きく動かす。",
    "決定係数は当てはまりの良さではなく、モデルの正しさを表す数字である。",
    "再現率とは、検索された文書のうち、適合している文書の割合である。",
    "標本が小さいほど検出力は高くなる。",
)
SHORT = TOLD + UNTOLD
CALLS = 8
ROUNDS = 5
WAITED_SHARE = 0.25  # of the work of all calls: what waits for two of eight is held up


def work_seconds() -> float:
    """CPU seconds of this process, which serves, and of its children."""
    return time.process_time() + children_seconds()


@asynccontextmanager
async def shared_server(home: Path) -> AsyncIterator[tuple[httpx.AsyncClient, httpx.AsyncClient]]:
    """A working server, and the clients of two of its people, each with the lectures."""
    async with (
        open_library(home=home, web="off") as library,
        library.working(2),
        served(library, RULES) as client,
    ):
        clients = [
            httpx.AsyncClient(
                base_url=client.base_url,
                headers={"authorization": f"Bearer {token}"},
                timeout=PATIENCE,
                limits=httpx.Limits(max_keepalive_connections=0),  # a cancelled call closes its connection
            )
            for token in RULES.people.values()
        ]
        for person in clients:
            for lecture in LECTURES:
                await upload(person, lecture.name, lecture.read_bytes())
        yield clients[0], clients[1]
        for person in clients:
            await person.aclose()


async def upload(client: httpx.AsyncClient, name: str, data: bytes) -> None:
    sent = await client.post("/documents/upload", params={"name": name}, content=data)
    await finished(client, sent.json()["task_id"])


async def read_session(client: httpx.AsyncClient) -> tuple[str, list[str]]:
    """The id of a session, and the texts that it has shown."""
    session_id = (await client.post("/sessions", json={"question": QUESTION})).json()["session_id"]
    texts: list[str] = []
    for word in ("決定係数", "相関係数", "残差", "検定", "検索"):
        body = {"keyword_query": [word], "session_id": session_id}
        found = (await client.post("/passages/search", json=body)).json()
        texts += [passage["quoted_text"] for passage in found["shown"]]
    return str(session_id), texts


def write_attack(texts: list[str]) -> list[dict[str, object]]:
    """A hundred long sentences of the words that were shown, in other orders, and without a citation."""
    clauses = [clause for text in texts for clause in text.replace("\n", "").replace("。", "、").split("、")]
    chosen = random.Random(3)
    return [{"text": "、".join(chosen.sample(clauses, 40))[:1_000] + "。"} for _ in range(100)]


@asynccontextmanager
async def attacked(
    client: httpx.AsyncClient, session_id: str, sentences: list[dict[str, object]]
) -> AsyncIterator[None]:
    """While it is entered, eight calls are at work; then their caller is gone."""
    began = work_seconds()
    calls = [
        asyncio.create_task(client.post(f"/sessions/{session_id}/answer", json={"sentences": sentences}))
        for _ in range(CALLS)
    ]
    try:
        while work_seconds() - began < 0.3 and not all(call.done() for call in calls):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        yield
    finally:
        for call in calls:
            call.cancel()
            with suppress(asyncio.CancelledError, httpx.HTTPError):
                await call


def read_verbs(client: httpx.AsyncClient) -> dict[str, Callable[[str], Awaitable[object]]]:
    """What another person does meanwhile; each time with something new."""

    async def add(name: str) -> None:
        await upload(client, f"{name}.txt", f"{name}の覚え書きである。標本の大きさは{name}とする。".encode())

    async def ask(name: str) -> None:
        asked = {"question": f"{QUESTION} {name}", "sources": "documents"}
        await answered(client, await client.post("/answers", json=asked))

    async def search(name: str) -> None:
        reply = await client.post("/passages/search", json={"keyword_query": ["残差", name]})
        assert reply.is_success

    return {"upload": add, "question": ask, "search": search}


async def measure_verbs(client: httpx.AsyncClient, name: str, work: dict[str, list[float]]) -> None:
    """Note the CPU seconds of the server, whoever ordered them, in the time of each verb."""
    for verb, do in read_verbs(client).items():
        began = work_seconds()
        await do(name)
        work.setdefault(verb, []).append(work_seconds() - began)


async def measure_attack(
    client: httpx.AsyncClient, session_id: str, sentences: list[dict[str, object]]
) -> float:
    began = work_seconds()
    path, body = f"/sessions/{session_id}/answer", {"sentences": sentences}
    await asyncio.gather(*(client.post(path, json=body) for _ in range(CALLS)))
    return work_seconds() - began


@pytest.mark.slow
async def test_calls_of_one_person_hold_up_nobody_else(tmp_path: Path) -> None:
    """Measured in CPU seconds of the server, because the clock runs on beside other processes."""
    work: dict[str, list[float]] = {}
    async with shared_server(tmp_path) as (attacker, reader):
        session_id, texts = await read_session(attacker)
        sentences = write_attack(texts)
        await measure_verbs(reader, "初回", {})
        attack = await measure_attack(attacker, session_id, sentences)
        for number in range(ROUNDS):
            async with attacked(attacker, session_id, sentences):
                await measure_verbs(reader, f"騒{number}", work)
    held_up = {verb: median(done) for verb, done in work.items() if median(done) > WAITED_SHARE * attack}
    assert held_up == {}, attack


async def test_work_ends_with_its_caller(tmp_path: Path) -> None:
    async with shared_server(tmp_path) as (attacker, _):
        session_id, texts = await read_session(attacker)
        async with attacked(attacker, session_id, write_attack(texts)):
            pass
        await asyncio.sleep(1)
        ended = work_seconds()
        await asyncio.sleep(1)
        assert work_seconds() - ended < 0.3


async def test_an_honest_call_is_cheap(tmp_path: Path) -> None:
    async with shared_server(tmp_path) as (_, reader):
        session_id, texts = await read_session(reader)
        assert len(texts) > 20
        warm = {"sentences": [{"text": "平均は代表値である。"}]}
        await reader.post(f"/sessions/{session_id}/answer", json=warm)
        began = work_seconds()
        body = {"sentences": [{"text": text} for text in SHORT]}
        reply = (await reader.post(f"/sessions/{session_id}/answer", json=body)).json()
        assert work_seconds() - began < 0.5
    supported = {row["text"] for row in reply["mended"] if row["support"] == "supported"}
    assert supported <= set(TOLD) and len(supported) >= 4


async def test_what_is_not_reached_in_time_is_unverified_or_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentence_checks, "SECONDS", 0.001)
    async with shared_server(tmp_path) as (_, reader):
        session_id, texts = await read_session(reader)
        passage = texts[0]
        finding = {"index": 1, "goal_id": "G1", "snippet": passage.split("。")[0], "score": 1.0}
        body = {"findings": [finding]}
        found = (await reader.post(f"/sessions/{session_id}/findings", json=body)).json()
        number = found["findings"][0]["number"]
        cited = {"text": SHORT[0], "cites": [number]}
        sentences = [cited, {"text": SHORT[1]}]
        reply = (await reader.post(f"/sessions/{session_id}/answer", json={"sentences": sentences})).json()
    assert [(row["became"], row["support"]) for row in reply["mended"]] == [
        ("kept", "unverified"),
        ("removed", None),
    ]
    assert all("unchecked" in row["lacking"] for row in reply["mended"])


async def test_a_call_counts_as_a_job(tmp_path: Path) -> None:
    async with open_library(home=tmp_path, web="off") as library, served(library) as client:
        await library.documents.add_source(Source("残差.txt", "残差は観測値と予測値の差である。".encode()))
        session_id = (await client.post("/sessions", json={"question": QUESTION})).json()["session_id"]
        await library.team.set_quota(library.owner, {"jobs": 1})
        body = {"sentences": [{"text": SHORT[2]}]}
        replies = [await client.post(f"/sessions/{session_id}/answer", json=body) for _ in range(2)]
    assert replies[0].is_success
    assert replies[1].json()["code"] == QuotaExhausted.code
