"""Measure answers without a model by kind of question: `python bench/kinds.py [--half open|kept] [--show]`.

Asks the questions of eval/kinds, each set of a library of its own documents: wordings and definitions among
those of ../shared/library, if it is there. With PYTHONPATH=OTHER/src, it measures another checkout."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shisho.bootstrap.desk import open_desk
from shisho.desk import Desk
from shisho.domain.inquiry import Answer
from shisho.evaluation.reading import find_missing_needs

ROOT = Path(__file__).parent.parent
KINDS = ROOT / "eval" / "kinds"
LECTURES = ROOT / "samples" / "lectures"
CASES = ("collection", "short_names", "designations", "opposites", "fiscal_years", "hard_wrapped")

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The faults of an answer to a row, and whether it was called an answer."""

    row: Row
    answer: Answer
    faults: tuple[str, ...]

    @property
    def is_answered(self) -> bool:
        return self.answer.level.value == "answered"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=("open", "kept"), help="only these; both without it")
    parser.add_argument("--show", action="store_true", help="print each wrong answer")
    parser.add_argument("--sets", default="", help="comma-separated kinds; all without it")
    parser.add_argument(
        "--shared", type=Path, default=Path(os.environ.get("SHISHO_SHARED", ROOT.parent / "shared"))
    )
    options = parser.parse_args()
    os.environ["SHISHO_WEB"] = "off"
    wanted = options.sets.split(",") if options.sets else (*CASES, "wordings", "definitions", "samples")
    print("| kind | questions | shown | answered | right | not there | withheld |")
    print("|---|---|---|---|---|---|---|")
    for name in wanted:
        rows = [
            row for row in load_rows(name) if options.half is None or row["half"] in ("row", options.half)
        ]
        outcomes = asyncio.run(ask_rows(rows, list_folders(name, options.shared)))
        for line in format_table(name, outcomes):
            print(line, flush=True)
        if options.show:
            show_faults(outcomes)


def load_rows(name: str) -> list[Row]:
    """Return the questions of a set. A case names its folder of documents, the other sets are files."""
    file = "cases" if name in CASES else name
    rows = [json.loads(line) for line in (KINDS / f"{file}.jsonl").read_text("utf-8").splitlines()]
    return [row for row in rows if row.get("folder", name) == name]


def list_folders(name: str, shared: Path) -> list[Path]:
    """Return the folders that a set is asked of."""
    if name == "samples":
        return [LECTURES]
    background = shared / "library" if name in ("wordings", "definitions") else None
    return [KINDS / name, *([background] if background and background.exists() else [])]


async def ask_rows(rows: Sequence[Row], folders: Sequence[Path]) -> list[Outcome]:
    """Ask each question by itself, of one library."""
    with tempfile.TemporaryDirectory() as home:
        async with open_desk(home=home) as desk:
            for folder in folders:
                async for _ in desk.add(folder):
                    pass
            return [await ask_row(desk, row) for row in rows]


async def ask_row(desk: Desk, row: Row) -> Outcome:
    answer = await desk.ask(row["question"])
    return Outcome(row, answer, tuple(find_faults(row, answer)))


def list_screen(answer: Answer) -> list[str]:
    """Return what the first screen shows: the passages, or the quotations, and the text around them."""
    passages = getattr(answer, "passages", ()) or answer.evidence
    shown = [f"{each.heading}\n{getattr(each, 'snippet', '') or each.text}" for each in passages]
    return [*shown, answer.text]


def list_first(answer: Answer) -> list[str]:
    """Return the first passage that is shown, and the code after it that it leads in."""
    shown = list(getattr(answer, "passages", ()) or answer.evidence)
    return list_screen(answer)[: 2 if len(shown) > 1 and shown[1].code else min(1, len(shown))]


def find_faults(row: Row, answer: Answer) -> list[str]:
    """Return what is wrong with an answer. Nothing is if it shows each need where the row wants it."""
    if not row["needs"] and "documents" not in row:
        return ["called an answer"] if answer.level.value == "answered" else []
    faults = [f"not shown: {need}" for need in find_missing_needs(row["needs"], list_screen(answer))]
    if row.get("first"):
        faults += [f"not first: {need}" for need in find_missing_needs(row["needs"], list_first(answer))]
    if row.get("marked"):
        marked = [each.snippet for each in answer.evidence]
        faults += [f"not marked: {need}" for need in find_missing_needs(row["needs"], marked)]
    faults += [f"shown: {word}" for word in row.get("forbids", ()) if word in answer.text]
    cited = sorted({Path(each.document).name for each in answer.evidence})
    if cited != sorted(row.get("documents", cited)):
        faults.append(f"cites {', '.join(cited)}")
    return faults


def format_table(name: str, outcomes: Sequence[Outcome]) -> list[str]:
    """Return a line for each kind of the set."""
    kinds = dict.fromkeys(kind for kind in (each.row.get("kind", name) for each in outcomes))
    lines = [
        format_line(kind, [each for each in outcomes if each.row.get("kind", name) == kind]) for kind in kinds
    ]
    return [*lines, format_line(f"{name}, all", outcomes)] if len(kinds) > 1 else lines


def format_line(kind: str, outcomes: Iterable[Outcome]) -> str:
    """Count: shown as wanted, called answers, of these right; and of what is not there, withheld."""
    there = [each for each in outcomes if each.row["needs"] or "documents" in each.row]
    absent = [each for each in outcomes if each not in there]
    answered = [each for each in there if each.is_answered]
    cells = (
        len(there),
        sum(not each.faults for each in there),
        len(answered),
        sum(not each.faults for each in answered),
        len(absent),
        sum(not each.faults for each in absent),
    )
    return f"| {kind} | " + " | ".join(map(str, cells)) + " |"


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
