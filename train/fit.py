"""Fit the weights of selection and support from the committed tables: `make weights`, or `train/fit.py`.

`--report` also writes report.md: figures of each set by models that have not seen it, and an ablation
table."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

FOLDER = Path(__file__).parent
SENTENCES = FOLDER / "sentences.npz"
SELECTIONS = FOLDER / "selections.npz"
WEIGHTS = FOLDER.parent / "src" / "shisho" / "librarian" / "selection" / "weights.json"
REPORT = FOLDER / "report.md"
RANKER_PENALTY = 1.0  # of the squared weights, in units of standard deviations
CERTAINTY_PENALTY = 20.0
ENCYCLOPEDIA_WEIGHT = 0.3  # of a row about an encyclopedia: people ask their own documents
# Of each encyclopedia, at least: right ones among those called answered, and withheld ones of what is absent.
ENCYCLOPEDIA_FLOORS = {
    "niilc-dev": (0.709, 0.912),
    "jsquad-valid": (0.886, 0.895),
    "jaquad-dev": (0.861, 0.905),
}
ENCYCLOPEDIA_SETS = tuple(ENCYCLOPEDIA_FLOORS)
ANSWERED_PRECISION = 0.92  # held out: more than the .9 that is promised, as further sets may be harder
RELATED_PROBABILITY = 0.1
DIGITS = 4
Array = NDArray[np.float64]


class FeatureTable:
    """Rows of features with columns beside them; `names` names the features."""

    __slots__ = ()

    @classmethod
    def load(cls, path: Path) -> Self:
        with np.load(path) as table:
            columns = {name: table[name] for name in table.files}
        floats = {name: column.astype(float) for name, column in columns.items() if column.dtype.kind == "f"}
        return cls(**{**columns, **floats, "names": [str(name) for name in columns["names"]]})

    def save(self, path: Path) -> None:
        np.savez_compressed(path, **{each.name: np.array(getattr(self, each.name)) for each in fields(self)})

    def keep(self, rows: NDArray[np.bool_]) -> Self:
        """Return some of the rows."""
        columns = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "names"}
        return replace(self, **{name: column[rows] for name, column in columns.items()})

    def drop(self, name: str) -> Self:
        """Return the same rows without one feature."""
        places = [place for place, other in enumerate(self.names) if other != name]
        return replace(self, names=[self.names[place] for place in places], features=self.features[:, places])


@dataclass(frozen=True, slots=True)
class Sentences(FeatureTable):
    """Rows of sentences: their features, how much of the answer each holds, their set and question."""

    names: Sequence[str]
    features: Array
    grades: Array
    sets: NDArray[np.str_]
    questions: NDArray[np.str_]


@dataclass(frozen=True, slots=True)
class Selections(FeatureTable):
    """Rows of selections: their features, whether the shown passages answer, whether nothing answers."""

    names: Sequence[str]
    features: Array
    right: NDArray[np.bool_]
    absent: NDArray[np.bool_]
    sets: NDArray[np.str_]
    questions: NDArray[np.str_]


def load_sentences() -> Sentences:
    return Sentences.load(SENTENCES)


def load_selections() -> Selections:
    return Selections.load(SELECTIONS)


def fit_ranker(table: Sentences) -> dict[str, float]:
    """Fit a conditional logit: of the sentences of a question, those that answer are the likely ones."""
    deviation = table.features.std(0) + 1e-9
    scaled = (table.features - table.features.mean(0)) / deviation
    order = np.argsort(table.questions, kind="stable")
    scaled, grades = scaled[order], table.grades[order]
    _, starts, counts = np.unique(table.questions[order], return_index=True, return_counts=True)

    def measure(weights: Array) -> tuple[float, Array]:
        scores = scaled @ weights
        scores = scores - np.repeat(np.maximum.reduceat(scores, starts), counts)
        odds = np.exp(scores)
        likely = odds / np.repeat(np.add.reduceat(odds, starts), counts)
        right = likely * grades
        total = np.maximum(np.add.reduceat(right, starts), 1e-12)
        gradient = scaled.T @ (right / np.repeat(total, counts) - likely)
        return (
            float(-np.log(total).sum() + RANKER_PENALTY * weights @ weights),
            -gradient + 2 * RANKER_PENALTY * weights,
        )

    found = minimize(
        measure, np.zeros(len(table.names)), jac=True, method="L-BFGS-B", options={"maxiter": 500}
    )
    return {
        name: round(float(weight), DIGITS)
        for name, weight in zip(table.names, found.x / deviation, strict=True)
    }


def score_ranker(table: Sentences, weights: Mapping[str, float]) -> float:
    """Return the mean negative log-likelihood of the answering sentences."""
    order = np.argsort(table.questions, kind="stable")
    scores = (table.features @ np.array([weights[name] for name in table.names]))[order]
    _, starts, counts = np.unique(table.questions[order], return_index=True, return_counts=True)
    odds = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), counts))
    right = np.add.reduceat(odds * table.grades[order], starts) / np.add.reduceat(odds, starts)
    return float(-np.log(np.maximum(right, 1e-9)).mean())


def fit_certainty(table: Selections) -> tuple[dict[str, float], float]:
    """Fit a logistic regression; return its weights and its intercept."""
    mean, deviation = table.features.mean(0), table.features.std(0) + 1e-9
    model = LogisticRegression(C=1 / CERTAINTY_PENALTY, max_iter=5_000, tol=1e-8)
    row_weights = np.where(np.isin(table.sets, ENCYCLOPEDIA_SETS), ENCYCLOPEDIA_WEIGHT, 1.0)
    model.fit((table.features - mean) / deviation, table.right, sample_weight=row_weights)
    weights = model.coef_[0] / deviation
    intercept = float(model.intercept_[0] - weights @ mean)
    return {
        name: round(float(weight), DIGITS) for name, weight in zip(table.names, weights, strict=True)
    }, round(intercept, DIGITS)


def estimate(table: Selections, weights: Mapping[str, float], intercept: float) -> Array:
    log_odds = table.features @ np.array([weights[name] for name in table.names]) + intercept
    return 1 / (1 + np.exp(-log_odds))


def estimate_held_out(table: Selections) -> Array:
    """Return each row's probability by a model that has not seen its set."""
    probabilities = np.zeros(len(table.right))
    for name in np.unique(table.sets):
        own = table.sets == name
        probabilities[own] = estimate(table.keep(own), *fit_certainty(table.keep(~own)))
    return probabilities


