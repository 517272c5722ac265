"""The base of JSON input from clients, which repairs common mistakes of assistants.

Strict schemas make a model send every argument, so it sends `null` for those it would omit. Others send a
single value for a list, or a list or an object as JSON in a string.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, model_validator

from shisho.errors import InvalidParams


class InputObject(BaseModel):
    """Base of arguments, and of arguments that are objects.

    Unknown names are refused. `OTHER_NAMES`: the proper name of each other name that is accepted.
    """

    # Built at once even if others are deferred: FastAPI's adapters of a deferred model warn on each route.
    model_config = ConfigDict(extra="forbid", defer_build=False)
    OTHER_NAMES: ClassVar[Mapping[str, str]] = {}

    @model_validator(mode="before")
    @classmethod
    def _normalise(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        return normalise_arguments(cls, rename_arguments(cls.OTHER_NAMES, data))


def rename_arguments(names: Mapping[str, str], arguments: Mapping[Any, Any]) -> dict[Any, Any]:
    """Rename arguments to their proper names. Raises: InvalidParams if both names are given and differ."""
    proper = {name: value for name, value in arguments.items() if name not in names}
    for other in names.keys() & arguments.keys():
        name, value = names[other], arguments[other]
        if value is not None and proper.get(name) not in (None, value):
            raise InvalidParams(
                "api.arguments_differ",
                name=name,
                other=other,
                first=str(proper[name]),
                second=str(value),
            )
        proper[name] = proper.get(name) if value is None else value
    return proper


def normalise_arguments(model: type[BaseModel], arguments: Mapping[Any, Any]) -> dict[Any, Any]:
    """Drop `null` for optional arguments, and convert substitutes for lists and objects."""
    fields = model.model_fields
    return {
        name: _normalise_value(frozenset(_list_kinds(fields[name].annotation)), value)
        if name in fields
        else value
        for name, value in arguments.items()
        if value is not None or name not in fields or fields[name].is_required()
    }


def _normalise_value(kinds: frozenset[type], value: Any) -> Any:
    if isinstance(value, str) and str not in kinds:
        value = _unpack(value, kinds & {list, dict})
    if list in kinds and not isinstance(value, list) and not (dict in kinds and isinstance(value, Mapping)):
        return value if value is None else [value]
    return value


def _unpack(text: str, kinds: frozenset[type]) -> Any:
    """Parse a list or an object in a JSON string; return other strings unchanged."""
    if kinds and text.lstrip()[:1] in ("[", "{"):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return text
        return value if type(value) in kinds or (list in kinds and isinstance(value, dict)) else text
    return text


def _list_kinds(annotation: Any) -> Iterator[type]:
    """Yield the types that an annotation allows; our own objects count as `dict`."""
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        for option in get_args(annotation):
            yield from _list_kinds(option)
    elif origin is Annotated:
        yield from _list_kinds(get_args(annotation)[0])
    elif annotation is not NoneType:
        kind = origin or annotation
        yield dict if isinstance(kind, type) and issubclass(kind, BaseModel) else kind
