"""The same set of questions over SQLite and over PostgreSQL, each through a whole library. The share of the
ten best passages that both have, the figures of `eval/` on PostgreSQL, and for how many questions both quote
the same.

python bench/two_stores.py ../shared/eval/niilc-dev --store postgresql://user@host/empty_database [--asked
200]
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path
from statistics import fmean

from shisho.bootstrap.library import open_library
from shisho.evaluation import load
from shisho.evaluation.run import evaluate_retrieval, fill
from shisho.services import Library

TOP = 10


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--store", required=True)
    parser.add_argument("--asked", type=int, default=200)
    parser.add_argument("--ranked", type=int, default=1_000)
    chosen = parser.parse_args()
    asyncio.run(compare(chosen.folder, chosen.store, chosen.ranked, chosen.asked))


async def compare(folder: Path, store: str, ranked: int, asked: int) -> None:
    eval_set = await asyncio.to_thread(load, folder)
    with tempfile.TemporaryDirectory() as first_home, tempfile.TemporaryDirectory() as second_home:
        async with (
            open_library(home=first_home) as embedded,
            open_library(home=second_home, store=store) as postgres,
        ):
            for library in (embedded, postgres):
                await fill(library, eval_set)
            questions = eval_set.questions[:ranked]
            shares = [await overlap(embedded, postgres, question.text) for question in questions]
            report("the ten best, share that both have", fmean(shares))
            figures = await evaluate_retrieval(postgres, eval_set, questions)
            for name in ("ndcg@10", "recall@50"):
                report(f"{name} on PostgreSQL", figures[name])
            step = max(1, len(eval_set.questions) // asked)
            some = eval_set.questions[::step][:asked]
            same = [
                await evidence(embedded, text.text) == await evidence(postgres, text.text) for text in some
            ]
            report(f"the same evidence, of {len(some)} questions", fmean(same))


async def overlap(first: Library, second: Library, text: str) -> float:
    names = [
        {hit.passage for hit in await library.documents.search([text], limit=TOP)}
        for library in (first, second)
    ]
    return len(names[0] & names[1]) / max(1, *map(len, names))


async def evidence(library: Library, text: str) -> list[tuple[str, int, int]]:
    answer = await library.questions.ask(text)
    return sorted((quote.document_id, quote.start, quote.end) for quote in answer.evidence)


def report(name: str, value: float) -> None:
    print(f"{name:44} {value:>8.4f}", flush=True)


if __name__ == "__main__":
    main()
