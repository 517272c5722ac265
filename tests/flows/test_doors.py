"""Whatever door a question comes through, its requirements are heeded and its evidence is the same."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.answer_log import list_goals
from shisho.domain.codec import dumps
from shisho.integrations.langgraph import compile_librarian
from tests.flows.conftest import Shell
from tests.inside import builder_of
from tests.interfaces.serving import answered_over_http, calling, serving, stdio, until_answered
from tests.machine import PATIENCE

QUESTION = "決定係数と残差の違いを比較せよ"
GOALS = (
    {"id": "T1", "question": "決定係数とは何か"},
    {"id": "task-7", "question": "残差とは何を引いた差のことか"},
)
CONDITION = "T1 and task-7"
ENGLISH = "04-reading-a-regression.pdf"  # says little of the second goal, so that a second round is made
FIELDS = {
    "number",
    "goal_id",
    "document_id",
    "passage_id",
    "title",
    "page",
    "start",
    "end",
    "snippet",
    "link",
    "score",
}


@dataclass(frozen=True)
class Place:
    """A home with the sample library, a server over it, and what a column of the table needs to know."""

    home: Path
    url: str
    english: str
    excluded: tuple[str, str]  # the passage that would answer, and a document

    def column(self, name: str) -> dict[str, Any]:
        filters = {"source": self.english}
        return {
            "goals and condition": {},
            "evidence": {"goals": [{**GOALS[0], "min_evidence": 2}, GOALS[1]]},
            "complexity": {"complexity": "several"},
            "exclude_ids": {"exclude_ids": [*self.excluded]},
            "filters": {"filters": filters},
            "budget": {"filters": filters, "budget": {"max_rounds": 1}},
        }[name]


Given = tuple[dict[str, Any], dict[str, Any]]  # the answer and the evidence, as a door gives them
ConnectionFactory = Callable[..., Awaitable[Given]]


def plain(given: object) -> dict[str, Any]:
    return dict(json.loads(dumps(given)))


async def through_python(place: Place, required: Mapping[str, Any]) -> Given:
    async with open_library(home=place.home, web="off") as library:
        answer = await library.questions.ask(QUESTION, **required)
        return plain(answer), plain(await library.questions.list_evidence(answer.id))


async def through_langgraph(place: Place, required: Mapping[str, Any]) -> Given:
    async with open_library(home=place.home, web="off") as library:
        given = await compile_librarian(library).ainvoke({"question": QUESTION, **required})
        answer = plain(given["answer"])
        found = {name: answer[name] for name in ("id", "question", "condition")}
        goals = list_goals(given["answer"].goals, given["answer"].goal_status)
        return answer, plain({**found, "goals": goals, "evidence": given["accepted_evidence"]})


async def through_shell(place: Place, required: Mapping[str, Any]) -> Given:
    words = [f"--goal={goal['id']}={goal['question']}" for goal in required["goals"]]
    plan = place.home.parent / "plan.json"
    if any("min_evidence" in goal for goal in required["goals"]):
        plan.write_text(json.dumps({"goals": required["goals"], "condition": CONDITION}), "utf-8")
        words = [f"--plan={plan}"]
    words += [f"--exclude={id_}" for id_ in required.get("exclude_ids", ())]
    words += [f"--filter={key}={value}" for key, value in required.get("filters", {}).items()]
    words += [f"--max-rounds={value}" for value in required.get("budget", {}).values()]
    words += [f"--complexity={required['complexity']}"] if "complexity" in required else []
    shell = partial(asyncio.to_thread, Shell(place.home))
    answer = await shell("ask", QUESTION, f"--condition={CONDITION}", *words, "--sources=documents", "--json")
    return answer, await shell("evidence", answer["id"], "--json")


def over_the_wire(required: Mapping[str, Any]) -> dict[str, Any]:
    more = dict(required)
    filters = more.pop("filters", {})
    return {**more, "filter_conditions": filters, "sources": "documents", "wait": 20}


async def through_mcp(place: Place, required: Mapping[str, Any], server: Any = None) -> Given:
    async with calling(server or f"{place.url}/mcp") as call:
        asked = await call("ask", question=QUESTION, **over_the_wire(required))
        answer = (await until_answered(call, asked))["answer"]
        return answer, await call("get_evidence", answer_id=answer["id"])


async def through_stdio(place: Place, required: Mapping[str, Any]) -> Given:
    return await through_mcp(place, required, stdio(place.home, SHISHO_WEB="off"))


async def through_rest(place: Place, required: Mapping[str, Any]) -> Given:
    def ask() -> Given:
        with httpx.Client(base_url=f"{place.url}/api/v1", timeout=2 * PATIENCE) as client:
            answer = answered_over_http(client, QUESTION, **over_the_wire(required))["answer"]
            query = {"answer_id": answer["id"]}
            return answer, client.get("/evidence", params=query).raise_for_status().json()

    return await asyncio.to_thread(ask)


DOORS: dict[str, ConnectionFactory] = {
    "Python": through_python,
    "CLI": through_shell,
    "MCP stdio": through_stdio,
    "MCP HTTP": through_mcp,
    "REST": through_rest,
    "LangGraph": through_langgraph,
}


@pytest.fixture(scope="module")
def place(stocked_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    home = tmp_path_factory.mktemp("doors") / "home"
    shutil.copytree(stocked_home, home)

    async def look() -> tuple[str, tuple[str, str]]:
        async with open_library(home=home, web="off") as library:
            answer = await library.questions.ask(QUESTION, goals=GOALS, condition=CONDITION)
            document = await library.documents.get(ENGLISH)
            return document.source, (answer.evidence[0].passage_id, document.id)

    english, excluded = asyncio.run(look())
    with serving(home, SHISHO_WEB="off") as url:
        yield Place(home, url, english, excluded)


@pytest.fixture(scope="module")
def known() -> dict[str, list[dict[str, Any]]]:
    """The evidence of each column as Python gives it, asked once for all doors."""
    return {}


def rows_of(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The evidence without what is of one run alone."""
    return [{name: row[name] for name in FIELDS} for row in found["evidence"]]


