"""The committed weights are what the committed tables give, and the fit finds what is in a table."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shisho.librarian.checking.support import SupportFeatures, load_support_weights
from shisho.librarian.selection.features import SentenceFeatures
from shisho.librarian.selection.ranker import SelectionFeatures, load_weights

TRAIN = Path(__file__).parents[2] / "train"
TOLERANCE = 0.02  # of a weight: other processors round otherwise


@pytest.fixture(scope="module")
def fit() -> Iterator[Any]:
    sys.path.insert(0, str(TRAIN))
    import fit

    yield fit
    sys.path.remove(str(TRAIN))


@pytest.fixture(scope="module")
def support(fit: Any) -> Any:
    import fit_support

    return fit_support


def test_committed_weights_are_what_the_tables_give(fit: Any) -> None:
    made = fit.fit_weights(fit.load_sentences(), fit.load_selections())
    kept = json.loads(fit.WEIGHTS.read_text("utf-8"))
    for model in ("ranker", "certainty"):
        assert made[model].keys() == kept[model].keys()
        for name, weight in kept[model].items():
            assert made[model][name] == pytest.approx(weight, abs=TOLERANCE), name
    assert made["intercept"] == pytest.approx(kept["intercept"], abs=TOLERANCE)
    assert made["answered"] == pytest.approx(kept["answered"], abs=0.011)
    assert made["related"] == kept["related"]


def test_committed_support_weights_are_what_the_table_gives(support: Any) -> None:
    fitted = support.fit_support(support.load_support())
    committed = load_support_weights()
    assert fitted["weights"] == pytest.approx(committed.weights, abs=TOLERANCE)
    assert fitted["threshold"] == pytest.approx(committed.threshold, abs=0.2)
    assert fitted["forbidding"] == committed.forbidding
    assert tuple(committed.weights) == SupportFeatures._fields


def test_a_sign_that_forbids_outweighs_the_nearest_wording() -> None:
    weights = load_support_weights()
    best = SupportFeatures(**{name: float(weight > 0) for name, weight in weights.weights.items()})
    assert weights.is_supported(best) and weights.forbidding
    assert not any(weights.is_supported(best._replace(**{name: 1.0})) for name in weights.forbidding)


def test_few_false_sentences_are_supported_held_out_and_unseen(support: Any) -> None:
    table = support.load_support()
    supported = support.list_outcomes(table)
    for unseen in (False, True):
        rows = (table.unseen == unseen) & (table.sets != support.CAPTIONS)
        assert supported[rows & ~table.right].mean() <= 0.015
        assert supported[rows & table.right].mean() >= 0.17
    assert support.measure_recall(table) >= 0.32


def test_score_recalls_what_its_features_tell_apart_and_keeps_their_signs(support: Any) -> None:
    chooser = np.random.default_rng(3)
    right = np.arange(400) % 2 == 0
    signal = right * 1.0 + chooser.normal(0, 0.3, 400)
    features = np.column_stack([signal, -signal, chooser.normal(size=400)])
    rows = np.zeros(400, bool)
    names = np.array(["own"] * 400)
    questions = np.array([f"q{number // 4}" for number in range(400)])
    table = support.Support(("coverage", "density", "figures"), features, right, rows, rows, names, questions)
    weights, even = support.fit_score(table)
    assert weights[0] > 0 and weights[1] == pytest.approx(0, abs=1e-6)  # it may not count against a sentence
    assert ((features @ weights >= even) == right).mean() > 0.85


def test_every_feature_has_a_weight_and_no_weight_lacks_its_feature() -> None:
    weights = load_weights()
    assert tuple(weights.ranker) == SentenceFeatures._fields
    assert tuple(weights.certainty) == SelectionFeatures._fields
    assert 0 < weights.related < weights.answered < 1


def test_answers_over_peoples_own_documents_are_right_and_what_is_absent_is_withheld(fit: Any) -> None:
    table = fit.load_selections()
    probabilities = fit.estimate_held_out(table)
    own = ~np.isin(table.sets, fit.ENCYCLOPEDIA_SETS)
    answered = own & (probabilities >= load_weights().answered)
    assert table.right[answered].mean() >= 0.9
    assert answered[own & table.right].mean() >= 0.38
    assert 1 - answered[own & table.absent].mean() >= 0.85


def test_threshold_keeps_the_floors_of_each_encyclopedia(fit: Any) -> None:
    table = fit.load_selections()
    answered = fit.estimate_held_out(table) >= load_weights().answered
    for name, (right, withheld) in fit.ENCYCLOPEDIA_FLOORS.items():
        rows = table.sets == name
        assert table.right[rows & answered].mean() >= right, name
        assert 1 - answered[rows & table.absent].mean() >= withheld, name


def test_stricter_floor_of_an_encyclopedia_raises_the_threshold(
    fit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = fit.load_selections()
    probabilities = fit.estimate_held_out(table)
    chosen = fit.choose_threshold(table, probabilities)
    monkeypatch.setattr(fit, "ENCYCLOPEDIA_FLOORS", {"jsquad-valid": (0.93, 0.93)})
    assert fit.choose_threshold(table, probabilities) > chosen


def test_ranker_learns_the_feature_that_tells_answers_apart(fit: Any) -> None:
    chooser = np.random.default_rng(7)
    features = chooser.normal(size=(400, 3))
    questions = np.repeat(np.arange(40), 10).astype(str)
    grades = np.zeros(400)
    for question in np.unique(questions):
        own = np.flatnonzero(questions == question)
        grades[own[np.argmax(features[own, 1])]] = 1.0
    table = fit.Sentences(("noise", "signal", "other"), features, grades, questions, questions)
    weights = fit.fit_ranker(table)
    assert weights["signal"] > 5 * max(abs(weights["noise"]), abs(weights["other"]))
    assert fit.score_ranker(table, weights) < fit.score_ranker(table, dict.fromkeys(weights, 0.0)) / 3


def test_tables_hold_numbers_and_ids_alone(fit: Any) -> None:
    for path in (fit.SENTENCES, fit.SELECTIONS, fit.FOLDER / "support.npz"):
        with np.load(path) as table:
            texts = {name: table[name] for name in table.files if table[name].dtype.kind in "US"}
        assert texts.keys() == {"names", "sets", "questions"}
        assert max(len(str(one)) for one in texts["questions"]) < 60
