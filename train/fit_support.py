"""Fit the score of support from its committed table.

The score recalls as many true sentences as it can while false ones weigh more. A sentence in wholly other
words is beyond it and hardly counts: the recall is smoothed by the logistic function, not by its logarithm.
Weights have the sign that their feature can have, so that nearer wording is never held against a sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from fit import DIGITS, FOLDER, Array, FeatureTable
from numpy.typing import NDArray
from scipy.optimize import minimize

from shisho.librarian.checking.support import EITHER, RISING

SUPPORT = FOLDER / "support.npz"
WEIGHTS = FOLDER.parent / "src" / "shisho" / "librarian" / "checking" / "support.json"
CAPTIONS = "jnli"  # short captions of pictures, which are unlike answers
ROLES = "roles"  # made by exchanging nouns: these say which signs forbid support, and are not fitted on
SET_WEIGHTS = {CAPTIONS: 0.25}
FALSE_WEIGHT = 1.0  # of all false sentences against all true ones
PENALTY = 0.01  # of the squared weights, in units of standard deviations
MAX_FALSE = 0.006  # of the false sentences, held out
FOLDS = 5
REPEATS = 3
SEED = 11


@dataclass(frozen=True, slots=True)
class Support(FeatureTable):
    """Rows of sentences: their features, whether they are true, whether a figure is wrong, whether they are
    kept for measuring, their set and the hash of their quotation."""

    names: Sequence[str]
    features: Array
    right: NDArray[np.bool_]
    suspect: NDArray[np.bool_]
    unseen: NDArray[np.bool_]
    sets: NDArray[np.str_]
    questions: NDArray[np.str_]

    @property
    def fitted(self) -> NDArray[np.bool_]:
        return ~self.unseen & ~self.suspect & (self.sets != ROLES)


def load_support() -> Support:
    return Support.load(SUPPORT)


def fit_score(table: Support) -> tuple[Array, float]:
    """Return the weights of the features and the score of even odds."""
    mean, deviation = table.features.mean(0), table.features.std(0) + 1e-9
    scaled = (table.features - mean) / deviation
    row_weights = np.array([SET_WEIGHTS.get(name, 1.0) for name in table.sets])
    gains = np.where(table.right, row_weights, 0.0) / row_weights[table.right].sum()
    losses = np.where(table.right, 0.0, row_weights) / row_weights[~table.right].sum()

    def measure(weights: Array, *, is_smoothed: bool) -> tuple[float, Array]:
        odds = scaled @ weights[:-1] + weights[-1]
        likely = 1 / (1 + np.exp(-odds))
        true_loss, true_slope = np.logaddexp(0, -odds), likely - 1
        if is_smoothed:
            true_loss, true_slope = 1 - likely, likely * (likely - 1)
        loss = gains @ true_loss + FALSE_WEIGHT * losses @ np.logaddexp(0, odds)
        slopes = gains * true_slope + FALSE_WEIGHT * losses * likely
        return (
            float(loss + PENALTY * weights[:-1] @ weights[:-1]),
            np.append(scaled.T @ slopes + 2 * PENALTY * weights[:-1], slopes.sum()),
        )

    bounds = [
        (None, None) if name in EITHER else (0, None) if name in RISING else (None, 0) for name in table.names
    ]
    found = np.zeros(len(bounds) + 1)
    for is_smoothed in (False, True):  # logistic regression finds the valley
        found = minimize(
            partial(measure, is_smoothed=is_smoothed),
            found,
            jac=True,
            method="L-BFGS-B",
            bounds=[*bounds, (None, None)],
        ).x
    weights = found[:-1] / deviation
    return weights, float(weights @ mean - found[-1])


def score_held_out(table: Support, repeats: int = REPEATS) -> Array:
    """Return each fitted row's score, less even odds, by models that have not seen its quotation."""
    rows = np.flatnonzero(table.fitted)
    quotations = np.unique(table.questions[rows])
    scores = np.zeros(len(table.right))
    for repeat in range(repeats):
        folds = np.random.default_rng(SEED + repeat).permutation(len(quotations)) % FOLDS
        selected = folds[np.searchsorted(quotations, table.questions[rows])]
        for fold in range(FOLDS):
            inside = np.zeros(len(table.right), bool)
            inside[rows[selected != fold]] = True
            weights, even = fit_score(table.keep(inside))
            outside = rows[selected == fold]
            scores[outside] += (table.features[outside] @ weights - even) / repeats
    return scores


