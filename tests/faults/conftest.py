"""In the long form each fault may take as long as it needs. Who kills or freezes does so to its own
processes, so that tests beside it come to no harm; what is timed is marked `apart`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.children import LONG

LONGEST_S = 3600  # of one test in the long form, on a machine that is busy

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if LONG and HERE in item.path.parents:
            item.add_marker(pytest.mark.timeout(LONGEST_S))
