"""Measure conversations, some of whose questions nothing answers, without a model:
`python eval/multiturn.py ../shared/eval-multiturn [--show]`.

All passages of all tasks are the documents of one library. The user's questions of a task are asked in
turn; the last one is judged."""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.services import Library

DEPTH = 10  # documents of recall

Task = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The outcome of the last question of a task. `recall`: the share of its passages among the first ten
    documents; `is_shown`: one of them is quoted."""

    kind: str
    level: str
    recall: float
    recall_alone: float
    is_shown: bool


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", action="store_true", help="print each task with its level and recall")
    options = parser.parse_args()
    os.environ["SHISHO_WEB"] = "off"
    lines = gzip.decompress(next(options.folder.glob("*.jsonl.gz")).read_bytes()).decode().splitlines()
    report(asyncio.run(ask_tasks([json.loads(line) for line in lines], show=options.show)))


async def ask_tasks(tasks: Sequence[Task], *, show: bool) -> list[TaskResult]:
    """Ask the tasks of one library."""
    texts = {passage["id"]: passage["text"] for task in tasks for passage in task["passages"]}
    results = []
    with tempfile.TemporaryDirectory() as home:
        async with open_library(home=home) as library:
            names = {}
            for name, text in texts.items():
                receipt = await library.documents.add_source(Source(f"{name}.txt", text.encode()))
                names[receipt.document_id] = name
            for task in tasks:
                results.append(await ask_task(library, task, names))
                if show:
                    print(results[-1], " | ".join(list_questions(task)[-2:])[:150])
    return results


async def ask_task(library: Library, task: Task, names: Mapping[Any, str]) -> TaskResult:
    """Ask the user's questions in turn. The last answer is judged."""
    conversation = None
    for question in list_questions(task):
        answer = await library.questions.ask(question, conversation=conversation)
        conversation = answer.conversation_id
    gold = {passage["id"] for passage in task["passages"]}
    recalls = []
    for query in (answer.understood or question, question):
        found = [names[document] for document in await library.documents.rank_documents(query)][:DEPTH]
        recalls.append(len(gold.intersection(found)) / max(1, min(DEPTH, len(gold))))
    shown = {names[each.document_id] for each in answer.evidence}
    return TaskResult(task["answerable"][0], answer.level.value, *recalls, bool(gold & shown))


def list_questions(task: Task) -> list[str]:
    return [turn["text"].strip() for turn in task["turns"] if turn["speaker"] == "user"]


def report(results: Sequence[TaskResult]) -> None:
    """Print a row for each kind."""
    print("| kind | tasks | answered | a passage is shown | withheld | recall@10 | of the question alone |")
    print("|---|---|---|---|---|---|---|")
    for kind in dict.fromkeys(result.kind for result in results):
        own = [result for result in results if result.kind == kind]
        answered = sum(result.level in ("answered", "partial") for result in own)
        shown = sum(result.is_shown for result in own) / len(own)
        recall, alone = (
            sum(getattr(result, name) for result in own) / len(own) for name in ("recall", "recall_alone")
        )
        withheld = 1 - answered / len(own)
        print(
            f"| {kind} | {len(own)} | {answered} | {shown:.3f} | {withheld:.3f} | {recall:.3f} | {alone:.3f} |"
        )


if __name__ == "__main__":
    main()
