"""The MCP server over a library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver import server as sdk_server
from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, GetPromptResult, InputRequiredResult, Tool

import shisho
from shisho.errors import InvalidParams
from shisho.interfaces.api.contract import VERBS
from shisho.interfaces.api.operations import Verb
from shisho.interfaces.mcp import resources as mcp_resources
from shisho.interfaces.mcp.apps import EvidenceApp, point_to_evidence
from shisho.interfaces.mcp.prompt import INSTRUCTIONS, research
from shisho.interfaces.mcp.tasks import TasksExtension
from shisho.interfaces.mcp.tools import call_verb, load_tools, refusal
from shisho.interfaces.mcp.unreadable import AnsweringStream
from shisho.messages.catalogue import render
from shisho.messages.message import Message
from shisho.services import Library

# The SDK imports `rich` to set up a log. Ours is set up earlier: see `log_lines.start_log`.
sdk_server.configure_logging = lambda level="INFO": None  # type: ignore[attr-defined]


class DeskServer(MCPServer[Any]):
    """An MCP server with the verbs of a library as tools, and with our errors."""

    def __init__(self, library: Library, verbs: Mapping[str, Verb], *, all_tools: bool) -> None:
        self._library = library
        self._all_tools = all_tools
        self._verbs = verbs
        evidence = EvidenceApp(library)
        super().__init__(
            "shisho",
            title="司書 Shisho",
            version=shisho.__version__,
            instructions=INSTRUCTIONS,
            extensions=[
                TasksExtension(library, verbs["get_answer"], verbs["get_status"], evidence),
                evidence,
            ],
            middleware=[point_to_evidence],
            log_level="WARNING",
        )

    async def run_stdio_async(self) -> None:
        async with stdio_server() as (incoming, outgoing):
            await self._lowlevel_server.run(
                AnsweringStream(incoming, outgoing),
                outgoing,
                self._lowlevel_server.create_initialization_options(),
            )

    async def list_tools(self) -> list[Tool]:
        return load_tools(all_tools=self._all_tools)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        if name not in self._verbs:
            return refusal(
                InvalidParams(
                    "mcp.unknown_tool",
                    name=name,
                    known=", ".join(self._verbs),
                )
            )
        return await call_verb(self._verbs[name], self._library, arguments, context)

    async def get_prompt(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        context: Context[Any, Any] | None = None,
    ) -> GetPromptResult | InputRequiredResult:
        await self._check_prompt_arguments(name, arguments or {})
        try:
            return await super().get_prompt(name, arguments, context)
        # an unknown name or a missing argument: the client's mistake, not a crash
        except ValueError as error:
            raise MCPError(code=INVALID_PARAMS, message=str(error)) from error

    async def _check_prompt_arguments(self, name: str, arguments: Mapping[str, Any]) -> None:
        """Check the arguments of a prompt. Raises: MCPError with the unknown and the accepted ones."""
        accepted = [
            argument.name
            for prompt in await self.list_prompts()
            if prompt.name == name
            for argument in prompt.arguments or ()
        ]
        refused = [argument for argument in arguments if argument not in accepted]
        if accepted and refused:
            message = Message(
                "mcp.unknown_prompt_argument",
                name=name,
                refused=", ".join(refused),
                accepted=", ".join(accepted),
            )
            raise MCPError(code=INVALID_PARAMS, message=render(message))


def build(library: Library, *, all_tools: bool = False) -> DeskServer:
    """Build a server with every verb of the library as a tool.

    Unlisted tools can be called too: the list is short to save context, not to limit access.
    """
    server = DeskServer(library, {verb.name: verb for verb in VERBS}, all_tools=all_tools)
    mcp_resources.add(server, library)
    server.add_prompt(Prompt.from_function(research, name="research", title="Research a question"))
    return server