def choose_threshold(table: Selections, probabilities: Array) -> float:
    """Return the least probability from which on answers over people's own documents are right, and each
    encyclopedia keeps its floors."""
    own = ~np.isin(table.sets, ENCYCLOPEDIA_SETS)
    for threshold in np.arange(0.5, 0.96, 0.01):
        answered = probabilities >= threshold
        is_right = (own & answered).any() and table.right[own & answered].mean() >= ANSWERED_PRECISION
        if is_right and keeps_floors(table, answered):
            return round(float(threshold), 2)
    return 0.95


def keeps_floors(table: Selections, answered: NDArray[np.bool_]) -> bool:
    """Tell whether each encyclopedia has right answers, and withholds absent ones, as often as it must."""
    for name, (right, withheld) in ENCYCLOPEDIA_FLOORS.items():
        own = table.sets == name
        called, absent = own & answered, own & table.absent
        if called.any() and (table.right[called].mean() < right or 1 - answered[absent].mean() < withheld):
            return False
    return True


def fit_weights(sentences: Sentences, selections: Selections) -> dict[str, object]:
    certainty, intercept = fit_certainty(selections)
    return {
        "ranker": fit_ranker(sentences),
        "certainty": certainty,
        "intercept": intercept,
        "answered": choose_threshold(selections, estimate_held_out(selections)),
        "related": RELATED_PROBABILITY,
    }


def main() -> None:
    import fit_support  # which stands on this module

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    sentences, selections = load_sentences(), load_selections()
    weights = fit_weights(sentences, selections)
    WEIGHTS.write_text(json.dumps(weights, indent=1) + "\n", "utf-8")
    support = fit_support.load_support()
    fit_support.WEIGHTS.write_text(json.dumps(fit_support.fit_support(support), indent=1) + "\n", "utf-8")
    if options.report:
        from report import write_report

        write_report(sentences, selections, weights, support)


if __name__ == "__main__":
    main()
