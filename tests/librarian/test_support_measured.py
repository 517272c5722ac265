"""The support check over sentences altered by rule and over honest paraphrases, all of real passages."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from shisho.librarian.support import check
from tests.faults.children import LONG
from tests.librarian.alterations import alterations, altered_paraphrases
from tests.shared import shared

pytestmark = pytest.mark.floors
PARAPHRASES = Path(__file__).parent / "support" / "paraphrases.jsonl"
MATERIAL = Path(__file__).parents[2] / "eval" / "support_material"
FURTHER = PARAPHRASES.with_name("further_paraphrases.jsonl")
BLIND = PARAPHRASES.with_name("blind_paraphrases.jsonl")
ALTERED_COUNT = 400 if LONG else 150  # in each half: of 300 in all none may be called supported
ALTERED = PARAPHRASES.with_name("altered_paraphrases.jsonl")


@pytest.mark.parametrize("held_out", [False, True])
def test_nothing_altered_is_called_supported(held_out: bool) -> None:
    made = alterations(ALTERED_COUNT, held_out=held_out)
    outcomes = [
        (alteration, check(alteration.sentence, alteration.quotations).outcome) for alteration in made
    ]
    assert len(made) == ALTERED_COUNT
    assert [alteration.sentence for alteration, outcome in outcomes if outcome == "supported"] == []
    assert sum(outcome == "unverified" for _, outcome in outcomes) <= 0.10 * len(made)


@cache
def passages(name: str) -> dict[str, tuple[str, str]]:
    """Text and heading by id."""
    if name == "extract":
        articles = json.loads(shared("extract", "ground-truth.json").read_text("utf-8"))
        return {key: (article["articleBody"], "") for key, article in articles.items()}
    with gzip.open(shared("eval", name, "corpus.jsonl.gz"), "rt", encoding="utf-8") as lines:
        return {row["_id"]: (row["text"], row["title"]) for row in map(json.loads, lines)}


def material(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (MATERIAL / f"{name}.jsonl").read_text("utf-8").splitlines()]


def quotation_of(row: dict[str, Any]) -> str:
    if "quotation" in row:
        return str(row["quotation"])
    text, _ = passages(row["set"])[row["id"]]
    return text[row["start"] : row["end"]]


def outcome_of(row: dict[str, Any]) -> str:
    if "quotation" in row:
        headings = [row["heading"]] if row.get("heading") else []
        return str(check(row["text"], [row["quotation"]], headings).outcome)
    text, heading = passages(row["set"])[row["id"]]
    return str(check(row["text"], [text[row["start"] : row["end"]]], [heading] if heading else []).outcome)


# The aim is .60 supported and .03 altered in both halves; the floors are what was reached.
@pytest.mark.parametrize(("held_out", "supported", "altered"), [(False, 0.72, 0.01), (True, 0.65, 0.01)])
def test_honest_paraphrases_stay(held_out: bool, supported: float, altered: float) -> None:
    rows = [json.loads(line) for line in PARAPHRASES.read_text("utf-8").splitlines()]
    rows = [row for row in rows if row["held_out"] == held_out]
    outcomes = Counter(map(outcome_of, rows))
    assert len(rows) >= 60
    assert outcomes["supported"] >= supported * len(rows), outcomes
    assert outcomes["altered"] <= altered * len(rows), outcomes


def test_freer_paraphrases_stay() -> None:
    """Written after the rules, further from their passages; no rule was made with them. The aim is that of
    the others."""
    rows = [json.loads(line) for line in FURTHER.read_text("utf-8").splitlines()]
    outcomes = Counter(map(outcome_of, rows))
    assert outcomes["supported"] >= 0.60 * len(rows) > 0, outcomes
    assert outcomes["altered"] <= 0.03 * len(rows), outcomes


def test_paraphrases_by_one_who_knew_no_rule_stay() -> None:
    """Written from the passages alone, most of them freely. The aim is that of the others."""
    rows = [json.loads(line) for line in BLIND.read_text("utf-8").splitlines()]
    outcomes = Counter(map(outcome_of, rows))
    assert outcomes["supported"] >= 0.55 * len(rows) > 0, outcomes
    assert outcomes["altered"] <= 0.03 * len(rows), outcomes


def test_paraphrases_made_false_are_seldom_called_supported() -> None:
    """In other words than their quotation's and false in one thing: the hardest there is. The aim is none."""
    rows = [json.loads(line) for line in ALTERED.read_text("utf-8").splitlines()]
    outcomes = Counter(map(outcome_of, rows))
    assert outcomes["supported"] <= 0.05 * len(rows), outcomes


@pytest.mark.parametrize(
    ("name", "outcome", "least", "most"),
    [("true", "supported", 0.35, 1.0), ("true", "altered", 0.0, 0.04), ("false", "supported", 0.0, 0.07)],
)
def test_free_wording_is_told_true_from_false(name: str, outcome: str, least: float, most: float) -> None:
    """Written by hand to other passages, most of them far from the words that they quote."""
    rows = material(name)
    share = sum(outcome_of(row) == outcome for row in rows) / len(rows)
    assert least <= share <= most


def test_honest_paraphrases_made_false_by_rule_are_seldom_called_supported() -> None:
    """Falsehoods in other words: the rules that alter sentences of passages alter paraphrases of them."""
    rows = [*material("true"), *(json.loads(line) for line in BLIND.read_text("utf-8").splitlines())]
    altered = [made for row in rows for made in altered_paraphrases(row["text"], quotation_of(row))]
    supported = [text for text, quotation in altered if check(text, [quotation]).outcome == "supported"]
    assert len(altered) >= 300
    assert len(supported) <= 0.07 * len(altered), supported


def test_what_is_called_supported_of_known_pairs_is_entailed() -> None:
    with gzip.open(shared("eval-support", "jnli-valid.jsonl.gz"), "rt", encoding="utf-8") as lines:
        pairs = [json.loads(line) for line in lines][:: 1 if LONG else 3]
    labels = Counter(
        pair["label"] for pair in pairs if check(pair["hypothesis"], [pair["premise"]]).outcome == "supported"
    )
    assert labels["entailment"] >= 0.90 * labels.total() > 0, labels
