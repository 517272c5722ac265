"""Write the report on the fitted models: every figure is by a model that has not seen the set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from fit import (
    ENCYCLOPEDIA_SETS,
    REPORT,
    Array,
    Selections,
    Sentences,
    estimate_held_out,
    fit_ranker,
    score_ranker,
)
from fit_support import Support, list_report

FOLDS = 3  # of the ablation of the ranker: by set, as even as they come


def write_report(
    sentences: Sentences, selections: Selections, weights: Mapping[str, Any], support: Support
) -> None:
    """Write figures by set, calibration, and both ablation tables."""
    probabilities = estimate_held_out(selections)
    lines = [
        "# Report on the weights of selection and support",
        "",
        "Written by `make weights-report`. Each figure is by a model that has not seen the set.",
        "",
        f"{len(sentences.features)} sentences of {len(np.unique(sentences.questions))} questions;"
        f" {len(selections.features)} selections. Answers begin at a probability of {weights['answered']}.",
        "",
        "## By set",
        "",
        "*shown*: the shown passages hold the answer. *right*: of those called answered. *withheld*: of what is not"
        " there.",
        "",
        *_table(
            ("set", "questions", "shown", "answered", "right", "withheld"),
            _list_sets(selections, probabilities, weights["answered"]),
        ),
        "",
        "## Calibration",
        "",
        *_table(("probability", "selections", "right"), _list_calibration(selections, probabilities)),
        "",
        "## Ablation",
        "",
        "Held-out loss without one feature, less that with all: what is negative does not help.",
        "",
        *_table(("ranker", "weight", "loss"), _ablate_ranker(sentences, weights["ranker"])),
        "",
        *_table(("certainty", "weight", "loss"), _ablate_certainty(selections, weights["certainty"])),
        "",
        *list_report(support, _table),
    ]
    REPORT.write_text("\n".join(lines) + "\n", "utf-8")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [
        "| " + " | ".join(head) + " |",
        "|---" * len(head) + "|",
        *("| " + " | ".join(row) + " |" for row in rows),
    ]


def _list_sets(table: Selections, probabilities: Array, answered: float) -> list[Sequence[str]]:
    own = ~np.isin(table.sets, ENCYCLOPEDIA_SETS)
    groups = [(str(name), table.sets == name) for name in np.unique(table.sets)]
    rows = []
    for name, rows_of in [*groups, ("people's own documents", own), ("encyclopedias", ~own)]:
        is_answered = rows_of & (probabilities >= answered)
        present, absent = rows_of & ~table.absent, rows_of & table.absent
        rows.append(
            (
                name,
                f"{present.sum()} + {absent.sum()}",
                f"{table.right[present].mean():.3f}",
                f"{is_answered.sum()}",
                f"{table.right[is_answered].mean():.3f}" if is_answered.any() else "–",
                f"{1 - is_answered[absent].mean():.3f}" if absent.any() else "–",
            )
        )
    return rows


def _list_calibration(table: Selections, probabilities: Array) -> list[Sequence[str]]:
    rows = []
    for low in np.arange(0.0, 1.0, 0.1):
        within = (probabilities >= low) & (probabilities < low + 0.1)
        if within.any():
            rows.append(
                (f"{low:.1f} to {low + 0.1:.1f}", f"{within.sum()}", f"{table.right[within].mean():.3f}")
            )
    return rows


def _ablate_ranker(table: Sentences, weights: Mapping[str, float]) -> list[Sequence[str]]:
    folds = np.unique(table.sets, return_inverse=True)[1] % FOLDS

    def measure(rows: Sentences) -> float:
        return float(
            np.mean(
                [
                    score_ranker(rows.keep(folds == fold), fit_ranker(rows.keep(folds != fold)))
                    for fold in range(FOLDS)
                ]
            )
        )

    whole = measure(table)
    return [
        (name, f"{weights[name]:.3f}", f"{measure(table.drop(name)) - whole:+.4f}") for name in table.names
    ]


def _ablate_certainty(table: Selections, weights: Mapping[str, float]) -> list[Sequence[str]]:
    whole = _measure_loss(table)
    return [
        (name, f"{weights[name]:.3f}", f"{_measure_loss(table.drop(name)) - whole:+.4f}")
        for name in table.names
    ]


def _measure_loss(table: Selections) -> float:
    likely = np.clip(estimate_held_out(table), 1e-6, 1 - 1e-6)
    own = ~np.isin(table.sets, ENCYCLOPEDIA_SETS)
    losses = -np.where(table.right, np.log(likely), np.log(1 - likely))
    return float(losses[own].mean())
