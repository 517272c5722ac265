"""`make eval`: every set through the real ingest, searcher and librarian; writes eval/results.md and fails
below a floor.

Each set is searched by words, and by words and meaning with the Universal Sentence Encoder; no set may
lose by the second. The set of other words is searched with e5 too.

python eval/run.py ../shared/eval [set …] [--answers N]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from baseline import stemmed_bm25

from shisho.evaluation.run import measure

HERE = Path(__file__).parent
WITH_MEANING = ", with meaning"
WITH_E5 = ", with e5"
ANSWERED_WITH_MEANING = ("niilc-dev",)  # its questions have other words than their texts
AT_ONCE = 2  # measurements, each in a process of its own: one may hold a gigabyte
SETS = ("jsquad-valid", "jaquad-dev", "niilc-dev", "cranfield")
MEASURES = ("ndcg@10", "recall@50", "mrr@10", "queries", "documents", "seconds")
ANSWERING = (
    "answer@shown",
    "shown_characters",
    "abstains_with_gold",
    "abstains_without_gold",
    "answered_queries",
)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument(
        "--answers", type=int, default=500, help="questions of each set to answer, spread over the set"
    )
    given = parser.parse_args()
    floors = json.loads((HERE / "floors.json").read_text("utf-8"))["full"]
    measurements = list_measurements(given.sets, given.answers)
    # Spawned, not forked: the encoders have threads.
    with ProcessPoolExecutor(AT_ONCE, multiprocessing.get_context("spawn")) as pool:
        measuring = {label: pool.submit(run, given.folder, *how) for label, how in measurements.items()}
        results = {label: figures.result() for label, figures in measuring.items()}
    if "cranfield" in results:
        results["cranfield, bm25s with a stemmer"] = stemmed_bm25(given.folder / "cranfield")
    text = (
        table(results, MEASURES)
        + "\n"
        + table({n: r for n, r in results.items() if r.get("answered_queries")}, ANSWERING)
    )
    print(text)
    (HERE / "results.md").write_text("Written by `make eval`.\n\n" + text, "utf-8")
    under = below(results, floors)
    print("\n".join(under) or "No figure is below its floor.")
    return 1 if under else 0


def list_measurements(sets: Iterable[str], answers: int) -> dict[str, tuple[str, int, str]]:
    """By the label of its row: the set, how many of its questions are answered, and the embedder."""
    measurements = {}
    for name in sets:
        is_answered = name in ANSWERED_WITH_MEANING
        measurements[name] = (name, answers, "none")
        measurements[name + WITH_MEANING] = (name, answers if is_answered else 0, "use")
        if is_answered:
            measurements[name + WITH_E5] = (name, 0, "e5")
    return measurements


def run(folder: Path, name: str, answers: int, embedder: str) -> dict[str, Any]:
    return asyncio.run(measure(folder / name, answers=answers, embedder=embedder))


def table(results: dict[str, dict[str, Any]], measures: tuple[str, ...]) -> str:
    rows = [f"| set | {' | '.join(measures)} |", "|---|" + "---|" * len(measures)]
    for name, figures in results.items():
        rows.append(f"| {name} | {' | '.join(str(figures.get(one, '–')) for one in measures)} |")
    return "\n".join(rows) + "\n"


def below(results: dict[str, dict[str, Any]], floors: dict[str, dict[str, float]]) -> list[str]:
    under = [
        f"{name}: {measure} is {results[name][measure]}, below its floor of {floor}"
        for name, wanted in floors.items()
        if name in results
        for measure, floor in wanted.items()
        if results[name][measure] < floor
    ]
    return under + [
        f"{name}: found worse by words and meaning than by words"
        for name, figures in results.items()
        if name + WITH_MEANING in results and results[name + WITH_MEANING]["ndcg@10"] < figures["ndcg@10"]
    ]


if __name__ == "__main__":
    sys.exit(main())
