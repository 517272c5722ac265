"""Measure the support check on pairs of sentences with a known relation."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from shisho.bootstrap.judging import SupportJudge
from shisho.domain.inquiry import SupportOutcome
from shisho.errors import InvalidParams
from shisho.records import dataclass

LABELS = ("entailment", "neutral", "contradiction")


@dataclass(frozen=True, slots=True)
class SentencePair:
    """A premise, a hypothesis, and their label of `LABELS`."""

    premise: str
    hypothesis: str
    label: str


async def measure_support(
    folder: Path, judge: SupportJudge, limit: int | None = None
) -> dict[str, dict[str, float]]:
    """Return the share of each outcome for each label, over the folder's `*.jsonl.gz`.

    Also the share of entailment among supported pairs. Raises: InvalidParams for invalid pairs.
    """
    pairs = (await asyncio.to_thread(load_pairs, folder))[:limit]
    outcomes = await judge.judge([(pair.premise, pair.hypothesis) for pair in pairs])
    return summarise_outcomes(pairs, outcomes)


def load_pairs(folder: Path) -> list[SentencePair]:
    """Load the pairs of all files. Raises: InvalidParams with the file and line."""
    pairs: list[SentencePair] = []
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            pairs += [_read_pair(path.name, number, line) for number, line in enumerate(lines, 1)]
    if not pairs:
        raise InvalidParams("eval.no_pairs", folder=str(folder))
    return pairs


def summarise_outcomes(
    pairs: Sequence[SentencePair], outcomes: Sequence[SupportOutcome]
) -> dict[str, dict[str, float]]:
    """Return a row for each label.

    Only entailment has a precision: its share of all supported pairs.
    """
    counts = Counter((pair.label, outcome) for pair, outcome in zip(pairs, outcomes, strict=True))
    supported = sum(counts[label, SupportOutcome.SUPPORTED] for label in LABELS)
    rows: dict[str, dict[str, float]] = {}
    for label in LABELS:
        total = sum(counts[label, outcome] for outcome in SupportOutcome)
        shares: Mapping[str, float] = {
            str(outcome): round(counts[label, outcome] / max(1, total), 3) for outcome in SupportOutcome
        }
        share = round(counts[label, SupportOutcome.SUPPORTED] / max(1, supported), 3)
        rows[label] = {"items": total, **shares, "share_of_supported": share}
    return rows


def _read_pair(name: str, number: int, line: str) -> SentencePair:
    try:
        row = json.loads(line)
        pair = SentencePair(row["premise"], row["hypothesis"], row["label"])
        if pair.label not in LABELS:
            raise ValueError(pair.label)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidParams(
            "eval.bad_pair",
            name=name,
            number=number,
        ) from error
    return pair
