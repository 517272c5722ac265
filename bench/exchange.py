"""A folder in which somebody is the model: `python bench/exchange.py FOLDER [--port 8099]`.

An OpenAI-compatible server on this machine. Each request becomes a file `NNNN-WHAT.request.md` in FOLDER;
whoever plays the model writes the reply, one JSON object, to `NNNN-WHAT.reply.json` beside it (write another
name first and rename it, or write it at once: what is not whole JSON yet is waited for). Requests and replies
are added to FOLDER/recordings.jsonl, and a request that is recorded is answered from there. Ask it with

    SHISHO_MODEL=openai/by-hand SHISHO_MODEL_URL=http://127.0.0.1:8099/v1 \\
        SHISHO_MODEL_SECONDS=36000 SHISHO_MAX_SECONDS=36000 shisho ask "…"
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shisho.testing.providers.recorded import (
    RecordedReply,
    load_replies,
    request_key,
    save_reply,
    steady_text,
)
from shisho.testing.providers.script import ProviderReply, ProviderRequest
from shisho.testing.providers.server import FakeProvider

LOOK_EVERY_S = 0.5
KINDS = {
    "question": "strategy",
    "goals": "strategy",
    "keywords": "plan",
    "findings": "evaluate",
    "sentences": "answer",
    "verdicts": "judge",
}


class ExchangeFolder:
    """Asks whoever writes into the folder. A script for the fake provider."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._recordings = folder / "recordings.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        self._replies = load_replies(self._recordings)
        # Above every number that was used: a reply to another request would be taken for one to this.
        self._count = max((int(file.name[:4]) for file in folder.glob("[0-9]*-*.*")), default=0)
        self._waiting: dict[str, asyncio.Future[str]] = {}
        self.answered_now = 0
        self.used: dict[str, RecordedReply] = {}
        """The replies that were given out, by key."""

    async def __call__(self, request: ProviderRequest) -> ProviderReply:
        field = next(iter(request.schema.get("properties", {"": None})))
        asked = "\n\n".join((request.instructions, *request.texts))
        text = await self.ask(KINDS.get(field, field or "text"), request_key(request), asked, request.schema)
        # As a tokenizer of Japanese counts: a character and a half a token.
        return ProviderReply(text, input_tokens=len(asked) * 2 // 3, output_tokens=len(text) * 2 // 3)

    async def ask(self, kind: str, key: str, asked: str, schema: Mapping[str, Any]) -> str:
        """The reply to this text, from the recordings or from the folder, as JSON."""
        if key in self._replies:
            recorded = self.used[key] = self._replies[key]
            if not recorded.asked:  # recorded without: now it is known
                self.used[key] = self._replies[key] = replace(recorded, asked=steady_text(asked))
                save_reply(self._recordings, self._replies[key])
            return recorded.reply
        if key in self._waiting:  # the same is asked once, however many wait for it
            return await self._waiting[key]
        self._waiting[key] = asyncio.get_running_loop().create_future()
        text = await self._write_out(kind, key, asked, schema)
        self._waiting.pop(key).set_result(text)
        return text

    async def _write_out(self, kind: str, key: str, asked: str, schema: Mapping[str, Any]) -> str:
        """The reply that somebody writes to this request, recorded."""
        self._count += 1
        name = f"{self._count:04}-{kind}"
        reply_file = self._folder / f"{name}.reply.json"
        page = f"Reply to {reply_file.name} with one JSON object: {outline(schema)}\n\n----\n{asked}\n"
        (self._folder / f"{name}.request.md").write_text(page, "utf-8")
        text = await whole_json(reply_file)
        recorded = RecordedReply(key, steady_text(asked), text)
        self.used[key] = self._replies[key] = recorded
        save_reply(self._recordings, recorded)
        self.answered_now += 1
        return text


async def whole_json(path: Path) -> str:
    """The file's JSON, once it is there and whole."""
    while True:
        try:
            text = await asyncio.to_thread(path.read_text, "utf-8")
            return json.dumps(json.loads(text), ensure_ascii=False)
        except (FileNotFoundError, ValueError):
            await asyncio.sleep(LOOK_EVERY_S)


def outline(schema: Mapping[str, Any]) -> str:
    """A JSON Schema as an example is written."""
    if "enum" in schema:
        return " | ".join(json.dumps(choice, ensure_ascii=False) for choice in schema["enum"])
    if schema.get("type") == "array":
        return f"[{outline(schema.get('items', {}))}, …]"
    if schema.get("type") == "object":
        parts = (f'"{name}": {outline(part)}' for name, part in schema.get("properties", {}).items())
        return "{" + ", ".join(parts) + "}"
    return str(schema.get("type", "any"))


async def serve(folder: Path, port: int) -> None:
    async with FakeProvider(ExchangeFolder(folder), port) as provider:
        print(f"{provider.url('openai')}   requests and replies in {folder}", flush=True)
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
