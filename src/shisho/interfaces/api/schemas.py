"""JSON Schemas of verbs, short enough for an assistant to carry: every tool is listed in every conversation.

What arguments are is told in full but for lengths, nulls and bounds that are far away, which the server
checks and accepts. Of a reply, the first two levels are told, the second by its names; the text of a reply
holds the rest anyway."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shisho.interfaces.api.operations import Effect, Reply, Verb, unwrap

Schema = Mapping[str, Any]
DEPTH = 2  # levels of a reply that are told
ASKED = (
    "description",
    "enum",
    "const",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "minItems",
    "maxItems",
)
TAKEN_FOR_GRANTED = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}
FAR = 10_000  # a bound from here on keeps out mistakes, and nobody need be told of it
ANY: dict[str, Any] = {}  # the schema of whatever there is


def tool(verb: Verb) -> dict[str, Any]:
    """The entry of a verb in the list of tools."""
    return {
        "name": verb.name,
        "title": verb.title,
        "description": verb.says,
        "inputSchema": arguments(verb),
        "outputSchema": reply(verb),
        "annotations": hints(verb),
    }


def hints(verb: Verb) -> dict[str, bool]:
    """Hints for a client on a verb's effects, where they differ from what the protocol takes for granted.
    That what only reads may be called again says nothing more."""
    reads = verb.effect is Effect.READ
    effects = {
        "readOnlyHint": reads,
        "destructiveHint": verb.effect is Effect.DESTROY,
        "idempotentHint": verb.again and not reads,
        "openWorldHint": verb.outside,
    }
    return {name: hint for name, hint in effects.items() if hint is not TAKEN_FOR_GRANTED[name]}


def arguments(verb: Verb) -> dict[str, Any]:
    """The schema of a verb's arguments. Nothing else is let in."""
    whole = verb.arguments.model_json_schema()
    schema = _asked(whole, whole.get("$defs", {}))
    if verb.spread is not None:  # its members stand beside it, in full
        members = dict.fromkeys(schema["properties"][verb.spread].pop("properties"), ANY)
        schema["properties"][verb.spread]["properties"] = members
    return schema


def reply(verb: Verb) -> dict[str, Any]:
    """The schema of a verb's reply. `more`, `cursor` and `link`, which any reply may have, are told
    once, in the server's instructions."""
    whole = verb.reply.model_json_schema()
    schema = _told(whole, whole.get("$defs", {}), 0)
    own_properties = {
        name: kind for name, kind in schema["properties"].items() if name not in Reply.model_fields
    }
    return {
        **schema,
        "properties": own_properties,
        "required": [name for name in whole.get("required", ()) if name in own_properties],
    }


def _asked(schema: Schema, defs: Schema) -> dict[str, Any]:
    schema = _resolved(schema, defs)
    schema_kept: dict[str, Any] = {}
    alternatives = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    if len(alternatives) > 1:
        schema_kept["anyOf"] = [_asked(alternative, defs) for alternative in alternatives]
    elif alternatives:
        schema_kept |= _asked(alternatives[0], defs)
    if "type" in schema:
        schema_kept["type"] = schema["type"]
    schema_kept |= {name: schema[name] for name in ASKED if name in schema}
    if schema_kept.get("maximum", 0) >= FAR:
        del schema_kept["maximum"]
    if schema.get("default") not in (None, "", [], {}):
        schema_kept["default"] = schema["default"]
    if "properties" in schema:
        schema_kept.pop("description", None)  # of a class; an argument has its own
        schema_kept["properties"] = {
            name: _asked(property_, defs) for name, property_ in schema["properties"].items()
        }
        schema_kept["additionalProperties"] = False
    elif isinstance(schema.get("additionalProperties"), dict):
        schema_kept["additionalProperties"] = _asked(schema["additionalProperties"], defs)
    if "items" in schema:
        schema_kept["items"] = _asked(schema["items"], defs)
    return schema_kept | ({"required": schema["required"]} if "required" in schema else {})


def _told(schema: Schema, defs: Schema, depth: int) -> dict[str, Any]:
    schema = _resolved(schema, defs)
    if depth == DEPTH:
        return ANY
    kinds = [_told(option, defs, depth) for option in schema.get("anyOf", ())]
    schema_kept: dict[str, Any] = {}
    if kinds:
        for kind in kinds:
            schema_kept |= {name: value for name, value in kind.items() if name != "enum"}
        schema_kept["type"] = [name for kind in kinds for name in _names(kind["type"])]
    if "type" in schema:
        schema_kept["type"] = schema["type"]
    if depth == 1:
        schema_kept |= {
            name: schema[name]
            for name in ("enum", "description")
            if name in schema and "properties" not in schema
        }
    if "properties" in schema:
        schema_kept["properties"] = {
            name: _told(property_, defs, depth + 1) for name, property_ in schema["properties"].items()
        }
    if "items" in schema:
        schema_kept["items"] = _told(schema["items"], defs, depth)
    return schema_kept


def _names(kind: Any) -> list[str]:
    return [kind] if isinstance(kind, str) else list(kind)


def _resolved(schema: Schema, defs: Schema) -> Schema:
    if "$ref" in schema:
        own_keys = {name: value for name, value in schema.items() if name != "$ref"}
        schema = {**defs[schema["$ref"].rpartition("/")[2]], **own_keys}
    if isinstance(schema.get("description"), str):
        schema = {**schema, "description": unwrap(schema["description"])}
    return schema
