"""The MCP server over a desk."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.prompts import Prompt
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, GetPromptResult, InputRequiredResult
from pydantic import ValidationError

import shisho
from shisho.desk import Desk
from shisho.errors import InvalidParams
from shisho.interfaces import mcp_resources
from shisho.interfaces.contract import VERBS
from shisho.interfaces.mcp_prompt import INSTRUCTIONS, research
from shisho.interfaces.mcp_tasks import TasksExtension
from shisho.interfaces.mcp_tools import refusal, tool


class DeskServer(MCPServer[Any]):
    """An MCP server whose errors are ours."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            return refusal(_meant(name, error))

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError as error:  # an unknown name, a missing argument: the client's mistake, no crash of ours
            raise MCPError(code=INVALID_PARAMS, message=str(error)) from error


def build(desk: Desk) -> DeskServer:
    """A server with every verb of the desk as a tool."""
    verbs = {verb.name: verb for verb in VERBS}
    server = DeskServer(
        "shisho",
        title="司書 Shisho",
        version=shisho.__version__,
        instructions=INSTRUCTIONS,
        tools=[tool(verb, desk) for verb in VERBS],
        extensions=[TasksExtension(desk, verbs["get_answer"], verbs["get_status"])],
        log_level="WARNING",
    )
    mcp_resources.add(server, desk)
    server.add_prompt(Prompt.from_function(research, name="research", title="Research a question"))
    return server


def _meant(name: str, error: ToolError) -> Exception:
    """What lies behind the SDK's wrapping."""
    cause = error.__cause__
    if isinstance(cause, ValidationError):
        wrong = [{"argument": ".".join(map(str, each["loc"])), "reason": each["msg"]} for each in cause.errors()]
        said = "; ".join(f"{each['argument']}: {each['reason']}" for each in wrong[:5])
        return InvalidParams(f"{name} cannot be called so. {said}.", wrong=wrong[:20])
    return cause if isinstance(cause, Exception) else InvalidParams(str(error))
