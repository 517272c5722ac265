"""Replies that stay small enough for a model to read: what is too long is cut from the end, and the reply says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic_core import to_json

# Under 5,000 tokens, counted without a tokenizer: three bytes of UTF-8 are one CJK character, about one token, and of ids and
# JSON marks a token holds three bytes at least.
ROOM = 14_400
SLACK = 200  # for `more` and `cursor`, which are set after the cut
SHORT = 200


def written(data: Any) -> str:
    """Compact JSON, in the characters themselves."""
    return to_json(data).decode()


def size(data: Any) -> int:
    """Bytes of JSON."""
    return len(to_json(data))


def fitted(data: dict[str, Any], room: int = ROOM) -> dict[str, Any]:
    """The data, in place, with `more` set where its lists, and then its texts, had to be shortened."""
    over = size(data) - room
    if over <= 0:
        return data
    over += SLACK
    data["more"] = True
    for holder, key in sorted(_long(data), key=lambda place: _cut_first(place[0][place[1]])):
        before = size(holder[key])
        holder[key] = _shorter(holder[key], over)
        over -= before - size(holder[key])
        if over <= 0:
            break
    return data


def _long(data: dict[str, Any], deeper: bool = True) -> Iterator[tuple[dict[str, Any], str]]:
    """Places of lists and texts that are worth cutting."""
    for key, value in data.items():
        if isinstance(value, dict) and deeper:
            yield from _long(value, deeper=False)
        elif isinstance(value, list | str) and size(value) > SHORT:
            yield data, key


def _cut_first(value: Any) -> tuple[bool, int]:
    return isinstance(value, str), -size(value)


def _shorter(value: Any, over: int) -> Any:
    if isinstance(value, str):
        data = value.encode()
        return data[: max(0, len(data) - over - 3)].decode(errors="ignore") + "…"
    rows = list(value)
    while rows and over > 0:
        over -= size(rows.pop()) + 1
    return rows
