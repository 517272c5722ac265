"""The fitted weights, as `make weights` writes them. Nothing here is set by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

FILE = "weights.json"


@dataclass(frozen=True, slots=True)
class SelectionWeights:
    """Weights of both models and the two probabilities that levels begin at.

    `ranker`: by sentence feature. `certainty`: by selection feature, with its `intercept`. `answered` and
    `related`: the least probability of each level."""

    ranker: Mapping[str, float]
    certainty: Mapping[str, float]
    intercept: float
    answered: float
    related: float


@cache
def load_weights() -> SelectionWeights:
    """Return the weights of this version."""
    return SelectionWeights(**json.loads(files(__package__).joinpath(FILE).read_text("utf-8")))
