"""The tasks extension: a client that declares it gets a handle with the task's own id; any other gets plain
tools."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from mcp import Client, MCPError
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp_types import CallToolResult, Request, RequestParams, Result
from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from tests.interfaces.serving import SAMPLES, calling, data_of, paper, stdio, until_answered, until_done

QUESTION = "決定係数が0に近いとき何を意味するか"


class Camel(Result):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="allow")


class Handle(Camel):
    result_type: Literal["task"]
    task_id: str
    status: str
    created_at: str
    last_updated_at: str
    ttl_ms: int | None
    poll_interval_ms: int


class TaskParams(RequestParams):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
    task_id: str


class TaskRequest(Request[TaskParams, str]):
    name_param: ClassVar[str | None] = "taskId"


class State(Camel):
    result_type: str
    status: str | None = None
    result: dict[str, Any] | None = None


class Following(ClientExtension):
    """A client that follows a handle to its end, as the extension's text says."""

    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self) -> None:
        self.handles: list[Handle] = []

    def claims(self) -> Sequence[ResultClaim[Any]]:
        return (ResultClaim(result_type="task", model=Handle, resolve=self.follow),)

    async def follow(self, handle: Handle, context: ClaimContext) -> CallToolResult:
        self.handles.append(handle)
        while True:
            state = await context.session.send_request(asked("tasks/get", handle.task_id), State)
            assert state.result_type == "complete"
            if state.status == "completed":
                return CallToolResult.model_validate(state.result, by_name=False)
            assert state.status == "working"
            await asyncio.sleep(0.2)


def asked(method: str, task_id: str) -> TaskRequest:
    return TaskRequest(method=method, params=TaskParams(task_id=task_id))


async def stocked(home: Path) -> None:
    async with calling(stdio(home)) as call:
        await until_done(call, (await call("add_documents", paths=[str(SAMPLES)]))["task_id"])


@pytest.mark.slow
async def test_a_declaring_client_gets_a_handle_and_through_it_the_answer(tmp_path: Path) -> None:
    await stocked(tmp_path / "home")
    following = Following()
    async with Client(stdio(tmp_path / "home"), extensions=[following]) as client:
        asked_ = data_of(await client.call_tool("ask", {"question": QUESTION}))
        (handle,) = following.handles
        assert handle.task_id == asked_["task_id"] and handle.status == "working" and handle.created_at
        assert asked_["answer"]["text"] and asked_["answer_id"]
        status = data_of(await client.call_tool("get_status", {"task_id": handle.task_id, "wait": 0}))
        assert status["answer_id"] == asked_["answer_id"], "the same job under the same id"
        for method in ("tasks/update", "tasks/cancel"):
            done = await client.session.send_request(asked(method, handle.task_id), State)
            assert done.result_type == "complete" and done.status is None
        for method in ("tasks/get", "tasks/update", "tasks/cancel"):
            with pytest.raises(MCPError) as refused:
                await client.session.send_request(asked(method, "none"), State)
            assert refused.value.error.code == -32602


async def test_cancelling_stops_the_task(tmp_path: Path) -> None:
    async with Client(stdio(tmp_path / "home"), extensions=[Following()]) as client:
        papers = [str(paper(tmp_path / "papers", number)) for number in range(30)]
        added = data_of(await client.call_tool("add_documents", {"paths": papers}))
        await client.session.send_request(asked("tasks/cancel", added["task_id"]), State)
        state = await client.session.send_request(asked("tasks/get", added["task_id"]), State)
        assert state.status == "cancelled"
        status = data_of(await client.call_tool("get_status", {"task_id": added["task_id"], "wait": 0}))
        assert status["status"] == "stopped"


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_plain_client_gets_plain_tools(mode: str, tmp_path: Path) -> None:
    await stocked(tmp_path / "home")
    async with Client(stdio(tmp_path / "home"), mode=mode) as client:

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            return data_of(await client.call_tool(tool, arguments))

        plain = await until_answered(call, await call("ask", question=QUESTION))
        assert plain["answer"]["text"]
        with pytest.raises(MCPError) as refused:
            await client.session.send_request(asked("tasks/get", plain["task_id"]), State)
        assert refused.value.error.code == (-32021 if mode == "auto" else -32601)
