"""Vectors from a server that speaks OpenAI's `/embeddings`, on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import shisho.inference.endpoint as endpoint
from shisho.domain.embedding import compute_cosine
from shisho.domain.model import ModelFault
from shisho.errors import ModelFailed
from shisho.inference.endpoint import EndpointAccess, EndpointEmbedder
from tests.loopback import LoopbackReply, LoopbackRequest, LoopbackServer

KEY = "sk-secret-of-the-test"


def vectors(request: LoopbackRequest) -> Any:
    """One for each text, told by its length; the rows in no order."""
    texts = json.loads(request.body)["input"]
    rows = [{"index": at, "embedding": [3.0 * len(text), 4.0, 0.0]} for at, text in enumerate(texts)]
    return {"object": "list", "data": rows[::-1]}


def replying(
    *replies: Callable[[LoopbackRequest], LoopbackReply],
) -> Callable[[LoopbackRequest], LoopbackReply]:
    """One after the other, the last for all that follow."""
    left = list(replies)
    return lambda request: (left.pop(0) if len(left) > 1 else left[0])(request)


def good(request: LoopbackRequest) -> LoopbackReply:
    return LoopbackReply(json.dumps(vectors(request)).encode())


def status(code: int, **headers: str) -> Callable[[LoopbackRequest], LoopbackReply]:
    return lambda request: LoopbackReply(b'{"error": {"message": "no"}}', code, headers)


def said(data: Any) -> Callable[[LoopbackRequest], LoopbackReply]:
    return lambda request: LoopbackReply(data if isinstance(data, bytes) else json.dumps(data).encode())


def embedder(server: LoopbackServer, model: str = "m-1") -> EndpointEmbedder:
    return EndpointEmbedder(EndpointAccess(f"{server.url}/v1", model, KEY, 60.0))


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "WAIT_S", 0.01)


async def test_texts_go_in_batches_with_the_key_and_come_back_in_their_order() -> None:
    texts = ["あ" * (number + 1) for number in range(70)]
    with LoopbackServer(good) as server:
        embeddings = await embedder(server).embed_passages(texts)
        assert [len(json.loads(request.body)["input"]) for request in server.requests] == [32, 32, 6]
        first = server.requests[0]
    assert (first.path, first.headers["authorization"]) == ("/v1/embeddings", f"Bearer {KEY}")
    assert json.loads(first.body)["model"] == "m-1"
    assert len(embeddings) == 70
    assert compute_cosine(embeddings[0], embeddings[0]) == pytest.approx(1.0, abs=1e-3)
    assert compute_cosine(embeddings[0], embeddings[69]) == pytest.approx(0.6 + 0.8 * 4 / 210, abs=0.02)


async def test_models_of_a_known_family_get_their_prefixes() -> None:
    with LoopbackServer(good) as server:
        asked = embedder(server, "intfloat/multilingual-e5-small")
        await asked.embed_query("犬")
        await asked.embed_passages(["猫"])
        assert [json.loads(request.body)["input"] for request in server.requests] == [
            ["query: 犬"],
            ["passage: 猫"],
        ]


@pytest.mark.parametrize(
    "refusal",
    [status(429, **{"Retry-After": "0"}), status(503), lambda request: LoopbackReply(b"x" * 99, cut=9)],
)
async def test_what_passes_is_tried_again(refusal: Callable[[LoopbackRequest], LoopbackReply]) -> None:
    with LoopbackServer(replying(refusal, refusal, good)) as server:
        assert await embedder(server).embed_query("犬")
        assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("reply", "fault", "requests"),
    [
        (status(401), ModelFault.UNAUTHORISED, 1),
        (status(404), ModelFault.WRONG_ADDRESS, 1),
        (lambda request: LoopbackReply(b"model m-1 not found", 404), ModelFault.UNKNOWN_MODEL, 1),
        (status(500), ModelFault.UNAVAILABLE, 4),
        (status(302, Location="http://127.0.0.1:9/"), None, 1),
        (said(b"no json"), ModelFault.MALFORMED, 1),
        (said({"data": []}), ModelFault.MALFORMED, 1),
        (said({"data": [{"index": 0, "embedding": []}]}), ModelFault.MALFORMED, 1),
        (said({"data": [{"index": 1, "embedding": [1.0]}]}), ModelFault.MALFORMED, 1),
        (said(b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}'), ModelFault.MALFORMED, 1),
        (said({"data": [{"index": 0, "embedding": ["x"]}]}), ModelFault.MALFORMED, 1),
    ],
)
async def test_every_failure_is_a_typed_fault_without_the_key(
    reply: Callable[[LoopbackRequest], LoopbackReply], fault: ModelFault | None, requests: int
) -> None:
    with LoopbackServer(reply) as server:
        with pytest.raises(ModelFailed) as failed:
            await embedder(server).embed_query("犬")
        assert len(server.requests) == requests
    assert fault is None or failed.value.fault == fault
    assert KEY not in f"{failed.value} {failed.value.details}"


async def test_reply_without_end_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "MAX_BYTES", 1_000)
    with LoopbackServer(said(b" " * 100_000)) as server, pytest.raises(ModelFailed) as failed:
        await embedder(server).embed_query("犬")
    assert failed.value.fault == ModelFault.TOO_LONG


async def test_server_that_is_not_there_is_unreachable() -> None:
    with LoopbackServer(good) as server:
        gone = embedder(server)
    with pytest.raises(ModelFailed) as failed:
        await gone.embed_query("犬")
    assert failed.value.fault == ModelFault.UNREACHABLE
