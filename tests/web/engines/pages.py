"""The captured result pages and answers: what they are, and what a parse of them is compared with."""

from __future__ import annotations

import gzip
import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from shisho.domain.web import Response
from shisho.web.http.url import canonicalise, unwrap
from tests.shared import shared

REVIEWED: dict[str, dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "disagreements.toml").read_text("utf-8")
)
_ENGINES = {"wikimedia": "wikipedia", "searx": "searxng"}
_ADVERTISEMENT = re.compile(r"https?://[^/]*bing\.com/aclick\?")


@dataclass(frozen=True)
class Saved:
    """A captured page; `engine` is the name of ours, or "" for a page of no engine."""

    file: str
    kind: str
    engine: str
    expected: str | None

    @property
    def response(self) -> Response:
        return Response(shared("serp", self.file).read_bytes())

    def organic(self) -> list[str]:
        """The expected URLs in their order, canonical: no advertisements, and no box the review threw out."""
        entries = json.loads(shared("serp", self.expected or "").read_text("utf-8"))["results"]
        thrown_out = REVIEWED["not_organic"].get(self.file, {}).get("urls", [])
        urls = [entry["url"] for entry in entries if not _ADVERTISEMENT.match(entry["url"])]
        return [
            canonicalise(unwrap(url))
            for url in urls
            if not any(url.startswith(prefix) for prefix in thrown_out)
        ]


def saved() -> list[Saved]:
    rows = (json.loads(line) for line in shared("serp", "manifest.jsonl").read_text("utf-8").splitlines())
    return [
        Saved(
            row["file"], row["kind"], "" if row["engine"] == "other" else _ENGINES.get(row["engine"], row["engine"]),
            row.get("expected"),
        )
        for row in rows
    ]  # fmt: skip


def exchanges(engine: str) -> Iterator[Response]:
    """The recorded answers of an API, as they came."""
    for line in shared("serp", "manifest_api.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["engine"] == engine:
            yield from _recorded(shared("serp", row["file"]))


def _recorded(path: Path) -> Iterator[Response]:
    data = path.read_bytes()
    if path.suffix not in (".yaml", ".json"):
        yield Response(data)
        return
    tape = yaml.safe_load(data) if path.suffix == ".yaml" else json.loads(data)
    if "interactions" not in tape:
        yield Response(tape["body"].encode(), tape["url"], tape["status_code"])
        return
    for exchange in tape["interactions"]:
        answer = exchange["response"]
        body = answer["body"] if "body" in answer else answer["content"]
        body = body.get("string", body.get("content")) if isinstance(body, dict) else body
        body = body.encode() if isinstance(body, str) else body
        status = answer["status"]["code"] if "status" in answer else answer["status_code"]
        yield Response(
            gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body, exchange["request"]["uri"], status
        )
