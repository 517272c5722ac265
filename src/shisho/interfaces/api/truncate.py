"""Keep replies small enough for a model: long ones are truncated and marked."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, Generic, TypeVar

from pydantic_core import to_json, to_jsonable_python

from shisho.domain.corpus import UNBOUNDED_ROOM
from shisho.language.normalise import strip_unseen
from shisho.messages.catalogue import find_language, render_all

ROOM = 4_900  # tokens of a reply: under 5,000, with its link
SLACK = 60  # tokens for `more` and `cursor`, which are set after the cut
SHORT = 60
UNTRUSTED_NAMES = frozenset(
    {
        "title",
        "source",
        "document",
        "heading",
        "subject",
        "url",
        "source_url",
        "reason",
        "last_error",
        "warnings",
    }
)
LOCAL_PATH = re.compile(r"[\\/]|[A-Za-z]:[\\/]")
PAGE = ROOM - 100  # tokens of the rows
# Tokens of rows in one reply, for verbs that record the rows they have shown.
PAGE_TOKENS = ContextVar("page_tokens", default=UNBOUNDED_ROOM)
# False for guests of a server: replies show local files without their folders.
SHOWS_PATHS = ContextVar("shows_paths", default=True)
# The server's address as the reader knows it over HTTP; "" for others.
SERVER_URL = ContextVar("server_url", default="")
T = TypeVar("T")
Count = Callable[[str], int]


class RecentReplies(Generic[T]):
    """A cache of replies for the latest objects: a reply for many callers is built once."""

    def __init__(self, most: int = 16) -> None:
        self._made: deque[tuple[object, str, T]] = deque(maxlen=most)

    def get_or_make(self, source: object, make: Callable[[], T]) -> T:
        """Return the cached reply for this very object and such a reader, building it if needed."""
        language = f"{find_language()} {SHOWS_PATHS.get()}"
        for cached, spoken_then, reply in self._made:
            if cached is source and spoken_then == language:
                return reply
        new = make()
        self._made.append((source, language, new))
        return new


def dump_compact(data: Any) -> str:
    """Return compact JSON without ASCII escapes."""
    return to_json(data).decode()


def fit(data: dict[str, Any], count: Count, room: int = ROOM) -> dict[str, Any]:
    """Shorten the data in place to fit, setting `more` if anything is cut: lists first, then texts.

    `count`: returns the tokens of a text.
    """

    def measure_size(value: Any) -> int:
        return count(dump_compact(value))

    over = measure_size(data) - room
    if over <= 0:
        return data
    over += SLACK
    data["more"] = True
    places = [
        (isinstance(holder[key], str), -measure_size(holder[key]), holder, key)
        for holder, key in _find_long(data)
    ]
    for text, less, holder, key in sorted(places, key=lambda place: place[:2]):
        if over > 0 and -less > SHORT:
            holder[key] = (
                _clip_text(holder[key], over)
                if text
                else _select_rows(holder[key], -less - over, measure_size)
            )
            over -= -less - measure_size(holder[key])
    return data


def _find_long(data: dict[str, Any], deeper: bool = True) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the keys of lists and texts with their parents."""
    for key, value in data.items():
        if isinstance(value, dict) and deeper:
            yield from _find_long(value, deeper=False)
        elif isinstance(value, list | str):
            yield data, key


def _select_rows(rows: list[Any], room: int, size: Callable[[Any], int]) -> list[Any]:
    return rows[: max(0, bisect_right(range(len(rows) + 1), room, key=lambda count: size(rows[:count])) - 1)]


def _clip_text(text: str, over: int) -> str:
    """Cut `over` tokens from the end: a token has at most four characters."""
    return text[: max(0, len(text) - 4 * over - 4)] + "…"


def to_plain_data(thing: Any) -> Any:
    """Return JSON-ready data for a client, in the reader's language, without hidden characters in names."""
    return strip_hidden(to_jsonable_python(render_all(thing)))


def strip_hidden(data: Any) -> Any:
    """Remove invisible and direction-changing characters from titles, file names and metadata.

    These come from strangers and may contain text that only a model reads. Quoted text is unchanged.
    """
    if isinstance(data, dict):
        return {
            key: _view_value(value) if key in UNTRUSTED_NAMES else strip_hidden(value)
            for key, value in data.items()
        }
    return [strip_hidden(value) for value in data] if isinstance(data, list) else data


def _view_value(value: Any) -> Any:
    if isinstance(value, list):
        return [_view_value(name) for name in value]
    if not isinstance(value, str):
        return strip_hidden(value)
    is_hidden = not SHOWS_PATHS.get() and LOCAL_PATH.match(value)
    return strip_unseen(re.split(r"[\\/]", value.rstrip("\\/"))[-1] if is_hidden else value)
