"""The user's own keys and addresses: added to a request after it is stored, removed from the response."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from dataclasses import replace
from urllib.parse import parse_qsl, quote, quote_plus, urlencode, urlsplit, urlunsplit

from shisho.domain.politeness import Limit
from shisho.domain.web import Credential, EngineAbout, Request, Response
from shisho.errors import ShishoError
from shisho.messages import Message, is_message_id

HIDDEN = "***"
_SHORTEST = 4  # a shorter value is not a key, and hiding it would spoil the text

Fetch = Callable[[Request], Awaitable[Response]]


async def fetch_authorised(
    fetch: Fetch, request: Request, about: EngineAbout, values: Mapping[str, object]
) -> Response:
    """Send a request with the user's keys and return the response without them.

    Neither the response nor an error contains them: servers like to quote the key that they refuse, and
    errors end up in job rows and logs.
    """
    try:
        response = await fetch(authorise(request, about, values))
    except ShishoError as error:
        details = {
            name: hide_keys(detail, about, values) if isinstance(detail, str) else detail
            for name, detail in error.details.items()
        }
        raise type(error)(_hide_keys(error.message, about, values), **details) from None
    # keys are ASCII, the rest stays unchanged
    body = hide_keys(response.body.decode("latin-1"), about, values).encode("latin-1")
    return replace(response, url=hide_keys(response.url, about, values), body=body)


def authorise(request: Request, about: EngineAbout, values: Mapping[str, object]) -> Request:
    """Add the user's keys to a request. A request to another site than the engine's is left unchanged."""
    if not _is_same_site(request.url, about.site):
        return request
    for credential, value in _set(about, values):
        if credential.header:
            request = replace(request, headers={**request.headers, credential.header: value})
        elif request.method == "POST":
            request = replace(request, form={**request.form, credential.param: value})
        else:
            request = replace(request, url=_with(request.url, credential.param, value))
    return request


def hide_keys(text: str, about: EngineAbout, values: Mapping[str, object]) -> str:
    """Return a text without the keys."""
    known_values = [value for _, value in _set(about, values) if len(value) >= _SHORTEST]
    secrets = {
        form for value in known_values for form in (value, quote(value), quote_plus(value), quote(value, "@"))
    }
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text


def _hide_keys(message: Message, about: EngineAbout, values: Mapping[str, object]) -> Message:
    masked = {
        name: hide_keys(value, about, values) if isinstance(value, str) else value
        for name, value in message.values.items()
    }
    # A text that is not an id may be the engine's own words.
    id_ = message.id if is_message_id(message.id) else hide_keys(message.id, about, values)
    return Message(id_, **masked)


def limit_of(about: EngineAbout, values: Mapping[str, object]) -> Limit:
    """Return an engine's limit: its own, or the faster one that a key allows."""
    bought = [
        credential.interval_s for credential, _ in _set(about, values) if credential.interval_s is not None
    ]
    return Limit(min([about.interval_s, *bought]), about.parallel, about.per_day)


def find_missing_keys(abouts: Collection[EngineAbout], values: Mapping[str, object]) -> frozenset[str]:
    """Return the settings of keys without a value, or with one that cannot be sent."""
    known_settings = {credential.setting for about in abouts for credential, _ in _set(about, values)}
    return (
        frozenset(credential.setting for about in abouts for credential in about.credentials) - known_settings
    )


def _set(about: EngineAbout, values: Mapping[str, object]) -> Iterator[tuple[Credential, str]]:
    for credential in about.credentials:
        value = str(values.get(credential.setting, "")).strip()
        if value and _is_sendable(value):
            yield credential, value


def _is_sendable(value: str) -> bool:
    # Checked here because HTTP libraries quote a rejected header in their error.
    return value.isascii() and value.isprintable() and " " not in value


def _is_same_site(url: str, site: str) -> bool:
    split_result = urlsplit(url)
    result = urlsplit(site)
    return (split_result.scheme, split_result.netloc) == (result.scheme, result.netloc)


def _with(url: str, param: str, value: str) -> str:
    parts = urlsplit(url)
    pairs = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] != param]
    return urlunsplit(parts._replace(query=urlencode([*pairs, (param, value)])))
