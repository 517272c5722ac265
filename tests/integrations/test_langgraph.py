"""LangGraph and LangChain themselves over a library with the sample lectures: no answer differs from our own
runner's."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langchain_core.documents import Document
from langchain_core.messages import ToolMessage
from langchain_core.prompts import ChatPromptTemplate
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from shisho.bootstrap.library import open_library
from shisho.domain.codec import dumps
from shisho.domain.corpus import Source
from shisho.domain.inquiry import Answer
from shisho.errors import EmptyCorpus, InvalidParams
from shisho.integrations.langgraph import ShishoRetriever, ask_tool, compile_librarian, search_tool
from shisho.librarian.table import TABLE
from shisho.messages.catalogue import use_language
from shisho.services import Library
from tests.corpus.readers.making_books import notebook
from tests.inside import builder_of

SAMPLES = Path(__file__).parents[2] / "samples"
SETS = tomllib.loads((SAMPLES / "questions.toml").read_text("utf-8"))
QUESTIONS = [row["question"] for row in (*SETS["question"], *SETS["unanswerable"])]
QUESTION = "最小二乗法とはどのような方法か"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    async def stock() -> None:
        async with open_library(home=folder, web="off") as library:
            async for _ in library.documents.add(SAMPLES / "lectures"):
                pass

    folder = tmp_path_factory.mktemp("home")
    asyncio.run(stock())
    return folder


@pytest.fixture
async def library(home: Path) -> AsyncIterator[Library]:
    async with open_library(home=home, web="off") as library:
        yield library


def same(answer: Answer) -> str:
    """All of an answer but its ids and times."""
    evidence = tuple(replace(quoted, id="") for quoted in answer.evidence)
    used = {**answer.budget_used, "seconds": 0}
    return dumps(
        replace(
            answer, id="", task_id="", conversation_id="", created_at="", budget_used=used, evidence=evidence
        )
    )


async def steps_of(library: Library, answer: Answer) -> list[Any]:
    """The ledger's steps of the run that gave an answer, without times."""
    steps = json.loads(dumps([*await builder_of(library).stores.ledger.list_steps(answer.task_id)]))
    return [(step["node"], step["texts"], timeless(step["output"])) for step in steps]


def timeless(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: timeless(value) for key, value in part.items() if key not in ("seconds", "composed_at")}
    return [timeless(value) for value in part] if isinstance(part, list) else part


@pytest.mark.parametrize("question", QUESTIONS)
async def test_both_runners_give_the_same_answer_by_the_same_steps(home: Path, question: str) -> None:
    answers = []
    steps = []
    for loop in ("own", "langgraph"):
        async with open_library(home=home, web="off", loop=loop) as library:
            answers.append(await library.questions.ask(question))
            steps.append(await steps_of(library, answers[-1]))
    assert same(answers[0]) == same(answers[1])
    assert steps[0] == steps[1] and len(steps[0]) >= 6


async def test_compiled_librarian_gives_the_answer_of_the_desk_and_stores_it(library: Library) -> None:
    graph = compile_librarian(library)
    given = await graph.ainvoke({"question": QUESTION})
    assert set(given) == {"answer", "accepted_evidence"}
    assert given["accepted_evidence"] == (await library.questions.list_evidence(given["answer"].id)).evidence
    asked = await library.questions.ask(QUESTION)
    assert same(given["answer"]) == same(asked)
    assert await steps_of(library, given["answer"]) == await steps_of(library, asked)
    assert await library.questions.get(given["answer"].id) == given["answer"]


async def test_compiled_librarian_streams_its_nodes_in_the_order_of_the_table(library: Library) -> None:
    told = [
        [*update]
        async for update in compile_librarian(library).astream({"question": QUESTION}, stream_mode="updates")
    ]
    assert [name for (name,) in told] == [
        "begin",
        "strategy",
        "plan",
        "search",
        "evaluate",
        "route",
        "answer",
        "finish",
    ]


async def test_compiled_librarian_is_a_node_of_a_graph_that_keeps_checkpoints(library: Library) -> None:
    class Desktop(TypedDict, total=False):
        question: str
        answer: Answer
        length: int

    drawn = StateGraph(Desktop)
    drawn.add_node("librarian", compile_librarian(library))
    drawn.add_node("count", lambda state: {"length": len(state["answer"].evidence)})
    drawn.add_edge(START, "librarian")
    drawn.add_edge("librarian", "count")
    drawn.add_edge("count", END)
    graph = drawn.compile(checkpointer=InMemorySaver())
    given = await graph.ainvoke({"question": QUESTION}, {"configurable": {"thread_id": "1"}})
    assert given["length"] == len(given["answer"].evidence) >= 1


async def test_compiled_librarian_answers_two_questions_at_once(library: Library) -> None:
    graph = compile_librarian(library, budget={"max_rounds": 2})
    both = await asyncio.gather(*(graph.ainvoke({"question": question}) for question in QUESTIONS[:2]))
    asked = [await library.questions.ask(question, budget={"max_rounds": 2}) for question in QUESTIONS[:2]]
    assert [same(given["answer"]) for given in both] == [same(answer) for answer in asked]


async def test_graph_has_the_nodes_and_edges_of_the_table(library: Library) -> None:
    drawn = compile_librarian(library).get_graph()
    assert {*drawn.nodes} == {"__start__", "begin", *TABLE, "finish", "__end__"}
    edges = {(edge.source, edge.target) for edge in drawn.edges}
    assert edges >= {
        (name, place) for name, node in TABLE.items() for place in node.leads_to if place in TABLE
    }


