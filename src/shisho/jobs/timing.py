"""The queue's pace and its pure rules of time: how long to wait before trying again, and who has been silent
for too long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shisho.domain.job import Claim, RunningClaim


@dataclass(frozen=True, slots=True)
class WorkerTiming:
    """Seconds. A worker beats every `beat` and drops its jobs when it could not for `cut_off`; whoever looks,
    every `look`, takes back what has not beaten for `silence`, so `cut_off` must be shorter. `idle`: how long
    a free worker waits for the bell before it looks by itself. `job`: how long one attempt may take. `short`:
    a longer wait than this frees the worker. `person`: how long a job waits for one. `sweep`: how often what
    failed jobs have left is looked for."""

    beat: float = 5.0
    cut_off: float = 20.0
    silence: float = 30.0
    look: float = 1.0
    idle: float = 1.0
    job: float = 600.0
    short: float = 2.0
    person: float = 3 * 3600.0
    sweep: float = 3600.0


class Silence:
    """Whose beat has stood still for too long, by the looker's own monotonic clock. No wall clock is compared
    with another: leases by the wall clock were all lost when it jumped an hour."""

    def __init__(self, limit: float, longest_gap: float) -> None:
        self._limit = limit
        self._longest_gap = longest_gap
        self._seen: dict[Claim, tuple[int, float]] = {}
        self._looked = 0.0

    def find_silent(self, running: Sequence[RunningClaim], now: float) -> list[RunningClaim]:
        """Those silent for `limit`. A gap between two looks counts for `longest_gap` at most: the looker was
        frozen itself, and those it looks at may have been frozen with it."""
        passed = min(now - self._looked, self._longest_gap)
        self._looked = now
        beats = {}
        for running_claim in running:
            beat, since = self._seen.get(running_claim.claim, (-1, 0.0))
            beats[running_claim.claim] = (
                running_claim.beat,
                since + passed if beat == running_claim.beat else 0.0,
            )
        self._seen = beats
        return [running_claim for running_claim in running if beats[running_claim.claim][1] >= self._limit]
