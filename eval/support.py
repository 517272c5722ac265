"""`make eval`: the check without a judge over sentence pairs whose relation is known, and over sentences
written freely to real passages (eval/support_material); fails below a floor.

python eval/support.py ../shared/eval-support
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path

from shisho.domain.inquiry import EvidenceRef, SupportOutcome
from shisho.evaluation.support import LABELS, load_pairs
from shisho.librarian.checking.check import AnswerUnit, check_units

RIGHT = {"entailment": "supported", "neutral": "unverified", "contradiction": "contradicted"}
MATERIAL = Path(__file__).with_name("support_material")
MIN_SUPPORTED = 0.01  # of the true sentences written freely
MAX_CONTRADICTED = 0.01  # of them
MAX_FALSE = 0.02  # of the false ones, those called supported
FLOOR = 0.90  # of the pairs called supported, the share that is entailment


def check(sentence: str, quotation: str, heading: str = "") -> str:
    """Return the outcome of a sentence beside one quotation."""
    ref = EvidenceRef(1, "G1", quotation, heading, 1.0, 1)
    (revision,) = check_units([AnswerUnit(sentence, (1,))], [ref], "")
    return str(revision.support)


def counted(folder: Path) -> Counter[tuple[str, str]]:
    """How many pairs of each label came out how."""
    pairs = load_pairs(folder)
    outcomes = [check(pair.hypothesis, pair.premise) for pair in pairs]
    return Counter((pair.label, outcome) for pair, outcome in zip(pairs, outcomes, strict=True))


def precision(counts: Counter[tuple[str, str]]) -> float:
    """Of what is called supported, the share that is entailment."""
    supported = {label: counts[label, "supported"] for label in LABELS}
    return supported["entailment"] / max(1, sum(supported.values()))


def table(counts: Counter[tuple[str, str]]) -> str:
    """Shares of each label by outcome."""
    rows = [
        "| label | pairs | " + " | ".join(SupportOutcome) + " |",
        "|---|---|" + "---|" * len(SupportOutcome),
    ]
    for label in LABELS:
        pairs = sum(counts[label, outcome] for outcome in SupportOutcome)
        shares = " | ".join(f"{counts[label, outcome] / max(1, pairs):.3f}" for outcome in SupportOutcome)
        rows.append(f"| {label} | {pairs} | {shares} |")
    return "\n".join(rows)


def material(name: str) -> tuple[Counter[str], float]:
    """How many of the sentences written freely came out how, and the milliseconds of CPU for each."""
    rows = [json.loads(line) for line in (MATERIAL / name).read_text("utf-8").splitlines()]
    start = time.process_time()
    outcomes = Counter(check(row["text"], row["quotation"], row["heading"]) for row in rows)
    return outcomes, 1000 * (time.process_time() - start) / len(rows)


def print_material() -> bool:
    """Print the table of the sentences written freely; true where no floor is missed."""
    true, true_cost = material("true.jsonl")
    false, false_cost = material("false.jsonl")
    print("\n| written freely | sentences | " + " | ".join(SupportOutcome) + " | ms of CPU each |")
    print("|---|---|" + "---|" * (len(SupportOutcome) + 1))
    for name, outcomes, cost in (("true", true, true_cost), ("false", false, false_cost)):
        shares = " | ".join(f"{outcomes[outcome] / outcomes.total():.3f}" for outcome in SupportOutcome)
        print(f"| {name} | {outcomes.total()} | {shares} | {cost:.1f} |")
    return (
        true["supported"] >= MIN_SUPPORTED * true.total()
        and true["contradicted"] <= MAX_CONTRADICTED * true.total()
        and false["supported"] <= MAX_FALSE * false.total()
    )


def main() -> int:
    counts = counted(Path(sys.argv[1]))
    print(table(counts))
    print(f"precision of supported: {precision(counts):.3f} (floor {FLOOR})")
    for label, outcome in RIGHT.items():
        pairs = sum(counts[label, other] for other in SupportOutcome)
        print(f"recall of {label}, called {outcome}: {counts[label, outcome] / max(1, pairs):.3f}")
    is_supported_by_code = print_material()
    return 0 if is_supported_by_code and precision(counts) >= FLOOR else 1


if __name__ == "__main__":
    sys.exit(main())
