"""The eight chaos and four pressure scenarios of queues on PostgreSQL: every accepted job is done once. The
long form alone; `python -m tests.faults.chaos` prints the table beside procrastinate."""

from __future__ import annotations

import pytest

from tests.faults.chaos import CHAOS, PRESSURE, Contender, Scenario, tried
from tests.faults.children import LONG

pytestmark = pytest.mark.skipif(not LONG, reason="a quarter of a minute for each of twelve")


@pytest.mark.parametrize("scenario", [*CHAOS, *PRESSURE], ids=lambda scenario: scenario.__name__)
def test_every_accepted_job_is_done_once(scenario: Scenario) -> None:
    outcome = tried(scenario, Contender)
    print(scenario.__name__, outcome)
    assert outcome.is_passed, outcome
