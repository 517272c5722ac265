"""Passages shown in each round: `python bench/room.py ../shared/eval/jsquad-valid [--passages 1592]`.

A library of so many passages, one thing asked and a comparison, four rounds: of a session, and of questions
that a played model reads with a context of 8,192, 32,768 and 131,072 tokens."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

from shisho.bootstrap.library import open_library
from shisho.corpus.session import compute_top_k
from shisho.domain.corpus import Complexity, SearchRequest, Source
from shisho.domain.inquiry import Goal
from shisho.evaluation import load
from shisho.services import Library
from shisho.testing.model_providers import FakeProvider, ProviderReply, ProviderRequest

ROUNDS = (1, 2, 3, 4)
CONTEXTS = (8_192, 32_768, 131_072)
COMPLEXITIES = (Complexity.SINGLE, Complexity.COMPARISON)
WORDS = ("年", "日本", "世界", "名前")
GOAL = Goal("G1", "日本で最初の年はいつか", min_evidence=50)  # never met: all rounds are taken
BUDGET = {"max_rounds": len(ROUNDS), "max_seconds": 3_600.0, "max_model_calls": 40}
PASSAGE = re.compile(r"^(⟦\w+) passage (\d+)[^\n]*\n(.*?)\n\1 end of passage", re.S | re.M)


class Reader:
    """A played model that quotes the first sentence that it is shown. `shown`: passages of each reading."""

    def __init__(self) -> None:
        self.shown: list[int] = []
        self._words = count()

    def __call__(self, request: ProviderRequest) -> ProviderReply:
        kind = next(iter(request.schema["properties"]))
        if kind == "findings":
            return _reply({"findings": list(self._quote(request))})
        round_ = next(self._words)
        plan = {
            "keywords": [WORDS[round_ % len(WORDS)], f"{round_}"],
            "meaning": GOAL.question,
            "reasoning": "",
        }
        return _reply({"keywords": plan, "next_focus": {"next_focus": "G1", "reason": ""}}.get(kind, {}))

    def _quote(self, request: ProviderRequest) -> Iterator[dict[str, object]]:
        passages = PASSAGE.findall(request.text)
        self.shown.append(len(passages))
        for _, number, text in passages[:1]:
            quotation = text.split("。")[0]
            yield {"passage": int(number), "goal": "G1", "quotation": quotation, "score": 0.9}


def _reply(value: object) -> ProviderReply:
    return ProviderReply(json.dumps(value, ensure_ascii=False))


async def show_in_session(library: Library, complexity: Complexity) -> list[int]:
    """How many passages each round of a session shows."""
    opened = await library.sessions.open_session(GOAL.question, complexity=complexity)
    found = [
        await library.sessions.search_next(
            opened.session_id, SearchRequest(keyword_query=(word, GOAL.question))
        )
        for word in WORDS
    ]
    return [len(round_.shown) for round_ in found]


async def show_to_model(home: Path, context: int, complexity: Complexity) -> list[int]:
    """How many passages a model with this context reads in each round of a question."""
    reader = Reader()
    async with (
        FakeProvider(reader) as provider,
        open_library(
            home=home,
            web="off",
            model="ollama/m-1",
            model_url=provider.build_url("ollama"),
            model_context=context,
            model_seconds=600.0,
        ) as library,
    ):
        await library.questions.ask(GOAL.question, goals=[GOAL], complexity=complexity, budget=BUDGET)
    return reader.shown


async def fill(library: Library, folder: Path, passages: int) -> int:
    """Take in documents of a set until there are so many passages; how many there are then."""
    held = 0
    for entry in load(folder).entries:
        if held >= passages:
            break
        await library.documents.add_source(Source(entry.id, entry.text.encode(), "text/plain", entry.title))
        held = sum(corpus.passages for corpus in await library.documents.list_corpora())
    return held


async def report(folder: Path, passages: int) -> None:
    """A row for each reader."""
    with tempfile.TemporaryDirectory() as home:
        async with open_library(home=home, web="off") as library:
            held = await fill(library, folder, passages)
            rows = {("session", way): await show_in_session(library, way) for way in COMPLEXITIES}
        for context in CONTEXTS:
            for way in COMPLEXITIES:
                rows[f"model of {context:,}", way] = await show_to_model(Path(home), context, way)
    print(f"N = {held:,}\n\n| reader | complexity | round 1 | 2 | 3 | 4 |\n|---|---|---|---|---|---|")
    for way in COMPLEXITIES:
        print(write_row("k", way, [compute_top_k(held, way, round_) for round_ in ROUNDS]))
    for (reader, way), shown in rows.items():
        print(write_row(reader, way, shown))


def write_row(reader: str, complexity: Complexity, shown: Sequence[int]) -> str:
    return f"| {reader} | {complexity} | {' | '.join(map(str, shown))} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--passages", type=int, default=1_592)
    given = parser.parse_args()
    asyncio.run(report(given.folder, given.passages))


if __name__ == "__main__":
    main()
