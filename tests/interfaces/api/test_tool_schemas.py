"""The schemas of tools can be read by every assistant, and their slips in arguments are mended."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from mcp_types import Tool
from pydantic import Field

from shisho.bootstrap.library import open_library
from shisho.interfaces.api import schemas
from shisho.interfaces.api.inputs import InputObject
from shisho.interfaces.api.operations import Verb
from shisho.interfaces.api.schemas import DEFAULT_TOOLS, VERBS
from shisho.interfaces.mcp import server as mcp
from shisho.interfaces.mcp.tools import load_tools
from tests.interfaces.api.strict_schemas import list_gemini_faults, list_openai_faults, list_untyped
from tests.interfaces.serving import SAMPLES, serving

Faults = Callable[[Mapping[str, Any]], Iterator[str]]
MAX_TOOLS = 14
MAX_LIST_CHARS = 20_000
OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}


def list_shown(*, all_tools: bool) -> list[Tool]:
    return load_tools(all_tools=all_tools)


EVERY = list_shown(all_tools=True)


def test_every_schema_passes_the_rules_of_openai_and_gemini(caplog: pytest.LogCaptureFixture) -> None:
    from google.genai._mcp_utils import mcp_to_gemini_tool  # a second of CPU in each process of tests

    for tool in EVERY:
        assert [*list_untyped(tool.input_schema)] == [], tool.name
        assert [*list_untyped(tool.output_schema or {})] == [], tool.name
        assert [*list_openai_faults(tool.input_schema)] == [], tool.name
        assert [*list_gemini_faults(tool.input_schema)] == [], tool.name
        with caplog.at_level(logging.WARNING):
            (declared,) = mcp_to_gemini_tool(tool).function_declarations or ()
        assert declared.parameters and set(declared.parameters.properties or ()) == set(
            tool.input_schema["properties"]
        )
        assert caplog.messages == [], "nothing was lost on the way"


@pytest.mark.parametrize(
    ("schema", "openai", "gemini"),
    [
        ({"type": "object", "properties": {"a": {}}}, True, True),
        ({"type": "object", "properties": {"a": {"type": "array"}}}, True, True),
        ({"type": "object", "properties": {"a": {"type": "number", "exclusiveMinimum": 0}}}, True, True),
        ({"type": "object", "properties": {"a": {"type": "string", "pattern": "(?=x)"}}}, True, True),
        ({"type": "object", "properties": {"a": {"type": "string", "format": "uri"}}}, True, True),
        ({"type": "object", "properties": {"a": {"type": "string", "default": "x"}}}, True, True),
        ({"type": "object", "properties": {"a": {"const": "x", "type": "string"}}}, True, True),
        ({"type": "object", "properties": {"a": {"anyOf": [OBJECT, {"type": "string"}]}}}, True, True),
        ({"type": "object", "properties": {"a": {"type": "array", "prefixItems": [OBJECT]}}}, True, True),
        (
            {"type": "object", "properties": {"a": {"type": "object", "additionalProperties": OBJECT}}},
            True,
            True,
        ),
        ({"type": "object", "properties": {"a": {"type": ["string", "null"]}}}, False, True),
        ({**OBJECT, "additionalProperties": False}, False, True),
        ({"type": "object", "properties": {"a": {"type": "integer", "enum": [1]}}}, False, True),
        ({"type": "object", "properties": {"a": {"type": "object", "properties": {}}}}, False, True),
        (OBJECT, False, False),
    ],
    ids=lambda value: json.dumps(value)[:70] if isinstance(value, dict) else str(value),
)
def test_rules_refuse_what_providers_refuse(schema: dict[str, Any], openai: bool, gemini: bool) -> None:
    def refuses(faults: Faults) -> bool:
        try:
            return bool([*faults(schema)])
        except TypeError:  # from OpenAI's library
            return True

    assert (refuses(list_openai_faults), refuses(list_gemini_faults)) == (openai, gemini)


def test_list_of_tools_is_short() -> None:
    """In characters as they go over the wire: every conversation carries the list."""
    shown = list_shown(all_tools=False)
    listed = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in shown]
    size = len(json.dumps({"tools": listed}, ensure_ascii=False, separators=(",", ":")))
    assert len(shown) <= MAX_TOOLS and size <= MAX_LIST_CHARS, size
    assert {tool.name for tool in shown} == DEFAULT_TOOLS & {verb.name for verb in VERBS}


def test_description_says_when_to_use_it_and_what_it_returns() -> None:
    for tool in EVERY:
        first, *rest = (tool.description or "").split(". ")
        assert first[0].isupper() and len(first) <= 110, tool.name
        assert any("Use it" in sentence for sentence in rest), tool.name
        assert any("Returns" in sentence for sentence in rest), tool.name


REQUIRED: Mapping[str, Any] = {
    "question": "決定係数とは何か",
    "query": "決定係数",
    "queries": ["決定係数"],
    "urls": ["https://example.com/"],
    "target": "domain",
    "action": "skip",
    "opinion": "block_domain",
    "findings": [{"index": 1, "goal_id": "G1", "snippet": "決定係数", "score": None}],
    "sentences": [{"text": "決定係数は0から1の値をとる。", "cites": None}],
}
NESTED: Mapping[str, Any] = {"budget": {"max_seconds": None}, "options": {"priority": None}}


def write_call(verb: Verb, **more: Any) -> dict[str, Any]:
    """The arguments that a verb requires."""
    required = [name for name, field in verb.arguments.model_fields.items() if field.is_required()]
    call = {name: REQUIRED.get(name, "none") for name in required}
    return call | ({"target": "example.com"} if verb.name == "feedback" else {}) | more


def list_optional(verb: Verb) -> list[str]:
    return [name for name, field in verb.arguments.model_fields.items() if not field.is_required()]


async def test_null_for_every_optional_argument_means_left_out(tmp_path: Path) -> None:
    """Both calls have the same outcome: the same fields, or the same refusal."""
    outcomes: dict[str, list[tuple[bool, str, list[str]]]] = {}
    async with open_library(home=tmp_path / "home") as library, Client(mcp.build(library)) as client:
        [receipt async for receipt in library.documents.add(SAMPLES / "01-regression.pdf")]
        for verb in VERBS:
            optional = list_optional(verb)
            nulls = dict.fromkeys(optional)
            nested = {name: NESTED[name] for name in optional if name in NESTED}
            wait = {"wait": 0} if "wait" in optional else {}
            outcomes[verb.name] = []
            for given in (wait, {**nulls, **wait}, {**nulls, **nested, **wait}):
                result = await client.call_tool(verb.name, write_call(verb, **given))
                said = json.loads(result.content[0].text)  # type: ignore[union-attr]
                outcomes[verb.name].append((result.is_error, said.get("code", ""), sorted(said)))
    assert {name: three for name, three in outcomes.items() if three != three[:1] * 3} == {}
    assert any(not is_error for three in outcomes.values() for is_error, *_ in three)


class Inner(InputObject):
    """An object with an optional number."""

    number: int = 1


class Outer(InputObject):
    """Every kind of argument."""

    words: list[str] = Field(default=[])
    numbers: list[int] | None = None
    inner: Inner | None = None
    inners: list[Inner] = Field(default=[])
    pairs: dict[str, str] | list[str] = Field(default={})
    text: str = "x"
    needed: list[str]


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"words": "決定係数"}, {"words": ["決定係数"]}),
        ({"words": '["決定係数", "残差"]'}, {"words": ["決定係数", "残差"]}),
        ({"words": "[2024] 統計"}, {"words": ["[2024] 統計"]}),
        ({"words": None, "numbers": None, "text": None}, {}),
        ({"numbers": 3}, {"numbers": [3]}),
        ({"inner": '{"number": 2}'}, {"inner": {"number": 2}}),
        ({"inner": {"number": None}}, {"inner": {}}),
        ({"inners": {"number": 2}}, {"inners": [{"number": 2}]}),
        ({"inners": [{"number": None}]}, {"inners": [{}]}),
        ({"pairs": {"a": "b"}}, {"pairs": {"a": "b"}}),
        ({"pairs": "a=b"}, {"pairs": ["a=b"]}),
        ({"text": "[1]"}, {"text": "[1]"}),
        ({"needed": "y"}, {"needed": ["y"]}),
    ],
    ids=lambda value: json.dumps(value, ensure_ascii=False),
)
def test_slips_of_assistants_are_mended(given: dict[str, Any], read: dict[str, Any]) -> None:
    outer = Outer.model_validate({"needed": ["x"], **given})
    assert outer.model_dump(exclude_unset=True) == {"needed": ["x"], **read}


def test_null_for_a_required_argument_is_refused() -> None:
    with pytest.raises(ValueError, match="needed"):
        Outer.model_validate({"needed": None})


def test_bodies_over_rest_are_read_alike(tmp_path: Path) -> None:
    with (
        serving(tmp_path / "home", SHISHO_WEB="off") as url,
        httpx.Client(base_url=f"{url}/api/v1", timeout=60) as client,
    ):
        body = {
            "keyword_query": "決定係数",
            "vector_query": None,
            "filter_conditions": "page=1..",
            "cursor": None,
        }
        found = client.post("/passages/search", json=body)
        assert found.json()["code"] == "EMPTY_CORPUS", found.text
        made = client.post("/tasks", json={"question": "x", "budget": None, "idempotency_key": None})
        assert made.status_code == 200 and made.json()["task_id"]
        marked = b"\xef\xbb\xbf" + json.dumps({"question": "x"}).encode()
        headers = {"content-type": "application/json"}
        assert client.post("/tasks", content=marked, headers=headers).status_code == 200


def test_snapshot_is_of_the_verbs() -> None:
    """The list that is served is kept in a file: SHISHO_SNAPSHOT=1 writes it anew, see test_mcp_client."""
    made = [schemas.tool(verb) for verb in VERBS]
    assert made == [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in EVERY]
