"""Whether quotations support a sentence, by one fitted score. `make weights` writes its weights."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from shisho.librarian.checking.support_features import SupportFeatures

FILE = "support.json"


@dataclass(frozen=True, slots=True)
class SupportWeights:
    """Weights by feature, the least score of a supported sentence, and the signs that forbid support."""

    weights: Mapping[str, float]
    threshold: float
    forbidding: Sequence[str]

    def is_supported(self, features: SupportFeatures) -> bool:
        values = features._asdict()
        if any(values[name] for name in self.forbidding):
            return False
        score: float = sum(weight * values[name] for name, weight in self.weights.items())
        return score >= self.threshold


@cache
def load_support_weights() -> SupportWeights:
    """Return the weights of this version."""
    return SupportWeights(**json.loads(files(__package__).joinpath(FILE).read_text("utf-8")))
