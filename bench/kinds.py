"""Measure answers without a model by kind of question: `python bench/kinds.py [--half open|kept] [--show]`.

Asks the questions of eval/kinds, each set of a library of its own documents: wordings and definitions among
those of ../shared/library, if it is there. Beside each figure is that of the rules before (before.json), as
`PYTHONPATH=OTHER/src python bench/kinds.py --save eval/kinds/before.json` measured it of another checkout.
`--sets dev,test,train` and other files of eval/reading are asked of ../shared/pdf and ../shared/extract."""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.domain.inquiry import Answer
from shisho.evaluation.reading import find_missing_needs
from shisho.services import Library

ROOT = Path(__file__).parent.parent
KINDS = ROOT / "eval" / "kinds"
BEFORE = KINDS / "before.json"
READING = ROOT / "eval" / "reading"
LECTURES = ROOT / "samples" / "lectures"
RESULTS = ROOT / "eval" / "results.md"
TITLE = "## By kind of question"
NOTE = (
    "`python bench/kinds.py --write`. Questions written before the code was tried on them. Before the arrow: the\n"
    "rules that quoted sentences, at c55accdf (`PYTHONPATH=OTHER/src python bench/kinds.py --save`)."
)
CASES = ("collection", "short_names", "designations", "opposites", "fiscal_years", "hard_wrapped")

MEASURED = ("shown", "answered", "answered right", "withheld")  # the other columns count questions