def score_all(table: Support, repeats: int = REPEATS) -> tuple[Array, float, Array]:
    """Return the weights, the score of even odds, and scores by models that have not seen the quotation."""
    weights, even = fit_score(table.keep(table.fitted))
    scores = score_held_out(table, repeats)
    return weights, even, np.where(table.fitted, scores, table.features @ weights - even)


def choose_margin(table: Support, scores: Array) -> float:
    """Return the least margin above even odds at which few enough held-out false sentences are supported."""
    false = table.fitted & ~table.right & (table.sets != CAPTIONS)
    count = (~table.unseen & ~table.right & ~np.isin(table.sets, (CAPTIONS, ROLES))).sum()
    return float(np.sort(scores[false])[::-1][int(MAX_FALSE * count)]) + 1e-4


def list_forbidding(table: Support, scores: Array, margin: float) -> list[str]:
    """Return the signs that not more true than false sentences have, of those supported held out."""
    supported = ~table.unseen & ~table.suspect & (scores >= margin)
    return [
        name
        for name, column in zip(table.names, table.features.T, strict=True)
        if name not in RISING | EITHER
        and column[supported & table.right].sum() <= column[supported & ~table.right].sum()
    ]


def fit_support(table: Support) -> dict[str, object]:
    """Return the weights, the threshold and the signs that forbid support, as they are stored."""
    weights, even, scores = score_all(table)
    margin = choose_margin(table, scores)
    return {
        "weights": {
            name: round(float(weight), DIGITS) for name, weight in zip(table.names, weights, strict=True)
        },
        "threshold": round(even + margin, DIGITS),
        "forbidding": list_forbidding(table, scores, margin),
    }


def list_outcomes(table: Support, repeats: int = REPEATS) -> NDArray[np.bool_]:
    """Return which rows are supported by models that have not seen their quotations."""
    _, _, scores = score_all(table, repeats)
    margin = choose_margin(table, scores)
    forbidding = np.isin(table.names, list_forbidding(table, scores, margin))
    return ~table.suspect & ~table.features[:, forbidding].any(1) & (scores >= margin)


def measure_recall(table: Support) -> float:
    """Return the share of true sentences about our own documents supported at the bound, held out."""
    true = ~table.unseen & table.right & np.isin(table.sets, ("own", "lectures"))
    return float(list_outcomes(table)[true].mean())


def list_report(table: Support, tabulate: Callable[..., list[str]]) -> list[str]:
    """Return the lines of the report."""
    supported = list_outcomes(table)
    rows = []
    for name in np.unique(table.sets):
        for unseen in (False, True):
            selected = (table.sets == name) & (table.unseen == unseen)
            if selected.any():
                cells = [
                    f"{supported[part].sum()} of {part.sum()}" if part.any() else "–"
                    for part in (selected & table.right, selected & ~table.right)
                ]
                rows.append((name, "unseen" if unseen else "held out", *cells))
    whole = measure_recall(table)
    fitted_weights = fit_score(table.keep(table.fitted))[0]
    ablated = [
        (name, f"{weight:.3f}", f"{measure_recall(table.drop(name)) - whole:+.3f}")
        for name, weight in zip(table.names, fitted_weights, strict=True)
    ]
    return [
        "## Support of sentences",
        "",
        f"{len(table.right)} sentences, whole quotations left out. At most {MAX_FALSE:.1%} of the false ones held out are"
        " supported. *held out*: by models that have not seen the quotation; *unseen*: never fitted on.",
        "",
        *tabulate(("set", "part", "true supported", "false supported"), rows),
        "",
        "Without one feature, recall of true sentences about our own documents, less that with all:",
        "",
        *tabulate(("feature", "weight", "recall"), ablated),
    ]
