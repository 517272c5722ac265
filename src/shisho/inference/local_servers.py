"""Find the model servers of this machine at their default ports."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from shisho.domain.model import FoundModel

SECONDS = 1.0  # to answer on loopback
MAX_BYTES = 1 << 20
SERVERS: Mapping[str, tuple[str, str, int, str]] = {
    "Ollama": ("ollama", "/api/tags", 11434, ""),
    "LM Studio": ("openai", "/v1/models", 1234, "/v1"),
    "llama.cpp": ("openai", "/v1/models", 8080, "/v1"),
}
"""By the server's name: provider, the path that lists its models, default port, end of `model_url`."""


async def find_models(ports: Mapping[str, int] | None = None) -> Sequence[FoundModel]:
    """Return the models of the servers that answer.

    `ports` replaces default ports, by the server's name.
    """
    changed = ports or {}
    lists = await asyncio.gather(
        *(
            _list_models(server, provider, f"http://127.0.0.1:{changed.get(server, port)}", path, end)
            for server, (provider, path, port, end) in SERVERS.items()
        )
    )
    return tuple(model for models in lists for model in models)


async def _list_models(server: str, provider: str, root: str, path: str, end: str) -> list[FoundModel]:
    """Return the server's models; empty if it does not answer. Its replies are not trusted."""
    import httpx2

    try:
        async with (
            asyncio.timeout(SECONDS),
            httpx2.AsyncClient(trust_env=False, follow_redirects=False, verify=False) as client,
            client.stream("GET", f"{root}{path}") as reply,
        ):
            body = bytearray()
            async for part in reply.aiter_bytes():
                body += part
                if len(body) > MAX_BYTES:
                    return []
            rows = _read_names(httpx2.Response(reply.status_code, content=bytes(body)).json())
    except (httpx2.HTTPError, OSError, TimeoutError, ValueError, RecursionError):
        return []
    # Ollama's default address needs no URL.
    url = "" if server == "Ollama" and root.endswith(":11434") else f"{root}{end}"
    return [FoundModel(f"{provider}/{name}", url, server) for name in rows]


def _read_names(reply: Any) -> list[str]:
    """Return the model names of a reply.

    Ollama lists `models` by `name`, the others `data` by `id`.
    """
    if not isinstance(reply, dict):
        return []
    rows = reply.get("models") if "data" not in reply else reply["data"]
    if not isinstance(rows, list):
        return []
    names = [row.get("id") or row.get("name") for row in rows if isinstance(row, dict)]
    return [name for name in names if isinstance(name, str) and name.strip() and name.isprintable()]
