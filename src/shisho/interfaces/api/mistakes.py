"""Describe wrong values in our own words, from pydantic's error types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shisho.messages.message import Message

_PLAIN: Mapping[str, Message] = {
    "missing": Message("mistake.missing"),
    "missing_argument": Message("mistake.missing"),
    "string_type": Message("mistake.text"),
    "string_unicode": Message("mistake.text"),
    "int_type": Message("mistake.whole_number"),
    "int_parsing": Message("mistake.whole_number"),
    "int_parsing_size": Message("mistake.whole_number"),
    "int_from_float": Message("mistake.whole_number"),
    "float_type": Message("mistake.number"),
    "float_parsing": Message("mistake.number"),
    "finite_number": Message("mistake.number"),
    "bool_type": Message("mistake.boolean"),
    "bool_parsing": Message("mistake.boolean"),
    "list_type": Message("mistake.list"),
    "tuple_type": Message("mistake.list"),
    "dict_type": Message("mistake.object"),
    "mapping_type": Message("mistake.object"),
    "model_type": Message("mistake.object"),
    "model_attributes_type": Message("mistake.object"),
    "dataclass_type": Message("mistake.object"),
    "none_required": Message("mistake.null"),
    "json_invalid": Message("mistake.json"),
    "extra_forbidden": Message("mistake.unknown_argument"),
    "body_only": Message("mistake.in_body"),
    "query_only": Message("mistake.in_query"),
}


def describe_mistake(error: Mapping[str, Any]) -> Message | None:
    """Describe the expected value as an argument's reason; None for an error type without a message here."""
    limits = error.get("ctx") or {}
    if "ge" in limits:
        return Message("mistake.at_least", limit=limits["ge"])
    if "le" in limits:
        return Message("mistake.at_most", limit=limits["le"])
    if "gt" in limits:
        return Message("mistake.more_than", limit=limits["gt"])
    if "lt" in limits:
        return Message("mistake.less_than", limit=limits["lt"])
    if "expected" in limits:
        return Message("mistake.one_of", expected=str(limits["expected"]).replace(" or ", ", "))
    return _PLAIN.get(str(error["type"])) or _describe_length(str(error["type"]), limits)


def _describe_length(kind: str, limits: Mapping[str, Any]) -> Message | None:
    if kind == "string_too_short":
        return Message("mistake.min_characters", limit=limits["min_length"])
    if kind == "string_too_long":
        return Message("mistake.max_characters", limit=limits["max_length"])
    if kind == "too_short":
        return Message("mistake.min_members", limit=limits["min_length"])
    if kind == "too_long":
        return Message("mistake.max_members", limit=limits["max_length"])
    return None
