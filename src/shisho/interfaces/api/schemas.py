"""Short JSON Schemas of tools that every assistant can parse: each conversation includes the list.

Only keywords that strict modes and converters of every provider accept: no unions, references, defaults,
bounds or open objects. Descriptions name defaults and bounds, which the server checks. Of a reply, only the
top level is described.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from shisho.interfaces.api import answers as verbs_answers
from shisho.interfaces.api import connectors as verbs_connectors
from shisho.interfaces.api import documents as verbs_documents
from shisho.interfaces.api import tasks as verbs_tasks
from shisho.interfaces.api.operations import Reply, Verb, unwrap

Schema = Mapping[str, Any]
DEFAULT_HINTS = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}
IMPLIED_DEFAULTS: tuple[Any, ...] = (None, "", [], {}, False, "auto", "default")
FAR = 10_000  # larger bounds only catch mistakes


def tool(verb: Verb) -> dict[str, Any]:
    """Return the entry of a verb in the list of tools."""
    return {
        "name": verb.name,
        "title": verb.title,
        "description": verb.says,
        "inputSchema": arguments(verb),
        "outputSchema": reply(verb),
        "annotations": hints(verb),
    }


def hints(verb: Verb) -> dict[str, bool]:
    """Return hints on a verb's effects that differ from the protocol's defaults.

    Reading verbs are not also marked as idempotent.
    """
    reads = verb.effect.kind == "read"
    effects = {
        "readOnlyHint": reads,
        "destructiveHint": verb.effect.kind == "destroy",
        "idempotentHint": verb.effect.again and not reads,
        "openWorldHint": verb.effect.outside,
    }
    return {name: hint for name, hint in effects.items() if hint is not DEFAULT_HINTS[name]}


def arguments(verb: Verb) -> dict[str, Any]:
    """Return the schema of a verb's arguments.

    Omits the object whose members can also be given directly, and `additionalProperties`, which breaks the
    converter of google-genai: the server rejects unknown names.
    """
    whole = verb.arguments.model_json_schema()
    schema = _describe(whole, whole.get("$defs", {}))
    schema["properties"].pop(verb.spread, None)
    return schema


def reply(verb: Verb) -> dict[str, Any]:
    """Return the schema of a verb's reply.

    The server's instructions describe `more`, `cursor` and `link`, which any reply may have.
    """
    whole = verb.reply.model_json_schema()
    own_properties = {
        name: _outline_schema(property_, whole.get("$defs", {}), is_nullable=verb.form.shape is None)
        for name, property_ in whole["properties"].items()
        if name not in Reply.model_fields
    }
    required = [name for name in whole.get("required", ()) if name in own_properties]
    return {"type": "object", "properties": own_properties, "required": required}


def _describe(schema: Schema, defs: Schema) -> dict[str, Any]:
    schema = _resolve(schema, defs)
    described = {name: schema[name] for name in ("type", "enum") if name in schema}
    if "properties" in schema:  # without a class description; an argument has its own
        described["properties"] = {
            name: _describe(property_, defs) for name, property_ in schema["properties"].items()
        }
        return described | {name: schema[name] for name in ("required",) if name in schema}
    if "items" in schema:
        described["items"] = _describe(schema["items"], defs)
    notes = "; ".join(_list_notes(schema))
    return described | ({"description": notes} if notes else {})


def _list_notes(schema: Schema) -> Iterator[str]:
    if "description" in schema:
        yield schema["description"]
    if "minimum" in schema and schema.get("maximum", FAR) < FAR:
        yield f"{schema['minimum']:g} to {schema['maximum']:g}"
    if "maxItems" in schema and "minItems" in schema:
        yield f"{schema['minItems']} to {schema['maxItems']}"
    if schema.get("default") not in IMPLIED_DEFAULTS:
        yield f"default {schema['default']}".removesuffix(".0")


def _outline_schema(schema: Schema, defs: Schema, *, is_nullable: bool) -> dict[str, Any]:
    schema = _resolve(schema, defs)
    kind = schema["type"]
    outline = {"type": [kind, "null"] if is_nullable and schema.get("nullable") else kind}
    if "items" in schema:
        outline["items"] = {"type": _resolve(schema["items"], defs)["type"]}
    return outline


def _resolve(schema: Schema, defs: Schema) -> Schema:
    """Resolve a reference, and choose the alternative of a union that strict schemas can express."""
    if "$ref" in schema:
        schema = {**defs[schema["$ref"].rpartition("/")[2]], **_drop_name(schema, "$ref")}
    if "anyOf" in schema:
        options = [_resolve(option, defs) for option in schema["anyOf"]]
        kinds = [option for option in options if option["type"] != "null"]
        chosen, *others = kinds if len(kinds) == 1 else [option for option in kinds if not _is_open(option)]
        assert all(other["type"] == "object" == chosen["type"] for other in others)
        schema = {**chosen, **_drop_name(schema, "anyOf"), "nullable": len(kinds) < len(options)}
    if isinstance(schema.get("description"), str):
        schema = {**schema, "description": unwrap(schema["description"])}
    return schema


def _is_open(schema: Schema) -> bool:
    return isinstance(schema.get("additionalProperties"), Mapping)


def _drop_name(schema: Schema, name: str) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != name}


VERBS = (*verbs_connectors.VERBS, *verbs_tasks.VERBS, *verbs_documents.VERBS, *verbs_answers.VERBS)
"""Tools of assistants, and routes."""

DEFAULT_TOOLS = frozenset(
    {
        "search",
        "fetch",
        "queue_searches",
        "get_status",
        "stop_task",
        "add_documents",
        "list_documents",
        "ask",
        "get_answer",
        "get_evidence",
        "search_corpus",
        "open_session",
        "submit_findings",
        "compose_answer",
    }
)
"""The tools listed for assistants unless `mcp_tools` is `all`: only those for research, because each
conversation includes the list."""
