"""`make eval`: what the support check calls sentence pairs whose relation is known; fails below the floor.

python eval/support.py ../shared/eval-support
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from pathlib import Path

from shisho.domain.inquiry import SupportOutcome
from shisho.librarian.support import check

LABELS = ("entailment", "neutral", "contradiction")
RIGHT = {"entailment": "supported", "neutral": "unverified", "contradiction": "altered"}
FLOOR = 0.90  # of the pairs called supported, the share that is entailment


def counted(path: Path) -> Counter[tuple[str, str]]:
    """How many pairs of each label came out how."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        pairs = [json.loads(line) for line in lines]
    return Counter((pair["label"], str(check(pair["hypothesis"], [pair["premise"]]).outcome)) for pair in pairs)


def precision(counts: Counter[tuple[str, str]]) -> float:
    """Of what is called supported, the share that is entailment."""
    supported = {label: counts[label, "supported"] for label in LABELS}
    return supported["entailment"] / max(1, sum(supported.values()))


def table(counts: Counter[tuple[str, str]]) -> str:
    """Shares of each label by outcome."""
    rows = ["| label | pairs | " + " | ".join(SupportOutcome) + " |", "|---|---|" + "---|" * len(SupportOutcome)]
    for label in LABELS:
        pairs = sum(counts[label, outcome] for outcome in SupportOutcome)
        shares = " | ".join(f"{counts[label, outcome] / max(1, pairs):.3f}" for outcome in SupportOutcome)
        rows.append(f"| {label} | {pairs} | {shares} |")
    return "\n".join(rows)


def main() -> int:
    counts = counted(Path(sys.argv[1]) / "jnli-valid.jsonl.gz")
    print(table(counts))
    print(f"precision of supported: {precision(counts):.3f} (floor {FLOOR})")
    for label, outcome in RIGHT.items():
        pairs = sum(counts[label, other] for other in SupportOutcome)
        print(f"recall of {label}, called {outcome}: {counts[label, outcome] / max(1, pairs):.3f}")
    return 0 if precision(counts) >= FLOOR else 1


if __name__ == "__main__":
    sys.exit(main())
