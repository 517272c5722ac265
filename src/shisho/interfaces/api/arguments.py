"""Validate arguments of verbs, and describe mistakes so that the caller can fix them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from shisho.errors import InvalidParams
from shisho.messages import Message

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


MAX_DESCRIBED_MISTAKES = 5  # mistakes in a message; `details` has more
MAX_LISTED_MISTAKES = 20


def check_arguments(name: str, model: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given arguments as validated by the model. Raises: InvalidParams."""
    try:
        validated = model.model_validate(given)
    except ValidationError as error:
        raise refusal(
            Message("api.bad_call", name=name, reasons=reasons(model, error.errors())),
            model,
            error.errors(),
        ) from error
    return {field: getattr(validated, field) for field in validated.model_fields_set}


def refusal(message: Message, model: type[BaseModel], errors: Sequence[Any]) -> InvalidParams:
    """Return the error with each wrong argument and its reason, and the valid names for unknown ones."""
    wrong = [
        {"argument": ".".join(map(str, error["loc"])), "reason": _explain_error(model, error)}
        for error in errors[:MAX_LISTED_MISTAKES]
    ]
    return InvalidParams(message, wrong=wrong)


def refuse_request(model: type[BaseModel], errors: Sequence[Any]) -> InvalidParams:
    """Return the error of an HTTP request, in the format of `refusal`."""
    message = Message("api.bad_request", reasons=reasons(model, errors))
    return refusal(message, model, errors)


def reasons(model: type[BaseModel], errors: Sequence[Any]) -> Message:
    """Describe the first mistakes in one line."""
    return Message.join(
        (
            Message(
                "api.bad_argument",
                argument=".".join(map(str, error["loc"])) or "arguments",
                reason=_explain_error(model, error),
            )
            for error in errors[:MAX_DESCRIBED_MISTAKES]
        ),
        "; ",
    )


def _explain_error(model: type[BaseModel], error: Any) -> str:
    if error["type"] != "extra_forbidden":
        return describe_mistake(error) or Message("mistake.other", kind=error["type"])
    known_names = _list_names_at(model.model_json_schema(), error["loc"][:-1])
    if not known_names:
        return Message("mistake.unknown_argument")
    return Message("mistake.unknown_argument_known", known=", ".join(known_names))


def _list_names_at(schema: Mapping[str, Any], path: Sequence[int | str]) -> list[str]:
    """Return the member names of the object at this path of the arguments."""
    places = [schema]
    for part in path:
        deeper = [_resolve_part(place, part) for place in _list_alternatives(schema, places)]
        places = [place for place in deeper if place]
    return [name for place in _list_alternatives(schema, places) for name in place.get("properties", ())]


def _list_alternatives(
    root: Mapping[str, Any], places: Iterable[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    alternatives: list[Mapping[str, Any]] = []
    for place in places:
        if "$ref" in place:
            alternatives += _list_alternatives(root, [root["$defs"][place["$ref"].rpartition("/")[2]]])
        elif "anyOf" in place:
            alternatives += _list_alternatives(root, place["anyOf"])
        else:
            alternatives.append(place)
    return alternatives


def _resolve_part(place: Mapping[str, Any], part: int | str) -> Mapping[str, Any]:
    below = place.get("items", {}) if isinstance(part, int) else place.get("properties", {}).get(part, {})
    return below if isinstance(below, dict) else {}