async def check_met(place: Place, answer: dict[str, Any], found: dict[str, Any]) -> None:
    assert answer["loop_stop"] == "CONDITION_MET" and all(goal["met"] for goal in found["goals"])
    assert {row["goal_id"] for row in found["evidence"]} == {"T1", "task-7"}


async def check_opened(place: Place, answer: dict[str, Any], found: dict[str, Any]) -> None:
    assert [goal["min_evidence"] for goal in found["goals"]] == [2, 1]
    assert all(row["id"] and row["link"] and row["passage_id"] for row in found["evidence"])
    async with open_library(home=place.home, web="off") as library:
        for row in found["evidence"]:
            text = await library.documents.read_text(row["document_id"])
            assert text[row["start"] : row["end"]] == row["snippet"]


async def check_complexity(place: Place, answer: dict[str, Any], found: dict[str, Any]) -> None:
    """The question itself is a comparison."""
    async with open_library(home=place.home, web="off") as library:
        runs = [
            await builder_of(library).stores.ledger.list_steps(answer[name]) for name in ("id", "task_id")
        ]
    (strategy,) = [step.output for run in runs for step in run if step.node == "strategy"]
    assert json.loads(dumps(strategy))["state"]["strategy"]["complexity"] == "several"


async def check_excluded(place: Place, answer: dict[str, Any], found: dict[str, Any]) -> None:
    for row in found["evidence"]:
        assert not {row["document_id"], row["passage_id"]} & {*place.excluded}


async def check_filtered(place: Place, answer: dict[str, Any], found: dict[str, Any]) -> None:
    assert {row["document"] for row in found["evidence"]} == {place.english}
    assert answer["rounds"] > 1


async def check_budget(place: Place, answer: dict[str, Any], found: dict[str, Any]) -> None:
    assert (answer["rounds"], answer["loop_stop"]) == (1, "ROUNDS")


CHECKS = {
    "goals and condition": check_met,
    "evidence": check_opened,
    "complexity": check_complexity,
    "exclude_ids": check_excluded,
    "filters": check_filtered,
    "budget": check_budget,
}


# A process of its own takes seconds: the quick suite runs one column of such a door.
CELLS = [
    pytest.param(door, column, marks=[pytest.mark.slow] if slow else [], id=f"{door}-{column}")
    for door in DOORS
    for number, column in enumerate(CHECKS)
    for slow in [door in ("CLI", "MCP stdio") and number > 0]
]


@pytest.mark.parametrize(("door", "column"), CELLS)
async def test_every_door_heeds_what_is_required(
    door: str, column: str, place: Place, known: dict[str, list[dict[str, Any]]]
) -> None:
    required = {"goals": GOALS, "condition": CONDITION, **place.column(column)}
    answer, found = await DOORS[door](place, required)
    if column not in known:
        known[column] = rows_of((await through_python(place, required))[1])
    assert rows_of(found) == known[column] != []
    assert found["id"] == answer["id"] and found["question"] == answer["question"] == QUESTION
    assert [goal["id"] for goal in found["goals"]] == ["T1", "task-7"]
    assert answer["condition"] == found["condition"] == CONDITION
    await CHECKS[column](place, answer, found)
