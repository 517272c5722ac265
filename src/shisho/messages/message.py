"""A sentence for a reader that can still be said in another language: it keeps its template and its
values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from string import Formatter
from typing import Any, Self

_SPEC = re.compile(r",?(?:\.[0-9])?[dfg]?")  # no width: a stored template must not make a text of any length


class Message(str):
    """English text, as a `str`, with the template and the values it was made of. What forgets the two still
    shows English.

    `Message("There is no page {number}.", number=7)`. Fields are names alone, with a short format after them
    where need be (`{seconds:g}`, `{path!r}`); a value may be a Message. A template that its values do not
    fill stands as it is written."""

    template: str
    values: Mapping[str, Any]

    def __new__(cls, template: str, /, **values: Any) -> Self:
        try:
            ready_values = {name: _ready(values[name]) for name in fields(template)}
            text = template.format(**ready_values) if ready_values else template
        except (ValueError, KeyError, TypeError):
            ready_values = {}
            text = template
        message = super().__new__(cls, text)
        message.template = template
        message.values = ready_values
        return message

    @classmethod
    def join(cls, parts: Iterable[str], between: str = " ") -> Self:
        """Several messages as one."""
        values = {f"part{number}": part for number, part in enumerate(parts, 1)}
        return cls(between.join(f"{{{name}}}" for name in values), **values)


def fields(template: str) -> list[str]:
    """The names of a template's values. Raises ValueError where a field is more than a name with a short
    format."""
    names: list[str] = []
    for _, name, spec, conversion in Formatter().parse(template):
        if name is None:
            continue
        if not name.isidentifier() or conversion not in (None, "r") or not _SPEC.fullmatch(spec or ""):
            raise ValueError(template)
        names.append(name)
    return list(dict.fromkeys(names))


def pack(text: str) -> Any:
    """JSON-ready: a Message as an object that `unpack` makes one of again, other text as it is."""
    if not isinstance(text, Message):
        return text
    values = {name: pack(value) if isinstance(value, str) else value for name, value in text.values.items()}
    return {"text": str(text), "template": text.template, "values": values}


def unpack(packed: Any) -> str:
    """The text that was packed. Raises TypeError, KeyError or AttributeError for anything else."""
    if isinstance(packed, str):
        return packed
    text = packed["text"]
    template = packed["template"]
    if not isinstance(text, str) or not isinstance(template, str):
        raise TypeError(packed)
    values = {
        name: unpack(value) if isinstance(value, dict) else _ready(value)
        for name, value in packed["values"].items()
    }
    return Message(template, **values)


def is_packed(thing: Mapping[str, Any]) -> bool:
    """True where it is what `pack` makes of a Message."""
    return thing.keys() == {"text", "template", "values"} and isinstance(thing["values"], dict)


def write(text: str) -> str:
    """One string for a place that takes nothing else, which `read` makes the text of again."""
    return json.dumps(pack(text), ensure_ascii=False) if isinstance(text, Message) else text


def read(stored_text: str) -> str:
    """The text that `write` made one string of."""
    try:
        packed = json.loads(stored_text) if stored_text.startswith("{") else stored_text
        return unpack(packed)
    except (ValueError, TypeError, KeyError, AttributeError):
        return stored_text


def _ready(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | float) else str(value)
