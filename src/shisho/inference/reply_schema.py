"""Convert a dataclass to the JSON Schema of a model's reply, and the reply back to the dataclass."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

T = TypeVar("T")

_SAID_BY_PYTHON = frozenset({"title", "default"})
_DECODER = json.JSONDecoder(strict=False)  # models copy line breaks of a passage unescaped
_THINKING = ("<think>", "</think>")


@cache
def reply_schema(shape: type) -> dict[str, Any]:
    """Return a JSON Schema that every provider accepts.

    All fields are required, no others are allowed, and nothing is referenced.
    """
    whole = _make_adapter(shape).json_schema()
    parts = whole.pop("$defs", {})
    schema: dict[str, Any] = _inline(whole, parts)
    return schema | {"title": shape.__name__, "description": " ".join((shape.__doc__ or "").split())}


def read_reply(text: str, shape: type[T]) -> T:
    """Parse the last JSON object of the reply that matches the shape, ignoring text around it.

    Raises: ValueError with the place and the kind of the last object's mistakes.
    """
    mistake = "The reply is no JSON object."
    for data in reversed([*_read_objects(text)]):
        try:
            normalize = getattr(shape, "normalize", None)
            return cast("T", _validate(normalize(data) if normalize else data, cast("Hashable", shape)))
        except ValidationError as error:
            mistake = "; ".join(_describe_mistakes(error))
    raise ValueError(mistake)


class ElementReader:
    """A reader of complete sentences from a streamed reply.

    Sentences are the innermost objects of the shape that the reply's class names as `streamed`. Only complete
    objects are parsed, so pieces may end in the middle of a character. Cells of a table are skipped: they
    mean nothing alone.
    """

    def __init__(self, shape: type) -> None:
        self._element = cast("Any", shape).streamed
        self._names = {field.name for field in fields(self._element)}
        self._text = ""
        self._at = 0
        self._container_at = 0

    def feed(self, piece: str) -> Iterator[Any]:
        """Add a piece of the reply and yield the elements that it completes."""
        self._text += piece
        self._at = max(self._at, _skip_thinking(self._text))
        while (start := self._text.find("{", self._at)) >= 0:
            try:
                data, end = _DECODER.raw_decode(self._text, start)
            except (ValueError, RecursionError):
                if self._text.find("{", start + 1) < 0:
                    return  # the rest has not arrived yet
                self._container_at = start
                self._at = start + 1
                continue
            self._at = end
            if '"rows"' not in self._text[self._container_at : start]:
                with suppress(RecursionError):
                    yield from self._read(data)

    def _read(self, data: Any) -> Iterator[Any]:
        """Yield the element, or the elements inside a complete object."""
        if isinstance(data, list):
            for member in data:
                yield from self._read(member)
        elif isinstance(data, dict) and self._names <= data.keys():
            with suppress(ValidationError):
                yield _validate(data, self._element)
        elif isinstance(data, dict):
            for name, member in data.items():
                yield from self._read(member) if name != "rows" else ()


def _skip_thinking(text: str) -> int:
    """Return the offset of the reply after the model's thinking.

    The end of the text during thinking.

    Some servers leave the thinking in the reply, and it may contain drafts of the reply.
    """
    opening, closing = _THINKING
    if not text.lstrip().startswith(opening):
        return 0
    end = text.find(closing)
    return len(text) if end < 0 else end + len(closing)


def has_only_thinking(text: str) -> bool:
    """Return whether nothing follows the model's thinking."""
    return text.lstrip().startswith(_THINKING[0]) and not text[_skip_thinking(text) :].strip()


def _read_objects(text: str) -> Iterator[Any]:
    """Yield the outermost JSON objects of a text in order.

    Invalid parts are scanned only once, so the cost stays linear.
    """
    start = text.find("{", _skip_thinking(text))
    while start >= 0:
        try:
            data, end = _DECODER.raw_decode(text, start)
            yield data
        except json.JSONDecodeError as error:
            end = max(error.pos, start + 1)
        except (ValueError, RecursionError):  # a number or a nesting depth that Python rejects
            return
        start = text.find("{", end)


def _validate(data: Any, shape: Hashable) -> Any:
    """Validate as JSON, not as Python data: only JSON mode rejects lone surrogates.

    No database and no terminal accepts those.
    """
    return _make_adapter(shape).validate_json(json.dumps(data))


@cache
def _make_adapter(shape: Hashable) -> TypeAdapter[Any]:
    return TypeAdapter(cast("Any", shape))


def _inline(schema: Any, parts: Mapping[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inline(member, parts) for member in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inline(parts[schema["$ref"].rsplit("/", 1)[1]], parts)
    whole = {name: _inline(part, parts) for name, part in schema.items() if name not in _SAID_BY_PYTHON}
    if whole.get("type") == "object":
        properties = {name: _inline(part, parts) for name, part in schema["properties"].items()}
        whole |= {"properties": properties, "required": [*properties], "additionalProperties": False}
    return whole


def _describe_mistakes(error: ValidationError) -> Iterator[str]:
    """Describe up to five mistakes by their place, without the value, which may be long."""
    for mistake in error.errors(include_url=False, include_input=False, include_context=False)[:5]:
        place = ".".join(map(str, mistake["loc"]))
        yield f"{place or 'the reply'}: {mistake['msg'][:200]}"
