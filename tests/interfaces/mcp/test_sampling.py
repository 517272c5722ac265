"""The client's own model thinks for the question that it asks, where it offers one: over standard streams and
over HTTP, by the official client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import CreateMessageRequestParams, CreateMessageResult, ErrorData, TextContent

import shisho
from shisho.domain.corpus import Source
from shisho.domain.inquiry import Answer
from shisho.testing.model_providers import ProviderRequest
from tests.flows.test_model_answers import QUESTION, SENTENCE, TEXT, well
from tests.interfaces.serving import data_of, serving, stdio
from tests.machine import PATIENCE

LONGER = "回帰分析を習い始めた。決定係数とは何か"  # rules leave two sentences to the model
THINKING = {"goals", "findings", "blocks", "verdicts"}  # rules plan the first round of a simple question


class SampledModel:
    """The model of a client, which lets every call through or none. `asked`: the fields it was asked for."""

    def __init__(self, *, is_allowed: bool = True) -> None:
        self.asked: list[str] = []
        self._is_allowed = is_allowed

    async def __call__(
        self, context: Any, params: CreateMessageRequestParams
    ) -> CreateMessageResult | ErrorData:
        assert params.system_prompt is not None and isinstance(params.messages[0].content, TextContent)
        schema = json.loads(params.system_prompt.splitlines()[-1])
        request = ProviderRequest(
            "client", "m", params.system_prompt, (params.messages[0].content.text,), schema, {}, {}
        )
        self.asked.append(str(next(iter(schema["properties"]))))
        if not self._is_allowed:
            return ErrorData(code=-1, message="the user said no")
        content = TextContent(type="text", text=well(request).text)
        return CreateMessageResult(role="assistant", content=content, model="m")


async def taken_in(client: Client, task_id: str) -> None:
    """Wait for the end of a task, as often as it takes."""
    arguments = {"task_id": task_id, "wait_for": "done", "wait": 20}
    while data_of(await client.call_tool("get_status", arguments))["status"] == "running":
        pass


@asynccontextmanager
async def reached(way: str, home: Path, more: dict[str, str]) -> AsyncIterator[Any]:
    """What the client connects to."""
    if way == "stdio":
        yield stdio(home, **more)
        return
    with serving(home, **more) as url:
        yield f"{url}/mcp"


async def asked(
    home: Path,
    model: SampledModel | None,
    mode: str = "legacy",
    way: str = "stdio",
    question: str = QUESTION,
    **more: str,
) -> dict[str, Any]:
    """The answer that a client gets; the library holds one page."""
    page = home.parent / "page.md"
    page.write_text(TEXT, "utf-8")
    async with (
        reached(way, home, more) as server,
        Client(server, mode=mode, sampling_callback=model) as client,
    ):
        added = await client.call_tool("add_documents", {"paths": [str(page)]})
        task_id = added.structured_content["task_id"]
        await taken_in(client, task_id)
        arguments = {"question": question, "sources": "documents", "wait": 50}
        result = await client.call_tool("ask", arguments)
        assert not result.is_error, result.content
        return dict(result.structured_content["answer"])


@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_the_clients_model_plans_reads_writes_and_judges(way: str, tmp_path: Path) -> None:
    model = SampledModel()
    answer = await asked(tmp_path / "home", model, way=way, question=LONGER)
    assert f"{SENTENCE} [1]" in answer["text"] and answer["model"].startswith("client/")
    assert set(model.asked) >= THINKING, model.asked
    assert all(use["fault"] is None for use in answer["model_uses"])


@pytest.mark.slow
@pytest.mark.parametrize("case", ["the user says no", "no model is offered", "no way back", "a model is set"])
async def test_else_all_is_as_without_it(case: str, tmp_path: Path) -> None:
    """A refusal is a fault of the use, told; who offers none is asked nothing; a model that is set is not
    passed over."""
    model = SampledModel(is_allowed=case != "the user says no")
    offered = None if case == "no model is offered" else model
    mode = "auto" if case == "no way back" else "legacy"
    more = {"SHISHO_MODEL": "ollama/m", "SHISHO_MODEL_URL": "http://127.0.0.1:9"} if "set" in case else {}
    answer = await asked(tmp_path / "home", offered, mode, **more)
    assert answer["model"] == "none" and answer["evidence"][0]["snippet"] in TEXT
    faults = {use["fault"] for use in answer["model_uses"]}
    expected = {"the user says no": {"refused"}, "a model is set": {"unreachable"}}
    assert faults == expected.get(case, set())
    assert bool(model.asked) is (case == "the user says no")


async def test_over_http_each_client_lends_its_model_to_its_own_question_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(TEXT, "utf-8")
    lends, refuses = SampledModel(), SampledModel(is_allowed=False)
    with serving(tmp_path / "home") as url:
        async with (
            Client(f"{url}/mcp", mode="legacy", sampling_callback=lends) as lender,
            Client(f"{url}/mcp", mode="legacy", sampling_callback=refuses) as refuser,
            Client(f"{url}/mcp", mode="legacy") as other,
        ):
            added = await lender.call_tool("add_documents", {"paths": [str(page)]})
            task_id = added.structured_content["task_id"]
            await taken_in(lender, task_id)
            questions = {QUESTION: lender, "猫は何を好むか": refuser, "決定係数の値の範囲は": other}
            results = await asyncio.gather(
                *(
                    client.call_tool("ask", {"question": question, "sources": "documents", "wait": 50})
                    for question, client in questions.items()
                )
            )
    lent, refused, plain = (result.structured_content["answer"] for result in results)
    assert lent["model"].startswith("client/") and f"{SENTENCE} [1]" in lent["text"]
    assert {use["fault"] for use in refused["model_uses"]} == {"refused"} and refused["model"] == "none"
    assert plain["model_uses"] == [] and plain["evidence"]


class HeldModel(SampledModel):
    """The same, which replies to nothing before it is let go. `is_asked` tells that it was asked
    something."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked = asyncio.Event()
        self.may_go_on = asyncio.Event()

    async def __call__(
        self, context: Any, params: CreateMessageRequestParams
    ) -> CreateMessageResult | ErrorData:
        self.is_asked.set()
        await self.may_go_on.wait()
        return await super().__call__(context, params)


