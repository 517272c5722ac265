"""The timing of workers, the detection of silent ones, and ids that sort by creation time."""

from __future__ import annotations

import secrets
import time
import uuid
from collections.abc import Sequence
from itertools import count

from shisho.domain.job import Claim, RunningClaim
from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class WorkerTiming:
    """Intervals of a worker, in seconds.

    - `beat`: between heartbeats.
    - `cut_off`: a worker drops its jobs after this long without a successful heartbeat. Must be shorter than
      `silence`.
    - `silence`: every `look`, jobs without a heartbeat for this long are taken back.
    - `idle`: a free worker waits this long for a notification before it polls.
    - `job`: the time limit of one attempt.
    - `short`: a longer wait frees the worker.
    - `person`: how long a job waits for a person.
    - `sweep`: between searches for leftovers of failed jobs.
    """

    beat: float = 5.0
    cut_off: float = 20.0
    silence: float = 30.0
    look: float = 1.0
    idle: float = 1.0
    job: float = 600.0
    short: float = 2.0
    person: float = 3 * 3600.0
    sweep: float = 3600.0


class HeartbeatMonitor:
    """A detector of heartbeats that stopped, using the local monotonic clock.

    No wall clock is compared with another: leases by the wall clock were all lost when it jumped an hour.
    """

    def __init__(self, limit: float, longest_gap: float) -> None:
        self._limit = limit
        self._longest_gap = longest_gap
        self._seen: dict[Claim, tuple[int, float]] = {}
        self._looked = 0.0

    def find_silent(self, running: Sequence[RunningClaim], now: float) -> list[RunningClaim]:
        """Return the claims that were silent for `limit`.

        A gap between two calls counts for `longest_gap` at most: this process was frozen then, and the others
        may have been too.
        """
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


_order = count()


def make_id() -> str:
    """Return a UUID version 7 (RFC 9562) as 32 hexadecimal digits.

    Within a process, up to 4,096 ids of one millisecond sort in the order of their creation.
    """
    milliseconds = time.time_ns() // 1_000_000
    value = (
        (milliseconds & (1 << 48) - 1) << 80
        | 0x7 << 76
        | (next(_order) & 0xFFF) << 64
        | 0b10 << 62
        | secrets.randbits(62)
    )
    return uuid.UUID(int=value).hex
