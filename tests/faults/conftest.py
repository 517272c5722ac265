"""Faults are timed and kill processes: each runs alone, and in the long form for as long as it needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.children import LONG

LONGEST_S = 3600  # of one test in the long form, on a machine that is busy

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.alone)
            if LONG:
                item.add_marker(pytest.mark.timeout(LONGEST_S))
