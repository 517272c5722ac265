"""Parse filters and metadata written as `key=value` by the command line and assistants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shisho.errors import InvalidParams
from shisho.messages import Message

if TYPE_CHECKING:
    from shisho.domain.corpus import Condition

FILTERS = Message("filter.example_range")
METADATA = Message("filter.example")


def parse_filters(given: Sequence[str]) -> dict[str, Condition]:
    """Parse filters.

    `k=v` is a value, `k=low..high` a range with optional ends, a repeated key any of its values.
    """
    from shisho.domain.corpus import FilterRange

    conditions: dict[str, Condition] = {}
    for text in given:
        key, value = _split(text, FILTERS)
        low, dots, high = value.partition("..")
        if dots:
            conditions[key] = FilterRange(low.strip() or None, high.strip() or None)
            continue
        condition = conditions.get(key, ())
        if isinstance(condition, FilterRange):
            raise InvalidParams("filter.range_and_value", key=key)
        conditions[key] = (*((condition,) if isinstance(condition, str) else condition), value)
    return {
        key: value[0] if isinstance(value, tuple) and len(value) == 1 else value
        for key, value in conditions.items()
    }


def parse_metadata(given: Sequence[str]) -> dict[str, str]:
    """Parse `k=v` pairs of a document's metadata."""
    return dict(_split(text, METADATA) for text in given)


def _split(text: str, example: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip() or not value.strip():
        raise InvalidParams("filter.not_key_value", text=text, example=example)
    return key.strip(), value.strip()
