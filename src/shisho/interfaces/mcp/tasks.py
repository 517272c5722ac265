"""The tasks extension (SEP-2663): `ask` returns a task handle with our own task id.

tasks/get and tasks/cancel refer to that task. The SDK has no runtime for it; ours is the queue.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from mcp.server.apps import client_supports_apps
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver.server import require_client_extension
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, CallToolResult, RequestParams
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from shisho.domain.job import StopMode, TaskState
from shisho.domain.task import TaskSnapshot
from shisho.errors import NotFound, ShishoError
from shisho.interfaces.api.operations import Verb
from shisho.interfaces.mcp import tools as mcp_tools
from shisho.interfaces.mcp.apps import EvidenceApp
from shisho.messages.catalogue import render
from shisho.services import Library

POLL_MS = 2_000
MODERN = frozenset(MODERN_PROTOCOL_VERSIONS)
STATES = {
    TaskState.COMPLETED: "completed",
    TaskState.FAILED: "completed",
    TaskState.STOPPED: "cancelled",
}


class TaskParams(RequestParams):
    """Names a task."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
    task_id: str = Field(max_length=500)


class UpdateParams(TaskParams):
    """Input for a task. Ours ask for none, so that any is ignored."""

    input_responses: dict[str, Any] = Field(default_factory=dict)


class TasksExtension(Extension):
    """The extension. `asking` and `looking` are the verbs `get_answer` and `get_status`.

    Their replies are the results of tasks; `evidence` shows an answer's quotations in clients with page
    support.
    """

    identifier: ClassVar[str] = "io.modelcontextprotocol/tasks"  # type: ignore[misc]

    def __init__(self, library: Library, asking: Verb, looking: Verb, evidence: EvidenceApp) -> None:
        self.library = library
        self.asking = asking
        self.looking = looking
        self.evidence = evidence

    def methods(self) -> Sequence[MethodBinding]:
        return (
            MethodBinding("tasks/get", TaskParams, self.get, MODERN),
            MethodBinding("tasks/update", UpdateParams, self.update, MODERN),
            MethodBinding("tasks/cancel", TaskParams, self.cancel, MODERN),
        )

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        if params.name != "ask" or not _is_declared(ctx):
            return await call_next(ctx)
        # The call itself queues and returns; the handle represents the queued work. Errors are passed
        # through.
        params.arguments = {**(params.arguments or {}), "wait": 0}
        result: Any = await call_next(ctx)
        if result.is_error or result.structured_content["answer"] is not None:
            passed: HandlerResult = result
            return passed
        return {**await self._describe_task(ctx, result.structured_content["task_id"]), "resultType": "task"}

    async def get(self, ctx: ServerRequestContext[Any, Any], params: TaskParams) -> HandlerResult:
        require_client_extension(ctx, self.identifier)
        return await self._describe_task(ctx, params.task_id)

    async def update(self, ctx: ServerRequestContext[Any, Any], params: UpdateParams) -> HandlerResult:
        require_client_extension(ctx, self.identifier)
        await self._read_status(params.task_id)
        return {}

    async def cancel(self, ctx: ServerRequestContext[Any, Any], params: TaskParams) -> HandlerResult:
        require_client_extension(ctx, self.identifier)
        task_id = (await self._read_status(params.task_id)).task_id
        await self.library.tasks.stop(task_id, mode=StopMode.IMMEDIATE)
        return {}

    async def _read_status(self, task_id: str) -> TaskSnapshot:
        try:
            return await self.library.tasks.get_status(task_id, wait=0)
        except NotFound as error:
            raise MCPError(code=INVALID_PARAMS, message=render(error.message)) from error

    async def _describe_task(self, ctx: ServerRequestContext[Any, Any], task_id: str) -> dict[str, Any]:
        status = await self._read_status(task_id)
        task: dict[str, Any] = {
            "taskId": status.task_id,
            "status": STATES.get(status.status, "working"),
            "createdAt": status.created_at,
            "lastUpdatedAt": status.changed_at,
            "ttlMs": None,
            "pollIntervalMs": POLL_MS,
            "statusMessage": describe_status(status),
        }
        if task["status"] == "completed":
            result = await self._make_result(status)
            if client_supports_apps(ctx):
                result = await self.evidence.with_evidence(result)
            task["result"] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        return task

    async def _make_result(self, status: TaskSnapshot) -> CallToolResult:
        verb, key = (
            (self.looking, status.task_id) if status.answer_id is None else (self.asking, status.answer_id)
        )
        try:
            data = await verb(self.library, **{verb.parameters[0].name: key, "wait": 0})
        except ShishoError as error:
            return mcp_tools.refusal(error)
        return mcp_tools.result(verb, data, self.library)


def _is_declared(ctx: ServerRequestContext[Any, Any]) -> bool:
    capabilities = ctx.session.client_capabilities
    declared = capabilities.extensions if capabilities else None
    return ctx.protocol_version in MODERN and TasksExtension.identifier in (declared or {})


def describe_status(status: TaskSnapshot) -> str:
    """Return the line that a client shows for a running task."""
    if status.waiting_for:
        return f"{len(status.waiting_for)} searches wait for the user: see waiting_for in get_status."
    done = status.progress
    counts = f"queries {done.queries}, pages {done.pages}, documents {done.documents}, answers {done.answers}"
    if done.reading.total:
        return f"{counts}; reading page {done.reading}"
    if status.delays:
        return f"{counts}; postponed until {status.delays[0].until}: {render(status.delays[0].reason)}"
    return counts
