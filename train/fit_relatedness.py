"""Fit the least cosine of a question and a goal that is related to it: `python -m train.fit_relatedness`.

`relatedness.jsonl` has questions, each with a goal in other words and one in the other language; the goals of
other rows are unrelated. Every second row is held out. For each embedder that a package contains, prints the
cosine with the highest sum of related goals kept and unrelated ones refused, as a share of those of the other
rows, and both shares of the rows held out. They are `RELATED_FLOOR` in `inference/{universal,nano}.py`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shisho.inference.nano import NanoEmbedder
from shisho.inference.universal import UniversalEmbedder
from shisho.ports import Embedder

ROWS = Path(__file__).with_name("relatedness.jsonl")
Vectors = NDArray[np.float32]


async def embed(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    vectors = [await embedder.embed_query(text) for text in texts]
    return np.stack([np.frombuffer(vector, "<f2").astype(np.float32) for vector in vectors])


def split(cosines: Mapping[str, Vectors], is_held_out: bool) -> tuple[Vectors, Vectors]:
    """Return the cosines of related goals and those of unrelated ones, within half of the rows."""
    related, unrelated = [], []
    for table in cosines.values():
        half = table[int(is_held_out) :: 2, int(is_held_out) :: 2]
        own = np.eye(len(half), dtype=bool)
        related.append(half[own])
        unrelated.append(half[~own])
    return np.concatenate(related), np.concatenate(unrelated)


def share(related: Vectors, unrelated: Vectors, floor: float) -> tuple[float, float]:
    return float((related >= floor).mean()), float((unrelated < floor).mean())


async def main() -> None:
    rows = [json.loads(line) for line in ROWS.read_text("utf-8").splitlines()]
    print("| embedder | floor | related kept | unrelated refused | held out: kept | refused |")
    print("|---|--:|--:|--:|--:|--:|")
    for embedder in (UniversalEmbedder(), NanoEmbedder()):
        questions = await embed(embedder, [row["question"] for row in rows])
        cosines = {
            kind: await embed(embedder, [row[kind] for row in rows]) @ questions.T
            for kind in ("reworded", "translated")
        }
        fitted = split(cosines, False)
        floor = max(np.arange(0, 1, 0.001), key=lambda value: sum(share(*fitted, value)))
        shares = (*share(*fitted, floor), *share(*split(cosines, True), floor))
        print(
            f"| {embedder.about.choice} | {floor:.3f} | "
            + " | ".join(f"{each:.3f}" for each in shares)
            + " |"
        )


if __name__ == "__main__":
    asyncio.run(main())
