"""Measure questions about the pages of Japanese PDFs, without a model:
`python eval/pages.py ../shared/eval-pdf-ja [--show]`.

A question counts as shown if a quoted or shown passage is on its gold page. Words and vectors rank pages
together; each page counts once, at its best passage."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shisho.bootstrap.library import open_library
from shisho.services import Library

DEPTH = 50  # passages; five pages need fewer


@dataclass(frozen=True, slots=True)
class PageResult:
    """`rank`: of the gold page among the pages of the search, from 1; 0 if it is not among them."""

    kind: str
    domain: str
    level: str
    rank: int
    is_shown: bool


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", action="store_true", help="print each question with its outcome")
    options = parser.parse_args()
    os.environ["SHISHO_WEB"] = "off"
    report(asyncio.run(ask_questions(options.folder, show=options.show)))


async def ask_questions(folder: Path, *, show: bool) -> list[PageResult]:
    """Ask the questions of one library that holds all PDFs."""
    lines = (folder / "questions.jsonl").read_text("utf-8").splitlines()
    results = []
    with tempfile.TemporaryDirectory() as home:
        async with open_library(home=home) as library:
            async for _ in library.documents.add(folder / "pdfs", ocr=False):
                pass
            for row in map(json.loads, lines):
                results.append(await ask_question(library, row))
                if show:
                    print(results[-1], row["question"][:80])
    return results


async def ask_question(library: Library, row: dict[str, str]) -> PageResult:
    """Ask one question, and rank the pages for it."""
    gold = row["document"], row["page"]
    hits = await library.documents.rank(row["question"], depth=DEPTH)
    pages = list(dict.fromkeys((Path(hit.source).name, hit.page) for hit in hits))
    answer = await library.questions.ask(row["question"])
    names = {each.document_id: Path(each.document).name for each in answer.evidence}
    shown = {(names.get(each.document_id, ""), each.page) for each in (*answer.passages, *answer.evidence)}
    rank = pages.index(gold) + 1 if gold in pages else 0
    return PageResult(row["kind"], row["domain"], answer.level.value, rank, gold in shown)


def report(results: Sequence[PageResult]) -> None:
    """Print a row for all questions, for each kind and for each domain."""
    print("| questions | number | page first | in five | on the gold page | called answered |")
    print("|---|---|---|---|---|---|")
    names = [
        "all",
        *dict.fromkeys(each.kind for each in results),
        *dict.fromkeys(each.domain for each in results),
    ]
    for name in names:
        own = [each for each in results if name in ("all", each.kind, each.domain)]
        first = sum(result.rank == 1 for result in own) / len(own)
        in_five = sum(1 <= result.rank <= 5 for result in own) / len(own)
        shown = sum(result.is_shown for result in own) / len(own)
        answered = sum(result.level == "answered" for result in own)
        print(f"| {name} | {len(own)} | {first:.3f} | {in_five:.3f} | {shown:.3f} | {answered} |")


if __name__ == "__main__":
    main()
