"""Halves become floats of the same value."""

from __future__ import annotations

import numpy as np

from shisho.stores.embedded.dense import widen_halves


def test_every_finite_half_keeps_its_value() -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view("<f2")
    finite = every[np.isfinite(every)].reshape(2, -1)
    widened = widen_halves(finite)
    assert widened.dtype == np.float32
    assert np.array_equal(widened, finite.astype(np.float32))
    assert np.array_equal(np.signbit(widened), np.signbit(finite))