async def test_errors_of_a_question_come_through_the_graph(library: Library, tmp_path: Path) -> None:
    with pytest.raises(InvalidParams):
        await compile_librarian(library).ainvoke({"question": "  "})
    async with open_library(home=tmp_path, web="off") as empty:
        with pytest.raises(EmptyCorpus):
            await compile_librarian(empty).ainvoke({"question": QUESTION})


async def test_compiled_librarian_refuses_unknown_keys_and_tells_its_schemas(library: Library) -> None:
    graph = compile_librarian(library)
    with pytest.raises(InvalidParams, match="has no field goal, wait"):
        await graph.ainvoke({"question": QUESTION, "goal": ["x"], "wait": 3})
    with pytest.raises(InvalidParams, match="character 4"):
        await graph.ainvoke({"question": QUESTION, "goals": ["最小二乗法の定義"], "condition": "G1 & G1"})
    assert graph.get_input_jsonschema()["required"] == ["question"]
    assert {"goals", "condition", "complexity", "exclude_ids"} < {*graph.get_input_jsonschema()["properties"]}
    assert {*graph.get_output_jsonschema()["properties"]} == {"answer", "accepted_evidence"}


async def test_retriever_gives_passages_that_open_and_works_in_a_chain(library: Library) -> None:
    retriever = ShishoRetriever(library=library, limit=3)
    documents = await retriever.ainvoke("決定係数 定義")
    hits = await library.documents.search(["決定係数 定義"], limit=3)
    assert [document.page_content for document in documents] == [hit.text for hit in hits]
    first = documents[0].metadata
    text = await library.documents.read_text(first["document_id"])
    assert text[first["start"] : first["end"]] == documents[0].page_content
    json.dumps(first)

    def joined(documents: list[Document]) -> dict[str, str]:
        return {"context": "\n".join(document.page_content for document in documents)}

    chain = retriever | joined | ChatPromptTemplate.from_template("{context}")
    assert hits[0].text in (await chain.ainvoke("決定係数 定義")).to_string()


async def test_retriever_heeds_corpus_and_filter(library: Library) -> None:
    other = (await library.documents.get("04-reading-a-regression.pdf")).source
    assert {hit.source for hit in await library.documents.search(["決定係数"])} != {other}
    documents = await ShishoRetriever(library=library, filters={"source": (other,)}).ainvoke("決定係数")
    assert {document.metadata["source"] for document in documents} == {other}
    with pytest.raises(EmptyCorpus):
        await ShishoRetriever(library=library, corpora=("nowhere",)).ainvoke("決定係数")


async def test_tools_answer_a_models_call_with_words_and_an_artifact(library: Library) -> None:
    ask = ask_tool(library)
    search = search_tool(library, limit=2)
    assert ask.args_schema.model_json_schema()["required"] == ["question"]  # type: ignore[union-attr]
    call = {"name": ask.name, "args": {"question": QUESTION}, "id": "1", "type": "tool_call"}
    message = await ask.ainvoke(call)
    assert isinstance(message, ToolMessage) and isinstance(message.artifact, Answer)
    assert message.artifact.text in message.content and message.artifact.evidence[0].link in message.content
    found = await search.ainvoke(
        {"name": search.name, "args": {"query": "決定係数"}, "id": "2", "type": "tool_call"}
    )
    assert [hit.text for hit in found.artifact] == [
        hit.text for hit in await library.documents.search(["決定係数"], limit=2)
    ]
    assert found.artifact[0].text in found.content


async def test_tool_takes_what_the_answer_must_say(library: Library) -> None:
    first, second = {"id": "T1", "question": "決定係数の定義"}, {"id": "task-7", "question": "残差の定義"}
    plain = await library.questions.ask("決定係数と残差の違いを比較せよ", goals=[first, second])
    arguments = {
        "question": plain.question,
        "goals": [{**first, "min_evidence": 1}, second],
        "condition": "T1 and not task-7",
        "complexity": "several",
        "exclude_ids": [plain.evidence[0].passage_id],
    }
    call = {"name": "ask_library", "args": arguments, "id": "1", "type": "tool_call"}
    answer = (await ask_tool(library).ainvoke(call)).artifact
    assert answer.condition == "T1 and not task-7"
    assert [goal.id for goal in answer.goals] == ["T1", "task-7"]
    assert answer.evidence and plain.evidence[0].passage_id not in {
        quoted.passage_id for quoted in answer.evidence
    }
    with pytest.raises(InvalidParams, match="no passage and no document nowhere"):
        await ask_tool(library).ainvoke({**call, "args": {**arguments, "exclude_ids": ["nowhere"]}})


async def test_search_names_the_cell_of_a_notebook_in_the_readers_language(tmp_path: Path) -> None:
    async with open_library(home=tmp_path, web="off") as library:
        await library.documents.add_source(Source("分析.ipynb", notebook()))
        for language, place in (("ja", "セル3"), ("en", "cell 3")):
            with use_language(language):
                assert f", {place}]" in str(await search_tool(library).ainvoke({"query": "決定係数"}))


async def test_calls_that_cannot_be_awaited_say_what_to_do(library: Library) -> None:
    with pytest.raises(InvalidParams, match="ainvoke"):
        ShishoRetriever(library=library).invoke("決定係数")
    with pytest.raises(NotImplementedError, match="sync"):
        ask_tool(library).invoke({"question": QUESTION})


@pytest.mark.slow
def test_program_of_the_howto_runs(home: Path, tmp_path: Path) -> None:
    page = (SAMPLES.parent / "docs" / "howto" / "langgraph.md").read_text("utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    path = tmp_path / "program.py"
    path.write_text(program, "utf-8")
    environment = {**os.environ, "SHISHO_HOME": str(home), "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, path], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "01-regression.pdf#page=" in done.stdout and "残差" in done.stdout
