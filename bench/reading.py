"""How well real documents are read without a model:
`python bench/reading.py [--half dev|test|train|blind|fresh|further|later] [--show]`.

The questions of eval/reading, written by hand, are asked of one library that holds all of ../shared/pdf and
../shared/extract. Readers or rules of passages that changed give a library of their own in the folder."""

from __future__ import annotations

import argparse
import asyncio
import gzip
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import shisho
from shisho.bootstrap.desk import open_desk
from shisho.domain.corpus import Source
from shisho.domain.inquiry import Answer
from shisho.evaluation.reading import (
    BLIND,
    FRESH,
    FURTHER,
    HALVES,
    LATER,
    NOT_THERE,
    TRAIN,
    ReadingOutcome,
    ReadingQuestion,
    find_missing_needs,
    judge,
    list_shown_texts,
    load_questions,
)

ROOT = Path(__file__).parent.parent
QUESTIONS = ROOT / "eval" / "reading"
WHAT_INGEST_IS = ("corpus", "language", "isolation", "stores/embedded")
BOUNDS = {
    "right": (">=", 0.70),
    "printed as an answer and wrong": ("<=", 0.07),
    "not there, abstained": (">=", 0.80),
}


@dataclass(frozen=True, slots=True)
class ReadingResult:
    """A question, its answer, and what that is worth."""

    question: ReadingQuestion
    answer: Answer
    outcome: ReadingOutcome


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--half", choices=(*HALVES, TRAIN, BLIND, FRESH, FURTHER, LATER), default="dev", help="or another set"
    )
    parser.add_argument("--library", type=Path, default=ROOT / "build" / "reading", help="kept between runs")
    parser.add_argument(
        "--shared", type=Path, default=os.environ.get("SHISHO_SHARED", ROOT.parent / "shared")
    )
    parser.add_argument("--show", action="store_true", help="what was not right, with its quotations")
    options = parser.parse_args()
    os.environ["SHISHO_WEB"] = "off"
    questions = load_questions(QUESTIONS / f"{options.half}.jsonl")
    library = options.library / ingest_version()
    library.mkdir(parents=True, exist_ok=True)
    mark = library / "filled"
    if not mark.exists():
        asyncio.run(fill(library, Path(options.shared)))
        mark.touch()
    results = asyncio.run(ask_all(questions, library))
    if options.show:
        show(results)
    report(results)


def ingest_version() -> str:
    """A name that changes with whatever decides what a library holds."""
    package = Path(shisho.__file__).parent
    pages = [page for folder in WHAT_INGEST_IS for page in sorted((package / folder).rglob("*.*"))]
    texts = [page.read_bytes() for page in pages if page.suffix in (".py", ".sql")]
    return sha256(b"\0".join(texts)).hexdigest()[:12]


async def fill(library: Path, shared: Path) -> None:
    """Take in all documents."""
    outcomes: Counter[str] = Counter()
    async with open_desk(home=library) as desk:
        async for receipt in desk.add(shared / "pdf" / "ja", shared / "pdf" / "en"):
            outcomes[receipt.outcome] += 1
        for source in web_pages(shared / "extract" / "html"):
            receipt = await desk.add_source(source)
            outcomes[receipt.outcome] += 1
    print("library:", ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())))


def web_pages(folder: Path) -> list[Source]:
    return [
        Source(page.name.removesuffix(".gz"), gzip.decompress(page.read_bytes()), "text/html")
        for page in sorted(folder.glob("*.html.gz"))
    ]


async def ask_all(questions: Sequence[ReadingQuestion], library: Path) -> list[ReadingResult]:
    """Each question by itself, of the documents alone."""
    results = []
    async with open_desk(home=library) as desk:
        for question in questions:
            answer = await desk.ask(question.text)
            results.append(ReadingResult(question, answer, judge(question, answer)))
    return results


def report(results: Sequence[ReadingResult]) -> None:
    """A row a kind, and the bars."""
    print(f"{'kind':16} {'asked':>6} " + " ".join(f"{outcome:>10}" for outcome in ReadingOutcome))
    kinds = list(dict.fromkeys(result.question.kind for result in results))
    for kind in kinds:
        print(row(kind, [result for result in results if result.question.kind == kind]))
    answerable = [result for result in results if result.question.needs]
    absent = [result for result in results if not result.question.needs]
    print(row("all but not there", answerable))
    shares = {
        "right": share(answerable, ReadingOutcome.RIGHT),
        "printed as an answer and wrong": share(answerable, ReadingOutcome.WRONG),
        "not there, abstained": share(absent, ReadingOutcome.ABSTAINED),
    }
    for name, value in shares.items():
        sign, bound = BOUNDS[name]
        is_held = value >= bound if sign == ">=" else value <= bound
        print(f"{name:44} {value:>8.1%}   (wanted {sign} {bound:.0%}{'' if is_held else ': NOT HELD'})")


def row(name: str, results: Sequence[ReadingResult]) -> str:
    counts = Counter(result.outcome for result in results)
    return f"{name:16} {len(results):>6} " + " ".join(f"{counts[outcome]:>10}" for outcome in ReadingOutcome)


def share(results: Sequence[ReadingResult], outcome: ReadingOutcome) -> float:
    return sum(result.outcome is outcome for result in results) / max(1, len(results))


def show(results: Sequence[ReadingResult]) -> None:
    """What is not as it should be: the question, what it lacks, and what was printed."""
    for result in results:
        question = result.question
        good = ReadingOutcome.ABSTAINED if question.kind == NOT_THERE else ReadingOutcome.RIGHT
        if result.outcome is good:
            continue
        lacking = find_missing_needs(question.needs, list_shown_texts(result.answer))
        print(f"\n{question.id} {result.outcome}: {question.text}")
        print("  lacks:", " · ".join(" | ".join(alternatives) for alternatives in lacking) or "–")
        for evidence in result.answer.evidence:
            place = f"{Path(evidence.document).name[:40]} p{evidence.page}"
            print(
                f"  [{evidence.score:.2f}] {' '.join(evidence.snippet.split())}  ({evidence.heading}; {place})"
            )
    print()


if __name__ == "__main__":
    main()
