"""Verbs as MCP tools."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Mapping
from importlib import resources
from itertools import count
from typing import Any, TypeVar

from mcp.server.mcpserver.context import Context
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ResourceLink, TextContent, Tool

from shisho.interfaces.api.arguments import check_arguments
from shisho.interfaces.api.failures import describe_error
from shisho.interfaces.api.operations import Verb
from shisho.interfaces.api.schemas import DEFAULT_TOOLS
from shisho.interfaces.api.truncate import PAGE, PAGE_TOKENS, RecentReplies, dump_compact, fit
from shisho.interfaces.mcp.sampling import LENDING_VERB, ask_with_client_model, offers_model
from shisho.services import Library

T = TypeVar("T")
RECENT = RecentReplies[CallToolResult]()
BEAT = 5.0  # seconds between progress reports, for clients that ask for them


def load_tools(*, all_tools: bool) -> list[Tool]:
    """Load all tools, or the default ones, from `tools.json`.

    It has the output of `schemas.tool` for each verb, prepared because every client first lists the tools.
    """
    text = (resources.files("shisho.interfaces.mcp") / "tools.json").read_text("utf-8")
    return [
        Tool.model_validate(tool) for tool in json.loads(text) if all_tools or tool["name"] in DEFAULT_TOOLS
    ]


async def call_verb(
    verb: Verb, library: Library, arguments: Mapping[str, Any], context: Context | None
) -> CallToolResult:
    """Call a verb, and return its reply or its error."""
    paging = PAGE_TOKENS.set(PAGE)
    try:
        checked_arguments = check_arguments(verb.name, verb.arguments, arguments)
        reply = await _keep_alive(context, _call_verb(verb, library, checked_arguments, context))
        return RECENT.get_or_make(reply, lambda: result(verb, verb.form.fill(reply), library))
    except MCPError:
        raise
    except Exception as error:
        return refusal(error)
    finally:
        PAGE_TOKENS.reset(paging)


def _call_verb(
    verb: Verb, library: Library, arguments: dict[str, Any], context: Context | None
) -> Coroutine[Any, Any, Any]:
    if verb.name == LENDING_VERB and context is not None and offers_model(context):
        return ask_with_client_model(verb, library, arguments, context)
    return verb.ask(library, **arguments)


def result(verb: Verb, data: dict[str, Any], library: Library) -> CallToolResult:
    """Return the reply as text and as data, truncated to fit, with a link to the full reply."""
    data = fit(data, library.count_tokens)
    if verb.form.rows and data["more"]:
        name, key = verb.form.rows
        rows = data[name]
        data["cursor"] = str(rows[-1][key]) if rows else data["cursor"]
    content: list[Any] = [TextContent(type="text", text=dump_compact(data))]
    if data.get("link"):
        content.append(
            ResourceLink(
                type="resource_link",
                uri=data["link"],
                name=data["link"],
                mime_type="application/json",
            )
        )
    return CallToolResult(content=content, structured_content=data)


def refusal(error: Exception) -> CallToolResult:
    """Return an error for the model, without data.

    Clients validate data against the reply's schema.
    """
    return CallToolResult(
        content=[TextContent(type="text", text=dump_compact(describe_error(error)))], is_error=True
    )


async def _keep_alive(context: Context | None, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of the work, with regular progress reports.

    A disconnecting client cancels the wait, not the job.
    """
    doing = asyncio.ensure_future(work)
    try:
        for beats in count(1):
            await asyncio.wait([doing], timeout=BEAT)
            if doing.done():
                break
            if context is not None:
                await context.report_progress(beats * BEAT, message=f"waiting, {beats * BEAT:g} s")
        return doing.result()
    finally:
        doing.cancel()
