"""`make eval`: questions that bring their own passages, each asked of a library of its own; adds to
eval/results.md and fails where too few abstain.

python eval/answers.py ../shared/eval-answers [--show]

What counts as held is in `shisho.evaluation.answers`."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from shisho.domain.inquiry import ANSWERING_LEVELS
from shisho.evaluation.answering import ask_item, load_folder
from shisho.evaluation.answers import AnswerItem, AnswerResult, summarise

RESULTS = Path(__file__).parent / "results.md"
MIN_ABSTAINED = 0.8  # of the items that nothing answers
TITLE = "## Questions with passages of their own"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", action="store_true", help="each item with its needs and quotations")
    options = parser.parse_args()
    items = load_folder(options.folder)
    results = asyncio.run(ask_all(items, show=options.show))
    text = f"{TITLE}\n\n{table(results)}"
    print(text)
    before = RESULTS.read_text("utf-8").split(TITLE)[0].rstrip() if RESULTS.exists() else ""
    RESULTS.write_text(f"{before}\n\n{text}", "utf-8")
    absent = [result for result in results if not result.item.is_answerable]
    abstained = sum(result.level not in ANSWERING_LEVELS for result in absent)
    print(f"abstained: {abstained} of {len(absent)} (floor {MIN_ABSTAINED:.0%})")
    return 0 if abstained >= MIN_ABSTAINED * len(absent) else 1


async def ask_all(items: Sequence[AnswerItem], *, show: bool) -> list[AnswerResult]:
    return [await ask_one(item, show=show) for item in items]


async def ask_one(item: AnswerItem, *, show: bool) -> AnswerResult:
    """The item's passages as the only documents there are."""
    answer, result = await ask_item(item, {})
    if show:
        print(f"\n{item.id} {' '.join(item.kinds)}: {result.level}\n  {item.question}\n  gold: {item.answer}")
        for need in result.needs:
            print(f"  {'+' if need in result.held else '-'} {need.text}  {' '.join(sorted(need.words))}")
        for evidence in answer.evidence:
            print(f"  [{evidence.document}] {evidence.heading} / {' '.join(evidence.snippet.split())[:300]}")
    return result


def table(results: Sequence[AnswerResult]) -> str:
    rows = summarise(results)
    measures = list(next(iter(rows.values())))
    lines = [f"| kind | {' | '.join(measures)} |", "|---|" + "---|" * len(measures)]
    lines += [f"| {kind} | {' | '.join(map(str, figures.values()))} |" for kind, figures in rows.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
