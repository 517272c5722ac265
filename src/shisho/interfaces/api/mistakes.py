"""Say in our words what is wrong with a given value: by the type of the error of pydantic, which reads
the values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shisho.messages.message import Message

_PLAIN: Mapping[str, Message] = {
    "missing": Message("it is missing"),
    "missing_argument": Message("it is missing"),
    "string_type": Message("it must be text"),
    "string_unicode": Message("it must be text"),
    "int_type": Message("it is no whole number"),
    "int_parsing": Message("it is no whole number"),
    "int_parsing_size": Message("it is no whole number"),
    "int_from_float": Message("it is no whole number"),
    "float_type": Message("it is no number"),
    "float_parsing": Message("it is no number"),
    "finite_number": Message("it is no number"),
    "bool_type": Message("it must be true or false"),
    "bool_parsing": Message("it must be true or false"),
    "list_type": Message("it must be a list"),
    "tuple_type": Message("it must be a list"),
    "dict_type": Message("it must be an object"),
    "mapping_type": Message("it must be an object"),
    "model_type": Message("it must be an object"),
    "model_attributes_type": Message("it must be an object"),
    "dataclass_type": Message("it must be an object"),
    "none_required": Message("it must be null"),
    "json_invalid": Message("it is no JSON"),
    "extra_forbidden": Message("there is no such argument"),
    "body_only": Message("it belongs in the JSON body, not in the query"),
    "query_only": Message("it belongs in the query (?name=value), not in a body"),
}


def describe_mistake(error: Mapping[str, Any]) -> Message | None:
    """Tell what the value must be instead, as an argument's reason; None for a type of error that has no
    words here."""
    limits = error.get("ctx") or {}
    if "ge" in limits:
        return Message("it must be {limit} or more", limit=limits["ge"])
    if "le" in limits:
        return Message("it must be {limit} or less", limit=limits["le"])
    if "gt" in limits:
        return Message("it must be more than {limit}", limit=limits["gt"])
    if "lt" in limits:
        return Message("it must be less than {limit}", limit=limits["lt"])
    if "expected" in limits:
        return Message("it must be one of {expected}", expected=str(limits["expected"]).replace(" or ", ", "))
    return _PLAIN.get(str(error["type"])) or _of_length(str(error["type"]), limits)


def _of_length(kind: str, limits: Mapping[str, Any]) -> Message | None:
    if kind == "string_too_short":
        return Message("it must have {limit} characters or more", limit=limits["min_length"])
    if kind == "string_too_long":
        return Message("it must have {limit} characters or fewer", limit=limits["max_length"])
    if kind == "too_short":
        return Message("it must have {limit} members or more", limit=limits["min_length"])
    if kind == "too_long":
        return Message("it must have {limit} members or fewer", limit=limits["max_length"])
    return None
