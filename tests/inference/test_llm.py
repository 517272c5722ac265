"""The port `Llm` over the real clients of four providers, each asked of the fake one on loopback."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, repeat
from typing import Any

import pytest

from shisho.domain.model import ModelFault, ModelUsage
from shisho.errors import InvalidParams, ModelFailed
from shisho.inference.llm import ChatLlm
from shisho.inference.providers import ModelAccess, check_access
from shisho.testing.model_providers import FakeProvider, ProviderReply, ProviderRequest
from tests.inference.providing import (
    KEY,
    LINES,
    PAGE,
    PATIENT_S,
    PROVIDERS,
    Page,
    ask_once,
    llm_of,
    page_json,
    prompt_of,
)
from tests.machine import PATIENCE

GOOD = ProviderReply(page_json())
HUGE = "あ" * 4_000_000  # more than 10 MB on the wire
BAD = '{"lines": [{"txt": 1}]}'


@pytest.fixture(params=PROVIDERS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.slow
async def test_a_reply_has_the_shape_that_was_asked_for_and_its_usage_is_counted(name: str) -> None:
    reply, provider = await ask_once(name, GOOD)
    assert reply.value == PAGE and reply.usage == ModelUsage(1, 100, 20)
    request = provider.requests[0]
    assert (request.model, request.instructions, request.texts) == (
        "m-1",
        "Answer in lines.",
        ("決定係数とは何か",),
    )
    assert request.schema["required"] == ["lines"] and "$ref" not in str(request.schema)


@pytest.mark.parametrize(
    "sent",
    [
        replace(GOOD, cut_bytes=1),
        replace(GOOD, cut_bytes=7, escaped=True),
        replace(GOOD, text=page_json(escaped=True), delta_chars=3),
        replace(GOOD, text=page_json(escaped=True), delta_chars=1, cut_bytes=5, escaped=True),
    ],
    ids=["inside a character", "inside an escape", "inside the model's escape", "inside both"],
)
async def test_streams_may_be_cut_anywhere(name: str, sent: ProviderReply) -> None:
    heard: list[Any] = []
    reply, _ = await ask_once(name, sent, heard.append)
    assert reply.value == PAGE and heard == list(LINES)


async def test_elements_are_heard_before_the_reply_has_ended(name: str) -> None:
    """The connection breaks in the last element: the one before has been heard."""
    lines = page_json().removesuffix("]}") + ", " + page_json().partition("[")[2]
    heard: list[Any] = []
    with pytest.raises(ModelFailed):
        await ask_once(name, ProviderReply(lines, breaks=True, delta_chars=1), heard.append)
    assert heard and heard == list(chain(LINES, LINES))[: len(heard)]


@pytest.mark.parametrize(
    ("reply", "fault", "asked"),
    [
        (ProviderReply(page_json()[:20], ending="length"), ModelFault.TRUNCATED, 2),
        (ProviderReply(BAD), ModelFault.MALFORMED, 2),
        (ProviderReply("決定係数とは…"), ModelFault.MALFORMED, 2),
        (ProviderReply(""), ModelFault.MALFORMED, 2),
        (ProviderReply("", thinking="Let me see."), ModelFault.ONLY_THINKING, 2),
        (ProviderReply("<think>Let me see.", ending="length"), ModelFault.ONLY_THINKING, 2),
        (ProviderReply(page_json()[:9], ending="refusal"), ModelFault.REFUSED, 1),
        (ProviderReply(KEY, status=429, headers={"Retry-After": "0"}), ModelFault.RATE_LIMITED, 2),
        (ProviderReply(KEY, status=503, headers={"Retry-After": "0"}), ModelFault.UNAVAILABLE, 2),
        (ProviderReply(f"bad key {KEY}", status=401), ModelFault.UNAUTHORISED, 1),
        (ProviderReply(f"API key not valid: {KEY}", status=400), ModelFault.UNAUTHORISED, 1),
        (ProviderReply("Insufficient Balance", status=402), ModelFault.NO_CREDIT, 1),
        (ProviderReply("Your credit balance is too low", status=400), ModelFault.NO_CREDIT, 1),
        (ProviderReply("You exceeded your current quota", status=429), ModelFault.NO_CREDIT, 1),
        (ProviderReply("no such model", status=404), ModelFault.UNKNOWN_MODEL, 1),
        (ProviderReply("404 page not found", status=404), ModelFault.WRONG_ADDRESS, 1),
        (ProviderReply("", status=405), ModelFault.WRONG_ADDRESS, 1),
        (ProviderReply("", status=308, headers={"Location": "/v1/"}), ModelFault.WRONG_ADDRESS, 1),
        (ProviderReply("no such field", status=400), ModelFault.REJECTED, 1),
        (ProviderReply("exceeds the available context size (8192)", status=400), ModelFault.OVERFLOW, 1),
        (ProviderReply("prompt is too long: 9000 tokens", status=413), ModelFault.OVERFLOW, 1),
        (replace(GOOD, breaks=True), ModelFault.CUT_OFF, 1),
        (ProviderReply(HUGE, delta_chars=len(HUGE)), ModelFault.TOO_LONG, 1),
        (ProviderReply(HUGE, delta_chars=50_000), ModelFault.TOO_LONG, 1),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, ModelFault) else "",
)
async def test_each_failure_is_typed_and_shows_no_key(
    name: str, reply: ProviderReply, fault: ModelFault, asked: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with FakeProvider(lambda request: reply) as provider:
        with pytest.raises(ModelFailed) as failed:
            await llm_of(provider, name).ask(prompt_of(), Page)
    assert failed.value.fault == fault and len(provider.requests) == asked
    assert failed.value.usage.calls >= 1 and failed.value.__cause__ is None
    assert KEY not in f"{failed.value!r} {failed.value.details} {caplog.text}"


@pytest.mark.parametrize(
    ("part", "refusal"),
    [
        ("response_format", "This response_format type is unavailable now"),  # DeepSeek
        ("response_format", "This model does not support response format `json_schema`."),  # Groq
        ("temperature", "Unsupported value: 'temperature' does not support 0 with this model."),
        ("stream_options", '{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"]}]}'),
        ("max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
    ],
)
async def test_what_a_server_does_not_know_is_left_out_once_it_has_said_so(part: str, refusal: str) -> None:
    def reply(request: ProviderRequest) -> ProviderReply:
        return ProviderReply(refusal, status=400) if part in request.body else GOOD

    async with FakeProvider(reply) as provider:
        llm = llm_of(provider, "openai")
        first = await llm.ask(prompt_of(), Page)
        second = await llm.ask(prompt_of(), Page)
    assert first.value == second.value == PAGE and first.usage.calls == 2 and second.usage.calls == 1
    assert [part in request.body for request in provider.requests] == [True, False, False]
    in_words = "JSON Schema" in provider.requests[1].instructions
    assert in_words is (part == "response_format")


async def test_several_parts_that_are_not_known_are_left_out_one_after_the_other(name: str) -> None:
    def reply(request: ProviderRequest) -> ProviderReply:
        if request.schema:
            return ProviderReply("structured output is not supported", status=400)
        if '"temperature"' in json.dumps(request.body):
            return ProviderReply("temperature is deprecated for this model", status=422)
        return GOOD

    async with FakeProvider(reply) as provider:
        answer = await llm_of(provider, name).ask(prompt_of(), Page)
    assert answer.value == PAGE and len(provider.requests) == (2 if name == "anthropic" else 3)
    assert '"lines"' in provider.requests[-1].instructions


async def test_what_is_refused_without_what_it_does_not_know_is_refused(name: str) -> None:
    """And is sent whole the next time: it was not for this part."""
    refusal = ProviderReply("response format is not supported", status=400)
    async with FakeProvider(lambda request: refusal) as provider:
        llm = llm_of(provider, name)
        for _ in range(2):
            with pytest.raises(ModelFailed) as failed:
                await llm.ask(prompt_of(), Page)
    assert failed.value.fault == ModelFault.REJECTED and len(provider.requests) == 4
    assert [bool(request.schema) for request in provider.requests] == [True, False] * 2


@pytest.mark.parametrize(
    ("status", "refusal"),
    [
        (409, "This request requires more credits, or fewer max_tokens: not available"),
        (400, "max_tokens is too large: 5000. This model supports at most 4096."),
        (400, "json_validate_failed; failed_generation: temperature is not supported"),
        (400, "invalid request; parameters: response_format temperature stream_options max_tokens"),
    ],
)
async def test_what_only_names_a_part_is_no_word_against_it(status: int, refusal: str) -> None:
    async with FakeProvider(lambda request: ProviderReply(refusal, status=status)) as provider:
        with pytest.raises(ModelFailed) as failed:
            await llm_of(provider, "openai").ask(prompt_of(), Page)
    assert failed.value.fault == ModelFault.REJECTED and len(provider.requests) == 1


async def test_a_repair_that_is_refused_begins_nothing_anew(name: str) -> None:
    replies = chain([ProviderReply(BAD)], repeat(ProviderReply("temperature is not supported", status=400)))
    async with FakeProvider(lambda request: next(replies)) as provider:
        with pytest.raises(ModelFailed):
            await llm_of(provider, name).ask(prompt_of(), Page)
    assert len(provider.requests) == 2


async def test_nobody_listens_at_the_address(name: str) -> None:
    async with FakeProvider(lambda request: GOOD) as provider:
        llm = llm_of(provider, name)
    with pytest.raises(ModelFailed) as failed:
        await llm.ask(prompt_of(), Page)
    assert failed.value.fault == ModelFault.UNREACHABLE


@pytest.mark.parametrize("reply", [replace(GOOD, delay_s=PATIENT_S), replace(GOOD, hangs=True)])
async def test_a_slow_reply_is_broken_off_and_what_was_sent_and_has_come_is_counted(
    name: str, reply: ProviderReply
) -> None:
    """A busy machine may not come so far in the first second."""
    prompt = prompt_of()
    sent_tokens = len((prompt.instructions + prompt.text).encode()) // 3
    for seconds in (1.0, 4.0, 16.0, 64.0):
        with pytest.raises(ModelFailed) as failed:
            await ask_once(name, reply, seconds=seconds)
        usage = failed.value.usage
        assert failed.value.fault == ModelFault.TIMEOUT and usage.calls == 1
        if usage.input_tokens and (usage.output_tokens or not reply.hangs):
            break
    assert usage.input_tokens >= sent_tokens > 0
    assert (usage.output_tokens > 0) is reply.hangs


async def test_a_reply_that_is_cut_for_its_length_has_used_all_it_was_given(name: str) -> None:
    """Where the provider does not say what it has used: one whose client gives up before it would."""
    reply = ProviderReply(page_json()[:20], ending="length")
    with pytest.raises(ModelFailed) as failed:
        await ask_once(name, reply)
    assert failed.value.usage.output_tokens == 2 * reply.output_tokens
    assert failed.value.usage.input_tokens > 0


async def test_a_turn_that_comes_after_the_time_of_the_call_is_not_waited_for(name: str) -> None:
    reply = ProviderReply("", status=429, headers={"Retry-After": str(2 * PATIENT_S)})
    with pytest.raises(ModelFailed) as failed:
        await ask_once(name, reply, seconds=PATIENT_S)
    assert failed.value.fault == ModelFault.RATE_LIMITED
    assert failed.value.usage == ModelUsage(1), "a call that was not taken costs nothing"


async def test_a_page_in_the_place_of_a_stream_is_another_server(name: str) -> None:
    with pytest.raises(ModelFailed) as failed:
        await ask_once(name, ProviderReply(page="<html>Log in</html>"))
    assert failed.value.fault == ModelFault.WRONG_ADDRESS


async def test_a_refusal_beside_the_reply_is_one() -> None:
    with pytest.raises(ModelFailed) as failed:
        await ask_once("openai", ProviderReply(refusal="I cannot help with that."))
    assert failed.value.fault == ModelFault.REFUSED and failed.value.usage.calls == 1


async def test_a_count_below_nothing_is_no_count(name: str) -> None:
    reply, _ = await ask_once(name, replace(GOOD, input_tokens=-50_000, output_tokens=-1_000))
    assert reply.usage.input_tokens > 0 and reply.usage.output_tokens > 0


async def test_a_broken_reply_is_repaired_once_by_saying_what_is_wrong(name: str) -> None:
    replies: Iterator[ProviderReply] = chain([ProviderReply(BAD)], repeat(GOOD))
    async with FakeProvider(lambda request: next(replies)) as provider:
        reply = await llm_of(provider, name).ask(prompt_of(), Page)
    assert reply.value == PAGE and reply.usage == ModelUsage(2, 200, 40)
    said = provider.requests[1].texts[-1]
    assert "lines.0.text" in said and "Field required" in said


async def test_a_call_that_is_cancelled_ends_its_request(name: str) -> None:
    reached = asyncio.Event()

    def script(request: ProviderRequest) -> ProviderReply:
        reached.set()
        return replace(GOOD, hangs=True)

    async with FakeProvider(script) as provider:
        call = asyncio.create_task(llm_of(provider, name).ask(prompt_of(), Page))
        await asyncio.wait_for(reached.wait(), PATIENCE)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call


async def test_keys_addresses_proxies_and_tracing_of_the_environment_are_not_used(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        FakeProvider(lambda request: GOOD) as provider,
        FakeProvider(lambda request: GOOD) as other,
    ):
        for variable in (
            "HTTP_PROXY",
            "HTTPS_PROXY",
            "ALL_PROXY",
            "OPENAI_BASE_URL",
            "OPENAI_API_BASE",
            "OPENAI_PROXY",
            "ANTHROPIC_BASE_URL",
            "ANTHROPIC_PROXY",
            "OLLAMA_HOST",
            "GOOGLE_GEMINI_BASE_URL",
            "LANGSMITH_ENDPOINT",
        ):
            monkeypatch.setenv(variable, other.build_url(""))
        for variable in ("OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"):
            monkeypatch.setenv(variable, "Authorization: Bearer sk-of-another-program")
        for variable in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
            monkeypatch.setenv(variable, "true")
        for variable in (
            "OPENAI_API_KEY",
            "OPENAI_ORG_ID",
            "OPENAI_PROJECT_ID",
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "GOOGLE_API_KEY",
            "GEMINI_API_KEY",
            "OLLAMA_API_KEY",
            "LANGSMITH_API_KEY",
        ):
            monkeypatch.setenv(variable, "sk-of-another-program")
        reply = await llm_of(provider, name).ask(prompt_of(), Page)
    assert reply.value == PAGE and len(provider.requests) == 1
    assert other.connections == 0 and "another-program" not in str(provider.requests[0].headers)


def test_a_provider_of_others_answers_nobody_without_a_key() -> None:
    for provider in ("openai", "gemini", "anthropic"):
        with pytest.raises(InvalidParams, match="model_key"):
            check_access(ModelAccess(provider, "m"))


def test_the_key_stands_in_no_representation() -> None:
    assert KEY not in repr(ModelAccess("openai", "m", "", KEY)) + repr(
        vars(ChatLlm(ModelAccess("a", "b", "", KEY)))
    )


async def test_ollama_is_told_its_context_and_every_provider_its_longest_reply(name: str) -> None:
    async with FakeProvider(lambda request: GOOD) as provider:
        await llm_of(provider, name, context=12_345).ask(prompt_of(), Page)
    body = provider.requests[0].body
    places = {
        "openai": lambda: (body["max_tokens"], body["temperature"]),
        "ollama": lambda: (body["options"]["num_predict"], body["options"]["temperature"]),
        "gemini": lambda: (
            body["generationConfig"]["maxOutputTokens"],
            body["generationConfig"]["temperature"],
        ),
        "anthropic": lambda: (body["max_tokens"], 0.0),  # its client has no temperature any more
    }
    assert places[name]() == (200, 0.0)
    if name == "ollama":
        assert body["options"]["num_ctx"] == 12_345


@pytest.mark.slow
def test_without_a_model_no_client_is_imported() -> None:
    code = (
        "import sys, asyncio, shisho, tempfile\n"
        "async def main():\n"
        "    async with shisho.open(home=tempfile.mkdtemp(), web='off') as library:\n"
        "        await library.run_checks()\n"
        "asyncio.run(main())\n"
        "print([name for name in sys.modules if name.split('.')[0].startswith(('langchain', 'openai', 'langsmith')) "
        "or name == 'shisho.inference.llm'])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip().splitlines()[-1] == "[]"


async def test_a_model_that_thinks_gets_room_for_it_in_its_next_reply(name: str) -> None:
    """Its first reply ends in its thinking; the second has room, and so has each later one."""
    thinking = ProviderReply("", thinking="Let me see.", ending="length")
    replies = chain([thinking], repeat(replace(GOOD, thinking="Now I know.")))
    async with FakeProvider(lambda request: next(replies)) as provider:
        llm = llm_of(provider, name)
        first = await llm.ask(prompt_of(), Page)
        await llm.ask(prompt_of(), Page)
    assert first.value == PAGE and first.usage.calls == 2 and llm.thinking_tokens == 2_000
    assert [read_limit(request) for request in provider.requests] == [200, 2_200, 2_200]
    assert len({request.texts for request in provider.requests}) == 1, "the same again, without a repair"


def read_limit(request: ProviderRequest) -> int:
    """The most tokens of the reply, as each provider names it."""
    body = request.body
    places = (body, body.get("options", {}), body.get("generationConfig", {}))
    names = ("max_tokens", "num_predict", "maxOutputTokens")
    return next(place[name] for place in places for name in names if name in place)


async def test_thinking_is_reduced_until_the_server_rejects_that() -> None:
    """Gemini's word for a model that cannot do without, and Groq's for another vocabulary."""
    refusals = {
        "gemini": ("thinking", "Budget 512 is invalid. This model only works in thinking mode."),
        "ollama": ("think", "think is not supported"),
        "openai": ("reasoning_effort", "`reasoning_effort` must be one of `none` or `default`"),
    }
    for name, (word, refusal) in refusals.items():

        def reply(request: ProviderRequest, word: str = word, refusal: str = refusal) -> ProviderReply:
            is_told = f'"{word}' in json.dumps(request.body)
            return ProviderReply(refusal, status=400) if is_told else GOOD

        async with FakeProvider(reply) as provider:
            answer = await llm_of(provider, name).ask(prompt_of(), Page)
        assert answer.value == PAGE and len(provider.requests) == 2