@pytest.mark.slow
async def test_the_same_question_of_two_clients_goes_to_the_model_of_each(tmp_path: Path) -> None:
    """They have one library; while the first one's model thinks, the others ask, one of which lends none."""
    page = tmp_path / "page.md"
    page.write_text(TEXT, "utf-8")
    first, second = HeldModel(), SampledModel(is_allowed=False)
    arguments = {"question": QUESTION, "sources": "documents", "wait": 50}
    with serving(tmp_path / "home") as url:
        async with (
            Client(f"{url}/mcp", mode="legacy", sampling_callback=first) as lender,
            Client(f"{url}/mcp", mode="legacy", sampling_callback=second) as refuser,
            Client(f"{url}/mcp", mode="legacy") as other,
        ):
            added = await lender.call_tool("add_documents", {"paths": [str(page)]})
            task_id = added.structured_content["task_id"]
            await taken_in(lender, task_id)
            asked_first = asyncio.create_task(lender.call_tool("ask", arguments))
            await first.is_asked.wait()
            asked_plainly = asyncio.create_task(other.call_tool("ask", arguments))
            refused = (await refuser.call_tool("ask", arguments)).structured_content["answer"]
            done, _ = await asyncio.wait([asked_plainly], timeout=PATIENCE)
            first.may_go_on.set()
            plain = (await asked_plainly).structured_content["answer"]
            lent = (await asked_first).structured_content["answer"]
    assert done and plain["model_uses"] == [], "no model was lent to this question"
    assert {use["fault"] for use in refused["model_uses"]} == {"refused"}
    assert f"{SENTENCE} [1]" in lent["text"] and all(use["fault"] is None for use in lent["model_uses"])


class LentModel:
    """A model that gives no reply, of a name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.calls = 0

    async def reply(self, instructions: str, text: str, max_output_tokens: int) -> str:
        self.calls += 1
        return "{}"


async def test_two_lend_for_one_question_at_the_same_time_and_each_is_asked(tmp_path: Path) -> None:
    models = [LentModel("client/a"), LentModel("client/b")]
    async with shisho.open(home=tmp_path, web="off", embedder="none") as library:
        await library.documents.add_source(Source("page.md", TEXT.encode()))

        async def ask(model: LentModel) -> Answer:
            with library.questions.use_model(model):
                return await library.questions.ask(QUESTION)

        answers = await asyncio.gather(*map(ask, models))
    assert [{use.model for use in answer.model_uses} for answer in answers] == [{"client/a"}, {"client/b"}]
    assert all(model.calls for model in models)
