"""Verbs as MCP tools."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Coroutine
from itertools import count
from typing import Annotated, Any

from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, ResourceLink, TextContent, ToolAnnotations

from shisho.desk import Desk
from shisho.interfaces.failures import told
from shisho.interfaces.fitting import fitted, written
from shisho.interfaces.verbs import Effect, Verb

BEAT = 5.0  # seconds between signs of life, for clients that ask for progress


def tool(verb: Verb, desk: Desk) -> Tool:
    """A tool with the verb's arguments and the schema of its reply."""

    async def call(*, context: Context, **arguments: Any) -> CallToolResult:
        data = await _alive(context, verb(desk, **arguments))
        return result(verb, data, desk)

    call.__signature__ = inspect.Signature(verb.parameters, return_annotation=Annotated[CallToolResult, verb.reply])  # type: ignore[attr-defined]
    made = Tool.from_function(
        call,
        name=verb.name,
        title=verb.title,
        description=verb.says,
        context_kwarg="context",
        annotations=_annotations(verb),
        structured_output=True,
    )
    made.parameters = _bare(made.parameters)
    made.fn_metadata.output_schema = _bare(made.fn_metadata.output_schema)
    return made


def result(verb: Verb, data: dict[str, Any], desk: Desk) -> CallToolResult:
    """The reply as text and as data, cut to fit, with a link to all of it."""
    data = fitted(data, desk.tokens)
    if verb.rows and data["more"]:
        rows, key = data[verb.rows[0]], verb.rows[1]
        data["cursor"] = str(rows[-1][key]) if rows else data["cursor"]
    content: list[Any] = [TextContent(type="text", text=written(data))]
    if data["link"]:
        content.append(ResourceLink(type="resource_link", uri=data["link"], name=data["link"], mime_type="application/json"))
    return CallToolResult(content=content, structured_content=data)


def refusal(error: Exception) -> CallToolResult:
    """An error that the model can read. Without data: clients hold data against the schema of the reply."""
    return CallToolResult(content=[TextContent(type="text", text=written(told(error)))], is_error=True)


def _bare(schema: Any) -> Any:
    """The schema without the titles that repeat its names: every client reads all of them."""
    if not isinstance(schema, dict):
        return schema
    named = ("properties", "$defs")  # whose keys are names, `title` may be one of them
    kept = {key: value for key, value in schema.items() if key != "title" or not isinstance(value, str)}
    return {
        key: {name: _bare(each) for name, each in value.items()}
        if key in named
        else [_bare(each) for each in value]
        if isinstance(value, list)
        else _bare(value)
        for key, value in kept.items()
    }


def _annotations(verb: Verb) -> ToolAnnotations:
    return ToolAnnotations(
        title=verb.title,
        read_only_hint=verb.effect is Effect.READ,
        destructive_hint=verb.effect is Effect.DESTROY,
        idempotent_hint=verb.again,
        open_world_hint=verb.outside,
    )


async def _alive(context: Context, work: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
    """The outcome of the work, with a sign of life from time to time. Whoever goes away ends the waiting, not the job."""
    doing = asyncio.ensure_future(work)
    try:
        for beats in count(1):
            await asyncio.wait([doing], timeout=BEAT)
            if doing.done():
                break
            await context.report_progress(beats * BEAT, message=f"waiting, {beats * BEAT:g} s")
        return doing.result()
    finally:
        doing.cancel()