Row = Mapping[str, Any]
Figures = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The faults of an answer to a row, and whether it was called an answer."""

    row: Row
    answer: Answer
    faults: tuple[str, ...]

    @property
    def is_answered(self) -> bool:
        return not self.answer.abstained


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=("open", "kept"), help="only these; both without it")
    parser.add_argument("--show", action="store_true", help="print each wrong answer")
    parser.add_argument("--sets", default="", help="comma-separated; all of eval/kinds without it")
    parser.add_argument("--save", type=Path, help="write the figures to this file")
    parser.add_argument("--write", action="store_true", help="write the table into eval/results.md")
    parser.add_argument(
        "--shared", type=Path, default=Path(os.environ.get("SHISHO_SHARED", ROOT.parent / "shared"))
    )
    options = parser.parse_args()
    os.environ["SHISHO_WEB"] = "off"
    wanted = options.sets.split(",") if options.sets else (*CASES, "wordings", "definitions", "samples")
    figures: dict[str, Figures] = {}
    for name in wanted:
        rows = [
            row for row in load_rows(name) if options.half is None or row["half"] in ("row", options.half)
        ]
        outcomes = asyncio.run(ask_rows(rows, list_sources(name, options.shared)))
        figures |= count_by_kind(name, outcomes)
        if options.show:
            show_faults(outcomes)
    if options.save:
        options.save.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", "utf-8")
    is_whole = options.half is None and BEFORE.exists()
    table = format_table(figures, json.loads(BEFORE.read_text("utf-8")) if is_whole else {})
    print(table)
    if options.write:
        before = RESULTS.read_text("utf-8").split(TITLE)[0].rstrip()
        RESULTS.write_text(f"{before}\n\n{TITLE}\n\n{NOTE}\n\n{table}", "utf-8")


def load_rows(name: str) -> list[Row]:
    """Return the questions of a set. A case names its folder of documents, the other sets are files."""
    path = READING / f"{name}.jsonl"
    is_reading = path.exists()
    path = path if is_reading else KINDS / f"{'cases' if name in CASES else name}.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    if is_reading:  # their documents are where the answer stands, not all that may be cited
        return [{**row, "half": "open", "documents": None} for row in rows]
    return [row for row in rows if row.get("folder", name) == name]


def list_sources(name: str, shared: Path) -> list[Path | Source]:
    """Return the folders that a set is asked of, and pages of the web."""
    if name == "samples":
        return [LECTURES]
    if (READING / f"{name}.jsonl").exists():
        pages = sorted((shared / "extract" / "html").glob("*.html.gz"))
        return [
            shared / "pdf" / "ja",
            shared / "pdf" / "en",
            *(
                Source(page.name.removesuffix(".gz"), gzip.decompress(page.read_bytes()), "text/html")
                for page in pages
            ),
        ]
    library = shared / "library"
    is_mixed = name in ("wordings", "definitions") and library.exists()
    return [KINDS / name, *([library] if is_mixed else [])]


async def ask_rows(rows: Sequence[Row], sources: Iterable[Path | Source]) -> list[Outcome]:
    """Ask each question by itself, of one library."""
    with tempfile.TemporaryDirectory() as home:
        async with open_library(home=home) as desk:
            for source in sources:
                if isinstance(source, Source):
                    await desk.documents.add_source(source)
                    continue
                async for _ in desk.documents.add(source):
                    pass
            return [await ask_row(desk, row) for row in rows]


async def ask_row(desk: Library, row: Row) -> Outcome:
    answer = await desk.questions.ask(row["question"])
    return Outcome(row, answer, tuple(find_faults(row, answer)))


def list_screen(answer: Answer) -> list[str]:
    """Return what the first screen shows: the passages, or the quotations, and the text around them."""
    passages = getattr(answer, "passages", ()) or answer.evidence
    shown = [f"{each.heading}\n{getattr(each, 'snippet', '') or each.text}" for each in passages]
    return [*shown, answer.text]


def is_there(row: Row) -> bool:
    """Return whether the documents answer a question."""
    return bool(row["needs"] or row.get("documents"))


def list_first(answer: Answer) -> list[str]:
    """Return the first passage that is shown, and the code after it that it leads in."""
    shown = list(getattr(answer, "passages", ()) or answer.evidence)
    return list_screen(answer)[: 2 if len(shown) > 1 and shown[1].code else min(1, len(shown))]


def find_faults(row: Row, answer: Answer) -> list[str]:
    """Return what is wrong with an answer. Nothing is if it shows each need where the row wants it."""
    if not is_there(row):
        return [] if answer.abstained else ["called an answer"]
    faults = [f"not shown: {need}" for need in find_missing_needs(row["needs"], list_screen(answer))]
    if row.get("first"):
        faults += [f"not first: {need}" for need in find_missing_needs(row["needs"], list_first(answer))]
    if row.get("marked"):
        marked = [each.snippet for each in answer.evidence]
        faults += [f"not marked: {need}" for need in find_missing_needs(row["needs"], marked)]
    faults += [f"shown: {word}" for word in row.get("forbids", ()) if word in answer.text]
    cited = sorted({Path(each.document).name for each in answer.evidence})
    if row.get("documents") and cited != sorted(row["documents"]):
        faults.append(f"cites {', '.join(cited)}")
    return faults


def count_by_kind(name: str, outcomes: Sequence[Outcome]) -> dict[str, Figures]:
    """Count the outcomes of each kind of the set, and of all."""
    kinds = dict.fromkeys(each.row.get("kind", name) for each in outcomes)
    counts = {
        kind: count([each for each in outcomes if each.row.get("kind", name) == kind]) for kind in kinds
    }
    return counts | ({f"{name}, all": count(outcomes)} if len(kinds) > 1 else {})


def count(outcomes: Sequence[Outcome]) -> Figures:
    there = [each for each in outcomes if is_there(each.row)]
    absent = [each for each in outcomes if not is_there(each.row)]
    answered = [each for each in there if each.is_answered]
    return {
        "questions": len(there),
        "shown": sum(not each.faults for each in there),
        "answered": len(answered),
        "answered right": sum(not each.faults for each in answered),
        "not there": len(absent),
        "withheld": sum(not each.faults for each in absent),
    }


def format_table(figures: Mapping[str, Figures], before: Mapping[str, Figures]) -> str:
    """Return a row for each kind, with the figures before where they differ in what is measured."""
    columns = list(next(iter(figures.values())))
    lines = [f"| kind | {' | '.join(columns)} |", "|---|" + "---|" * len(columns)]
    for kind, own in figures.items():
        old = before.get(kind, {})
        cells = [
            f"{old[column]} → {own[column]}"
            if column in MEASURED and old.get(column, own[column]) + own[column] and old
            else f"{own[column]}"
            for column in columns
        ]
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def show_faults(outcomes: Iterable[Outcome]) -> None:
    for each in outcomes:
        if each.faults:
            print(f"\n{each.row['id']} {each.answer.level.value}: {each.row['question']}")
            print("  " + "; ".join(each.faults))
            for text in list_screen(each.answer)[:3]:
                print("  > " + " ".join(text.split())[:200])
    print()


if __name__ == "__main__":
    main()
