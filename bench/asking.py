"""How questions are understood: `python bench/asking.py [--half dev|kept] [--show]`.

The questions of eval/asking, written by hand, are asked of the sample lectures, those of a conversation one
after the other. Right: understood as it should be, and the quotations hold what is needed."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from shisho.bootstrap.library import open_library
from shisho.domain.inquiry import Answer
from shisho.evaluation.reading import find_missing_needs, list_shown_texts
from shisho.services import Library

ROOT = Path(__file__).parent.parent
QUESTIONS = ROOT / "eval" / "asking" / "questions.jsonl"
LECTURES = ROOT / "samples" / "lectures"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=("dev", "kept"), default="dev", help="kept: once, when all is done")
    parser.add_argument("--show", action="store_true", help="what was not right, and how it was understood")
    options = parser.parse_args()
    os.environ["SHISHO_WEB"] = "off"
    rows = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
    asyncio.run(report([row for row in rows if row["half"] == options.half], show=options.show))


async def report(rows: list[dict[str, Any]], *, show: bool) -> None:
    """A line a kind."""
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as home:
        async with open_library(home=home) as library:
            async for _ in library.documents.add(LECTURES):
                pass
            for row in rows:
                answer = await ask_in_turn(library, row["turns"])
                is_right = judge(row, answer)
                asked[row["kind"]] += 1
                right[row["kind"]] += is_right
                if show and not is_right:
                    print(f"{row['id']}: {' / '.join(row['turns'])} → {answer.understood or answer.question}")
    for kind, count in asked.items():
        print(f"{kind:12} {right[kind]:>3} of {count}")
    print(f"{'all':12} {right.total():>3} of {asked.total()}")


async def ask_in_turn(library: Library, turns: list[str]) -> Answer:
    """The answer of the last one."""
    conversation = None
    for question in turns:
        answer = await library.questions.ask(question, conversation=conversation)
        conversation = answer.conversation_id
    return answer


def judge(row: dict[str, Any], answer: Answer) -> bool:
    """`understood`: of what the question was read as, one must be a part; "" where it is to be left as it
    is."""
    read = answer.understood or answer.question
    is_understood = (
        not answer.understood if row["understood"] == [""] else any(map(read.__contains__, row["understood"]))
    )
    missing = find_missing_needs(tuple(map(tuple, row["needs"])), list_shown_texts(answer))
    return is_understood and not missing and not answer.abstained


if __name__ == "__main__":
    main()
