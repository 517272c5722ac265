"""Vectors from a server with OpenAI's `/embeddings` API.

Such as llama.cpp, vLLM, Ollama, text-embeddings-inference and OpenAI. Texts are only sent to that server:
proxies of the environment and redirects are not used.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import field
from typing import Any

import httpx2

from shisho.domain.embedding import EmbedderAbout, Embedding
from shisho.domain.model import FAULT_REASONS, ModelFault
from shisho.errors import ModelFailed
from shisho.inference.embedding import LONGEST, normalise_rows
from shisho.inference.model_folder import FAMILY_PREFIXES
from shisho.inference.provider_faults import RETRIED, classify_fault, retry_after
from shisho.records import dataclass

BATCH = 32  # texts in one request
TRIES = 4
WAIT_S = 1.0  # before the second try, doubled before each further one
LONGEST_WAIT_S = 30.0
MAX_BYTES = 32 << 20  # of a reply: 32 vectors of 4,096 numbers take 3 MB


@dataclass(frozen=True, slots=True)
class EndpointAccess:
    """The server of vectors. `url` is without `/embeddings`.

    `model` is the server's name for it.
    """

    url: str
    model: str
    key: str = field(default="", repr=False)
    seconds: float = 60.0


class EndpointEmbedder:
    """`ports.Embedder` over a server. Raises: ModelFailed."""

    def __init__(self, access: EndpointAccess) -> None:
        self._access = access
        self.about = EmbedderAbout(f"{access.model} at {access.url}", access.url)
        pair = next(
            (pair for part, pair in FAMILY_PREFIXES.items() if part in access.model.lower()), ("", "")
        )
        self._passage, self._query = pair

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Embedding]:
        sent = [self._passage + text[:LONGEST] for text in texts]
        batches = [sent[start : start + BATCH] for start in range(0, len(sent), BATCH)]
        return [vector for batch in batches for vector in await self._embed(batch)]

    async def embed_query(self, text: str) -> Embedding:
        return (await self._embed([self._query + text[:LONGEST]]))[0]

    async def _embed(self, texts: Sequence[str]) -> list[Embedding]:
        for tries_left in reversed(range(TRIES)):
            try:
                async with asyncio.timeout(self._access.seconds):
                    rows = _read_rows(await self._send_request(texts), len(texts))
                return normalise_rows(rows, self.about.name)
            except ModelFailed:
                raise
            except Exception as error:
                fault = classify_fault(error)
                wait = retry_after(error)
            if fault not in RETRIED or not tries_left:
                raise self._make_failure(fault)
            doubled = WAIT_S * 2 ** (TRIES - 1 - tries_left)
            await asyncio.sleep(min(LONGEST_WAIT_S, doubled if wait is None else wait))
        raise self._make_failure(ModelFault.FAILED)

    async def _send_request(self, texts: Sequence[str]) -> Any:
        """Send one request. A kept connection would outlive the event loop that it was made in."""
        headers = {"Connection": "close"}
        if self._access.key:
            headers["Authorization"] = f"Bearer {self._access.key}"
        # Lone surrogates cannot be sent.
        inputs = [text.encode("utf-8", "replace").decode() or " " for text in texts]
        body = {"model": self._access.model, "input": inputs, "encoding_format": "float"}
        client = httpx2.AsyncClient(timeout=self._access.seconds, trust_env=False, follow_redirects=False)
        async with (
            client,
            client.stream(
                "POST", f"{self._access.url.rstrip('/')}/embeddings", json=body, headers=headers
            ) as reply,
        ):
            parts = bytearray()
            async for part in reply.aiter_bytes():
                parts += part
                if len(parts) > MAX_BYTES:
                    raise self._make_failure(ModelFault.TOO_LONG)
            if not reply.is_success:  # a redirect, too
                body_text = bytes(parts).decode("utf-8", "replace")
                raise httpx2.HTTPStatusError(body_text, request=reply.request, response=reply)
        return json.loads(bytes(parts))

    def _make_failure(self, fault: ModelFault) -> ModelFailed:
        return ModelFailed(
            "embedder.reply_unusable",
            name=self.about.name,
            why=FAULT_REASONS[fault],
            fault=str(fault),
        )


def _read_rows(reply: Any, count: int) -> list[list[float]]:
    """Return a row for each text in order.

    Raises: ValueError, KeyError or TypeError for another shape.
    """
    data = sorted(reply["data"], key=lambda row: int(row["index"]))
    rows = [[float(number) for number in row["embedding"]] for row in data]
    if (
        [int(row["index"]) for row in data] != list(range(count))
        or len({len(row) for row in rows}) != 1
        or not rows[0]
    ):
        raise ValueError("not one vector for each text")
    return rows
