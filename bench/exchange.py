"""A folder in which a person is the model: `python bench/exchange.py FOLDER [--port 8099]`.

An OpenAI-compatible server on this machine. Each request becomes a file `NNNN-KIND.request.md` in FOLDER; the
player writes the reply, one JSON object, to `NNNN-KIND.reply.json` beside it. A reply that is not whole JSON
yet is waited for. Requests and replies are added to FOLDER/recordings.jsonl, and a request that was answered
before is answered from there. Ask it with

    SHISHO_MODEL=openai/by-hand SHISHO_MODEL_URL=http://127.0.0.1:8099/v1 \\
        SHISHO_MODEL_SECONDS=36000 SHISHO_MAX_SECONDS=36000 shisho ask "…"
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from shisho.language import estimate_tokens
from shisho.testing.model_providers import FakeProvider, ProviderReply, ProviderRequest

LOOK_EVERY_S = 0.5
NODES = {
    "goals": "strategy",
    "keywords": "plan",
    "findings": "evaluate",
    "blocks": "answer",
    "verdicts": "judge",
}
_BOUNDARY = re.compile(r"⟦[0-9a-f]{16}")
_TODAY = re.compile(r"\bToday is \d{4}-\d\d-\d\d")


def name_node(request: ProviderRequest) -> str:
    """Return the node that asks, by the shape that it asks for."""
    fields = list(request.schema.get("properties", {}))
    if "findings" in fields and "blocks" in fields:
        return "fact"
    return NODES.get(fields[0], fields[0]) if fields else "text"


def write_asked(request: ProviderRequest) -> str:
    """Return all words of a request."""
    return "\n\n".join((request.instructions, *request.texts))


def request_key(request: ProviderRequest) -> str:
    """Return the hash of a request's messages and schema, without the fence and the date."""
    text = _TODAY.sub("Today is 2026-01-01", _BOUNDARY.sub("⟦0000000000000000", write_asked(request)))
    return sha256(json.dumps([text, request.schema], sort_keys=True).encode()).hexdigest()


class ExchangeFolder:
    """Asks whoever writes into the folder. A script for the fake provider."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._recordings = folder / "recordings.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        self._replies = _load(self._recordings)
        # Above every number that was used: a reply to another request would be taken for one to this.
        self._count = max((int(file.name[:4]) for file in folder.glob("[0-9]*-*.*")), default=0)
        self._waiting: dict[str, asyncio.Future[str]] = {}

    async def __call__(self, request: ProviderRequest) -> ProviderReply:
        written = write_asked(request)
        text = await self.ask(name_node(request), request_key(request), written, request.schema)
        return ProviderReply(text, input_tokens=estimate_tokens(written), output_tokens=estimate_tokens(text))

    async def ask(
        self,
        kind: str,
        key: str,
        asked: str,
        schema: Mapping[str, Any],
        find_mistake: Callable[[Any], str] = lambda reply: "",
    ) -> str:
        """Return the reply to this text, from the recordings or from the folder, as JSON. While
        `find_mistake` finds one, the reply is not accepted and the mistake is a file beside it."""
        if key in self._replies:
            return self._replies[key]
        if key in self._waiting:  # the same is asked once, however many wait for it
            return await self._waiting[key]
        self._waiting[key] = asyncio.get_running_loop().create_future()
        text = await self._write_out(kind, key, asked, schema, find_mistake)
        self._waiting.pop(key).set_result(text)
        return text

    async def _write_out(
        self,
        kind: str,
        key: str,
        asked: str,
        schema: Mapping[str, Any],
        find_mistake: Callable[[Any], str],
    ) -> str:
        """Return the reply that a player writes to this request, and record it."""
        self._count += 1
        name = f"{self._count:04}-{kind}"
        reply_file = self._folder / f"{name}.reply.json"
        page = f"Reply to {reply_file.name} with one JSON object: {outline(schema)}\n\n----\n{asked}\n"
        (self._folder / f"{name}.request.md").write_text(page, "utf-8")
        text = self._replies[key] = await read_whole(reply_file, find_mistake)
        with self._recordings.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"key": key, "reply": text}, ensure_ascii=False) + "\n")
        return text


async def read_whole(path: Path, find_mistake: Callable[[Any], str]) -> str:
    """Return the file's JSON, once it is there, whole and without a mistake."""
    while True:
        try:
            reply = json.loads(await asyncio.to_thread(path.read_text, "utf-8"))
            mistake = find_mistake(reply)
            if not mistake:
                return json.dumps(reply, ensure_ascii=False)
            path.with_suffix(".mistake.txt").write_text(mistake + "\n", "utf-8")
        except (FileNotFoundError, ValueError):
            pass
        await asyncio.sleep(LOOK_EVERY_S)


def outline(schema: Mapping[str, Any]) -> str:
    """Return a JSON Schema as an example is written."""
    if "enum" in schema:
        return " | ".join(json.dumps(choice, ensure_ascii=False) for choice in schema["enum"])
    if schema.get("type") == "array":
        return f"[{outline(schema.get('items', {}))}, …]"
    if schema.get("type") == "object":
        parts = (f'"{name}": {outline(part)}' for name, part in schema.get("properties", {}).items())
        return "{" + ", ".join(parts) + "}"
    return str(schema.get("type", "any"))


def _load(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return {row["key"]: row["reply"] for row in rows}


async def serve(folder: Path, port: int) -> None:
    async with FakeProvider(ExchangeFolder(folder), port) as provider:
        print(f"{provider.build_url('openai')}   requests and replies in {folder}", flush=True)
        await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=8099)
    options = parser.parse_args()
    asyncio.run(serve(options.folder, options.port))


if __name__ == "__main__":
    main()
