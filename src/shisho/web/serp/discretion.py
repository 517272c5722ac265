"""Errors of a request, in a form that all users of the same engine may read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import parse_qsl, quote, quote_plus, urlsplit

from shisho.domain.web import Request
from shisho.messages.message import Message

_ADDRESS = re.compile(r"https?://([^\s/?#]{1,300})\S*")
_SHORTEST = 2  # characters: a page's number is not a private word


def hide_words(reason: str, request: Request) -> str:
    """Return the reason without the request's values, and with only the hosts of addresses."""
    values = {*request.form.values(), *(value for _, value in parse_qsl(urlsplit(request.url).query))}
    return _drop_words(reason, {value for value in values if len(value) >= _SHORTEST})


def _drop_words(text: str, words: Iterable[str]) -> str:
    if isinstance(text, Message) and text.values:
        values = {
            name: _drop_words(value, words) if isinstance(value, str) else value
            for name, value in text.values.items()
        }
        return Message(text.id, **values)
    hidden = _ADDRESS.sub(r"\1", text)
    for word in words:
        for spelling in (word, quote(word), quote_plus(word)):
            hidden = hidden.replace(spelling, "…")
    return hidden
