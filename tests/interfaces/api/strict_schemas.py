"""The rules on tool schemas of OpenAI's strict mode and of Gemini's converters, as lists of what breaks them.

OpenAI: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas, in its narrowest form,
that of fine-tuned models. Gemini: the fields of `Schema` at https://ai.google.dev/api/caching#Schema, what
the API answers 400 to, and what google-genai's `mcp_to_gemini_tool` fails on."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from typing import Any

from openai.lib._pydantic import _ensure_strict_json_schema

Schema = Mapping[str, Any]
TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object"})
NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]{0,63}")
OPENAI_KEYWORDS = frozenset(
    {"type", "description", "enum", "properties", "required", "items", "anyOf", "additionalProperties"}
)
OPENAI_PROPERTIES = 100
OPENAI_LEVELS = 5
OPENAI_NAME_CHARS = 15_000
OPENAI_ENUM_VALUES = 500
GEMINI_KEYWORDS = frozenset({"type", "description", "enum", "properties", "required", "items"})


def list_nodes(schema: Any, path: str = "$", level: int = 0) -> Iterator[tuple[str, int, Any]]:
    """Every schema in a schema, with its path and the number of objects around it."""
    yield path, level, schema
    if not isinstance(schema, Mapping):
        return
    for name, member in schema.get("properties", {}).items():
        yield from list_nodes(member, f"{path}.{name}", level + 1)
    if "items" in schema:
        yield from list_nodes(schema["items"], f"{path}[]", level)
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for option in schema.get(key, ()):
            yield from list_nodes(option, f"{path}|", level)
    if isinstance(schema.get("additionalProperties"), Mapping):
        yield from list_nodes(schema["additionalProperties"], f"{path}.*", level + 1)


def list_untyped(schema: Schema) -> Iterator[str]:
    """Nodes without a type: a client cannot tell what to send, or how to read what comes."""
    for path, _, node in list_nodes(schema):
        kinds = [node.get("type")] if not isinstance(node.get("type"), list) else node["type"]
        if not kinds or not set(kinds) <= TYPES | {"null"}:
            yield f"{path}: no type"
        if "array" in kinds and not isinstance(node.get("items"), Mapping):
            yield f"{path}: an array without items"


def list_openai_faults(schema: Schema) -> Iterator[str]:
    """What strict mode refuses after OpenAI's own library has made the schema strict."""
    strict: dict[str, Any] = copy.deepcopy(dict(schema))
    if isinstance(strict.get("additionalProperties"), Mapping) or strict.get("additionalProperties"):
        yield "$: an open object"
        return
    _ensure_strict_json_schema(strict, path=(), root=strict)
    if strict.get("type") != "object":
        yield "$: no object"
    yield from list_untyped(strict)
    names, values = 0, 0
    for path, level, node in list_nodes(strict):
        yield from (f"{path}: {keyword}" for keyword in node.keys() - OPENAI_KEYWORDS)
        if node.get("type") == "object":
            if node.get("additionalProperties") is not False:
                yield f"{path}: an open object"
            if set(node.get("required", ())) != set(node.get("properties", {})):
                yield f"{path}: optional members"
        if level > OPENAI_LEVELS:
            yield f"{path}: too deep"
        if any("properties" in option for option in node.get("anyOf", ())):
            yield f"{path}: a union of objects"
        names += sum(map(len, node.get("properties", ())))
        values += len(node.get("enum", ()))
    if sum(len(node.get("properties", ())) for _, _, node in list_nodes(strict)) > OPENAI_PROPERTIES:
        yield "$: too many properties"
    if names > OPENAI_NAME_CHARS or values > OPENAI_ENUM_VALUES:
        yield "$: too many names"


def list_gemini_faults(schema: Schema) -> Iterator[str]:
    """What Gemini's API or a converter to it refuses, loses or fails on."""
    if schema.get("type") != "object":
        yield "$: no object"
    for path, _, node in list_nodes(schema):
        yield from (f"{path}: {keyword}" for keyword in node.keys() - GEMINI_KEYWORDS)
        kind = node.get("type")
        if not isinstance(kind, str) or kind not in TYPES:
            yield f"{path}: type {kind}"
        if kind == "array" and not node.get("items"):
            yield f"{path}: items are missing"
        if kind == "object" and not node.get("properties"):
            yield f"{path}: an object without properties"
        if kind != "object" and node.keys() & {"properties", "required"}:
            yield f"{path}: properties of what is no object"
        if not set(node.get("required", ())) <= set(node.get("properties", {})):
            yield f"{path}: requires what it does not have"
        if "enum" in node and (
            kind != "string" or not all(isinstance(value, str) and value for value in node["enum"])
        ):
            yield f"{path}: an enum of other than words"
        for name in node.get("properties", {}):
            if not NAME.fullmatch(name):
                yield f"{path}.{name}: such a name"
