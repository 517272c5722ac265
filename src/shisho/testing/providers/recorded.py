"""Replies that were recorded, found again by what was asked."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, replace
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path

from shisho.testing.providers.script import ProviderReply, ProviderRequest

_BOUNDARY = re.compile(r"⟦[0-9a-f]{16}")
_TODAY = re.compile(r"\bToday is \d{4}-\d\d-\d\d")
_FENCED = re.compile(
    r"^(⟦[0-9a-f]{16}) (?!end of)(?P<name>[^\n|]*)(?P<text>.*?)\n\1 end of [^\n]*$", re.S | re.M
)
NOT_RECORDED = 404


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """A request as it is found again, and the reply to it. `asked` is for who reads the file."""

    key: str
    asked: str
    reply: str


def request_key(request: ProviderRequest) -> str:
    """The hash of a request's messages and schema, without what differs each time: the fence and the date."""
    texts = [steady_text(text) for text in (request.instructions, *request.texts)]
    return sha256(json.dumps([texts, request.schema], sort_keys=True).encode()).hexdigest()


def steady_text(text: str) -> str:
    """The text with one fence and one date for all."""
    return _TODAY.sub("Today is 2026-01-01", _BOUNDARY.sub("⟦0000000000000000", text))


def outline_reply(recorded: RecordedReply) -> RecordedReply:
    """The reply with what was asked for it but for the words of documents, which are others'."""
    return replace(recorded, asked=outline_text(recorded.asked))


def outline_text(request_text: str) -> str:
    """The text with the hash and the length of what stands in each fence: enough to see what has changed."""

    def outline(match: re.Match[str]) -> str:
        text = match["text"].strip()
        hashed = sha256(text.encode()).hexdigest()[:12]
        return f"⟦ {match['name'].strip()}: {hashed}, {len(text)} characters"

    return _FENCED.sub(outline, request_text)


def load_replies(path: Path) -> dict[str, RecordedReply]:
    """By key, the last one where there are several; none where there is no file."""
    if not path.exists():
        return {}
    replies = (RecordedReply(**json.loads(line)) for line in path.read_text("utf-8").splitlines())
    return {reply.key: reply for reply in replies}


def save_reply(path: Path, recorded: RecordedReply) -> None:
    """Add a reply to the file."""
    with path.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(asdict(recorded), ensure_ascii=False) + "\n")


class RecordedReplies:
    """A script of recorded replies. `unknown_requests` lists what was asked and never recorded: the caller
    gets a 404."""

    def __init__(self, path: Path) -> None:
        self._replies = load_replies(path)
        self.unknown_requests: list[ProviderRequest] = []

    def __call__(self, request: ProviderRequest) -> ProviderReply:
        recorded = self._replies.get(request_key(request))
        if recorded is None:
            self.unknown_requests.append(request)
            return ProviderReply("not recorded", status=NOT_RECORDED)
        return ProviderReply(recorded.reply)

    def find(self, key: str) -> str | None:
        """The reply that was recorded under a key."""
        recorded = self._replies.get(key)
        return None if recorded is None else recorded.reply

    def explain(self, request: ProviderRequest) -> str:
        """What has changed since a reply was recorded: the difference to the request that is most alike."""
        asked_lines = outline_text(
            steady_text("\n\n".join((request.instructions, *request.texts)))
        ).splitlines()
        recorded_lines = [reply.asked.splitlines() for reply in self._replies.values()]
        nearest_lines = max(recorded_lines, key=lambda lines: len({*lines} & {*asked_lines}), default=[])
        return "\n".join(unified_diff(nearest_lines, asked_lines, "recorded", "asked", n=0, lineterm=""))
