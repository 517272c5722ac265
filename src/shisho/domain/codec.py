"""Conversion of domain types to JSON and back by their type hints, without loss."""

from __future__ import annotations

import dataclasses
import json
import types
from collections.abc import Mapping, Sequence
from datetime import date
from enum import Enum
from functools import cache, partial
from typing import Any, Literal, NewType, TypeVar, Union, get_args, get_origin, get_type_hints

from shisho import messages
from shisho.messages import Message
from shisho.records import dataclass

T = TypeVar("T")

_LEAVES = (str, int, float, bool)
_PLAIN = frozenset({*_LEAVES, type(None)})  # exactly these: a Message is a str, and an enum may be one


class UnreadablePayload(ValueError):
    """A payload in a form that this version does not know, because another version wrote it."""


@dataclass(frozen=True, slots=True)
class Payload:
    """A value as canonical JSON.

    Packages that only pass it on never parse it. Code that knows its shape calls `read`.
    """

    text: str = "{}"

    @classmethod
    def wrap(cls, value: Any) -> Payload:
        return cls(dumps(value))

    def read(self, shape: type[T], *, is_lenient: bool = False) -> T:
        """Return the value in this shape.

        `is_lenient` is passed to `build`.

        Raises:
            UnreadablePayload: The JSON does not fit the shape.
        """
        try:
            return loads(self.text, shape, is_lenient=is_lenient)
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            raise UnreadablePayload(str(error)) from error


def to_plain(value: Any) -> Any:
    """Return JSON-ready data.

    Dataclasses become objects, tuples arrays, and enums their values. A Message becomes its id and values.
    """
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Message):
        return messages.pack(value)
    if isinstance(value, Payload):
        return json.loads(value.text)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): to_plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_plain(member) for member in value]
    return value


def dumps(value: Any) -> str:
    """Return canonical JSON: sorted keys, no spaces, no NaN."""
    return json.dumps(
        to_plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )


def join_object(members: Mapping[str, str]) -> str:
    """Return the canonical JSON of an object whose members are canonical JSON already."""
    keys = sorted(members)
    return "{" + ",".join(f"{dumps(key)}:{members[key]}" for key in keys) + "}"


def loads(text: str, shape: type[T], *, is_lenient: bool = False) -> T:
    """Parse JSON into a `shape`. Raises as `build` does."""
    built: T = build(json.loads(text), shape, is_lenient=is_lenient)
    return built


def build(data: Any, shape: Any, *, is_lenient: bool = False) -> Any:
    """Build a value from the output of `to_plain`.

    A key that the shape lacks raises a TypeError that names it, because two packages then disagree about its
    meaning. `is_lenient`: ignore such keys, which a newer version may have written. Use it to display data,
    never to act on it.

    Raises:
        TypeError, ValueError, AttributeError: The data has another shape.
    """
    inner_build = partial(build, is_lenient=is_lenient)
    if shape is Payload:
        return Payload.wrap(data)
    if isinstance(shape, type) and dataclasses.is_dataclass(shape):
        hints = _read_hints(shape)
        unknown = [name for name in data if name not in hints]
        if unknown and not is_lenient:
            raise TypeError(f"{shape.__name__} has no {', '.join(map(repr, unknown))}")
        return shape(**{name: inner_build(data[name], hints[name]) for name in data if name in hints})
    if isinstance(shape, type) and issubclass(shape, Enum):
        return shape(data)
    if isinstance(shape, NewType):
        return inner_build(data, shape.__supertype__)
    if shape is date:
        return date.fromisoformat(data)
    origin = get_origin(shape)
    args = get_args(shape)
    if origin in (Union, types.UnionType):
        return None if data is None else inner_build(data, _choose(data, args))
    if origin is tuple:
        inner = [args[0]] * len(data) if args[-1:] == (Ellipsis,) else args
        return tuple(inner_build(member, kind) for member, kind in zip(data, inner, strict=True))
    if origin in (list, Sequence):
        return [inner_build(member, args[0]) for member in data]
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {key: inner_build(member, args[1]) for key, member in data.items()}
    if shape is str and type(data) is dict:
        return messages.unpack(data)
    if shape in _LEAVES and type(data) is not shape and not (shape is float and type(data) is int):
        raise TypeError(f"{shape.__name__} expected, not {type(data).__name__}")
    return data


def _choose(data: Any, shapes: tuple[Any, ...]) -> Any:
    candidates = [shape for shape in shapes if shape is not type(None)]
    return next((shape for shape in candidates if _has_matching_shape(data, shape)), candidates[0])


def _has_matching_shape(data: Any, shape: Any) -> bool:
    if isinstance(data, dict):
        return dataclasses.is_dataclass(shape) and _has_kind(data, shape)
    if isinstance(data, list):
        return bool(get_origin(shape) is tuple)
    return isinstance(shape, type) and isinstance(data, shape)


def _has_kind(data: Any, shape: Any) -> bool:
    """Return False if a Literal field of the shape excludes the value in `data`."""
    hints = _read_hints(shape).items()
    return all(data.get(name) in get_args(hint) for name, hint in hints if get_origin(hint) is Literal)


@cache
def _read_hints(shape: type) -> dict[str, Any]:
    return get_type_hints(shape)
